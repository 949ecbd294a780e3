"""How far a job has come, told to whoever watches it.

Knows nothing about jobs, or about how it is shown.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told the step, how much of it is done, and how much there is to do."""


def silent(step: str, done: int, total: int) -> None:
    """The Progress that nobody watches."""
