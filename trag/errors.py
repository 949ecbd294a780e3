"""The errors that are shown to people: a message that says what was found, and a hint that says what to do next.

Everything else that is raised is a bug and keeps its traceback.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

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


class Filled(str):
    """A text in English that knows what it was made of: one with holes, and what fills them."""

    text: str
    values: Mapping[str, object]

    @classmethod
    def of(cls, text: str, values: Mapping[str, object]) -> Filled:
        written = {name: f"{value:,}" if type(value) is int else value for name, value in values.items()}
        filled = cls(text % written if values else text)
        filled.text, filled.values = text, values
        return filled


def later(text: str, **values: object) -> str:
    """The text, with its holes ("%(name)s") filled where there are values: it stands in trag/web/locale in other
    languages, and is looked up there when it is drawn."""
    return Filled.of(text, values) if values else text


def joined(texts: Iterable[str], between: str = " ") -> str:
    """These texts one after the other, each looked up when it is drawn."""
    parts = {f"text{at}": each if isinstance(each, Filled) else Filled.of(each, {}) for at, each in enumerate(texts)}
    return later(between.join(f"%({name})s" for name in parts), **parts)


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
