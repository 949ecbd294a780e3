"""The page Get it done: plans by the written procedures, for whoever asks."""
