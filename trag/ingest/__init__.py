"""From files to passages: file -> blocks -> sections -> passages, and the question-answer pairs of documents."""

from trag.ingest.context import IngestContext, write_lock
from trag.ingest.discovery import Ingested
from trag.ingest.forgetting import Receipt, forget
from trag.ingest.index import ingest, ingest_one
from trag.ingest.pair_changes import import_pair_file
from trag.ingest.reconciliation import open_index, reconcile, reindex

__all__ = [
    "IngestContext",
    "Ingested",
    "Receipt",
    "forget",
    "import_pair_file",
    "ingest",
    "ingest_one",
    "open_index",
    "reconcile",
    "reindex",
    "write_lock",
]
