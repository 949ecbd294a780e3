"""The language model, wherever it runs: in a process of its own here, or behind an OpenAI-compatible address."""
