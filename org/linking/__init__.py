"""How units are named: spellings, other names, typing errors, and words that only look like names.

Knows nothing about what a sentence asks.
"""
