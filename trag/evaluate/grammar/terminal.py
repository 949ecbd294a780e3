"""python -m trag audit: which module is weak, by questions whose truth a database knows.

Words -> an audit, a run of its cases -> tables. Knows nothing about how questions are made or answered. What it needs
is imported when it runs, as in trag.cli.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from trag.evaluate.grammar import BOUND, SEED, TEXTS
from trag.evaluate.terminal import at_least_one
from trag.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser], systems: Sequence[str]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "audit",
        help="find the weak module: documents, retrieval or model, by questions whose truth a database knows",
        description="Makes questions from a database, asks them in short and in long words, and tells from the answers "
        "which module is weak. What was interrupted goes on when the same words are given again.",
    )
    parser.add_argument("--database", metavar="URL", default="", help="default: made from the chart and the documents")
    parser.add_argument(
        "--templates",
        metavar="shipped|model|FILE",
        default="",
        help="shipped with the program (the default for its own database), written by the configured model, or yours",
    )
    parser.add_argument("--system", default="trag", choices=systems, help="which steps run (default: trag)")
    parser.add_argument(
        "--bound",
        type=at_least_one,
        default=BOUND,
        help=f"queries a template, each with other values (default: {BOUND})",
    )
    parser.add_argument(
        "--texts",
        type=at_least_one,
        default=TEXTS,
        help=f"short texts, and as many long ones, of each query (default: {TEXTS})",
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"another seed draws other values (default: {SEED})")
    parser.add_argument(
        "--resume", metavar="RUN", default="", help="go on with an interrupted run, or show a whole one"
    )
    parser.set_defaults(job=job)


def job(settings: Settings, options: argparse.Namespace) -> None:
    """One audit, from its questions to its tables on standard output."""
    from tqdm import tqdm

    from trag.evaluate.exports import heading
    from trag.evaluate.grammar import auditing, tables
    from trag.evaluate.running import results_of
    from trag.evaluate.tables import markdown
    from trag.home import open_home

    with open_home(settings) as home, tqdm(file=sys.stderr, disable=None, leave=False) as bar:

        def progress(step: str, done: int, total: int) -> None:
            bar.set_description(step, refresh=False)
            bar.total, bar.n = total, done
            bar.refresh()

        run = results_of(home).run(options.resume) if options.resume else None
        if run:
            audit, systems = auditing.of_run(home, run), run.systems
        else:
            systems = (options.system,)
            audit = auditing.prepared(
                home,
                database=options.database,
                templates=options.templates,
                seed=options.seed,
                bound=options.bound,
                texts=options.texts,
                progress=progress,
            )
        if run is None or not run.finished:
            resume = run.id if run else auditing.unfinished(home, audit, systems)
            run = auditing.carry_out(home, audit, systems, resume=resume, progress=progress)
        examined = auditing.examined(home, run, audit)
    print(f"Run {run.id}: {heading(run)}\n")
    for problem in audit.problems:
        print(f"left out: {problem}")
    for table in tables.report(audit, examined):
        print(markdown(table))
