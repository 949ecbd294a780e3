"""Find the organization's units in a sentence, by the names people use for them (T-RAG, section 5.3 and appendix B).

Text -> canonical words -> phrases of the index (org/finding), by spaCy's span ruler -> mentions
Knows nothing about what the sentence asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from org.chart import Chart
from org.finding import everyday, index, names, speech
from org.finding.everyday import Sentence
from org.finding.readings import Phrase, Reading, readings
from org.finding.spelling import Speller

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


_PLACES = ("position", "place", "role")  # "the position of the Press Desk" asks where it is
_APART = re.compile(r"\b(?:and|or|vs)\b", re.IGNORECASE)
_LINK = 5  # words between two units that are spoken of together
_ROUNDS = 3  # a list of plain words that are units is read from its sure end, so many at most


class EntityFinder:
    """Finds the units of one chart. Building takes 0.1 ms a name; finding changes nothing, so threads may share it."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._index = index.build(chart)
        phrases = sorted({*self._index.names, *self._index.cores} - {""})
        self._kept = frozenset[str]().union(*map(names.dropped, self._index.names))
        self._speller = Speller(phrases, self._index.kinds, everyday.EVERYDAY | speech.COMMON)
        self._ruler = _ruler(phrases)

    def find(self, text: str, *, narrow: bool = True) -> tuple[Mention, ...]:
        """The units that a text names, in its order. Mentions do not overlap; the longest reading wins.

        A shared name is narrowed to the units that fit its neighbours. An answer under verification states placements
        that may be wrong: there, not to `narrow` gives every unit of the name.
        """
        typed = everyday.read(text, self._index.kinds, self._kept)
        sentence = replace(typed, words=self._speller.repair(typed.words))
        phrases = self._phrases(sentence)
        found = list(readings(sentence, phrases, self._index))
        chosen = _linked(sentence, _choose(reading for reading in found if reading.sure), found)
        mentions = [_mention(sentence, reading) for reading in chosen]
        if not narrow:
            return tuple(mentions)
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

    def _phrases(self, sentence: Sentence) -> list[Phrase]:
        """Every known phrase in the sentence, with its first word and the word after its last; they may overlap."""
        if not sentence.words:
            return []
        # Unknown words become one sign, so that spaCy's store of strings does not grow with every question.
        doc = self._ruler(" ".join(word.text if word.text in self._speller.known else "_" for word in sentence.words))
        return [Phrase(span.text, span.start, span.end) for span in doc.spans["ruler"]]

    def _narrow(
        self, sentence: Sentence, phrases: Sequence[Phrase], mentions: Sequence[Mention], mention: Mention
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
    """A bare spaCy pipeline that finds the phrases, given as words between spaces, in text of the same form."""
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    # A vocabulary of nothing but the words: whether each looks like a number or an address is half of the building.
    nlp = Language(Vocab())
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=text.split(" "))
    # Only phrase patterns scale: token patterns, as in the paper, take 17 ms a question at 10,000 names.
    ruler: Any = nlp.add_pipe("span_ruler", config={"phrase_matcher_attr": "ORTH"})
    ruler.add_patterns([{"label": "UNIT", "pattern": phrase} for phrase in phrases])
    return nlp


def _choose(found: Iterable[Reading]) -> list[Reading]:
    """The longest readings that do not overlap, the surer one of two equally long, in the order of the text."""
    taken: set[int] = set()
    chosen: list[Reading] = []
    for reading in sorted(found, key=_longest_first):
        if taken.isdisjoint(range(reading.first, reading.last)):
            taken.update(range(reading.first, reading.last))
            chosen.append(reading)
    return sorted(chosen, key=lambda reading: reading.first)


def _longest_first(reading: Reading) -> tuple[int, int, int]:
    return reading.first - reading.last, reading.rank, reading.first


def _linked(sentence: Sentence, chosen: list[Reading], found: Iterable[Reading]) -> list[Reading]:
    """The chosen readings, and of those that are not sure the ones that are spoken of together with a unit:
    "the helpdesk or facilities", "the ward under cardiology". When there is next to nothing else in the sentence, all
    that are no plain words: "and payroll?"; and so two that begin it: "legal or payroll for a loan"."""
    unsure = sorted((reading for reading in found if not reading.sure), key=_longest_first)
    if unsure and not chosen:
        apart = _choose(unsure)
        before, *between, after = _between(sentence, apart)
        is_choice = len(apart) == 2 and " or " in between[0] and bool(speech.link(between[0]))
        rest = before if is_choice else " ".join((before, *between, after))
        if speech.is_fragment(f"{rest} ") and any(not reading.plain for reading in apart):
            return apart
    for _ in range(_ROUNDS if chosen else 0):
        taken = {place for reading in chosen for place in range(reading.first, reading.last)}
        more = [
            reading
            for reading in unsure
            if taken.isdisjoint(range(reading.first, reading.last)) and _is_linked(sentence, reading, chosen)
        ]
        if not more:
            break
        chosen = sorted([*chosen, *_choose(more)], key=lambda reading: reading.first)
    return chosen


def _is_linked(sentence: Sentence, reading: Reading, chosen: Sequence[Reading]) -> bool:
    words = sentence.words
    start, end = words[reading.first].start, words[reading.last - 1].end
    open_before, open_after = speech.ends(sentence.text, start, end)
    for other in chosen:
        if open_after and 0 <= reading.first - other.last <= _LINK:
            link = speech.link(sentence.text[words[other.last - 1].end : words[reading.first].start])
            if link == "place" or (link and not reading.plain):
                return True
        if open_before and 0 <= other.first - reading.last <= _LINK:
            link = speech.link(sentence.text[words[reading.last - 1].end : words[other.first].start])
            if link and not reading.plain:
                return True
    return False


def _between(sentence: Sentence, chosen: Sequence[Reading]) -> Iterator[str]:
    """The text outside the readings."""
    start = 0
    for reading in chosen:
        yield sentence.text[start : sentence.words[reading.first].start]
        start = sentence.words[reading.last - 1].end
    yield sentence.text[start:]


def _mention(sentence: Sentence, reading: Reading) -> Mention:
    start, end = sentence.words[reading.first].start, sentence.words[reading.last - 1].end
    return Mention(reading.units, sentence.text[start:end], start, end)
