"""The page of the evaluations: questions with known answers put to systems, how right the answers are, and what changed
since."""

LARGEST_SET = 20 * 2**20
"""Bytes that a file of questions may have."""
