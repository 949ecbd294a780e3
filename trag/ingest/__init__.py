"""From files to passages: file -> blocks -> sections -> passages, with the question-answer pairs made for them.

Knows nothing about questions, models or the web.
"""

from trag.ingest.index import Ingested, ingest
from trag.ingest.upkeep import Receipt, forget, reconcile, reindex

__all__ = ["Ingested", "Receipt", "forget", "ingest", "reconcile", "reindex"]
