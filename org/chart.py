"""The organization's chart: a table of units made into a tree.

bytes -> table -> rows -> lineage and every problem (org/reading) -> Chart
Knows nothing about questions, names in sentences, or where a chart is stored.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from org import ChartError
from org.reading.checks import Lineage, examine
from org.reading.columns import interpret
from org.reading.parents import PATH_SEPARATOR
from org.reading.problems import Problem, listing
from org.reading.table import Table, read

__all__ = ["Chart", "Report", "Unit", "check", "judge", "load", "usable"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of the organization, as its row in the chart gives it.

    `id` is the row's own id, else the names on its path; `parent` is the id of the unit above, None for the root.
    """

    id: str
    name: str
    type: str
    parent: str | None
    aliases: tuple[str, ...] = ()
    description: str = ""
    head: str = ""
    email: str = ""
    code: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    """The other columns as (header, cell), in the order of the header; empty cells are left out."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a chart file holds. `chart` is None when any problem is an error; warnings alone leave a usable chart.

    The rest lets a person ask for another reading, also of a file that cannot be used: the headers found, which of them
    was read as which column, its sheets and the one that was read, the first rows, the encoding of a text.
    """

    chart: Chart | None
    problems: tuple[Problem, ...]
    header: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    """(column, the header it was read from)"""
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    samples: tuple[tuple[str, ...], ...] = ()
    encoding: str = ""
    """The codec that a text file was read with, "" for a workbook."""


class Chart:
    """A valid chart, read-only. The tree is anytree's (T-RAG, section 5.3); siblings are in the order of the rows.

    Every method that takes an id raises KeyError for one that the chart does not have.
    """

    def __init__(self, units: Iterable[Unit]) -> None:
        from anytree import AnyNode

        self.units: Mapping[str, Unit] = MappingProxyType({unit.id: unit for unit in units})
        self._nodes = {unit.id: AnyNode(unit=unit) for unit in self.units.values()}
        for unit in self.units.values():
            if unit.parent is not None:
                self._nodes[unit.id].parent = self._nodes[unit.parent]
        self.root: Unit = next(unit for unit in self.units.values() if unit.parent is None)
        self._preorder = self._walk()  # later walks are slices of this one
        self._place = {unit.id: place for place, unit in enumerate(self._preorder)}
        self._size = dict.fromkeys(self.units, 1)
        for unit in reversed(self._preorder):
            if unit.parent is not None:
                self._size[unit.parent] += self._size[unit.id]
        self._by_name: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.units.values():
            self._by_name[unit.name.casefold()].append(unit)
        self.types: tuple[str, ...] = tuple(dict.fromkeys(unit.type for unit in self.units.values() if unit.type))
        self.version: str = _version(self.units.values())

    def __len__(self) -> int:
        return len(self.units)

    def _walk(self) -> tuple[Unit, ...]:
        """All units, each before its own children. A list of what is still to come, for recursion has a bottom."""
        units: list[Unit] = []
        waiting = [self._nodes[self.root.id]]
        while waiting:
            node = waiting.pop()
            units.append(node.unit)
            waiting.extend(reversed(node.children))
        return tuple(units)

    def unit(self, unit_id: str) -> Unit:
        """The unit with this id."""
        return self.units[unit_id]

    def named(self, name: str) -> tuple[Unit, ...]:
        """All units with this name, whatever its case."""
        return tuple(self._by_name.get(name.casefold(), ()))

    def path(self, unit_id: str) -> tuple[Unit, ...]:
        """From the root to the unit itself."""
        return tuple(node.unit for node in self._nodes[unit_id].path)

    def children(self, unit_id: str) -> tuple[Unit, ...]:
        """The units directly under it."""
        return tuple(node.unit for node in self._nodes[unit_id].children)

    def descendants(self, unit_id: str) -> tuple[Unit, ...]:
        """All units under it at any depth, each before its own children."""
        start = self._place[unit_id]
        return self._preorder[start + 1 : start + self._size[unit_id]]

    def total(self, unit_id: str) -> int:
        """How many units are under it at any depth."""
        return self._size[unit_id] - 1

    def siblings(self, unit_id: str) -> tuple[Unit, ...]:
        """The other units directly under the same parent."""
        parent = self.units[unit_id].parent
        return () if parent is None else tuple(unit for unit in self.children(parent) if unit.id != unit_id)

    def is_under(self, unit_id: str, ancestor_id: str) -> bool:
        """Whether the unit is under the other at any depth; no unit is under itself."""
        start = self._place[ancestor_id]
        return start < self._place[unit_id] < start + self._size[ancestor_id]

    def common(self, first_id: str, *other_ids: str) -> Unit:
        """The deepest unit that all of them are under; the root when one of them is the root."""
        above = self.root
        for level in zip(*(self.path(unit_id)[:-1] for unit_id in (first_id, *other_ids)), strict=False):
            if any(unit.id != level[0].id for unit in level):
                break
            above = level[0]
        return above

    def depth(self, unit_id: str) -> int:
        """How many units are above it: 0 for the root."""
        return int(self._nodes[unit_id].depth)


