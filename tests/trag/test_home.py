"""A home: what is put into it is there when it is opened again, and what was damaged is made good."""

import errno
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Thread
from unittest.mock import Mock

import numpy as np
import pytest

from org.reading.charts import load
from store import StoreError
from store.library import Library
from store.passage import Passage
from store.versions import Version
from trag.errors import TragError
from trag.home import Home, open_home
from trag.ingest import context, reconciliation
from trag.llm.model import LanguageModel
from trag.llm.opening import open_model
from trag.progress import silent
from trag.review import approvals
from trag.settings import Settings

ROOT = Path(__file__).parents[2]
CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\n"


def activate(home: Home, content: bytes = CHART, *, instead_of: str | None = None) -> Version:
    return home.charts.activate(load(content, "club.csv"), [("club.csv", content)], by="ada", instead_of=instead_of)


def test_a_new_home_has_nothing_to_answer_from(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path / "new" / "home")) as home:
        assert home.state().empty


def test_a_home_that_cannot_be_made_is_said_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "mkdir", Mock(side_effect=OSError(errno.EROFS, "Read-only file system")))
    with (
        pytest.raises(StoreError, match="Read-only file system") as refused,
        open_home(Settings(home=tmp_path / "new")),
    ):
        pass
    assert "Let the account" in refused.value.hint


@pytest.mark.parametrize(
    ("spoil", "said"),
    [(Path.unlink, "no longer in"), (lambda file: file.write_bytes(b"{"), "can no longer be read")],
    ids=["gone", "damaged"],
)
def test_a_chart_whose_file_is_gone_or_damaged_is_said_with_what_to_do(
    tmp_path: Path, spoil: Callable[[Path], object], said: str
) -> None:
    settings = Settings(home=tmp_path)
    with open_home(settings) as home:
        activate(home)
    for file in (tmp_path / "charts").iterdir():
        spoil(file)
    with open_home(settings) as home:
        with pytest.raises(TragError, match=said) as refused:
            home.state()
        assert "chart activate FILE" in refused.value.hint
        activate(home)  # what the hint says is possible
        assert home.state().chart


def test_versions_say_who_activated_them_and_any_of_them_can_be_used_again(tmp_path: Path) -> None:
    later = CHART + b"Bar,Club,team\n"
    with open_home(Settings(home=tmp_path)) as home:
        first = activate(home)
        second = activate(home, later, instead_of=first.version)
        assert [(each.name, each.by, each.size, each.active) for each in home.records.chart_versions.all()] == [
            ("club.csv", "ada", 3, True),
            ("club.csv", "ada", 2, False),
        ]
        assert home.charts.version(first.version).version == first.version
        again = home.charts.roll_back(first.version, by="bob", instead_of=second.version)
        assert (again.version, again.by, home.organization.version) == (first.version, "bob", first.version)
        assert (home.charts.original(first.version), home.charts.original(second.version)) == (CHART, later)
        with pytest.raises(TragError, match="no version nonsense of the chart"):
            home.charts.version("nonsense")


def test_a_chart_that_would_be_too_large_to_be_read_again_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = load(CHART, "club.csv")
    monkeypatch.setattr("org.reading.table.MAX_BYTES", len(CHART))
    with open_home(Settings(home=tmp_path)) as home:
        with pytest.raises(TragError, match=r"club\.csv is too large: kept as JSON"):
            home.charts.activate(chart, [("club.csv", CHART)], by="ada")
        assert home.state().empty
    assert not (tmp_path / "charts").exists()


def test_of_two_who_activate_at_once_one_is_told_that_the_other_was_first(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path)) as home:
        first = activate(home)
        together = Barrier(2)

        def change(unit: bytes) -> str:
            together.wait()
            try:
                return activate(home, CHART + unit + b",Club,team\n", instead_of=first.version).version
            except StoreError as error:
                return error.message

        with ThreadPoolExecutor(2) as threads:
            outcomes = list(threads.map(change, (b"Bar", b"Pool")))
        assert home.organization.version in outcomes
        assert [outcome for outcome in outcomes if "activated meanwhile" in outcome] != []
        active = home.records.chart_versions.active()
        assert active is not None
        assert active.version == home.organization.version


@pytest.mark.slow
def test_a_chart_activated_while_the_model_starts_is_the_one_that_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(Settings(home=tmp_path)) as home:
        activate(home)

        def start(settings: Settings) -> LanguageModel:
            activate(home, CHART + b"Bar,Club,team\n")
            return open_model(settings)

        monkeypatch.setattr("trag.home.open_model", start)
        assert home.assistant.organization is home.organization
        assert home.organization.chart is not None
        assert len(home.organization.chart) == 3


