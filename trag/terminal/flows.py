"""python -m trag evaluate flows: plans by the systems of FLAP and by the product's planner, measured; the facts of the
data.

Words -> plans -> tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trag.settings import Settings
from trag.terminal.console import Wrong, add_systems, at_least_one, bar, refuse_beside, show_all

if TYPE_CHECKING:
    from trag.evaluate.flows.writing import Setting, Written


def add(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this act."""
    act = acts.add_parser("flows", help="have FLAP's systems plan by the procedures in FOLDER (see bench/flows)")
    act.add_argument("folder", type=Path, metavar="FOLDER")
    add_systems(act, "trag.evaluate.flows.writing")
    act.add_argument("--flows", nargs="+", choices=("all", "relevant"), help="which of a domain a planner is shown")
    act.add_argument("--half", choices=("dev", "test"), help="of the queries (default: both)")
    act.add_argument("--number", type=at_least_one, help="queries of each flow (default: all)")
    what = act.add_mutually_exclusive_group()
    what.add_argument("--facts", action="store_true", help="what FOLDER holds, and what is wrong with it")
    what.add_argument("--beyond", metavar="FILE", help="requests that are not one flow's, for trag alone")
    act.set_defaults(job=partial(_flows, act.error))


def _flows(wrong: Wrong, settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate.flows import data
    from trag.evaluate.flows.facts import facts

    planning = ("system", "flows", "half", "number")
    if options.facts:
        refuse_beside(wrong, options, "--facts", *planning, "markdown")
        show_all(facts(data.read(options.folder)), markdown=False)
    else:
        if options.beyond:
            refuse_beside(wrong, options, "--beyond", *planning)
        _plans(settings, options)


def _plans(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems plan for the queries of a folder, the paper's without the adapter, and shows what came of it; or
    has the product's planner say what it makes of requests beyond them."""
    from trag.embed import open_embedder
    from trag.evaluate.flows import data, running, tables
    from trag.evaluate.flows.writing import GREEDY, TRAG
    from trag.home import open_home
    from trag.reranking.reranker import Reranker

    held = data.read(options.folder)
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
    found = [tables.beyond(written, held)] if options.beyond else tables.report(written, held, nearest)
    show_all(found, markdown=options.markdown)
