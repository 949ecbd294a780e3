"""Examples from questions about documents whose right answers are known: over what the pipeline finds for each.

cases, the passages of a home, what finds -> Examples.  The right passage stands among others, in any place; it is put
in where the search missed it, mostly, and left out in a share, so that reading is learned and refusing too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from random import Random

from prompts import CANNOT_ANSWER
from store.passage import Passage
from trag.evaluate.cases import Case
from trag.finetune.dataset.contexts import Context, example
from trag.finetune.dataset.evidence import Bearing, bearing, is_of_section
from trag.finetune.dataset.examples import MOST_ASKED, Asked, Example
from trag.finetune.dataset.typed import typed

ROUNDS = 2
"""How often each question is asked at least, every time over another context."""
REFUSED = 0.26
"""Share of the questions to refuse."""
_HIDDEN = 0.08  # of the questions that the search answered: the section is taken out
_PUT_IN = 0.8  # of those that it missed: the section is put in
_TYPED = 0.3  # typed otherwise than written, in the first round; always later
_SHUFFLED, _THINNED, _SECTIONS_ALONE, _PAIRS_ALONE = 0.3, 0.4, 0.15, 0.05
_FEW = (1, 2, 2, 3, 3, 4)  # passages of a thinned context
_CROWDED, _MANY = 0.06, (8, 9, 11)  # of the contexts; passages in them


Find = Callable[[Case, str], Context]
"""What the pipeline gives for a case asked in these words."""


def from_documents(
    organization: str,
    cases: Sequence[Case],
    passages: Sequence[Passage],
    find: Find,
    *,
    source: Callable[[Case], str],
    chance: Random,
) -> Iterator[Example]:
    """Every case over some context, with others that the same context answers, or surely does not.

    `passages` are all there are; a case names its document and section, and `source` gives the source of a context by
    the case it was found for.
    """
    bearings = tuple(bearing(case, passages) for case in cases)
    mixing = _Mixing(organization, bearings, tuple(passages), find, source, chance)
    for number in range(ROUNDS):
        for one in chance.sample(mixing.bearings, len(mixing.bearings)):
            if mixing.times[one.case.id] <= number and (made := mixing.example(one, again=number > 0)):
                yield made


class _Mixing:
    """One home's questions on their way into contexts: how often each was asked, and how many were to be refused."""

    def __init__(
        self,
        organization: str,
        bearings: tuple[Bearing, ...],
        passages: tuple[Passage, ...],
        find: Find,
        source: Callable[[Case], str],
        chance: Random,
    ) -> None:
        self.organization = organization
        self.bearings = bearings
        self.passages = passages
        self.find = find
        self.source = source
        self.chance = chance
        self.times = Counter[str]()
        self.refused = 0

    def example(self, first: Bearing, *, again: bool) -> Example | None:
        """A context for one question, and what else can be asked over it. None when what it holds is not sure,
        or it holds nothing."""
        question = self._words(first.case, again=again)
        context = self._arranged(first, self.find(first.case, question))
        first_answer = self._answer(first, context)
        if first_answer is None or not (context.passages or context.statements):  # with neither it is never asked
            return None
        asked = [self._asked(first, question, first_answer)]
        for one, answer in self._companions(first, context):
            asked.append(self._asked(one, self._words(one.case, again=self.times[one.case.id] > 0), answer))
        self.chance.shuffle(asked)
        return example(self.source(first.case), self.organization, context, asked)

    def _asked(self, one: Bearing, question: str, answer: str) -> Asked:
        self.times[one.case.id] += 1
        self.refused += answer == CANNOT_ANSWER
        return Asked(question, answer, "absent" if answer == CANNOT_ANSWER and not one.case.refuse else one.case.kind)

    def _words(self, case: Case, *, again: bool) -> str:
        return typed(case.question, self.chance) if again or self.chance.random() < _TYPED else case.question

    def _answer(self, one: Bearing, context: Context) -> str | None:
        """What is right over this context, None where that is not sure."""
        if one.is_in(context.passages):
            return one.case.answer
        return CANNOT_ANSWER if one.is_absent(context.passages, context.statements) else None

    def _arranged(self, first: Bearing, context: Context) -> Context:
        """The context with what bears the answer out in it, or taken out; in the pipeline's order or another."""
        chance, case = self.chance, first.case
        found = self._with_or_without(first, context.passages)
        kept = {passage.id for passage in found if passage.id in first.needed or is_of_section(passage, case)}
        found = self._of_one_kind(first, found)
        if chance.random() < _THINNED:
            found = self._thinned(found, kept)
        if (case.refuse or first.is_in(found)) and chance.random() < _CROWDED:
            found = self._crowded(found)
        if chance.random() < _SHUFFLED:
            chance.shuffle(found)
        return replace(context, passages=tuple(found))

    def _with_or_without(self, first: Bearing, passages: Sequence[Passage]) -> list[Passage]:
        """What was found with what bears the answer out put in, mostly, where it was missed; or taken out, in a share
        of the questions, where it was found."""
        found, case = list(passages), first.case
        own = [passage for passage in self.passages if is_of_section(passage, case) and passage.kind == "section"]
        wanted = [passage for passage in own if passage.id in first.needed or case.refuse]
        has = first.is_in(found) or (case.refuse and any(is_of_section(passage, case) for passage in found))
        if not has and self.chance.random() < _PUT_IN:
            return self._put_in(wanted[:2], found)
        if has and not case.refuse and self.chance.random() < _HIDDEN:
            return [passage for passage in found if not is_of_section(passage, case)]
        return found

    def _of_one_kind(self, first: Bearing, found: list[Passage]) -> list[Passage]:
        """In a share the sections alone, in another the pairs where they say enough, else both."""
        share = self.chance.random()
        if share < _SECTIONS_ALONE:
            return [passage for passage in found if passage.kind == "section"] or found
        if share < _SECTIONS_ALONE + _PAIRS_ALONE:
            pairs = [passage for passage in found if passage.kind == "qa"]
            return pairs if pairs and (first.case.refuse or first.is_in(pairs)) else found
        return found

    def _thinned(self, found: list[Passage], kept: Collection[str]) -> list[Passage]:
        """Those whose ids are to be `kept`, and few others."""
        others = [passage.id for passage in found if passage.id not in kept]
        number = max(0, self.chance.choice(_FEW) - len(kept))
        chosen = {*kept, *self.chance.sample(others, min(number, len(others)))}
        return [passage for passage in found if passage.id in chosen] or found

    def _crowded(self, found: Sequence[Passage]) -> list[Passage]:
        """The passages far apart, among many others."""
        known = {passage.id for passage in found}
        others = [passage for passage in self.passages if passage.kind == "section" and passage.id not in known]
        number = min(len(others), max(0, self.chance.choice(_MANY) - len(found)))
        crowd = [*found, *self.chance.sample(others, number)]
        self.chance.shuffle(crowd)
        return crowd

    def _put_in(self, wanted: Sequence[Passage], found: Sequence[Passage]) -> list[Passage]:
        """The wanted passages in random places, each instead of another one."""
        rest = [passage for passage in found if passage.id not in {one.id for one in wanted}]
        for _ in range(min(len(wanted), len(rest))):
            rest.pop(self.chance.randrange(len(rest)))
        for passage in wanted:
            rest.insert(self.chance.randrange(len(rest) + 1), passage)
        return rest

    def _companions(self, first: Bearing, context: Context) -> Iterator[tuple[Bearing, str]]:
        """Other questions over a context, with the answers that are right there; those asked least come first."""
        others = [one for one in self.bearings if one.case.id != first.case.id]
        others.sort(key=lambda one: (self.times[one.case.id], self.chance.random()))
        number = self.chance.choice((1, 2, 3, 3, MOST_ASKED - 1))
        answerable = [one for one in others if self.times[one.case.id] <= ROUNDS and one.is_in(context.passages)]
        total = self.times.total() + 1 + min(number, len(answerable))
        if self.refused < REFUSED * total and (one := self._to_refuse(others, context)):
            yield one, CANNOT_ANSWER
            number -= 1
        yield from ((one, one.case.answer) for one in answerable[:number])

    def _to_refuse(self, others: Sequence[Bearing], context: Context) -> Bearing | None:
        """A question that this context does not answer, of those nearest to it: best one of a section that is there."""
        documents = {passage.document for passage in context.passages}
        near = [
            one
            for one in others
            if one.case.refuse and any(is_of_section(passage, one.case) for passage in context.passages)
        ]
        far = [
            one
            for one in others[: len(others) // 2]
            if not one.case.refuse and one.needed and one.case.document in documents
        ]
        ranked = [*near[:2], *far] if self.chance.random() < 0.75 else [*far, *near]
        return next((one for one in ranked if one.is_absent(context.passages, context.statements)), None)
