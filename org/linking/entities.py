"""Entity linking: the organization's units in a text, by the names people use for them (T-RAG, section 5.3 and
appendix B).

Text -> canonical words, slips put right -> phrases of the index, by spaCy's span ruler -> candidates -> the longest as
mentions.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from org.chart import Chart
from org.linking import disambiguation, index, names
from org.linking.index import Index
from org.linking.names import GENERAL, Word
from org.linking.spelling import Speller

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline import SpanRuler
    from spacy.tokens import Doc

_LONGEST_TYPE = 3  # words
_BREAK = re.compile(r"[?!;\n]")  # what no name goes across, unless it is written so
_JOINED = re.compile(r"[\w\s&'’/,-]*")  # what may stand between words of one name: little words are dropped before
_MOST_SHARING = 6  # more units than this that have some words, and they name none of them
_LONGEST = 5  # of some words of a name


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of text that names a unit: `text` is `sentence[start:end]`; a shared name gives several `units`."""

    units: tuple[str, ...]
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TypeMention:
    """A type of unit used as a category ("which committees ..."): `type` as the chart first spells it."""

    type: str
    text: str
    start: int
    end: int


class EntityFinder:
    """Finds the units of one chart. Building takes 0.1 ms a name; finding changes nothing, so threads may share it."""

    def __init__(self, chart: Chart) -> None:
        from spacy.lang.en.stop_words import STOP_WORDS

        with _uncollected():
            self._chart = chart
            self.index = index.build(chart)
            phrases = sorted({*self.index.given, *self.index.derived} - {""})
            self._kept = names.dropped(self.index.given)
            self._stop_words = frozenset(STOP_WORDS)  # what no name of one word is in small letters
            self._speller = Speller(phrases, self.index.kinds, self._stop_words)
            self._ruler = _ruler(phrases)

    def find(self, text: str, *, narrow: bool = True) -> tuple[Mention, ...]:
        """The units that a text names, in its order. Mentions do not overlap; the longest wins.

        A shared name is narrowed to the units that fit its neighbours. A text under verification states placements
        that may be wrong: there, not to `narrow` gives every unit of the name.
        """
        words = self._speller.repair(text, names.words(text, self._kept))
        if not words:
            return ()
        # Unknown words become one sign, so that spaCy's store of strings does not grow with every question.
        known = " ".join(word.text if word.text in self._speller.known else "_" for word in words)
        doc = self._ruler(self._ruler.nlp.make_doc(known))
        phrases = [(span.text, span.start, span.end) for span in doc.spans["ruler"]]
        taken: set[int] = set()
        mentions: list[Mention] = []
        candidates = _Reader(text, words, self.index, self._stop_words).candidates(phrases)
        for one in sorted(candidates, key=lambda one: one.first - one.last):  # of equally long the surer comes first
            if taken.isdisjoint(range(one.first, one.last)):
                taken.update(range(one.first, one.last))
                start, end = words[one.first].start, words[one.last - 1].end
                mentions.append(Mention(one.units, text[start:end], start, end))
        mentions.sort(key=lambda one: one.start)
        if not narrow:
            return tuple(mentions)
        narrowed: list[Mention] = []
        told_up_to = 0
        for mention in mentions:
            # else it only tells the one before: the school in "Registry (School of Law)"
            if mention.start >= told_up_to:
                told, end = self._told(mention.units, text, mention.end)
                told_up_to = end if len(told) == 1 else told_up_to
                told_apart = replace(mention, units=told) if len(told) == 1 else mention
                narrowed.append(self._narrow(words, mentions, told_apart))
        return tuple(narrowed)

    def find_types(self, text: str) -> tuple[TypeMention, ...]:
        """The types of unit that a text names, singular or plural, outside the names of units; "unit" is no type."""
        found = names.words(text)
        taken = [(mention.start, self._told(mention.units, text, mention.end)[1]) for mention in self.find(text)]
        types: list[TypeMention] = []
        place = 0
        while place < len(found):
            for last in range(min(len(found), place + _LONGEST_TYPE), place, -1):
                phrase = " ".join(word.text for word in found[place:last])
                start, end = found[place].start, found[last - 1].end
                is_free = not any(start < other_end and other_start < end for other_start, other_end in taken)
                if phrase in self.index.types and phrase and phrase not in GENERAL and is_free:
                    types.append(TypeMention(self.index.types[phrase], text[start:end], start, end))
                    place = last - 1
                    break
            place += 1
        return tuple(types)

    def _told(self, units: Sequence[str], text: str, end: int) -> tuple[tuple[str, ...], int]:
        """Those of the units of a name that the brackets behind its `end` tell from others, and where they end."""
        if "(" not in text[end : end + 4]:
            return (), end
        told, end = disambiguation.told_in_brackets([self._chart.unit(unit) for unit in units], text, end, self._chart)
        return tuple(unit.id for unit in told), end

    def _narrow(self, words: Sequence[Word], mentions: Sequence[Mention], mention: Mention) -> Mention:
        """A shared name beside a unit above or below it means the one that fits: "the Library of the School"."""
        if len(mention.units) == 1:
            return mention
        under = self._chart.is_under
        choices: list[tuple[str, ...]] = []
        for other in mentions:
            if len(other.units) == 1:
                choices.append(tuple(one for one in mention.units if under(one, other.units[0])))
                choices.append(tuple(one for one in mention.units if under(other.units[0], one)))
        if not any(choices):
            # a word that is too weak to be a mention of its own may still tell which unit is meant
            others = {word.text for word in words if word.end <= mention.start or mention.end <= word.start}
            hints = self.index.having_any(others)
            path = self._chart.path
            choices.append(tuple(one for one in mention.units if any(above.id in hints for above in path(one)[1:-1])))
        return replace(mention, units=min(filter(None, choices), key=len, default=mention.units))


