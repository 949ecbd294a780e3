"""python -m trag audit: which module is weak, by questions whose truth a database knows.

Words -> an audit, a run of its cases -> tables.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from trag.evaluate.grammar.questions import BOUND, SEED, TEXTS
from trag.settings import Settings
from trag.terminal.console import Wrong, at_least_one, refuse_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

_ASKING = ("database", "templates", "system", "bound", "texts", "seed")
"""What decides which questions are asked, and of whom; a run that is gone on with has it."""


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser], systems: Sequence[str]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "audit",
        help="find the weak module: documents, retrieval or model, by questions whose truth a database knows",
        description="Makes questions from a database, asks them in short and in long words, and tells from the answers "
        "which module is weak. What was interrupted goes on when the same words are given again.",
    )
    parser.add_argument("--database", metavar="URL", help="default: made from the chart and the documents")
    parser.add_argument(
        "--templates",
        metavar="shipped|model|FILE",
        help="shipped with the program (the default for its own database), written by the configured model, or yours",
    )
    parser.add_argument("--system", choices=systems, help="which steps run (default: trag)")
    parser.add_argument(
        "--bound", type=at_least_one, help=f"queries a template, each with other values (default: {BOUND})"
    )
    parser.add_argument(
        "--texts", type=at_least_one, help=f"short texts, and as many long ones, of each query (default: {TEXTS})"
    )
    parser.add_argument("--seed", type=int, help=f"another seed draws other values (default: {SEED})")
    parser.add_argument(
        "--resume", metavar="RUN", default="", help="go on with an interrupted run, or show a whole one"
    )
    parser.set_defaults(job=partial(_audit, parser.error))


def _audit(wrong: Wrong, settings: Settings, options: argparse.Namespace) -> None:
    """One audit, from its questions to its tables on standard output."""
    from tqdm import tqdm

    from trag.evaluate.grammar import audit as audits
    from trag.evaluate.grammar import tables
    from trag.evaluate.running import results_of
    from trag.evaluate.tables import heading, markdown
    from trag.home import open_home
    from trag.terminal.console import progress_of

    if options.resume:
        refuse_beside(wrong, options, "--resume", *_ASKING)
    given = {name: value for name in _ASKING if (value := getattr(options, name)) is not None}
    systems: tuple[str, ...] = (given.pop("system", "trag"),)
    with open_home(settings) as home, tqdm(file=sys.stderr, disable=None, leave=False) as bar:
        progress = progress_of(bar)
        run = results_of(home).run(options.resume) if options.resume else None
        if run:
            audit, systems = audits.audit_of(home, run), run.systems
        else:
            audit = audits.prepare_home(home, **given, progress=progress)
        if run is None or not run.finished:
            resume = run.id if run else audits.unfinished(home, audit, systems)
            run = audits.run_audit(home, audit, systems, resume=resume, progress=progress)
        examined = audits.examine_run(home, run, audit)
    print(f"Run {run.id}: {heading(run)}\n")
    for problem in audit.problems:
        print(f"left out: {problem}")
    for table in tables.report(audit, examined):
        print(markdown(table))
