"""The procedures from the terminal: checked, activated, shown, and an earlier version used again."""

import json
from pathlib import Path

import pytest

from trag.terminal.main import main

ACTIONS = "id,title,needs,gives,unit\nAsk,Ask for leave,dates,request,Desk\nGrant,Grant leave,request,leave,\n"
STEPS = "id,title,step,actions\nleave,Take leave,Ask for leave,Ask\n,,Leave is granted,Grant\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.csv").write_text(ACTIONS)
    (tmp_path / "p.csv").write_text(STEPS)
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_procedures_are_checked_activated_shown_and_rolled_back(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def job(*words: str, status: int = 0) -> str:
        assert main(["procedures", *words]) == status
        return "".join(capsys.readouterr())

    assert "There is no file b.csv" in job("check", "b.csv", status=1)
    assert "There are no actions." in job("check", "p.csv", status=1)
    assert "a.csv, p.csv: 1 procedure, 2 actions\nversion " in job("check", "a.csv", "p.csv")
    assert "This home has no procedures." in job("show", status=1)
    first = job("activate", "p.csv", "a.csv").split()[1]
    assert job("show", "leave") == "leave: Take leave\n  1. Ask for leave [Ask]\n  2. Leave is granted [Grant]\n"
    (folder / "p.csv").write_text(STEPS.replace("granted,Grant", "granted,Give"))
    assert 'Procedures, row 3: There is no action "Give"' in job("activate", "a.csv", "p.csv", status=1)
    (folder / "p.csv").write_text(STEPS + "go,Go home,Grant leave,\n")
    assert "Changed: 1 added\nActive: " in job("activate", "a.csv", "p.csv")
    assert "There is no procedure 'stay'." in job("show", "stay", status=1)
    assert job("rollback", first) == f"Active: {first} (p.csv, a.csv)\n"
    assert [line.split()[0] == "*" for line in job("versions").splitlines()] == [True, False]
    assert json.loads(job("drafts"))["procedures"][0]["id"] == "leave", "what is in use, and what is found"
    main(["chart", "activate", str(chart(folder))])
    assert 'Actions, row 2: The chart has no unit "Desk"' in job("activate", "a.csv", "p.csv", status=1)


@pytest.mark.slow
def test_what_nobody_bound_is_worked_out_for_somebody_to_correct(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.csv").write_text(STEPS.replace("granted,Grant", "granted,"))
    assert main(["procedures", "bind", "a.csv", "p.csv"]) == 0
    bound = json.loads(capsys.readouterr().out)["procedures"]
    assert [step["actions"] for step in bound[0]["steps"]] == [["Ask"], ["Grant"]]


def chart(folder: Path) -> Path:
    file = folder / "chart.csv"
    file.write_text("name,parent\nClub,\n")
    return file
