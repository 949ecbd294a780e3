"""From a workflow that somebody drafted to one that runs: sent to the admins, looked at, activated or returned, rolled
back, switched off.

Every act is kept beside those before it and written into the audit log. What cannot run for real, step by step, is not
put in use, and what the catalogue in use no longer holds is not run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from org.procedures.actions import LOGIC, units
from org.procedures.flows import Book
from org.reading.problems import Problem, error, listing, quoted
from store.notices import Notice
from store.workflows import StoredWorkflow, WorkflowChange
from trag.errors import TragError
from trag.flow.rights import documents_of
from trag.people.permissions import CurrentUser, Readers, readers
from trag.record import LONGEST_REMARK
from trag.workflow.built_in import BUILT_IN
from trag.workflow.checking import check
from trag.workflow.hooks import addresses
from trag.workflow.record import Workflow
from trag.workflow.rights import usable

if TYPE_CHECKING:
    from org.chart import Chart
    from store.workflows import WorkflowState
    from trag.home import Home

TRIGGERS = (
    *("manual", "record_created", "record_updated", "daily", "weekly"),
    *("document_added", "chart_activated", "answer_flagged"),
)
"""The triggers, by their ids in the book, that set something off."""
SWITCHED_OFF = (
    "Workflows do not run here: they are drafted, tried and exported only.",
    "Whoever runs the assistant can switch them on: TRAG_WORKFLOWS=true.",
)


def id_of(name: str) -> str:
    """The id of a workflow that was given as a file of that name."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]


def workflow_of(change: WorkflowChange) -> Workflow:
    """The workflow that a change is about."""
    return Workflow.of(json.loads(change.workflow_json))


def version_of(workflow: Workflow) -> str:
    """The first 12 hex digits of a sha256 over its JSON: the same content gives the same version."""
    return hashlib.sha256(workflow.to_json().encode()).hexdigest()[:12]


# What keeps one from running


def faults(home: Home, workflow: Workflow, held: Readers) -> tuple[Problem, ...]:
    """The errors of a workflow by the book in use for who holds these keys: what was written wrong, and what has left
    the book since, or is closed to them."""
    book, chart = _book(home), home.organization.chart
    open_to = documents_of(home.records.library)
    earlier = None
    if workflow.catalogue and workflow.catalogue != book.version:
        earlier = _earlier(home, workflow.catalogue)
    problems = check(_values(workflow), book, earlier=earlier, usable=usable(book, chart, held, open_to))
    return tuple(each for each in problems if each.severity == "error")


def obstacles(home: Home, workflow: Workflow) -> tuple[Problem, ...]:
    """What keeps a workflow without errors from running for real: what is open, and what nothing here can do."""
    book = _book(home)
    problems = [each for each in check(_values(workflow), book) if each.severity == "warning" and each.row]
    if workflow.trigger and workflow.trigger.type not in TRIGGERS:
        message = f"Nothing here sets off {quoted(workflow.trigger.type)}."
        problems.append(error(0, message, f"Triggers that do are {listing(TRIGGERS, 20)}."))
    return (*problems, *_undone(workflow, book, home.organization.chart, addresses(home.settings)))


def _undone(workflow: Workflow, book: Book, chart: Chart | None, hooks: object) -> Iterator[Problem]:
    """The steps that nobody would do."""
    for step in workflow.steps:
        action, place = book.actions.get(step.name), f"step {step.step}"
        if step.name in LOGIC or action is None:
            continue
        if action.runs == "built-in" and step.name not in BUILT_IN:
            message = f"The program cannot do {quoted(step.name)} yet."
            yield error(step.step, message, f"It can do {listing(sorted(BUILT_IN), 20)}.", place)
        if action.runs == "hook" and step.name not in hooks:  # type: ignore[operator]
            message = f"No address is set that does {quoted(step.name)}."
            yield error(
                step.step, message, f"Whoever runs the assistant sets it: TRAG_HOOKS={step.name}=https://...", place
            )
        if action.runs == "person" and action.unit and not (chart and len(units(action.unit, chart)) == 1):
            message = f"The chart in use has no single unit {quoted(action.unit)}, whose people do {quoted(step.name)}."
            yield error(step.step, message, "Correct the chart or the file of procedures.", place)


# What people and admins do


def send(home: Home, caller: CurrentUser, id: str, workflow: Workflow) -> StoredWorkflow:
    """Hand a workflow of one's own, kept under an id, to the admins. One sent before under that id and not decided yet
    is replaced by it.

    Raises TragError where it is not the caller's, and for each error in it by the book in use.
    """
    stored, review = home.records.answer(id), home.records.reviews.review(id)
    if stored is None or stored.kind != "workflow" or review is None or review.asker != caller.person:
        raise TragError("There is no such workflow of yours.", "Open it again from your list.")
    _refuse("It cannot be sent", faults(home, workflow, readers(caller, home.organization.chart)))
    return given(home, caller, id, workflow)


def refuse_faults(home: Home, values: object) -> None:
    """Raises TragError for each error in a workflow as JSON has it, by the book in use."""
    _refuse("It cannot be used", tuple(each for each in check(values, _book(home)) if each.severity == "error"))


def given(home: Home, caller: CurrentUser, id: str, workflow: Workflow) -> StoredWorkflow:
    """Keep a checked workflow under an id for the admins to look at, unless that version waits already or is in use."""
    version, now = version_of(workflow), home.records.workflows.find(id)
    for there in (now.waiting, now.in_use) if now else ():
        if now and there and there.version == version:
            return now
    return home.records.workflows.put(_change(workflow, id, version, "sent", caller))


