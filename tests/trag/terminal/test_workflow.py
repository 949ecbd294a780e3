"""Workflows from the terminal: drafted, checked, tried on a record and exported, with the catalogue of the home."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.drafted import REQUEST, Drafting, book
from tests.trag.workflow.conftest import INVOICES, ROOT
from tests.workflow_files import from_bpmn, from_serverless
from trag.terminal.main import main
from trag.workflow.record import Workflow, WorkflowRecord

HIGH = str(ROOT / "bench" / "workflows" / "records" / "invoice-high.json")


def test_a_workflow_is_checked_tried_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def job(*words: str, status: int = 0) -> str:
        assert main(["workflow", *words]) == status
        return "".join(capfd.readouterr())

    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    good, wrong = tmp_path / "good.json", tmp_path / "wrong.json"
    good.write_text(json.dumps(INVOICES))
    wrong.write_text(json.dumps({**INVOICES, "steps": [*INVOICES["steps"][:3], {"name": "PARALLEL", "step": 4}]}))
    assert "This home has no procedures, and so no steps." in job("check", "good.json", status=1)
    assert "There are no steps to make workflows of." in job("when it rains, log it", status=1)
    given = json.loads((ROOT / "examples" / "larkmoor" / "procedures.json").read_bytes())
    kept = [{**each, "source": {}, "unit": "", "for": []} for each in given["actions"]]
    (tmp_path / "book.json").write_text(json.dumps({**given, "actions": kept, "procedures": []}))
    assert main(["procedures", "activate", "book.json"]) == 0
    assert job("check", "good.json").endswith("4 tables, 8 triggers\n")
    assert job("check", "wrong.json", status=1) == (
        "error: step 4: Nothing is within PARALLEL. (Put a step into it, or take it out.)\n"
    )
    assert job("try", "wrong.json", status=1) == job("export", "wrong.json", "--bpmn", status=1)
    high = job("try", "good.json", "--record", HIGH)
    assert (
        '  1. IF - met\n     < record.amount: 6200\n  2. find_head_of_unit\n     < unit: "Publications Unit"\n' in high
    )
    assert high.endswith("Done.\n")
    assert json.loads(job("try", "good.json", "--json"))["status"] == "done"
    (tmp_path / "low.json").write_text('{"sum": 1}')
    assert job("try", "good.json", "--record", "low.json", status=1).endswith(
        '  1. IF - The record has no "amount".\nFailed at step 1: The record has no "amount".\n'
    )
    assert (
        from_serverless(json.loads(job("export", "good.json", "--serverless"))).core() == Workflow.of(INVOICES).core()
    )
    assert from_bpmn(job("export", "good.json", "--bpmn").encode()).core() == Workflow.of(INVOICES).core()
    (tmp_path / "low.json").write_text("[1")
    assert "low.json is not valid JSON" in job("try", "good.json", "--record", "low.json", status=1)
    assert "There is no file nowhere.json." in job("check", "nowhere.json", status=1)


def test_a_request_is_drafted_with_or_without_the_word_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def job(*words: str, status: int = 0) -> str:
        assert main(["workflow", *words]) == status
        return "".join(capfd.readouterr())

    drafting = Drafting()
    monkeypatch.setattr("trag.workflow.drafting.drafter", lambda _: SimpleNamespace(draft=drafting.draft, book=book()))
    monkeypatch.setattr("trag.home.Home.model", None)
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    text = job(REQUEST)
    assert "  1. If amount of the record is more than 5000\n    2. Find the head of a unit [find_head_of_unit]" in text
    assert text == job("draft", REQUEST)
    assert drafting.asked == [REQUEST, REQUEST]
    record = WorkflowRecord.from_json(job(REQUEST, "--json"))
    assert record.workflow
    assert from_bpmn(job(REQUEST, "--bpmn").encode()).core() == record.workflow.core()
    assert from_serverless(json.loads(job(REQUEST, "--serverless"))).core() == record.workflow.core()
    assert "The question is empty." in job(" ", status=1)
    drafting.workflow = None
    assert job("bake a cake") == 'No step for: "bake a cake"\n'
    assert "No step fits" in job("bake a cake", "--bpmn", status=1)
