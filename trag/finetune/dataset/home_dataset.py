"""A home's own dataset: from its pairs, its chart and its reviewers' labels to a folder that training reads.

home -> Examples -> two sides -> train.jsonl, held_out.jsonl, cases.jsonl, card.md. An adapter answers everybody: only
what everybody may read is learned from.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import prompts
from org.language import in_all
from org.linking.entities import Organization
from prompts import CANNOT_ANSWER, NOT_FOUND
from store.language import language
from store.library import Pair
from store.passage import EVERYONE, Passage
from store.records import StoredAnswer
from store.reviews import Label
from trag.evaluate.cases import Case
from trag.finetune.dataset import chart_queries, condensing, documents, folders
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.folders import SHARE, Card
from trag.progress import silent
from trag.record import AnswerRecord

if TYPE_CHECKING:
    from trag.home import Home
    from trag.progress import Progress

ENOUGH = 150
"""Pairs that somebody vouches for, from which no written one is needed beside them."""
_FEWEST, _MOST, _OF_PAIRS = 80, 400, 0.6
"""Chart queries: this share of the pairs, between these numbers."""
_CONDENSED = 0.15  # follow-ups, as a share of the chart queries
_SHORT = 5  # words of an answer that is its own gold
_FIGURE = re.compile(
    r"(?<![\w-])(?:[A-Z]{3} |[€$£] ?)?\d[\d,.:]*\d?(?: ?%| (?:million|thousand|per cent))?(?: [a-z]{3,})?"
)
_POLARITY = re.compile(r"(yes|no)\b[,.:;]?", re.IGNORECASE)
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
    aside = held_out_sections({(one.document, one.section) for one in passages}, seed=seed)
    progress("question-answer pairs", 0, 3)
    made, cases = _of_pairs(pairs, passages, aside, organization, chance=chance)
    progress("labelled answers", 1, 3)
    labelled = agreed_labels(home.records.labels(), home.records.answer, names)
    for one in labelled:
        if example := label_example(one, organization):
            made.append(example)
            if case := case_of_answer(example.source, one.question, one.answer, LABEL, organization):
                cases.append(case)
    progress("questions about the chart", 2, 3)
    number = min(_MOST, max(_FEWEST, round(_OF_PAIRS * len(pairs))))
    learned = [case for case in cases if case.document and (case.document, case.section) not in aside]
    about_chart = [
        *chart_queries.from_chart("chart", organization, chance=chance, number=number),
        *condensing.from_organization("chart", organization, learned, chance=chance, number=round(_CONDENSED * number)),
    ]
    made += (replace(example, source=f"chart {place}") for place, example in enumerate(about_chart))
    held_out = {f"{pair.document} > {pair.section}" for pair in pairs if _is_in(aside, pair.passage)}
    others = sorted({example.source for example in made if example.source.partition(" ")[0] in ("chart", "label")})
    held_out |= set(chance.sample(others, round(SHARE * len(others))))
    kept = [case for case in cases if case.id in held_out or (case.document, case.section) in aside]
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
    """The short pairs that somebody vouches for, and as many others that are searched as make them enough."""
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
    aside: frozenset[tuple[str, str]],
    organization: Organization,
    *,
    chance: Random,
) -> tuple[list[Example], list[Case]]:
    """Every pair over excerpts of its own side, `aside` or not, and as a case where its answer tells what is right."""
    made: list[Example] = []
    cases: list[Case] = []
    for held in (False, True):
        own = [pair for pair in pairs if _is_in(aside, pair.passage) is held]
        near = [one for one in passages if _is_in(aside, one) is held]
        asked = [
            Case(
                pair.id,
                pair.question,
                "document",
                pair.answer,
                gold=((pair.source,),) if pair.source else (),
                document=pair.document,
                section=pair.section,
            )
            for pair in own
        ]
        made += (example for _, example in documents.examples(asked, near, organization, chance=chance))
        for pair in own:
            if found := case_of_answer(pair.id, pair.question, pair.answer, "document", organization):
                cases.append(replace(found, document=pair.document, section=pair.section))
    return made, cases


def _is_in(sections: frozenset[tuple[str, str]], passage: Passage) -> bool:
    return (passage.document, passage.section) in sections


LABEL = "label"


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer that reviewers looked at, and the one that they want, NOT_FOUND for a refusal."""

    record: AnswerRecord
    answer: str
    is_as_given: bool

    @property
    def question(self) -> str:
        """As it stood alone."""
        return self.record.standalone


