"""What there is on a subject: the sections that speak of it, the questions that they answer, and for each question the
line that does.

subject -> sections, pairs -> questions -> a second search -> facts
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import prompts
from store.passage import Passage
from trag import retrieve
from trag.llm.model import Scoring
from trag.people.permissions import Readers
from trag.validity import scope

if TYPE_CHECKING:
    import numpy as np

    from trag.ask import Assistant

SECTIONS, PAIRS = 8, 30
"""Passages that are searched for a subject."""
_AGAIN = 4
"""Sections that are searched for a question."""
_ABOUT = 2.0
"""Log-odds from which on a section is about a topic by its best line, or a pair by what it asks and says: topics of
larkmoor have 2.9 or more, those that it has nothing on 2.2 or less (of ten, docs/RESULTS.md)."""
_ANSWERED, _REFUSAL = -0.25, 0.5
"""From what on a line answers a question that any section may answer: its log-odds by the reranker, less that share of
those by which the reader would refuse. So 64 of 67 questions with an answer have one, and 26 of 27 without one have
none (docs/RESULTS.md); by the reranker alone, at 1.0, 59 and 25."""
_UNSAID = 2.5
_LIKELY = 0.0
"""The same where an answer is known to be near: of a pair in its own section, of a line in a section on the topic."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A line that answers a question ("" where none was asked), of which passage, the line before it, and the log-odds
    that it does."""

    question: str
    passage: Passage
    line: str
    before: str
    odds: float


@dataclass(frozen=True)
class Gathering:
    """The search for one subject with the keys of whoever asks; `unit` is the id of the unit that it names."""

    assistant: Assistant
    subject: str
    unit: str
    readers: Readers

    @cached_property
    def sections(self) -> list[Passage]:
        """Those that speak of the subject, the most about it first: where it names a unit, that name it too."""
        found = self._search(self.subject, self._vector(self.subject), "section", SECTIONS)
        if self.unit:
            return [one for one in found if self._names(one)]
        best = [max(self._odds(self.subject, one), default=-_ABOUT) for one in found]
        return [one for odds, one in sorted(zip(best, found, strict=True), key=lambda one: -one[0]) if odds >= _ABOUT]

    @cached_property
    def nearest(self) -> tuple[str, ...]:
        """The headings under which something is that is near to the subject, if nothing is about it."""
        found = self._search(self.subject, self._vector(self.subject), "section", SECTIONS)
        return tuple(dict.fromkeys(one.section.split(" > ")[-1] for one in found if one.section))[:3]

    def answered(self, most: int) -> Iterator[Fact]:
        """The lines that answer the questions of at most that many pairs about the subject, each in the section that
        its pair was made of."""
        pairs = self._pairs()[:most]
        vectors = self.assistant.embedder.embed_questions([one.question for one in pairs]) if pairs else ()
        for pair, vector in zip(pairs, vectors, strict=True):
            found = self._search(pair.question, vector, "section", _AGAIN)
            # Never another document's: its readers may not read the words of this question.
            same = [one for one in found if one.document == pair.document]
            own = [one for one in same if one.section == pair.section]
            fact = self._best(pair.question, own or same[:1])
            if fact and fact.odds >= _LIKELY:
                yield fact

    def _pairs(self) -> list[Passage]:
        found = self._search(self.subject, self._vector(self.subject), "qa", PAIRS)
        if self.unit:
            about = [one for one in found if self._names(one)]
        else:
            places = {(one.document, one.section) for one in self.sections}
            odds = self._weigh(self.subject, [f"{one.question} {one.text}" for one in found])
            about = [
                one for one, weight in zip(found, odds, strict=True)
                if (one.document, one.section) in places or weight >= _ABOUT
            ]  # fmt: skip
        return about

    def lines(self) -> Iterator[Fact]:
        """The lines of the sections that are about the subject by themselves, without a question."""
        for passage in self.sections:
            lines = retrieve.lines_of(passage)
            for place, (line, odds) in enumerate(zip(lines, self._odds(self.subject, passage), strict=True)):
                if self._names_unit(line) if self.unit else odds >= _LIKELY:
                    yield Fact("", passage, line, lines[place - 1] if place else "", odds)

    def answers(self, questions: Sequence[str]) -> Iterator[Fact | None]:
        """For each question the line that answers it, None where nothing does by reranker and reader together. Raises
        what the model raises."""
        if not questions:
            return
        for question, vector in zip(questions, self.assistant.embedder.embed_questions(list(questions)), strict=True):
            fact = self._best(question, self._search(question, vector, "section", _AGAIN))
            yield fact if fact and fact.odds - _REFUSAL * self._refused(fact) >= _ANSWERED else None

    def says(self, question: str, texts: Sequence[str]) -> bool:
        """Whether some texts, which are about the subject, answer a question: one of them by the reranker, or all
        together by reranker and reader, as a line of a document does. Raises what the model raises."""
        best = max(self._weigh(question, texts), default=-math.inf)
        if best >= _LIKELY or not texts:
            return best >= _LIKELY
        return best - _REFUSAL * self._refusal(question, " ".join(texts)) >= _ANSWERED

    def _best(self, question: str, passages: Sequence[Passage]) -> Fact | None:
        """The line of some passages that answers a question best; of those that name the unit, where there is one."""
        lines = [
            (passage, place, line)
            for passage in passages
            if not self.unit or self._names(passage)
            for place, line in enumerate(retrieve.lines_of(passage))
        ]
        if not lines:
            return None
        odds = self._weigh(question, [retrieve.headed(passage, line) for passage, _, line in lines])
        at = max(range(len(lines)), key=odds.__getitem__)
        passage, place, line = lines[at]
        return Fact(question, passage, line, retrieve.lines_of(passage)[place - 1] if place else "", odds[at])

    def _refused(self, fact: Fact) -> float:
        line = f"{fact.before[-retrieve.WINDOW :]}\n{fact.line}".strip()
        return self._refusal(fact.question, prompts.excerpt(fact.passage.section, "", line))

    def _refusal(self, question: str, excerpt: str) -> float:
        """The log-odds that the reader refuses to answer a question from an excerpt; where it does not say, as much as
        the reranker alone needs."""
        model = self.assistant.model
        if not isinstance(model, Scoring):
            return _UNSAID
        asked = prompts.document(question, [excerpt])
        (likely,) = model.log_probabilities(asked, [prompts.NOT_FOUND], task="answer")
        return likely - math.log1p(-math.exp(min(likely, -1e-6)))

    def _names(self, passage: Passage) -> bool:
        """Whether a passage names the unit, in its words or above them."""
        return self._names_unit(f"{passage.document}\n{passage.section}\n{passage.question}\n{passage.text}")

    def _names_unit(self, text: str) -> bool:
        finder = self.assistant.organization.finder
        return bool(finder and any(self.unit in mention.units for mention in finder.find(text)))

    def _odds(self, question: str, passage: Passage) -> list[float]:
        return self._weigh(question, [retrieve.headed(passage, line) for line in retrieve.lines_of(passage)])

    def _weigh(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        if self.assistant.reranker:
            return [float(each) for each in self.assistant.reranker.weigh(question, texts)]
        embedder = self.assistant.embedder
        alike = embedder.embed_passages(list(texts)) @ self._vector(question)
        return [float(each) for each in 10 * (alike - 0.5)]  # an encoder of another language weighs by itself

    def _vector(self, text: str) -> np.ndarray:
        found: np.ndarray = self.assistant.embedder.embed_questions([text])[0]
        return found

    def _search(self, text: str, vector: np.ndarray, kind: str, most: int) -> list[Passage]:
        search = self.assistant.vectors.search
        return list(search(vector, text, kinds=(kind,), k=most, readers=self.readers, without=self._outside))

    @cached_property
    def _outside(self) -> Collection[str]:
        """What is not in force today, of which nothing is told as if it were."""
        return scope(self.assistant.records).outside.keys()


def chosen(
    facts: Sequence[Fact], words: int, count: Callable[[str], int] = lambda text: len(text.split())
) -> list[Fact]:
    """As many of the facts as take about that many words: of each section its best in turn, so that no section crowds
    out the others; no line twice, and none that is longer than half of it all."""
    sections: dict[tuple[str, str], list[Fact]] = {}
    seen = set[str]()
    for fact in facts:
        if fact.line not in seen and count(fact.line) <= max(60, words // 2):
            seen.add(fact.line)
            sections.setdefault((fact.passage.document, fact.passage.section), []).append(fact)
    for each in sections.values():
        each.sort(key=lambda fact: (not fact.question, -fact.odds))
    kept: list[Fact] = []
    while words > 0 and any(sections.values()):
        for each in sections.values():
            if each and words > 0:
                kept.append(each.pop(0))
                words -= count(kept[-1].line)
    return kept
