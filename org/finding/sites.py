"""Names that many units share, told apart by the site they are at: "juniper library", "the library at juniper".

(Sentence, a name in it, its units) -> those at the site, and the site.  Knows nothing about other readings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass

from org.finding.index import Index
from org.finding.sentence import EVERYDAY, Sentence

_MOST_SHARING = 30  # more units than this with one name, and the words beside it are not looked at
_LONGEST = 3  # words of a site
_AT = re.compile(r"\s+(?:in|of|at|from)\s+(?:the\s+)?", re.IGNORECASE)
_GAP = re.compile(r"\s+(?:(?:of|for|and|&)\s+)?(?:the\s+)?", re.IGNORECASE)
_OWNED = ("'s", "’s", "'", "’")
_BEFORE_KIND = re.compile(r"(?:^|\b(?:the|our|of|in|at|from|is)\s+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Site:
    """The words from `first` up to `last`, and the units that they mean beside each other."""

    first: int
    last: int
    units: tuple[str, ...]


def sites(sentence: Sentence, first: int, last: int, units: Set[str], index: Index) -> Iterator[Site]:
    """What the words from `first` up to `last`, a name of the `units`, mean beside the beginning of the name of a unit
    above some of them; and that unit, where it is spoken of by itself ("at juniper", "juniper's")."""
    if not 0 < len(units) <= _MOST_SHARING:
        return
    words, text = sentence.words, sentence.text
    if first and text[words[first - 1].end : words[first].start] in (" ", "-"):
        for start in range(max(0, first - _LONGEST), first):
            if fitting := _below(sentence, start, first, units, index):
                if text[words[start].start : words[first - 1].end].endswith(_OWNED):
                    yield from _apart(start, first, first, last, fitting)
                else:
                    yield Site(start, last, tuple(fitting))
                return
    start = last + (last < len(words) and words[last].text in ("at", "from"))
    if start < len(words) and _AT.fullmatch(text, words[last - 1].end, words[start].start):
        for end in range(min(len(words), start + _LONGEST), start, -1):
            if fitting := _below(sentence, start, end, units, index):
                yield from _apart(start, end, first, last, fitting)
                return


def top(word: str, index: Index) -> str:
    """The unit, not the root, with a name that begins with the word, where none but units below it have others; ""
    when there is none."""
    leading = {unit for unit, _ in index.leads.get(word, ())}
    return highest(leading, index) if leading else ""


def highest(units: Collection[str], index: Index) -> str:
    """The unit, not the root, that all the others are under; "" when there is none."""
    top = min(units, key=index.chart.depth)
    is_one = all(unit == top or index.chart.is_under(unit, top) for unit in units)
    return top if is_one and top != index.root else ""


def _apart(start: int, end: int, first: int, last: int, fitting: dict[str, str]) -> Iterator[Site]:
    yield Site(first, last, tuple(fitting))
    above = tuple(dict.fromkeys(fitting.values()))
    if len(above) == 1:
        yield Site(start, end, above)


def _below(sentence: Sentence, first: int, last: int, units: Set[str], index: Index) -> dict[str, str]:
    """Those of the `units` that are below one with a name that begins with the words, and that one."""
    words, text = sentence.words, sentence.text
    lead, start = words[first].text, words[first].start
    is_kind = lead in index.kinds and not _BEFORE_KIND.search(text, max(0, start - 6), start)
    if lead in EVERYDAY or is_kind or lead not in index.leads:
        return {}
    if not all(_GAP.fullmatch(text, words[at].end, words[at + 1].start) for at in range(first, last - 1)):
        return {}
    run = " ".join(word.text for word in words[first:last])
    return {
        unit: above
        for above, key in index.leads[lead]
        if key.startswith(f"{run} ") and above != index.root
        for unit in units
        if unit != above and index.chart.is_under(unit, above)
    }
