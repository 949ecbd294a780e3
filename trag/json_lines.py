"""Records as JSON lines: every line held against the shape of its fields, and all that is wrong with a file told at
once.

bytes -> the values of each line -> records.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from trag.errors import OperatorError, TragError

Record = TypeVar("Record")
Fits = Callable[[object], bool]
Shape = tuple[str, Fits]
"""What a value must be, in words, and whether one is that."""
_BREAKS = re.compile("[\x85\u2028\u2029]")
"""What ends a line for some readers, and JSON allows as it is."""


class BadLineError(Exception):
    """All that is wrong with one line."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(found)
        self.found = found


def read(content: bytes, made: Callable[[Mapping[str, Any]], Record], failed: str, hint: str) -> tuple[Record, ...]:
    """What is `made` of each line of UTF-8 text, with or without a byte order mark; empty lines are skipped.

    Raises TragError with `failed`, the number of every bad line and what is wrong with it: no object of JSON, or what
    a BadLineError out of `made` says.
    """
    problems: list[str] = []
    records: list[Record] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            records.append(made(_object(line)))
        except BadLineError as error:
            problems.append(f"line {number}: {'; '.join(error.found)}")
    if problems:
        raise TragError(f"{failed}: " + "\n".join(problems), hint)
    return tuple(records)


def of_file(
    file: Path, shapes: Mapping[str, Shape], made: Callable[[Mapping[str, Any]], Record], hint: str
) -> tuple[Record, ...]:
    """What is `made` of each line of a file that has all keys of `shapes` and no other. Raises TragError like `read`,
    and where the file cannot be read."""

    def held(values: Mapping[str, Any]) -> Record:
        if found := wrong(values, shapes, shapes):
            raise BadLineError(found)
        return made(values)

    try:
        return read(file.read_bytes(), held, f"{file.name} cannot be used", hint)
    except OSError as error:
        raise OperatorError(f"{file} cannot be read: {error.strerror}.", hint) from error


def write(lines: Iterable[Mapping[str, object]]) -> bytes:
    """The text that `read` reads."""
    return "".join(as_line(values) + "\n" for values in lines).encode()


def as_line(value: object) -> str:
    """JSON that is one line to every reader, without its end."""
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def wrong(values: object, shapes: Mapping[str, Shape], needed: Collection[str]) -> list[str]:
    """What is wrong with the keys and values of an object."""
    if not isinstance(values, Mapping):
        return ["is no JSON object"]
    unknown = [f'unknown key "{key}"' for key in values if key not in shapes]
    missing = [f'needs "{key}"' for key in needed if key not in values]
    shapeless = [
        f'"{key}" must be {shape}' for key, (shape, fits) in shapes.items() if key in values and not fits(values[key])
    ]
    return [*unknown, *missing, *shapeless]


def is_words(value: object) -> bool:
    """Whether a value is text with something in it."""
    return isinstance(value, str) and bool(value.strip())


def is_list_of(fits: Fits) -> Fits:
    """Whether a value is a list of what fits, or an empty one."""
    return lambda value: isinstance(value, list) and all(map(fits, value))


WORDS: Shape = ("a text that is not empty", is_words)
TEXTS: Shape = ("a list of texts, none empty", is_list_of(is_words))
FLAG: Shape = ("true or false", lambda value: isinstance(value, bool))


def _object(line: bytes) -> Mapping[str, Any]:
    try:
        values = json.loads(line.decode())
        json.dumps(values, ensure_ascii=False).encode()  # half a surrogate pair could never be written again
    except UnicodeError as error:
        raise BadLineError([f"is no UTF-8 text ({error})"]) from error
    except (ValueError, RecursionError) as error:
        raise BadLineError([f"is no JSON ({error})"]) from error
    if not isinstance(values, dict):
        raise BadLineError(["is no JSON object"])
    return values
