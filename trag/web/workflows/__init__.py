"""Workflows on pages: what people write and try, and what admins put in use."""
