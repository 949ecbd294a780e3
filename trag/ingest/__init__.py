"""From files to passages: file -> blocks -> sections -> passages, and the question-answer pairs of documents.

Knows nothing about questions, models or the web.
"""

from trag.ingest.context import IngestContext, changing
from trag.ingest.discovery import Ingested
from trag.ingest.forgetting import Receipt, forget
from trag.ingest.index import ingest, ingest_one
from trag.ingest.pair_import import give_file
from trag.ingest.reconciliation import open_index, reconcile, reindex

__all__ = [
    "IngestContext",
    "Ingested",
    "Receipt",
    "changing",
    "forget",
    "give_file",
    "ingest",
    "ingest_one",
    "open_index",
    "reconcile",
    "reindex",
]
