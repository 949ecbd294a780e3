"""The reranker that ships: dataset -> listings -> training -> the weights that `trag.reranking` loads."""
