"""Entity linking: the organization's units in a text, by the names people use for them (T-RAG, section 5.3 and
appendix B).

Text -> canonical words, slips put right -> phrases of the index, by spaCy's span ruler -> candidates -> the longest as
mentions (org/linking has a file for each of these steps).  Knows nothing about what the text asks.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from org import disambiguation
from org.chart import Chart
from org.linking import index, names
from org.linking.candidates import Candidate, Phrase, Reader
from org.linking.kinds import GENERAL
from org.linking.names import Word
from org.linking.spelling import Speller

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


_LONGEST_TYPE = 3  # words


class EntityFinder:
    """Finds the units of one chart. Building takes 0.1 ms a name; finding changes nothing, so threads may share it."""

    def __init__(self, chart: Chart) -> None:
        with _uncollected():
            self._chart = chart
            self.index = index.build(chart)
            phrases = sorted({*self.index.given, *self.index.derived} - {""})
            self._kept = names.dropped(self.index.given)
            self._stop_words = _stop_words()
            self._speller = Speller(phrases, self.index.kinds, self._stop_words)
            self._ruler = _ruler(phrases)

    def find(self, text: str, *, narrow: bool = True) -> tuple[Mention, ...]:
        """The units that a text names, in its order. Mentions do not overlap; the longest wins.

        A shared name is narrowed to the units that fit its neighbours. A text under verification states placements
        that may be wrong: there, not to `narrow` gives every unit of the name.
        """
        words = self._speller.repair(text, names.words(text, self._kept))
        reader = Reader(text, words, self.index, self._stop_words)
        mentions = [_mention(text, words, one) for one in _longest(reader.candidates(self._phrases(words)))]
        if not narrow:
            return tuple(mentions)
        narrowed: list[Mention] = []
        told_up_to = 0
        for mention in mentions:
            if (
                mention.start >= told_up_to
            ):  # else it only tells the one before: the school in "Registry (School of Law)"
                told, end = self._told(mention.units, text, mention.end)
                told_up_to = end if len(told) == 1 else told_up_to
                known = replace(mention, units=told) if len(told) == 1 else mention
                narrowed.append(self._narrow(words, mentions, known))
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

    def _phrases(self, words: Sequence[Word]) -> list[Phrase]:
        """Every known phrase in the words, with its first word and the word after its last; they may overlap."""
        if not words:
            return []
        # Unknown words become one sign, so that spaCy's store of strings does not grow with every question.
        known = " ".join(word.text if word.text in self._speller.known else "_" for word in words)
        doc = self._ruler(self._ruler.nlp.make_doc(known))
        return [Phrase(span.text, span.start, span.end) for span in doc.spans["ruler"]]

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


def _longest(found: Iterable[Candidate]) -> list[Candidate]:
    """The longest candidates that do not overlap, the surer of two equally long, in the text's order."""
    taken: set[int] = set()
    chosen: list[Candidate] = []
    for one in sorted(found, key=lambda one: one.first - one.last):
        if taken.isdisjoint(range(one.first, one.last)):
            taken.update(range(one.first, one.last))
            chosen.append(one)
    return sorted(chosen, key=lambda one: one.first)


def _mention(text: str, words: Sequence[Word], one: Candidate) -> Mention:
    start, end = words[one.first].start, words[one.last - 1].end
    return Mention(one.units, text[start:end], start, end)


def _stop_words() -> frozenset[str]:
    """spaCy's stop words: what no name of one word is in small letters."""
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)


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
