"""What an organization's people can do, and the written procedures in which they do it."""
