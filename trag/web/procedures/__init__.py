"""The page of the written procedures."""
