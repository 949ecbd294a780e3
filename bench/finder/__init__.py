"""How well, and how fast, units are found in questions (org/entities.py): `python -m bench.finder`, `.speed`."""
