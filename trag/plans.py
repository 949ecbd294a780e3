"""Plans for people: made when it is their turn, kept before they are shown, and shown while what they stand on is open.

request -> the line for the model, unless the procedure is known -> planner -> saved record -> Chosen, PlannedStep...,
Plan
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from org.procedures.flows import Book, Procedure
from org.procedures.reading import is_section
from prompts import CANNOT_ANSWER
from trag.errors import SHOWN, TragError, in_one_line, told
from trag.events import Waiting
from trag.flow.pinned import pinned_plan
from trag.flow.planner import known, planner
from trag.flow.record import NO_MODEL, Chosen, PlannedStep, PlanRecord
from trag.flow.rights import documents_of, open_book
from trag.llm.model import ModelAway, ModelDied, Scoring
from trag.people.permissions import readers
from trag.progress import BY_READER, Cancelled, CancelToken
from trag.question import cleaned
from trag.record import ModelUsed

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.home import Home
    from trag.people import CurrentUser
    from trag.record import AnswerRecord

CLOSED = "what this plan stood on is no longer open to you, or is gone"
"""What is left of the plan of a procedure that was closed to its asker."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The end: the plan, already saved. `away` says why the model could not be asked, where it could not."""

    record: PlanRecord
    away: ModelAway | None = None


PlanEvent = Waiting | Chosen | PlannedStep | Plan
"""What is told of one plan on its way: Waiting..., perhaps Chosen and PlannedStep..., Plan."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What somebody wants to get done; by which procedure, "" where it is to be found; the ids of what is done."""

    request: str
    procedure: str = ""
    done: tuple[str, ...] = ()


def plan_request(
    home: Home, caller: CurrentUser, request: str, procedure: str = "", done: Sequence[str] = ()
) -> PlanRequest:
    """A request that can be planned. Raises TragError for one that is empty or too long, and for what is not in the
    procedures or not open to the caller, between which nobody can tell."""
    known(readable(home, caller), procedure, done)
    return PlanRequest(cleaned(request), procedure, tuple(dict.fromkeys(done)))


def readable(home: Home, caller: CurrentUser) -> Book:
    """What is open to a caller of the book in use, an empty one where none is, or its file cannot be read."""
    chart, book = home.organization.chart, None
    with suppress(TragError):
        book = home.procedures.in_use
    return open_book(book or Book.of((), ()), chart, readers(caller, chart), documents_of(home.records.library))


def offered(home: Home, caller: CurrentUser) -> bool:
    """Whether there is a procedure that a caller may plan by; an admin may add some."""
    try:
        return caller.may("admin") or bool(readable(home, caller).procedures)
    except SHOWN:  # a page that says what is wrong is drawn all the same
        return False


def make(
    home: Home, assistant: Assistant, asked: PlanRequest, caller: CurrentUser, *, id: str, stop: threading.Event
) -> Iterator[PlanEvent]:
    """The plan of a caller under an id, saved before it is told. A model that dies, or a set `stop`, ends in a Plan
    that is `interrupted`.

    Raises TragError where there are no procedures, for what has left them meanwhile, when the line is full, and when
    the model cannot be started.
    """
    planning, model, away, reason = planner(home), assistant.model, None, ""
    held = readers(caller, home.organization.chart)
    how: dict[str, Any] = {"readers": held, "unit": caller.unit, "procedure": asked.procedure, "done": asked.done}
    pinned = pinned_plan(asked.request, home.records, planning, model, **how)
    nobody: AbstractContextManager[Iterator[int]] = nullcontext(iter(()))
    line = nobody if pinned or asked.procedure else assistant.line.place()
    with assistant.leases.hold(model), line as positions:
        for position in positions:
            yield Waiting(position)
        record = PlanRecord(id, asked.request, "cannot_answer", procedures=planning.book.version, done=asked.done)
        try:
            made = pinned or planning.plan(asked.request, model, stop=stop, **how)
            if stop.is_set():
                raise Cancelled
            record = made
        except (ModelDied, ModelAway) as error:
            away = error if isinstance(error, ModelAway) else None
            reason = in_one_line(told(error))
        except Cancelled:
            reason = stop.reason if isinstance(stop, CancelToken) else BY_READER
        chooses = isinstance(model, Scoring) and not (pinned or asked.procedure)
        used = ModelUsed(model.identity.name, model.identity.sha256, model.identity.adapter) if chooses else NO_MODEL
        record = replace(record, id=id, model=used, interrupted=reason)
        home.records.save_answer(
            id, None, record.request, record.order, record.to_json(), asker=caller.person, kind="plan"
        )
    if record.procedure:
        yield record.procedure
    yield from record.steps
    yield Plan(record, away)


def kept(home: Home, caller: CurrentUser, id: str) -> PlanRecord | None:
    """The plan of that id, if it was made for the caller; without all that it says where its procedure, one of its
    actions or a document that it names is closed to them by now, or gone."""
    stored, review = home.records.answer(id), home.records.reviews.review(id)
    if stored is None or stored.kind != "plan" or review is None or review.asker != caller.person:
        return None
    record, chart = PlanRecord.from_json(stored.record_json), home.organization.chart
    if (held := readers(caller, chart)) is None:
        return record
    book, open_to = readable(home, caller), documents_of(home.records.library)
    record = replace(record, choices=tuple(one for one in record.choices if one.id in book.procedures))
    there = record.named <= {*book.procedures, *book.actions}
    if there and all(open_to(one, held) for one in record.documents):
        return record
    return PlanRecord(record.id, record.request, "cannot_answer", interrupted=CLOSED)


def procedure_of(record: AnswerRecord, book: Book) -> Procedure | None:
    """The procedure that is written where an answer stands on the documents, None for none."""
    used = {each.source for each in record.checks.sentences if each.supported}
    sources = [each for each in record.sources if each.id in used or record.approved]
    return next(
        (
            one
            for source in sources
            for one in book.procedures.values()
            if one.source.document == source.document and is_section(one.source.section, source.section)
        ),
        None,
    )


def plan_as_text(record: PlanRecord) -> str:
    """A plan in plain words."""
    if record.procedure is None:
        lines = [record.interrupted or ("Which do you mean?" if record.status == "ask_which" else CANNOT_ANSWER)]
        if record.status == "cannot_answer" and record.choices:
            lines.append("The nearest procedures:")
        return "\n".join([*lines, *(f"  {one.title} [{one.id}]" for one in record.choices)])
    lines = [record.procedure.title]
    if record.source:
        lines[0] += f" ({record.source.document}, {record.source.section})"
    if record.approved:
        lines.append(f"[approved by {record.approved.by} on {record.approved.at}]")
    if record.asked_for:
        lines.append(f"Have at hand: {', '.join(record.asked_for)}.")
    said = ""
    for step in record.steps:
        if step.step != said:
            lines += ["", step.step]
            said = step.step
        whose = f"{step.unit} ({step.head})" if step.head else step.unit
        who = f" - {whose} does this" if step.handed_over and whose else f" - {whose}" if whose else ""
        lines.append(f"  {step.number}. {step.title} [{step.action}]{who}")
    return "\n".join(lines)
