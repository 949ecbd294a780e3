"""The reranker that ships: organizations -> listings -> training -> the weights that `trag.reranking` loads."""
