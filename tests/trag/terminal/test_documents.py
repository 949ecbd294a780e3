"""python -m trag documents: what is known as a table, checked and imported, and what is past its review."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.records import Records
from store.standing import Validity
from trag.terminal import main as cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path))
    with closing(Records(f"sqlite:///{tmp_path}/trag.db")) as records:
        for name in ("old.md", "new.md"):
            records.library.put(name, "0" * 64, None, [])

    def run(*words: str) -> tuple[int, str, str]:
        status = cli.main(["documents", *words])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def held(home: Path) -> dict[str, Validity]:
    with closing(Records(f"sqlite:///{home}/trag.db")) as records:
        return records.validity.all()


def test_what_is_written_is_corrected_checked_and_imported(run: Run, tmp_path: Path) -> None:
    status, listed, _ = run("list")
    header = "document,status,owner,valid_from,valid_to,review,language,supersedes"
    assert (status, listed.splitlines()) == (0, [header, "new.md,in force,,,,,,", "old.md,in force,,,,,,"])
    table = tmp_path / "table.csv"
    table.write_text(f"{header}\nnew.md,in force,ann,2024-03-01,,2025-01-31,en,old.md\nold.md,in force,,,,,,\n")
    status, said, _ = run("check", str(table))
    assert (status, "new.md: valid_from: nothing -> 2024-03-01" in said) == (0, True)
    assert said.endswith("2 documents would change\n")
    assert held(tmp_path) == {}
    assert run("import", str(table))[1].endswith("2 documents changed\n")
    assert held(tmp_path)["new.md"].supersedes == ("old.md",)
    assert run("import", str(table))[1] == "0 documents changed\n"
    assert run("review") == (0, "2025-01-31  new.md  ann\n", "")
    table.write_text(run("list")[1])
    assert run("check", str(table))[1] == "0 documents would change\n"


def test_nothing_is_changed_where_one_row_is_wrong(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("document,status,supersedes\nnew.md,draft,\nold.md,lost,old.md\n")
    for act in ("check", "import"):
        status, said, wrong = run(act, str(table))
        assert (status, said) == (1, "")
        assert wrong.splitlines() == [
            "row 3: old.md: status: lost is none of draft, in force, superseded, withdrawn.",
            "row 3: old.md: It supersedes itself.",
            "2 problems, so nothing is changed.",
        ]
    assert held(tmp_path) == {}
    assert run("import", str(tmp_path / "nowhere.csv"))[0] == 1
