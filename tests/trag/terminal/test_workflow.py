"""Workflows from the terminal: checked, tried on a record and exported, with the catalogue of the home."""

import json
from pathlib import Path

import pytest

from tests.trag.workflow.conftest import INVOICES, ROOT
from trag.terminal.main import main
from trag.workflow.bpmn import from_bpmn
from trag.workflow.exporting import from_serverless
from trag.workflow.record import Workflow

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
    book = json.loads((ROOT / "examples" / "larkmoor" / "procedures.json").read_bytes())
    kept = [{**each, "source": {}, "unit": "", "for": []} for each in book["actions"]]
    (tmp_path / "book.json").write_text(json.dumps({**book, "actions": kept, "procedures": []}))
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
