"""Chart files, read and checked: bytes -> table -> rows -> lineage, with every problem on the way.

Knows nothing about the tree that is made of them, or about questions.
"""
