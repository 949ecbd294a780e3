"""The audit end to end on a small company's database, with defects planted in the answerer (GRAMMAR, section 5).

A document a firm, chatty letters beside them, and an answerer that reads out the document it finds."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from org.linking.entities import Organization
from org.reading import charts
from store import StoreError
from store.passage import Passage
from store.source import Column, Source, Table, make
from trag.errors import TragError
from trag.evaluate.cases import sha256_of
from trag.evaluate.grammar import audit as audits
from trag.evaluate.grammar import tables
from trag.evaluate.grammar.audit import Audit, Examined, examine, load, prepare, save
from trag.evaluate.grammar.diagnosis import gaps_removed
from trag.evaluate.grammar.questions import cases
from trag.evaluate.grammar.templates import Template
from trag.evaluate.running import results_of
from trag.evaluate.runs import Result, Run
from trag.evaluate.scoring import Score, score
from trag.home import Home, open_home
from trag.progress import silent
from trag.record import AnswerRecord, ModelUsed
from trag.record import Source as Read
from trag.settings import Settings

FIRM = Table("firm", (Column("name"), Column("town"), Column("trade"), Column("founded", "INTEGER")))
NAMES = (
    "Brindle Corvane Dunmarsh Ellory Fenwright Galdor Hestwick Ingramhall Jarrowby Kestane Lorvick Merrowden".split()
)
TOWNS = "Arbury Bexholm Carrick Dunlow Estray Farrow Gantry Hallam Inver Jedburn Kilmar Lenzie".split()
ROWS = [
    (f"{name} Works", town, f"{name.lower()}ing", 1950 + at)
    for at, (name, town) in enumerate(zip(NAMES, TOWNS, strict=True))
]
LETTER = (
    "I have been asked to write to you because I would like to know, before the month ends, in which of the places "
    "and of the years that we have on our list the one that I am looking for is or was to be found; could you tell me?"
)
TEMPLATES = tuple(
    Template(
        f"SELECT {column} FROM firm WHERE name = '[firm.name]'",
        (f"{word} of [firm.name]", f"[firm.name], {word}"),
        (
            f"I have been asked to write to you because I would like to know, before the month ends, the {word} "
            "of [firm.name], which is on our list and is the one that I am looking for.",
            "Could you tell me, because we have it on our list and I would like to know it before I write, what the "
            "{word} is that belongs to [firm.name], the one that I have been asked for?",
        ),
    )
    for column, word in (("town", "seat"), ("trade", "business"), ("founded", "first year"))
)
DOCUMENTS = {
    name: f"{name}: its seat is {town}, its business {trade}, its first year {founded}."
    for name, town, trade, founded in ROWS
} | {f"letter {number}": LETTER for number in range(3)}
Find = Callable[[str], str]
Tell = Callable[[str, str], str]


def by_name(question: str) -> str:
    return next((name for name in DOCUMENTS if name in question), "letter 0")


def by_words(question: str) -> str:
    """The paper's weak retriever: the document that shares most words, whatever words they are."""
    words = set(re.findall(r"\w+", question.lower()))
    return max(DOCUMENTS, key=lambda name: len(words & set(re.findall(r"\w+", DOCUMENTS[name].lower()))))


def read_out(question: str, text: str) -> str:
    return text


def crippled(question: str, text: str) -> str:
    """Loses the thread of anything that is not short."""
    return text if len(question) < 40 else text[:20]


def answerer(find: Find, tell: Tell, missing: frozenset[str] = frozenset()) -> Callable[[str], AnswerRecord]:
    def answer(question: str) -> AnswerRecord:
        name = find(question)
        name = "letter 0" if name in missing else name
        text = DOCUMENTS[name]
        read = (Read(name, "section", name, name, None, text, 0.9),)
        return AnswerRecord(
            "", question, question, tell(question, text), "answered", ModelUsed("planted", "", ""), sources=read
        )

    return answer


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    make(tmp_path / "firms.db", (FIRM,), {"firm": ROWS})
    with closing(Source(f"sqlite:///{tmp_path / 'firms.db'}")) as opened:
        yield opened


@pytest.fixture
def audit(source: Source) -> Audit:
    return prepare(source, TEMPLATES, "the test", strict=True, bound=4)


def examined(audit: Audit, answer: Callable[[str], AnswerRecord], missing: frozenset[str] = frozenset()) -> Examined:
    answered = [(case, answer(case.question)) for case in cases(audit.meanings)]
    results = [Result("planted", case, record, score(case, record, None)) for case, record in answered]
    return examine(audit, results, (text for name, text in DOCUMENTS.items() if name not in missing))


def test_all_meanings_are_asked_in_both_forms(audit: Audit) -> None:
    assert (len(audit.meanings), len(cases(audit.meanings))) == (12, 48)


@pytest.mark.parametrize(
    ("find", "tell", "missing", "weak"),
    [
        (by_name, read_out, frozenset(), None),
        (by_words, read_out, frozenset(), "retrieval"),
        (lambda question: "letter 1", read_out, frozenset(), "retrieval"),
        (by_name, crippled, frozenset(), "language model"),
        (by_name, lambda question, text: "Who knows.", frozenset(), "language model"),
        (by_name, read_out, frozenset(name for name, *_ in ROWS[::3]), "retrieval database"),
    ],
    ids=["sound", "keywords", "never finds", "crippled", "answers nothing", "documents are missing"],
)
def test_the_module_that_was_broken_is_named(
    audit: Audit, find: Find, tell: Tell, missing: frozenset[str], weak: str | None
) -> None:
    found = examined(audit, answerer(find, tell, missing), missing)
    assert found.diagnosis.weak == weak, found.diagnosis.words
    assert "hint" not in found.diagnosis.words


