"""Approved answers: what a reviewer has pinned to a question, for everybody who asks it again.

An approved answer stands on the documents and the chart as they were when it was pinned, and on the verdict. It is
given only while they are the same; when one changes, it returns to the reviewers (the verdict: store/review_status.py).
Knows nothing about who may read a document, or how near another question is.
"""

from __future__ import annotations

import json
import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, insert, select, update

from store import StoreError, audit, review_status, schema, storable
from store.database import reading, writing

State = Literal["pinned", "returned"]
_OTHERS = "Ask another reviewer, or an admin, to look at it."
_QUOTATION = frozenset("'\"\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a`\u00b4")
_AROUND = " ?!.,;:\u00bf\u00a1\u061f\u037e\u3002"


@dataclass(frozen=True, slots=True)
class Ground:
    """A document that an approved answer stands on, as it was then."""

    document: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Approved:
    """`reply` is the answer to `question` (and to `normal`, the question without what makes no difference) while it is
    pinned. `answer` is the id of the answer that was pinned, None once that is gone; `chart` the version of the chart
    that it stands on, "" for none; `why` says why it returned, "" while it is pinned."""

    id: str
    answer: str | None
    question: str
    normal: str
    reply: str
    sources: tuple[Ground, ...]
    chart: str
    by: str
    at: datetime
    state: State
    why: str