@dataclass(frozen=True, slots=True)
class Candidate:
    """The words from `first` up to `last` as a name of `units`."""

    first: int
    last: int
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds the candidates of one text, which may overlap; `words` are its canonical words, with slips put right."""

    text: str
    words: Sequence[Word]
    index: Index
    stop_words: Set[str]

    def candidates(self, phrases: Sequence[tuple[str, int, int]]) -> Iterator[Candidate]:
        """Every candidate, of equally long ones the surer first: the names in full, then some words of a name."""
        for phrase, first, last in phrases:
            if units := self._named(phrase, first, last):
                yield Candidate(first, last, units)
        for first in range(len(self.words)):
            if some := self._some(first):
                yield some

    def _named(self, phrase: str, first: int, last: int) -> tuple[str, ...]:
        """The units that have the words for a name in full; of names that share their words, "C" and "C++", those that
        are written as they are typed, with the signs around them."""
        start, end = self.words[first].start, self.words[last - 1].end
        typed = self.text[start:end].casefold()
        sharing = self.index.given.get(phrase) or self.index.derived[phrase]
        if _BREAK.search(typed):
            sharing = [name for name in sharing if typed in name.written.casefold()]
        if last - first == 1 and not self._is_name(first):
            return ()
        around = self.text[max(0, start - 3) : end + 3].casefold()
        fitting = [name for name in sharing if typed in name.written.casefold() and name.written.casefold() in around]
        longest = max((len(name.written) for name in fitting), default=0)
        exact = [name for name in fitting if len(name.written) == longest]
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
            if len({word.text for word in some}) < len(some) or (len(some) == 1 and not self._is_capitalized(first)):
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


def _ruler(phrases: Sequence[str]) -> SpanRuler:
    """What finds the phrases, given as words between spaces, in text of the same form."""
    from spacy.language import Language
    from spacy.pipeline import SpanRuler
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    def words(nlp: Language) -> Callable[[str], Doc]:
        return lambda text: Doc(nlp.vocab, words=text.split(" "))

    # A vocabulary of nothing but the words: whether each looks like a number or an address is half of the building.
    # And no tokenizer of spaCy's or pipeline from its registry: to make those takes longer than all of a small chart.
    ruler = SpanRuler(Language(Vocab(), create_tokenizer=words), phrase_matcher_attr="ORTH")
    # Only phrase patterns scale: token patterns, as in the paper, take 17 ms a question at 10,000 names.
    ruler.add_patterns([{"label": "UNIT", "pattern": phrase} for phrase in phrases])
    return ruler


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without Python's collector, which would look through a million lasting objects again and again: a sixth of the
    time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Organization:
    """The name of the organization, its chart and the finder made from it; replaced as a whole by another chart."""

    name: str
    chart: Chart | None = None
    finder: EntityFinder | None = None

    @classmethod
    def of(cls, chart: Chart) -> Organization:
        """That of a chart, which takes 0.1 ms a name."""
        return cls(chart.root.name, chart, EntityFinder(chart))

    @property
    def version(self) -> str:
        """The chart's version, "" without one."""
        return self.chart.version if self.chart else ""
