"""A home's own dataset: from its pairs, its chart and its reviewers' labels to a folder that training reads.

home -> Examples (documents, chart_queries, condensing, from_labels) -> two sides -> train.jsonl, held_out.jsonl,
cases.jsonl, card.md.  An adapter answers everybody: only what everybody may read is learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from org.linking.entities import Organization
from store.library import Pair
from store.passage import EVERYONE, Passage
from trag.evaluate.cases import Case
from trag.finetune.dataset import chart_queries, condensing, documents, folders, from_labels, gold
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.from_labels import Labelled, agreed
from trag.finetune.dataset.sides import Side, divide
from trag.finetune.dataset.splitting import SHARE
from trag.progress import silent

if TYPE_CHECKING:
    from trag.home import Home
    from trag.progress import Progress

ENOUGH = 150
"""Pairs that somebody vouches for, from which no written one is needed beside them."""
_FEWEST, _MOST, _OF_PAIRS = 80, 400, 0.6
"""Chart queries: this share of the pairs, between these numbers."""
_CONDENSED = 0.15  # follow-ups, as a share of the chart queries
_ABOUT = """What {0} holds to learn from: {1} question-answer pairs ({2} that somebody vouches for), {3} questions about
its chart, and {4} answers with a reviewer's label, as the assistant asks its model about them. Documents that not
everyone may read are left out, with their pairs and the labels of answers that stand on them."""


def make(home: Home, folder: Path, *, seed: int = folders.SEED, progress: Progress = silent) -> Card:
    """The dataset of a home in `folder`, the same one for the same home and seed.

    What `progress` raises ends the work with nothing written. Raises TragError when what everyone may read of the home
    is too little to learn from: no pairs, no chart, no labels.
    """
    chance, library, organization = Random(seed), home.records.library, home.organization
    names = {document.name for document in library.documents() if EVERYONE in document.audience}
    passages = tuple(one for one in library.passages() if one.document in names and one.kind == "section")
    pairs = worth_learning([pair for pair in library.pairs() if pair.document in names], chance=chance)
    sides = divide({(passage.document, passage.section) for passage in passages}, seed=seed)
    progress("question-answer pairs", 0, 3)
    made, cases = _of_pairs(pairs, passages, sides, organization, chance=chance)
    progress("labelled answers", 1, 3)
    labelled = agreed(home.records.labels(), home.records.answer, names)
    for one in labelled:
        if example := from_labels.example(one, organization):
            made.append(example)
            cases += _label_case(one, organization)
    progress("questions about the chart", 2, 3)
    number = min(_MOST, max(_FEWEST, round(_OF_PAIRS * len(pairs))))
    about_chart = [
        *chart_queries.from_chart("chart", organization, chance=chance, number=number),
        *condensing.from_organization("chart", organization, cases, chance=chance, number=round(_CONDENSED * number)),
    ]
    made += (replace(example, source=f"chart {place}") for place, example in enumerate(about_chart))
    held_out = {_source(pair) for pair in pairs if sides[1].has(pair.passage)}
    others = sorted({example.source for example in made if example.source.partition(" ")[0] in ("chart", "label")})
    held_out |= set(chance.sample(others, round(SHARE * len(others))))
    kept = [case for case in cases if case.id in held_out or _of_side(case, sides[1])]
    counts = len(pairs), sum(map(is_vouched_for, pairs)), len(about_chart), len(labelled)
    return folders.write(
        folder,
        made,
        kept,
        held_out,
        title=f"The dataset of {organization.name}",
        about=_ABOUT.format(organization.name, *counts),
        seed=seed,
        model=home.model,
    )


def worth_learning(pairs: Sequence[Pair], *, chance: Random) -> tuple[Pair, ...]:
    """The short pairs that somebody vouches for, and as many others that are searched as make them enough. What waits
    for somebody to look is not learned from."""
    kept = [pair for pair in pairs if len(pair.answer.split()) <= documents.LONGEST_ANSWER]
    vouched = list(filter(is_vouched_for, kept))
    others = [pair for pair in kept if pair.searched and pair.state == "made" and not is_vouched_for(pair)]
    return (*vouched, *chance.sample(others, min(len(others), max(0, ENOUGH - len(vouched)))))


def is_vouched_for(pair: Pair) -> bool:
    """Whether somebody wrote the pair, approved it, or gave it in a file."""
    return pair.state == "approved" or (pair.state == "made" and pair.origin == "given")


def _of_pairs(
    pairs: Sequence[Pair],
    passages: Sequence[Passage],
    sides: tuple[Side, Side],
    organization: Organization,
    *,
    chance: Random,
) -> tuple[list[Example], list[Case]]:
    """Every pair over excerpts of its own side, and as a case where its answer tells what is right."""
    made: list[Example] = []
    cases: list[Case] = []
    for side in sides:
        own = [pair for pair in pairs if side.has(pair.passage)]
        asked = [_case(pair) for pair in own]
        sources = {pair.id: _source(pair) for pair in own}
        for case, example in documents.examples(asked, side.of(passages), organization, chance=chance):
            made.append(replace(example, source=sources[case.id]))
        cases += filter(
            None,
            (_placed(gold.case(pair.id, pair.question, pair.answer, "document", organization), pair) for pair in own),
        )
    return made, cases


def _source(pair: Pair) -> str:
    return f"{pair.document} > {pair.section}"


def _case(pair: Pair) -> Case:
    items = ((pair.source,),) if pair.source else ()
    return Case(
        pair.id, pair.question, "document", pair.answer, gold=items, document=pair.document, section=pair.section
    )


def _placed(case: Case | None, pair: Pair) -> Case | None:
    return case and replace(case, document=pair.document, section=pair.section)


def _of_side(case: Case, side: Side) -> bool:
    return (case.document, case.section) in side.sections


def _label_case(one: Labelled, organization: Organization) -> list[Case]:
    case = gold.case(f"label {one.record.id}", one.question, one.answer, "label", organization)
    return [case] if case else []
