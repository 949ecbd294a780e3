"""The pages of the evaluations: questions with known answers put to systems, how right the answers are, and what
changed since."""
