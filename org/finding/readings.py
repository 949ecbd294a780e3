"""What the phrases of a sentence may mean: which words are a unit's name, and which only look like one.

(Sentence, phrases of the index) -> Readings; they may overlap. Knows nothing about how phrases are found, or which
reading is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from org.finding import beside, everyday, names, sites, speech
from org.finding.everyday import Sentence
from org.finding.index import MOST_SHARING, Core, Index, Name, Rank


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of the index: the words from `first` up to `last`."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The words from `first` up to `last` as a name of `units`. One that is not `sure` is a plain word as well: it
    counts only beside a unit."""

    first: int
    last: int
    units: tuple[str, ...]
    rank: Rank
    sure: bool = True
    plain: bool = False


_LESSER = frozenset(("deputy", "vice", "assistant", "associate", "sub"))
_BREAK = re.compile(r"[?!;\n]")
_POSSESSIVE = ("'s", "’s")
_SIDE = re.compile(r"(?:'s?|’s?)?[ -](?:(?:of|for|on|and|&) )?(?:the )?", re.IGNORECASE)
_AND = re.compile(r"[&+/,]|\b(?:and|et|und|y|e)\b|(?:^|\s)و", re.IGNORECASE)
_LITTLE = re.compile(
    r"[,(]|(?:^|\W)(?:of|for|on|in|at|to|d|de|des|du|del|della|di|do|da|von|für|fur|van)\W", re.IGNORECASE
)
_FILLER = re.compile(r"\W*\b(the|an?|in)\b\W*", re.IGNORECASE)


def readings(sentence: Sentence, phrases: Iterable[Phrase], index: Index) -> Iterator[Reading]:
    """Every reading of every phrase, but of "what is a field office"."""
    for reading in _Reader(sentence, tuple(phrases), index).readings():
        if sentence.words[reading.last - 1].text not in index.kinds or not everyday.is_defined(sentence, reading.first):
            yield reading


