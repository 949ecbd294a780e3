"""A home's own dataset: from its pairs, its chart and its reviewers' labels to a folder that training reads.

home -> Examples (from_pairs, from_chart, from_labels) -> two sides -> train.jsonl, held_out.jsonl, cases.jsonl, card.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from store.passage import Passage
from trag.ask import Assistant
from trag.asking import as_read
from trag.evaluate import chart_cases
from trag.evaluate.cases import Case
from trag.finetune.dataset import folders, gold, particulars, splitting
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.from_chart import from_chart
from trag.finetune.dataset.from_labels import agreed, from_labels
from trag.finetune.dataset.from_pairs import from_pairs, is_vouched_for, worth_learning
from trag.finetune.dataset.sides import Side, divide
from trag.ingest.upkeep import silent

if TYPE_CHECKING:
    from trag.home import Home
    from trag.ingest.upkeep import Progress

_FEWEST, _MOST, _OF_PAIRS = 80, 400, 0.6
"""Chart questions: this share of the pairs, between these numbers."""
_WITH_DOCUMENTS = 0.6  # of the contexts of chart questions, where there are documents
_ABOUT = """What {0} holds to learn from: {1} question-answer pairs ({2} that somebody vouches for), {3} questions made
from its chart, and {4} answers with a reviewer's label. Contexts are what the assistant finds for each question."""


def make(home: Home, folder: Path, *, seed: int = folders.SEED, progress: Progress = silent) -> Card:
    """The dataset of a home in `folder`, the same one for the same home and seed.

    What `progress` raises ends the work with nothing written. Raises TragError when the home holds too little to learn
    from: no pairs, no chart, no labels.
    """
    chance, assistant, library = Random(seed), home.assistant, home.records.library
    passages, known = tuple(library.passages()), library.pairs()
    pairs = worth_learning(known, chance=chance)
    sides = divide({(passage.document, passage.section) for passage in passages}, seed=seed)
    made: list[Example] = []
    held_out: set[str] = set()
    cases: dict[str, Case | None] = {}
    for side in sides:
        own = [pair for pair in pairs if side.has(pair.passage)]
        for number, one in enumerate(from_pairs(own, passages, assistant, side, chance=chance)):
            progress("contexts of pairs", number, len(own))
            made.append(one)
            if side.held_out:
                held_out.add(one.source)
    for pair in pairs:
        if sides[1].has(pair.passage):
            cases[pair.id] = gold.case(pair.id, pair.question, pair.answer, "document", home.organization)
    labelled = agreed(home.records.labels(), home.records.answer)
    for label, one, side in from_labels(labelled, assistant, sides, chance=chance):
        progress("labelled answers", len(made), len(made))
        made.append(one)
        if side.held_out:
            held_out.add(one.source)
            id = f"label-{label.id}"
            cases[id] = gold.case(id, label.question, label.answer, "label", home.organization)
    about_chart = _about_chart(assistant, passages, sides[0], seed=seed, pairs=len(pairs), progress=progress)
    cases |= {case.id: case for case in about_chart.cases}
    made += about_chart.examples
    held_out |= about_chart.held_out
    counts = len(pairs), sum(map(is_vouched_for, pairs)), about_chart.questions, len(labelled)
    return folders.write(
        folder,
        made,
        [case for case in cases.values() if case],
        held_out,
        title=f"The dataset of {home.organization.name}",
        about=_ABOUT.format(home.organization.name, *counts),
        seed=seed,
        model=home.model,
    )


@dataclass(frozen=True, slots=True)
class _AboutChart:
    """Examples from a chart, the sources of those held out, and the cases that these ask."""

    examples: tuple[Example, ...] = ()
    held_out: frozenset[str] = frozenset()
    cases: tuple[Case, ...] = ()

    @property
    def questions(self) -> int:
        return sum(len(example.asked) for example in self.examples)


def _about_chart(
    assistant: Assistant, passages: Sequence[Passage], learned: Side, *, seed: int, pairs: int, progress: Progress
) -> _AboutChart:
    """Questions of every kind about the chart. Those held out are the ones that share fewest statements with the
    others; no passage stands beside them, as it would be on both sides."""
    chart, chance = assistant.organization.chart, Random(seed)
    if chart is None:
        return _AboutChart()
    number = min(_MOST, max(_FEWEST, round(_OF_PAIRS * pairs)))
    asked = [
        *chart_cases.make(chart, seed=seed, number=number),
        *particulars.make(chart, chance=chance, number=number // 10),
    ]
    share = _WITH_DOCUMENTS if passages else 0.0
    kept = {as_read(passage) for passage in learned.of(passages)}
    found: list[Example] = []
    for one in from_chart("chart", asked, assistant, chance=chance, with_documents=share):
        progress("questions about the chart", sum(len(example.asked) for example in found), len(asked))
        own = tuple(passage for passage in one.passages if passage in kept)
        found.append(replace(one, source=f"chart {len(found)}", passages=own))
    held_out = splitting.least_shared(found)
    made = tuple(replace(one, passages=()) if one.source in held_out else one for one in found)
    told = {one.question for example in made if example.source in held_out for one in example.asked}
    return _AboutChart(made, held_out, tuple(case for case in asked if case.question in told))
