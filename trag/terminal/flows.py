"""python -m trag evaluate flows: plans by the systems of FLAP and by the product's planner, measured; the facts of the
data.

Words -> plans -> tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from trag.settings import Settings
from trag.terminal.console import bar, show

if TYPE_CHECKING:
    from trag.evaluate.flows.writing import Setting, Written


def systems() -> Sequence[str]:
    """What can be measured."""
    from trag.evaluate.flows.writing import SYSTEMS

    return SYSTEMS


def facts(settings: Settings, options: argparse.Namespace) -> None:
    """What a folder of flows holds, and what of it does not add up."""
    from trag.evaluate.flows import data
    from trag.evaluate.flows.facts import facts as tables

    for table in tables(data.read(Path(options.words[1]))):
        if table.rows:
            show(table)


def plans(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems plan for the queries of a folder, the paper's without the adapter, and shows what came of it; or
    has the product's planner say what it makes of requests beyond them."""
    from trag.embed import open_embedder
    from trag.evaluate.flows import data, running, tables
    from trag.evaluate.flows.writing import GREEDY, TRAG
    from trag.evaluate.tables import markdown
    from trag.home import open_home
    from trag.reranking.reranker import Reranker

    held = data.read(Path(options.words[1]))
    queries = running.chosen(held, options.half or "", options.number or 0)
    shown: Sequence[Setting] = options.flows or ("all",)
    tasks = [(system, setting) for setting in shown for system in options.system or (GREEDY,)]
    if options.beyond:
        held = data.read_beyond(Path(options.beyond), held)
        queries, tasks = held.queries, [(TRAG, "all")]
    encode, weigh = open_embedder("").embed_passages, Reranker().weigh
    written: list[Written] = []
    with open_home(settings) as home, bar() as progress:
        folder = home.folder / "results" / "flows"
        own = [task for task in tasks if task[0] == TRAG]
        if others := [task for task in tasks if task[0] != TRAG]:
            with closing(home.model_with("base")) as base:
                written += running.run(folder, base, held, queries, others, encode, weigh, progress)
        if own:
            written += running.run(folder, home.model, held, queries, own, encode, weigh, progress)
    nearest = tables.nearest_by(encode)
    for table in [tables.beyond(written, held)] if options.beyond else tables.report(written, held, nearest):
        if options.markdown:
            print(markdown(table))
        elif table.rows:
            show(table)
