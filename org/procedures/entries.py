"""The bytes of a file of actions, procedures, tables and triggers -> its entries, each with its place: JSON, a workbook
with a sheet for each, or a CSV of one of them, told by its header.

Bytes of strangers are parsed by this alone, so that a process of its own can do it: entries go to and fro as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import TypeGuard

from org.reading import table
from org.reading.cells import clean, fold
from org.reading.encodings import decode, misread
from org.reading.problems import Problem, error, listing, quoted, warning
from org.reading.table import Line, Table

MAX_BYTES = 20 * 2**20
MAX_ENTRIES = 60_000
"""Of a kind: what 500 procedures of 100 steps come to, and some more."""
ACTION_COLUMNS = ("id", "title", "description", "needs", "gives", "unit", "for", "document", "section", "runs")
STEP_COLUMNS = ("step", "actions")
PROCEDURE_COLUMNS = ("id", "title", "when", "for", "document", "section", *STEP_COLUMNS)
COLUMNS = {
    "actions": ACTION_COLUMNS,
    "procedures": PROCEDURE_COLUMNS,
    "tables": ("id", "title", "description", "fields", "for"),
    "triggers": ("id", "title", "description", "table"),
}
"""Of each kind of entries."""
HINT = (
    f"A table of actions has the columns {', '.join(ACTION_COLUMNS)}; one of procedures has a row for each step and "
    f"the columns {', '.join(PROCEDURE_COLUMNS)}; one of tables {', '.join(COLUMNS['tables'])}; one of triggers "
    f"{', '.join(COLUMNS['triggers'])}."
)
JSON_HINT = 'The file is {"actions": [{"id": "...", "title": "..."}], "procedures": [{"id": "...", "steps": [...]}]}.'

_LISTS = ("needs", "gives", "for", "actions", "fields")
_HEADER_ROWS = 20  # a title and a note may stand above the header
_MAX_SHEETS = 20
_BETWEEN = re.compile(r"[;,\r\n]")
_BETWEEN_UNITS = re.compile(r"[;\r\n]")  # the names of units have commas


@dataclass(frozen=True, slots=True)
class Entry:
    """One action, table or trigger, or one row of a procedure: `begins` one when it says something of the procedure,
    and holds a step where it has the cell `step`. Cells are clean, and only there where they are not empty."""

    row: int
    place: str
    cells: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]
    begins: bool = True


@dataclass(frozen=True, slots=True)
class Entries:
    """What a file holds of each kind, in its order, and what of it could not be read."""

    actions: tuple[Entry, ...] = ()
    procedures: tuple[Entry, ...] = ()
    tables: tuple[Entry, ...] = ()
    triggers: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()

    def to_json(self) -> str:
        """The entries as one line of ASCII."""
        rows = [
            [(entry.row, entry.place, entry.cells, entry.lists, entry.begins) for entry in entries]
            for entries in (self.actions, self.procedures, self.tables, self.triggers)
        ]
        return json.dumps([*rows, [asdict(problem) for problem in self.problems]], separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Entries:
        """The entries that `to_json` wrote. Raises ValueError, TypeError, KeyError or AttributeError for anything
        else."""
        *rows, problems = json.loads(text)
        actions, procedures, tables, triggers = (
            tuple(
                Entry(row, place, cells, {column: tuple(items) for column, items in lists.items()}, begins)
                for row, place, cells, lists, begins in entries
            )
            for entries in rows
        )
        return cls(actions, procedures, tables, triggers, tuple(Problem(**problem) for problem in problems))


def too_large(size: int) -> Problem | None:
    """Why a file of so many bytes is not even opened."""
    if size <= MAX_BYTES:
        return None
    message = f"The file is too large: {size / 2**20:,.0f} MB."
    return error(0, message, f"Procedures may have {MAX_BYTES // 2**20} MB at most.")


def read(content: bytes, name: str) -> Entries:
    """The entries of a file by the end of its name, or by what its content cannot else be."""
    if problem := too_large(len(content)):
        return Entries(problems=(problem,))
    problems: dict[Problem, None] = {}
    if PurePath(name).suffix.lower() == ".json" or content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _of_json(content)
    first = table.read(content, name)
    found: dict[str, tuple[Entry, ...]] = {}
    for sheet in first.sheets[:_MAX_SHEETS] or ("",):
        cells = first if sheet in ("", first.sheet) else table.read(content, name, sheet)
        kind, entries, remarks = _of_table(cells)
        if kind in found:
            remarks = (error(0, f"Two sheets hold {kind}: {quoted(sheet)} is the second.", "Put them into one."),)
        elif kind:
            found[kind] = entries
        problems |= dict.fromkeys(
            _placed(problem, sheet or kind.capitalize()) for problem in (*cells.problems, *remarks)
        )
    if not found and not any(problem.severity == "error" for problem in problems):
        problems[error(0, "The file has neither actions nor procedures.", HINT)] = None
    return Entries(**found, problems=tuple(problems))


def _too_many(kind: str, count: int) -> Problem:
    return error(0, f"There are {count:,} rows of {kind}; {MAX_ENTRIES:,} are the most.", "Leave out what nobody does.")


def _placed(problem: Problem, sheet: str) -> Problem:
    if problem.place or not problem.row or not sheet:
        return problem
    return replace(problem, place=f"{sheet}, row {problem.row}")


def _of_table(cells: Table) -> tuple[str, tuple[Entry, ...], tuple[Problem, ...]]:
    """Which of COLUMNS a table holds ("" for none), its entries, and what a person should know of them."""
    lines = cells.lines
    headers = [[fold(cell) for cell in line.cells] for line in lines[:_HEADER_ROWS]]
    at, kind = next(((at, kind) for at, header in enumerate(headers) if (kind := _kind(header))), (0, ""))
    if not kind:
        if not lines:
            return "", (), ()
        shown = listing([quoted(clean(cell), 40) for cell in lines[0].cells if clean(cell)])
        name = f"The sheet {quoted(cells.sheet, 40)}" if cells.sheet else "The file"
        make = warning if len(cells.sheets) > 1 else error
        return "", (), (make(0, f"{name} has no header of actions or procedures, but {shown}.", HINT),)
    problems: list[Problem] = []
    header, columns = headers[at], COLUMNS[kind]
    for place, column in enumerate(header):
        where, title = lines[at].number, quoted(clean(lines[at].cells[place]), 40)
        if column in header[:place] and column in columns:
            problems.append(error(where, f"Two columns are called {title}.", "Keep one column of each name."))
        elif column and column not in columns:
            message = f"The column {title} is not known and was left out."
            problems.append(warning(where, message, f"Columns of {kind} are {', '.join(columns)}."))
    places = {column: header.index(column) for column in columns if column in header}
    above: Mapping[str, str] = {}
    entries = []
    if len(lines) - at > MAX_ENTRIES:
        problems.append(_too_many(kind, len(lines) - at))
    for line in lines[at + 1 : at + 1 + MAX_ENTRIES]:
        entry = _row(line, places, kind, above)
        above = entry.cells if entry.begins else above
        entries.append(entry)
    return kind, tuple(entries), tuple(problems)


def _kind(header: list[str]) -> str:
    """What a row of folded headers is the header of."""
    if "id" not in header:
        return ""
    for column, kind in (("step", "procedures"), ("fields", "tables"), ("table", "triggers")):
        if column in header:
            return kind
    return "actions" if {"title", "description", "needs", "gives"} & {*header} else ""


def _row(line: Line, places: Mapping[str, int], kind: str, above: Mapping[str, str]) -> Entry:
    """The entry of a row. One with no other id and title than the procedure `above` goes on with its steps; what else
    is said of the procedure is read in its first row."""
    texts = {column: line.cells[place] for column, place in places.items() if place < len(line.cells)}
    said = {column: clean(texts.get(column, "")) for column in ("id", "title")}
    begins = kind != "procedures" or any(text not in ("", above.get(column)) for column, text in said.items())
    if not begins:
        texts = {column: texts.get(column, "") for column in STEP_COLUMNS}
    return _entry(line.number, f"{kind.capitalize()}, row {line.number}", texts, begins)


def _entry(row: int, place: str, texts: Mapping[str, str | list[str]], begins: bool = True) -> Entry:
    cells: dict[str, str] = {}
    lists: dict[str, tuple[str, ...]] = {}
    for column, text in texts.items():
        if column in _LISTS:
            between = _BETWEEN_UNITS if column == "for" else _BETWEEN
            lists[column] = tuple(filter(None, map(clean, between.split(text) if isinstance(text, str) else text)))
        elif isinstance(text, str) and (cell := clean(text)):
            cells[column] = cell
    return Entry(row, place, cells, lists, begins)


def _of_json(content: bytes) -> Entries:
    text = decode(content, "")
    if isinstance(text, Problem):
        return Entries(problems=(text,))
    misread_as = misread(text, 0, text.damaged or text.others)
    problems = [misread_as] if misread_as else []

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [key for key, _ in pairs]
            twice = next(key for key in names if names.count(key) > 1)
            message = f"The key {quoted(twice)} appears twice in one object."
            problems.append(error(0, message, "Every key must appear once; remove one of them."))
        return made

    try:
        found = json.loads(text.text, object_pairs_hook=once, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as failure:
        where = f"line {failure.lineno}, character {failure.colno}"
        return Entries(
            problems=(error(failure.lineno, f"This is not valid JSON: {failure.msg} in {where}.", JSON_HINT),)
        )
    except RecursionError:
        return Entries(problems=(error(0, "The JSON is nested too deep.", JSON_HINT),))
    if not isinstance(found, dict):
        return Entries(problems=(error(0, "The JSON is not an object.", JSON_HINT),))
    _unknown(found, tuple(COLUMNS), 0, "", problems)
    made: dict[str, tuple[Entry, ...]] = {}
    for kind in ("actions", "tables", "triggers"):
        items = [
            (number, f"{kind[:-1]} {number}", item)
            for number, item in enumerate(_objects(found, kind, 0, "", problems), 1)
        ]
        made[kind] = tuple(
            _entry(number, place, _texts(item, COLUMNS[kind], number, place, problems)) for number, place, item in items
        )
    procedures: list[Entry] = []
    for number, item in enumerate(_objects(found, "procedures", 0, "", problems), 1):
        place = f"procedure {number}"
        procedures.append(_entry(number, place, _texts(item, PROCEDURE_COLUMNS[:-2], number, place, problems)))
        for at, step in enumerate(_objects(item, "steps", number, place, problems), 1):
            where = f"{place}, step {at}"
            step = {("step" if key == "text" else key): value for key, value in step.items()}
            procedures.append(_entry(number, where, _texts(step, STEP_COLUMNS, number, where, problems), begins=False))
    return Entries(**made, procedures=tuple(procedures), problems=tuple(problems))


def _objects(
    holder: Mapping[str, object], key: str, row: int, place: str, problems: list[Problem]
) -> list[dict[str, object]]:
    """The list of objects under a key; anything else in it becomes an empty one, so that the others keep their place.
    A step may be a text alone."""
    value = holder.get(key, [])
    if not isinstance(value, list):
        problems.append(error(row, f"{quoted(key)} is not a list.", JSON_HINT, place))
        return []
    if len(value) > MAX_ENTRIES:
        problems.append(_too_many(key, len(value)))
    found: list[dict[str, object]] = []
    for number, item in enumerate(value[:MAX_ENTRIES], 1):
        if isinstance(item, str) and key == "steps":
            item = {"text": item}
        if not isinstance(item, dict):
            problems.append(error(row, f"Entry {number} of {quoted(key)} is not an object.", JSON_HINT, place))
            item = {}
        found.append(item)
    return found


def _texts(
    item: Mapping[str, object], columns: tuple[str, ...], row: int, place: str, problems: list[Problem]
) -> dict[str, str | list[str]]:
    """What an object says of each column, that of its source among them."""
    texts: dict[str, str | list[str]] = {}
    source = item.get("source")
    if isinstance(source, dict):
        _unknown(source, ("document", "section"), row, place, problems)
        item = {**item, **source}
    elif source is not None:
        hint = 'Write "source": {"document": "...", "section": "..."}.'
        problems.append(error(row, '"source" is not an object.', hint, place))
    _unknown(item, (*columns, "source", "steps"), row, place, problems)
    for column in columns:
        value = item.get(column)
        if isinstance(value, bool) and column == "table":
            value = "yes" if value else "no"
        if isinstance(value, str) or (column in _LISTS and _is_texts(value)):
            texts[column] = value
        elif value is not None:
            problems.append(error(row, f"{quoted(column)} is not a text.", "Write it in quotation marks.", place))
    return texts


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _unknown(item: Mapping[str, object], known: tuple[str, ...], row: int, place: str, problems: list[Problem]) -> None:
    for key in item:
        if key not in known:
            message = f"The key {quoted(key, 40)} is not known and was left out."
            problems.append(warning(row, message, f"Known are {', '.join(known)}.", place))
