"""Organization charts of every shape, made by rules: deep, flat, wide, their units named in one of the styles that
organizations have. The words stand in chart_words.txt.

chance -> a table of units -> Chart
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from org.chart import Chart
from org.reading.charts import load

_TONGUES = ("German", "French", "Spanish", "Italian", "Swedish", "Polish")
_ENGLISH = ("departments", "departments", "departments", "bare", "slugs", "posts", "acronyms")
STYLES = (*_ENGLISH, *_ENGLISH, "places", "numbered", *_TONGUES)
"""In which the units of a chart are named; the common ones several times."""
_LEVELS = 3  # of names that a language has words for
_LINKS = re.compile(r"\b(?:of|the|for|and|de|la|des|für|und|del)\b")
_HEADING = re.compile(r"\[([^\]]+)\]")
_TRIES = 20  # names for one unit
_DESCRIBED = (0.0, 0.0, 0.4, 0.9)  # of the units, chart by chart
_TYPED = (0.0, 0.7, 1.0, 1.0)
_COLUMNS_MORE = (0, 0, 0, 1, 2)
_FILLED = 0.8  # of the cells of a further column
_TWINS = 0.15  # of the charts have units that share a name


@dataclass(frozen=True, slots=True)
class Named:
    """A unit's name, its type, and another name of it, "" for none."""

    name: str
    type: str
    alias: str = ""


@dataclass(slots=True)
class _Row:
    """One unit of a chart in the making; `level` is 0 for the root."""

    named: Named
    parent: str
    level: int
    type: str = ""
    description: str = ""
    others: dict[str, str] = field(default_factory=dict)


def make(chance: Random) -> Chart:
    """A chart of 6 to 45 units. The same chance gives the same chart."""
    name = _pick(chance, "organizations").format(_place(chance), _pick(chance, "fields"))
    whole = Named(name, "organization" if chance.random() < 0.4 else "", _initials(name))
    style = chance.choice(STYLES)
    rows = [_Row(whole, "", 0)]
    taken = {key(whole.name), key(whole.alias)}
    for above in _shape(chance):
        parent = rows[min(above, len(rows) - 1)]
        for _ in range(_TRIES):
            named = name_unit(style, chance, parent.level + 1)
            if key(named.name) not in taken:
                alias = named.alias if key(named.alias) not in taken | {key(named.name)} else ""
                taken.update((key(named.name), key(alias)))
                rows.append(_Row(Named(named.name, named.type, alias), parent.named.name, parent.level + 1))
                break
    if chance.random() < _TWINS:
        # Units with one name under several of those right under the root: each region has its "Finance Desk".
        named = Named(_pick(chance, "fields"), chance.choice(("team", "desk", "")))
        if not any(key(named.name) in (key(row.named.name), key(row.named.alias)) for row in rows):
            top = [row for row in rows if row.level == 1]
            some = chance.sample(top, min(len(top), chance.choice((2, 2, 3))))
            rows += [_Row(named, row.named.name, row.level + 1) for row in some]
    # Types, descriptions and further columns, in charts that have them, mostly not in every row.
    typed, described = chance.choice(_TYPED), chance.choice(_DESCRIBED)
    columns = chance.sample(tuple(_COLUMNS), chance.choice(_COLUMNS_MORE))
    for row in rows:
        if chance.random() < typed:
            row.type = row.named.type
        if chance.random() < described:
            things = _pick(chance, "things"), _pick(chance, "things")
            row.description = _pick(chance, "descriptions").format(*things, _pick(chance, "for whom"))
        row.others = {column: _COLUMNS[column](chance) for column in columns if chance.random() < _FILLED}
    return load(_table(rows), "generated.csv")


