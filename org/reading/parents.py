"""Rows -> for each the row that it is under: told by an id, a name, a code or a path, or by standing inside it.

Knows nothing about loops, depth, or what else keeps the rows from being one tree.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from org.chart import PATH_SEPARATOR
from org.reading.columns import Row
from org.reading.problems import Problem, error, quoted, warning

MAX_STEPS = 65
"""Names in a path: the deepest unit of a chart and all that are above it."""

_NOTHING = frozenset("- – — -- --- . / n/a na none null nil (none) (root)".split())
_ALIKE = str.maketrans("oil", "011")
_CLOSE = 70
"""Of 100, how much what was meant is like what was written."""
_SUGGESTING = 200_000_000
"""Letters of names and keys that "did you mean" may read for one file: a wrong parent column must not ask for more."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The rows by what they can be called by; each value is a place among the rows."""

    ids: Mapping[str, int]
    names: Mapping[str, Sequence[int]]
    loose: Mapping[str, Sequence[int]]
    codes: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Parents:
    """For each row the place of its parent's row; None for a root, and for a row that is among the `lost`."""

    places: tuple[int | None, ...]
    lost: frozenset[int]


def resolve(rows: Sequence[Row], problems: list[Problem]) -> Parents:
    """Which row each row is under. A row whose parent could not be told is a problem, and lost.

    A parent is, in this order, an id (7.0 for 7 too), a name, a name in other case, the end of a path
    ("Legal > Registry") where the name alone is not unique, or a code. A path from the topmost unit on is always clear.
    """
    known = _known(rows, problems)
    parents: list[int | None] = [None] * len(rows)
    paths: list[int] = []
    lost: dict[int, Sequence[int]] = {}
    codes: list[int] = []
    for place, row in enumerate(rows):
        if row.above is not None:
            parents[place] = row.above
            problems += _contradiction(row, rows[row.above])
        elif row.parent in known.ids:
            parents[place] = known.ids[row.parent]
            problems += _rivals(row, rows, known)
        elif row.parent not in known.names and _number(row.parent) in known.ids:
            parents[place] = known.ids[_number(row.parent)]
        elif row.parent:
            candidates = known.names.get(row.parent) or known.loose.get(row.parent.casefold(), ())
            if len(candidates) == 1:
                parents[place] = candidates[0]
                problems += _other_case(row, rows[candidates[0]])
            elif candidates:
                lost[place] = candidates
            elif ">" in row.parent:
                paths.append(place)
            elif len(known.codes.get(row.parent, ())) == 1:
                parents[place] = known.codes[row.parent][0]
                codes.append(place)
            elif row.parent.casefold() in _NOTHING:
                message = f"The parent {quoted(row.parent)} was read as none."
                problems.append(warning(row.number, message, "Leave the cell empty."))
            else:
                lost[place] = known.codes.get(row.parent, ())
    if codes:
        message = f"The parents of {len(codes):,} rows were found by their code ({_numbers(rows, codes)})."
        problems.append(warning(rows[codes[0]].number, message, "Nothing to do, if that is what they are."))
    lost |= _follow(rows, parents, paths)
    _report(rows, known, lost, problems)
    return Parents(tuple(None if place in lost else parent for place, parent in enumerate(parents)), frozenset(lost))


def _known(rows: Sequence[Row], problems: list[Problem]) -> _Known:
    ids: dict[str, int] = {}
    names: dict[str, list[int]] = defaultdict(list)
    loose: dict[str, list[int]] = defaultdict(list)
    codes: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        names[row.name].append(place)
        loose[row.name.casefold()].append(place)
        if row.code:
            codes[row.code].append(place)
        if row.id and ids.setdefault(row.id, place) != place:
            message = f"The id {quoted(row.id)} is also that of row {rows[ids[row.id]].number}."
            problems.append(error(row.number, message, "Every id must be used once."))
    return _Known(ids, names, loose, codes)


def _number(text: str) -> str:
    """A number without the fraction that a column of numbers with gaps is written with: 7 for 7.0."""
    return text.removesuffix(".0") if text[:-2].isdecimal() else ""


def _contradiction(row: Row, above: Row) -> Sequence[Problem]:
    if not row.parent or row.parent.rpartition(">")[2].strip() in (above.name, above.id, above.code):
        return ()
    message = f"The parent {quoted(row.parent)} was left aside: the unit stands inside {quoted(above.name)}."
    return (warning(row.number, message, "Leave the parent out, or move the unit."),)


def _rivals(row: Row, rows: Sequence[Row], known: _Known) -> Sequence[Problem]:
    candidates = known.names.get(row.parent, ())
    other = next((place for place in candidates[:2] if place != known.ids[row.parent]), None)
    if other is None:
        return ()
    meant = rows[known.ids[row.parent]]
    message = (
        f"The parent {quoted(row.parent)} is the id of {quoted(meant.name)} and the name of row {rows[other].number}."
    )
    return (warning(row.number, message, "It was read as the id; give the id another form if that is wrong."),)


def _other_case(row: Row, parent: Row) -> Sequence[Problem]:
    if row.parent == parent.name:
        return ()
    message = f"The parent {quoted(row.parent)} was taken for {quoted(parent.name)}."
    return (warning(row.number, message, "Write both the same way."),)


