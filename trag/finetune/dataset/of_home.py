"""A home's own dataset: from its pairs, its chart and its reviewers' labels to a folder that training reads.

home -> Examples (from_pairs, from_chart, from_labels) -> two sides -> train.jsonl, held_out.jsonl, cases.jsonl, card.md
An adapter answers everybody: only what everybody may read is learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from store.library import Pair
from store.passage import EVERYONE, Passage
from trag.ask import Assistant
from trag.asking import as_read
from trag.evaluate import chart_cases
from trag.evaluate.cases import Case
from trag.finetune.dataset import folders, gold, particulars, splitting
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.from_chart import from_chart
from trag.finetune.dataset.from_labels import Labelled, agreed, from_labels
from trag.finetune.dataset.from_pairs import from_pairs, is_vouched_for, worth_learning
from trag.finetune.dataset.sides import Side, divide
from trag.progress import silent

if TYPE_CHECKING:
    from trag.home import Home
    from trag.progress import Progress

_FEWEST, _MOST, _OF_PAIRS = 80, 400, 0.6
"""Chart questions: this share of the pairs, between these numbers."""
_WITH_DOCUMENTS = 0.6  # of the contexts of chart questions, where there are documents
_ABOUT = """What {0} holds to learn from: {1} question-answer pairs ({2} that somebody vouches for), {3} questions made
from its chart, and {4} answers with a reviewer's label. Contexts are what the assistant finds for each question.
Documents that not everyone may read are left out, with their pairs and the labels of answers that stand on them."""


def make(home: Home, folder: Path, *, seed: int = folders.SEED, progress: Progress = silent) -> Card:
    """The dataset of a home in `folder`, the same one for the same home and seed.

    What `progress` raises ends the work with nothing written. Raises TragError when what everyone may read of the home
    is too little to learn from: no pairs, no chart, no labels.
    """
    chance, library = Random(seed), home.records.library
    documents = {document.name for document in library.documents() if EVERYONE in document.audience}
    passages = tuple(passage for passage in library.passages() if passage.document in documents)
    pairs = worth_learning((pair for pair in library.pairs() if pair.document in documents), chance=chance)
    labelled = agreed(home.records.labels(), home.records.answer, documents)
    sides = divide({(passage.document, passage.section) for passage in passages}, seed=seed)
    of_pairs = _of_pairs(home, pairs, passages, sides, chance=chance, progress=progress)
    of_labels = _of_labels(home, labelled, sides, chance=chance, progress=progress)
    about_chart = _about_chart(home.assistant, passages, sides[0], seed=seed, pairs=len(pairs), progress=progress)
    parts = (of_pairs, of_labels, about_chart)
    counts = len(pairs), sum(map(is_vouched_for, pairs)), about_chart.questions, len(labelled)
    return folders.write(
        folder,
        [example for part in parts for example in part.examples],
        list({case.id: case for part in parts for case in part.cases}.values()),
        {source for part in parts for source in part.held_out},
        title=f"The dataset of {home.organization.name}",
        about=_ABOUT.format(home.organization.name, *counts),
        seed=seed,
        model=home.model,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """Examples of one kind, the sources of those held out, and the cases that these ask."""

    examples: tuple[Example, ...] = ()
    held_out: frozenset[str] = frozenset()
    cases: tuple[Case, ...] = ()

    @property
    def questions(self) -> int:
        return sum(len(example.asked) for example in self.examples)


def _of_pairs(
    home: Home,
    pairs: Sequence[Pair],
    passages: Sequence[Passage],
    sides: tuple[Side, Side],
    *,
    chance: Random,
    progress: Progress,
) -> _Part:
    """Every pair over contexts of its own side."""
    made: list[Example] = []
    held_out: set[str] = set()
    for side in sides:
        own = [pair for pair in pairs if side.has(pair.passage)]
        for number, one in enumerate(from_pairs(own, passages, home.assistant, side, chance=chance)):
            progress("contexts of pairs", number, len(own))
            made.append(one)
            if side.held_out:
                held_out.add(one.source)
    asked = (pair for pair in pairs if sides[1].has(pair.passage))
    cases = (gold.case(pair.id, pair.question, pair.answer, "document", home.organization) for pair in asked)
    return _Part(tuple(made), frozenset(held_out), tuple(filter(None, cases)))


def _of_labels(
    home: Home, labelled: Sequence[Labelled], sides: tuple[Side, Side], *, chance: Random, progress: Progress
) -> _Part:
    """What reviewers wanted, over what is found for it today."""
    made: list[Example] = []
    held_out: set[str] = set()
    cases: dict[str, Case | None] = {}
    for label, one, side in from_labels(labelled, home.assistant, sides, chance=chance):
        progress("labelled answers", labelled.index(label), len(labelled))
        made.append(one)
        if side.held_out:
            held_out.add(one.source)
            id = f"label-{label.id}"
            cases[id] = gold.case(id, label.question, label.answer, "label", home.organization)
    return _Part(tuple(made), frozenset(held_out), tuple(filter(None, cases.values())))


def _about_chart(
    assistant: Assistant, passages: Sequence[Passage], learned: Side, *, seed: int, pairs: int, progress: Progress
) -> _Part:
    """Questions of every kind about the chart. Those held out are the ones that share fewest statements with the
    others; no passage stands beside them, as it would be on both sides."""
    chart, chance = assistant.organization.chart, Random(seed)
    if chart is None:
        return _Part()
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
    return _Part(made, held_out, tuple(case for case in asked if case.question in told))
