"""Runs of workflows, one after the other in a thread of their own: what is due is taken, performed and written down.

What happens in the home makes a run due in the same transaction (`store.workflows`); the clock makes one due here. A
run that a kill broke off is shown as such after the next start, and not repeated by itself.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from org.reading.problems import quoted
from store.notices import Notice
from store.passage import OPEN
from store.workflow_runs import WorkflowRun
from trag.errors import SHOWN, TragError
from trag.flow.rights import documents_of
from trag.people import CurrentUser
from trag.people.permissions import Readers, readers
from trag.progress import Cancelled
from trag.workflow.activation import faults, workflow_of
from trag.workflow.built_in import Doing
from trag.workflow.performing import Performing
from trag.workflow.rights import usable
from trag.workflow.running import run as walk

if TYPE_CHECKING:
    from store.workflows import WorkflowChange
    from trag.home import Home

log = logging.getLogger(__name__)

PACE = 1.0
"""Seconds between two looks whether something is due."""
MORNING = 7
"""The hour of the machine's clock at which what is done daily, or weekly on Mondays, is due."""
IN_A_ROW = 5
"""Failures after which a workflow is switched off."""
SECONDS = 3_600.0
"""That a run may take, without what it waits for."""
PROGRAM = "the program"
_AGAIN = 10.0
"""Seconds until the records are tried again that could not be read or written."""


