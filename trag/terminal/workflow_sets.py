"""python -m trag evaluate workflows: workflows by the product's drafter and by plain prompting, scored.

Words -> workflows -> tables
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import add_systems, at_least_one, bar, show_all

if TYPE_CHECKING:
    from trag.evaluate.workflows.scores import Form

EXAMPLES = "train.jsonl"
"""The file beside a set whose requests plain prompting shows."""


def add(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this act."""
    act = acts.add_parser(
        "workflows", help="have systems write the workflows of the requests in FILE ... (see bench/workflows)"
    )
    act.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSON lines")
    add_systems(act, "trag.evaluate.workflows.systems")
    act.add_argument("--form", choices=("lines", "json"), default="lines", help="what plain prompting writes (lines)")
    act.add_argument("--k", type=at_least_one, metavar="N", help="steps that are suggested to it (default: 15)")
    act.add_argument("--number", type=at_least_one, help="requests of each file (default: all)")
    act.set_defaults(job=_workflows)


def _workflows(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems write a workflow for each request of some files, and shows what came of it."""
    from trag.evaluate.workflows import cases, running, tables
    from trag.evaluate.workflows.systems import TRAG
    from trag.home import open_home
    from trag.workflow.suggesting import STEPS

    chosen, k = options.system or [TRAG], options.k or STEPS
    form: Form = options.form
    if k > STEPS:
        raise TragError(f"{k} steps cannot be suggested; {STEPS} are the most.", "Leave out --k.")
    sets = [cases.read(file) for file in options.files]
    sets = [replace(each, cases=each.cases[: options.number or None]) for each in sets]
    shown = cases.read(options.files[0].with_name(EXAMPLES))
    with open_home(settings) as home, bar() as progress:
        written = running.measure(home, sets, shown, chosen, form, k, progress)
    show_all(tables.report(written, sets), markdown=options.markdown)