def of_people(chance: Random) -> Chart:
    """A chart of 6 to 45 people and whom each reports to, with their titles. The same chance gives the same chart."""
    title = chance.choice(("Title", "Position", "Job title"))
    columns = chance.sample(tuple(_OF_PEOPLE), chance.choice((1, 2, 3)))
    rows: list[_Row] = []
    taken: set[str] = set()
    for above in [-1, *_shape(chance)]:
        name = _person(chance)
        if key(name) in taken:
            continue
        taken.add(key(name))
        boss = rows[min(above, len(rows) - 1)] if rows else None
        level = boss.level + 1 if boss else 0
        post = _pick(chance, f"posts: {min(level, 4)}") if level else "Director"
        called = f"{post}, {_pick(chance, 'fields')}" if chance.random() < 0.3 else f"{_pick(chance, 'fields')} {post}"
        row = _Row(Named(name, ""), boss.named.name if boss else "", level)
        row.others = {title: called, **{one: _OF_PEOPLE[one](chance) for one in columns if chance.random() < _FILLED}}
        rows.append(row)
    return load(_table(rows), "generated.csv")


def name_unit(style: str, chance: Random, level: int) -> Named:
    """A unit on a level, 1 for those right under the root, named in one of STYLES."""
    match style:
        case "departments":
            body, subject = _pick(chance, f"bodies: {min(level, 4)}"), _pick(chance, "fields")
            if chance.random() < 0.15:
                subject = f"{subject} and {_pick(chance, 'fields')}"
            is_of = body in _words()["bodies of"] and chance.random() < 0.35
            name = f"{body} of {subject}" if is_of else f"{subject} {body}"
            return Named(name, body.lower(), _alias(chance, name, subject))
        case "bare":
            subject = _pick(chance, "fields")
            name = f"{_pick(chance, 'qualities')} {subject}" if chance.random() < 0.5 else subject
            return Named(name, chance.choice(("department", "team", "unit", "function")))
        case "slugs":
            prefix, _, kind = _pick(chance, "slugs").partition(" ")
            mark = chance.choice("---_")
            topic = mark.join(chance.sample(_words()["topics"], chance.choice((1, 1, 2))))
            return Named(f"{prefix}{mark}{topic}", kind, topic if chance.random() < 0.2 and len(topic) > 5 else "")
        case "posts":
            return _post(chance, level)
        case "acronyms":
            whole = name_unit("departments", chance, level)
            letters = _initials(whole.name)
            if letters and chance.random() < 0.5:
                return Named(letters, whole.type, whole.name)
            part = f".{chance.randrange(1, 9)}" if level > 1 else ""
            code = f"{chance.choice('ABCDEFGHKLMNPRSTVWXZ')}{chance.randrange(1, 9)}{part}"
            return Named(f"{_pick(chance, 'coded')} {code}", whole.type, whole.name if letters else "")
        case "places":
            where = _place(chance)
            if level > 1:
                return Named(f"{where} {_pick(chance, 'fields')}", chance.choice(("team", "desk", "section")))
            body = _pick(chance, "sites")
            return Named(f"{where} {body}", body.lower(), where if chance.random() < 0.3 else "")
        case "numbered":
            body = _pick(chance, "numbered")
            number = chance.choice((f"{chance.randrange(1, 40)}", f"{chance.randrange(1, 9)}{chance.choice('ABCD')}"))
            alias = f"{_pick(chance, 'fields')} {body}" if chance.random() < 0.3 else ""
            return Named(f"{body} {number}", body.lower(), alias)
        case tongue:
            level = min(level, _LEVELS)
            name = _pick(chance, f"{tongue}: {level}").format(_pick(chance, f"{tongue} subjects"))
            return Named(name, _words()[f"{tongue} types"][level - 1], _alias(chance, name))


def _post(chance: Random, level: int) -> Named:
    subject, post = _pick(chance, "fields"), _pick(chance, f"posts: {min(level, 4)}")
    match chance.choice((1, 1, 1, 2, 2, 3, 3, 4, 4)):
        case 1:
            return Named(f"{post} ({subject})", "post")
        case 2:
            return Named(f"{post} for {subject}", "post", _alias(chance, f"{post} for {subject}"))
        case 3:
            return Named(f"Office of the {post} for {subject}", "office")
        case _:
            return Named(f"Office of {_person(chance)}", "office")