def test_a_keyword_retriever_shows_in_the_long_form(audit: Audit) -> None:
    groups = examined(audit, answerer(by_words, read_out)).groups
    assert (gaps_removed(groups, "short") or 0) > (gaps_removed(groups, "long") or 0) + 0.3


def test_templates_that_cannot_be_used_are_all_told_or_left_out(source: Source) -> None:
    misspelt = Template("SELECT twon FROM firm WHERE name = '[firm.name]'", TEMPLATES[0].short, TEMPLATES[0].long)
    bad = (misspelt, *TEMPLATES, Template("DROP TABLE firm", (), ()))
    with pytest.raises(TragError) as refused:
        prepare(source, bad, "mine.txt", strict=True)
    assert "did you mean 'town'" in refused.value.message
    assert "found DROP" in refused.value.message
    loose = prepare(source, bad, "model", strict=False)
    assert len(loose.problems) == 4  # both SQLs, and no texts in either form
    assert len({meaning.sql for meaning in loose.meanings}) == 3


def test_a_database_that_is_empty_or_vanishes_is_said_so(source: Source, tmp_path: Path) -> None:
    make(tmp_path / "empty.db", (FIRM,), {})
    with (
        closing(Source(f"sqlite:///{tmp_path / 'empty.db'}")) as empty,
        pytest.raises(TragError, match="Nothing can be"),
    ):
        prepare(empty, TEMPLATES, "the test", strict=True)
    (tmp_path / "firms.db").unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        prepare(source, TEMPLATES, "the test", strict=True)


def test_an_audit_is_kept_and_found_by_its_cases(audit: Audit, tmp_path: Path) -> None:
    save(audit, tmp_path)
    assert load(sha256_of(cases(audit.meanings)), tmp_path) == audit
    with pytest.raises(TragError, match="is no audit"):
        load("0" * 64, tmp_path)


def test_the_tables_hold_what_was_found(audit: Audit) -> None:
    found = examined(audit, answerer(by_name, crippled))
    by_title = {table.title: table for table in tables.report(audit, found)}
    # All short texts are right and all long ones wrong, each from the right document.
    assert by_title["Weak module"].rows[2] == ("language model", "24", "100%")
    assert by_title["Semantic groups"].rows == (("gap", "0", "0"), ("non-robust", "12", "48"), ("robust", "0", "0"))
    assert by_title["Accuracy with errors isolated"].rows[:2] == (
        ("Baseline: No Action", "No Action", "50%", "100%", "0%"),
        ("Baseline: No Action", "Context Comparison", "100%", "100%", "100%"),
    )
    assert by_title["Questions of the audit"].rows[0][:4] == ("3", "12", "24", "24")
    assert len(by_title["Answered wrongly"].rows) == 12
    assert [table.title for table in tables.figures(audit, found)] == [*by_title][:-1]
    assert all(len(row) == len(table.header) for table in by_title.values() for row in table.rows)


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
        home.parts["organization"] = Organization("Club", charts.load(CHART, "chart.csv"))
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
    audit = audits.prepare_home(home, progress=lambda step, done, total: told.append(step))
    assert (audit.database, audit.templates, audit.problems) == (audits.OWN, audits.SHIPPED, ())
    assert {"Club", "marzipan"} <= {meaning.answer for meaning in audit.meanings}
    assert {*told} == {"filling templates"}
    assert audits.prepare_home(home, progress=silent) == audit, "the same home gives the same questions"
    assert audits.prepare_home(home, bound=1, texts=1, progress=silent) != audit


def test_the_database_made_from_the_documents_does_not_outlast_its_questions(home: Home, tmp_path: Path) -> None:
    cache = home.folder / "cache"
    audits.prepare_home(home, progress=lambda *_: next(iter(cache.glob("organization.db"))).stat())
    assert list(cache.rglob("*")) == []
    with pytest.raises(TragError):
        audits.prepare_home(home, templates=str(tmp_path / "missing.txt"), progress=silent)
    assert list(cache.rglob("*")) == []


def test_an_audit_is_known_by_the_questions_of_its_run(home: Home) -> None:
    audit = audits.prepare_home(home, progress=silent)
    run = answered(home, audit, "finetuned")
    assert not audits.is_audit(home, run)
    with pytest.raises(TragError, match="no audit"):
        audits.audit_of(home, run)
    audits.save(audit, home.folder / "results")
    assert audits.is_audit(home, run)
    assert audits.audit_of(home, run) == audit


def test_what_is_found_nowhere_is_owed_to_the_documents_and_what_is_not_brought_to_the_search(home: Home) -> None:
    audit = audits.prepare_home(home, progress=silent)
    number = len(cases(audit.meanings))

    def owed(system: str) -> dict[str, int]:
        diagnosis = audits.examine_run(home, answered(home, audit, system), audit).diagnosis
        return {fault.module: fault.wrong for fault in diagnosis.faults if fault.wrong}

    assert owed("trag") == {"retrieval": number}
    assert owed("finetuned:base") == {"retrieval database": number}, "the model alone is given nothing to find"
    of_tables = sum(4 for meaning in audit.meanings if meaning.id.startswith(("24", "25")))
    assert owed("finetuned-tree") == {"retrieval": number - of_tables, "retrieval database": of_tables}
    home.records.library.delete("board.md")
    assert owed("trag") == owed("finetuned-tree")
