"""Which row of a chart is above which, and everything that keeps the rows from being one tree.

rows -> Lineage.  Knows nothing about file formats or about the tree that is made afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from org.table import Problem, Row, listing

MAX_DEPTH = 64
PATH_SEPARATOR = " > "
_SUGGESTIONS = (
    50  # each "did you mean" reads every name, so a file with a wrong parent column must not ask for thousands
)


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
        Problem(row.number, "error", "The name is empty.", "Give the unit a name, or remove the row.")
        for row in rows
        if not row.name
    ]
    named = tuple(row for row in rows if row.name)
    parents = _parents(named, problems)
    depths = _depths(named, parents, problems)
    _check_twins(named, parents, problems)
    _check_aliases(named, problems)
    return Lineage(named, tuple(parents), tuple(depths), tuple(problems))


def _parents(rows: Sequence[Row], problems: list[Problem]) -> list[int | None]:
    """For each row the place of its parent's row; None for a root, and where none could be told: then a problem too.

    A parent is an id, a name, or the end of a path ("Legal > Registry") where the name alone is not unique.
    """
    ids: dict[str, int] = {}
    names: dict[str, list[int]] = defaultdict(list)
    loose: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        names[row.name].append(place)
        loose[row.name.casefold()].append(place)
        if row.id and ids.setdefault(row.id, place) != place:
            message = f'The id "{row.id}" is also that of row {rows[ids[row.id]].number}.'
            problems.append(Problem(row.number, "error", message, "Every id must be used once."))

    parents: list[int | None] = [None] * len(rows)
    unresolved: list[int] = []
    for place, row in enumerate(rows):
        candidates = names.get(row.parent, ())
        if row.parent in ids:
            parents[place] = ids[row.parent]
        elif len(candidates) == 1:
            parents[place] = candidates[0]
        elif row.parent:
            unresolved.append(place)
    paths = [place for place in unresolved if rows[place].parent not in names]
    while (
        paths
    ):  # a path may lead over units whose own parent is a path: each round settles those that rest on the last
        settled = {place: hits[0] for place in paths if len(hits := _by_path(rows, parents, names, place)) == 1}
        for place, parent in settled.items():
            parents[place] = parent
        paths = [place for place in paths if place not in settled] if settled else []

    choices, suggestions = list(names), _SUGGESTIONS
    for place in unresolved:
        row = rows[place]
        if parents[place] is not None:
            continue
        similar = loose.get(row.parent.casefold(), [])
        candidates = names.get(row.parent) or similar or _by_path(rows, parents, names, place)
        if len(candidates) == 1:
            parents[place] = candidates[0]
            message = f'The parent "{row.parent}" was taken for "{rows[candidates[0]].name}".'
            problems.append(Problem(row.number, "warning", message, "Write both the same way."))
        elif candidates:
            where = listing([str(rows[candidate].number) for candidate in candidates])
            example = rows[candidates[0]]
            hint = f'Write its path, such as "{example.parent or "..."}{PATH_SEPARATOR}{example.name}", or use ids.'
            message = f'The parent "{row.parent}" is not clear: rows {where} have that name.'
            problems.append(Problem(row.number, "error", message, hint))
        else:
            close = process.extractOne(row.parent, choices, scorer=fuzz.ratio, score_cutoff=70) if suggestions else None
            suggestions -= suggestions > 0
            hint = f'Did you mean "{close[0]}"?' if close else "Add a row for it, or correct the name."
            problems.append(Problem(row.number, "error", f'The parent "{row.parent}" is not in the chart.', hint))

    roots = [row for row in rows if not row.parent]
    if len(roots) > 1:
        where = listing([f'"{row.name}" (row {row.number})' for row in roots])
        message = f"{len(roots)} units have no parent: {where}."
        hint = "Only the topmost unit has an empty parent; give the others theirs, or add one unit above them all."
        problems.append(Problem(roots[1].number, "error", message, hint))
    elif rows and not roots:
        problems.append(Problem(0, "error", "Every unit has a parent.", "Leave the parent of the topmost unit empty."))
    return parents


def _by_path(
    rows: Sequence[Row], parents: Sequence[int | None], names: Mapping[str, Sequence[int]], place: int
) -> list[int]:
    """The rows whose names upwards are the path that this row gives as its parent."""
    *above, last = (step.strip() for step in rows[place].parent.split(PATH_SEPARATOR.strip()))
    hits = []
    for candidate in names.get(last, ()) if above else ():
        step: int | None = candidate
        for name in reversed(above):
            step = None if step is None else parents[step]
            if step is None or rows[step].name != name:
                break
        else:
            hits.append(candidate)
    return hits


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
            problems.append(Problem(rows[step].number, "error", message, hint))
        depth = -1 if step is None or step in on_trail else depths[step]
        for place in reversed(trail):
            depth += 1
            depths[place] = depth
    deepest = max(range(len(rows)), key=depths.__getitem__, default=0)
    if rows and depths[deepest] > MAX_DEPTH:
        message = f"The chart is {depths[deepest]} levels deep, at {rows[deepest].name}."
        hint = f"{MAX_DEPTH} levels are the most; look for parents that were filled in one row too low."
        problems.append(Problem(rows[deepest].number, "error", message, hint))
    return depths


def _check_twins(rows: Sequence[Row], parents: Sequence[int | None], problems: list[Problem]) -> None:
    seen: dict[tuple[int | None, str], Row] = {}
    for row, parent in zip(rows, parents, strict=True):
        if parent is None and row.parent:
            continue  # its parent is a problem of its own
        first = seen.setdefault((parent, row.name.casefold()), row)
        if first is not row:
            message = f'"{row.name}" stands twice under the same parent, first in row {first.number}.'
            problems.append(Problem(row.number, "error", message, "Remove one of them, or tell their names apart."))


def _check_aliases(rows: Sequence[Row], problems: list[Problem]) -> None:
    names: dict[str, Row] = {}
    for row in rows:
        names.setdefault(row.name.casefold(), row)
    aliases: dict[str, Row] = {}
    for row in rows:
        for alias in row.aliases:
            key = alias.casefold()
            other = names.get(key) or aliases.setdefault(key, row)
            if other is not row and key != row.name.casefold():
                message = f'The alias "{alias}" is also a name of "{other.name}" (row {other.number}).'
                hint = "Questions that use it will be answered for both; give one of them another alias."
                problems.append(Problem(row.number, "warning", message, hint))
