"""Judged answers as files to learn from: JSON lines with all that an answer stood on, or a table.

records -> Judged, one by one -> lines of text.  Only answers whose verdict holds are in them, and none that stands on
documents that whoever takes the file may not read. Knows nothing about requests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.records import Label
from store.reviewing import Review
from trag.json_lines import as_line
from trag.record import VERDICTS, AnswerRecord, Source
from trag.web.evidence import documents_of
from trag.web.responses import csv_line

if TYPE_CHECKING:
    from store.records import Records

FIELDS = (
    "id", "asked", "question", "standalone", "answer", "verdict", "corrected", "reason", "wrong_source",
    "asker_verdict", "judged", "model", "adapter", "documents",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer, and the label whose verdict holds; of several, the last that says what is right."""

    review: Review
    record: AnswerRecord
    label: Label

    @property
    def wrong(self) -> Source | None:
        """The source that the reviewer found wrong."""
        return next((each for each in self.record.sources if each.id == self.label.wrong_source), None)


def judged(records: Records, hidden: Collection[str]) -> Iterator[Judged]:
    """Every answer whose verdict holds, the one judged first first; none that stands on a `hidden` document."""
    by_answer: dict[str, list[Label]] = defaultdict(list)
    for label in records.labels():
        by_answer[label.answer].append(label)
    for id, labels in by_answer.items():
        review, stored = records.reviewing.review(id), records.answer(id)
        if review is None or stored is None or review.standing not in VERDICTS:
            continue
        record = AnswerRecord.from_json(stored.record_json)
        if documents_of(record).isdisjoint(hidden) and (holding := _holding(review, labels)):
            yield Judged(review, record, holding)


def as_json(answers: Iterable[Judged]) -> Iterator[str]:
    """A line for each answer."""
    for each in answers:
        values = _values(each) | {
            "statements": [{"unit": one.unit, "text": one.text} for one in each.record.statements],
            "sources": [_source(source) for source in each.record.sources],
        }
        yield as_line(values) + "\n"


def as_csv(answers: Iterable[Judged]) -> Iterator[str]:
    """A header, then a line for each answer, of which a spreadsheet runs nothing."""
    yield "\ufeff" + csv_line(FIELDS)
    for each in answers:
        values = _values(each) | {"documents": "; ".join(sorted(documents_of(each.record)))}
        yield csv_line(values[field] for field in FIELDS)


def _holding(review: Review, labels: Iterable[Label]) -> Label | None:
    same = [label for label in labels if label.verdict == review.standing]
    settled = [label for label in same if label.settles]
    telling = [label for label in same if label.corrected]
    return next(iter((settled or telling or same)[-1:]), None)


def _values(each: Judged) -> dict[str, str]:
    wrong = each.wrong
    return {
        "id": each.record.id,
        "asked": each.review.created.isoformat(),
        "question": each.record.question,
        "standalone": each.record.standalone,
        "answer": each.record.answer,
        "verdict": each.review.standing,
        "corrected": each.label.corrected,
        "reason": each.label.comment,
        "wrong_source": ", ".join(filter(None, (wrong.document, wrong.section))) if wrong else "",
        "asker_verdict": each.review.flag,
        "judged": each.label.at.isoformat(),
        "model": each.review.model,
        "adapter": each.review.adapter,
    }


def _source(source: Source) -> dict[str, object]:
    return {
        "kind": source.kind,
        "document": source.document,
        "section": source.section,
        "page": source.page,
        "question": source.question,
        "text": source.text,
    }