def _follow(rows: Sequence[Row], parents: list[int | None], paths: Sequence[int]) -> dict[int, Sequence[int]]:
    """Finds the parents that are told by paths; those that stay lost, with the rows that each may mean.

    From the roots down, each unit in turn: then all that is above it is known, and every path that it ends is one look
    at what is waited for. So a path may lead over units whose own parent is a path, at no more cost.
    """
    waiting: dict[str, list[int]] = defaultdict(list)
    lengths: dict[str, set[int]] = defaultdict(set)
    for place in paths:
        steps = _steps(rows[place].parent)
        if len(steps) <= MAX_STEPS:
            waiting[_key(steps)].append(place)
            lengths[steps[-1].casefold()].add(len(steps))
    found: dict[str, list[int]] = {}
    waits = set(paths)
    under: dict[int, list[int]] = defaultdict(list)
    for place, parent in enumerate(parents):
        if parent is not None:
            under[parent].append(place)
    reached = deque(place for place, parent in enumerate(parents) if parent is None and place not in waits)
    whole: set[str] = set()
    while reached and waiting:
        place = reached.popleft()
        for key, is_whole in _endings(rows, parents, place, lengths):
            if key in found:
                found[key].append(place)
            elif key in waiting:
                found[key] = [place]
                under[place] += waiting[key]
                for waiter in waiting[key]:
                    parents[waiter] = place
                if is_whole:  # from the topmost unit on: units further down may end the same way
                    whole.add(key)
        reached.extend(under[place])
    lost: dict[int, Sequence[int]] = {place: () for place in paths if parents[place] is None}
    for key, candidates in found.items():
        if len(candidates) > 1 and key not in whole:
            lost |= dict.fromkeys(waiting[key], candidates)
    return lost


def _endings(
    rows: Sequence[Row], parents: Sequence[int | None], place: int, lengths: Mapping[str, set[int]]
) -> list[tuple[str, bool]]:
    """The paths that end with a unit and have a length that is waited for, and whether each begins at the top."""
    wanted = lengths.get(_steps(rows[place].name)[-1].casefold(), ())
    endings: list[tuple[str, bool]] = []
    steps: list[str] = []
    step: int | None = place
    while step is not None and wanted and len(steps) < max(wanted):
        steps = _steps(rows[step].name) + steps
        step = parents[step]
        if len(steps) in wanted:
            endings.append((_key(steps), step is None))
    return endings


def _steps(path: str) -> list[str]:
    return [step.strip() for step in path.split(PATH_SEPARATOR.strip())]


def _key(steps: Sequence[str]) -> str:
    return PATH_SEPARATOR.join(steps).casefold()


def _report(rows: Sequence[Row], known: _Known, lost: Mapping[int, Sequence[int]], problems: list[Problem]) -> None:
    """Why each lost row has no parent. What is said is made once for each parent, however many rows name it."""
    said: dict[str, tuple[str, str]] = {}
    keys = _keys(known) if lost else {}
    letters, left = sum(map(len, known.loose)) + sum(map(len, keys)), _SUGGESTING
    for place in sorted(lost):
        text = rows[place].parent
        if text not in said and lost[place]:
            said[text] = _unclear(rows, text, lost[place])
        elif text not in said:
            left -= letters * (1 + len(text) // 64)
            said[text] = f"The parent {quoted(text)} is not in the chart.", _advice(rows, known, keys, text, left > 0)
        problems.append(error(rows[place].number, *said[text]))


def _keys(known: _Known) -> dict[str, tuple[str, int]]:
    """Each id and code by how it looks, with the row that it is of."""
    codes = {code: places[0] for code, places in known.codes.items()}
    return {_looks(key): (key, place) for key, place in [*codes.items(), *known.ids.items()]}


def _looks(key: str) -> str:
    """A key with one sign for those that are taken for each other: O and 0, I, l and 1."""
    return key.casefold().translate(_ALIKE)


def _advice(rows: Sequence[Row], known: _Known, keys: Mapping[str, tuple[str, int]], text: str, may_look: bool) -> str:
    """The name, the id or the code that was probably meant; of a path, its last step is looked for."""
    last = _steps(text)[-1].casefold()
    same = known.loose.get(last)
    if same:
        return f"{quoted(rows[same[0]].name)} stands in row {_numbers(rows, same)}, but not on this path."
    name = process.extractOne(last, known.loose.keys(), scorer=fuzz.ratio, score_cutoff=_CLOSE) if may_look else None
    key = process.extractOne(_looks(last), keys.keys(), scorer=fuzz.ratio, score_cutoff=_CLOSE) if may_look else None
    if key and (not name or key[1] > name[1]):
        meant, place = keys[key[0]]
        return f"Did you mean {quoted(meant)}, which is {quoted(rows[place].name)}?"
    if name:
        return f"Did you mean {quoted(rows[known.loose[name[0]][0]].name)}?"
    return "Add a row for it, or correct the name."


def _unclear(rows: Sequence[Row], text: str, candidates: Sequence[int]) -> tuple[str, str]:
    above = next((rows[place].parent for place in candidates if rows[place].parent), "...")
    hint = f"Write its path, such as {quoted(above + PATH_SEPARATOR + rows[candidates[0]].name)}, or use ids."
    return f"The parent {quoted(text)} is not clear: rows {_numbers(rows, candidates)} have that name.", hint


def _numbers(rows: Sequence[Row], places: Sequence[int]) -> str:
    """The numbers of some rows for a sentence; only the first are looked at."""
    shown = ", ".join(str(rows[place].number) for place in places[:8])
    return shown if len(places) <= 8 else f"{shown} and {len(places) - 8:,} more"
