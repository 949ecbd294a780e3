"""From files to passages: file -> blocks -> sections -> passages, and the question-answer pairs of documents.

Knows nothing about questions, models or the web.
"""

from trag.ingest.forgetting import Receipt, forget
from trag.ingest.found import Ingested
from trag.ingest.giving import give_file
from trag.ingest.index import ingest, ingest_one
from trag.ingest.stock import Stock, changing
from trag.ingest.upkeep import open_index, reconcile, reindex

__all__ = [
    "Ingested",
    "Receipt",
    "Stock",
    "changing",
    "forget",
    "give_file",
    "ingest",
    "ingest_one",
    "open_index",
    "reconcile",
    "reindex",
]
