"""python -m trag evaluate flows: plans by the systems of FLAP, measured; the facts of the data.

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
    from trag.evaluate.flows.writing import Setting


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
    """Has the systems plan for the queries of a folder, without the adapter, and shows what came of it."""
    from trag.embed import open_embedder
    from trag.evaluate.flows import data, running
    from trag.evaluate.flows.tables import nearest_by, report
    from trag.evaluate.flows.writing import GREEDY
    from trag.evaluate.tables import markdown
    from trag.home import open_home

    held = data.read(Path(options.words[1]))
    queries = running.chosen(held, options.half or "", options.number or 0)
    shown: Sequence[Setting] = options.flows or ("all",)
    tasks = [(system, setting) for setting in shown for system in options.system or (GREEDY,)]
    encode = open_embedder("").embed_passages
    with open_home(settings) as home, bar() as progress, closing(home.model_with("base")) as model:
        written = running.run(home.folder / "results" / "flows", model, held, queries, tasks, encode, progress)
    for table in report(written, held, nearest_by(encode)):
        if options.markdown:
            print(markdown(table))
        else:
            show(table)
