"""The terminal, run as people run it: words in, lines and exit codes out."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from org.reading.charts import load
from store.records import Records
from trag.embed import open_embedder
from trag.home import open_home
from trag.record import AnswerRecord, ModelUsed, Source
from trag.settings import Settings
from trag.terminal.ask import answer_as_text
from trag.terminal.main import main

ENCODER = cache(open_embedder)  # loaded once for every test here
ROOT = Path(__file__).parents[3]
CHART = """name,parent,type,aliases,description
Harbour Board,,board,HB,
Pilots' Office,Harbour Board,office,,Guides ships in.
Tug Team,Pilots' Office,team,,
"""
RULES = """HARBOUR RULES

1. Ships over 90 metres take two tugs.
2. The harbour is closed from 23:00 to 05:00.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a chart and a document, and TRAG_HOME naming a home in it that is not made yet."""
    (tmp_path / "chart.csv").write_text(CHART)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "rules.txt").write_text(RULES)
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("trag.home.open_embedder", ENCODER)
    return tmp_path


def run(*words: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TRAG_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "trag", *map(str, words)], capture_output=True, text=True, cwd=ROOT, env=environment
    )


@pytest.mark.parametrize(
    ("words", "problem", "hint"),
    [
        (["chart", "check", "missing.csv"], "There is no file missing.csv", "Check the path"),
        (["chart", "activate", "missing.csv"], "There is no file missing.csv", "Check the path"),
        (["chart", "show"], "has no chart", "chart activate FILE"),
        (["chart", "rollback", "abc"], "no version abc of the chart", "chart versions"),
        (["batch", "missing.jsonl", "out.jsonl"], "missing.jsonl cannot be read: No such file", "Each line is"),
        (["ingest"], "Nothing to do", "--help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_a_line_and_a_hint_and_exit_1(
    words: list[str], problem: str, hint: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    error, advice = capsys.readouterr().err.splitlines()
    assert error.startswith("Error: ")
    assert problem in error
    assert advice.startswith("Hint: ")
    assert hint in advice


@pytest.mark.parametrize("words", ["chart show", "people list", "doctor", "serve", "restore backup.tar"])
def test_a_file_in_the_place_of_the_home_is_an_error_too(
    words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "home").write_text("not a home")
    assert main(words.split()) == 1
    assert "home is no folder" in capsys.readouterr().err


def test_who_has_read_enough_ends_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = os.pipe()
    os.close(there)
    with os.fdopen(here, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["chart", "check", str(folder / "chart.csv")]) == 141


def test_who_gets_no_answer_is_told_where_it_may_stand() -> None:
    near = Source("a", "section", "fees.md", "Mooring", 4, "A berth costs forty crowns a night.", 0.4)
    record = AnswerRecord("", "?", "?", "I cannot say.", "cannot_answer", ModelUsed("", "", ""), sources=(near,))
    assert answer_as_text(record).splitlines() == [
        "I cannot say.",
        "[nearest to the question]",
        "[1] fees.md, page 4, Mooring: A berth costs forty crowns a night.",
    ]
    assert "nearest" not in answer_as_text(replace(record, status="answered"))


def test_wrong_usage_is_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["chart", "paint"])
    assert ended.value.code == 2


def test_example_questions_are_kept_from_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "examples.txt").write_bytes(
        "Who pilots the Zürich ferry?\r\n\r\nWho closes the harbour?\r\n".encode("cp1252")
    )
    assert main(["ingest", "--examples", str(folder / "examples.txt")]) == 0
    assert capsys.readouterr().out == "2 example questions kept\n"
    records = Records(f"sqlite:///{folder / 'home' / 'trag.db'}")
    assert records.examples.all() == ("Who pilots the Zürich ferry?", "Who closes the harbour?")
    records.close()
    (folder / "examples.txt").write_text("w" * 301)
    assert main(["ingest", "--examples", str(folder / "examples.txt")]) == 1
    assert "Question 1 has 301 characters" in capsys.readouterr().err


def test_chart_check_reports_every_problem_and_exits_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.csv").write_text("name,parent\nTop,\nA,Topp\n,Top\n")
    assert main(["chart", "check", str(folder / "bad.csv")]) == 1
    report = capsys.readouterr().out
    assert "row 3" in report
    assert "did you mean" in report.lower()
    assert "row 4" in report
    assert not (folder / "home").exists()


def test_an_empty_header_says_that_the_file_does_not_have_the_column(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "managed.csv").write_text("name,parent,manager\nTop,,7\nA,Top,8\n")
    assert main(["chart", "check", str(folder / "managed.csv")]) == 0
    assert 'The column "manager" was read as head.' in capsys.readouterr().out
    assert main(["chart", "check", "--column", "head=", str(folder / "managed.csv")]) == 0
    assert "manager" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["chart", "check", "--column", "head", str(folder / "managed.csv")])
    assert "'head' is not NAME=HEADER" in capsys.readouterr().err


def test_the_encoding_is_told_and_can_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "russian.csv"
    file.write_bytes("name,parent\nДирекция,\nОтдел кадров,Дирекция\n".encode("iso8859_5"))
    assert main(["chart", "check", str(file)]) == 1
    assert "--encoding" in capsys.readouterr().out
    file.write_bytes("name,parent\nДирекция,\nОтдел кадров,Дирекция\n".encode("koi8_r"))
    assert main(["chart", "check", str(file)]) == 0
    assert "encoding KOI8-R (Russian)" in capsys.readouterr().out
    assert main(["chart", "check", "--encoding", "windows-1251", str(file)]) == 0
    assert f"2 units, 1 level below {'Дирекция'.encode('koi8_r').decode('cp1251')}" in capsys.readouterr().out
    assert main(["chart", "activate", "--encoding", "koi8-r", str(file)]) == 0
    assert "Read as KOI8-R (Russian)" in capsys.readouterr().out
    assert main(["chart", "show", "Отдел кадров"]) == 0
    with pytest.raises(SystemExit):
        main(["chart", "check", "--encoding", "klingon", str(file)])
    assert "'klingon' is none of these: Windows-1252" in capsys.readouterr().err


def test_a_chart_that_is_too_large_is_not_even_read(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (folder / "large.csv").open("wb") as large:
        large.truncate(200 * 2**20)
    monkeypatch.setattr(Path, "read_bytes", None)
    assert main(["chart", "check", str(folder / "large.csv")]) == 1
    assert "The file is too large: 200 MB." in capsys.readouterr().out
    assert main(["chart", "activate", str(folder / "large.csv")]) == 1
    assert "The file is too large: 200 MB" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["chart.csv-old", "chart.csv (1)"])
def test_a_chart_is_activated_whatever_its_file_is_called(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (folder / "chart.csv").rename(folder / name)
    assert main(["chart", "activate", str(folder / name)]) == 0
    assert f"({name})" in capsys.readouterr().out
    assert main(["chart", "show"]) == 0


def test_charts_are_activated_listed_shown_and_rolled_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    first = capsys.readouterr().out.split()[1]
    (folder / "chart.csv").write_text(CHART + "Crane Crew,Harbour Board,team,,\n")
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    assert "Changed: 1 added" in capsys.readouterr().out
    office, team = CHART.splitlines(keepends=True)[2:]
    other = office.replace("Pilots' Office", "Crane Office")
    (folder / "chart.csv").write_text(CHART + other)
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    (folder / "chart.csv").write_text(CHART.replace(office + team, other + office + team))
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    assert "Changed: only the order of the units, or their ids" in capsys.readouterr().out
    assert main(["chart", "rollback", first]) == 0
    capsys.readouterr()
    assert main(["chart", "versions"]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines() if line.startswith("*")] == [["*", first]]
    assert main(["chart", "show", "pilots office"]) == 0
    assert capsys.readouterr().out == "Pilots' Office (office)\n  Tug Team (team)\n"


@pytest.mark.slow
def test_a_fresh_home_ingests_answers_and_keeps_what_it_answered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    assert main(["ingest", str(folder / "documents")]) == 0
    assert "indexed: rules.txt" in capsys.readouterr().out
    asked = run("ask", "when is the harbour closed?", "--json", home=folder / "home")
    assert asked.returncode == 0, asked.stderr
    record = json.loads(asked.stdout)
    assert set(record) >= {
        "id", "question", "standalone", "answer", "status", "entities", "statements", "sources", "checks", "tokens",
        "seconds", "model",
    }  # fmt: skip
    assert record["answer"].strip(), "whatever the small model says"
    assert record["tokens"]["prompt"] > 0
    assert record["model"]["sha256"]
    assert record["seconds"]["total"] > 0
    assert main(["ask", "where is the tug team?"]) == 0
    assert capsys.readouterr().out.strip(), "whatever the small model says"


def modes(folder: Path) -> set[str]:
    """The modes of all that is in a folder, and its own."""
    return {f"{path.stat().st_mode:o}" for path in (folder, *folder.rglob("*"))}


@pytest.mark.slow
def test_all_that_is_written_is_for_its_owner_alone_and_an_older_home_is_closed(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home, ours = folder / "home", {"100600", "40700"}
    os.umask(0o022)
    with pytest.MonkeyPatch.context() as older:
        older.setattr("trag.home.close_to_others", lambda _: None)
        older.setattr(os, "umask", lambda _: None)
        assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
        assert main(["ingest", str(folder / "documents")]) == 0
        home.chmod(0o755)
        assert modes(home) >= {"100644", "40755"}, "files and folders that all may read"
    assert main(["chart", "show"]) == 0
    assert modes(home) == ours
    assert "was open to other accounts" in caplog.text
    caplog.clear()
    os.umask(0o022)
    (folder / "documents" / "fees.txt").write_text("A berth costs forty crowns a night, and water is free.")
    for words in (
        ["ingest", str(folder / "documents"), "--reindex"],
        ["ask", "what does a berth cost?"],
        ["finetune", "dataset"],
        ["backup", str(folder / "backup.tar")],
    ):
        assert main(words) == 0, words
    assert {path.name for path in home.iterdir()} > {"chroma", "finetune", "documents", "charts", "trag.db"}
    assert modes(home) == ours
    assert modes(folder / "backup.tar") == {"100600"}
    assert not caplog.text, "of which nothing had to be closed again"


@pytest.mark.slow
def test_documents_are_added_for_the_units_that_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def documents() -> dict[str, frozenset[str]]:
        with open_home(Settings(home=folder / "home")) as opened:
            return {each.name: each.audience for each in opened.records.library.documents()}

    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    ingest = ["ingest", str(folder / "documents"), "--readers", "tug team"]
    assert main([*ingest, "--readers", "Pool"]) == 1
    assert "no unit Pool" in capsys.readouterr().err
    assert documents() == {}
    assert main(ingest) == 0
    chart = load((folder / "chart.csv").read_bytes(), "chart.csv")
    assert documents() == {"rules.txt": {chart.named("Tug Team")[0].id}}
    assert main(["ingest", "--forget", "rules.txt", "--readers", "Pool"]) == 1
    assert "no unit Pool" in capsys.readouterr().err
    assert [*documents()] == ["rules.txt"]


@pytest.mark.slow
def test_a_batch_that_is_killed_goes_on_where_it_was(folder: Path) -> None:
    home, answers = folder / "home", folder / "answers.jsonl"
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0
    questions = folder / "questions.jsonl"
    asked = ["where is the tug team?", "what is under the harbour board?", "", "tugs?"]
    questions.write_text("".join(json.dumps({"id": f"q{i}", "question": text}) + "\n" for i, text in enumerate(asked)))
    words = [sys.executable, "-m", "trag", "batch", str(questions), str(answers)]
    with subprocess.Popen(words, cwd=ROOT, env=os.environ | {"TRAG_HOME": str(home)}) as running:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (answers.exists() and answers.read_bytes().count(b"\n") >= 1):
            time.sleep(0.02)
        running.kill()
    before = answers.read_bytes()
    assert main(["batch", str(questions), str(answers)]) == 0
    records = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [record["id"] for record in records] == [f"q{i}" for i in range(4)]
    assert answers.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert (records[2]["status"], "empty" in records[2]["interrupted"]) == ("cannot_answer", True)


@pytest.mark.slow
def test_a_home_that_another_process_owns_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = (
        "import sys\nfrom trag.home import open_home\nfrom trag.settings import load\n"
        "with open_home(load()): print('open', flush=True); sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], text=True, cwd=ROOT, **pipes) as owner:  # type: ignore[call-overload]
        assert owner.stdout.readline() == "open\n"
        assert main(["chart", "activate", str(folder / "chart.csv")]) == 1
        assert f"in use by process {owner.pid}" in capsys.readouterr().err
        owner.stdin.close()
    assert main(["chart", "activate", str(folder / "chart.csv")]) == 0


def test_many_threads_at_once_keep_no_memory_each(tmp_path: Path) -> None:
    """What they free goes back to two arenas, and not to as many as glibc makes for the processors."""
    code = """
import ctypes, threading
from trag.terminal.main import main
main(["chart", "check", "none.csv"])
together = threading.Barrier(20)
def ask():
    kept = bytearray(10_000)
    together.wait()
threads = [threading.Thread(target=ask) for _ in range(20)]
for one in threads: one.start()
for one in threads: one.join()
glibc = ctypes.CDLL(None)
glibc.malloc_info(0, ctypes.c_void_p.in_dll(glibc, "stdout"))
glibc.fflush(None)
"""
    environment = os.environ | {"TRAG_HOME": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment)
    assert 1 <= told.stdout.count("<heap nr=") <= 2, told.stderr
