"""How facts of the chart are worded: short plain sentences that a person reads at a glance and a checker compares.

In English they have articles and verbs; other languages do without (`org.language`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from org.chart import Chart, Unit
from org.language import gettext, in_english, listing, ngettext, number
from org.linking import disambiguation

if TYPE_CHECKING:
    from org.linking.entities import Mention

MANY, FEW = 60, 8
"""How many units a list names, and how many in passing; past that it says how many more."""
LONGEST = 1_000
"""Characters of a cell that are shown."""
_LONGEST_NAME = 200
_LONGEST_LIST = 6_000
MOST = 12
"""Units that are described to one question; a text that names more is no question about them."""
_LISTED = 20


def label(unit: Unit, chart: Chart) -> str:
    """The unit's name with its article inside a sentence, and with what tells it from others of its name."""
    name = line(disambiguation.called(unit, chart, gettext("at the top")), _LONGEST_NAME)
    kind, words = unit.type.casefold().split(), unit.name.casefold().split()
    if not in_english() or not kind or not unit.name[0].isupper() or words[0] == "the":
        return name
    # A name that begins with its type or ends as that ends does, "the Ethics Committee" of a standing committee, unless
    # what is left is a number or a letter, "Unit 7".
    rest = words[:-1] if words[-1] == kind[-1] else words[len(kind) :] if words[: len(kind)] == kind else []
    return f"the {name}" if any(len(word) > 1 and not word.isdigit() for word in rest) else name


def line(text: str, longest: int = LONGEST) -> str:
    """A text of the chart as one line of signs that can be seen, cut where it is too long."""
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * longest]).split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def sentence(text: str) -> str:
    """The text as a sentence: first letter large, except of a name in small letters, and a full stop."""
    begins_small = in_english() and text.startswith(("the ", "a ", "an ", "no ", "none "))
    text = capital(text) if begins_small else text
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def capital(text: str) -> str:
    """The text with a large first letter."""
    return text[:1].upper() + text[1:]


def names(units: Sequence[Unit], chart: Chart, limit: int = 3) -> str:
    """The units by their names; past the limit, or where their names are very long, how many more there are."""
    return _shortened([label(unit, chart) for unit in _first(units, limit)], len(units))


def several(units: Sequence[Unit], chart: Chart, limit: int, *, typed: bool = False, placed: bool = False) -> str:
    """The units of a list, each with its type unless the list is of one type (`typed`) or its name tells it; a short
    list, where it is asked for, with the unit that each is under (`placed`). "" of no units, and for a limit of 0."""
    if not units or not limit:
        return ""
    placed = placed and len(units) <= FEW
    shown = []
    for unit in _first(units, limit):
        kind = unit.type.casefold().split()
        tells_type = kind == ["unit"] or set(kind) <= set(unit.name.casefold().split())
        notes = [line(unit.type)] if not typed and not tells_type else []
        if placed and unit.parent is not None and not disambiguation.told(unit, chart):
            notes.append(gettext("under {units}", units=label(chart.unit(unit.parent), chart)))
        shown.append(f"{label(unit, chart)} ({', '.join(notes)})" if notes else label(unit, chart))
    return _shortened(shown, len(units))


def _first(units: Sequence[Unit], limit: int) -> Sequence[Unit]:
    return units if len(units) <= limit + 1 else units[:limit]


def _shortened(shown: list[str], total: int) -> str:
    """The names that are shown of a list, at most some thousand signs of them, and the number of the rest."""
    room = _LONGEST_LIST
    for place, name in enumerate(shown):
        room -= len(name)
        if room < 0:
            shown = shown[:place]
            break
    rest = total - len(shown)
    return listing([*shown, gettext("{number} more", number=number(rest))] if rest else shown)


def counted(count: int, noun: str) -> str:
    """3 committees, 1 office, no units; without a noun 3, 1, none. In other languages than English 3 (Ausschuss)."""
    if in_english():
        if not noun:
            return number(count) if count else "none"
        return f"{number(count) if count else 'no'} {noun if count == 1 else plural(noun)}"
    if noun == "unit":
        return ngettext("{number} unit", "{number} units", count, number=number(count))
    return f"{number(count)} ({noun})" if noun else number(count)


