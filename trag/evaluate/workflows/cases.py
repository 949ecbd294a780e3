"""Requests with their gold workflows, and the catalogue of steps, tables and triggers that each set is of.

file: a line each, {"id", "split", "catalogue", "request", "workflow"}; beside it catalogues/, and train.jsonl with the
requests that systems are shown (bench/workflows/README.md) -> Cases
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from org.procedures import BookError
from org.procedures.flows import Book
from org.procedures.reading import load
from trag import json_lines
from trag.errors import OperatorError
from trag.evaluate.workflows.scores import Reading, of_json
from trag.json_lines import Words

COMMON = "common"
"""The catalogue that every deployment has beside its own."""
_HINT = "bench/workflows/README.md has the form."


@dataclass(frozen=True, slots=True)
class _Line:
    id: Words
    split: Words
    catalogue: Words
    request: Words
    workflow: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A request and what is right."""

    id: str
    request: str
    gold: Reading


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one file, called as it is; all of them are of one catalogue."""

    name: str
    book: Book
    cases: tuple[Case, ...]


def read(file: Path) -> Cases:
    """The cases of a file. Raises TragError naming every bad line, among them golds that name what the catalogue does
    not have, and a catalogue that is missing or cannot be used."""
    names: dict[str, Book] = {}

    def wrong(line: _Line) -> Iterator[str]:
        gold = of_json(line.workflow)
        if not gold.parsed:
            yield '"workflow" must be a workflow that can be read'
        if line.catalogue not in names:
            names[line.catalogue] = catalogue(file.parent / "catalogues", line.catalogue)
        yield from (f"there is no {what} {one}" for what, one in gold.invented(names[line.catalogue]))
        if len(names) > 1:
            yield f'it is of the catalogue "{line.catalogue}", others are of another'

    lines = json_lines.read(file, _Line, "requests", _HINT, wrong)
    (book,) = names.values()
    return Cases(file.stem, book, tuple(Case(one.id, one.request, of_json(one.workflow)) for one in lines))


def catalogue(folder: Path, name: str) -> Book:
    """The catalogue of a deployment: the common one and its own."""
    joined: dict[str, list[Any]] = {}
    for part in dict.fromkeys((COMMON, name)):
        file = folder / f"{part}.json"
        try:
            content = json.loads(file.read_bytes())
            for kind in ("actions", "tables", "triggers"):
                joined.setdefault(kind, []).extend(content[kind])
        except OSError as error:
            raise OperatorError(f"{file} cannot be read: {error.strerror}.", _HINT) from error
        except (ValueError, KeyError, TypeError) as error:
            raise OperatorError(f"{file} is no catalogue ({error!r}).", _HINT) from error
    try:
        return load(json.dumps(joined).encode(), f"{name}.json")
    except BookError as error:
        raise OperatorError(error.message, error.hint) from error
