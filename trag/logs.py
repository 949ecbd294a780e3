"""What the program says of itself on stderr: an event begins on a line of its own with its level, and every other line
is marked, so that no words of a person, a document or a server can pass for an event or steer a terminal."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO

MARK = "  | "
"""How the lines begin that go on with an event, and those that libraries print."""
LONGEST = 20_000
"""Characters of one event, its traceback with it; of longer ones the middle is left out."""


class LineFormatter(logging.Formatter):
    """An event as one line, and marked ones where it has more, such as a traceback."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return f"\n{MARK}".join(_lines(super().format(record)))


class MarkedStream(io.TextIOBase):
    """`stream` for those who print and do not log, as Gradio prints its tracebacks: all their lines are marked."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = ""
        self._lock = threading.Lock()

    def write(self, text: str) -> int:
        with self._lock:
            whole, end, self._begun = (self._begun + text).rpartition("\n")
            if len(self._begun) > LONGEST:
                whole, end, self._begun = whole + end + self._begun, "\n", ""
            if end:
                self._stream.write("".join(f"{MARK}{line}\n" for line in _lines(whole)))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()


def log_warnings() -> None:
    """Log what is a warning or worse, and what Python itself warns of, on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.captureWarnings(True)


@contextmanager
def marked_prints(stream: TextIO) -> Iterator[None]:
    """Until the block ends, what is printed goes to `stream`, each line marked."""
    marked = MarkedStream(stream)
    with redirect_stdout(marked), redirect_stderr(marked):
        yield


def _lines(text: str) -> list[str]:
    """The lines of a text as they can be shown, without controls and marks that turn text round."""
    if len(text) > LONGEST:
        left = len(text) - LONGEST
        text = f"{text[: LONGEST // 2]} [... {left:,} characters ...] {text[-LONGEST // 2 :]}"
    return ["".join(map(_shown, line)) for line in text.splitlines()] or [""]


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
