"""A home: what is put into it is there when it is opened again, and what was damaged is made good."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from org.chart import load
from store import StoreError
from store.records import ChartVersion
from trag.errors import TragError
from trag.home import Home, open_home
from trag.ingest.sections import Section
from trag.ingest.upkeep import Progress
from trag.llm import LanguageModel, open_model
from trag.settings import Settings

ROOT = Path(__file__).parents[2]
CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\n"


def activate(home: Home, content: bytes = CHART, *, instead_of: str | None = None) -> ChartVersion:
    return home.activate_chart(load(content, "club.csv"), "club.csv", content, by="ada", instead_of=instead_of)


def silent(step: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def test_a_new_home_has_nothing_to_answer_from(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path / "new" / "home")) as home:
        assert home.state().empty


def test_a_chart_is_there_after_the_home_was_closed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with open_home(settings) as home:
        version = activate(home).version
    with open_home(settings) as home:
        assert (home.organization.name, home.organization.version) == ("Club", version)
        assert not home.state().empty


def test_a_chart_whose_file_is_gone_is_said_with_what_to_do(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with open_home(settings) as home:
        activate(home)
    for file in (tmp_path / "charts").iterdir():
        file.unlink()
    with open_home(settings) as home:
        with pytest.raises(TragError, match="no longer in") as refused:
            home.state()
        assert "chart activate FILE" in refused.value.hint
        activate(home)  # what the hint says is possible
        assert home.state().chart


def test_versions_say_who_activated_them_and_any_of_them_can_be_used_again(tmp_path: Path) -> None:
    later = CHART + b"Bar,Club,team\n"
    with open_home(Settings(home=tmp_path)) as home:
        first = activate(home)
        second = activate(home, later, instead_of=first.version)
        assert [(each.name, each.by, each.units, each.active) for each in home.records.charts()] == [
            ("club.csv", "ada", 3, True),
            ("club.csv", "ada", 2, False),
        ]
        assert home.chart(first.version).version == first.version
        again = home.roll_back_chart(first.version, by="bob", instead_of=second.version)
        assert (again.version, again.by, home.organization.version) == (first.version, "bob", first.version)
        assert (home.original_chart(first.version), home.original_chart(second.version)) == (CHART, later)
        with pytest.raises(TragError, match="no chart version"):
            home.chart("nonsense")


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
        active = home.records.active_chart()
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
from org.chart import load
from trag.home import Home, open_home
from trag.settings import Settings
with open_home(Settings(home=Path(sys.argv[1]))) as home:
    print("ready", flush=True)
    for number in range(10_000):
        content = b"name,parent\\nClub,\\n" + b"".join(b"Team %d,Club\\n" % i for i in range(number % 7 + 1))
        version = home.activate_chart(load(content, "c.csv"), "c.csv", content, by="x").version
        print(version, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.13, 0.31])
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
        chart, active = home.organization.chart, home.records.active_chart()
        if active is None:
            assert told == []
            return
        assert chart is not None
        assert chart.version == active.version
        assert len(chart) == active.units
        # what was acknowledged is there; one more may have been kept and not yet told
        assert set(told) <= {each.version for each in home.records.charts()}


def lose(index: Path) -> None:
    for file in sorted(index.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()


def lose_generation(index: Path) -> None:
    lose(index / "000001")
    (index / "000001").rmdir()


def spoil(index: Path) -> None:
    (index / "000001" / "chroma.sqlite3").write_bytes(b"no database" * 1000)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lose, lose_generation, spoil])
def test_an_index_that_is_gone_or_damaged_is_made_again_from_the_records(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    settings = Settings(home=tmp_path / "home")
    (tmp_path / "rules.md").write_text("# Rules\n\n## 1 Fees\n\nThe fee is 20 LMD a year.\n")
    with open_home(settings) as home:
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
        before = home.vectors.ids()
    damage(tmp_path / "home" / "chroma")
    with open_home(settings) as home:
        assert home.vectors.ids() == before
        assert home.vectors.probe() == (2, 2)


def holding(folder: Path, words: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]


@pytest.mark.slow
def test_a_forgotten_document_is_gone_from_every_folder_and_the_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writing(sections: Sequence[Section], progress: Progress, *, folder: Path, **_: object) -> tuple[()]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "1.json").write_text(" ".join(section.text for section in sections))
        return ()

    monkeypatch.setattr("trag.home.pairs_of", writing)
    folder = tmp_path / "home"
    (tmp_path / "codes.md").write_text("# Codes\n\nThe code word is zanzibarite.\n")
    (tmp_path / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    with open_home(Settings(home=folder)) as home:
        home.ingest([tmp_path / "codes.md", tmp_path / "rules.md"], replace=False, progress=silent)
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
def test_another_encoder_is_an_error_until_the_index_is_made_again(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    from trag.embed import embedded_folder

    other = tmp_path / "other-encoder"
    SentenceTransformer(str(embedded_folder()), local_files_only=True).save(str(other))
    home_folder = tmp_path / "home"
    (tmp_path / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    with open_home(Settings(home=home_folder)) as home:
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
    changed = Settings(home=home_folder, embedder=str(other))
    with open_home(changed) as home, pytest.raises(StoreError, match="embedder in use") as refused:
        home.vectors  # noqa: B018
    assert "--reindex" in refused.value.hint
    with open_home(changed) as home:
        assert home.reindex(silent) == home.vectors.count() == 2, "the passage, and the pair made of it"
