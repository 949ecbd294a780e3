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
    "employees|staff|people|persons|workers|associates|users|reportees|team members|direct subordinates|"
    "org units|organizational units|organisational units|hierarchy|node structure|node data array|"
    "value|resources|records|"
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


_LINKS = (("source", "target"), ("from", "to"), ("parent", "child"))
_PATH = "\x1f"
"""Between the key of an object inside a unit and a key in it, until all are known."""
_MOST_WITHIN = 20
"""Texts of an object inside a unit that are kept; one with more is no part of it but something by itself."""
_NUMBER = re.compile(r"[-+.\d]*(?:[eE][-+]?\d+)?")


@dataclass(slots=True)
class Units:
    """The units found: for each its cells by header, and the place of the one that it stands inside.

    `order` gives the place of each in the chart, counted from 1, where that is not the order of the file. `rows` are
    there in place of all that where the file is a table, a list of lists.
    """

    cells: list[dict[str, str]] = field(default_factory=list)
    above: list[int | None] = field(default_factory=list)
    nested: bool = False
    order: tuple[int, ...] = ()
    rows: list[list[str]] = field(default_factory=list)
    recurring: frozenset[str] = frozenset()
    left_out: dict[str, list[int]] = field(default_factory=dict)


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
    if rows := _table(content):
        units.rows = rows[: most + 1]
        return units
    content = _with_links(content)
    units.nested = isinstance(content, dict)
    order: object = None
    # an object that says nothing of its own is no unit but the wrapping of a list
    if isinstance(content, dict) and not any(
        isinstance(value, str) and fold(key) not in INSIDE and key[:1] not in ("@", "$") and key != "class"
        for key, value in content.items()
    ):
        inside = [value for key, value in content.items() if fold(key) in INSIDE and isinstance(value, list | dict)]
        if len(inside) > 1:  # beside the units, how they are to be drawn
            inside = [value for value in inside if isinstance(value, list) or any(fold(key) in INSIDE for key in value)]
        order = content.get(ORDER)
        if len(inside) == 1:
            content, units.nested = inside[0], isinstance(inside[0], dict)
    units.recurring = _recurring(content)
    _walk(content, most, units, problems)
    for header, numbers in units.left_out.items():
        more = f" and of {len(numbers) - 1:,} more" if len(numbers) > 1 else ""
        message = f"{quoted(header)} of entry {numbers[0]}{more} is no text and was left out."
        problems.append(warning(numbers[0], message, "Write it as a text to keep it."))
    _shorten(units)
    if isinstance(order, list) and len(order) == len(units.cells):
        places = tuple(int(place) for place in order if isinstance(place, str) and place.isdecimal() and len(place) < 9)
        units.order = places if sorted(places) == list(range(1, len(order) + 1)) else ()
    return units


def _table(content: object) -> list[list[str]]:
    """The rows of a list of lists, or of the columns and rows that a table of a charting library has."""
    if isinstance(content, dict) and isinstance(content.get("cols"), list) and isinstance(content.get("rows"), list):
        names = [column.get("label") or column.get("id") for column in content["cols"] if isinstance(column, dict)]
        content = [names, *(row.get("c") for row in content["rows"] if isinstance(row, dict))]
    if not isinstance(content, list) or len(content) < 2 or not all(isinstance(row, list) and row for row in content):
        return []
    rows = [[cell.get("v") if isinstance(cell, dict) else cell for cell in row] for row in content]
    if not all(isinstance(cell, str) or cell is None for row in rows for cell in row):
        return []
    return [[cell or "" for cell in row] for row in rows]


