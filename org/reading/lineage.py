"""Rows -> which is under which, told by an id, a name, a code, a path, or by standing inside it; and all that keeps
them from being one tree."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz, process

from org.chart import PATH_SEPARATOR
from org.reading.cells import seen
from org.reading.problems import Problem, error, listing, quoted, warning
from org.reading.references import NOTHING, spellings, turned_round

MAX_DEPTH = 64
MAX_STEPS = 65
"""Names in a path: the deepest unit of a chart and all that are above it."""

_ALIKE = str.maketrans("oil", "011")
_CLOSE = 70
"""Of 100, how much what was meant is like what was written."""
_SUGGESTING = 200_000_000
"""Letters of names and keys that "did you mean" may read for one file: a wrong parent column must not ask for more."""


@dataclass(frozen=True, slots=True)
class Row:
    """One unit as its row gives it, its cells clean; "" where one is missing.

    `above` is the place, among the rows, of the unit that it stands inside, where a format says so. `key` is what it is
    also called by where others name it as their parent, such as a login.
    """

    number: int
    id: str
    name: str
    parent: str
    type: str
    aliases: tuple[str, ...]
    description: str
    head: str = ""
    email: str = ""
    code: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    above: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The rows that have a name; for each, the place of its parent among them and how many units are above it.

    With an error among the problems, parents and depths are only as good as the rows allow.
    """

    rows: tuple[Row, ...]
    parents: tuple[int | None, ...]
    depths: tuple[int, ...]
    problems: tuple[Problem, ...]


def examine(rows: Sequence[Row], top: str = "") -> Lineage:
    """Tell each row's parent, and report every problem at once. `top` is a unit to put above several without a parent,
    "" where that is a problem."""
    problems = [
        error(row.number, "The name is empty.", "Give the unit a name, or remove the row.")
        for row in rows
        if not row.name
    ]
    named = list(rows)
    if problems:
        named = []
        places: list[int | None] = []  # of each row among the named; of one without a name, that of the next one up
        for row in rows:
            above = None if row.above is None else places[row.above]
            places.append(len(named) if row.name else above)
            if row.name:
                named.append(replace(row, above=above))
    found: list[Problem] = []
    parents = resolve(named, found)
    if missing := _missing_root(named, parents):
        problems.append(
            warning(
                missing.number,
                f"{quoted(missing.name)} is in no row: it was added as the topmost unit.",
                "Add a row for it.",
            )
        )
        named, found = [missing, *named], []
        parents = resolve(named, found)
    problems += found
    roots = [row for place, row in enumerate(named) if parents.places[place] is None and place not in parents.lost]
    if len(roots) > 1 and top:
        lost = frozenset(place + 1 for place in parents.lost)
        below = enumerate(parents.places, 1)
        moved = [(None if place in lost else 0) if above is None else above + 1 for place, above in below]
        parents = Parents((None, *moved), lost)
        named = [Row(roots[0].number, "", top, "", "", (), ""), *named]
        message = f"{quoted(top)} was added above {len(roots):,} units without a parent."
        problems.append(warning(roots[0].number, message, "Give these a parent, if one of them belongs elsewhere."))
    elif len(roots) > 1:
        where = listing([f"{quoted(row.name)} (row {row.number})" for row in roots])
        message = f"{len(roots):,} units have no parent: {where}."
        hint = (
            "Give all but one a parent, or say what one unit above them all is called (under Which column is which, or "
            "--column top=NAME)."
        )
        problems.append(error(roots[1].number, message, hint))
    elif named and not roots:
        hint = "Leave the parent of the topmost unit empty."
        problems.append(error(0, "Every unit has a parent, so none is the topmost.", hint))
    depths = _depths(named, parents.places, problems)
    first_of: dict[tuple[int | None, str], Row] = {}
    for place, (row, parent) in enumerate(zip(named, parents.places, strict=True)):
        # the parent of one that is lost is a problem of its own
        if place not in parents.lost and (first := first_of.setdefault((parent, seen(row.name)), row)) is not row:
            message = f"{quoted(row.name)} appears twice under the same parent, first in row {first.number}."
            problems.append(error(row.number, message, "Remove one of them, or tell their names apart."))
    _check_aliases(named, problems)
    return Lineage(tuple(named), parents.places, tuple(depths), tuple(problems))