def key(name: str) -> str:
    """What two writings of one name share."""
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


@cache
def _words() -> Mapping[str, tuple[str, ...]]:
    """The words under each heading of chart_words.txt."""
    found: dict[str, tuple[str, ...]] = {}
    heading = ""
    for line in Path(__file__).with_name("chart_words.txt").read_text(encoding="utf-8").splitlines():
        if opened := _HEADING.fullmatch(line):
            heading = opened[1]
        elif line and not line.startswith("#"):
            found[heading] = (*found.get(heading, ()), *line.split(" | "))
    return found


def _pick(chance: Random, heading: str) -> str:
    return chance.choice(_words()[heading])


def _place(chance: Random) -> str:
    """A place that does not exist."""
    return _pick(chance, "place stems") + _pick(chance, "place ends")


def _person(chance: Random) -> str:
    """Somebody who does not exist."""
    return f"{_pick(chance, 'first names')} {_pick(chance, 'last names')}"


def _alias(chance: Random, name: str, short: str = "") -> str:
    """Its initials, or a short form, or none."""
    share = chance.random()
    return _initials(name) if share < 0.25 else short if share > 0.85 else ""


def _initials(name: str) -> str:
    """Those of three to five words, "" of fewer or more."""
    found = re.findall(r"\b[^\W\d_]", _LINKS.sub(" ", name))
    return "".join(found).upper() if 2 < len(found) < 6 else ""


def _shape(chance: Random) -> list[int]:
    """For each unit after the root, the place of the unit above it among those before."""
    match chance.choice(("any", "any", "flat", "wide", "deep", "regular", "regular")):
        case "any":
            return [chance.randrange(number) for number in range(1, chance.randrange(8, 40))]
        case "flat":
            number = chance.randrange(5, 16)
            return [0] * number + [chance.randrange(1, number + 1) for _ in range(chance.randrange(0, 5))]
        case "wide":
            top = chance.randrange(3, 8)
            return [0] * top + [above for above in range(1, top + 1) for _ in range(chance.randrange(0, 7))]
        case "deep":  # a chain of 5 to 9 levels, with units beside some of its links
            parents, last = list[int](), 0
            for _ in range(chance.randrange(5, 10)):
                parents.append(last)
                link = len(parents)
                parents += [last] * chance.choice((0, 0, 1, 2))
                last = link
            return parents
        case _:  # three levels, as offices like to draw them
            top = chance.randrange(2, 5)
            parents = [0] * top
            for first in range(1, top + 1):
                for _ in range(chance.randrange(1, 4)):
                    parents.append(first)
                    parents += [len(parents)] * chance.randrange(0, 4)
            return parents


def _table(rows: list[_Row]) -> bytes:
    more = list(dict.fromkeys(column for row in rows for column in row.others))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["name", "parent", "type", "aliases", "description", *more])
    for row in rows:
        cells = [row.named.name, row.parent, row.type, row.named.alias, row.description]
        writer.writerow([*cells, *(row.others.get(column, "") for column in more)])
    return text.getvalue().encode()


_COLUMNS: Mapping[str, Callable[[Random], str]] = {
    "head": _person,
    "email": lambda chance: (
        f"{_pick(chance, 'topics')}{chance.randrange(1, 99)}@{_pick(chance, 'place stems').lower()}.example"
    ),
    "phone": lambda chance: f"{chance.randrange(100, 999)} {chance.randrange(1000, 9999)}",
    "room": lambda chance: chance.choice(
        (f"{chance.choice('ABCDE')}{chance.randrange(100, 499)}", f"Floor {chance.randrange(1, 9)}")
    ),
    "location": _place,
    "staff": lambda chance: str(chance.randrange(2, 90)),
}
_OF_PEOPLE: Mapping[str, Callable[[Random], str]] = {
    "Department": lambda chance: _pick(chance, "fields"),
    **{name.title(): _COLUMNS[name] for name in ("email", "phone", "room", "location")},
}
