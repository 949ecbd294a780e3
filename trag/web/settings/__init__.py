"""The page Settings, and what it changes on every page: the logo and the accent colour."""
