"""python -m trag audit: which module is weak, by questions whose truth a database knows.

Words -> an audit, a run of its cases -> tables. Knows nothing about how questions are made or answered. What it needs
is imported when it runs, as in trag.cli.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from store.source import Source
    from trag.evaluate.grammar.kept import Audit
    from trag.evaluate.grammar.templates import Template
    from trag.home import Home

    Progress = Callable[[str, int, int], None]

_SHIPPED, _MODEL = "shipped", "model"


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
    parser.add_argument("--bound", type=_at_least_one, default=4, help="meanings a template (default: 4)")
    parser.add_argument("--texts", type=_at_least_one, default=2, help="short and long texts of each (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other values (default: 1)")
    parser.add_argument(
        "--resume", metavar="RUN", default="", help="go on with an interrupted run, or show a whole one"
    )
    parser.set_defaults(job=job)


def job(settings: Settings, options: argparse.Namespace) -> None:
    """One audit, from its questions to its tables on standard output."""
    from tqdm import tqdm

    from trag.evaluate.exports import heading
    from trag.evaluate.grammar import audit as auditing
    from trag.evaluate.grammar import tables
    from trag.evaluate.grammar.filling import cases
    from trag.evaluate.grammar.kept import load, save
    from trag.evaluate.running import earlier, evaluate, results_of
    from trag.evaluate.tables import markdown
    from trag.home import open_home

    with open_home(settings) as home, tqdm(file=sys.stderr, disable=None, leave=False) as bar:

        def progress(step: str, done: int, total: int) -> None:
            bar.set_description(step, refresh=False)
            bar.total, bar.n = total, done
            bar.refresh()

        results, folder = results_of(home), home.folder / "results"
        run = results.run(options.resume) if options.resume else None
        if run:
            audit, systems = load(run.cases_sha256, folder), run.systems
        else:
            audit, systems = _prepared(home, options, progress), (options.system,)
            save(audit, folder)
        if run is None or not run.finished:
            asked = cases(audit.meanings)
            run = run or next((one for one in earlier(home, asked, systems) if not one.finished), None)
            name, resume = f"audit of {audit.database}", run.id if run else ""
            run = evaluate(home, asked, name, systems, resume=resume, progress=progress)
        answered = [result for result in results.results(run.id) if result.system == systems[0]]
        examined = auditing.examine(audit, answered, _texts(home, systems[0]))
    print(f"Run {run.id}: {heading(run)}\n")
    for problem in audit.problems:
        print(f"left out: {problem}")
    for table in tables.report(audit, examined):
        print(markdown(table))


def _prepared(home: Home, options: argparse.Namespace, progress: Progress) -> Audit:
    from store.source import Source
    from trag.evaluate.grammar.audit import prepare
    from trag.evaluate.grammar.organization import build

    url = options.database
    if not url:
        file = home.folder / "cache" / "organization.db"
        file.parent.mkdir(parents=True, exist_ok=True)
        build(file, home.organization.chart, home.records.library.passages())
    with closing(Source(url or f"sqlite:///{file}")) as source:
        templates, origin = _templates(home, options, source, progress)
        audit = prepare(
            source,
            templates,
            origin,
            strict=origin not in (_SHIPPED, _MODEL),
            seed=options.seed,
            bound=options.bound,
            texts=options.texts,
            progress=progress,
        )
    return audit if url else replace(audit, database="the chart and the documents")


def _templates(
    home: Home, options: argparse.Namespace, source: Source, progress: Progress
) -> tuple[Sequence[Template], str]:
    """The templates, and where they are from."""
    from trag.evaluate.grammar.organization import shipped
    from trag.evaluate.grammar.templates import read

    named = options.templates or (_MODEL if options.database else _SHIPPED)
    if named == _SHIPPED:
        return shipped(), _SHIPPED
    if named == _MODEL:
        return _written(home, source, options.texts, progress), _MODEL
    try:
        return read(Path(named).read_bytes(), named), named
    except OSError as error:
        raise TragError(f"{named} cannot be read: {error.strerror}.", "Check the path.") from error


def _written(home: Home, source: Source, texts: int, progress: Progress) -> Sequence[Template]:
    """The templates that the configured model writes for these tables; kept, so that it is asked once."""
    from store.files import write_atomic
    from trag.evaluate.grammar.templates import read, write
    from trag.evaluate.grammar.written import written

    if not home.settings.able:
        raise TragError(
            "The embedded model is too small to write templates for a database that it does not know.",
            "Name an abler model (TRAG_MODEL or TRAG_MODEL_URL), or give templates: --templates FILE",
        )
    told = f"{home.model.identity}\0{source.dialect}\0{source.tables}\0{texts}"
    file = home.folder / "cache" / "templates" / f"{hashlib.sha256(told.encode()).hexdigest()}.txt"
    if not file.exists():
        made = written(source.tables, source.dialect, home.model, texts=texts, progress=progress)
        if not made.templates:
            raise TragError(
                f"The model wrote no template that can be used: {'; '.join(made.reasons[:5]) or 'no SQL at all'}.",
                "Try an abler model, or give templates: --templates FILE",
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, write(made.templates))
    return read(file.read_bytes(), file.name)


def _texts(home: Home, system: str) -> Iterator[str]:
    """All the evidence that a system may find."""
    from trag.ask import SYSTEMS
    from trag.evaluate.grammar.organization import texts
    from trag.evaluate.running import BASE

    steps = SYSTEMS[system.removesuffix(BASE)]
    if steps.pairs != 0 or steps.sections != 0:
        for passage in home.records.library.passages():
            yield f"{passage.section} {passage.question} {passage.text}"
    if steps.tree:
        yield from texts(home.organization.chart)


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 or more")
    return int(text)
