"""The self-audit of a database, or of a home (GRAMMAR, algorithm 1 and 4.3): questions with truth, answers, diagnosis.

TRAG_HOME/results/audits/<sha256 of the cases>.json keeps the questions of an audit, so that the run of those cases
finds them, also when the database is gone by then; it goes with the last of those runs.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from store.database import sqlite_address
from store.files import write_atomic
from store.source import Source
from trag.errors import OperatorError, TragError
from trag.evaluate.cases import sha256_of
from trag.evaluate.comparing import is_right
from trag.evaluate.grammar import organization
from trag.evaluate.grammar.diagnosis import Diagnosis, Group, covered_meanings, diagnose, grouped, outcome_of
from trag.evaluate.grammar.questions import BOUND, SEED, TEXTS, Dropped, Meaning, cases, fill
from trag.evaluate.grammar.templates import Template, check, generate, read, write
from trag.evaluate.running import earlier, evaluate, results_of
from trag.evaluate.runs import AUDITS, Result
from trag.json_lines import kept, to_keep
from trag.paper_systems import SYSTEMS
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from trag.evaluate.runs import Run
    from trag.home import Home


SHIPPED, MODEL = "shipped", "model"
OWN = "the chart and the documents"
"""What the database is called that is made from them."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The questions of an audit. `database` is its address without a password; `templates` says where those came from;
    `problems` are the templates that did not run or broke the criteria."""

    database: str
    templates: str
    seed: int
    meanings: tuple[Meaning, ...]
    dropped: Dropped
    problems: tuple[str, ...] = ()


def save(audit: Audit, results: Path) -> None:
    """Keep an audit in the folder of the results."""
    folder = results / AUDITS
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / f"{sha256_of(cases(audit.meanings))}.json", to_keep(audit))


def load(cases_sha256: str, results: Path) -> Audit:
    """The audit whose cases have that hash. Raises TragError when they are no audit's, or what was kept is damaged."""
    file = results / AUDITS / f"{cases_sha256}.json"
    try:
        return kept(Audit, file.read_bytes())
    except FileNotFoundError as error:
        raise TragError("That run is no audit.", "python -m trag evaluate list") from error
    except ValueError as error:
        raise TragError(
            f"The {file.name} of the run {file.parent.name} is damaged.", "Remove it, and run the audit again."
        ) from error


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of an audit. `covered` are the groups that were asked about what the texts hold; `undecided` counts the
    answers that nobody has judged yet, which are left out."""

    groups: tuple[Group, ...]
    covered: frozenset[str]
    diagnosis: Diagnosis
    undecided: int = 0


def prepare(
    source: Source,
    templates: Sequence[Template],
    origin: str,
    *,
    strict: bool,
    seed: int = SEED,
    bound: int = BOUND,
    texts: int = TEXTS,
    progress: Progress = silent,
) -> Audit:
    """The questions that the templates make of the database, at most `bound` meanings a template.

    Templates that break the criteria or do not run are left out and told of; with `strict` they are all listed in a
    TragError instead. Raises TragError when nothing can be asked, StoreError when the database goes away.
    """
    ready, broken = check(templates, source.tables, source.dialect)

    def refuse(wrong: Sequence[str]) -> None:
        if strict and wrong:
            raise OperatorError(f"{origin} cannot be used:\n" + "\n".join(wrong), "Correct them, or leave them out.")

    refuse(broken)
    filled = fill(ready, source, seed=seed, bound=bound, texts=texts, progress=progress)
    refuse(filled.problems)
    problems = (*broken, *filled.problems)
    if not filled.meanings:
        left_out = filled.dropped
        raise OperatorError(
            f"Nothing can be asked of {source.place}: {len(problems)} of {len(templates)} templates cannot be used; of "
            f"{left_out.total} fillings {left_out.no_answer} have no answer, {left_out.several} several, "
            f"{left_out.unsayable} one that nobody says, {left_out.given_away} one that the question gives away."
            + "".join(f"\n{problem}" for problem in problems[:20]),
            "Check that its tables have rows, or give templates of your own: --templates FILE",
        )
    return Audit(source.place, origin, seed, filled.meanings, filled.dropped, problems)


def examine(audit: Audit, results: Sequence[Result], texts: Iterable[str] = ()) -> Examined:
    """What the answers of one system say of its modules. `texts` are all the evidence that it may have found: where a
    meaning was never answered rightly they tell what is not there from what was not brought."""
    meanings = {meaning.id: meaning for meaning in audit.meanings}
    outcomes = [
        outcome_of(meanings[result.case.group], result.case.kind, result.record, right=is_right(result.score))
        for result in results
        if result.score.verdict is not None
    ]
    groups = grouped(outcomes)
    gaps = [meanings[group.id] for group in groups if group.tag == "gap"]
    known = covered_meanings(gaps, texts)
    return Examined(groups, known, diagnose(groups, known), len(results) - len(outcomes))


def prepare_home(
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
    origin = templates or (MODEL if database else SHIPPED)
    strict = origin not in (SHIPPED, MODEL)
    own = home.folder / "cache" / "organization.db"
    try:
        if not database:
            own.parent.mkdir(parents=True, exist_ok=True)
            organization.build(own, home.organization.chart, home.records.library.passages())
        with closing(Source(database or sqlite_address(own))) as source:
            if strict:
                try:
                    chosen: Sequence[Template] = read(Path(origin).read_bytes(), origin)
                except OSError as error:
                    raise OperatorError(f"{origin} cannot be read: {error.strerror}.", "Check the path.") from error
            else:
                chosen = organization.shipped() if origin == SHIPPED else _generated(home, source, texts, progress)
            drawn = {"seed": seed, "bound": bound, "texts": texts}
            audit = prepare(source, chosen, origin, strict=strict, **drawn, progress=progress)
    finally:  # it holds in clear what the tables say, and nothing of a document may outlast it
        own.unlink(missing_ok=True)
    return audit if database else replace(audit, database=OWN)


def unfinished(home: Home, audit: Audit, systems: Sequence[str]) -> str:
    """The id of the newest run of an audit that can be gone on with, "" for none. Raises TragError for systems that
    cannot be run."""
    return next((run.id for run in earlier(home, cases(audit.meanings), systems) if not run.finished), "")


def run_audit(
    home: Home,
    audit: Audit,
    systems: Sequence[str],
    *,
    resume: str = "",
    progress: Progress,
    stop: threading.Event | None = None,
) -> Run:
    """The run of an audit, whose questions are kept first. See `running.evaluate`."""
    save(audit, _results(home))
    name = f"audit of {audit.database}"
    return evaluate(home, cases(audit.meanings), name, systems, resume=resume, progress=progress, stop=stop)


def is_audit(home: Home, run: Run) -> bool:
    """Whether a run asked the questions of an audit."""
    return (_results(home) / AUDITS / f"{run.cases_sha256}.json").is_file()


def audit_of(home: Home, run: Run) -> Audit:
    """The audit whose questions a run asked. Raises TragError when they are no audit's, or what was kept is damaged."""
    return load(run.cases_sha256, _results(home))