def load(content: bytes, name: str) -> Chart:
    """The chart in a file. Raises ChartError with every problem when there is an error among them."""
    return usable(check(content, name), name)


def usable(report: Report, name: str) -> Chart:
    """The chart of a report on the file `name`. Raises ChartError that lists every error when there is none."""
    if report.chart is None:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        lines = [f"row {error.row}: {error.message[:-1]}" if error.row else error.message[:-1] for error in errors]
        raise ChartError(f"{name} cannot be used: {listing(lines, 20)}.", errors[0].hint)
    return report.chart


def check(
    content: bytes, name: str, *, sheet: str = "", columns: Mapping[str, str] | None = None, encoding: str = ""
) -> Report:
    """Read a chart file in this process, and report all that is wrong with it: `judge` after `org.reading.table.read`.

    A file that may be anyone's is read through `trag.charts`, in a process that it may kill.
    """
    return judge(read(content, name, sheet, encoding), columns)


def judge(table: Table, columns: Mapping[str, str] | None = None) -> Report:
    """The chart that a table makes, and all that is wrong with it.

    `columns` tells which header each of our columns is read from, "" for none; one that it does not name is looked for
    by its own name and by well-known words for it.
    """
    reading = interpret(table, columns)
    lineage = examine(() if table.ended else reading.rows)  # parents may stand in what was not read
    problems = [*table.problems, *reading.problems, *lineage.problems]
    problems.sort(key=lambda problem: (problem.severity, problem.row))
    is_usable = lineage.rows and not any(problem.severity == "error" for problem in problems)
    return Report(
        chart=Chart(_units(lineage)) if is_usable else None,
        problems=tuple(problems),
        header=reading.header,
        columns=reading.columns,
        sheets=table.sheets,
        sheet=table.sheet,
        samples=reading.samples,
        encoding=table.encoding,
    )


def _units(lineage: Lineage) -> list[Unit]:
    """The units in the order of the rows. An id that the file does not give is the path of names, which is unique."""
    rows, parents, depths = lineage.rows, lineage.parents, lineage.depths
    paths: list[str] = [""] * len(rows)
    ids: list[str] = [""] * len(rows)
    taken = {row.id for row in rows if row.id}
    for place in sorted(range(len(rows)), key=depths.__getitem__):
        row, parent = rows[place], parents[place]
        paths[place] = row.name if parent is None else paths[parent] + PATH_SEPARATOR + row.name
        ids[place] = row.id or paths[place]
        while not row.id and ids[place] in taken:
            ids[place] += "'"
        taken.add(ids[place])
    return [
        Unit(
            id=ids[place],
            name=row.name,
            type=row.type,
            parent=None if (parent := parents[place]) is None else ids[parent],
            aliases=tuple(alias for alias in row.aliases if alias.casefold() != row.name.casefold()),
            description=row.description,
            head=row.head,
            email=row.email,
            code=row.code,
            attributes=row.attributes,
        )
        for place, row in enumerate(rows)
    ]


def _version(units: Iterable[Unit]) -> str:
    """The first 12 hex digits of a sha256 over all units in canonical JSON: the same content gives the same version."""
    digest = hashlib.sha256()
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for unit in units:
        cells: list[object] = [unit.id, unit.name, unit.type, unit.parent, unit.aliases, unit.description]
        if unit.head or unit.email or unit.code or unit.attributes:
            cells += [unit.head, unit.email, unit.code, sorted(unit.attributes)]
        digest.update(encode(cells).encode())
    return digest.hexdigest()[:12]
