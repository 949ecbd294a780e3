"""Examples from reviewers' labels: answers that are right as they are, and the corrected ones of those that are not.

labels, answers -> Labelled -> a chart query or an answer over the excerpts that were shown, as the product asked for it
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

import prompts
from org.linking.entities import Organization
from org.query.expression import described, run
from org.query.grammar import QueryError
from prompts import CANNOT_ANSWER, NOT_FOUND
from store.records import Label, StoredAnswer
from trag.finetune.dataset import chart_queries, documents
from trag.finetune.dataset.examples import Example
from trag.record import AnswerRecord

KIND = "label"


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer that reviewers looked at, its question as it stood alone, and the answer that they want, NOT_FOUND for
    a refusal. `is_as_given` is whether that is the one that was given."""

    record: AnswerRecord
    answer: str
    is_as_given: bool

    @property
    def question(self) -> str:
        """As it stood alone."""
        return self.record.standalone


def agreed(
    labels: Iterable[Label], answer: Callable[[str], StoredAnswer | None], names: Container[str]
) -> tuple[Labelled, ...]:
    """What the labels ask for, an answer each: of several verdicts on one answer the last that says what is right.
    Nothing where reviewers disagree on whether it is and none of them settled it, or where nobody says what is; and
    nothing of an answer that stood on more than the chart and the documents of these `names`."""
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
        if wanted and all(source.kind == "chart" or source.document in names for source in record.sources):
            text = (
                NOT_FOUND if wanted[-1].casefold() in (CANNOT_ANSWER.casefold(), NOT_FOUND.casefold()) else wanted[-1]
            )
            found.append(Labelled(record, text, wanted[-1] == stored.answer))
    return tuple(found)


def _wanted(label: Label, answer: str) -> str:
    """The answer that a label asks for, "" where it does not say."""
    return label.corrected.strip() or (answer if label.verdict == "Correct" else "")


def example(one: Labelled, organization: Organization) -> Example | None:
    """What a labelled answer teaches: the chart query of one that the chart gave rightly, else the answer over the
    excerpts that were shown; None where nothing there bears it out."""
    source = f"label {one.record.id}"
    if one.record.checks.replaced == "chart":
        return _chart_query(source, one, organization) if one.is_as_given else None
    texts = [
        prompts.excerpt(each.section, each.question, each.text)
        for each in one.record.sources
        if each.kind in ("section", "qa")
    ]
    if not texts or not (one.answer == NOT_FOUND or documents.bears("\n".join(texts), one.question, one.answer)):
        return None
    messages = prompts.document(one.question, texts, documents.places(one.question, organization))
    return Example(source, KIND, one.question, messages, one.answer)


def _chart_query(source: str, one: Labelled, organization: Organization) -> Example | None:
    """How the question was read, where that still gives the answer that was found right."""
    chart, expression = organization.chart, one.record.chart_query
    if chart is None or not expression:
        return None
    given = chart_queries.linked(one.question, organization)
    try:
        reply = run(expression, given, chart)
    except QueryError:
        return None
    if reply is None or reply.text != one.answer:
        return None
    return Example(source, KIND, one.question, prompts.chart_query(described(given, chart), one.question), expression)
