"""The rules of reviewing: which verdict counts, what is approved, how far reviewers agree."""
