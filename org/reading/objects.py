"""The text of a JSON file -> its units as rows: a flat list of objects, or objects with their children inside."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from org.reading.cells import COLUMNS, clean, column_meant, fold
from org.reading.problems import Problem, error, quoted, warning

INSIDE = frozenset(
    "children|child units|child nodes|child departments|childs|units|subunits|sub units|suborganizations|"
    "suborganisations|sub organizations|sub organisations|suborgs|sub orgs|subordinates|subordinate units|"
    "direct reports|directreports|reports|subdepartments|sub departments|subdivisions|sub divisions|subsections|"
    "sub sections|subteams|sub teams|subgroups|sub groups|subsidiaries|subnodes|sub nodes|"
    "departments|divisions|sections|branches|offices|teams|groups|nodes|items|members|entries|data|"
    "organization|organisation|organizations|organisations|org|orgchart|org chart|chart|tree|root|"
    "kinder|untereinheiten|einheiten|enfants|unites|sous unites|hijos|unidades|subunidades|figli|"
    "الوحدات|下级|下级部门|子部门".split("|")
)
"""The keys, folded, under which the units inside a unit are looked for."""

ORDER = "order"
"""The key, around a nested chart, of a list with the place of each unit in the chart."""

_NEEDED = ("id", "name", "parent")  # without which the tree would be another

_LIST = 'a flat list, [{"name": "...", "parent": "..."}, ...]'
_NESTED = 'nested, {"name": "...", "children": [...]}'
HINT = f"A JSON chart is {_LIST}, or {_NESTED}."


@dataclass(slots=True)
class Units:
    """The units found: for each its cells by header, and the place of the one that it stands inside.

    `order` gives the place of each in the chart, counted from 1, where that is not the order of the file.
    """

    cells: list[dict[str, str]] = field(default_factory=list)
    above: list[int | None] = field(default_factory=list)
    nested: bool = False
    order: tuple[int, ...] = ()


class _Repeated(dict[str, object]):
    """An object in which a key stood twice or more; `key` is the one that did so most."""

    key = ""


def read(text: str, most: int, problems: list[Problem]) -> Units:
    """Every unit in the order of the file, `most` + 1 at most. A unit's number is its place in that order, from 1."""

    def as_shown(digits: str) -> str:  # 7.0 as a spreadsheet shows it
        return re.sub(r"\.0+$", "", digits)

    def made(pairs: list[tuple[str, object]]) -> dict[str, object]:
        entry = dict(pairs)
        if len(entry) < len(pairs):
            entry = _Repeated(entry)
            entry.key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        return entry

    try:
        content = json.loads(text, object_pairs_hook=made, parse_int=str, parse_float=as_shown, parse_constant=float)
    except json.JSONDecodeError as failure:
        where = f"line {failure.lineno}, character {failure.colno}"
        problems.append(error(failure.lineno, f"This is not valid JSON: {failure.msg} in {where}.", HINT))
        return Units()
    except RecursionError:
        problems.append(error(0, "The JSON is nested too deep.", HINT))
        return Units()
    units = Units(nested=isinstance(content, dict))
    if not isinstance(content, list | dict):
        problems.append(error(0, "The JSON is not a list of units.", HINT))
        return units
    order: object = None
    # an object that says nothing of its own is no unit but the wrapping of a list
    if isinstance(content, dict) and not any(
        isinstance(value, str) and fold(key) not in INSIDE for key, value in content.items()
    ):
        inside = [value for key, value in content.items() if fold(key) in INSIDE and isinstance(value, list | dict)]
        order = content.get(ORDER)
        if len(inside) == 1:
            content, units.nested = inside[0], isinstance(inside[0], dict)
    _walk(content, most, units, problems)
    if isinstance(order, list) and len(order) == len(units.cells):
        places = tuple(int(place) for place in order if isinstance(place, str) and place.isdecimal() and len(place) < 9)
        units.order = places if sorted(places) == list(range(1, len(order) + 1)) else ()
    return units


def _walk(content: object, most: int, units: Units, problems: list[Problem]) -> None:
    """Adds each unit before those inside it. A list of what is still to be read, for recursion has a bottom."""
    waiting: list[tuple[object, int | None]] = [(entry, None) for entry in reversed(_entries(content))]
    while waiting and len(units.cells) <= most:
        entry, above = waiting.pop()
        place = len(units.cells)
        if isinstance(entry, str) and above is not None:
            entry = {"name": entry}
        if not isinstance(entry, dict):
            problems.append(error(place + 1, f"Entry {place + 1} is not an object.", HINT))
            entry = {}
        cells, inside = _unit(entry, place + 1, problems)
        units.cells.append(cells)
        units.above.append(above)
        units.nested = units.nested or bool(inside)
        waiting.extend((child, place) for child in reversed(inside))


def _entries(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _unit(entry: dict[str, object], number: int, problems: list[Problem]) -> tuple[dict[str, str], list[object]]:
    """The cells of a unit by header, and what stands inside it."""
    cells: dict[str, str] = {}
    inside: list[object] = []
    twice = entry.key if isinstance(entry, _Repeated) else ""
    for key, value in entry.items():
        header = _header(key)
        column = column_meant(header)
        twice = twice or (header if header in cells else "")
        if isinstance(value, str):
            cells[header] = value
        elif value is None:
            cells[header] = ""
        elif isinstance(value, bool) and column not in _NEEDED:
            cells[header] = "true" if value else "false"
        elif fold(key) in INSIDE and isinstance(value, list | dict):
            inside += _entries(value)
        elif isinstance(value, list) and all(isinstance(item, str) for item in value) and column in ("", "aliases"):
            cells[header] = "".join(f"{item}|" for item in value) if column else ", ".join(value)
        elif not column and isinstance(value, list) and any(isinstance(item, dict) for item in value):
            hint = 'If these are the units inside it, call the key "children"; if not, write them as a text.'
            message = f"{quoted(header)} of entry {number} is a list of objects under a key that is not known."
            problems.append(error(number, message, hint))
        elif column in _NEEDED:
            problems.append(
                error(number, f"{quoted(header)} of entry {number} is not a text.", "Write it in quotation marks.")
            )
        else:
            message = f"{quoted(header)} of entry {number} is no text and was left out."
            problems.append(warning(number, message, "Write it as a text to keep it."))
    if twice:
        message = f"The key {quoted(twice)} stands twice in entry {number}."
        problems.append(error(number, message, "Every key must stand once; remove one of them."))
    return cells, inside


@lru_cache(maxsize=4_096)
def _header(key: str) -> str:
    """The key as the header of a column; one of ours in small letters, so that entries may write it differently."""
    header = clean(key)
    return header.lower() if header.lower() in COLUMNS else header
