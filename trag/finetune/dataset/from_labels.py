"""Examples from reviewers' labels: answers that are right as they are, and the corrected ones of those that are not.

labels, answers, assistant -> Labelled questions -> Examples.  An answer that nothing found today bears out teaches to
make things up, and is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from prompts import CANNOT_ANSWER
from store.records import Label, StoredAnswer
from trag.ask import Assistant
from trag.finetune.dataset.contexts import Context, example, gather
from trag.finetune.dataset.examples import Asked, Example
from trag.finetune.dataset.sides import Side
from trag.record import AnswerRecord
from trag.settle import refused
from trag.verify.support import Evidence, checked
from trag.words import sentences

_KIND = "label"
_MOSTLY = 0.5  # of the sentences of an answer that must be borne out


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question as it stood alone, and the answer that reviewers want; `id` is that of the answer they looked at."""

    id: str
    question: str
    answer: str


def agreed(
    labels: Iterable[Label], answer: Callable[[str], StoredAnswer | None], documents: Container[str]
) -> tuple[Labelled, ...]:
    """What the labels ask for, an answer each: of several verdicts on one answer the last that says what is right.
    Nothing where reviewers disagree on whether it is and none of them settled it, or where nobody says what is; and
    nothing of an answer that stood on more than the chart and these `documents`."""
    by_answer: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_answer[label.answer].append(label)
    found = []
    for id, given in by_answer.items():
        stored = answer(id)
        given = [label for label in given if label.settles][-1:] or given
        if stored is None or len({label.verdict == "Incorrect" for label in given}) > 1:
            continue
        record = AnswerRecord.from_json(stored.record_json)
        wanted = [text for label in given if (text := _wanted(label, stored.answer))]
        if wanted and all(source.kind == "chart" or source.document in documents for source in record.sources):
            text = CANNOT_ANSWER if refused(wanted[-1]) else wanted[-1]
            found.append(Labelled(id, record.standalone, text))
    return tuple(found)


def _wanted(label: Label, answer: str) -> str:
    """The answer that a label asks for, "" where it does not say."""
    return label.corrected.strip() or (answer if label.verdict == "Correct" else "")


def from_labels(
    labelled: Sequence[Labelled], assistant: Assistant, sides: Sequence[Side], *, chance: Random
) -> Iterator[tuple[Labelled, Example, Side]]:
    """Each labelled question over what is found for it today, in the pipeline's order and once more in another; of one
    side, that of the passage that bears the answer out."""
    learned = next(side for side in sides if not side.held_out)
    for one in labelled:
        context = gather(one.question, assistant)
        side = next((side for side in sides if _bears(one, context, side)), None)
        if one.answer == CANNOT_ANSWER:
            side = learned
        if side is None:
            continue
        shown = _of(context, side)
        shuffled = replace(shown, passages=tuple(chance.sample(shown.passages, len(shown.passages))))
        for each in dict.fromkeys((shown, shuffled)):
            asked = [Asked(one.question, one.answer, _KIND)]
            yield one, example(f"label {one.id}", assistant.organization.name, each, asked), side


def _of(context: Context, side: Side) -> Context:
    if side.held_out:
        return replace(context, passages=side.of(context.passages), statements=(), about_chart=False)
    return replace(context, passages=side.of(context.passages))


def _bears(one: Labelled, context: Context, side: Side) -> bool:
    """Whether what is found of this side bears the answer out."""
    seen = _of(context, side)
    texts = [f"{passage.section}. {passage.question} {passage.text}" for passage in seen.passages]
    evidence = [Evidence(str(place), text) for place, text in enumerate([*seen.statements, *texts])]
    parts = sentences(one.answer)
    return bool(parts) and sum(checked(part, evidence).supported for part in parts) >= _MOSTLY * len(parts)
