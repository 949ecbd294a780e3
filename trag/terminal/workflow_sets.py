"""python -m trag evaluate workflows: workflows by the product's drafter and by plain prompting, scored.

Words -> workflows -> tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import bar, show

if TYPE_CHECKING:
    from trag.evaluate.workflows.scores import Form
    from trag.evaluate.workflows.systems import Written

EXAMPLES = "train.jsonl"
"""The file beside a set whose requests plain prompting shows."""


def systems() -> Sequence[str]:
    """What can be measured."""
    from trag.evaluate.workflows.systems import SYSTEMS

    return SYSTEMS


def workflows(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems write a workflow for each request of some files, plain prompting without the adapter, and shows
    what came of it."""
    from trag.embed import open_embedder
    from trag.evaluate.tables import markdown
    from trag.evaluate.workflows import cases, running, tables
    from trag.evaluate.workflows.systems import TRAG, Examples
    from trag.home import open_home
    from trag.reranking.reranker import Reranker
    from trag.workflow.suggesting import LEARNED, STEPS

    chosen, k = options.system or [TRAG], options.k or STEPS
    form: Form = options.form or "lines"
    if k > STEPS:
        raise TragError(f"{k} steps cannot be suggested; {STEPS} are the most.", "Leave out --k.")
    files = [Path(word) for word in options.words[1:]]
    sets = [cases.read(file) for file in files]
    sets = [replace(each, cases=each.cases[: options.number or None]) for each in sets]
    encode, weigh = open_embedder("", LEARNED).embed_passages, Reranker().weigh
    examples = Examples(cases.read(files[0].with_name(EXAMPLES)), encode, k)
    own = [system for system in chosen if system.startswith(TRAG)]
    others = [system for system in chosen if system not in own]
    written: dict[str, list[Written]] = {each.name: [] for each in sets}
    with open_home(settings) as home, bar() as progress:
        folder = home.folder / "results" / "workflows"
        found = []
        if own:
            found.append(running.run(folder, home.model, sets, own, examples, weigh, form, progress))
        if others:
            with closing(home.model_with("base")) as base:
                found.append(running.run(folder, base, sets, others, examples, weigh, form, progress))
    for each in found:
        for name, made in each.items():
            written[name] += made
    for table in tables.report(written, sets):
        if options.markdown:
            print(markdown(table))
        elif table.rows:
            show(table)