def examine_run(home: Home, run: Run, audit: Audit) -> Examined:
    """What the answers of a run, as many as there are by now, say of the modules of its first system. Whether the truth
    can be found at all is told from the documents and the chart of this moment."""
    system = run.systems[0]
    answered = [result for result in results_of(home).results(run.id) if result.system == system]
    steps = SYSTEMS[system.partition(":")[0]]
    passages = home.records.library.passages() if steps.pairs != 0 or steps.sections != 0 else ()
    texts = (f"{one.section} {one.question} {one.text}" for one in passages)
    return examine(audit, answered, chain(texts, organization.texts(home.organization.chart) if steps.tree else ()))


def _results(home: Home) -> Path:
    return home.folder / "results"


def _generated(home: Home, source: Source, texts: int, progress: Progress) -> Sequence[Template]:
    """The templates that the configured model writes for these tables; kept, so that it is asked once."""
    told = f"{home.model.identity}\0{source.dialect}\0{source.tables}\0{texts}"
    file = home.folder / "cache" / "templates" / f"{hashlib.sha256(told.encode()).hexdigest()}.txt"
    if not file.exists():
        made = generate(source.tables, source.dialect, home.model, texts=texts, progress=progress)
        if not made.templates:
            raise TragError(
                f"The model wrote no template that can be used: {'; '.join(made.reasons[:5]) or 'no SQL at all'}.",
                "Try an abler model, or give templates: --templates FILE",
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, write(made.templates))
    return read(file.read_bytes(), file.name)
