"""Questions from other programs: our own way to ask, an OpenAI-compatible one, and the description of both."""
