"""Workflows put in use, rolled back and looked at from the terminal."""

import json
from pathlib import Path

import pytest

from org.procedures.flows import write
from tests.automated import BOOK, step, workflow
from trag.home import open_home
from trag.people import CurrentUser
from trag.settings import Settings
from trag.terminal.main import main
from trag.workflow import runner
from trag.workflow.runner import Runner


def test_a_file_is_activated_changed_rolled_back_switched_off_and_its_runs_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def job(*words: str, status: int = 0) -> str:
        assert main(["workflow", *words]) == status
        return "".join(capfd.readouterr())

    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.json").write_bytes(write(BOOK))
    assert main(["procedures", "activate", "book.json"]) == 0
    capfd.readouterr()
    assert job("versions") == "No workflow was sent in yet.\n"
    assert job("runs") == "Nothing ran yet.\n"
    file = tmp_path / "hello.json"
    file.write_text(workflow(step("log", 1, message="hello"), title="Hello").to_json())
    assert "Workflows do not run here" in job("activate", "hello.json", status=1)
    monkeypatch.setenv("TRAG_WORKFLOWS", "true")
    first = job("activate", "hello.json")
    assert first.startswith("~ title: none -> Hello\n~ trigger: none -> manual\n+ 1. log\nHello (")
    assert first.endswith("is in use: it is set off by manual.\n")
    file.write_text(workflow(step("log", 1, message="good-bye"), step("log", 2, message="x"), title="Hello").to_json())
    assert job("activate", "hello.json").startswith('~ 1. log\n    message: "hello" -> "good-bye"\n+ 2. log\nHello (')
    assert job("activate", "hello.json").endswith("is in use: it is set off by manual.\n"), "again changes nothing"
    assert "is in use" in job("rollback", "hello")
    history = job("versions", "hello").splitlines()
    assert [line.split("  ")[2].split(" by ")[0] for line in history] == [
        *("activated", "activated", "activated", "sent in", "activated", "sent in"),
    ]
    assert "Hello: in use " in job("versions")
    with open_home(Settings(home=tmp_path / "home", workflows=True)) as home:
        (stored,) = home.records.workflows.all()
        run = runner.run_now(home, CurrentUser.local, stored.id)
        Runner(home).work_off()
    assert job("runs").startswith(f"{run.id}  ")
    assert job("runs", "hello").endswith("  Hello  done\n")
    assert job("runs", run.id).endswith("  1. log: {}\nDone.\n")
    assert job("off", "hello") == "Hello is switched off.\n"
    assert "is not in use" in job("off", "hello", status=1)
    (tmp_path / "wrong.json").write_text(json.dumps({"steps": [{"name": "logg", "step": 1}]}))
    assert 'step 1: There is no step "logg". Do you mean log?' in job("activate", "wrong.json", status=1)
    (tmp_path / "none.json").write_text("{")
    assert "none.json is not valid JSON" in job("activate", "none.json", status=1)
    assert "There is no file nowhere." in job("activate", "nowhere", status=1)
    assert "was sent in" in job("rollback", "nowhere", status=1)
