"""What a log holds when people, documents and servers choose the words: one event a line, and nothing that passes for
another."""

import io
import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Callable

import pytest

from trag.logs import LONGEST, MARK, JsonFormatter, LineFormatter, MarkedStream, marked_prints

FORGED = "WARNING trag.web.gate: refused 'POST /people/x': FORGED by admin"
WORDS = [
    f"a\n{FORGED}\nb",
    f"a\r\n{FORGED}",
    f"a\r{FORGED}",
    f"a\u2028{FORGED}\u2029{FORGED}\x85{FORGED}\x0b{FORGED}\x0c{FORGED}\x1e{FORGED}",
    "\x1b[2J\x1b]0;title\x07\x9b31m\x08\x00",
    "\u202egnihton\u2066\ud800",
    f"{'long ' * 200_000}\n{FORGED}",
    f"a\n{FORGED}\n" * 20_000,
]
EVENT = re.compile(r"(?:WARNING|ERROR|CRITICAL) [\w.]+: ")


def as_message(log: logging.Logger, words: str) -> None:
    log.warning("said: %s", words)


def as_fault(log: logging.Logger, words: str) -> None:
    try:
        raise ValueError(words)
    except ValueError:
        log.exception("a fault")


def as_cause(log: logging.Logger, words: str) -> None:
    try:
        try:
            raise KeyError(words) from ValueError(words)
        except KeyError as error:
            raise ExceptionGroup(words, [error]) from error
    except ExceptionGroup:
        log.exception("a fault")


@pytest.mark.parametrize("tell", [as_message, as_fault, as_cause])
def test_an_event_is_one_line_and_those_that_go_on_with_it_are_marked(
    tell: Callable[[logging.Logger, str], None],
) -> None:
    told, log = io.StringIO(), logging.Logger("x")
    handler = logging.StreamHandler(told)
    handler.setFormatter(LineFormatter())
    log.addHandler(handler)
    for words in WORDS:
        told.seek(0)
        told.truncate()
        tell(log, words)
        first, *more = told.getvalue().removesuffix("\n").split("\n")
        assert EVENT.match(first)
        assert all(line.startswith(MARK) for line in more)
        assert all(line.isprintable() for line in (first, *more))
        assert len(told.getvalue()) < 4 * LONGEST


def test_what_libraries_print_is_marked_line_by_line() -> None:
    told = io.StringIO()
    for words in WORDS:
        with marked_prints(told):
            try:
                raise ValueError(words)
            except ValueError as error:
                traceback.print_exc()
                sys.stdout.write(f"{words}\n")
                # What a thread prints that a bug has ended.
                threading.__excepthook__(threading.ExceptHookArgs((ValueError, error, error.__traceback__, None)))
        assert all(line.startswith(MARK) and line.isprintable() for line in told.getvalue().split("\n")[:-1])
    assert len(told.getvalue()) < 8 * len(WORDS) * LONGEST


def test_a_line_without_end_is_not_kept() -> None:
    told = io.StringIO()
    stream = MarkedStream(told)
    for _ in range(1_000):
        stream.write("x" * 1_000)
    assert len(told.getvalue()) > 500_000
    stream.write("y\n")
    assert told.getvalue().endswith("xy\n")


def test_as_json_each_event_and_each_printed_line_is_one_object() -> None:
    told, log = io.StringIO(), logging.Logger("x")
    handler = logging.StreamHandler(told)
    handler.setFormatter(JsonFormatter())
    log.addHandler(handler)
    for words in WORDS:
        for tell in (as_message, as_fault, as_cause):
            tell(log, words)
        with marked_prints(told, as_json=True):
            sys.stdout.write(f"{words}\n")
    lines = told.getvalue().removesuffix("\n").split("\n")
    assert all(line.isprintable() and len(line) < 8 * LONGEST for line in lines)
    events = [event for event in map(json.loads, lines) if "printed" not in event]
    assert [event["message"] for event in events[:3]] == [f"said: {WORDS[0]}", "a fault", "a fault"]
    assert [set(event) - {"exception"} for event in events] == [{"time", "level", "logger", "message"}] * 3 * len(WORDS)
    assert events[1]["exception"].endswith(f"ValueError: {WORDS[0]}")
    assert {tuple(event) for event in map(json.loads, lines) if "printed" in event} == {("printed",)}