KILLED = """
import os, sys, threading, time
from pathlib import Path
from org.reading.charts import load
from trag.home import Home, open_home
from trag.settings import Settings
with open_home(Settings(home=Path(sys.argv[1]))) as home:
    print("ready", flush=True)
    for number in range(10_000):
        content = b"name,parent\\nClub,\\n" + b"".join(b"Team %d,Club\\n" % i for i in range(number % 7 + 1))
        version = home.charts.activate(load(content, "c.csv"), [("c.csv", content)], by="x").version
        print(version, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.03, 0.2])
def test_a_kill_while_charts_are_activated_leaves_one_of_them_whole(tmp_path: Path, seconds: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
        child.kill()
        told = child.stdout.read().split()
    with open_home(Settings(home=tmp_path)) as home:
        chart, active = home.organization.chart, home.records.chart_versions.active()
        if active is None:
            assert told == []
            return
        assert chart is not None
        assert chart.version == active.version
        assert len(chart) == active.size
        # what was acknowledged is there; one more may have been kept and not yet told
        assert set(told) <= {each.version for each in home.records.chart_versions.all()}


class Encoder:
    """An encoder that is there at once, for tests that are not about words."""

    identity, dimension = "encoder", 8

    def embed_passages(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
        return np.eye(8, dtype=np.float32)[[number % 8 for number in range(len(texts))]]


@pytest.fixture
def light(tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of a home that opens at once."""
    monkeypatch.setattr("trag.home.open_embedder", lambda _: Encoder())
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(empty_database, folder)
    return Settings(home=folder)


def add_rules(home: Home) -> None:
    """Keeps a document in the records alone: the index is put in line when it is opened."""
    passages = [Passage(f"rules-{n}", "section", "rules.md", "Fees", None, f"The fee {n}.") for n in range(3)]
    home.records.library.put("rules.md", "0" * 64, None, passages)


def audience(home: Home) -> set[str]:
    document = home.records.library.document("rules.md")
    assert document is not None
    return set(document.audience)


def found_by(home: Home) -> set[str]:
    """Which of three units finds the document."""
    vector = np.eye(8, dtype=np.float32)[0]
    return {key for key in "abc" if home.vectors.search(vector, "fee", kinds=["section"], k=3, readers=[key])}