def agreed_labels(
    labels: Iterable[Label], answer: Callable[[str], StoredAnswer | None], names: Container[str]
) -> tuple[Labelled, ...]:
    """What the labels ask for, an answer each: of several verdicts the last that says what is right. Nothing where
    reviewers disagree and none of them settled it, nor of an answer that stood on more than the chart and documents of
    these `names`, nor of a plan."""
    by_answer: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_answer[label.answer].append(label)
    found = []
    for id, given in by_answer.items():
        stored = answer(id)
        given = [label for label in given if label.settles][-1:] or given
        if stored is None or stored.kind != "answer" or len({label.verdict == "Incorrect" for label in given}) > 1:
            continue
        record = AnswerRecord.from_json(stored.record_json)
        answers = (label.corrected.strip() or stored.answer * (label.verdict == "Correct") for label in given)
        wanted = next(filter(None, reversed([*answers])), "")
        if wanted and all(source.kind == "chart" or source.document in names for source in record.sources):
            is_refusal = wanted.casefold() in {each.casefold() for each in (NOT_FOUND, *in_all(CANNOT_ANSWER))}
            found.append(Labelled(record, NOT_FOUND if is_refusal else wanted, wanted == stored.answer))
    return tuple(found)


def label_example(one: Labelled, organization: Organization) -> Example | None:
    """What a labelled answer teaches, a chart query or an answer over excerpts; None where nothing bears it out."""
    source = f"label {one.record.id}"
    if one.record.checks.replaced == "chart":
        chart, expression = organization.chart, one.record.chart_query
        if chart is None or not expression or not one.is_as_given:
            return None
        given = chart_queries.linked(one.question, organization)
        reply = chart_queries.reply_of(expression, given, chart, language(one.question))
        # How the question was read is learned where that still gives the answer that was found right.
        example = chart_queries.example(source, one.question, expression, organization)
        return replace(example, kind=LABEL) if example and reply and reply.text == one.answer else None
    texts = [
        prompts.excerpt(each.section, each.question, each.text)
        for each in one.record.sources
        if each.kind in ("section", "qa")
    ]
    if not texts or not (one.answer == NOT_FOUND or documents.bears("\n".join(texts), one.question, one.answer)):
        return None
    messages = prompts.document(one.question, texts, documents.places(one.question, organization))
    return Example(source, LABEL, one.question, messages, one.answer)


def held_out_sections(sections: Collection[tuple[str, str]], *, seed: int) -> frozenset[tuple[str, str]]:
    """One section in ten, at least one of several, each the name of its document and its path."""
    ordered = sorted(set(sections))
    number = min(max(1, round(SHARE * len(ordered))), len(ordered) - 1) if ordered else 0
    return frozenset(Random(seed).sample(ordered, number))


def case_of_answer(id: str, question: str, answer: str, kind: str, organization: Organization) -> Case | None:
    """A case whose gold is what the answer says for sure, and which takes that answer for right."""
    if answer in in_all(CANNOT_ANSWER):
        return Case(id, question, kind, refuse=True)
    yes_or_no = _POLARITY.match(answer)
    figures = dict.fromkeys(found.strip(" .,:") for found in _FIGURE.findall(answer))
    items = tuple((figure,) for figure in figures if figure not in question)
    whole = answer.rstrip(".")
    if yes_or_no:
        made = Case(id, question, kind, answer, polarity="yes" if yes_or_no[1].lower() == "yes" else "no")
    elif items or len(whole.split()) <= _SHORT:
        made = Case(id, question, kind, answer, gold=items or ((whole,),))
    else:
        return None
    return made if chart_queries.scored(made, answer, organization).verdict in chart_queries.RIGHT else None
