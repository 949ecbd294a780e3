"""The units that a text names, and what it says of which is under which.

Chart, text -> mentions -> claims.  The scorer's own way of finding names, apart from the product's: every name and
alias of the chart, the longest first, and a name without its type where it means one unit alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from org.chart import Chart, Unit
from trag.evaluate.scoring.wording import Place, Word, plain, words

PATH_SEPARATOR = " > "
_EVERYDAY = 4  # letters from which a word in small letters may be taken for the name of a unit
_GAP = re.compile(r"[;\n]|[.:!?]\s")  # no name goes on behind these
_TOLD = re.compile(r"\s*\(?\s*(?:(?:of|in|under|at)\s+)?(?:the\s+)?", re.IGNORECASE)
"""Between a shared name and the unit above that tells whose it is: "Registry (Legal Office)", "Registry of the ..."."""

_NOT = re.compile(r"\b(?:not|never|no longer|nor|neither)\b|n't\b", re.IGNORECASE)
_AND = re.compile(r"\W*(?:,|;|\band\b|\bor\b|\bboth\b|\bas well as\b)?\W*(?:\band\b)?\W*(?:the\b)?\W*", re.IGNORECASE)
_UNDER = re.compile(
    r"\b(?:under|below|beneath|part of|belongs? to|reports? to|subordinate to)\b(?!\W+(?:it|them|which)\b)"
    r"|\b(?:is|are|sits?|stands?|lies|lie)(?: \w+ly)? (?:with)?in\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(?:above|over|oversees?|contains?|includes?|consists? of|comprises?|holds?)\b", re.IGNORECASE)
_DIRECTLY = re.compile(r"\b(?:directly|immediately)\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:which|that|who)\b", re.IGNORECASE)
_IT = re.compile(r"\W*(?:(?:yes|no)\W+)?(?:it|they|that|this)\b[^,;]*$", re.IGNORECASE)
_LONGEST = 9  # words between two units that are said to be one under the other


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at `place` in a text; a shared name has several `units`, any of which may be meant."""

    units: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text says: that one of the units of the mention `below` is under one of `above`, or, `denied`, is not."""

    below: tuple[str, ...]
    above: tuple[str, ...]
    denied: bool
    directly: bool

    def holds(self, chart: Chart) -> bool:
        """Whether it is so by the chart."""
        pairs = [(unit, other) for unit in self.below for other in self.above]
        if self.directly and not self.denied:
            return any(chart.unit(unit).parent == other for unit, other in pairs)
        return any(chart.is_under(unit, other) for unit, other in pairs) != self.denied


@dataclass(slots=True)
class _Named:
    """The units of a name, and how it must be written: in capitals, with one, or anyhow (2, 1, 0)."""

    units: list[str]
    capitals: int


def ids(name: str, chart: Chart) -> tuple[str, ...]:
    """The units that a case means by a name: as it stands, behind the names above it ("Parent > Name"), or an alias."""
    parts = [part.strip().casefold() for part in name.split(PATH_SEPARATOR)]
    found = chart.named(name) or tuple(
        unit
        for unit in chart.named(parts[-1])
        if [one.name.casefold() for one in chart.path(unit.id)][-len(parts) :] == parts
    )
    folded = name.casefold()
    return tuple(unit.id for unit in found) or tuple(
        unit.id for unit in chart.units.values() if folded in (alias.casefold() for alias in unit.aliases)
    )


def keys(chart: Chart) -> Iterable[tuple[str, ...]]:
    """The words of every name of a chart."""
    return _names(chart)[0]


def mentions(text: str, among: Sequence[Word], chart: Chart, *, hurried: bool = False) -> tuple[Mention, ...]:
    """The units that a `plain` text names, in its order; `hurried` where nobody minds capitals, as in a question."""
    names, longest = _names(chart)
    found: list[Mention] = []
    taken = 0
    for first in range(len(among)):
        for last in range(min(len(among), first + longest), max(first, taken), -1):
            row, place = among[first:last], Place(among[first].start, among[last - 1].end)
            named = names.get(tuple(word.key for word in row)) if first >= taken else None
            if named is None or any(_GAP.search(text, a.end, b.start) for a, b in pairwise(row)):
                continue
            said, capitals = text[place.start : place.end], named.capitals
            if hurried:
                is_written = capitals < 2 or len(said) >= _EVERYDAY or said.isupper()
            else:
                is_written = capitals == 0 or (said.isupper() if capitals == 2 else said[0].isupper())
            if is_written:
                found.append(Mention(tuple(named.units), place))
                taken = last
                break
    return tuple(_narrowed(found, text, chart))


def types(among: Sequence[Word], chart: Chart) -> dict[int, str]:
    """The types of unit that words speak of, by where the words for them begin."""
    rows = {tuple(word.key for word in words(plain(one))): one for one in chart.types}
    longest = max(map(len, rows), default=0)
    found: dict[int, str] = {}
    taken = 0
    for first in range(len(among)):
        for last in range(min(len(among), first + longest), max(first, taken), -1):
            if first >= taken and (one := rows.get(tuple(word.key for word in among[first:last]))):
                found[among[first].start] = one
                taken = last
                break
    return found


def claims(text: str, sentence: Place, named: Sequence[Mention], asked: Sequence[str]) -> Iterator[Claim]:
    """What a sentence says of the mentions in it, of the unit `asked` about where it begins with "it"."""
    group: list[tuple[str, ...]] = []
    holders: list[tuple[str, ...]] = []
    last: tuple[str, ...] = ()  # what the group was said to be under
    before: tuple[str, ...] = ()
    end = sentence.start
    for mention in named:
        between, end = text[end : mention.place.start], mention.place.end
        if not group and asked and _IT.match(between):
            group = [tuple(asked)]
        denied, directly = bool(_NOT.search(between)), bool(_DIRECTLY.search(between))
        is_near = len(between.split()) <= _LONGEST
        if before and is_near and "(" in between:  # what stands in brackets is of the unit before it alone
            if _UNDER.search(between):
                yield Claim(before, mention.units, denied, directly)
        elif group and is_near and _UNDER.search(between):
            below = [last] if last and _WHICH.search(between) else group
            yield from (Claim(one, mention.units, denied, directly) for one in below)
            last = mention.units
        elif group and is_near and _ABOVE.search(between):
            holders, group = ([last] if last and _WHICH.search(between) else group), [mention.units]
            yield from (Claim(mention.units, one, denied, directly) for one in holders)
            last = ()
        elif group and not last and ":" not in between and _AND.fullmatch(between):
            yield from (Claim(mention.units, one, denied=False, directly=False) for one in holders)
            group.append(mention.units)
        else:
            group, holders, last = [mention.units], [], ()
        before = mention.units


@lru_cache(maxsize=8)
def _names(chart: Chart) -> tuple[Mapping[tuple[str, ...], _Named], int]:
    """Every name of a chart by its words, and how many words the longest has."""
    full: dict[tuple[str, ...], _Named] = {}
    short: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for unit in chart.units.values():
        for name in (unit.name, *unit.aliases):
            key = tuple(word.key for word in words(plain(name)))
            if key:
                is_acronym = name.isupper() and len(name) < _EVERYDAY
                capitals = 0 if len(key) > 1 else 2 if is_acronym else int(name[0].isupper())
                named = full.setdefault(key, _Named([], capitals))
                if unit.id not in named.units:
                    named.units.append(unit.id)
        for key in _shorts(unit):
            short[key].add(unit.id)
    for key, units in short.items():
        if key not in full and len(units) == 1:
            full[key] = _Named(list(units), 1)
    return full, max(map(len, full), default=0)


def _shorts(unit: Unit) -> Iterator[tuple[str, ...]]:
    """A name without what stands in brackets, and without its type: "Medicine" for the Department of Medicine."""
    bare = re.sub(r"\s*\([^()]*\)", "", plain(unit.name))
    key, noun = (tuple(word.key for word in words(text)) for text in (bare, plain(unit.type)))
    if bare != unit.name:
        yield key
    if noun and len(key) > len(noun):
        if key[-len(noun) :] == noun:
            yield key[: -len(noun)]
        elif key[: len(noun) + 1] == (*noun, "of") and len(key) > len(noun) + 1:
            yield key[len(noun) + 1 :]


def _narrowed(found: Sequence[Mention], text: str, chart: Chart) -> Iterator[Mention]:
    """The mentions, a shared name narrowed to the units that are under the one that stands behind it or before it."""
    for place, mention in enumerate(found):
        units, start, end = mention.units, mention.place.start, mention.place.end
        if len(units) > 1:
            beside = [one for one in found[place + 1 : place + 2] if _TOLD.fullmatch(text, end, one.place.start)]
            before = found[max(0, place - 1) : place]
            beside += [one for one in before if text[one.place.end : start].strip() == ">"]
            narrowed = (
                tuple(unit for unit in units if any(chart.is_under(unit, above) for above in one.units))
                for one in beside
            )
            units = next(filter(None, narrowed), units)
        yield Mention(units, mention.place)
