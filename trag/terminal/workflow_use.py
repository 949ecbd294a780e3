"""python -m trag workflow activate|versions|rollback|off|runs: which workflows are in use, and what they did."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trag.people import CurrentUser
from trag.settings import Settings
from trag.terminal import console

if TYPE_CHECKING:
    from store.workflow_runs import Effect, WorkflowRun
    from store.workflows import StoredWorkflow, WorkflowChange
    from trag.home import Home
    from trag.workflow.comparing import WorkflowChanges

_NEWEST = 20
"""Runs that are listed."""


def add(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of these acts."""
    for name, words, argument, wanted in (
        ("activate", "put a workflow in use, for real", "a FILE of JSON, or the ID of one that was sent in", True),
        ("versions", "list the workflows that were sent in, or the versions of one", "ID", False),
        ("rollback", "put an earlier version in use again", "ID", True),
        ("off", "let a workflow run no more", "ID", True),
        ("runs", "list the newest runs, or those of one workflow, or show one run", "ID of a workflow, or RUN", False),
    ):
        act = acts.add_parser(name, help=words)
        if wanted:
            act.add_argument("of", metavar="WORKFLOW", help=argument)
        else:
            act.add_argument("of", metavar="WORKFLOW", help=argument, nargs="?", default="")
        if name == "rollback":
            act.add_argument("version", metavar="VERSION", nargs="?", default="", help="else the last one before")
        act.set_defaults(job=_use)


def _use(settings: Settings, options: argparse.Namespace) -> None:
    from trag.home import open_home
    from trag.workflow import activation

    caller = replace(CurrentUser.local, name=console.by())
    with open_home(settings) as home:
        id = _id(home, options.of)
        if options.act == "activate":
            _activate(home, caller, options.of)
        elif options.act == "rollback":
            print(_in_use(activation.roll_back(home, caller, id, options.version)))
        elif options.act == "off":
            print(f"{activation.switch_off(home, caller, id).last.title} is switched off.")
        elif options.act == "runs":
            run = home.records.workflow_runs.find(options.of)
            print(_run(run, home.records.workflow_runs.effects(run.id)) if run else _runs(home, id))
        elif options.of:
            print(_versions(activation.found(home, id)))
        else:
            print("\n".join(map(_standing, home.records.workflows.all())) or "No workflow was sent in yet.")


def _id(home: Home, of: str) -> str:
    """The id of a workflow by itself, or by the name of the file that it was given as."""
    from trag.workflow.activation import id_of

    return of if not of or home.records.workflows.find(of) else id_of(Path(of).stem)


def _activate(home: Home, caller: CurrentUser, of: str) -> None:
    """Put in use what waits under an id, or what is in a file, and say what changes."""
    from trag.workflow import activation
    from trag.workflow.comparing import compare
    from trag.workflow.record import Workflow

    stored, version = home.records.workflows.find(_id(home, of)), ""
    if Path(of).is_file() or stored is None:
        values = console.json_file(of)
        activation.refuse_faults(home, values)
        made = Workflow.of(values)
        stored = activation.given(home, caller, activation.id_of(Path(of).stem), made)
        version = activation.version_of(made)
    change = next((each for each in reversed(stored.changes) if each.version == version), stored.waiting) or stored.last
    before = activation.workflow_of(stored.in_use) if stored.in_use else None
    told = changes_as_text(compare(before, activation.workflow_of(change)))
    now = activation.activate(home, caller, stored.id, change.version)
    print("\n".join(filter(None, (told, _in_use(now)))))


def changes_as_text(changes: WorkflowChanges) -> str:
    """What differs, a line each; "" for nothing."""
    signs = {"added": "+", "removed": "-", "changed": "~"}
    lines = [f"~ {edit.field}: {edit.before or 'none'} -> {edit.after or 'none'}" for edit in changes.edits]
    for each in changes.steps:
        if each.what != "same":
            lines.append(f"{signs[each.what]} {each.step.step}. {each.step.name}")
            lines += (f"    {edit.field}: {edit.before or 'none'} -> {edit.after or 'none'}" for edit in each.edits)
    return "\n".join(lines)


def _in_use(stored: StoredWorkflow) -> str:
    return f"{stored.last.title} ({stored.last.version}) is in use: it is set off by {_set_off(stored.last)}."


def _set_off(change: WorkflowChange) -> str:
    return " of ".join(filter(None, (change.trigger, change.register)))


def _standing(stored: StoredWorkflow) -> str:
    state = f"in use {stored.in_use.version}" if stored.in_use else "not in use"
    waits = f", {stored.waiting.version} waits" if stored.waiting else ""
    return f"{stored.id}  {stored.last.title}: {state}{waits}"


def _versions(stored: StoredWorkflow) -> str:
    words = {"sent": "sent in", "active": "activated", "off": "switched off", "returned": "returned"}
    return "\n".join(
        f"{each.at:%Y-%m-%d %H:%M}  {each.version}  {words[each.state]} by {each.by}"
        + (f": {each.remark}" if each.remark else "")
        for each in reversed(stored.changes)
    )


def _runs(home: Home, id: str) -> str:
    found = home.records.workflow_runs.page(id, most=_NEWEST)
    titles = {each.id: each.last.title for each in home.records.workflows.all()}
    return (
        "\n".join(
            f"{each.id}  {each.at:%Y-%m-%d %H:%M}  {titles.get(each.workflow, '')}  {each.state}"
            + (f": {each.message}" if each.message else "")
            for each in found
        )
        or "Nothing ran yet."
    )


def _run(run: WorkflowRun, effects: tuple[Effect, ...]) -> str:
    """One run: who set it off, and what it did."""
    lines = [f"Set off by {run.trigger}, {run.by or 'nobody who is known'}, {run.at:%Y-%m-%d %H:%M}: {run.record_json}"]
    for each in effects:
        came = f"failed: {each.failed}" if each.failed else each.outputs_json or "its end is not known"
        lines.append(f"{each.step:>3}. {each.name}: {came}")
    return "\n".join([*lines, f"{run.state.capitalize()}. {run.message}".strip()])