def activate(
    home: Home, caller: CurrentUser, id: str, version: str = "", *, instead_of: str | None = None, where: str = ""
) -> StoredWorkflow:
    """Put a version of a workflow in use, the one that waits where none is named; with the caller's rights from now on.

    `instead_of` is the version that they saw in use, "" for none: StoreError is raised when that is another by now.
    Raises TragError where workflows do not run here, where there is no such version, and for all that keeps it from
    running.
    """
    if not home.settings.workflows:
        raise TragError(*SWITCHED_OFF)
    stored = found(home, id)
    change = next((each for each in reversed(stored.changes) if each.version == version), None)
    change = change if version else stored.waiting
    if change is None:
        known = listing([*dict.fromkeys(each.version for each in stored.changes)])
        what = f"has no version {version}" if version else "has nothing that waits"
        raise TragError(f"The workflow {quoted(stored.last.title)} {what}.", f"Its versions are {known}.")
    workflow = workflow_of(change)
    wrong = faults(home, workflow, readers(caller, home.organization.chart))
    _refuse("It cannot be activated", wrong or obstacles(home, workflow))
    active = _change(workflow, id, change.version, "active", caller)
    now = home.records.workflows.put(active, instead_of=instead_of, where=where)
    _tell_sender(home, now, change.version, f"Your workflow {quoted(active.title)} is in use now.")
    return now


def version_before(stored: StoredWorkflow) -> str:
    """The version that a roll-back leads to: the last in use that is another than the present one, "" for none."""
    if stored.in_use is None:
        return stored.activations[-1].version if stored.activations else ""
    earlier = [each.version for each in stored.activations if each.version != stored.in_use.version]
    return earlier[-1] if earlier else ""


def roll_back(
    home: Home, caller: CurrentUser, id: str, version: str = "", *, instead_of: str | None = None, where: str = ""
) -> StoredWorkflow:
    """Put an earlier version in use again, the last one before where none is named. Raises what `activate` raises, and
    TragError where there is none."""
    stored = found(home, id)
    version = version or version_before(stored)
    if version not in {each.version for each in stored.activations}:
        what = f"version {version} was never in use" if version else "no other version was ever in use"
        raise TragError(f"Of the workflow {quoted(stored.last.title)} {what}.", "There is nothing to go back to.")
    return activate(home, caller, id, version, instead_of=instead_of, where=where)


def switch_off(home: Home, caller: CurrentUser, id: str, remark: str = "", *, where: str = "") -> StoredWorkflow:
    """Let a workflow run no more; runs of it that wait end. Raises TragError where it is not in use."""
    stored = found(home, id)
    if stored.in_use is None:
        raise TragError(f"The workflow {quoted(stored.last.title)} is not in use.", "It was switched off already.")
    off = replace(stored.in_use, state="off", person=caller.person, by=caller.name, remark=_remark(remark))
    return home.records.workflows.put(off, instead_of=stored.in_use.version, where=where)


def send_back(
    home: Home, caller: CurrentUser, id: str, version: str, remark: str, *, where: str = ""
) -> StoredWorkflow:
    """Return what waits to who sent it, with a remark that says why. Raises TragError without one, and where that
    version does not wait any more."""
    stored, text = found(home, id), _remark(remark)
    if stored.waiting is None or stored.waiting.version != version:
        raise TragError("This version does not wait any more.", "It was decided in another window: reload the page.")
    if not text:
        raise TragError("The remark is empty.", "Say what is to be changed.")
    back = replace(stored.waiting, state="returned", person=caller.person, by=caller.name, remark=text)
    now = home.records.workflows.put(back, where=where)
    _tell_sender(home, now, version, f"Your workflow {quoted(back.title)} was returned: {text}")
    return now


def _values(workflow: Workflow) -> object:
    """A workflow as its JSON has it."""
    return json.loads(workflow.to_json())


def _book(home: Home) -> Book:
    book = home.procedures.in_use
    if book is None:
        message = "This home has no procedures, and so no steps."
        raise TragError(message, "An admin activates them on the page Procedures.")
    return book


def _earlier(home: Home, version: str) -> Book | None:
    try:
        return home.procedures.version(version)
    except TragError:  # another home's, or its file is gone
        return None


def found(home: Home, id: str) -> StoredWorkflow:
    """The workflow of that id. Raises TragError where none was sent in."""
    stored = home.records.workflows.find(id)
    if stored is None:
        known = listing([each.id for each in home.records.workflows.all()]) or "none"
        raise TragError(f"No workflow {id[:100]} was sent in.", f"Those that were: {known}.")
    return stored


def _change(workflow: Workflow, id: str, version: str, state: WorkflowState, caller: CurrentUser) -> WorkflowChange:
    title = workflow.title or workflow.request[:80] or "Workflow"
    trigger, table = (workflow.trigger.type, workflow.trigger.table) if workflow.trigger else ("manual", "")
    who = caller.person, caller.name
    return WorkflowChange(id, version, state, *who, title, trigger, table, workflow.to_json())


def _tell_sender(home: Home, stored: StoredWorkflow, version: str, text: str) -> None:
    sent = next((each for each in stored.changes if each.state == "sent" and each.version == version), None)
    if sent and sent.person != stored.last.person:
        home.records.notices.add(Notice(text, sent.person))


def _remark(text: str) -> str:
    kept = text.replace("\r\n", "\n").strip()
    if len(kept) > LONGEST_REMARK:
        raise TragError(f"A remark may have {LONGEST_REMARK:,} characters, this one has {len(kept):,}.", "Shorten it.")
    return kept


def _refuse(what: str, problems: tuple[Problem, ...]) -> None:
    """Raises TragError that says every problem."""
    if problems:
        told = (
            f"{each.place}: {each.message} {each.hint}" if each.place else f"{each.message} {each.hint}"
            for each in problems
        )
        raise TragError(f"{what}. {' '.join(told)}", "Correct it on the page Automate.")
