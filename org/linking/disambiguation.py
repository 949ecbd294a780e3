"""Units of one name told apart by the nearest unit above that no other of them is under, as people put it in brackets:
Registry (School of Law)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from org.chart import PATH_SEPARATOR, Chart, Unit

TOP = "at the top"
"""What tells the topmost unit from one below it that has its name."""
_BRACKETS = re.compile(r"\)?\s{0,2}\(((?:[^()]|\([^()]*\))*)\)")

_told: WeakKeyDictionary[Chart, dict[str, dict[str, str]]] = WeakKeyDictionary()
_aliased: WeakKeyDictionary[Chart, dict[str, list[Unit]]] = WeakKeyDictionary()


def sharing(name: str, chart: Chart) -> tuple[Unit, ...]:
    """All units with this name, whatever its case: as their own, then as an alias."""
    if chart not in _aliased:
        found: dict[str, list[Unit]] = defaultdict(list)  # the units that have the name of another one for an alias
        for unit in chart.units.values():
            for alias in {alias.casefold() for alias in unit.aliases} - {unit.name.casefold()}:
                if chart.named(alias):
                    found[alias].append(unit)
        _aliased[chart] = dict(found)
    return (*chart.named(name), *_aliased[chart].get(name.casefold(), ()))


def told(unit: Unit, chart: Chart) -> str:
    """What tells a unit from all others of its name, "" where no other has it."""
    units = sharing(unit.name, chart)
    if len(units) < 2:
        return ""
    by_name = _told.setdefault(chart, {})
    name = unit.name.casefold()
    if name not in by_name:
        by_name[name] = telling(units, chart)
    return by_name[name][unit.id]


def called(unit: Unit, chart: Chart, top: str = TOP) -> str:
    """A unit's name, with what tells it in brackets where others have it: "Registry (School of Law)". `top` is what
    tells the topmost unit."""
    words = told(unit, chart)
    return f"{unit.name} ({top if words == TOP else words})" if words else unit.name


def telling(units: Sequence[Unit], chart: Chart) -> dict[str, str]:
    """For the id of each of the units what tells it from the others: the name of a unit above, the nearest that does;
    as many names as it takes, "Region North > Branch 1", where no single one does."""
    above = {unit.id: [one.name for one in chart.path(unit.id)[:-1]] for unit in units}
    plain = {id: [name.casefold() for name in names] for id, names in above.items()}
    directly = Counter(names[-1] for names in plain.values() if names)
    anywhere = Counter(name for names in plain.values() for name in set(names))
    found: dict[str, str] = {}
    for id, names in plain.items():
        for place in reversed(range(len(names))):
            name, is_parent = names[place], place == len(names) - 1
            if (is_parent and directly[name] == 1) or (not directly[name] and anywhere[name] == 1):
                found[id] = above[id][place]
                break
        else:
            if not names:
                found[id] = TOP
    longest = max(map(len, above.values()), default=0)
    for size in range(2, longest + 1):
        if len(found) == len(above):
            break
        ends = Counter(PATH_SEPARATOR.join(names[-size:]) for names in plain.values())
        for id, names in plain.items():
            if id not in found and ends[PATH_SEPARATOR.join(names[-size:])] == 1:
                found[id] = PATH_SEPARATOR.join(above[id][-size:])
    return {id: found.get(id) or PATH_SEPARATOR.join(names) for id, names in above.items()}


def meant(units: Sequence[Unit], words: str, chart: Chart) -> tuple[Unit, ...]:
    """Those of the units that the words tell: by the whole path above, else by what stands directly above, else by the
    name of any unit above; empty when they tell none."""
    wanted = PATH_SEPARATOR.join(part.strip() for part in words.casefold().split(">"))
    if wanted == TOP:
        return tuple(unit for unit in units if unit.parent is None)
    above = [[one.name.casefold() for one in chart.path(unit.id)[:-1]] for unit in units]
    paths = [PATH_SEPARATOR.join(names) for names in above]
    whole = [unit for unit, path in zip(units, paths, strict=True) if path == wanted]
    directly = [
        unit for unit, path in zip(units, paths, strict=True) if f"{PATH_SEPARATOR}{path}".endswith(f"> {wanted}")
    ]
    anywhere = [unit for unit, names in zip(units, above, strict=True) if wanted in names]
    return next((tuple(some) for some in (whole, directly) if len(some) == 1), tuple(anywhere or directly))


def told_in_brackets(units: Sequence[Unit], text: str, place: int, chart: Chart) -> tuple[tuple[Unit, ...], int]:
    """Those of the units of a name, which ends at a `place` of a text, that the brackets behind it tell, and where the
    brackets end; none, and the place, where there are no such brackets. A single unit is told from all of its name."""
    brackets = _BRACKETS.match(text, place)
    if brackets is None:
        return (), place
    rivals = units if len(units) > 1 else sharing(units[0].name, chart)
    fitting = meant(rivals, brackets[1].strip(), chart) if len(rivals) > 1 else ()
    fitting = tuple(unit for unit in fitting if unit in units)
    return fitting, brackets.end() if fitting else place
