"""What is wrong with a file of facts, as a person is told: where, what, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what to do. `row` counts as a spreadsheet does (header: row 1); 0 is the whole file.
    `place` says it in words where a file has several tables, or none ("Actions, row 3", "procedure 2, step 1")."""

    row: int
    severity: Literal["error", "warning"]
    message: str
    hint: str
    place: str = ""


class Ended(Exception):
    """Reading a file ended before its end."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def error(row: int, message: str, hint: str, place: str = "") -> Problem:
    """What keeps the file from being used."""
    return Problem(row, "error", message, hint, place)


def warning(row: int, message: str, hint: str, place: str = "") -> Problem:
    """What a person should look at."""
    return Problem(row, "warning", message, hint, place)


def listing(items: Sequence[str], limit: int = 8) -> str:
    """Items joined for a sentence, the rest counted."""
    shown = ", ".join(items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit:,} more"


def quoted(text: str, limit: int = 80) -> str:
    """A cell as it may stand in a message, in quotation marks and never long."""
    return f'"{text}"' if len(text) <= limit else f'"{text[: limit - 3]}..."'
