"""The organization's chart: its units and the tree that they make."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

PATH_SEPARATOR = " > "
"""Between the names of a path that is written in one line."""


class ChartError(Exception):
    """A chart that cannot be used, said to a person: what was found, and what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


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
        preorder: list[Unit] = []
        waiting = [self._nodes[self.root.id]]  # a list, for recursion has a bottom
        while waiting:
            node = waiting.pop()
            preorder.append(node.unit)
            waiting.extend(reversed(node.children))
        self._preorder = tuple(preorder)  # each unit before its own children; later walks are slices of this one
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

    def place(self, unit_id: str) -> int:
        """Its place in the order of the tree, in which each unit stands before those under it: 0 for the root."""
        return self._place[unit_id]

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