def _with_links(content: object) -> object:
    """The nodes of a graph with the parents that its links tell, as a flat list; anything else as it is.

    Links point from each parent to its children or the other way round: whichever gives none two parents.
    """
    if isinstance(content, dict) and isinstance(content.get("elements"), dict):
        content = content["elements"]
    if not isinstance(content, dict):
        return content
    lists = {
        key: [entry["data"] if isinstance(entry.get("data"), dict) else entry for entry in value]
        for key, value in content.items()
        if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value)
    }
    for key, links in lists.items():
        ends = next((pair for pair in _LINKS if all({*pair} <= link.keys() for link in links)), None)
        if ends is None:
            continue
        told = {str(link[end]) for link in links for end in ends}
        for other, nodes in lists.items():
            ids = next((name for name in nodes[0] if told <= {str(node.get(name)) for node in nodes}), None)
            if other == key or ids is None:
                continue
            above, below = ends
            if len({str(link[below]) for link in links}) < len(links):
                above, below = below, above
            parents = {str(link[below]): str(link[above]) for link in links}
            return [
                {
                    **{name: value for name, value in node.items() if name != "parent"},
                    "parent": parents.get(str(node.get(ids)), ""),
                }
                for node in nodes
            ]
    return content


def _recurring(content: object) -> frozenset[str]:
    """The keys under which objects stand in lists again and again, one inside the other: what is inside each unit."""
    found: set[str] = set()
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += [entry for entry in value if isinstance(entry, list | dict)]
        elif isinstance(value, dict):
            for key, inside in value.items():
                if isinstance(inside, list | dict):
                    waiting.append(inside)
                objects = [each for each in inside if isinstance(each, dict)] if isinstance(inside, list) else []
                if any(
                    isinstance(each.get(key), list) and any(isinstance(one, dict) for one in each[key])
                    for each in objects
                ):
                    found.add(key)
    return frozenset(found)


def _shorten(units: Units) -> None:
    """Names what stood in an object inside a unit by its own key alone, where nothing else is called so."""
    headers = dict.fromkeys(header for cells in units.cells for header in cells)
    paths = [header for header in headers if _PATH in header]
    last = Counter(header.rpartition(_PATH)[2] for header in paths)
    short = {
        header: key
        for header in paths
        if (key := header.rpartition(_PATH)[2]) not in headers
        and last[key] == 1
        and not {*map(column_meant, header.split(_PATH)[:-1])} & {"parent", "head", "name"}
    }
    if short or paths:
        units.cells = [
            {short.get(header, header.replace(_PATH, ".")): value for header, value in cells.items()}
            for cells in units.cells
        ]


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
        cells, inside = _unit(entry, place + 1, units, problems)
        units.cells.append(cells)
        units.above.append(above)
        units.nested = units.nested or bool(inside)
        waiting.extend((child, place) for child in reversed(inside))


def _entries(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _unit(
    entry: dict[str, object], number: int, units: Units, problems: list[Problem]
) -> tuple[dict[str, str], list[object]]:
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
        elif isinstance(value, dict) and (fold(key) not in INSIDE or fold(key) == "data") and _says_something(value):
            flat = _flat(header, value)
            if len(flat) <= _MOST_WITHIN:
                cells |= flat
            else:
                units.left_out.setdefault(header, []).append(number)
        elif (fold(key) in INSIDE or key in units.recurring) and isinstance(value, list | dict):
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
            units.left_out.setdefault(header, []).append(number)
    if twice:
        message = f"The key {quoted(twice)} appears twice in entry {number}."
        problems.append(error(number, message, "Every key must appear once; remove one of them."))
    return cells, inside


def _flat(path: str, value: dict[str, object], depth: int = 3) -> dict[str, str]:
    """The texts in an object by their path."""
    found: dict[str, str] = {}
    for key, each in value.items():
        inner = f"{path}{_PATH}{_header(key)}"
        if isinstance(each, str):
            found[inner] = each
        elif isinstance(each, dict) and depth:
            found |= _flat(inner, each, depth - 1)
    return found


def _says_something(value: dict[str, object]) -> bool:
    """Whether an object holds texts, or a key of another unit, and not only figures, as places on a drawing do."""
    texts = {key.rpartition(_PATH)[2]: each for key, each in _flat("", value).items()}
    holds_units = any(isinstance(each, list | dict) and fold(key) in INSIDE for key, each in value.items())
    named = any(column_meant(key) in ("id", "name") or key == "value" for key in texts)
    return not holds_units and (named or any(not _NUMBER.fullmatch(each) for each in texts.values()))


@lru_cache(maxsize=4_096)
def _header(key: str) -> str:
    """The key as the header of a column; one of ours in small letters, so that entries may write it differently."""
    header = clean(key)
    return header.lower() if header.lower() in COLUMNS else header
