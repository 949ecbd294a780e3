"""Units of a list whose names share words that are said once: "wards 1 and 2", "the finance and planning committees".

(Sentence, Index) -> the units of such lists, each with its words.  Knows nothing about other readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from org.finding.index import Index, Rank
from org.finding.names import Word
from org.finding.sentence import Sentence

_LONGEST = 5  # words of a name that is said in full
_LONGEST_REST = 3  # words of one that lacks some
_AND = re.compile(r"(?:\s*[,/&+]|\s(?:and|or|e|et|und|ve|y)\b)\s*(?:(?:and|or)\s)?(?:the\s)?", re.IGNORECASE)
_BESIDE = re.compile(r"[ -](?:(?:of|for|on) )?(?:the )?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listed:
    """The words from `first` up to `last`; with those that the list shares they are the name of the `units`, which the
    chart has as `written`."""

    first: int
    last: int
    units: tuple[str, ...]
    written: str


def listed(sentence: Sentence, index: Index) -> Iterator[Listed]:
    """The units of every list that says one name in full, its first or its last, and of the others what differs."""
    joins = dict(_joins(sentence))
    reader = _Reader(sentence, index, joins, {start: end for end, start in joins.items()})
    for end, start in joins.items():
        for first in range(max(0, end - _LONGEST), end - 1):
            yield from reader.list_from(first, end)
        for last in range(start + 2, min(start + _LONGEST, len(sentence.words)) + 1):
            yield from reader.list_up_to(start, last)


def _joins(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Where one thing of a list ends, and where the next begins: an "or" between them is a word."""
    words, text = sentence.words, sentence.text
    for end in range(1, len(words)):
        for start in (end + 1, end):
            if start < len(words) and _AND.fullmatch(text, words[end - 1].end, words[start].start):
                yield end, start
                break


@dataclass(frozen=True, slots=True)
class _Reader:
    """`starts` gives the first word of the next thing of a list by the end of the one before it, `ends` the reverse."""

    sentence: Sentence
    index: Index
    starts: Mapping[int, int]
    ends: Mapping[int, int]

    def list_from(self, first: int, last: int) -> Iterator[Listed]:
        """The list that begins with the name from `first` up to `last`, if it is one, whose beginning others lack."""
        if whole := self._named(first, last):
            for end in range(last - 1, first, -1):
                shared = self.sentence.words[first:end]
                if others := [one for one in self._after(shared, last) if one.units != whole.units]:
                    yield from (whole, *others)
                    return

    def list_up_to(self, first: int, last: int) -> Iterator[Listed]:
        """The list that ends with the name from `first` up to `last`, if it is one, whose kind of unit others lack."""
        words = self.sentence.words
        if words[last - 1].text in self.index.kinds and (whole := self._named(first, last)):
            for start in range(first + 1, last):
                if others := [one for one in self._before(words[start:last], first) if one.units != whole.units]:
                    yield from (whole, *others)
                    return

    def _after(self, shared: Sequence[Word], last: int) -> Iterator[Listed]:
        """What follows on `last` in the list, each a name with the shared words before it."""
        while last in self.starts:
            start = self.starts[last]
            spans = ((start, start + size) for size in range(_LONGEST_REST, 0, -1))
            one = next(filter(None, (self._named(*span, before=shared) for span in spans)), None)
            if one is None:
                return
            yield one
            last = one.last

    def _before(self, shared: Sequence[Word], first: int) -> Iterator[Listed]:
        """What comes before `first` in the list, each a name with the shared words after it."""
        while first in self.ends:
            end = self.ends[first]
            spans = ((end - size, end) for size in range(_LONGEST_REST, 0, -1))
            one = next(filter(None, (self._named(*span, after=shared) for span in spans)), None)
            if one is None:
                return
            yield one
            first = one.first

    def _named(self, first: int, last: int, before: Sequence[Word] = (), after: Sequence[Word] = ()) -> Listed | None:
        """The words from `first` up to `last`, between shared ones, as a name in full. What is a name by itself stays
        that, unless the shared words say that there are several."""
        words, text = self.sentence.words, self.sentence.text
        if first < 0 or last > len(words):
            return None
        if not all(_BESIDE.fullmatch(text, words[at].end, words[at + 1].start) for at in range(first, last - 1)):
            return None
        own = " ".join(word.text for word in words[first:last])
        shared = (*before, *after)
        is_several = any(word.plural and word.text in self.index.kinds for word in shared)
        if shared and own in self.index.names and not is_several:
            return None
        phrase = " ".join(word.text for word in (*before, *words[first:last], *after))
        sharing = [name for name in self.index.names.get(phrase, ()) if name.rank <= Rank.DERIVED]
        if not sharing:
            return None
        rank = min(name.rank for name in sharing)
        surest = [name for name in sharing if name.rank == rank]
        return Listed(first, last, tuple(dict.fromkeys(name.unit for name in surest)), surest[0].written)
