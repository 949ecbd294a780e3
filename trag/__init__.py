"""T-RAG: answers about an organization, from its documents and its chart, checked against both."""
