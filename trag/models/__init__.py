"""Model files that are known by name, fetched, checked and tried; and which adapter answers."""
