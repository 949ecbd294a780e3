"""The fine-tune: examples, training, export, and the gate that a new adapter has to pass (T-RAG, section 5.2)."""