def _missing_root(rows: Sequence[Row], parents: Parents) -> Row | None:
    """The unit that all rows without a known parent name as theirs, where it is no row and no other unit is on top."""
    named = {rows[place].parent for place in parents.lost}
    is_topmost = all(parent is not None or place in parents.lost for place, parent in enumerate(parents.places))
    if len(named) != 1 or len(parents.lost) < 2 or not is_topmost or any(row.above is not None for row in rows):
        return None
    (name,) = named
    is_worded = any(map(str.isalpha, name)) and not any(sign.isdigit() or sign in "@=>" for sign in name)
    known = any(name.casefold() in (row.name.casefold(), row.code.casefold()) for row in rows)
    return Row(rows[min(parents.lost)].number, "", name, "", "", (), "") if is_worded and not known else None


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
            parents[place], above = row.above, rows[row.above]
            if row.parent and row.parent.rpartition(">")[2].strip() not in (above.name, above.id, above.code):
                message = (
                    f"The parent {quoted(row.parent)} was left aside: the unit stands inside {quoted(above.name)}."
                )
                problems.append(warning(row.number, message, "Leave the parent out, or move the unit."))
        elif row.parent in known.ids:
            parents[place] = meant = known.ids[row.parent]
            rival = next((each for each in known.names.get(row.parent, ())[:2] if each != meant), None)
            if rival is not None:
                message = (
                    f"The parent {quoted(row.parent)} is the id of {quoted(rows[meant].name)} and the name of row "
                    f"{rows[rival].number}."
                )
                hint = "It was read as the id; give the id another form if that is wrong."
                problems.append(warning(row.number, message, hint))
        elif row.parent not in known.names and _number(row.parent) in known.ids:
            parents[place] = known.ids[_number(row.parent)]
        elif row.parent:
            candidates = known.names.get(row.parent) or known.loose.get(row.parent.casefold(), ())
            if len(candidates) == 1:
                parents[place] = candidates[0]
                if row.parent != (name := rows[candidates[0]].name):
                    message = f"The parent {quoted(row.parent)} was taken for {quoted(name)}."
                    problems.append(warning(row.number, message, "Write both the same way."))
            elif candidates:
                lost[place] = candidates
            elif ">" in row.parent:
                paths.append(place)
            elif len(known.codes.get(row.parent, ())) == 1:
                parents[place] = known.codes[row.parent][0]
                codes.append(place)
            elif row.parent.casefold() in NOTHING:
                message = f"The parent {quoted(row.parent)} was read as none."
                problems.append(warning(row.number, message, "Leave the cell empty."))
            else:
                lost[place] = known.codes.get(row.parent, ())
    if codes:
        message = f"The parents of {len(codes):,} rows were found by their code ({_numbers(rows, codes)})."
        problems.append(warning(rows[codes[0]].number, message, "Nothing to do, if that is what they are."))
    lost |= _follow(rows, parents, paths)
    _find_otherwise(rows, parents, lost, problems)
    _find_root(rows, parents, lost, problems)
    _report(rows, known, lost, problems)
    return Parents(tuple(None if place in lost else parent for place, parent in enumerate(parents)), frozenset(lost))


def _find_otherwise(
    rows: Sequence[Row], parents: list[int | None], lost: dict[int, Sequence[int]], problems: list[Problem]
) -> None:
    """Finds the parents that are written otherwise than the rows they mean: an address, the name of a directory entry,
    a name turned round, a login. Those that may mean several stay lost."""
    waiting = [place for place, candidates in lost.items() if not candidates]
    if not waiting:
        return
    called: dict[str, dict[int, None]] = defaultdict(dict)
    for place, row in enumerate(rows):
        for text in filter(None, (row.name, row.id, row.code, row.email, row.key)):
            called[text.casefold()][place] = None
            if turned := turned_round(text.casefold()):
                called[turned][place] = None
    found: list[int] = []
    for place in waiting:
        meant = {each: None for form in spellings(rows[place].parent) for each in called.get(form, ())}
        if len(meant) == 1:
            parents[place] = next(iter(meant))
            del lost[place]
            found.append(place)
        elif meant:
            lost[place] = tuple(meant)
    if found:
        first = rows[found[0]]
        above = parents[found[0]]
        name = "" if above is None else rows[above].name
        message = (
            f"The parents of {len(found):,} rows were found by another spelling ({_numbers(rows, found)}): "
            f"{quoted(first.parent)} was taken for {quoted(name)}."
        )
        problems.append(warning(first.number, message, "Nothing to do, if that is what they are."))


def _find_root(
    rows: Sequence[Row], parents: list[int | None], lost: dict[int, Sequence[int]], problems: list[Problem]
) -> None:
    """Where no row is without a parent: the only one that names itself, or a parent that is in no row, is the root."""
    if any(parent is None and place not in lost for place, parent in enumerate(parents)):
        return
    nowhere = [place for place, candidates in lost.items() if not candidates]
    tops = [place for place, parent in enumerate(parents) if parent == place] + nowhere
    if len(tops) != 1 or (nowhere and ">" in rows[tops[0]].parent):
        return
    row = rows[tops[0]]
    parents[tops[0]] = None
    lost.pop(tops[0], None)
    why = "which is in no row" if nowhere else "itself"
    message = f"{quoted(row.name)} has the parent {quoted(row.parent)}, {why}: it was taken for the topmost unit."
    problems.append(warning(row.number, message, "Leave the parent of the topmost unit empty."))


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
    # each id and code by how it looks, with the row that it is of
    called = [*((code, places[0]) for code, places in known.codes.items()), *known.ids.items()] if lost else []
    keys = {_looks(key): (key, place) for key, place in called}
    letters, left = sum(map(len, known.loose)) + sum(map(len, keys)), _SUGGESTING
    for place in sorted(lost):
        text = rows[place].parent
        if text not in said and (candidates := lost[place]):
            above = next((rows[each].parent for each in candidates if rows[each].parent), "...")
            path = quoted(above + PATH_SEPARATOR + rows[candidates[0]].name)
            said[text] = (
                f"The parent {quoted(text)} is not clear: rows {_numbers(rows, candidates)} have that name.",
                f"Write its path, such as {path}, or use ids.",
            )
        elif text not in said:
            left -= letters * (1 + len(text) // 64)
            said[text] = f"The parent {quoted(text)} is not in the chart.", _advice(rows, known, keys, text, left > 0)
        problems.append(error(rows[place].number, *said[text]))


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


def _numbers(rows: Sequence[Row], places: Sequence[int]) -> str:
    """The numbers of some rows for a sentence; only the first are looked at."""
    shown = ", ".join(str(rows[place].number) for place in places[:8])
    return shown if len(places) <= 8 else f"{shown} and {len(places) - 8:,} more"
