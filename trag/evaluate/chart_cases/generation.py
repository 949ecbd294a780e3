"""Cases of a chart: facts of every kind in turn, put into words.

chart -> Tree, Names, Types -> facts (upward, downward, compound) -> questions (phrasing) -> Cases
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from org.chart import Chart
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases import compound, downward, facts, upward
from trag.evaluate.chart_cases.facts import Fact, Material, in_turn, material
from trag.evaluate.chart_cases.phrasing import Phrasings

_PATIENCE = 500  # facts in a row that no question can be asked about
_Form = Callable[[Material], Iterator[Fact]]
_FORMS: Mapping[str, tuple[_Form, ...]] = {
    "simple": (upward.where, upward.above, upward.whether, upward.kind, upward.anything),
    "complex": (upward.path, upward.second, upward.kind_above, upward.far_whether, upward.more),
    "list": (
        downward.children, downward.flat, downward.below, downward.of_type, downward.some, downward.some_of_type,
        downward.nothing, downward.none_of_type,
    ),
    "count": (
        downward.count_children, downward.count_below, downward.count_of_type, downward.count_everywhere,
        downward.count_none,
    ),
    "common parent": (upward.common,),
    "siblings": (upward.siblings, upward.no_siblings, upward.whether_siblings),
    "compound": (
        compound.parent_and_type, compound.parent_and_children, compound.parent_and_count, compound.two_parents,
        compound.two_lists, compound.some_and_some,
    ),
    "unanswerable": (facts.private, facts.invented),
}  # fmt: skip
KINDS = tuple(_FORMS)
"""The kinds of case that a chart gives. "complex" are questions of several steps up the tree; the paper's complex ones
(T-RAG, section 6.2) are "list" and "compound" here."""


def make(chart: Chart, *, seed: int, number: int) -> tuple[Case, ...]:
    """`number` cases, the same ones for the same chart and seed; fewer where the chart gives no more.

    The kinds come in turn, and in each its forms, the levels of the tree and the types of unit. What is asked about a
    unit in one form is asked once. A chart always gives questions that it can not answer: of these no more than their
    even share.
    """
    return tuple(fact.case for fact in drawn(chart, seed=seed, number=number))


def drawn(chart: Chart, *, seed: int, number: int) -> Iterator[Fact]:
    """The facts behind the cases of `make`, each with its case."""
    if number < 1:
        return
    drawn_from = material(chart, seed)
    words, chance, asked = Phrasings(drawn_from.names), drawn_from.chance, set[str]()

    def worded(facts: Iterator[Fact]) -> Iterator[Fact]:
        """The facts for which there is a question that was not asked yet, with it."""
        failed = 0
        for fact in facts:
            question = words.ask(fact, chance)
            if question and question.casefold() not in asked:
                failed = 0
                asked.add(question.casefold())
                yield replace(fact, case=replace(fact.case, question=question))
            elif (failed := failed + 1) == _PATIENCE:
                return

    kinds: list[Iterator[Fact]] = []
    for kind, forms in _FORMS.items():
        facts = in_turn([worded(form(drawn_from)) for form in chance.sample(forms, len(forms))])
        kinds.append(islice(facts, -(-number // len(KINDS))) if kind == "unanswerable" else facts)
    numbers = Counter[str]()
    for fact in islice(in_turn(kinds), number):
        kind = fact.case.kind
        numbers[kind] += 1
        yield replace(fact, case=replace(fact.case, id=f"{kind.replace(' ', '-')}-{numbers[kind]:03}"))
