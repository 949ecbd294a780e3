"""python -m trag plan: how something is done, step by step, by the organization's own procedures."""

from __future__ import annotations

import argparse
from typing import Any

from trag.settings import Settings


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
    from trag.plans import plan_as_text

    with open_home(settings) as home:
        done = [id.strip() for id in options.done.split(",") if id.strip()]
        how: dict[str, Any] = {"readers": None, "procedure": options.procedure, "done": done}
        plans, asked = planner(home), options.request
        record = pinned_plan(asked, home.records, plans, home.model, **how) or plans.plan(asked, home.model, **how)
    print(record.to_json() if options.json else plan_as_text(record))
    if record.choices and not options.json:
        print("Plan by one of them: --procedure ID")
