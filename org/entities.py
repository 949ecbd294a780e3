"""Find the organization's units in a sentence, by the names people use for them (T-RAG, section 5.3 and appendix B).

Text -> canonical words (org/names.py) -> phrases of the index (org/index.py), by spaCy's span ruler -> mentions
Knows nothing about what the sentence asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from org import everyday, index, names
from org.chart import Chart
from org.everyday import Sentence
from org.index import MOST_SHARING, Core, Name, Rank
from org.spelling import Speller

if TYPE_CHECKING:
    from spacy.language import Language


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


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A known phrase: the words from `first` up to `last`."""

    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """The words from `first` up to `last` as a name of `units`."""

    first: int
    last: int
    units: tuple[str, ...]
    rank: Rank


_PLACES = ("position", "place", "role")  # "the position of the Press Desk" asks where it is
_LESSER = frozenset(("deputy", "vice", "assistant", "associate", "sub"))
_BREAK = re.compile(r"[?!;\n]")
_APART = re.compile(r"\b(?:and|or|vs)\b", re.IGNORECASE)
_JOINED = frozenset((" ", "-", "' ", "’ "))
_IN = re.compile(r"\s+(?:in|of|at|within)\s+(?:the\s+)?", re.IGNORECASE)
_OF = re.compile(r"\s+(?:of|for|on)\b", re.IGNORECASE)


