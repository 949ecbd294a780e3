"""The page of the evaluations: questions with known answers put to systems, how right the answers are, and what changed
since."""

LARGEST_SET = 20 * 2**20
"""Bytes that a file of questions may have."""
MOST_QUESTIONS = 2_000
"""Questions that are made from a chart at once."""
MOST_SEED = 10**9
"""The largest number that chooses which."""
