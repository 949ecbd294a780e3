"""How facts of the chart are worded: short plain sentences that a small model can copy and a checker can compare.

Unit(s) -> sentence.  Knows nothing about what a question asks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from org import namesakes
from org.chart import Chart, Unit
from org.finding import names
from org.finding.kinds import BODIES, OFFICES

_KINDS = OFFICES | BODIES
_ARTICLE = re.compile(r"(?:the|a|an|la|le|les|el|los|las|il|o|os|as|der|die|das|l')\b", re.IGNORECASE)
_SORTED = 400  # units of a type; a longer list stays in the order of the tree
_OF = re.compile(r"\w+ (?:of|for|on) ")
_POST = re.compile(
    r"\b(?:secretary|director|officer|general|president|chair\w*|counsel|treasurer|adviser|advisor|manager|head|chief"
    r"|commissioner|minister|coordinator|rapporteur|dean|rector|registrar|comptroller|controller|auditor|deputy)\b",
    re.IGNORECASE,
)


def label(unit: Unit, chart: Chart) -> str:
    """The unit's name with its article inside a sentence, and with what tells it from others of its name."""
    name = namesakes.called(unit, chart)
    return f"the {name}" if _takes_article(unit.name, unit.type) else name


@lru_cache(maxsize=4096)
def _takes_article(name: str, unit_type: str) -> bool:
    """English names of a kind of unit or a post do ("the Ethics Office"); slugs, bare nouns, other languages do not."""
    bare = names.without_parenthesis(name)
    kinds = _KINDS | {names.key(unit_type)}
    found = [word.text for word in names.words(bare)]
    if not found or name[0].islower() or _ARTICLE.match(name) or (len(found) == 2 and found[1].isdigit()):
        return False  # "Unit 7" is a name of its own
    if len(found) == 1:
        return found[0] in kinds
    head = [word.text for word in names.words(names.head_name(bare))][-1:]
    return not kinds.isdisjoint((found[0], found[-1], *head)) or bool(_OF.match(bare) or _POST.search(bare))


def is_post(noun: str) -> bool:
    """Whether a noun is for a post, "director": one person, and no unit of several."""
    return bool(_POST.search(noun))


def sentence(text: str) -> str:
    """The text as a sentence: first letter large, except of a name in small letters, and a full stop."""
    text = text[0].upper() + text[1:] if text.startswith(("the ", "a ", "an ", "no ", "directly ", "beside ")) else text
    return text if text.endswith((".", "!", "?")) else text + "."


