"""python -m trag evaluate workflows: workflows by the product's drafter and by plain prompting, scored.

Words -> workflows -> tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import bar, show

if TYPE_CHECKING:
    from trag.evaluate.workflows.scores import Form

EXAMPLES = "train.jsonl"
"""The file beside a set whose requests plain prompting shows."""


def systems() -> Sequence[str]:
    """What can be measured."""
    from trag.evaluate.workflows.systems import SYSTEMS

    return SYSTEMS


def workflows(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems write a workflow for each request of some files, and shows what came of it."""
    from trag.evaluate.tables import markdown
    from trag.evaluate.workflows import cases, running, tables
    from trag.evaluate.workflows.systems import TRAG
    from trag.home import open_home
    from trag.workflow.suggesting import STEPS

    chosen, k = options.system or [TRAG], options.k or STEPS
    form: Form = options.form or "lines"
    if k > STEPS:
        raise TragError(f"{k} steps cannot be suggested; {STEPS} are the most.", "Leave out --k.")
    files = [Path(word) for word in options.words[1:]]
    sets = [cases.read(file) for file in files]
    sets = [replace(each, cases=each.cases[: options.number or None]) for each in sets]
    shown = cases.read(files[0].with_name(EXAMPLES))
    with open_home(settings) as home, bar() as progress:
        written = running.measure(home, sets, shown, chosen, form, k, progress)
    for table in tables.report(written, sets):
        if options.markdown:
            print(markdown(table))
        elif table.rows:
            show(table)
