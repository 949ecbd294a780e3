"""Where the words of a passage stand among the words of its page.

A passage is the page's text as a parser read it: words that were hyphenated are whole, a table is told row by row under
its header, columns and captions may come in another order. So words are compared by their letters and figures alone,
and aligned by a hidden Markov model: the best way through the page is the one that mostly goes on to the next word, and
jumps where it has to (Vogel, Ney and Tillmann, "HMM-based word alignment in statistical translation", 1996, with
equal words for translations). Several words of a passage may stand for one on the page, as a header does that is told
with each row, and the passage may begin or end on another page.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, pairwise
from math import log

_JUMP = 0.6
_DISTANCE = 0.35
_MISSING = 2.0
_RARITY = 0.5
"""Costs: of not going on to the next word, of how far away the other is, of a word without a place, and of how rare
it is. Only their proportion means something; tests/trag/view/test_sample.py holds what they are worth."""
_LEAST = 0.45
"""The share of a passage's words that follow each other where it stands; in the sample at least 0.64 where it does, and
at most 0.29 where it does not."""
_SOME = 3
"""Words on another page that are not there by chance."""
_LINE = re.compile(r".+")
_ROW = re.compile(r".{1,300}? – (?=[^;]*: )")
_CELL = re.compile(r"(?<=: )[^;]*")
"""A row of a table as trag/ingest/passages.py tells it, from its caption on, and what of it stands in cells."""
_WAYS = 20
"""Ways through the page that are followed at once."""
_OFTEN = 100
"""Places of one word that each way is tried from."""
_GAP = 2
"""Words between two of the passage that belong to it all the same: a mark of an item, a word that is read otherwise."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word by its letters and figures, small and without accents, and where it stands: `text[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Found:
    """The words of a page, and which of them, by their index and in order, are the passage's and which of those bear
    the answer out. `share` is how many of the passage's words have a place on this page, of 1; `before` and `after`:
    others have theirs on the page before or after."""

    words: tuple[Word, ...]
    passage: tuple[int, ...] = ()
    support: tuple[int, ...] = ()
    share: float = 0.0
    before: bool = False
    after: bool = False


def find(
    page: str, passage: str, supporting: Sequence[Sequence[int]] = (), *, before: str = "", after: str = ""
) -> Found:
    """Where a passage stands in the text of its page, between the pages before and after, on which it may begin or end.

    `supporting` are the stretches of the passage that bear out. Where its words do not follow each other it stands
    elsewhere, and no word is named rather than wrong ones.
    """
    asked = _as_drawn(passage)
    known = {word.text for word in asked}
    pages = [joined(words(text), known) for text in (before, page, after)]
    there = [word.text for each in pages for word in each]
    asked = joined(asked, set(there))
    places = align([word.text for word in asked], there)
    follow = sum(first is not None and second == first + 1 for first, second in pairwise(places))
    if follow < _LEAST * (len(places) - 1):
        return Found(tuple(pages[1]))
    first, count = len(pages[0]), len(pages[1])
    bears = [any(word.start < end and start < word.end for start, end in supporting) for word in asked]
    placed = [(place - first, of) for place, of in zip(places, bears, strict=True) if place is not None]
    own = {place for place, _ in placed if 0 <= place < count}
    bearing = {place for place, of in placed if of} & own
    return Found(
        tuple(pages[1]),
        _filled(own),
        tuple(place for place in _filled(bearing) if place in bearing or place not in own),
        sum(0 <= place < count for place, _ in placed) / max(1, len(places)),
        before=sum(place < 0 for place, _ in placed) >= _SOME,
        after=sum(place >= count for place, _ in placed) >= _SOME,
    )


def words(text: str) -> list[Word]:
    """The words of a text. A character of a script without spaces, such as Chinese, is one of its own."""
    found: list[Word] = []
    letters, start, end = "", 0, 0
    for at, character in enumerate(text):
        plain = "".join(filter(str.isalnum, unicodedata.normalize("NFKD", character).casefold()))
        if not plain and unicodedata.category(character) in ("Mn", "Mc", "Cf"):
            continue  # an accent, or a joiner, within a word
        alone = plain != "" and unicodedata.east_asian_width(plain[0]) == "W"
        if letters and (alone or not plain):
            found.append(Word(letters, start, end))
            letters = ""
        if alone:
            found.append(Word(plain, at, at + 1))
        elif plain:
            start = start if letters else at
            letters, end = letters + plain, at + 1
    return [*found, Word(letters, start, end)] if letters else found


def joined(parts: Sequence[Word], whole: Collection[str]) -> list[Word]:
    """The same words, where two in a row that only together are one of `whole` have become one: "gov-", "ernance"."""
    found: list[Word] = []
    for part in parts:
        last = found[-1] if found else None
        if last and last.text + part.text in whole and not (last.text in whole and part.text in whole):
            found[-1] = Word(last.text + part.text, last.start, part.end)
        else:
            found.append(part)
    return found


def align(passage: Sequence[str], page: Sequence[str]) -> list[int | None]:
    """For each word of a passage its place among the words of the page, None where it has none.

    Takes time by the passage's words and how often each stands on the page, up to _OFTEN.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(page):
        places[word].append(at)
    # By the last place of each way, -1 before the first: what it costs; and step by step, which way it came from and
    # whether it found its word.
    ways: dict[int, float] = {-1: 0.0}
    steps: list[dict[int, tuple[int, bool]]] = []
    for word in passage:
        there = places.get(word, [])
        if len(there) > _OFTEN:  # only where a way goes on, or where it may begin
            near = {last + step for last in ways for step in (1, 2, 3)}
            there = [place for place in near if place < len(page) and page[place] == word] or there[:_OFTEN]
        missing = _MISSING + _RARITY * log(len(page) / len(there)) if there else 0.0
        costs = {last: cost + missing for last, cost in ways.items()}
        came = {last: (last, False) for last in costs}
        for place in there:
            cost, last = min((cost + _way(last, place), last) for last, cost in ways.items())
            if place not in costs or cost < costs[place]:
                costs[place], came[place] = cost, (last, True)
        ways = dict(nsmallest(_WAYS, costs.items(), key=lambda way: way[1]))
        steps.append(came)
    at = min(ways, key=lambda last: ways[last])
    found: list[int | None] = []
    for came in reversed(steps):
        last, matched = came[at]
        found.append(at if matched else None)
        at = last
    return found[::-1]


def _as_drawn(passage: str) -> list[Word]:
    """The words of a passage, those of a table's row ("Limits – Post: Director; Limit: 50,000 LMD.") in the order of
    the page: first the names, which stand beside each other in the header, then the cells, which do in the row."""
    found: list[Word] = []
    for line in _LINE.finditer(passage):
        row = _ROW.match(line[0])
        cells = [cell.span() for cell in _CELL.finditer(line[0], row.end())] if row else []
        of_line = [Word(word.text, line.start() + word.start, line.start() + word.end) for word in words(line[0])]
        found += sorted(of_line, key=lambda word: any(a <= word.start - line.start() < b for a, b in cells))
    return found


def _filled(places: Iterable[int]) -> tuple[int, ...]:
    """Places in order, with those between two of them that are few."""
    ordered = sorted(set(places))
    between = (range(first + 1, second) for first, second in pairwise(ordered) if second - first - 1 <= _GAP)
    return tuple(sorted([*ordered, *chain.from_iterable(between)]))


def _way(last: int, place: int) -> float:
    """What it costs to go from one place to another; the first place of all costs nothing."""
    if last < 0 or place == last + 1:
        return 0.0
    return _JUMP + _DISTANCE * log(1 + abs(place - last - 1))
