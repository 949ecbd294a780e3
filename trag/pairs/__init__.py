"""Question-answer pairs that the model writes about the sections of documents, each checked before it is kept.

Knows nothing about the web, or about which model it is.
"""

from trag.ingest.pairs import GeneratedPair
from trag.pairs.job import Stopped, Written, write
from trag.pairs.writing import MOST_EXAMPLES, Interrupted, pairs_of

__all__ = ["MOST_EXAMPLES", "GeneratedPair", "Interrupted", "Stopped", "Written", "pairs_of", "write"]
