"""Which row of a chart is above which, and everything that keeps the rows from being one tree.

rows -> Lineage.  Knows nothing about file formats or about the tree that is made afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from org.chart import PATH_SEPARATOR
from org.reading.cells import seen
from org.reading.columns import Row
from org.reading.parents import Parents, resolve
from org.reading.problems import Problem, error, listing, quoted, warning

MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class Lineage:
    """The rows that have a name; for each, the place of its parent among them and how many units are above it.

    With an error among the problems, parents and depths are only as good as the rows allow.
    """

    rows: tuple[Row, ...]
    parents: tuple[int | None, ...]
    depths: tuple[int, ...]
    problems: tuple[Problem, ...]


def examine(rows: Sequence[Row]) -> Lineage:
    """Tell each row's parent, and report every problem at once."""
    problems = [
        error(row.number, "The name is empty.", "Give the unit a name, or remove the row.")
        for row in rows
        if not row.name
    ]
    named = _named(rows) if problems else tuple(rows)
    parents = resolve(named, problems)
    _check_roots(named, parents, problems)
    depths = _depths(named, parents.places, problems)
    _check_twins(named, parents, problems)
    _check_aliases(named, problems)
    return Lineage(named, parents.places, tuple(depths), tuple(problems))


def _named(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with a name; what stands inside one without counts as standing inside the next one up."""
    kept: list[Row] = []
    now: list[int | None] = []
    for row in rows:
        above = None if row.above is None else now[row.above]
        now.append(len(kept) if row.name else above)
        if row.name:
            kept.append(replace(row, above=above))
    return tuple(kept)


def _check_roots(rows: Sequence[Row], parents: Parents, problems: list[Problem]) -> None:
    roots = [rows[place] for place, parent in enumerate(parents.places) if parent is None and place not in parents.lost]
    if len(roots) > 1:
        where = listing([f"{quoted(row.name)} (row {row.number})" for row in roots])
        message = f"{len(roots):,} units have no parent: {where}."
        hint = "Only the topmost unit has an empty parent; give the others theirs, or add one unit above them all."
        problems.append(error(roots[1].number, message, hint))
    elif rows and not roots:
        hint = "Leave the parent of the topmost unit empty."
        problems.append(error(0, "Every unit has a parent, so none is the topmost.", hint))


def _depths(rows: Sequence[Row], parents: Sequence[int | None], problems: list[Problem]) -> list[int]:
    """How many units are above each row. Reports each loop once, with the way round it, and too deep a chart."""
    depths = [-1] * len(rows)
    for start in range(len(rows)):
        trail: list[int] = []
        on_trail: set[int] = set()
        step: int | None = start
        while step is not None and depths[step] < 0 and step not in on_trail:
            trail.append(step)
            on_trail.add(step)
            step = parents[step]
        if step is not None and step in on_trail:
            loop = [*trail[trail.index(step) :], step]
            names = [rows[place].name for place in loop]
            way = PATH_SEPARATOR.join(names if len(names) <= 12 else [*names[:6], "...", *names[-5:]])
            message = f"These units are under each other in a loop: {way}."
            hint = f"Correct one of the parents in rows {listing([str(rows[place].number) for place in loop[:-1]])}."
            problems.append(error(rows[step].number, message, hint))
        depth = -1 if step is None or step in on_trail else depths[step]
        for place in reversed(trail):
            depth += 1
            depths[place] = depth
    deepest = max(range(len(rows)), key=depths.__getitem__, default=0)
    if rows and depths[deepest] > MAX_DEPTH:
        message = f"The chart is {depths[deepest]} levels deep, at {quoted(rows[deepest].name)}."
        hint = f"{MAX_DEPTH} levels are the most; look for parents that were filled in one row too low."
        problems.append(error(rows[deepest].number, message, hint))
    return depths


def _check_twins(rows: Sequence[Row], parents: Parents, problems: list[Problem]) -> None:
    first_of: dict[tuple[int | None, str], Row] = {}
    for place, (row, parent) in enumerate(zip(rows, parents.places, strict=True)):
        if place in parents.lost:
            continue  # its parent is a problem of its own
        first = first_of.setdefault((parent, seen(row.name)), row)
        if first is not row:
            message = f"{quoted(row.name)} stands twice under the same parent, first in row {first.number}."
            problems.append(error(row.number, message, "Remove one of them, or tell their names apart."))


def _check_aliases(rows: Sequence[Row], problems: list[Problem]) -> None:
    names: dict[str, Row] = {}
    for row in rows:
        names.setdefault(row.name.casefold(), row)
    aliases: dict[str, Row] = {}
    for row in rows:
        for alias in row.aliases:
            key = alias.casefold()
            if key == row.name.casefold():
                continue
            other = names.get(key) or aliases.setdefault(key, row)
            if other is not row:
                message = f"The alias {quoted(alias)} is also a name of {quoted(other.name)} (row {other.number})."
                hint = "Questions that use it will be answered for both; give one of them another alias."
                problems.append(warning(row.number, message, hint))
