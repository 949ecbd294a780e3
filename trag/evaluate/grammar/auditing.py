"""The self-audit of a home: its questions, their run, and what came of it, for the terminal and for the Quality page.

home, database, templates -> an Audit -> its Run, which goes on where it was stopped -> Examined.  Knows nothing about
words of a terminal, requests or pages.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from store.database import sqlite_address
from store.files import write_atomic
from store.source import Source
from trag.errors import TragError
from trag.evaluate.grammar import BOUND, SEED, TEXTS, kept, organization
from trag.evaluate.grammar.audit import Examined, examine, prepare
from trag.evaluate.grammar.filling import cases
from trag.evaluate.grammar.kept import Audit
from trag.evaluate.grammar.templates import Template, read, write
from trag.evaluate.grammar.written import written
from trag.evaluate.running import earlier, evaluate, results_of
from trag.paper import SYSTEMS

if TYPE_CHECKING:
    from trag.evaluate.runs import Run
    from trag.home import Home
    from trag.progress import Progress

SHIPPED, MODEL = "shipped", "model"
OWN = "the chart and the documents"
"""What the database is called that is made from them."""


def prepared(
    home: Home,
    *,
    database: str = "",
    templates: str = "",
    seed: int = SEED,
    bound: int = BOUND,
    texts: int = TEXTS,
    progress: Progress,
) -> Audit:
    """The questions about the database with that address, "" for one made from the chart and the documents.

    `templates` are those SHIPPED with the program ("" for its own database), those that the configured MODEL writes (""
    for another), or a file. Raises TragError for templates that cannot be used and when nothing can be asked,
    StoreError when the database cannot be read.
    """
    with _opened(home, database) as source:
        chosen, origin = _templates(home, templates or (MODEL if database else SHIPPED), source, texts, progress)
        audit = prepare(
            source,
            chosen,
            origin,
            strict=origin not in (SHIPPED, MODEL),
            seed=seed,
            bound=bound,
            texts=texts,
            progress=progress,
        )
    return audit if database else replace(audit, database=OWN)


def unfinished(home: Home, audit: Audit, systems: Sequence[str]) -> str:
    """The id of the newest run of an audit that can be gone on with, "" for none. Raises TragError for systems that
    cannot be run."""
    return next((run.id for run in earlier(home, cases(audit.meanings), systems) if not run.finished), "")


def carry_out(
    home: Home,
    audit: Audit,
    systems: Sequence[str],
    *,
    resume: str = "",
    progress: Progress,
    stop: threading.Event | None = None,
) -> Run:
    """The run of an audit, whose questions are kept first. See `running.evaluate`."""
    kept.save(audit, _results(home))
    name = f"audit of {audit.database}"
    return evaluate(home, cases(audit.meanings), name, systems, resume=resume, progress=progress, stop=stop)


def is_audit(home: Home, run: Run) -> bool:
    """Whether a run asked the questions of an audit."""
    return kept.is_there(run.cases_sha256, _results(home))


def of_run(home: Home, run: Run) -> Audit:
    """The audit whose questions a run asked. Raises TragError when they are no audit's, or what was kept is damaged."""
    return kept.load(run.cases_sha256, _results(home))


def examined(home: Home, run: Run, audit: Audit) -> Examined:
    """What the answers of a run, as many as there are by now, say of the modules of its first system. Whether the truth
    can be found at all is told from the documents and the chart of this moment."""
    system = run.systems[0]
    answered = [result for result in results_of(home).results(run.id) if result.system == system]
    return examine(audit, answered, _evidence(home, system))


def _results(home: Home) -> Path:
    return home.folder / "results"


@contextmanager
def _opened(home: Home, database: str) -> Iterator[Source]:
    """The database with an address, "" for one about the chart and the documents, which is made for this alone: it
    holds in clear what their tables say, and nothing of a document may outlast it."""
    own = home.folder / "cache" / "organization.db"
    try:
        if not database:
            own.parent.mkdir(parents=True, exist_ok=True)
            organization.build(own, home.organization.chart, home.records.library.passages())
        with closing(Source(database or sqlite_address(own))) as source:
            yield source
    finally:
        own.unlink(missing_ok=True)


def _templates(
    home: Home, named: str, source: Source, texts: int, progress: Progress
) -> tuple[Sequence[Template], str]:
    """The templates, and where they are from."""
    if named == SHIPPED:
        return organization.shipped(), SHIPPED
    if named == MODEL:
        return _written(home, source, texts, progress), MODEL
    try:
        return read(Path(named).read_bytes(), named), named
    except OSError as error:
        raise TragError(f"{named} cannot be read: {error.strerror}.", "Check the path.") from error


def _written(home: Home, source: Source, texts: int, progress: Progress) -> Sequence[Template]:
    """The templates that the configured model writes for these tables; kept, so that it is asked once."""
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


def _evidence(home: Home, system: str) -> Iterator[str]:
    """All that a system may find."""
    steps = SYSTEMS[system.partition(":")[0]]
    if steps.pairs != 0 or steps.sections != 0:
        for passage in home.records.library.passages():
            yield f"{passage.section} {passage.question} {passage.text}"
    if steps.tree:
        yield from organization.texts(home.organization.chart)
