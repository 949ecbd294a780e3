"""Dumping and loading the records: every way between SQLite and PostgreSQL, while others write, from older versions."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from store import StoreError, files
from store.appearances import Appearance
from store.approved import Kind
from store.conflict import Side
from store.database import sqlite_address
from store.dump import dump, load
from store.folders import Folder, FolderFile
from store.library import Pair
from store.notices import Notice
from store.passage import OPEN, Passage
from store.person import Newcomer
from store.records import Records
from store.review_queues import Queue
from store.reviews import Places
from store.standing import Validity
from store.workflow_runs import Effect, WorkflowRun
from store.workflows import WorkflowChange
from trag import approved
from trag.backup import back_up, restore
from trag.flow.record import Chosen, PlanRecord
from trag.review import approvals
from trag.review.verdicts import put_label
from trag.settings import Settings

TYPED = "Who's head of بيت الحكمة? '); DROP TABLE labels;-- \U0001f600\r\n\u2028 \\ \""
Made = Callable[[], str]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database beside the first, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'other.db'}"
    url: str = request.getfixturevalue("postgres").database()
    return url


def fill(records: Records) -> tuple[str, str]:
    """Something in every table; the secrets of a token and of a session."""
    library = records.library
    pair = Pair("p1", "rules.md", "s", None, TYPED, "a", "short answer", "person", by="ada")
    library.put("rules.md", "1" * 64, 3, [Passage("x1", "section", "rules.md", "s", 3, TYPED)], [pair])
    library.set_audience("rules.md", frozenset({"u1", "u2"}))
    library.put("old.md", "4" * 64, 1, [])
    library.delete("old.md", by="ada")
    library.put("rules-2020.md", "7" * 64, 1, [])
    days = Validity(valid_from=date(2025, 3, 1), person="ada", supersedes=("rules-2020.md",), by="ada")
    records.validity.put({"rules.md": days}, by="ada")
    sides = [Side(name, "s", TYPED) for name in ("rules.md", "rules-2020.md")]
    records.conflicts.put(TYPED, [(sides[0], sides[1])])
    records.jobs.add("late.pdf", "2" * 64, "ada")
    records.examples.put([TYPED, "Why?"])
    records.chart_versions.activate("v1", "chart.csv", "3" * 64, by="ada", size=9, original="6" * 64)
    records.procedure_versions.activate("p1", "book.json", "7" * 64, by="ada")
    records.promotions.put("20261120-0a0a0a0a", by="ada")
    ada = records.people.add(Newcomer("ada", TYPED, "admin", "active", "u1", secret="$argon2id$1"), by="ada")
    conversation = records.start_conversation(ada.id, TYPED).id
    told = {"status": "answered", "model": {"name": "m", "adapter": ""}, "entities": [{"unit": "u1"}]}
    told |= {"sources": [{"kind": "qa", "document": "rules.md"}], "checks": {"sentences": [{"supported": True}]}}
    records.save_answer("a1", conversation, TYPED, TYPED, json.dumps(told))
    records.save_answer("a2", None, "q", "w", "{}")
    records.shares.put("a2", ada.id)
    records.appearances.put(Appearance(TYPED, welcome=TYPED, examples=(TYPED,)), logo="aGk=", by="ada")
    folder = records.folders.add(Folder(TYPED, "/srv", frozenset(), (("hr", OPEN),)), by="ada")
    records.folders.put_files(folder.id, [FolderFile(TYPED, "1:2", 2**40, problem="damaged")])
    records.folders.end(records.folders.begin(folder.id, "ada"))
    put_label(records, "a1", ada.id, "Incorrect", TYPED, "", asker=True, places=Places("x1"))
    put_label(records, "a1", "rita", "Correct", "", TYPED, settles=True)
    approvals.pin(records, "a1", TYPED, "Two.", ["rules.md"], "v1", by="rita")
    plan = PlanRecord("a4", TYPED, "planned", Chosen("badge", TYPED), procedures="p1")
    records.save_answer("a4", None, TYPED, plan.order, plan.to_json(), asker=ada.id, kind="plan")
    put_label(records, "a4", "rita", "Correct")
    approvals.pin(records, "a4", TYPED, "badge\nReport", [], "v1", kind="plan", procedures="p1", by="rita")
    records.people.failed("name:eve")
    records.links.make("password", ada.id, timedelta(days=1), by="ada")
    token, _ = records.tokens.make(ada.id, "script", timedelta(days=1), by="ada")
    records.second_factors.begin(ada.id, "KEY")
    records.second_factors.confirm(ada.id, "KEY", 1, {1: "$argon2id$2"}, by="ada")
    change = WorkflowChange("w1", "v1", "active", ada.id, "ada", TYPED, "record_created", "invoice", "{}")
    records.workflows.put(change)
    records.registers.create("invoice", {"amount": TYPED}, person=ada.id, by="ada")
    records.workflow_runs.add(WorkflowRun("r1", "w1", "v1", ada.id, "manual", ada.id, "ada", "{}", datetime.now(UTC)))
    records.workflow_runs.begin_effect("r1", Effect(1, 1, TYPED, datetime.now(UTC)))
    records.notices.add(Notice(TYPED, person=ada.id, run="r1"))
    session, _ = records.sessions.begin(ada.id)
    return token, session


def everything(url: str, folder: Path) -> dict[str, list[str]]:
    with dump(url, folder) as taken:
        return {name: sorted(taken.lines(name)) for name in taken.tables}


def loaded(source: str, target: str, folder: Path) -> dict[str, int]:
    with dump(source, folder) as taken:
        tables = [(name, list(taken.lines(name))) for name in taken.tables]
        return load(target, taken.version, tables)


def test_what_is_loaded_is_what_was_dumped(records: Records, migrated: str, other: str, tmp_path: Path) -> None:
    token, session = fill(records)
    before = everything(migrated, tmp_path)
    assert {name for name, lines in before.items() if len(lines) < 2} == set(), "every table holds something"
    counts = loaded(migrated, other, tmp_path)
    assert everything(other, tmp_path) == before
    assert counts == {name: len(lines) - 1 for name, lines in before.items()}
    assert not list(tmp_path.glob(".records*")), "the copy is gone"
    copy = Records(other)
    assert copy.labels() == records.labels()
    assert copy.library.documents() == records.library.documents()
    kinds: tuple[Kind, ...] = ("answer", "plan")
    for kind in kinds:
        found = approved.find(copy, TYPED, kind)
        assert found == approved.find(records, TYPED, kind)
        assert found
        assert (found.kind, found.procedures) == (kind, "p1" if kind == "plan" else "")
    assert copy.tokens.find(token) is not None
    assert (copy.sessions.find(session), copy.people.failures("name:eve").count) == (None, 0)
    assert copy.audit.verify() is None
    copy.save_answer("a3", None, "q", "w", "{}")
    put_label(copy, "a3", "rita", "Correct")
    copy.jobs.add("more.pdf", "4" * 64, "ada")
    copy.chart_versions.activate("v2", "b.csv", "5" * 64, by="ada")
    copy.promotions.put("", by="ada")
    assert [review.answer for review in copy.reviews.queue(Queue("judged"), reviewer="sam")] == ["a3", "a4", "a1"]
    assert copy.audit.verify() is None
    copy.close()


def test_a_database_that_holds_anything_is_not_loaded_into(records: Records, migrated: str, tmp_path: Path) -> None:
    records.save_answer("a1", None, "q", "w", "{}")
    before = everything(migrated, tmp_path)
    with pytest.raises(StoreError, match="not empty"):
        loaded(migrated, migrated, tmp_path)
    assert everything(migrated, tmp_path) == before


def test_a_dump_that_breaks_off_leaves_the_database_empty(
    records: Records, migrated: str, other: str, tmp_path: Path
) -> None:
    fill(records)
    with dump(migrated, tmp_path) as taken:
        tables = [(name, list(taken.lines(name))) for name in taken.tables]
        broken = [(name, [*lines[:-1], '["no row"]\n'] if name == "labels" else lines) for name, lines in tables]
        with pytest.raises(ValueError, match="zip"):
            load(other, taken.version, broken)
        load(other, taken.version, tables)


@pytest.mark.parametrize(("version", "which"), [("9999", "newer version"), ("0010", "older version")])
def test_a_dump_of_a_version_that_is_not_known_here_is_refused(other: str, version: str, which: str) -> None:
    with pytest.raises(StoreError, match=which) as caught:
        load(other, version, [])
    assert "Restore them with the" in caught.value.hint


@pytest.mark.parametrize("kind", ["nothing there", "empty"])
def test_where_there_are_no_records_nothing_is_dumped(tmp_path: Path, kind: str) -> None:
    if kind == "empty":
        (tmp_path / "trag.db").touch()
    with (
        pytest.raises(StoreError, match=r"There (is no database|are no records)"),
        dump(f"sqlite:///{tmp_path}/trag.db", tmp_path),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == (["trag.db"] if kind == "empty" else [])


def test_a_dump_goes_on_while_somebody_opens_the_home_whatever_it_is_called(
    empty_database: Path, tmp_path: Path
) -> None:
    home = tmp_path / "what? 100%20"
    home.mkdir()
    url = sqlite_address(Path(shutil.copy(empty_database, home)))
    before = everything(url, home)
    with dump(url, home) as taken:
        with files.lock(home):
            pass
        assert {name: sorted(taken.lines(name)) for name in taken.tables} == before
    assert {path.name for path in home.iterdir()} == {"trag.db", "lock"}


def test_a_home_moves_to_another_kind_of_database_by_a_backup(
    records: Records, migrated: str, other: str, tmp_path: Path
) -> None:
    fill(records)
    old = Settings(home=tmp_path / "old", database_url=migrated)
    new = Settings(home=tmp_path / "new", database_url=other)
    (old.home / "documents").mkdir(parents=True)
    (old.home / "documents" / f"{'1' * 64}.md").write_bytes(b"# Rules")
    manifest = back_up(old, tmp_path / "backup.tar")
    assert manifest.missing == ("book.json", "chart.csv", "chart.csv"), "the chart and the file that it was given in"
    assert restore(new, tmp_path / "backup.tar") == manifest
    assert everything(other, tmp_path) == everything(migrated, tmp_path)
    assert (new.home / "documents" / f"{'1' * 64}.md").read_bytes() == b"# Rules"