class EntityFinder:
    """Finds the units of one chart. Building takes 0.1 ms a name; finding changes nothing, so threads may share it."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._index = index.build(chart)
        phrases = sorted({*self._index.names, *self._index.cores} - {""})
        self._words = frozenset(word for phrase in phrases for word in phrase.split(" "))
        self._speller = Speller(self._words, self._index.names)
        self._ruler = _ruler(phrases)

    def find(self, text: str) -> tuple[Mention, ...]:
        """The units that a text names, in its order. Mentions do not overlap; the longest reading wins."""
        sentence = everyday.read(text, self._index.kinds)
        phrases = self._phrases(sentence)
        chosen = _choose(self._readings(sentence, phrases), len(sentence.words))
        mentions = [_mention(sentence, reading) for reading in chosen]
        taken = {place for reading in chosen for place in range(reading.first, reading.last)}
        repaired = replace(sentence, words=self._speller.repair(sentence.words, taken))
        if repaired.words != sentence.words:
            readings = self._readings(repaired, self._phrases(repaired))
            sure = [reading for reading in readings if reading.rank <= Rank.KIND]
            more = [_mention(repaired, reading) for reading in _choose(sure, len(repaired.words))]
            longest_first = sorted([*mentions, *more], key=lambda mention: -len(mention.text))
            mentions = []
            for mention in longest_first:
                if not any(_overlap(mention, other) for other in mentions):
                    mentions.append(mention)
            mentions.sort(key=lambda mention: mention.start)
        return tuple(self._narrow(sentence, phrases, mentions, mention) for mention in mentions)

    def find_types(self, text: str) -> tuple[TypeMention, ...]:
        """The types of unit that a text names, singular or plural, outside the names of units; "unit" is no type."""
        found = names.words(text)
        mentions = self.find(text)
        types: list[TypeMention] = []
        place = 0
        while place < len(found):
            for length in (3, 2, 1):
                some = found[place : place + length]
                phrase = " ".join(word.text for word in some) if len(some) == length else ""
                unit_type = self._index.types.get(phrase, "")
                if not unit_type or phrase in names.GENERAL or (phrase in _PLACES and not some[0].plural):
                    continue
                start, end = some[0].start, some[-1].end
                if not any(start < mention.end and mention.start < end for mention in mentions):
                    types.append(TypeMention(unit_type, text[start:end], start, end))
                    place += length - 1
                    break
            place += 1
        return tuple(types)

    def _phrases(self, sentence: Sentence) -> list[_Phrase]:
        """Every known phrase in the sentence, with its first word and the word after its last; they may overlap."""
        if not sentence.words:
            return []
        # Unknown words become one sign, so that spaCy's store of strings does not grow with every question.
        doc = self._ruler(" ".join(word.text if word.text in self._words else "_" for word in sentence.words))
        return [_Phrase(span.text, span.start, span.end) for span in doc.spans["ruler"]]

    def _readings(self, sentence: Sentence, phrases: Iterable[_Phrase]) -> Iterator[_Reading]:
        named = {phrase.first for phrase in phrases if " " in phrase.text and phrase.text in self._index.names}
        for phrase in phrases:
            stretch = sentence.text[sentence.words[phrase.first].start : sentence.words[phrase.last - 1].end]
            is_placed = phrase.last in named and phrase.text not in everyday.EVERYDAY
            if is_placed:
                end, start = sentence.words[phrase.last - 1].end, sentence.words[phrase.last].start
                is_placed = bool(_IN.fullmatch(sentence.text, end, start))
            yield from self._as_name(sentence, phrase, stretch, is_placed=is_placed)
            if not _BREAK.search(stretch):
                yield from self._as_core(sentence, phrase)

    def _as_name(self, sentence: Sentence, phrase: _Phrase, stretch: str, *, is_placed: bool) -> Iterator[_Reading]:
        """The words as a name in full, and with a kind that people add to it. Placed: "Library of the Lake School"."""
        first, last = phrase.first, phrase.last
        start = sentence.words[first].start
        before = sentence.text[max(0, start - 12) : start].split()
        broken = _BREAK.search(stretch)
        sharing = [name for name in self._index.names.get(phrase.text, ()) if not broken or _BREAK.search(name.written)]
        if not sharing or (before and before[-1].lower().rstrip("-") in _LESSER):
            return
        typed = [name for name in sharing if is_placed or self._is_typed(sentence, first, last, name)]
        if typed:
            rank = min(name.rank for name in typed)
            best = [name for name in typed if name.rank == rank]
            exact = [name for name in best if name.written.casefold() == stretch.casefold()] or best
            yield _Reading(first, last, tuple(dict.fromkeys(name.unit for name in exact)), rank)
        ends = sentence.words[first].text, sentence.words[last - 1].text
        if not self._index.kinds.intersection(ends) and self._kind_after(sentence, last):
            given = tuple(dict.fromkeys(name.unit for name in sharing if name.rank == Rank.GIVEN))
            if given:
                yield _Reading(first, last + 1, given, Rank.ADDED)

    def _is_typed(self, sentence: Sentence, first: int, last: int, name: Name) -> bool:
        if last - first > 1:
            return True
        is_given = name.rank == Rank.GIVEN
        return everyday.is_name(sentence, first, name.written, kinds=self._index.kinds, is_given=is_given)

    def _as_core(self, sentence: Sentence, phrase: _Phrase) -> Iterator[_Reading]:
        """The words as a name without its kind: with a kind beside it, or alone where nothing else can be meant."""
        first, last = phrase.first, phrase.last
        cores = self._index.cores.get(phrase.text, ())
        after = self._kind_after(sentence, last)
        kind = after or self._kind_before(sentence, first)
        if cores and kind:
            if units := _of_kind(cores, kind, strict=phrase.text in everyday.EVERYDAY):
                yield _Reading(first - (not after), last + bool(after), units, Rank.KIND)
            return
        whole = {core.unit: core.kind for core in cores if core.is_alone}
        if len(whole) > 1:
            whole = {unit: kind for unit, kind in whole.items() if kind in names.OFFICES}
        plain = phrase.text in everyday.EVERYDAY or phrase.text in self._index.kinds
        if len(whole) == 1 and not plain and everyday.stands_alone(sentence, first, last):
            yield _Reading(first, last, tuple(whole), Rank.BARE)

    def _kind_after(self, sentence: Sentence, last: int) -> str:
        """The kind of unit that the next word is, in the singular, else ""."""
        following = sentence.words[last : last + 1]
        if not following or following[0].plural or following[0].text not in self._index.kinds:
            return ""
        between = sentence.text[sentence.words[last - 1].end : following[0].start]
        return following[0].text if between in _JOINED else ""

    def _kind_before(self, sentence: Sentence, first: int) -> str:
        """The kind of unit that is joined to the words by "of", else ""."""
        word = sentence.words[first - 1] if first else None
        if word is None or word.plural or word.text not in self._index.kinds:
            return ""
        return word.text if _OF.match(sentence.text, word.end, sentence.words[first].start) else ""

    def _narrow(
        self, sentence: Sentence, phrases: Sequence[_Phrase], mentions: Sequence[Mention], mention: Mention
    ) -> Mention:
        """A shared name beside a unit above or below it means the one that fits: "the Library of the School"."""
        if len(mention.units) == 1:
            return mention
        choices: list[tuple[str, ...]] = []
        for other in mentions:
            between = sentence.text[min(mention.end, other.end) : max(mention.start, other.start)]
            if len(other.units) == 1 and not _APART.search(between):
                choices.append(tuple(one for one in mention.units if self._chart.is_under(one, other.units[0])))
                choices.append(tuple(one for one in mention.units if self._chart.is_under(other.units[0], one)))
        if not any(choices):
            # a word that is too weak to be a mention of its own may still tell which unit is meant
            hinted = {
                unit
                for phrase in phrases
                if sentence.words[phrase.last - 1].end <= mention.start
                or mention.end <= sentence.words[phrase.first].start
                for unit in self._index.units(phrase.text)
                if unit != self._chart.root.id
            }
            fitting = (one for one in mention.units if any(above.id in hinted for above in self._chart.path(one)[:-1]))
            choices.append(tuple(fitting))
        return replace(mention, units=min(filter(None, choices), key=len, default=mention.units))


def _ruler(phrases: Sequence[str]) -> Language:
    """A blank spaCy pipeline that finds the phrases, given as words between spaces, in text of the same form."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split(" "))
    # Only phrase patterns scale: token patterns, as in the paper, take 17 ms a question at 10,000 names.
    ruler: Any = nlp.add_pipe("span_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns([{"label": "UNIT", "pattern": phrase} for phrase in phrases])
    return nlp


def _choose(readings: Iterable[_Reading], size: int) -> list[_Reading]:
    """The longest readings that do not overlap, the surer one of two equally long, in the order of the text."""
    taken = bytearray(size)
    chosen: list[_Reading] = []
    for reading in sorted(readings, key=lambda reading: (reading.first - reading.last, reading.rank, reading.first)):
        if not any(taken[reading.first : reading.last]):
            taken[reading.first : reading.last] = b"\1" * (reading.last - reading.first)
            chosen.append(reading)
    return sorted(chosen, key=lambda reading: reading.first)


def _of_kind(cores: Sequence[Core], kind: str, *, strict: bool) -> tuple[str, ...]:
    """The units that a core with a kind means: those of that very kind, else, unless `strict`, the only one akin."""
    own = tuple(dict.fromkeys(core.unit for core in cores if core.kind == kind))
    if own or strict:
        return own if len(own) <= MOST_SHARING else ()
    family = names.OFFICES if kind in names.OFFICES else names.BODIES
    akin = tuple(dict.fromkeys(core.unit for core in cores if core.is_whole and core.kind in family))
    return akin if len(akin) == 1 else ()


def _mention(sentence: Sentence, reading: _Reading) -> Mention:
    start, end = sentence.words[reading.first].start, sentence.words[reading.last - 1].end
    return Mention(reading.units, sentence.text[start:end], start, end)


def _overlap(first: Mention, second: Mention) -> bool:
    return first.start < second.end and second.start < first.end
