"""The self-audit of a home: made from what it holds, kept with its run, and examined by what can be found in it."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from org.linking.entities import Organization
from org.reading.charts import load
from store.passage import Passage
from trag.errors import TragError
from trag.evaluate.grammar import auditing, kept
from trag.evaluate.grammar.filling import cases
from trag.evaluate.grammar.kept import Audit
from trag.evaluate.running import results_of
from trag.evaluate.runs import Result, Run, sha256_of
from trag.evaluate.scoring import Score
from trag.home import Home, open_home
from trag.progress import silent
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings

CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\n"
TABLE = "Passwords of doors – Door: Vault; Password: marzipan.\nPasswords of doors – Door: Cellar; Password: nougat."
MODEL = ModelUsed("tiny", "a" * 64, "")


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    """A home with a chart and a document with a table; no finder, encoder or model is opened."""
    folder = tmp_path / "home? 100%20"  # what means something else in the address of a database
    folder.mkdir()
    shutil.copy(empty_database, folder)
    with open_home(Settings(home=folder)) as home:
        home.parts["organization"] = Organization("Club", load(CHART, "chart.csv"))
        passage = Passage("p", "section", "board.md", "Passwords", None, TABLE)
        home.records.library.put("board.md", "1" * 64, None, [passage])
        yield home


def answered(home: Home, audit: Audit, system: str) -> Run:
    """A run in which every question of an audit was answered wrongly by a system, from nothing."""
    asked, at = cases(audit.meanings), datetime.now(UTC)
    planned = Run("", "audit", sha256_of(asked), (system,), at, None, "c0", MODEL, "", len(asked))
    results = results_of(home)
    run = results.begin(planned, asked)
    for case in asked:
        record = AnswerRecord(case.id, case.question, case.question, "No.", "answered", MODEL)
        results.add(run, Result(system, case, record, Score("Incorrect")))
    return results.finish(run)


def test_the_questions_are_about_the_chart_and_the_tables_in_the_documents(home: Home) -> None:
    told: list[str] = []
    audit = auditing.prepared(home, progress=lambda step, done, total: told.append(step))
    assert (audit.database, audit.templates, audit.problems) == (auditing.OWN, auditing.SHIPPED, ())
    assert {"Club", "marzipan"} <= {meaning.answer for meaning in audit.meanings}
    assert {*told} == {"filling templates"}
    assert auditing.prepared(home, progress=silent) == audit, "the same home gives the same questions"
    assert auditing.prepared(home, bound=1, texts=1, progress=silent) != audit


def test_the_database_made_from_the_documents_does_not_outlast_its_questions(home: Home, tmp_path: Path) -> None:
    cache = home.folder / "cache"
    auditing.prepared(home, progress=lambda *_: next(iter(cache.glob("organization.db"))).stat())
    assert list(cache.rglob("*")) == []
    with pytest.raises(TragError):
        auditing.prepared(home, templates=str(tmp_path / "missing.txt"), progress=silent)
    assert list(cache.rglob("*")) == []


def test_an_audit_is_known_by_the_questions_of_its_run(home: Home) -> None:
    audit = auditing.prepared(home, progress=silent)
    run = answered(home, audit, "finetuned")
    assert not auditing.is_audit(home, run)
    with pytest.raises(TragError, match="no audit"):
        auditing.of_run(home, run)
    kept.save(audit, home.folder / "results")
    assert auditing.is_audit(home, run)
    assert auditing.of_run(home, run) == audit


def test_what_is_found_nowhere_is_owed_to_the_documents_and_what_is_not_brought_to_the_search(home: Home) -> None:
    audit = auditing.prepared(home, progress=silent)
    number = len(cases(audit.meanings))

    def owed(system: str) -> dict[str, int]:
        diagnosis = auditing.examined(home, answered(home, audit, system), audit).diagnosis
        return {fault.module: fault.wrong for fault in diagnosis.faults if fault.wrong}

    assert owed("trag") == {"retrieval": number}
    assert owed("finetuned:base") == {"retrieval database": number}, "the model alone is given nothing to find"
    of_tables = sum(4 for meaning in audit.meanings if meaning.id.startswith(("24", "25")))
    assert owed("finetuned-tree") == {"retrieval": number - of_tables, "retrieval database": of_tables}
    home.records.library.delete("board.md")
    assert owed("trag") == owed("finetuned-tree")
