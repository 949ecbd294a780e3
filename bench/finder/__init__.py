"""How well, and how fast, units are found in questions: `python -m bench.finder`, `.speed`."""
