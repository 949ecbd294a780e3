"""python -m trag audit, on a real home."""

import argparse
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from org.reading.charts import load
from store import StoreError
from trag.ask import Assistant
from trag.errors import TragError
from trag.home import open_home
from trag.record import AnswerRecord
from trag.settings import Settings
from trag.terminal import audit as terminal

CHART = b"name,parent,type,head\nClub,,club,Ada Lane\nBoard,Club,board,Bo Finch\nRace Team,Board,team,Cy Moss\n"
TEMPLATES = (
    "sql: SELECT head FROM unit WHERE name = '[unit.name]'\nshort: head of [unit.name]\nlong: who leads [unit.name]"
)


def audit(settings: Settings, *words: str) -> None:
    parser = argparse.ArgumentParser()
    terminal.add(parser.add_subparsers(required=True), ("trag", "rag"))
    given = parser.parse_args(["audit", *words])
    given.job(settings, given)


@pytest.fixture(scope="module")
def settings(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = Settings(home=tmp_path_factory.mktemp("club") / "home")
    settings.home.mkdir()
    shutil.copy(empty_database, settings.home)
    with open_home(settings) as home:
        home.charts.activate(load(CHART, "club.csv"), [("club.csv", CHART)], by="ada")
    return settings


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--bound", "0"], "not 1 or more"),
        (
            ["--resume", "20200101-000000", "--system", "rag", "--seed", "0"],
            "--system, --seed does not go with --resume",
        ),
    ],
)
def test_wrong_words_are_told(
    words: list[str], told: str, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        audit(settings, *words)
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        (["--database", "nonsense"], StoreError, "no address"),
        (["--templates", "missing.txt"], TragError, "cannot be read"),
        (["--templates", "{file}"], TragError, "a long form has at least 30"),
        (["--resume", "20200101-000000"], TragError, "no run"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_what_cannot_be_audited_is_said_before_anything_is_asked(
    words: list[str], error: type[TragError], told: str, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text(TEMPLATES)
    with pytest.raises(error) as refused:
        audit(settings, *(word.replace("{file}", str(tmp_path / "mine.txt")) for word in words))
    assert told in refused.value.message
    assert refused.value.hint


def test_a_home_with_nothing_in_it_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(TragError, match="nothing to audit"):
        audit(Settings(home=tmp_path))


@pytest.mark.slow
def test_an_interrupted_audit_goes_on_is_kept_and_shown_again(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    answer = Assistant.answer

    def interrupted_once(self: Assistant, question: str, **others: Any) -> AnswerRecord:
        asked.append(question)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return answer(self, question, **others)

    monkeypatch.setattr(Assistant, "answer", interrupted_once)
    long = "long: because I want to send a letter " + "and another letter " * 9 + "I ask who leads [unit.name]\n"
    (tmp_path / "mine.txt").write_text("\n".join(TEMPLATES.splitlines()[:2]) + "\n" + long)
    words = ("--bound", "1", "--texts", "1", "--templates", str(tmp_path / "mine.txt"))
    with pytest.raises(KeyboardInterrupt):
        audit(settings, *words)
    audit(settings, *words)
    assert len(asked) == 3  # two questions, the second of them twice
    assert asked[1] == asked[2]
    told = capsys.readouterr().out
    assert "audit of the chart and the documents" in told
    for title in ("Weak module", "Semantic groups", "Accuracy with errors isolated", "Questions of the audit"):
        assert f"### {title}" in told
    (run,) = re.findall(r"Run ([\d-]+):", told)
    audit(settings, "--resume", run)
    assert capsys.readouterr().out == told
    assert len(asked) == 3
