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


def options(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    terminal.add(parser.add_subparsers(required=True), ("trag", "rag"))
    return parser.parse_args(["audit", *words])


@pytest.fixture
def settings(empty_database: Path, tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path / "home")
    settings.home.mkdir()
    shutil.copy(empty_database, settings.home)
    with open_home(settings) as home:
        home.activate_chart(load(CHART, "club.csv"), "club.csv", CHART, by="ada")
    return settings


def test_a_number_below_one_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options("--bound", "0")
    assert "not 1 or more" in capsys.readouterr().err


def test_a_run_that_goes_on_has_its_questions_and_its_system_already(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options("--resume", "20200101-000000", "--system", "rag", "--seed", "0")
    with pytest.raises(SystemExit):
        given.job(settings, given)
    assert "--system, --seed does not go with --resume" in capsys.readouterr().err


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
    given = options(*(word.replace("{file}", str(tmp_path / "mine.txt")) for word in words))
    with pytest.raises(error) as refused:
        given.job(settings, given)
    assert told in refused.value.message
    assert refused.value.hint


def test_a_home_with_nothing_in_it_is_said_so(tmp_path: Path) -> None:
    given = options()
    with pytest.raises(TragError, match="nothing to audit"):
        given.job(Settings(home=tmp_path), given)


@pytest.mark.slow
def test_an_interrupted_audit_goes_on_is_kept_and_shown_again(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    answer = Assistant.answer

    def interrupted_once(self: Assistant, question: str, **others: Any) -> AnswerRecord:
        asked.append(question)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return answer(self, question, **others)

    monkeypatch.setattr(Assistant, "answer", interrupted_once)
    long = "long: because I want to send a letter " + "and another letter " * 9 + "I ask who leads [unit.name]\n"
    (tmp_path / "mine.txt").write_text("\n".join(TEMPLATES.splitlines()[:2]) + "\n" + long)
    given = options("--bound", "2", "--texts", "1", "--templates", str(tmp_path / "mine.txt"))
    with pytest.raises(KeyboardInterrupt):
        given.job(settings, given)
    given.job(settings, given)
    assert len(asked) == 5  # four questions, the third of them twice
    assert asked[2] == asked[3]
    told = capsys.readouterr().out
    assert "audit of the chart and the documents" in told
    for title in ("Weak module", "Semantic groups", "Accuracy with errors isolated", "Questions of the audit"):
        assert f"### {title}" in told
    (run,) = re.findall(r"Run ([\d-]+):", told)
    again = options("--resume", run)
    again.job(settings, again)
    assert capsys.readouterr().out == told
    assert len(asked) == 5