def listing(items: Sequence[str]) -> str:
    """A, B and C."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def several(units: Sequence[Unit], chart: Chart, limit: int) -> str:
    """The units of a list, each with its type unless its name tells it; past the limit their number."""
    shown = [f"{label(unit, chart)}{_type_note(unit)}" for unit in units[: limit if len(units) > limit + 1 else None]]
    rest = len(units) - len(shown)
    return listing([*shown, f"{rest:,} more"] if rest else shown)


def _type_note(unit: Unit) -> str:
    if not unit.type or _tells_type(unit.name, unit.type):
        return ""
    return f" ({unit.type})"


@lru_cache(maxsize=4096)
def _tells_type(name: str, unit_type: str) -> bool:
    kind = names.key(unit_type)
    return kind == "unit" or set(kind.split()) <= set(names.key(name).split())


def counted(number: int, noun: str) -> str:
    """3 committees, 1 office, no units."""
    return f"{f'{number:,}' if number else 'no'} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of an English type of unit."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun if noun.endswith("s") and not noun.endswith("ss") else noun + "es"
    return noun + "s"


def with_article(noun: str) -> str:
    """A committee, an office, a unit."""
    return f"{'an' if re.match(r'[aeiou](?!ni|se)|hono', noun.lower()) else 'a'} {noun}"


def chain(unit: Unit, chart: Chart, upto: Unit | None = None) -> str:
    """Under A, which is under B, which is under C: to the top, or up to and with one unit."""
    above = list(reversed(chart.path(unit.id)[:-1]))
    if upto is not None:
        above = above[: above.index(upto) + 1]
    return "under " + ", which is under ".join(label(one, chart) for one in above)


def placed(unit: Unit, chart: Chart) -> str:
    """Where the unit sits, up to the top."""
    if unit.parent is None:
        return sentence(f"{label(unit, chart)} is at the top of the organization")
    return sentence(f"{label(unit, chart)} is {chain(unit, chart)}")


def parent(unit: Unit, chart: Chart, verb: str) -> str:
    """The unit directly above, alone. `verb` joins the two: "reports to", "is directly under"."""
    if unit.parent is None:
        return sentence(f"{label(unit, chart)} is at the top of the organization; nothing is above it")
    return sentence(f"{label(unit, chart)} {verb} {label(chart.unit(unit.parent), chart)}")


def children(unit: Unit, chart: Chart, limit: int) -> str:
    """The units directly under one, and how many there are below them; the list is shortened past the limit."""
    units = chart.children(unit.id)
    if not units:
        return sentence(f"no unit is under {label(unit, chart)}")
    verb = "is" if len(units) == 1 else "are"
    there = f"directly under {label(unit, chart)} there {verb} {counted(len(units), 'unit')}"
    text = sentence(f"{there}: {several(units, chart, limit)}" if limit else there)
    total = chart.total(unit.id)
    return text if total == len(units) else f"{text} In all, {total:,} units are under {label(unit, chart)}."


def totals(unit: Unit, chart: Chart, *, direct: bool = False, deep: bool = False) -> str:
    """How many units are under one, directly and in all; the `direct` number alone, or the `deep` one first."""
    near, total = len(chart.children(unit.id)), chart.total(unit.id)
    name = label(unit, chart)
    if not total:
        return sentence(f"no unit is under {name}")
    verb = "is" if near == 1 else "are"
    if near == total:
        return sentence(f"{counted(near, 'unit')} {verb} under {name}{'' if near == 1 else ', all of them directly'}")
    if deep:
        return f"In all, {total:,} units are under {name}, {near:,} of them directly."
    text = f"{counted(near, 'unit')} {verb} directly under {name}"
    return sentence(text if direct else f"{text}, and {total:,} are under it in all")


def of_type(units: Sequence[Unit], noun: str, above: Unit, chart: Chart, limit: int) -> str:
    """The units of one type under another: those directly under it first, each other one with the unit above it."""
    where = f" under {label(above, chart)}" if above.parent is not None else " in the organization"
    if not units:
        return sentence(f"no {noun} is{where}" if above.parent is not None else f"there is no {noun}{where}")
    start = f"there {'is' if len(units) == 1 else 'are'} {counted(len(units), noun)}{where}"
    if not limit:
        return sentence(start[0].upper() + start[1:])
    if len(units) <= _SORTED:
        units = sorted(units, key=lambda unit: unit.parent != above.id)
    shown = []
    for unit in units[: limit if len(units) > limit + 1 else None]:
        alone = unit.parent == above.id or above.parent is None or len(units) > 12
        shown.append(label(unit, chart) if alone else _with_parent(unit, chart))
    rest = len(units) - len(shown)
    shown += [f"{rest:,} more"] if rest else []
    return sentence(f"{start[0].upper() + start[1:]}: {listing(shown)}")


def _with_parent(unit: Unit, chart: Chart) -> str:
    if unit.parent is None or len(chart.named(unit.name)) > 1:
        return label(unit, chart)
    return f"{label(unit, chart)} (under {label(chart.unit(unit.parent), chart)})"


def siblings(unit: Unit, chart: Chart, limit: int) -> str:
    """The other units directly under the same one."""
    if unit.parent is None:
        return placed(unit, chart)
    others, above = chart.siblings(unit.id), label(chart.unit(unit.parent), chart)
    if not others:
        return sentence(f"{label(unit, chart)} is the only unit directly under {above}")
    number = f"{counted(len(others), 'other unit')} {'is' if len(others) == 1 else 'are'} directly under {above}"
    text = f"beside {label(unit, chart)}, {number}"
    return sentence(f"{text}: {several(others, chart, limit)}" if limit else text)


def kind(unit: Unit, chart: Chart) -> str:
    """What the unit is: its type and the unit above it."""
    noun = unit.type if unit.type and names.key(unit.type) != "unit" else "unit"
    if unit.parent is None:
        return sentence(f"{label(unit, chart)} is {with_article(noun)} at the top of the organization")
    return sentence(f"{label(unit, chart)} is {with_article(noun)} under {label(chart.unit(unit.parent), chart)}")


def described(unit: Unit, chart: Chart) -> str:
    """What the chart says of the unit in words, "" when nothing."""
    return sentence(f"{label(unit, chart)}: {unit.description}") if unit.description else ""
