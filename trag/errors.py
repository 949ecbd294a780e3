"""The errors that are shown to people: a message that says what was found, and a hint that says what to do next.

Everything else that is raised is a bug and keeps its traceback.
"""

from org.chart import ChartError
from prompts import PromptError
from store import StoreError


class TragError(Exception):
    """Something a person can put right: what was found and where, and on a line of its own what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


SHOWN = (TragError, ChartError, StoreError, PromptError)
"""What the terminal prints as one line and a hint, and the page shows as a notice."""


def in_one_line(error: TragError | ChartError | StoreError | PromptError) -> str:
    """The message and the hint of one of SHOWN."""
    return f"{error.message} {error.hint}".strip()
