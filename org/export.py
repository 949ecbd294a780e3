"""A chart -> the bytes of a file that reads back as the same chart, id for id."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Literal

from org.chart import PATH_SEPARATOR, Chart, Unit
from org.reading.cells import COLUMNS, csv_text
from org.reading.objects import ORDER

Format = Literal["csv", "xlsx", "json", "tree"]


def write(chart: Chart, format: Format) -> bytes:
    """The chart as CSV, as an XLSX workbook, as flat JSON ("json") or as nested JSON ("tree").

    Reading it again gives a chart with the same version. Cells that a spreadsheet would run as formulas are guarded in
    CSV, which reading takes off again, and are typed as text in XLSX.
    """
    if format == "json":
        first, *others = [_entry(*references) for references in _references(chart)]
        return _json([_announced(first), *others])
    if format == "tree":
        return _json(_tree(chart))
    headers = list(dict.fromkeys(header for unit in chart.units.values() for header, _ in unit.attributes))
    cells = ((_cells(*references), dict(references[0].attributes)) for references in _references(chart))
    rows = chain([[*COLUMNS, *headers]], ([*own, *(other.get(one, "") for one in headers)] for own, other in cells))
    if format == "xlsx":
        from org.reading.workbook import pack

        return pack({"Units": rows})
    return csv_text(rows).encode("utf-8-sig")


def _references(chart: Chart) -> Iterator[tuple[Unit, str, str]]:
    """Each unit with what must stand in its id cell and its parent cell for the same ids to come back.

    An id that is the path of names comes back by itself, so it is left out: 100,000 paths would double the file. A
    parent is told by its name, where that is enough, else by its id, else by its path.
    """
    units = chart.units.values()
    paths: dict[str, str] = {}
    for unit in (chart.root, *chart.descendants(chart.root.id)):
        above = "" if unit.parent is None else paths[unit.parent] + PATH_SEPARATOR
        paths[unit.id] = above + unit.name
    names = Counter(unit.name for unit in units)
    sharing = Counter(paths.values())
    given = {unit.id for unit in units if unit.id != paths[unit.id] or sharing[unit.id] > 1}
    plain = {
        unit.id
        for unit in units
        if names[unit.name] == 1 and ">" not in unit.name and (unit.name not in given or unit.name == unit.id)
    }
    if names[chart.root.name] > 1 or any(">" in name for name in names):  # then a path can be read in two ways
        given |= {unit.parent for unit in units if unit.parent is not None} - plain
    for unit in units:
        above = "" if unit.parent is None else unit.parent
        yield unit, unit.id if unit.id in given else "", chart.unit(above).name if above in plain else above


def _cells(unit: Unit, id_cell: str, parent_cell: str) -> list[str]:
    """The unit's own columns, in the order of COLUMNS."""
    aliases = "|".join(unit.aliases)
    if ";" in aliases or "," in aliases:
        aliases += "|"  # in a file whose aliases have no |, a ; may separate them, and a comma is warned of
    return [
        id_cell, unit.name, parent_cell, unit.type, aliases, unit.description, unit.head, unit.email, unit.code
    ]  # fmt: skip


def _entry(unit: Unit, id_cell: str, parent_cell: str) -> dict[str, object]:
    """The unit as a JSON object, its empty cells left out, `parent` only where it has one."""
    cells: dict[str, object] = dict(zip(COLUMNS, _cells(unit, id_cell, parent_cell), strict=True))
    cells["aliases"] = list(unit.aliases)
    return {header: cell for header, cell in cells.items() if cell} | dict(unit.attributes)


def _tree(chart: Chart) -> dict[str, object]:
    """The root as a JSON object with its children inside; where that is another order, the place of each around it."""
    entries = {unit.id: _entry(unit, id_cell, "") for unit, id_cell, _ in _references(chart)}
    headers = {header for unit in chart.units.values() for header, _ in unit.attributes}
    key = "children"
    while key in headers:
        key += "_"  # which means the same to the reader
    for unit_id, entry in entries.items():
        children = [entries[child.id] for child in chart.children(unit_id)]
        if children:
            entry[key] = children
    tree = _announced(entries[chart.root.id])
    places = {unit_id: place for place, unit_id in enumerate(chart.units, start=1)}
    order = [places[unit.id] for unit in (chart.root, *chart.descendants(chart.root.id))]
    return tree if order == sorted(order) else {ORDER: order, "organization": tree}


def _announced(entry: dict[str, object]) -> dict[str, object]:
    """The first object of a file, with all columns, so that no other header is taken for one that is missing."""
    return dict.fromkeys(COLUMNS, "") | entry


def _json(value: object) -> bytes:
    """A list has one unit in each line, which keeps a difference between two files readable."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False).encode() + b"\n"
    lines = ",\n".join(map(json.JSONEncoder(ensure_ascii=False).encode, value))
    return f"[\n{lines}\n]\n".encode()