def are(count: int, noun: str) -> str:
    """3 committees are, 1 office is, no unit is; without a noun 3 are, none is. In other languages as `counted`."""
    if not in_english():
        return counted(count, noun)
    return f"{counted(count, noun) if count else f'no {noun}' if noun else 'none'} {'are' if count > 1 else 'is'}"


def plural(noun: str) -> str:
    """The plural of an English type of unit."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun if noun.endswith("s") and not noun.endswith("ss") else noun + "es"
    return noun + "s"


def with_article(noun: str) -> str:
    """A committee, an office, a unit."""
    if not in_english():
        return noun
    return f"{'an' if re.match(r'[aeiou](?!ni|se)|hono', noun.lower()) else 'a'} {noun}"


def chain(unit: Unit, chart: Chart, upto: Unit | None = None) -> str:
    """Under A, which is under B, which is under C: to the top, or up to and with one unit."""
    above = list(reversed(chart.path(unit.id)[:-1]))
    if upto is not None:
        above = above[: above.index(upto) + 1]
    return gettext("under {units}", units=gettext(", which is under ").join(label(one, chart) for one in above))


def placed(unit: Unit, chart: Chart) -> str:
    """Where the unit sits, up to the top."""
    place = top() if unit.parent is None else chain(unit, chart)
    return sentence(gettext("{unit} is {place}", unit=label(unit, chart), place=place))


def parent(unit: Unit, chart: Chart) -> str:
    """The unit directly above, alone."""
    name = label(unit, chart)
    if unit.parent is None:
        return sentence(gettext("{unit} is at the top of the organization; nothing is above it", unit=name))
    above = label(chart.unit(unit.parent), chart)
    return sentence(gettext("{unit} is directly under {parent}", unit=name, parent=above))


def kind(unit: Unit, chart: Chart) -> str:
    """What the unit is: its type and the unit above it."""
    name, place = label(unit, chart), top()
    if unit.parent is not None:
        place = gettext("under {units}", units=label(chart.unit(unit.parent), chart))
    if not unit.type:
        return sentence(gettext("{unit} is {place}", unit=name, place=place))
    return sentence(gettext("{unit} is {type} {place}", unit=name, type=with_article(line(unit.type)), place=place))


def top() -> str:
    """Where the topmost unit is, in a sentence."""
    return gettext("at the top of the organization")


def described(unit: Unit, chart: Chart) -> str:
    """What the chart says of the unit in words, "" when nothing."""
    return sentence(f"{label(unit, chart)}: {line(unit.description)}") if unit.description else ""


def cell(unit: Unit, header: str, text: str, chart: Chart) -> str:
    """What stands in a column about the unit."""
    name = column(header if header.isupper() else header.lower() if in_english() else header)
    return sentence(gettext("the {column} of {unit} is {text}", column=name, unit=label(unit, chart), text=line(text)))


def column(header: str) -> str:
    """What a column is called: those that every chart may have go by names of ours."""
    ours = {"head": gettext("head"), "email": gettext("email"), "code": gettext("code")}
    return ours.get(header, header)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence or short paragraph about the unit with the id `unit`, true of the chart of that `version`."""

    unit: str
    text: str
    version: str


def placement(unit_id: str, chart: Chart) -> Statement:
    """Where a unit sits, up to the top: "A is under B, which is under C."."""
    return Statement(unit_id, placed(chart.unit(unit_id), chart), chart.version)


def describe(
    mentions: Sequence[Mention], chart: Chart, *, budget: int, count: Callable[[str], int]
) -> tuple[Statement, ...]:
    """What the chart says of the units that are named: where they sit, then what they do, then what is under them;
    `count` of all texts together at most `budget`. What does not fit is left out whole."""
    named = dict.fromkeys(unit for mention in mentions for unit in mention.units)
    units = [chart.unit(unit) for unit in list(named)[:MOST]]
    told = [(unit, placed(unit, chart)) for unit in units]
    told += [(unit, text) for unit in units if (text := described(unit, chart))]
    for unit in units:
        if below := several(chart.children(unit.id), chart, _LISTED):
            told.append(
                (unit, sentence(gettext("Directly under {unit}: {units}", unit=label(unit, chart), units=below)))
            )
    chosen: list[Statement] = []
    for unit, text in told:
        size = count(text)
        if size <= budget:
            budget -= size
            chosen.append(Statement(unit.id, text, chart.version))
    return tuple(chosen)
