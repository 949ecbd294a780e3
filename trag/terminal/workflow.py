"""python -m trag workflow: draft a workflow for a request; check, try and export one that is written as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal import console, workflow_use

if TYPE_CHECKING:
    from org.procedures.flows import Book
    from trag.workflow.record import Workflow
    from trag.workflow.running import Run


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    workflow = jobs.add_parser("workflow", help="draft a workflow for a request; check, try and export workflows")
    acts = console.acts_of(workflow, "draft")
    draft = acts.add_parser(
        "draft",
        help='make the workflow of a request, "when a supplier invoice comes in, ...", of the steps, tables and '
        "triggers that exist; the word may be left out",
    )
    draft.add_argument("request", help="what is to be done, and when")
    form = draft.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the whole record as one line of JSON")
    form.add_argument("--serverless", action="store_true", help="print it as CNCF Serverless Workflow 1.0 (JSON)")
    form.add_argument("--bpmn", action="store_true", help="print it as BPMN 2.0 (XML)")
    draft.set_defaults(job=_draft)
    for name, words in (
        ("check", "report everything that is wrong with the workflow in FILE, and what is open"),
        ("try", "run it dry: nothing has an effect, each step's inputs and outputs are shown"),
        ("export", "write it in a form that other programs read"),
    ):
        act = acts.add_parser(name, help=words)
        act.set_defaults(job=_of_file)
        act.add_argument("file", metavar="FILE")
        if name == "try":
            act.add_argument("--record", default="", metavar="FILE", help="what sets it off, a JSON object")
            act.add_argument("--json", action="store_true", help="print the whole run as one line of JSON")
        if name == "export":
            form = act.add_mutually_exclusive_group(required=True)
            form.add_argument("--serverless", action="store_true", help="CNCF Serverless Workflow 1.0 (JSON)")
            form.add_argument("--bpmn", action="store_true", help="BPMN 2.0 (XML)")
    workflow_use.add(acts)


def _draft(settings: Settings, options: argparse.Namespace) -> int:
    from trag.home import open_home
    from trag.question import cleaned
    from trag.workflow.drafting import drafter
    from trag.workflow.record import WorkflowRecord
    from trag.workflow.wording import workflow_as_text

    with open_home(settings) as home:
        drafts = drafter(home)
        *_, record = drafts.draft(cleaned(options.request), home.model)
    assert isinstance(record, WorkflowRecord), "a draft ends with its record"
    if not (options.serverless or options.bpmn):
        print(record.to_json() if options.json else workflow_as_text(record, drafts.book))
        return 0
    if record.workflow is None or record.checks:
        raise TragError(
            " ".join(record.checks) or "No step fits this request.", "Look at it without --serverless or --bpmn."
        )
    return _export(record.workflow, drafts.book, options)


def _export(workflow: Workflow, book: Book, options: argparse.Namespace) -> int:
    from trag.workflow.bpmn import bpmn
    from trag.workflow.exporting import serverless

    made = bpmn(workflow, book) if options.bpmn else json.dumps(serverless(workflow), indent=2).encode() + b"\n"
    sys.stdout.buffer.write(made)
    return 0


def _of_file(settings: Settings, options: argparse.Namespace) -> int:
    from trag.workflow.checking import check
    from trag.workflow.record import Workflow
    from trag.workflow.running import run

    book = _book(settings)
    values = console.json_file(options.file)
    problems = check(values, book)
    refused = any(problem.severity == "error" for problem in problems)
    for problem in problems if refused or options.act == "check" else ():
        where = f"{problem.place}: " if problem.place else ""
        print(f"{problem.severity}: {where}{problem.message} ({problem.hint})")
    if refused or options.act == "check":
        return int(refused)
    workflow = Workflow.of(values)
    if options.act == "export":
        return _export(workflow, book, options)
    record = console.json_file(options.record) if options.record else None
    if record is not None and not isinstance(record, dict):
        raise TragError(f"{options.record} is not a JSON object.", 'A record is {"amount": 6200}.')
    found = run(workflow, book, record)
    print(found.to_json() if options.json else run_as_text(found))
    return int(found.status == "failed")


def run_as_text(run: Run) -> str:
    """A run as the terminal shows it."""

    def shown(values: Any) -> str:
        return ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items())

    lines = []
    for ran in run.trace:
        rounds = f" (round {'.'.join(map(str, ran.rounds))})" if ran.rounds else ""
        lines.append(f"{ran.step:>3}. {ran.name}{rounds}" + (f" - {ran.note}" if ran.note else ""))
        lines += (f"     {sign} {shown(values)}" for sign, values in (("<", ran.inputs), (">", ran.outputs)) if values)
    ends = {
        "done": "Done.",
        "ended": f"Ended by step {run.step}.",
        "failed": f"Failed at step {run.step}: {run.message}",
        "waiting": f"Waits at step {run.step}: {run.message}",
    }
    return "\n".join([*lines, ends[run.status]])


def _book(settings: Settings) -> Book:
    """The catalogue of the home."""
    from trag.home import open_home

    with open_home(settings) as home:
        book = home.procedures.in_use
    if book is None:
        raise TragError("This home has no procedures, and so no steps.", "python -m trag procedures activate FILE")
    return book
