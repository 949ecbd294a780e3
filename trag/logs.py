"""What the program says of itself on stderr: an event begins on a line of its own with its level, and every other line
is marked, so that no words of a person, a document or a server can pass for an event or steer a terminal. Or, where the
settings want that, each event and each line that a library prints is one line of JSON."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
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


class JsonFormatter(logging.Formatter):
    """An event as one line of JSON: time, level, logger, message, and exception where there is a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        event = {"time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")}
        event |= {"level": record.levelname, "logger": record.name, "message": _bounded(record.getMessage())}
        if record.exc_info:
            event["exception"] = _bounded(self.formatException(record.exc_info))
        return json.dumps(event)


class MarkedStream(io.TextIOBase):
    """`stream` for those who print and do not log, as Gradio prints its tracebacks: all their lines are `marked`."""

    def __init__(self, stream: TextIO, marked: Callable[[str], str] = lambda line: f"{MARK}{line}") -> None:
        self._stream = stream
        self._marked = marked
        self._begun = ""
        self._lock = threading.Lock()

    def write(self, text: str) -> int:
        with self._lock:
            whole, end, self._begun = (self._begun + text).rpartition("\n")
            if len(self._begun) > LONGEST:
                whole, end, self._begun = whole + end + self._begun, "\n", ""
            if end:
                self._stream.write("".join(f"{self._marked(line)}\n" for line in _lines(whole)))
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


def log_json() -> None:
    """Log the same as lines of JSON from now on."""
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonFormatter())


@contextmanager
def marked_prints(stream: TextIO, *, as_json: bool = False) -> Iterator[None]:
    """Until the block ends, what is printed goes to `stream`, each line marked, or an object of JSON."""
    marked = MarkedStream(stream, lambda line: json.dumps({"printed": line})) if as_json else MarkedStream(stream)
    with redirect_stdout(marked), redirect_stderr(marked):
        yield


def _lines(text: str) -> list[str]:
    """The lines of a text as they can be shown, without controls and marks that turn text round."""
    return ["".join(map(_shown, line)) for line in _bounded(text).splitlines()] or [""]


def _bounded(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST // 2]} [... {len(text) - LONGEST:,} characters ...] {text[-LONGEST // 2 :]}"


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
