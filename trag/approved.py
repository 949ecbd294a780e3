"""The approved answer to a question: what is pinned to it, or to a question that asks the same in other words.

question + the pinned questions -> the approved answer that fits -> what stands of it in the record of an answer

"How do I open X" and "how do I close X" lie nearer to each other than most ways to ask the same thing. So near vectors
are not enough: two questions ask the same only where they also have the same signature (trag/paraphrase.py), and
whatever is in doubt is answered in the ordinary way. Knows nothing about models, or how other answers are made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.approved import Approved, ApprovedAnswers
from store.records import Records
from trag.paraphrase import QuestionSignature, signature
from trag.record import AnswerRecord, Approval, Checks, Source, StatementUsed

if TYPE_CHECKING:
    import numpy as np

    from org.linking.entities import EntityFinder

NEAR = 0.8
"""Cosine similarity from which a question of the same signature asks the same as a pinned one (bench/approved.py).

With both conditions no answer went to another question, in 359,000 pairs of them, and 31 of 187 rewordings that nothing
was chosen by got theirs. The similarity alone would give 153 of these theirs, and 144 other questions a wrong answer.
"""


@dataclass(frozen=True, slots=True)
class Given:
    """What of an approved answer stands in the record of the answer that is given."""

    text: str
    approval: Approval
    sources: tuple[Source, ...]
    statements: tuple[StatementUsed, ...]
    checks: Checks


class Pins:
    """The signatures of the pinned questions, read anew where others are pinned, or the chart is another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._finder: EntityFinder | None = None
        self._signatures: dict[str, QuestionSignature] = {}

    def alike(self, question: str, pinned: Sequence[Approved], finder: EntityFinder | None) -> tuple[Approved, ...]:
        """Those `pinned` whose questions have the signature of `question`, in which `finder` finds the units."""

        def read(text: str) -> QuestionSignature:
            return signature(text, finder.find(text) if finder else ())

        meant = read(question)
        with self._lock:
            known = self._signatures if self._finder is finder else {}
            self._signatures = {each.question: known.get(each.question) or read(each.question) for each in pinned}
            self._finder = finder
            return tuple(each for each in pinned if self._signatures[each.question] == meant)


def answer(
    question: str,
    records: Records,
    pins: Pins,
    *,
    readers: Collection[str] | None,
    finder: EntityFinder | None,
    embed: Callable[[Sequence[str]], np.ndarray],
) -> Given | None:
    """The approved answer to `question`, None where none fits whose every document is one that `readers` open (the
    keys of whoever asks, None for who may read everything). The others as in `fitting`."""

    def is_open(name: str) -> bool:
        document = records.library.document(name)
        return document is not None and (readers is None or not document.audience.isdisjoint(readers))

    for each in fitting(question, records.approved, pins, finder=finder, embed=embed):
        if all(is_open(ground.document) for ground in each.sources):
            stored = records.answer(each.answer) if each.answer else None
            reviewer = records.people.find(each.by)
            return given(
                each,
                reviewer.shown if reviewer else each.by,
                AnswerRecord.from_json(stored.record_json) if stored else None,
            )
    return None


def fitting(
    question: str,
    approved: ApprovedAnswers,
    pins: Pins,
    *,
    finder: EntityFinder | None,
    embed: Callable[[Sequence[str]], np.ndarray],
) -> Iterator[Approved]:
    """The approved answers to `question`: the one pinned to it in any spelling, then those whose questions ask the
    same, the nearest first.

    `finder` is that of the chart in use; `embed` gives vectors (n, d) of unit length, and is asked only where a
    signature is the same. Raises StoreError for a failing database.
    """
    exact = approved.find(question)
    if exact:
        yield exact
    pinned = [each for each in approved.all("pinned") if exact is None or each.id != exact.id]
    if not (alike := pins.alike(question, pinned, finder)):
        return
    asked, *others = embed([question, *(each.question for each in alike)])
    near = ((float(other @ asked), each) for other, each in zip(others, alike, strict=True))
    for cosine, each in sorted(near, key=lambda one: -one[0]):
        if cosine >= NEAR and approved.holds(each.id):
            yield each


def given(approved: Approved, by: str, record: AnswerRecord | None) -> Given:
    """What is given for an approved answer; `by` is how its reviewer is called, `record` the answer that was pinned,
    None where it is gone.

    Of the sources that answer had, those that the approved one stands on are kept; a document that none is kept of
    stands by itself. Of its checks the support of what the reviewer left word for word.
    """
    documents = {ground.document for ground in approved.sources}
    kept = tuple(
        source
        for source in (record.sources if record else ())
        if (bool(approved.chart) if source.kind == "chart" else source.document in documents)
    )
    bare = tuple(
        Source(f"approved-{place}", "approved", name, "", None, "", 1.0)
        for place, name in enumerate(sorted(documents - {source.document for source in kept}), 1)
    )
    ids = {source.id for source in kept}
    sentences = tuple(
        sentence
        for sentence in (record.checks.sentences if record else ())
        if sentence.supported and sentence.source in ids and sentence.text in approved.reply
    )
    return Given(
        approved.reply,
        Approval(by, approved.at.date().isoformat(), approved.question),
        kept + bare,
        record.statements if record and approved.chart else (),
        Checks(sentences, chart=approved.chart),
    )