def test_who_may_read_a_document_can_be_changed_while_the_index_opens(
    light: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_home(light) as home:
        add_rules(home)
        admin = Thread(target=lambda: home.set_audience("rules.md", frozenset({"a"})), daemon=True)
        begin = reconciliation.begin

        def meanwhile(stock: context.IngestContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
            admin.start()
            admin.join(0.3)  # long enough to take what it can get
            return begin(stock)

        monkeypatch.setattr(reconciliation, "begin", meanwhile)
        opening = Thread(target=lambda: home.vectors, daemon=True)
        opening.start()
        opening.join(60)
        admin.join(60)
        assert (opening.is_alive(), admin.is_alive()) == (False, False)
        assert (audience(home), found_by(home)) == ({"a"}, {"a"})


def test_of_two_who_change_who_may_read_a_document_they_saw_the_second_is_refused(light: Settings) -> None:
    seen = frozenset({"everyone"})
    with open_home(light) as home:
        add_rules(home)
        home.set_audience("rules.md", frozenset({"a"}), instead_of=seen)
        with pytest.raises(StoreError, match="changed meanwhile"):
            home.set_audience("rules.md", frozenset("abc"), instead_of=seen)
        assert (audience(home), found_by(home)) == ({"a"}, {"a"})
        home.set_audience("rules.md", frozenset(), instead_of=frozenset("a"))
        home.set_audience("rules.md", frozenset("b"), instead_of=frozenset())
        assert (audience(home), found_by(home)) == ({"b"}, {"b"})


@pytest.mark.parametrize("again", ["set again", "reconciled"])
@pytest.mark.parametrize(
    ("fails", "recorded", "found"), [("index 1", "ab", "ab"), ("records", "ab", "ab"), ("index 2", "bc", "b")]
)
def test_wherever_a_change_of_readers_fails_nobody_finds_what_they_may_not_read(
    light: Settings, monkeypatch: pytest.MonkeyPatch, fails: str, recorded: str, found: str, again: str
) -> None:
    writes = 0

    def fail(*_: object, **__: object) -> None:
        raise StoreError("No space is left.")

    with open_home(light) as home:
        add_rules(home)
        home.set_audience("rules.md", frozenset("ab"))
        with monkeypatch.context() as patched:
            from store import collection

            whole = collection.set_audience

            def write(*arguments: object) -> None:
                nonlocal writes
                writes += 1
                if fails == f"index {writes}":
                    fail()
                whole(*arguments)

            patched.setattr(collection, "set_audience", write)
            if fails == "records":
                patched.setattr(Library, "set_audience", fail)
            with pytest.raises(StoreError, match="No space"):
                home.set_audience("rules.md", frozenset("bc"))
        assert (audience(home), found_by(home)) == (set(recorded), set(found))
        if again == "set again":
            home.set_audience("rules.md", frozenset("bc"))
            recorded = "bc"
        else:
            reconciliation.reconcile(home.stock)
        assert (audience(home), found_by(home)) == (set(recorded), set(recorded))


def test_what_is_done_is_not_said_to_have_failed_when_approved_answers_cannot_be_looked_over(
    light: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise StoreError("The database cannot be reached.")

    monkeypatch.setattr(approvals, "return_changed", fail)
    (tmp_path / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    with open_home(light) as home:
        assert activate(home).version == home.organization.version
        (ingested,) = home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
        home.queue.add(b"# Codes\n\nThe code is 7.\n", "codes.md", by="ada")
        while home.queue.jobs()[0].state in ("waiting", "working"):
            time.sleep(0.01)
        assert (ingested.outcome, home.queue.jobs()[0].state) == ("indexed", "done")
        assert home.forget("rules.md").left == ()


def lose(index: Path) -> None:
    shutil.rmtree(index)


def lose_generation(index: Path) -> None:
    shutil.rmtree(index / "000001")


def spoil(index: Path) -> None:
    (index / "000001" / "chroma.sqlite3").write_bytes(b"no database" * 1000)


@pytest.mark.parametrize("damage", [lose, lose_generation, spoil])
def test_an_index_that_is_gone_or_damaged_is_made_again_from_the_records(
    light: Settings, damage: Callable[[Path], None]
) -> None:
    with open_home(light) as home:
        add_rules(home)
        before = home.vectors.ids()
    damage(light.home / "chroma")
    with open_home(light) as home:
        assert home.vectors.ids() == before
        assert home.vectors.probe() == (3, 3)


def holding(folder: Path, words: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]


def test_a_forgotten_document_is_gone_from_every_folder_and_the_others_are_not(
    light: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writing(passage: Passage, model: object, *, folder: Path, **_: object) -> tuple[()]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "1.json").write_text(passage.text)
        return ()

    monkeypatch.setattr("trag.home.pairs_of", writing)
    folder = light.home
    (tmp_path / "codes.md").write_text("# Codes\n\nThe code word is zanzibarite.\n")
    (tmp_path / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    with open_home(light) as home:
        home.ingest([tmp_path / "codes.md", tmp_path / "rules.md"], replace=False, progress=silent)
        home.parts["model"] = Mock()
        home.write_pairs(by="ada", progress=silent)
        home.queue.add(b"\x89PNG\r\n\x1a\nzanzibarite", "codes.md", by="ada")
        while home.queue.jobs()[0].state != "failed":
            time.sleep(0.01)
        for document in home.records.library.documents():
            drawn = folder / "cache" / "pages" / document.sha256
            drawn.mkdir(parents=True)
            (drawn / "1.json").write_bytes(home.original(document.name) or b"")
        held = {path.relative_to(folder).parts[0] for path in holding(folder, b"zanzibarite")}
        assert {"documents", "waiting", "cache"} <= held
        assert home.forget("codes.md").left == ()
    assert holding(folder, b"zanzibarite") == []
    held = {path.relative_to(folder).parts[:-2] for path in holding(folder, b"20 LMD")}
    assert {("cache", "pages"), ("cache", "pairs")} <= held


@pytest.mark.slow
def test_another_encoder_makes_the_index_anew_at_the_start(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    from trag.embed import embedded_folder

    other = tmp_path / "other-encoder"
    SentenceTransformer(str(embedded_folder()), local_files_only=True).save(str(other))
    home_folder = tmp_path / "home"
    (tmp_path / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    with open_home(Settings(home=home_folder)) as home:
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
    changed = Settings(home=home_folder, embedder=str(other))
    with open_home(changed) as home:
        assert len(home.vectors.held()["rules.md"].passages) == 1
    with open_home(changed) as home:
        assert home.reindex() == home.vectors.count() == 1
    with open_home(Settings(home=home_folder), later=True) as home:
        assert (home.vectors.held(), home.late) == ({}, ("rules.md",))
        question = np.ones(home.embedder.dimension, dtype=np.float32)
        assert home.vectors.search(question, "what is the fee", kinds=["section"], k=1, readers=["everyone"])
        home.put_right(silent)
        assert len(home.vectors.held()["rules.md"].passages) == 1
