"""The fine-tune: examples to learn from, training, export, and the gate that a new adapter has to pass (T-RAG, section
5.2).

dataset -> training -> adapter -> gate.  Importing this room loads nothing heavy.
"""
