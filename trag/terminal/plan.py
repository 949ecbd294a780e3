"""python -m trag plan: how something is done, step by step, by the organization's own procedures."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from prompts import CANNOT_ANSWER
from trag.settings import Settings

if TYPE_CHECKING:
    from trag.flow.record import PlanRecord


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    plan = jobs.add_parser("plan", help="say how something is done, by the written procedures")
    plan.add_argument("request", help='what you want to get done ("my badge is lost")')
    plan.add_argument("--procedure", default="", metavar="ID", help="plan by this procedure")
    plan.add_argument("--done", default="", metavar="ACTION,...", help="plan what is left after these actions")
    plan.add_argument("--json", action="store_true", help="print the whole record as one line of JSON")
    plan.set_defaults(job=_plan)


def _plan(settings: Settings, options: argparse.Namespace) -> None:
    from trag.flow.pinned import pinned_plan
    from trag.flow.planner import planner
    from trag.home import open_home

    with open_home(settings) as home:
        done = [id.strip() for id in options.done.split(",") if id.strip()]
        plans = planner(home)
        record = pinned_plan(
            options.request, home.records, plans, home.model, readers=None, procedure=options.procedure, done=done
        ) or plans.plan(options.request, home.model, readers=None, procedure=options.procedure, done=done)
    print(record.to_json() if options.json else plan_as_text(record))


def plan_as_text(record: PlanRecord) -> str:
    """A plan as the terminal shows it."""
    if record.procedure is None:
        lines = ["Which do you mean?" if record.status == "ask_which" else CANNOT_ANSWER]
        if record.status == "cannot_answer" and record.choices:
            lines.append("The nearest procedures:")
        return "\n".join([*lines, *(f"  --procedure {one.id}: {one.title}" for one in record.choices)])
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
