"""What the phrases of a sentence may mean: every reading of its words as the name of a unit, likely or not.

(Sentence, phrases of the index) -> Readings; they may overlap. Knows nothing about which of them are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from org.finding import beside, names, sites
from org.finding.index import MOST_SHARING, Core, Index, Name, Rank
from org.finding.kinds import BODIES, LESSER, OFFICES
from org.finding.listed import listed
from org.finding.sentence import EVERYDAY, Sentence


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of the index: the words from `first` up to `last`."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The words from `first` up to `last` as a name of `units`, which the chart has as `written` ("" where they are
    only some of its words). A nickname shares no word with the unit's own name; a part is one side of an "and";
    what is listed has the rest of its name from a list that it stands in."""

    first: int
    last: int
    units: tuple[str, ...]
    rank: Rank
    written: str = ""
    is_nickname: bool = False
    is_part: bool = False
    is_listed: bool = False


_BREAK = re.compile(r"[?!;\n]")
_SIDE = re.compile(r"(?:'s?|’s?)?[ -](?:(?:of|for|on|and|&) )?(?:the )?", re.IGNORECASE)
_AND = re.compile(r"[&+/,]|\b(?:and|et|und|y|e)\b|(?:^|\s)و", re.IGNORECASE)
_LITTLE = re.compile(
    r"[,(]|(?:^|\W)(?:of|for|on|in|at|to|d|de|des|du|del|della|di|do|da|von|für|fur|van)\W", re.IGNORECASE
)
_FILLER = re.compile(r"\W*\b(the|an?|in)\b\W*", re.IGNORECASE)


def readings(sentence: Sentence, phrases: Iterable[Phrase], index: Index) -> tuple[Reading, ...]:
    """Every reading of every phrase; of several with the same words and units the surest. What a list says of words is
    all that they mean. A name in full is no other's without its kind, and words of one name no side of another's."""
    found: dict[tuple[int, int, frozenset[str]], Reading] = {}
    for reading in _Reader(sentence, tuple(phrases), index).readings():
        key = reading.first, reading.last, frozenset(reading.units)
        if key not in found or reading.rank < found[key].rank:
            found[key] = reading
    in_list = {
        (one.first, one.last): Reading(one.first, one.last, one.units, Rank.GIVEN, one.written, is_listed=True)
        for one in listed(sentence, index)
    }
    in_full = {
        (reading.first, reading.last)
        for reading in found.values()
        if reading.rank == Rank.GIVEN and not names.is_acronym(reading.written)
    }
    with_kind = {(reading.first, reading.last) for reading in found.values() if reading.rank == Rank.SOME}
    others = (
        reading
        for reading in found.values()
        if (place := (reading.first, reading.last)) not in in_list
        and not (reading.rank == Rank.BARE and place in in_full)
        and not (reading.rank == Rank.KIND and reading.is_part and place in with_kind)
    )
    return *in_list.values(), *others


