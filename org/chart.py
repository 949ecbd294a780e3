"""The organization's chart: a table of units made into a tree.

bytes -> rows (org/table.py) -> lineage and every problem (org/checks.py) -> Chart
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
from org.checks import PATH_SEPARATOR, Lineage, examine
from org.table import Problem, listing, read

__all__ = ["Chart", "Problem", "Report", "Unit", "check", "load"]


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


@dataclass(frozen=True, slots=True)
class Report:
    """What a chart file holds. `chart` is None when any problem is an error; warnings alone leave a usable chart."""

    chart: Chart | None
    problems: tuple[Problem, ...]


class Chart:
    """A valid chart, read-only. The tree is anytree's (T-RAG, section 5.3); siblings are in the order of the rows.

    Every method that takes an id raises KeyError for one that the chart does not have.
    """

    def __init__(self, units: Iterable[Unit]) -> None:
        from anytree import AnyNode, PreOrderIter

        self.units: Mapping[str, Unit] = MappingProxyType({unit.id: unit for unit in units})
        self._nodes = {unit.id: AnyNode(unit=unit) for unit in self.units.values()}
        for unit in self.units.values():
            if unit.parent is not None:
                self._nodes[unit.id].parent = self._nodes[unit.parent]
        self.root: Unit = next(unit for unit in self.units.values() if unit.parent is None)
        # anytree walks by recursion, which the limit on depth bounds; later walks are slices of this one.
        self._preorder: tuple[Unit, ...] = tuple(node.unit for node in PreOrderIter(self._nodes[self.root.id]))
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
    report = check(content, name)
    if report.chart is None:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        lines = [f"row {error.row}: {error.message[:-1]}" if error.row else error.message[:-1] for error in errors]
        raise ChartError(f"{name} cannot be used: {listing(lines, 20)}.", errors[0].hint)
    return report.chart


def check(content: bytes, name: str) -> Report:
    """Read a chart file and report all that is wrong with it. `name` tells the format by its end: .csv or .json."""
    rows, unreadable = read(content, name)
    lineage = examine(rows)
    problems = sorted([*unreadable, *lineage.problems], key=lambda problem: (problem.severity, problem.row))
    if not lineage.rows or any(problem.severity == "error" for problem in problems):
        return Report(None, tuple(problems))
    return Report(Chart(_units(lineage)), tuple(problems))


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
        )
        for place, row in enumerate(rows)
    ]


def _version(units: Iterable[Unit]) -> str:
    """The first 12 hex digits of a sha256 over all units in canonical JSON: the same content gives the same version."""
    digest = hashlib.sha256()
    for unit in units:
        cells = [unit.id, unit.name, unit.type, unit.parent, unit.aliases, unit.description]
        digest.update(json.dumps(cells, ensure_ascii=False).encode())
    return digest.hexdigest()[:12]
