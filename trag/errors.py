"""The errors that are shown to people: a message that says what was found, and a hint that says what to do next.

Everything else that is raised is a bug and keeps its traceback.
"""

import logging

from org.chart import ChartError
from org.procedures import BookError
from prompts import PromptError
from store import StoreError

log = logging.getLogger(__name__)


class TragError(Exception):
    """Something a person can put right: what was found and where, and on a line of its own what to do next.

    A message that names a file, an address or what others said is for admins, the terminal and the log; all others are
    told what is `public` in its place.
    """

    def __init__(self, message: str, hint: str = "", public: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.public = public


class OperatorError(TragError):
    """What only whoever runs the assistant can put right, who alone is told of it."""

    def __init__(self, message: str, hint: str = "", public: str = "The assistant is not ready to do this.") -> None:
        super().__init__(message, hint, public)


SHOWN = (TragError, ChartError, BookError, StoreError, PromptError)
"""What the terminal prints as one line and a hint, and the page shows as a notice."""


Shown = TragError | ChartError | BookError | StoreError | PromptError


def later(text: str) -> str:
    """The text as it is: it stands in trag/web/locale in other languages, and is looked up there when it is drawn."""
    return text


def in_one_line(error: Shown) -> str:
    """The message and the hint of one of SHOWN."""
    return f"{error.message} {error.hint}".strip()


def told(error: Shown, *, to_admin: bool = False) -> Shown:
    """One of SHOWN as people are told of it, an admin of all of it; what is kept from them is in the log."""
    public = getattr(error, "public", "")
    if to_admin or not public:
        return error
    log.warning("%s", in_one_line(error))
    return TragError(public, later("Tell whoever runs the assistant: its log says more."))