class ApprovedAnswers:
    """The approved answers of one home. Any thread may call any method, and any may raise StoreError for a failing
    database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def pin(
        self,
        answer: str,
        question: str,
        reply: str,
        documents: Sequence[str],
        chart: str,
        *,
        by: str,
        reviewer: str = "",
        where: str = "",
    ) -> Approved:
        """Let `reply` be the answer to `question`, in place of one that was pinned to it before.

        `documents` are the names of those that it stands on, `chart` the version of the chart, "" where it stands on
        none; `reviewer` is the id of who approves, `by` what the log calls them. Raises StoreError when the answer is
        gone or has no verdict that holds, or one against these words; when the reviewer asked it and another may
        approve it; and when a document is gone, or the chart no longer in use.
        """
        normal = normalized(question)
        with writing(self._engine) as connection:
            _check(connection, answer, reply, reviewer)
            sources = tuple(Ground(name, sha256) for name, sha256 in _documents(connection, documents))
            pinned = Approved(
                uuid.uuid4().hex, answer, question, normal, reply, sources, chart, by, datetime.now(UTC), "pinned", ""
            )
            if (why := _changed(connection, pinned)) or len(sources) < len(set(documents)):
                raise StoreError(
                    f"What that answer stands on is no longer the same: {why or 'a document is gone'}.",
                    "Ask the question again, and pin the new answer.",
                )
            same = (schema.approved.c.normal == normal, schema.approved.c.state == "pinned")
            connection.execute(update(schema.approved).where(*same).values(state="returned", why="another was pinned"))
            connection.execute(insert(schema.approved), _row(pinned))
            audit.note(connection, by, "answer pinned", answer, where=where, result=question)
        return pinned

    def find(self, question: str) -> Approved | None:
        """What is pinned to a question, in any spelling of it, and stands on nothing that has changed."""
        with reading(self._engine) as connection:
            chosen = (schema.approved.c.normal == normalized(question), schema.approved.c.state == "pinned")
            found = next(iter(_approved(connection, *chosen)), None)
            return found if found and not _changed(connection, found) else None

    def get(self, id: str) -> Approved | None:
        """The approved answer with that id, also one that has returned."""
        with reading(self._engine) as connection:
            return next(iter(_approved(connection, schema.approved.c.id == id)), None)

    def holds(self, id: str) -> bool:
        """Whether an approved answer is pinned and stands on nothing that has changed."""
        with reading(self._engine) as connection:
            found = next(iter(_approved(connection, schema.approved.c.id == id)), None)
            return found is not None and found.state == "pinned" and not _changed(connection, found)

    def all(self, state: State | None = None) -> tuple[Approved, ...]:
        """The approved answers, in one state or in both, the newest first."""
        with reading(self._engine) as connection:
            return _approved(connection, *([schema.approved.c.state == state] if state else []))

    def unpin(self, id: str, *, by: str, where: str = "") -> None:
        """Take an approved answer back into the queue. Raises StoreError unless it is pinned."""
        with writing(self._engine) as connection:
            found = next(iter(_approved(connection, schema.approved.c.id == id)), None)
            if found is None or not _return(connection, found, f"taken back by {by}", by=by, where=where):
                raise StoreError("That answer is not pinned.", "It may have returned meanwhile: reload the page.")

    def look_over(self, *, by: str = "the program") -> tuple[Approved, ...]:
        """Return to the queue each pinned answer that stands on something that has changed; these, as they were.

        To be called after every change of the documents or the chart; `find` gives none of them out in any case.
        """
        returned = []
        for each in self.all("pinned"):
            with writing(self._engine) as connection:
                why = _changed(connection, each)
                if why and _return(connection, each, why, by=by, where=""):
                    returned.append(each)
        return tuple(returned)


def normalized(question: str) -> str:
    """A question without what makes no difference: capitals, compatibility forms, spaces, quotation marks, and
    punctuation around it."""
    text = unicodedata.normalize("NFKC", storable(question)).casefold()
    text = " ".join("".join(c for c in text if c not in _QUOTATION).split())
    return text.strip(_AROUND) or text


def _check(connection: Connection, answer: str, reply: str, reviewer: str) -> None:
    """Raises StoreError where an answer cannot be approved in these words, or not by this reviewer."""
    number, _ = review_status.hold(connection, answer)
    reviews, answers = schema.reviews.c, schema.answers.c
    query = select(reviews.standing, reviews.asker, answers.answer).join(schema.answers, answers.number == number)
    found = connection.execute(query.where(reviews.number == number)).one()
    if found.standing in review_status.UNDECIDED:
        raise StoreError("Only an answer with a verdict that holds can be approved.", "Judge it first.")
    if found.standing == "Incorrect" and reply.strip() == found.answer.strip():
        raise StoreError("These words were judged Incorrect.", "Write what is right.")
    if reviewer and reviewer == found.asker and not review_status.alone(connection, reviewer):
        raise StoreError("You asked this question yourself, so somebody else approves its answer.", _OTHERS)


def _return(connection: Connection, approved: Approved, why: str, *, by: str, where: str) -> bool:
    """Whether it was pinned still, and is not any more."""
    table = schema.approved
    if approved.answer is not None:
        review_status.hold(connection, approved.answer)  # first, as whoever judges it does
    pinned = (table.c.id == approved.id, table.c.state == "pinned")
    if connection.execute(update(table).where(*pinned).values(state="returned", why=why)).rowcount == 0:
        return False
    if approved.answer is not None:
        review_status.reopen(connection, approved.answer)
    audit.note(connection, by, "approved answer returned", approved.answer or approved.id, where=where, result=why)
    return True


def _changed(connection: Connection, approved: Approved) -> str:
    """What is no longer as it was when an answer was pinned, "" for nothing."""
    now = dict(_documents(connection, [source.document for source in approved.sources]))
    for source in approved.sources:
        if source.document not in now:
            return f"{source.document} is gone"
        if now[source.document] != source.sha256:
            return f"{source.document} was replaced"
    if approved.chart:
        activations = schema.activations.c
        newest = select(activations.version).order_by(activations.number.desc()).limit(1)
        if connection.scalar(newest) != approved.chart:
            return "another chart is in use"
    return ""


def _documents(connection: Connection, names: Sequence[str]) -> list[tuple[str, str]]:
    """The documents of these names that are there, with the hash of each."""
    table = schema.documents.c
    query = select(table.name, table.sha256).where(table.name.in_(names)).order_by(table.name)
    return [(name, sha256) for name, sha256 in connection.execute(query)]


def _approved(connection: Connection, *chosen: ColumnElement[bool]) -> tuple[Approved, ...]:
    table = schema.approved
    query = select(table).where(*chosen).order_by(table.c.at.desc())
    return tuple(
        Approved(**(dict(row) | {"sources": tuple(Ground(*source) for source in json.loads(row["sources"]))}))
        for row in connection.execute(query).mappings().all()
    )


def _row(approved: Approved) -> dict[str, Any]:
    row = {column.name: getattr(approved, column.name) for column in schema.approved.columns}
    return row | {"sources": json.dumps([[source.document, source.sha256] for source in approved.sources])}
