"""What stretches of a text may name: every candidate for a mention; they may overlap.

(Text, its canonical words, phrases of the index in them) -> Candidates.  Knows nothing about which of them are chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from org.linking import names
from org.linking.index import Index, Name
from org.linking.names import Word


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of the index: the words from `first` up to `last`."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """The words from `first` up to `last` as a name of `units`."""

    first: int
    last: int
    units: tuple[str, ...]


_BREAK = re.compile(r"[?!;\n]")  # what no name goes across, unless it is written so
_JOINED = re.compile(r"[\w\s&'’/,-]*")  # what may stand between words of one name: little words are dropped before
_MOST_SHARING = 6  # more units than this that have some words, and they name none of them
_LONGEST = 5  # of some words of a name


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one text; `words` are its canonical words, with slips put right."""

    text: str
    words: Sequence[Word]
    index: Index
    stop_words: Set[str]

    def candidates(self, phrases: Sequence[Phrase]) -> Iterator[Candidate]:
        """Every candidate, of equally long ones the surer first: the names in full, then some words of a name."""
        for phrase in phrases:
            if units := self._named(phrase):
                yield Candidate(phrase.first, phrase.last, units)
        for first in range(len(self.words)):
            if some := self._some(first):
                yield some

    def _named(self, phrase: Phrase) -> tuple[str, ...]:
        """The units that have the words for a name in full."""
        start, end = self.words[phrase.first].start, self.words[phrase.last - 1].end
        typed = self.text[start:end].casefold()
        sharing = self.index.given.get(phrase.text) or self.index.derived[phrase.text]
        if _BREAK.search(typed):
            sharing = [name for name in sharing if typed in name.written.casefold()]
        if phrase.last - phrase.first == 1 and not self._is_name(phrase.first):
            return ()
        exact = _exactly(typed, self.text[max(0, start - 3) : end + 3].casefold(), sharing)
        return tuple(dict.fromkeys(name.unit for name in exact or sharing))

    def _is_name(self, place: int) -> bool:
        """Whether a single word that is a name is meant so: one as "it", or initials that the chart does not have, only
        in capitals, "IT", where not all is so."""
        word = self.words[place]
        typed = self.text[word.start : word.end]
        if word.text in self.index.given:
            is_doubtful = not self.stop_words.isdisjoint((word.text, typed.lower()))
        else:
            is_doubtful = names.is_acronym(self.index.derived[word.text][0].written)
        return not is_doubtful or (typed.isupper() and not (self.text.isupper() and len(self.words) > 1))

    def _some(self, first: int) -> Candidate | None:
        """The longest words from `first` on that few units' names have all of, in whatever order: "heritage advisory
        board" for the Advisory Board on Urban Heritage. A single word is written with a capital within a sentence:
        "Music" for the School of Music."""
        last = first + 1
        while last < min(first + _LONGEST, len(self.words)) and _JOINED.fullmatch(
            self.text, self.words[last - 1].end, self.words[last].start
        ):
            last += 1
        for end in range(last, first, -1):
            some = self.words[first:end]
            if len({word.text for word in some}) < len(some) or (end == first + 1 and not self._is_capitalized(first)):
                continue
            if some[0].text.isdecimal() and len(some) == 2 and some[1].text in self.index.kinds:  # "1 unit"
                continue
            units = self.index.with_all(some)
            if 0 < len(units) <= (_MOST_SHARING if len(some) > 1 else 1):
                return Candidate(first, end, tuple(units))
        return None

    def _is_capitalized(self, place: int) -> bool:
        """Whether a capital tells a name: none does where a sentence begins, or where all is in capitals."""
        start = self.words[place].start
        before = self.text[:start].rstrip()
        is_within = bool(before) and before[-1] not in ".?!:"
        return self.text[start].isupper() and is_within and not self.text.isupper()


def _exactly(typed: str, around: str, sharing: Sequence[Name]) -> list[Name]:
    """The names that are written as they are typed, with the signs around them: "C" and "C++" share their word."""
    fitting = [name for name in sharing if typed in name.written.casefold() and name.written.casefold() in around]
    longest = max((len(name.written) for name in fitting), default=0)
    return [name for name in fitting if len(name.written) == longest]