@dataclass(frozen=True, slots=True)
class _Reader:
    sentence: Sentence
    phrases: Sequence[Phrase]
    index: Index

    def readings(self) -> Iterator[Reading]:
        ended = {phrase.last for phrase in self.phrases if " " in phrase.text and phrase.text in self.index.names}
        for phrase in self.phrases:
            yield from self._as_name(phrase)
            yield from self._as_added(phrase, is_ended=phrase.first in ended)
            given = {name.unit for name in self.index.names.get(phrase.text, ()) if name.rank == Rank.GIVEN}
            for site in sites.sites(self.sentence, phrase.first, phrase.last, given, self.index):
                yield Reading(site.first, site.last, site.units, Rank.SITE)
            if not _BREAK.search(self._typed(phrase)):
                yield from self._as_core(phrase, is_ended=phrase.first in ended)
        for place, word in enumerate(self.sentence.words):
            if word.plural:
                continue
            if word.text in self.index.kinds:
                yield from self._as_some(place)
            elif word.text not in self.index.names and (top := sites.top(word.text, self.index)):
                yield Reading(place, place + 1, (top,), Rank.LEAD)

    def _typed(self, phrase: Phrase) -> str:
        words = self.sentence.words
        return self.sentence.text[words[phrase.first].start : words[phrase.last - 1].end]

    def _as_name(self, phrase: Phrase) -> Iterator[Reading]:
        """The words as a name in full."""
        sharing = [name for name in self.index.names.get(phrase.text, ()) if self._fits(phrase, name.written)]
        start = self.sentence.words[phrase.first].start
        if not sharing or self.sentence.before(start, 1) in LESSER:
            return
        rank = min(name.rank for name in sharing)
        best = [name for name in sharing if name.rank == rank]
        exact = self._exactly(phrase, best) or best
        name = next((name for name in exact if names.is_acronym(name.written)), exact[0])
        units = tuple(dict.fromkeys(name.unit for name in exact))
        yield Reading(phrase.first, phrase.last, units, rank, name.written, is_nickname=name.is_nickname)

    def _as_added(self, phrase: Phrase, *, is_ended: bool) -> Iterator[Reading]:
        """The words as a name with a kind that people add to it. One before it that ends another name is that one's."""
        words, kinds = self.sentence.words, self.index.kinds
        first, last = phrase.first, phrase.last
        given = [name for name in self.index.names.get(phrase.text, ()) if name.rank == Rank.GIVEN]
        given = [name for name in given if self._fits(phrase, name.written)]
        if not given or not kinds.isdisjoint((words[first].text, words[last - 1].text)):
            return
        units = tuple(dict.fromkeys(name.unit for name in given))
        if kind := beside.kind_after(self.sentence, last, kinds):
            is_body = kind in BODIES - OFFICES
            if akin := tuple(unit for unit in units if not (is_body and unit in self.index.offices)):
                yield Reading(first, last + 1, akin, Rank.ADDED, given[0].written)
        elif not is_ended and (
            beside.kind_before(self.sentence, first, kinds) or beside.is_kind_beside(self.sentence, first, kinds)
        ):
            yield Reading(first - 1, last, units, Rank.ADDED, given[0].written)

    def _exactly(self, phrase: Phrase, sharing: Sequence[Name]) -> list[Name]:
        """The names that are written as they are typed, with the signs around them: "C" and "C++" share their word."""
        words = self.sentence.words
        stretch = self._typed(phrase).casefold()
        around = self.sentence.text[max(0, words[phrase.first].start - 3) : words[phrase.last - 1].end + 3].casefold()
        typed = [name for name in sharing if stretch in name.written.casefold() and name.written.casefold() in around]
        longest = max((len(name.written) for name in typed), default=0)
        return [name for name in typed if len(name.written) == longest]

    def _fits(self, phrase: Phrase, written: str) -> bool:
        """Whether what stands between the words is no more than what stands in the name: "call the centre" is not the
        Call Centre, nor "identity and search squad" the Search Identity Squad."""
        words = self.sentence.words
        stretch = self._typed(phrase)
        if stretch.lower() in written.lower():
            return True
        if _BREAK.search(stretch) and not _BREAK.search(written):
            return False
        for place in range(phrase.first, phrase.last - 1):
            gap = self.sentence.text[words[place].end : words[place + 1].start]
            if len(gap) < 3:
                continue
            if (filler := _FILLER.fullmatch(gap)) and not re.search(rf"\b{filler[1]}\b", written, re.IGNORECASE):
                return False
            if beside.OF.match(gap) and not _LITTLE.search(written):
                return False
            if _AND.search(gap) and not _AND.search(written):
                return False
        return True

    def _as_core(self, phrase: Phrase, *, is_ended: bool) -> Iterator[Reading]:
        """The words as a name without its kind: with a kind beside it, and alone. A kind before it that ends another
        name is that one's: "the Audit Section of permits"."""
        first, last = phrase.first, phrase.last
        cores = self.index.cores.get(phrase.text, ())
        if last - first > 1:
            cores = [core for core in cores if self._fits(phrase, core.written)]
        # "1 unit" is how many there are, and "unit 1" may be a unit.
        after = "" if phrase.text.isdecimal() else beside.kind_after(self.sentence, last, self.index.kinds)
        kind = after or ("" if is_ended else beside.kind_before(self.sentence, first, self.index.kinds))
        if not cores:
            return
        is_everyday = phrase.text in EVERYDAY
        if kind and (units := _of_kind(cores, kind, strict=is_everyday)):
            is_part = all(core.is_part for core in cores if core.unit in units)
            yield Reading(first - (not after), last + bool(after), units, Rank.KIND, is_part=is_part)
        if kind and is_everyday:
            return
        alone = [core for core in cores if core.is_alone]
        sharing = dict.fromkeys(core.unit for core in alone)
        if len(sharing) > 1:
            alone = [core for core in alone if not core.is_part] or alone
            if any(core.kind in OFFICES for core in alone):
                alone = [core for core in alone if core.kind not in BODIES - OFFICES]
            sharing = dict.fromkeys(core.unit for core in alone)
        if 0 < len(sharing) <= MOST_SHARING:
            yield Reading(first, last, tuple(sharing), Rank.BARE, alone[0].written, is_part=alone[0].is_part)

    def _as_some(self, place: int) -> Iterator[Reading]:
        """The kind at `place` and one to four words before it, or after it and an "of", that one unit's names have all
        of, in whatever order: "heritage advisory board" for the Advisory Board on Urban Heritage."""
        words = self.sentence.words
        spans = [(place - size, place + 1) for size in (4, 3, 2)] + [(place, place + size + 1) for size in (4, 3, 2)]
        for first, last in [*spans, (place - 1, place + 1)]:
            if first < 0 or last > len(words):
                continue
            some = [word.text for word in words[first:last]]
            if some[0].isdecimal() and last == place + 1 == first + 2:  # "1 unit"
                continue
            rare = [having for word in some if (having := self.index.by_word.get(word))]
            if not rare or not self._is_run(first, last):
                continue
            wanted = set(some)
            units = {unit for unit, key in min(rare, key=len) if wanted.issubset(key.split(" "))}
            if len(units) == 1 and len(wanted) == len(some):
                yield Reading(first, last, tuple(units), Rank.SOME)
                return

    def _is_run(self, first: int, last: int) -> bool:
        """Whether the words stand side by side, with no more than "of", "for" or "and" between them."""
        words, text = self.sentence.words, self.sentence.text
        return all(_SIDE.fullmatch(text[words[at].end : words[at + 1].start]) for at in range(first, last - 1))


def _of_kind(cores: Sequence[Core], kind: str, *, strict: bool) -> tuple[str, ...]:
    """The units that a core with a kind means: those of that very kind, else, unless `strict`, the only one akin."""
    own = tuple(dict.fromkeys(core.unit for core in cores if core.kind == kind))
    if own or strict:
        return own if len(own) <= MOST_SHARING else ()
    family = frozenset[str]().union(*(some for some in (OFFICES, BODIES) if kind in some))
    for some in ([core for core in cores if core.is_whole], cores):
        if akin := tuple(dict.fromkeys(core.unit for core in some if core.kind in family)):
            return akin if len(akin) == 1 else ()
    return ()
