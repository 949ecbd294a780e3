"""The pages of the documents: what is there and being worked on, one of them, its pairs, and a source at its place."""
