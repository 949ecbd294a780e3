"""What the units of charts made by rules are called, in every style that organizations have.

chance, level, style -> Named.  The words stand in chart_words.txt.  Knows nothing about shapes or questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

_TONGUES = ("German", "French", "Spanish", "Italian", "Swedish", "Polish")
_LEVELS = 3  # of names that a language has words for
_LINKS = re.compile(r"\b(?:of|the|for|and|de|la|des|für|und|del)\b")
_HEADING = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Named:
    """A unit's name, its type, and another name of it, "" for none."""

    name: str
    type: str
    alias: str = ""


Style = Callable[[Random, int], Named]
"""Names a unit on a level, 1 for those right under the root."""


@cache
def words() -> Mapping[str, tuple[str, ...]]:
    """The words under each heading of chart_words.txt."""
    found: dict[str, tuple[str, ...]] = {}
    heading = ""
    for line in Path(__file__).with_name("chart_words.txt").read_text(encoding="utf-8").splitlines():
        if opened := _HEADING.fullmatch(line):
            heading = opened[1]
        elif line and not line.startswith("#"):
            found[heading] = (*found.get(heading, ()), *line.split(" | "))
    return found


def pick(chance: Random, heading: str) -> str:
    """One of the words under a heading."""
    return chance.choice(words()[heading])


def key(name: str) -> str:
    """What two writings of one name share."""
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


def place(chance: Random) -> str:
    """A place that does not exist."""
    return pick(chance, "place stems") + pick(chance, "place ends")


def person(chance: Random) -> str:
    """Somebody who does not exist."""
    return f"{pick(chance, 'first names')} {pick(chance, 'last names')}"


def root(chance: Random) -> Named:
    """An organization as a whole."""
    name = pick(chance, "organizations").format(place(chance), pick(chance, "fields"))
    return Named(name, "organization" if chance.random() < 0.4 else "", _initials(name))


def _departments(chance: Random, level: int) -> Named:
    body = pick(chance, f"bodies: {min(level, 4)}")
    subject = pick(chance, "fields")
    if chance.random() < 0.15:
        subject = f"{subject} and {pick(chance, 'fields')}"
    is_of = body in words()["bodies of"] and chance.random() < 0.35
    name = f"{body} of {subject}" if is_of else f"{subject} {body}"
    return Named(name, body.lower(), _alias(chance, name, subject))


def _bare(chance: Random, level: int) -> Named:
    subject = pick(chance, "fields")
    name = f"{pick(chance, 'qualities')} {subject}" if chance.random() < 0.5 else subject
    return Named(name, chance.choice(("department", "team", "unit", "function")))


def _slugs(chance: Random, level: int) -> Named:
    prefix, _, kind = pick(chance, "slugs").partition(" ")
    mark = chance.choice("---_")
    topic = mark.join(chance.sample(words()["topics"], chance.choice((1, 1, 2))))
    return Named(f"{prefix}{mark}{topic}", kind, topic if chance.random() < 0.2 and len(topic) > 5 else "")


def _posts(chance: Random, level: int) -> Named:
    subject, post = pick(chance, "fields"), pick(chance, f"posts: {min(level, 4)}")
    match chance.choice((1, 1, 1, 2, 2, 3, 3, 4, 4)):
        case 1:
            return Named(f"{post} ({subject})", "post")
        case 2:
            return Named(f"{post} for {subject}", "post", _alias(chance, f"{post} for {subject}"))
        case 3:
            return Named(f"Office of the {post} for {subject}", "office")
        case _:
            return Named(f"Office of {person(chance)}", "office")


def _acronyms(chance: Random, level: int) -> Named:
    whole = _departments(chance, level)
    letters = _initials(whole.name)
    if letters and chance.random() < 0.5:
        return Named(letters, whole.type, whole.name)
    part = f".{chance.randrange(1, 9)}" if level > 1 else ""
    code = f"{chance.choice('ABCDEFGHKLMNPRSTVWXZ')}{chance.randrange(1, 9)}{part}"
    return Named(f"{pick(chance, 'coded')} {code}", whole.type, whole.name if letters else "")


def _places(chance: Random, level: int) -> Named:
    where = place(chance)
    if level > 1:
        return Named(f"{where} {pick(chance, 'fields')}", chance.choice(("team", "desk", "section")))
    body = pick(chance, "sites")
    return Named(f"{where} {body}", body.lower(), where if chance.random() < 0.3 else "")


def _numbered(chance: Random, level: int) -> Named:
    body = pick(chance, "numbered")
    number = chance.choice((f"{chance.randrange(1, 40)}", f"{chance.randrange(1, 9)}{chance.choice('ABCD')}"))
    return Named(f"{body} {number}", body.lower(), f"{pick(chance, 'fields')} {body}" if chance.random() < 0.3 else "")


def _foreign(tongue: str) -> Style:
    def style(chance: Random, level: int) -> Named:
        level = min(level, _LEVELS)
        name = pick(chance, f"{tongue}: {level}").format(pick(chance, f"{tongue} subjects"))
        return Named(name, words()[f"{tongue} types"][level - 1], _alias(chance, name))

    return style


_ENGLISH = (_departments, _departments, _departments, _bare, _slugs, _posts, _acronyms)
STYLES: tuple[Style, ...] = (*_ENGLISH, *_ENGLISH, _places, _numbered, *map(_foreign, _TONGUES))
"""The common ones several times."""


def _alias(chance: Random, name: str, short: str = "") -> str:
    """Its initials, or a short form, or none."""
    share = chance.random()
    return _initials(name) if share < 0.25 else short if share > 0.85 else ""


def _initials(name: str) -> str:
    """Those of three to five words, "" of fewer or more."""
    found = re.findall(r"\b[^\W\d_]", _LINKS.sub(" ", name))
    return "".join(found).upper() if 2 < len(found) < 6 else ""
