"""Find the organization's units in a sentence, by the names people use for them (T-RAG, section 5.3 and appendix B).

Text -> canonical words -> phrases of the index, by spaCy's span ruler -> readings -> the likely ones as mentions
(org/finding has a file for each of these steps).
Knows nothing about what the sentence asks.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from org import namesakes
from org.chart import Chart
from org.finding import clues, index, names, sites, speech
from org.finding.index import Rank
from org.finding.kinds import GENERAL
from org.finding.readings import Phrase, Reading, readings
from org.finding.sentence import EVERYDAY, Sentence, read
from org.finding.spelling import Speller
from org.finding.weighing import weigh

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.pipeline import SpanRuler
    from spacy.tokens import Doc


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
_THIS = frozenset(("the", "our", "this", "whole", "entire"))
_APART = re.compile(r"\b(?:and|or|vs)\b", re.IGNORECASE)


class EntityFinder:
    """Finds the units of one chart. Building takes 0.1 ms a name; finding changes nothing, so threads may share it."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        with _uncollected():
            self.index = index.build(chart)
            phrases = sorted({*self.index.names, *self.index.cores} - {""})
            self._kept = names.dropped(self.index.names)
            self._speller = Speller(phrases, self.index.kinds, EVERYDAY | speech.COMMON)
            self._ruler = _ruler(phrases)

    def find(self, text: str, *, narrow: bool = True) -> tuple[Mention, ...]:
        """The units that a text names, in its order. Mentions do not overlap; the longest reading that is likely wins.

        A shared name is narrowed to the units that fit its neighbours. An answer under verification states placements
        that may be wrong: there, not to `narrow` gives every unit of the name.
        """
        sentence, phrases, found = self.read(text)
        chosen = self._choose(sentence, found)
        if not narrow:
            return tuple(_mention(sentence, reading) for reading in chosen)
        chosen = chosen or self._whole(sentence, found)
        mentions = [_mention(sentence, reading) for reading in chosen]
        narrowed = (self._narrow(sentence, phrases, mentions, mention) for mention in mentions)
        return tuple(map(self._highest, chosen, narrowed))

    def read(self, text: str) -> tuple[Sentence, Sequence[Phrase], tuple[Reading, ...]]:
        """The sentence, its phrases, and every reading of them, likely or not."""
        typed = read(text, self.index.kinds, self._kept)
        sentence = replace(typed, words=self._speller.repair(text, typed.words))
        phrases = self._phrases(sentence)
        return sentence, phrases, readings(sentence, phrases, self.index)

    def find_types(self, text: str) -> tuple[TypeMention, ...]:
        """The types of unit that a text names, singular or plural, outside the names of units; "unit" is no type."""
        found = names.words(text)
        mentions = self.find(text)
        taken = [(mention.start, self._told(mention.units, text, mention.end)[1]) for mention in mentions]
        types: list[TypeMention] = []
        place = 0
        while place < len(found):
            for length in (3, 2, 1):
                some = found[place : place + length]
                phrase = " ".join(word.text for word in some) if len(some) == length else ""
                unit_type = self.index.types.get(phrase, "")
                if not unit_type or phrase in GENERAL or (phrase in _PLACES and not some[0].plural):
                    continue
                start, end = some[0].start, some[-1].end
                if not any(start < other_end and other_start < end for other_start, other_end in taken):
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
        known = " ".join(word.text if word.text in self._speller.known else "_" for word in sentence.words)
        doc = self._ruler(self._ruler.nlp.make_doc(known))
        return [Phrase(span.text, span.start, span.end) for span in doc.spans["ruler"]]

    def _choose(self, sentence: Sentence, found: Sequence[Reading]) -> list[Reading]:
        """The longest likely readings that do not overlap, the likelier of two equally long, in the text's order."""
        sure = clues.anchors(sentence, found, self.index)
        taken: set[int] = set()
        chosen: list[Reading] = []
        longest_first = sorted(found, key=lambda reading: reading.first - reading.last)
        for _, alike in groupby(longest_first, key=lambda reading: reading.last - reading.first):
            # What stands in a chosen reading is not weighed, which saves most of the work.
            free = [reading for reading in alike if taken.isdisjoint(range(reading.first, reading.last))]
            weighed = [(weigh(clues.clues(sentence, reading, sure, self.index)), reading) for reading in free]
            for weight, reading in sorted(weighed, key=lambda one: (-one[0], one[1].first)):
                # nobody puts by chance beside a name what tells it from others
                likely = (
                    weight > 0
                    or reading.is_listed
                    or (
                        reading.rank == Rank.GIVEN
                        and self._told(reading.units, sentence.text, sentence.words[reading.last - 1].end)[0]
                    )
                )
                if likely and taken.isdisjoint(range(reading.first, reading.last)):
                    taken.update(range(reading.first, reading.last))
                    chosen.append(reading)
        return sorted(chosen, key=lambda reading: reading.first)

    def _highest(self, reading: Reading, mention: Mention) -> Mention:
        """Without its kind a name is the highest unit's: "music" is the School of Music, not the Music Office in it."""
        top = sites.highest(mention.units, self.index) if reading.rank == Rank.BARE else ""
        return replace(mention, units=(top,)) if top else mention

    def _whole(self, sentence: Sentence, found: Sequence[Reading]) -> list[Reading]:
        """The organization, where a sentence about units calls it by its type: "how many teams are in the company"."""

        def is_whole(reading: Reading) -> bool:
            word = sentence.words[reading.first]
            return (
                (reading.units, reading.rank) == ((self.index.root,), Rank.HEAD)
                and word.text in self.index.wholes
                and sentence.before(word.start, 1) in _THIS
                and speech.ends(sentence.text, word.start, word.end)[1]  # not "the company car"
            )

        return list(filter(is_whole, found)) if sentence.placing else []

    def _told(self, units: Sequence[str], text: str, end: int) -> tuple[tuple[str, ...], int]:
        """Those of the units of a name that the brackets behind its `end` tell from others, and where they end."""
        if "(" not in text[end : end + 4]:
            return (), end
        told, end = namesakes.told_in_brackets([self._chart.unit(unit) for unit in units], text, end, self._chart)
        return tuple(unit.id for unit in told), end

    def _narrow(
        self, sentence: Sentence, phrases: Sequence[Phrase], mentions: Sequence[Mention], mention: Mention
    ) -> Mention:
        """A shared name beside a unit above or below it means the one that fits: "the Library of the School"."""
        if len(mention.units) == 1:
            return mention
        told, _ = self._told(mention.units, sentence.text, mention.end)
        if len(told) == 1:
            return replace(mention, units=told)
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
                for unit in self.index.units(phrase.text)
                if unit != self._chart.root.id
            }
            below = (one for one in mention.units if any(above.id in hinted for above in self._chart.path(one)[:-1]))
            choices.append(tuple(below))
        return replace(mention, units=min(filter(None, choices), key=len, default=mention.units))


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


def _mention(sentence: Sentence, reading: Reading) -> Mention:
    start, end = sentence.words[reading.first].start, sentence.words[reading.last - 1].end
    return Mention(reading.units, sentence.text[start:end], start, end)
