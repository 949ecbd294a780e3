"""python -m trag evaluate, as people type it; what is kept is made by hand here."""

import csv
import io
import json
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from org.linking.entities import Organization
from org.reading.charts import load
from store import files
from trag.evaluate.cases import Case, sha256_of
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.home import Home
from trag.record import AnswerRecord, ModelUsed, Verdict
from trag.terminal import evaluate as terminal
from trag.terminal.main import main

MODEL = ModelUsed("small", "0" * 64, "")
CASES = (Case("a", "Where is the Tug Team?", "simple"), Case("b", "How many tugs?", "count"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def keep(home: Path, year: int, verdicts: Sequence[Verdict], systems: tuple[str, ...] = ("trag",)) -> Run:
    """A run of that year whose answers are judged so, one system after the other."""
    results = Results(home / "results")
    started = datetime(year, 1, 1, tzinfo=UTC)
    total = len(CASES) * len(systems)
    run = results.begin(Run("", "tugs", sha256_of(CASES), systems, started, None, "f181fd0", MODEL, "", total), CASES)
    asked = [(system, case) for system in systems for case in CASES]
    for (system, case), verdict in zip(asked, verdicts, strict=False):
        record = AnswerRecord(case.id, case.question, case.question, f"={case.id}", "answered", MODEL)
        results.add(run, Result(system, case, record, Score(verdict)))
    return results.finish(run) if len(verdicts) == total else run


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "one of the arguments CASES --resume is required"),
        ("a.jsonl b.jsonl", "unrecognized arguments: b.jsonl"),
        ("show", "required: RUN"),
        ("compare 1", "required: RUN"),
        ("list --base --seed 2", "unrecognized arguments: --base --seed 2"),
        ("a.jsonl --number 3", "unrecognized arguments: --number 3"),
        ("needle a.jsonl --seed 3", "--seed does not go with a.jsonl"),
        ("choice a.csv --shots 3", "--shots goes with --dev"),
        ("choice a.csv --by-words --dev b.csv", "not allowed with"),
        ("chart --number 0", "'0' is not 1 or more"),
        ("chart --csv", "unrecognized arguments: --csv"),
        ("show 1 --csv --json", "not allowed with"),
        ("a.jsonl --system magic", "invalid choice: 'magic'"),
        ("--resume 1 --base", "--base does not go with --resume"),
        ("flows a --system magic", "invalid choice: 'magic'"),
        ("flows a --facts --half dev --markdown", "--half, --markdown does not go with --facts"),
        ("flows a --beyond b --number 2", "--number does not go with --beyond"),
        ("workflows", "required: FILE"),
        ("briefs", "give briefs a --judge"),
        ("briefs --pairs a --system trag", "give --pairs two systems"),
        ("briefs lists.jsonl --judge a --seed 0", "--seed does not go with lists.jsonl"),
        ("briefs . --judge a", "--judge does not go with ."),
    ],
)
def test_wrong_usage_is_exit_2(words: str, problem: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", *words.split()])
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err
    assert not home.exists()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("missing.jsonl", "There is no file missing.jsonl"),
        ("show 20260101-000000", "There is no run 20260101-000000; the newest are: none yet."),
        ("compare 1 2", "There is no run 1"),
        (".", "cannot be read: Is a directory"),
    ],
)
def test_an_error_is_a_line_and_a_hint_and_nothing_is_made(
    words: str, problem: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", *words.split()]) == 1
    error, hint = capsys.readouterr().err.splitlines()
    assert problem in error
    assert hint.startswith("Hint: ")
    assert not home.exists()


def test_every_bad_line_of_a_case_file_is_told(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "question": "?", "kind": "simple"}\n{"id": "b"}\nnonsense\n')
    assert main(["evaluate", str(tmp_path / "bad.jsonl")]) == 1
    told = capsys.readouterr().err
    assert "line 2" in told
    assert "line 3" in told
    assert "Traceback" not in told


def test_runs_are_listed_and_shown_also_while_another_process_owns_the_home(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, part = keep(home, 2025, ["Correct", "Incorrect"]), keep(home, 2026, ["Correct"], ("trag", "rag"))
    with files.lock(home):
        assert main(["evaluate", "list"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            f"{part.id}  f181fd0  tugs: trag, rag (4 answers, not finished)",
            f"{whole.id}  f181fd0  tugs: trag (2 answers, whole)",
        ]
        assert main(["evaluate", "show", part.id]) == 0
        shown = capsys.readouterr().out
        assert f"Not finished, 1 of 4 answers: python -m trag evaluate --resume {part.id}" in shown
        assert main(["evaluate", "show", whole.id]) == 0
        shown = capsys.readouterr().out.splitlines()
    assert "Not finished" not in shown[1]
    header = shown.index("Overall") + 1
    assert [line.split() for line in shown[header : header + 2]] == [
        ["Name", "N", "C", "CV", "I", "T", "Perc.", "Undecided"],
        ["trag", "2", "1", "0", "1", "1", "50.0%", "0"],
    ]


def test_a_run_is_shown_in_every_form(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = keep(home, 2025, ["Correct", "Incorrect"])

    def shown(form: str) -> str:
        assert main(["evaluate", "show", run.id, form]) == 0
        return capsys.readouterr().out

    assert "| trag | 2 | 1 | 0 | 1 | 1 | 50.0% | 0 |" in shown("--markdown")
    assert [row[4] for row in csv.reader(io.StringIO(shown("--csv")))] == ["answer", "'=a", "'=b"]
    assert [one["case"]["id"] for one in json.loads(shown("--json"))["results"]] == ["a", "b"]


def test_two_runs_are_compared_system_by_system_or_as_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = keep(home, 2025, ["Correct", "Incorrect", "Incorrect", "Incorrect"], ("trag", "rag"))
    after = keep(home, 2026, ["Correct", "Correct"])

    def compared(*words: str) -> str:
        assert main(["evaluate", "compare", *words]) == 0
        return capsys.readouterr().out

    told = compared(before.id, after.id)
    assert told.startswith("trag -> trag\n")
    assert "rag -> rag" not in told.replace("trag -> trag", "")
    assert "2 questions on both sides, 1 better, 0 worse: p = 1 " in told
    assert "2 better, 0 worse: p = 0.5 " in compared(f"{before.id}/rag", after.id)
    assert "0 better, 1 worse" in compared(f"{before.id}/trag", f"{before.id}/rag")
    assert main(["evaluate", "compare", before.id, f"{after.id}/rag"]) == 1
    assert "has no answers of rag" in capsys.readouterr().err
    other = keep(home, 2027, ["Correct"] * 4, ("finetuned", "finetuned-tree"))
    assert main(["evaluate", "compare", before.id, other.id]) == 1
    assert "No system is in both runs" in capsys.readouterr().err


def test_a_run_is_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = keep(home, 2025, ["Correct"])
    assert main(["evaluate", "remove", run.id]) == 0
    assert Results(home / "results").runs() == ()


def test_cases_from_a_chart_need_one(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "chart"]) == 1
    assert "has no chart to make cases from" in capsys.readouterr().err


def test_a_set_made_from_a_chart_is_called_by_as_many_cases_as_it_has() -> None:
    chart = load(b"name,parent,type\nHarbour Board,,board\nTug Team,Harbour Board,team\n", "chart.csv")
    home = cast(Home, SimpleNamespace(organization=Organization("Harbour", chart)))
    cases, name = terminal._made(home, Namespace(number=1000, seed=7))
    assert 0 < len(cases) < 1000
    assert name == f"chart, {len(cases)} cases, seed 7"
