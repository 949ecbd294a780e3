"""Workflows for people: drafted when it is their turn, kept before they are shown, changed by hand, and shown while
what they name is open.

request -> the line for the model -> drafter -> saved record -> Workflow so far..., Drafted
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import uuid4

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from org.reading.problems import Problem
from trag.errors import SHOWN, TragError, in_one_line, told
from trag.events import Waiting
from trag.flow.rights import documents_of
from trag.llm.model import ModelAway, ModelDied
from trag.people.permissions import readers
from trag.progress import BY_READER, Cancelled, CancelToken
from trag.question import cleaned
from trag.review.verdicts import reopen
from trag.workflow import rights, structure
from trag.workflow.binding import bound
from trag.workflow.checking import check
from trag.workflow.drafting import drafter
from trag.workflow.editing import settled
from trag.workflow.record import Started, Workflow, WorkflowRecord, WorkflowStep

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.flow.record import PlanRecord
    from trag.home import Home
    from trag.people import CurrentUser

BY_HAND = "manual"
"""The trigger of a workflow that was a plan, where the catalogue has it."""
GONE = "?"
"""What stands for a step, table or trigger that its owner may use no longer, or that is gone: no id is so."""
MOST_KEPT = 50
"""States of a workflow that are kept, its draft and the latest."""
NO_CATALOGUE = "There are no steps to make workflows of."
CHANGED = TragError("This workflow was changed in another window meanwhile.", "Look at it as it is now, and try again.")


@dataclass(frozen=True, slots=True)
class Drafted:
    """The end: the record, already saved. `away` says why the model could not be asked, where it could not."""

    record: WorkflowRecord
    away: ModelAway | None = None


WorkflowEvent = Waiting | Workflow | Drafted
"""What is told of one workflow on its way: Waiting..., the Workflow so far after each step, Drafted."""


def catalogue(home: Home, caller: CurrentUser) -> Book:
    """The steps, tables and triggers that a caller may use, an empty book where there are none, or its file cannot be
    read. Its version is none of the home's."""
    book = None
    with suppress(TragError):
        book = home.procedures.in_use
    if book is None:
        return Book.of((), ())
    usable = _usable(home, book, caller)
    return Book.of(
        (each for id, each in book.actions.items() if id in usable),
        (),
        (each for id, each in book.tables.items() if id in usable),
        (each for id, each in book.triggers.items() if id in usable),
    )


def offered(home: Home, caller: CurrentUser) -> bool:
    """Whether there is anything that a caller may make workflows of; an admin may add it."""
    try:
        if caller.may("admin"):
            return True
        book = home.procedures.in_use
        return bool(book and book.triggers and catalogue(home, caller).actions)
    except SHOWN:  # a page that says what is wrong is drawn all the same
        return False


def workflow_request(home: Home, caller: CurrentUser, request: str) -> str:
    """A request that a workflow can be drafted for. Raises TragError for one that is empty or too long, and where there
    are no steps that the caller may use."""
    asked = cleaned(request)
    if not catalogue(home, caller).actions:
        raise TragError(NO_CATALOGUE, "An admin adds the organization's own on the page Procedures.")
    return asked


def make(
    home: Home, assistant: Assistant, asked: str, caller: CurrentUser, *, id: str, stop: threading.Event
) -> Iterator[WorkflowEvent]:
    """The workflow of a caller under an id, saved before its end is told. A model that dies, or a set `stop`, ends in a
    Drafted that is `interrupted`, with the steps that were written by then.

    Raises TragError where there is no catalogue, when the line is full, and when the model cannot be started.
    """
    drafts, model, book = drafter(home), assistant.model, _book(home)
    usable = _usable(home, book, caller)
    away, reason = None, ""
    record = WorkflowRecord(id, asked, "cannot_answer", catalogue=book.version)
    with assistant.leases.hold(model), assistant.line.place() as positions:
        for position in positions:
            yield Waiting(position)
        try:
            for made in drafts.draft(asked, model, usable=usable, id=id, stop=stop):
                if isinstance(made, WorkflowRecord):
                    record = made
                    continue
                record = replace(record, status="drafted", workflow=made)
                yield made
            if stop.is_set():
                raise Cancelled
        except (ModelDied, ModelAway) as error:
            away = error if isinstance(error, ModelAway) else None
            reason = in_one_line(told(error))
        except Cancelled:
            reason = stop.reason if isinstance(stop, CancelToken) else BY_READER
        record = replace(record, id=id, interrupted=reason)
        _save(home, record, caller)
    yield Drafted(record, away)


def of_plan(home: Home, plan: PlanRecord, caller: CurrentUser) -> tuple[WorkflowRecord, int]:
    """A plan as a workflow that is started by hand, its actions one after the other, kept for the caller; and how many
    actions are left out, because the caller may make no workflow of them. Raises TragError where none is left."""
    book = catalogue(home, caller)
    names = [step.action for step in plan.steps if step.action in book.actions]
    if not names:
        raise TragError("None of these steps can be part of a workflow of yours.", "Ask an admin who may use them.")
    workflow = Workflow(
        Started(BY_HAND) if BY_HAND in book.triggers else None,
        tuple(WorkflowStep(name, number) for number, name in enumerate(names, 1)),
        request=plan.request,
    )
    whole = _book(home)
    record = WorkflowRecord(
        uuid4().hex, plan.request, "drafted", settled(bound(workflow, whole), whole), catalogue=whole.version
    )
    _save(home, record, caller)
    return record, len(plan.steps) - len(names)


