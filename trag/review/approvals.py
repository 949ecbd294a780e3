"""Approved answers and plans: what a reviewer may pin to a question, and until when it is given.

An approved answer stands on the documents and the chart as they were when it was pinned, and on its verdict; a plan on
the procedures too. It is given only while they are the same (trag/approved.py), and returns to the reviewers when one
changes (the verdict: verdicts.py).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from store import StoreError
from store.approved import Approved, Ground, Kind
from trag.approved import changed, documents_of, normalized
from trag.errors import later
from trag.review.verdicts import UNDECIDED, reopen

if TYPE_CHECKING:
    from store.records import Records
    from store.reviews import ReviewTransaction


def pin(
    records: Records,
    answer: str,
    question: str,
    reply: str,
    documents: Sequence[str],
    chart: str,
    *,
    kind: Kind = "answer",
    procedures: str = "",
    section: str = "",
    by: str,
    reviewer: str = "",
    where: str = "",
) -> Approved:
    """Let `reply` be the answer to `question`, in place of one that was pinned to it before.

    `documents` are the names of those that it stands on, `chart` the version of the chart, "" where it stands on none;
    `section` is the one of the only document, where a reviewer says that the answer stands there, "" for none;
    of a plan `question` is the request, `reply` its order, and `procedures` the version of the procedures;
    `reviewer` is the id of who approves, `by` what the log calls them. Raises StoreError when the answer is gone or has
    no verdict that holds, or one against these words; when the reviewer asked it and another may approve it; and when a
    document is gone, or the chart or the procedures no longer in use.
    """
    with records.reviews.changing() as change:
        found = change.find(answer)
        if found.review_status in UNDECIDED:
            raise StoreError("Only an answer with a verdict that holds can be approved.", "Judge it first.")
        if found.review_status == "Incorrect" and reply.strip() == found.answer.strip():
            raise StoreError("These words were judged Incorrect.", "Write what is right.")
        if reviewer and reviewer == found.asker and not change.alone(reviewer):
            raise StoreError(
                "You asked this question yourself, so somebody else approves its answer.",
                "Ask another reviewer, or an admin, to look at it.",
            )
        now = change.present(documents)
        why = later("a document is gone") if len(now.documents) < len(set(documents)) else ""
        if chart and chart != now.chart:
            why = later("another chart is in use")
        if procedures and procedures != now.procedures:
            why = later("other procedures are in use")
        if why:
            raise StoreError(
                f"The sources of that answer are no longer the same: {why}.",
                "Ask the question again, and pin the new answer.",
            )
        sources = tuple(Ground(*each, section) for each in sorted(now.documents.items()))
        moment = datetime.now(UTC)
        pinned = Approved(
            uuid.uuid4().hex, answer, question, normalized(question), reply, sources, chart, by, moment, "pinned", "",
            kind, procedures,
        )  # fmt: skip
        change.pin(pinned)
        change.note(by, f"{kind} pinned", answer, where=where, result=question)
    return pinned


def unpin(records: Records, id: str, *, by: str, where: str = "") -> None:
    """Take an approved answer back into the queue. Raises StoreError unless it is pinned."""
    with records.reviews.changing() as change:
        found = change.approved(id)
        if found is None or not _return(change, found, f"taken back by {by}", by=by, where=where):
            raise StoreError("That answer is not pinned.", "It may have returned meanwhile: reload the page.")


def return_changed(records: Records) -> tuple[Approved, ...]:
    """Return to the reviewers each pinned answer that stands on something that has changed; these, as they were.

    To be called after every change of the documents, the chart or the procedures; none of them is given out in any
    case.
    """
    returned = []
    for each in records.approved.all("pinned"):
        with records.reviews.changing() as change:
            why = changed(each, change.present(documents_of(each)))
            if why and _return(change, each, why, by="the program"):
                returned.append(each)
    return tuple(returned)


def _return(change: ReviewTransaction, approved: Approved, why: str, *, by: str, where: str = "") -> bool:
    """Whether it was pinned still, and is not any more."""
    if approved.answer is not None:
        change.find(approved.answer)  # first, as whoever judges it does
    if not change.unpin(approved.id, why):
        return False
    if approved.answer is not None:
        reopen(change, approved.answer)
    change.note(by, "approved answer returned", approved.answer or approved.id, where=where, result=why)
    return True
