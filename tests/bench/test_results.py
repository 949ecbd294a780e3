"""The tables that `make results` writes: only between their marks, and nothing is asked twice."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

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
    text = results.RESULTS.read_text(encoding="utf-8")
    assert all("new" in rewritten(text, name, "new") for name in results.BLOCKS), "every block has its place"


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


def test_groups_of_paraphrases_that_are_called_the_same_are_told_apart_in_all_sets() -> None:
    def answers(*verdicts: Verdict) -> list[Result]:
        case, record = Case("1", "Who?", "simple", group="paraphrase-01"), ("Who?", "Who?", "The Board.", "answered")
        return [
            Result("trag", replace(case, id=str(n)), AnswerRecord(str(n), *record, ModelUsed("", "", "")), Score(one))
            for n, one in enumerate(verdicts)
        ]

    told = results.each(tables.groups)({"one": answers("Correct", "Correct"), "two": answers("Incorrect", "Correct")})
    assert [table.rows for table in told] == [
        (("trag", "1", "1 (100.0%)"),),
        (("trag", "1", "0 (0.0%)"),),
        (("trag", "2", "1 (50.0%)"),),
    ]


@pytest.mark.slow
def test_a_workflow_is_drafted_for_each_request_and_told_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAG_ADAPTER", "none")
    for name in ("human.jsonl", "train.jsonl"):
        (tmp_path / name).write_text("".join((results.WORKFLOWS / name).read_text().splitlines(True)[:1]))
    (tmp_path / "catalogues").symlink_to(results.WORKFLOWS / "catalogues")
    (tmp_path / "RESULTS.md").write_text(BEFORE.replace("overall", "workflows"))
    for name, value in (("WORKFLOWS", tmp_path), ("HOMES", tmp_path / "homes"), ("RESULTS", tmp_path / "RESULTS.md")):
        monkeypatch.setattr(results, name, value)
    monkeypatch.setattr(sys, "argv", ["bench.results", "workflows"])
    results.main()
    told = (tmp_path / "RESULTS.md").read_text()
    assert re.search(r"bench\.results workflows`, .*, commit \S+, SmolLM2-135M-Instruct.*, 1 workflows\.", told)
    assert re.search(r"^\| trag \| .*human", told, re.MULTILINE)
    (drafts,) = (tmp_path / "homes").rglob("results/workflows/*.jsonl")
    assert len(drafts.read_text().splitlines()) == 1
    results.main()
    assert (tmp_path / "RESULTS.md").read_text() == told
    assert len(drafts.read_text().splitlines()) == 1, "it is not drafted again"


@pytest.mark.slow
def test_results_are_written_from_real_runs_that_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAG_ADAPTER", "none")  # with one, each system would run without it too
    places = [tmp_path / name for name in ("chart.csv", "documents", "questions.jsonl")]
    for file, content in {
        "chart.csv": "name,parent,type\nHarbour Board,,board\nTug Team,Harbour Board,team\n",
        "documents/rules.txt": "RULES\n\n1. Ships over 90 metres are met by the tug Ormsby.\n",
        "questions.jsonl": '{"id": "1", "kind": "document", "question": "Which tug is it?", "gold": [["Ormsby"]]}\n',
        "RESULTS.md": BEFORE + BEFORE.replace("overall", "kinds"),
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(content)
    monkeypatch.setattr(results, "ORGANIZATIONS", (Organization("harbour", *places),))
    monkeypatch.setattr(results, "HOMES", tmp_path / "homes")
    monkeypatch.setattr(results, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(results, "SYSTEMS", ("finetuned", "trag"))
    monkeypatch.setattr(runs, "commit", lambda: "this program")
    monkeypatch.setattr(sys, "argv", ["bench.results", "overall", "kinds"])
    asked = Mock(wraps=running.evaluate)
    monkeypatch.setattr(running, "evaluate", asked)
    results.main()
    (run,) = Results(tmp_path / "homes" / "harbour" / "results").runs()
    written = (tmp_path / "RESULTS.md").read_text()
    assert f"`python -m bench.results overall`, {run.finished:%Y-%m-%d}, commit this program, SmolLM2" in written
    assert ", 2 answers." in written
    assert "| trag | harbour | " in written, "how many the small model leaves open is not the point"
    assert "| document (1 question) | " in written
    assert written.count("By hand.") == 2
    assert asked.call_count == 1, "two blocks share a run"
    monkeypatch.setattr(sys, "argv", ["bench.results", "overall"])
    results.main()
    assert (tmp_path / "RESULTS.md").read_text() == written
    assert asked.call_count == 1
    monkeypatch.setattr(runs, "commit", lambda: "another program")
    asked.side_effect = KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        results.main()
