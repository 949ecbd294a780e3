"""A chart laid out for its picture and its outline: units in one list, from the top down, changes marked.

Chart (and Changes) -> Layout -> JSON of flat arrays; one unit -> its details.  Knows nothing of requests.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from org.changes import Change, Changes
from org.chart import Chart, Unit
from org.linking import disambiguation
from trag.web.charts.changes import edits, told

Node = tuple[bool, str]
"""A unit by whether it was removed, and its id in the chart that has it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Units, each before those under it; for each the place of the one above it (-1: none), and where it differs its
    marks: "+" added, "-" removed, ">" moved, "=" renamed, "*" edited.

    What was removed stands where it stood, so that what is lost is seen.
    """

    units: tuple[Unit, ...]
    above: tuple[int, ...]
    marks: Mapping[int, str]
    changes: Mapping[int, Change]
    origins: Mapping[int, str]
    """The name of the unit that a moved one was under."""

    def to_json(self) -> bytes:
        """names, above, types (places in kinds), kinds; aliases and marks by place, of those that have any."""
        kinds: dict[str, int] = {"": 0}
        arrays = {
            "names": [unit.name for unit in self.units],
            "above": self.above,
            "types": [kinds.setdefault(unit.type, len(kinds)) for unit in self.units],
            "kinds": list(kinds),
            "aliases": {place: unit.aliases for place, unit in enumerate(self.units) if unit.aliases},
            "marks": self.marks,
        }
        return json.dumps(arrays, ensure_ascii=False, separators=(",", ":")).encode()

    def details(self, place: int) -> dict[str, list[tuple[str, str]]]:
        """What is known of one unit beside its place, and what was otherwise before. IndexError where there is none."""
        unit, change = self.units[place], self.changes.get(place)
        facts = [("Also called", told(unit.aliases)), ("Head", unit.head), ("E-mail", unit.email), ("Code", unit.code)]
        before: list[tuple[str, str]] = []
        if change and change.moved:
            before.append(("Under", self.origins.get(place, "")))
        if change and change.renamed:
            before.append(("Name", change.before.name))
        before += [(edit.field, edit.before) for edit in edits(change)] if change else []
        return {
            "facts": [fact for fact in (*facts, *unit.attributes, ("About", unit.description)) if fact[1]],
            "before": before,
        }


def layout(chart: Chart, before: Chart | None = None, changes: Changes | None = None) -> Layout:
    """The units of a chart; with what changed since `before`, also those that it no longer has."""
    changed = {change.after.id: change for change in changes.changed} if changes else {}
    added = {unit.id for unit in changes.added} if changes else set()
    gone = _gone(changes) if changes else {}
    units: list[Unit] = []
    above: list[int] = []
    marks: dict[int, str] = {}
    waiting: list[tuple[Node, Unit, int]] = [((False, chart.root.id), chart.root, -1)]
    while waiting:
        node, unit, parent = waiting.pop()
        place = len(units)
        units.append(unit)
        above.append(parent)
        if node[0]:
            marks[place] = "-"
        elif unit.id in added:
            marks[place] = "+"
        elif unit.id in changed and (mark := _mark(changed[unit.id])):
            marks[place] = mark
        waiting += [((True, lost.id), lost, place) for lost in reversed(gone.get(node, ()))]
        if not node[0]:
            waiting += [((False, child.id), child, place) for child in reversed(chart.children(unit.id))]
    kept = {place: changed[units[place].id] for place, mark in marks.items() if mark not in "+-"}
    origins = {
        place: disambiguation.called(before.unit(change.before.parent), before)
        for place, change in kept.items()
        if before and change.moved and change.before.parent
    }
    return Layout(tuple(units), tuple(above), marks, kept, origins)


def _gone(changes: Changes) -> Mapping[Node, list[Unit]]:
    """The removed units under what they were under: another removed one, or a unit that is still there."""
    removed = {unit.id for unit in changes.removed}
    now = {change.before.id: change.after.id for change in changes.changed}
    gone: dict[Node, list[Unit]] = defaultdict(list)
    for unit in changes.removed:
        parent = unit.parent or ""  # the top of a chart is never removed
        gone[parent in removed, parent if parent in removed else now.get(parent, parent)].append(unit)
    return gone


def _mark(change: Change) -> str:
    return ">" * change.moved + "=" * change.renamed + "*" * bool(change.edited)