def kept(home: Home, caller: CurrentUser, id: str) -> WorkflowRecord | None:
    """The workflow of that id, if it was made for the caller, without the names of what they may not use by now, or of
    what is gone."""
    found = _read(home, caller, id)
    return _shown(found[1], catalogue(home, caller)) if found else None


def changed(
    home: Home, caller: CurrentUser, id: str, seen: str, change: Callable[[Workflow, Book], Workflow]
) -> WorkflowRecord:
    """Keep a workflow of the caller's with a change by hand, and what it was before; `seen` is the `state` that they
    changed. Raises TragError where it was changed meanwhile."""
    found = _read(home, caller, id)
    book = catalogue(home, caller)
    if found is None or state(shown := _shown(found[1], book)) != seen:
        raise CHANGED
    json, record = found
    workflow = change(shown.workflow or Workflow(None, (), request=record.request), book)
    if workflow == shown.workflow:
        return shown
    before = (*record.before, *([record.workflow] if record.workflow else []))
    before = (*before[:1], *before[1:][1 - MOST_KEPT :])
    return _keep(home, caller, json, replace(record, status="drafted", before=before), workflow)


def undone(home: Home, caller: CurrentUser, id: str, seen: str) -> WorkflowRecord:
    """Keep a workflow of the caller's as it was before the last change by hand. Raises as `changed` does."""
    found = _read(home, caller, id)
    if found is None or state(_shown(found[1], catalogue(home, caller))) != seen or not found[1].before:
        raise CHANGED
    json, record = found
    return _keep(home, caller, json, replace(record, before=record.before[:-1]), record.before[-1])


def state(record: WorkflowRecord) -> str:
    """What tells a workflow from what it is after a change: the beginning of a sha256."""
    written = record.workflow.to_json() if record.workflow else ""
    return sha256(f"{len(record.before)} {written}".encode()).hexdigest()[:16]


def problems(home: Home, caller: CurrentUser, workflow: Workflow) -> tuple[Problem, ...]:
    """What the checker says of a workflow to a caller."""
    book = _book(home)
    return check(workflow.values(), book, usable=_usable(home, book, caller))


def _book(home: Home) -> Book:
    if home.procedures.in_use is None:
        raise TragError(NO_CATALOGUE, "An admin adds the organization's own on the page Procedures.")
    return home.procedures.in_use


def _usable(home: Home, book: Book, caller: CurrentUser) -> frozenset[str]:
    chart = home.organization.chart
    return rights.usable(book, chart, readers(caller, chart), documents_of(home.records.library))


def _read(home: Home, caller: CurrentUser, id: str) -> tuple[str, WorkflowRecord] | None:
    """A workflow of the caller's as it is kept, as JSON and as a record."""
    stored, review = home.records.answer(id), home.records.reviews.review(id)
    if stored is None or stored.kind != "workflow" or review is None or review.asker != caller.person:
        return None
    return stored.record_json, WorkflowRecord.from_json(stored.record_json)


def _shown(record: WorkflowRecord, book: Book) -> WorkflowRecord:
    """A record without the names of what is not in a book, and what they gave and had."""
    there = {*book.actions, *book.tables, *book.triggers}
    if record.named <= there:
        return record
    return replace(
        record,
        workflow=_masked(record.workflow, book) if record.workflow else None,
        before=tuple(_masked(each, book) for each in record.before),
        suggestions=tuple(each for each in record.suggestions if each.name in there),
        choices=(),
        checks=(),
        written="",
    )


def _masked(workflow: Workflow, book: Book) -> Workflow:
    trigger = workflow.trigger
    if trigger:
        type = trigger.type if trigger.type in book.triggers else GONE
        table = trigger.table if trigger.table in ("", *book.tables) else GONE
        trigger = Started(type, table)
    steps = tuple(
        step if step.name in (*book.actions, *LOGIC) else WorkflowStep(GONE, step.step, step.parent)
        for step in workflow.steps
    )
    return replace(settled(replace(workflow, trigger=trigger, steps=steps), book), catalogue=workflow.catalogue)


def _save(home: Home, record: WorkflowRecord, caller: CurrentUser) -> None:
    lines = structure.write(record.workflow) if record.workflow else ""
    home.records.save_answer(
        record.id, None, record.request, lines, record.to_json(), asker=caller.person, kind="workflow"
    )


def _keep(home: Home, caller: CurrentUser, before: str, record: WorkflowRecord, workflow: Workflow) -> WorkflowRecord:
    """Keep the record with a workflow, where it is what it was `before`. What reviewers said was said of that."""
    workflow = replace(workflow, catalogue=_book(home).version)
    wrong = tuple(each.message for each in problems(home, caller, workflow) if each.severity == "error")
    record = replace(record, workflow=workflow, checks=wrong, interrupted="")
    with home.records.reviews.changing() as change:
        if not change.change_answer(record.id, before, structure.write(workflow), record.to_json()):
            raise CHANGED
        reopen(change, record.id)
    return record
