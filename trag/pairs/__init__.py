"""Question-answer pairs that the model writes about the sections of documents, each checked before it is kept."""
