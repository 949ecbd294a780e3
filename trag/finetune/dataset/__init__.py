"""What a model learns from: contexts as the pipeline sends them, with questions and their right answers, in a folder.

A home -> Dataset (of_home);  examples/training -> Dataset (corpus).  Knows nothing about how a model is trained.
"""
