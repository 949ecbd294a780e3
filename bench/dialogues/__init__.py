"""Dialogues about the organizations of the bench, and how many of their turns are answered rightly."""