class Runner:
    """What runs in one home, and the thread that does it. Of runs that were under way when the last process ended it
    says that they were broken off."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._closing = threading.Event()
        self._now: Performing | None = None
        home.records.workflow_runs.break_off()
        self._thread = threading.Thread(target=self._run, name="workflows", daemon=True)

    def start(self) -> None:
        """Run what is due from now on, where workflows run at all."""
        if self._home.settings.workflows:
            self._thread.start()

    def close(self) -> None:
        """End the thread. A run that is under way goes on after the next start, with what it did already kept."""
        self._closing.set()
        if self._now:
            self._now.cancel()
        if self._thread.is_alive():
            self._thread.join()

    def work_off(self, now: datetime | None = None) -> None:
        """Run all that is due, and what that sets off, until nothing is."""
        now = now or datetime.now().astimezone()
        schedule(self._home, now)
        self._home.records.workflow_runs.due_again(now)
        while not self._closing.is_set() and (run := self._home.records.workflow_runs.take()):
            self._perform(run)

    def _run(self) -> None:
        failed = False
        while not self._closing.is_set():
            try:
                if failed:  # nobody else runs them: one that is said to be running could not be ended
                    self._home.records.workflow_runs.break_off()
                self.work_off()
                failed = False
            except Exception as error:
                # A fault of the program must not end the thread, which nobody would see.
                failed = True
                if isinstance(error, SHOWN):
                    log.error("workflows stand still: %s", error.message)
                else:
                    log.exception("workflows stand still")
            self._closing.wait(_AGAIN if failed else PACE)

    def _perform(self, run: WorkflowRun) -> None:
        runs = self._home.records.workflow_runs
        try:
            self._walk(run)
        except Cancelled:
            runs.put_off(run.id)
        except Exception as error:
            # A fault of the program in one run must not keep the others waiting for ever.
            if not isinstance(error, SHOWN):
                log.exception("a fault in the run %s of the workflow %s", run.id, run.workflow)
            message = error.message if isinstance(error, SHOWN) else "A fault in the program; its log says more."
            runs.end(run.id, "failed", message, "")
            self._count_failures(run)

    def _walk(self, run: WorkflowRun) -> None:
        """One run, from its beginning, or from where it waited."""
        home, runs = self._home, self._home.records.workflow_runs
        stored = home.records.workflows.find(run.workflow)
        change = next((each for each in stored.changes if each.version == run.version), None) if stored else None
        held = rights(home, run)
        book = home.procedures.in_use
        if change is None or book is None or held is NOBODY:
            runs.end(run.id, "refused", "Whoever activated this workflow has no account any more.", "")
            return
        assert not isinstance(held, str)
        workflow = workflow_of(change)
        if wrong := faults(home, workflow, held):
            told = " ".join(f"{each.place}: {each.message}" if each.place else each.message for each in wrong)
            runs.end(run.id, "refused", told, "")
            return
        ids = usable(book, home.organization.chart, held, documents_of(home.records.library))
        doing = Doing(home, run, 0, held, book, ids, threading.Event())
        self._now = performing = Performing(doing, self._closing.is_set)
        record: Mapping[str, object] = json.loads(run.record_json)
        try:
            found = walk(workflow, book, record, performing, seconds=SECONDS)
        finally:
            self._now = None
        trace = found.to_json()
        if found.status == "waiting":
            runs.pause(run.id, found.message, trace, performing.until)
            return
        runs.end(run.id, found.status, found.message, trace)
        if found.status == "failed":
            self._count_failures(run)

    def _count_failures(self, run: WorkflowRun) -> None:
        """Switch a workflow off whose runs fail again and again, and tell whoever activated it."""
        records = self._home.records
        stored = records.workflows.find(run.workflow)
        if stored is None or stored.in_use is None:
            return
        active = stored.in_use
        if records.workflow_runs.failures_in_a_row(run.workflow, active.at) < IN_A_ROW:
            return
        remark = f"{IN_A_ROW} runs in a row failed."
        off = replace(active, state="off", person="", by=PROGRAM, remark=remark)
        records.workflows.put(off, instead_of=active.version)
        records.notices.add(Notice(f"The workflow {quoted(active.title)} was switched off: {remark}", active.person))


NOBODY = "nobody"
"""In place of keys, of somebody who may no longer come in."""


def rights(home: Home, run: WorkflowRun) -> Readers | str:
    """The keys of a run: those that its activator holds, and whoever set it off, and what set that off. NOBODY where
    its activator may no longer come in."""
    chart = home.organization.chart
    activator = _user(home, run.activator)
    if activator is None:
        return NOBODY
    if run.cause:
        cause = home.records.workflow_runs.find(run.cause)
        other = rights(home, cause) if cause else OPEN
        if isinstance(other, str):
            return NOBODY
    else:
        caller = _user(home, run.person)
        other = readers(caller, chart) if caller else OPEN
    return _both(readers(activator, chart), other)


def _both(one: Readers, other: Readers) -> Readers:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _user(home: Home, person: str) -> CurrentUser | None:
    """Somebody by their id, as they may act now; None where they may not come in."""
    if person == CurrentUser.local.person:
        return CurrentUser.local
    found = home.records.people.get(person) if person else None
    return CurrentUser.of(found) if found and found.state == "active" else None


def run_now(home: Home, caller: CurrentUser, id: str) -> WorkflowRun:
    """Set off a workflow in use that is started by hand. Raises TragError for one that is not, or is not in use."""
    stored = home.records.workflows.find(id)
    active = stored.in_use if stored else None
    if active is None or not home.settings.workflows:
        raise TragError("This workflow is not in use.", "An admin activates it.")
    if active.trigger != "manual":
        raise TragError("This workflow is not started by hand.", f"It is set off by {active.trigger}.")
    run = WorkflowRun.of(id, active.version, active.person, "manual", {}, person=caller.person, by=caller.name)
    home.records.workflow_runs.add(run)
    return run


def schedule(home: Home, now: datetime) -> None:
    """Let workflows run whose hour has come since they were put in use and last ran. An hour that passed while nothing
    ran is made up for once. `now` is aware of its time zone, by which the hours are."""
    for active in home.records.workflows.in_use():
        if active.trigger not in ("daily", "weekly"):
            continue
        hour = last_hour(now, weekly=active.trigger == "weekly")
        last = home.records.workflow_runs.of_trigger(active.workflow, active.trigger)
        if active.at < hour and (last is None or last.at < hour):
            home.records.workflow_runs.add(_scheduled(active, hour))


def last_hour(now: datetime, *, weekly: bool) -> datetime:
    """The last MORNING up to `now`, of a Monday where `weekly`."""
    hour = now.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    hour -= timedelta(days=now.weekday() if weekly else 0)
    return hour if hour <= now else hour - timedelta(weeks=1 if weekly else 0, days=0 if weekly else 1)


def _scheduled(active: WorkflowChange, hour: datetime) -> WorkflowRun:
    """A run that the clock sets off, with the rights of who activated it."""
    record = {"date": f"{hour:%Y-%m-%d}"}
    return WorkflowRun.of(
        active.workflow, active.version, active.person, active.trigger, record, person=active.person, by=PROGRAM
    )
