"""The tables that `make results` writes: only between their marks, and nothing is asked twice."""

import sys
from pathlib import Path

import pytest

from bench import results
from bench.results import Organization, rewritten
from trag.evaluate import running, runs, tables
from trag.evaluate.cases import Case
from trag.evaluate.runs import Result, Results
from trag.evaluate.scoring import Score
from trag.record import AnswerRecord, ModelUsed, Verdict

BEFORE = "# Results\n\nBy hand.\n\n<!-- results: overall -->\nold\n<!-- end of results: overall -->\n\nBy hand too.\n"


def test_only_what_is_between_the_marks_is_rewritten() -> None:
    once = rewritten(BEFORE, "overall", "new \\1\nlines")
    assert once == BEFORE.replace("old", "new \\1\nlines")
    assert rewritten(once, "overall", "old") == BEFORE


@pytest.mark.parametrize(
    "text",
    [
        "no marks",
        BEFORE + BEFORE,
        BEFORE.replace("<!-- end of results: overall -->", ""),
        BEFORE.replace("overall", "x"),
    ],
    ids=["none", "twice", "no end", "another's"],
)
def test_marks_that_are_not_there_once_are_an_error(text: str) -> None:
    with pytest.raises(SystemExit, match="<!-- results: overall -->"):
        rewritten(text, "overall", "new")


def test_every_block_has_its_place_in_the_results() -> None:
    text = results.RESULTS.read_text(encoding="utf-8")
    for name in results.BLOCKS:
        assert rewritten(text, name, "new").count("new") >= 1


def test_groups_of_paraphrases_that_are_called_the_same_are_told_apart_in_all_sets() -> None:
    def answers(*verdicts: Verdict) -> list[Result]:
        return [
            Result(
                "trag",
                Case(str(number), "Who?", "simple", group="paraphrase-01"),
                AnswerRecord(str(number), "Who?", "Who?", "The Board.", "answered", ModelUsed("", "", "")),
                Score(verdict),
            )
            for number, verdict in enumerate(verdicts)
        ]

    told = results.each(tables.groups)({"one": answers("Correct", "Correct"), "two": answers("Incorrect", "Correct")})
    assert [table.rows for table in told] == [
        (("trag", "1", "1 (100.0%)"),),
        (("trag", "1", "0 (0.0%)"),),
        (("trag", "2", "1 (50.0%)"),),
    ]


@pytest.mark.slow
def test_results_are_written_from_real_runs_that_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAG_ADAPTER", "none")  # with one, each system would run without it too
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "rules.txt").write_text("RULES\n\n1. Ships over 90 metres are met by the tug Ormsby.\n")
    (tmp_path / "chart.csv").write_text("name,parent,type\nHarbour Board,,board\nTug Team,Harbour Board,team\n")
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "1", "kind": "simple", "question": "Where is the Tug Team?", "gold": [["Harbour Board"]]}\n'
        '{"id": "2", "kind": "document", "question": "Which tug meets ships over 90 metres?", "gold": [["Ormsby"]]}\n'
    )
    harbour = Organization("harbour", tmp_path / "chart.csv", tmp_path / "documents", tmp_path / "questions.jsonl")
    (tmp_path / "RESULTS.md").write_text(BEFORE + BEFORE.replace("overall", "kinds"))
    monkeypatch.setattr(results, "ORGANIZATIONS", (harbour,))
    monkeypatch.setattr(results, "HOMES", tmp_path / "homes")
    monkeypatch.setattr(results, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(results, "SYSTEMS", ("finetuned", "trag"))
    monkeypatch.setattr(runs, "commit", lambda: "this program")
    asked: list[str] = []
    evaluate = running.evaluate

    def counted(*given: object, **options: object) -> object:
        asked.append(str(given[2]))
        return evaluate(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "evaluate", counted)
    monkeypatch.setattr(sys, "argv", ["bench.results", "overall", "kinds"])
    results.main()
    (run,) = Results(tmp_path / "homes" / "harbour" / "results").runs()
    written = (tmp_path / "RESULTS.md").read_text()
    assert f"`python -m bench.results overall`, {run.finished:%Y-%m-%d}, commit this program, SmolLM2" in written
    assert ", 4 answers." in written
    assert "| trag | harbour | " in written, "how many the small model leaves open is not the point"
    assert "| document (1 question) | " in written
    assert written.count("By hand.") == 2
    assert asked == ["harbour, own questions"]
    results.main()
    assert (tmp_path / "RESULTS.md").read_text() == written
    assert asked == ["harbour, own questions"]
    monkeypatch.setattr(runs, "commit", lambda: "another program")
    results.main()
    assert asked == ["harbour, own questions"] * 2