@dataclass(frozen=True, slots=True)
class _Reader:
    sentence: Sentence
    phrases: Sequence[Phrase]
    index: Index

    def readings(self) -> Iterator[Reading]:
        words = self.sentence.words
        named = {phrase.first for phrase in self.phrases if _is_long_name(phrase, self.index)}
        ended = {phrase.last for phrase in self.phrases if _is_long_name(phrase, self.index)}
        for phrase in self.phrases:
            is_placed = phrase.last in named and phrase.text not in everyday.EVERYDAY
            if is_placed:  # "Library of the Lake School"
                end, start = words[phrase.last - 1].end, words[phrase.last].start
                is_placed = bool(beside.IN.fullmatch(self.sentence.text, end, start))
            is_ended = phrase.first in ended
            yield from self._as_name(phrase, is_placed=is_placed, is_ended=is_ended)
            given = {name.unit for name in self.index.names.get(phrase.text, ()) if name.rank == Rank.GIVEN}
            for site in sites.sites(self.sentence, phrase.first, phrase.last, given, self.index):
                yield Reading(site.first, site.last, site.units, Rank.SOME)
            if not _BREAK.search(self._typed(phrase)):
                yield from self._as_core(phrase, is_ended=is_ended)
        for place, word in enumerate(words):
            if word.text in self.index.kinds and not word.plural:
                yield from self._as_some(place)
            elif word.text in self.index.leads and not word.plural:
                yield from self._as_lead(place)

    def _typed(self, phrase: Phrase) -> str:
        words = self.sentence.words
        return self.sentence.text[words[phrase.first].start : words[phrase.last - 1].end]

    def _as_name(self, phrase: Phrase, *, is_placed: bool, is_ended: bool) -> Iterator[Reading]:
        """The words as a name in full, and with a kind that people add to it, but that does not end another name."""
        first, last = phrase.first, phrase.last
        start = self.sentence.words[first].start
        before = self.sentence.text[max(0, start - 12) : start].split()
        sharing = [name for name in self.index.names.get(phrase.text, ()) if self._fits(phrase, name.written)]
        if not sharing or (before and before[-1].lower().rstrip("-") in _LESSER):
            return
        is_asked = len(sharing) > 1 and bool(before) and before[-1].lower() == "which"  # "which secretariat"
        typed = [
            name
            for name in sharing
            if is_placed
            or self._is_typed(phrase, name)
            or (is_asked and name.rank == Rank.GIVEN and not self.sentence.words[last - 1].plural)
        ]
        if typed:
            rank = min(name.rank for name in typed)
            best = [name for name in typed if name.rank == rank]
            exact = self._exactly(phrase, best) or best
            yield Reading(first, last, tuple(dict.fromkeys(name.unit for name in exact)), rank)
        given = [name for name in sharing if name.rank == Rank.GIVEN]
        units = tuple(dict.fromkeys(name.unit for name in given))
        ends = self.sentence.words[first].text, self.sentence.words[last - 1].text
        if units and not self.index.kinds.intersection(ends):
            if kind := beside.kind_after(self.sentence, last, self.index.kinds):
                is_body = kind in names.BODIES - names.OFFICES
                if akin := tuple(unit for unit in units if not (is_body and unit in self.index.offices)):
                    yield Reading(first, last + 1, akin, Rank.ADDED)
            elif (
                not is_ended
                and phrase.text not in everyday.PLAIN
                and (
                    beside.kind_before(self.sentence, first, self.index.kinds)
                    or beside.is_kind_beside(self.sentence, first, self.index.kinds)
                )
            ):
                yield Reading(first - 1, last, units, Rank.ADDED)
        if units and not typed and last - first == 1 and not any(names.is_acronym(name.written) for name in given):
            yield Reading(first, last, units, Rank.GIVEN, sure=False, plain=phrase.text in everyday.EVERYDAY)

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

    def _is_typed(self, phrase: Phrase, name: Name) -> bool:
        if phrase.last - phrase.first > 1:
            is_short = name.rank in (Rank.HEAD, Rank.DERIVED)
            if (
                is_short
                and self.sentence.words[phrase.last - 1].plural
                and not self._is_as_plural(phrase, name.written)
            ):
                return False  # "how many deputy directors"
            ends_in_kind = phrase.text.rpartition(" ")[2] in self.index.kinds
            return not (ends_in_kind and everyday.is_category(self.sentence, phrase.first, phrase.last, name.written))
        if everyday.is_address(self.sentence, phrase.first):
            return False
        is_given = name.rank == Rank.GIVEN
        if name.unit == self.index.root and is_given and self._is_proper(phrase, name):
            return True
        return everyday.is_name(
            self.sentence,
            phrase.first,
            name.written,
            kinds=self.index.kinds,
            is_given=is_given,
            is_nickname=name.is_nickname,
        )

    def _is_proper(self, phrase: Phrase, name: Name) -> bool:
        """Whether the organization goes by a word of its own, which is no plain word anywhere."""
        is_plain = phrase.text in everyday.EVERYDAY or phrase.text in self.index.kinds
        return not is_plain and " " not in name.written and not names.is_acronym(name.written)

    def _as_core(self, phrase: Phrase, *, is_ended: bool) -> Iterator[Reading]:
        """The words as a name without its kind: with a kind beside it, or alone where nothing else can be meant. A kind
        before it that ends another name is that one's: "the Audit Section of permits"."""
        first, last = phrase.first, phrase.last
        cores = self.index.cores.get(phrase.text, ())
        if last - first > 1:
            cores = [core for core in cores if self._fits(phrase, core.written)]
        after = beside.kind_after(self.sentence, last, self.index.kinds)
        kind = after or ("" if is_ended else beside.kind_before(self.sentence, first, self.index.kinds))
        if not cores:
            return
        if kind:
            if units := _of_kind(cores, kind, strict=phrase.text in everyday.EVERYDAY):
                yield Reading(first - (not after), last + bool(after), units, Rank.KIND)
            return
        whole = {core.unit: core.kind for core in cores if core.is_alone}
        if len(whole) > 1:
            whole = {core.unit: core.kind for core in cores if core.is_alone and not core.is_part} or whole
        if len(whole) > 1:
            whole = {unit: kind for unit, kind in whole.items() if kind in names.OFFICES}
        plain = phrase.text in everyday.EVERYDAY or phrase.text in self.index.kinds
        is_one = len(whole) == 1
        if 1 < len(whole) <= MOST_SHARING and last - first > 1:  # two units called Market Street Branch
            is_one = len({names.key(core.written) for core in cores}) == 1
        if is_one and any(self._is_as_plural(phrase, core.written) for core in cores if core.unit in whole):
            is_root = self.index.root in whole and last - first == 1 and not self.sentence.placing
            start = self.sentence.words[first].start
            is_place = (  # "in zemra" of the Zemra Country Office
                last - first == 1
                and not self.sentence.placing
                and any(core.kind in beside.SITES for core in cores if core.unit in whole)
                and not speech.is_someone(self.sentence.text, start, self.sentence.words[last - 1].end)
            )
            sure = (
                not plain
                and not is_root
                and not is_place
                and (everyday.is_core(self.sentence, first, last) or self._is_foreign(phrase, cores))
            )
            yield Reading(first, last, tuple(whole), Rank.BARE, sure, plain)

    def _is_foreign(self, phrase: Phrase, cores: Iterable[Core]) -> bool:
        """Whether the words are of a name in another language, and none of them is English: "recursos humanos"."""
        words = self.sentence.words[phrase.first : phrase.last]
        if len(words) == 1 and words[0].text.upper() == words[0].text:
            return False  # Arabic: without capitals there is no telling a name from a plain word
        return any(names.is_foreign(core.written) for core in cores) and not any(
            everyday.is_plain(word.text, foreign=self.sentence.foreign) for word in words
        )

    def _is_as_plural(self, phrase: Phrase, written: str) -> bool:
        """Whether the last word is singular or plural as in the name: "facility" is not the Facilities Department."""
        last = self.sentence.words[phrase.last - 1]
        return any(
            word.text == last.text and (word.plural == last.plural or written[: word.end].endswith(_POSSESSIVE))
            for word in names.words(written)
        )

    def _as_lead(self, place: int) -> Iterator[Reading]:
        """The word that begins the name of one unit, and of none but units below it: "cyber" for Cyber Security."""
        word = self.sentence.words[place]
        if top := sites.top(word.text, self.index):
            sure = word.text not in everyday.EVERYDAY and speech.is_member(self.sentence.text, word.start)
            yield Reading(place, place + 1, (top,), Rank.BARE, sure, plain=True)

    def _as_some(self, place: int) -> Iterator[Reading]:
        """The kind at `place` and one to four words before it, or after it and an "of", that one unit's names have all
        of, in whatever order: "heritage advisory board" for the Advisory Board on Urban Heritage. One word has to be
        the first of the name: "waste office" for the Waste Handling Office."""
        words = self.sentence.words
        spans = [(place - size, place + 1) for size in (4, 3, 2)] + [(place, place + size + 1) for size in (4, 3, 2)]
        for first, last in [*spans, (place - 1, place + 1)]:
            if first < 0 or last > len(words):
                continue
            some = [word.text for word in words[first:last]]
            rare = [having for word in some if (having := self.index.by_word.get(word))]
            if not rare or not self._is_run(first, last):
                continue
            wanted = set(some)
            units = {
                unit
                for unit, key in min(rare, key=len)
                if wanted.issubset(key.split(" ")) and (len(some) > 2 or key.startswith(f"{some[0]} "))
            }
            is_plain = some[0] in everyday.EVERYDAY and not beside.OF.match(self.sentence.text, words[first].end)
            if len(units) == 1 and len(wanted) == len(some) and (len(some) > 2 or not is_plain):
                yield Reading(first, last, tuple(units), Rank.SOME)
                return

    def _is_run(self, first: int, last: int) -> bool:
        """Whether the words stand side by side, with no more than "of", "for" or "and" between them."""
        words, text = self.sentence.words, self.sentence.text
        return all(_SIDE.fullmatch(text[words[at].end : words[at + 1].start]) for at in range(first, last - 1))


def _is_long_name(phrase: Phrase, index: Index) -> bool:
    return " " in phrase.text and phrase.text in index.names


def _of_kind(cores: Sequence[Core], kind: str, *, strict: bool) -> tuple[str, ...]:
    """The units that a core with a kind means: those of that very kind, else, unless `strict`, the only one akin."""
    own = tuple(dict.fromkeys(core.unit for core in cores if core.kind == kind))
    if own or strict:
        return own if len(own) <= MOST_SHARING else ()
    family = frozenset[str]().union(*(some for some in (names.OFFICES, names.BODIES) if kind in some))
    for some in ([core for core in cores if core.is_whole], cores):
        if akin := tuple(dict.fromkeys(core.unit for core in some if core.kind in family)):
            return akin if len(akin) == 1 else ()
    return ()
