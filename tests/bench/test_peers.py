"""The product beside its peers: what a system says over the pipe, the turns, what is kept, the figures."""

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.peers import environment, lineup, tables
from bench.peers.comparing import Alone, Asked, Compared, Contender, compare
from bench.peers.process import Process
from bench.peers.serving import Setup
from store import StoreError, files
from trag.evaluate.cases import Case
from trag.evaluate.runs import Result, Run
from trag.evaluate.scoring import Score
from trag.record import AnswerRecord, ModelUsed, Seconds
from trag.settings import Settings

ROOT = environment.HERE.parent.parent
SCRIPTED = """
import os, pathlib, socket, sys, time
from bench.peers.serving import Passage, Reply, serve

class Scripted:
    def __init__(self, setup):
        print("loading", setup.model)
        self.held = bytearray(50_000_000)
        self.setup = setup

    def index(self):
        files = sorted(os.listdir(self.setup.documents))
        assert files == ["chart.csv", "rules.txt"], files
        return len(files)

    def ask(self, question, heard):
        with open(self.setup.folder + "/asked", "a") as asked:
            asked.write(f"{sys.argv[1]}:{question} ")
        print("noise on stdout")
        if question == "Look it up.":
            socket.getaddrinfo("example.org", 80)
        if question == "Die." and sys.argv[1] == "second":
            sys.stderr.write("out of memory")
            os._exit(1)
        heard("")
        time.sleep(0.05)
        heard("Two ")
        time.sleep(0.05)
        return Reply("Two tugs." if sys.argv[1] == "first" else "Five tugs.", (Passage("rules.txt", "Two tugs."),))

serve(Scripted)
"""
CASES = tuple(
    Case(str(number), question, "document", gold=(("two",),))
    for number, question in enumerate(("How many tugs?", "Die.", "And at night?"))
)
MODEL = ModelUsed("model", "abc", "")


def scripted(name: str, script: str = SCRIPTED) -> Contender:
    return Contender(name, (sys.executable, "-c", script, name))


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "rules.txt").write_text("RULES\n\n1. Ships over 90 metres take two tugs.\n")
    (tmp_path / "chart.csv").write_text("name,parent,type\nHarbour Board,,board\nTug Team,Harbour Board,team\n")
    return Setup("", "", "model.gguf", "", str(tmp_path), 4096, 64, 1.1, 2)


def asked(tmp_path: Path, cases: tuple[Case, ...] = CASES) -> Asked:
    return Asked("harbour", None, tmp_path / "chart.csv", tmp_path / "documents", cases)


def test_a_system_replies_with_its_times_whatever_its_libraries_print(tmp_path: Path, setup: Setup) -> None:
    (tmp_path / "documents" / "chart.csv").write_text("name\n")
    handed = replace(setup, documents=str(tmp_path / "documents"))
    process = Process(scripted("first").command, handed, tmp_path / "log")
    try:
        with process.watched() as peak:
            assert process.index().passages == 2
            answered = process.ask("How many tugs?")
            process.ask("How many tugs?")
            process.ask("How many tugs?")
        assert (answered.answer, answered.error, answered.passages[0].document) == ("Two tugs.", "", "rules.txt")
        assert 0.04 < answered.first_token < answered.total
        assert peak[0] > 50_000_000
        refused = process.ask("Look it up.")
        assert "example.org was looked up: nothing may use the network" in refused.error, refused
        assert refused.answer == ""
    finally:
        process.close()
    assert "loading model.gguf\nnoise on stdout" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_systems_are_asked_in_turns_nothing_twice_and_a_stopped_run_goes_on(tmp_path: Path, setup: Setup) -> None:
    contenders = [scripted("first"), scripted("second")]
    whole = compare(asked(tmp_path), contenders, setup, MODEL, tmp_path)
    told = tmp_path / "asked"
    _, *turns = told.read_text().split("first:What is this organization called? ")
    assert turns == [
        "first:How many tugs? second:How many tugs? second:Die. first:Die. first:And at night? second:And at night? "
    ]
    assert {(one.system, one.case.id): (one.score.verdict, one.record.interrupted[-13:]) for one in whole.results} == {
        **{("first", case.id): ("Correct", "") for case in CASES},
        ("second", "0"): ("Incorrect", ""),
        ("second", "1"): ("Incorrect", "out of memory"),
        ("second", "2"): ("Incorrect", ""),
    }
    assert whole.run.finished
    assert whole.alone["first"].passages == 2
    assert compare(asked(tmp_path), contenders, setup, MODEL, tmp_path) == whole
    assert told.read_text().endswith(turns[0])

    kept = tmp_path / "results" / whole.run.id
    lines = (kept / "results.jsonl").read_text().splitlines(keepends=True)
    (kept / "results.jsonl").write_text("".join(lines[:4]))
    (kept / "run.json").write_text(json.dumps(json.loads((kept / "run.json").read_text()) | {"finished": None}))
    told.unlink()
    after = compare(asked(tmp_path), contenders, setup, MODEL, tmp_path)
    assert (after.results[:4], len(after.results)) == (whole.results[:4], len(whole.results))
    assert told.read_text().endswith("organization called? first:And at night? second:And at night? ")
    (tmp_path / "documents" / "rules.txt").write_text("Other rules.\n")
    assert compare(asked(tmp_path), contenders, setup, MODEL, tmp_path).run.id != whole.run.id


def test_two_comparisons_in_one_folder_are_refused_before_anything_is_removed(tmp_path: Path, setup: Setup) -> None:
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "rules.txt").write_text("being read\n")
    with files.lock(tmp_path), pytest.raises(StoreError, match="already in use by process"):
        compare(asked(tmp_path), [scripted("first")], setup, MODEL, tmp_path)
    assert (tmp_path / "handed" / "rules.txt").read_text() == "being read\n"
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_a_system_that_cannot_be_set_up_is_named_with_what_it_said(tmp_path: Path, setup: Setup) -> None:
    broken = scripted("third", "raise ImportError('no such package')")
    with pytest.raises(SystemExit, match=r"third cannot be measured(?s:.*)no such package"):
        compare(asked(tmp_path), [broken], setup, MODEL, tmp_path)


def test_the_figures_are_those_of_the_answers() -> None:
    def result(system: str, number: int, score: Score, seconds: Seconds, error: str = "") -> Result:
        case = Case(str(number), "?", "document", gold=(("two",),))
        record = AnswerRecord("", "?", "?", "", "answered", MODEL, seconds=seconds, interrupted=error)
        return Result(system, case, record, score)

    seconds = [Seconds(first_token=first, total=first + 2) for first in (1.0, 3.0, 5.0)]
    verdicts = [Score("Correct"), Score("Correct-Verbose"), Score(None)]
    results = [result("T-RAG", number, *both) for number, both in enumerate(zip(verdicts, seconds, strict=True))]
    results += [result("Haystack 3", 0, Score("Incorrect"), Seconds(), "it died")]
    now = datetime.now(UTC)
    run = Run("1", "harbour", "", ("T-RAG", "Haystack 3"), now, now, "c", MODEL, "", 6)
    alone = {"T-RAG": Alone(300 * 2**20, 12.34, 1000), "Haystack 3": Alone(2**30, 1.0, 5)}
    figures, kinds = tables.side_by_side(Compared(run, tuple(results), alone), "harbour")
    assert figures.header[:8] == ("Name", "N", "C", "CV", "I", "T", "Perc.", "Undecided")
    assert [head.split(",")[0] for head in figures.header[8:]] == [
        "First token", "Whole answer", "95th percentile", "Memory", "Indexing", "Passages",
    ]  # fmt: skip
    assert [(row[1:8], row[8:]) for row in figures.rows] == [
        (("2", "1", "1", "0", "2", "100.0%", "1"), ("3.00", "5.00", "7.00", "300", "12.3", "1,000")),
        (("1", "0", "0", "1", "0", "0.0%", "0"), ("-", "-", "-", "1,024", "1.0", "5")),
    ]
    assert kinds.title == "By kind of question, harbour"


def test_engine_and_encoder_of_the_peers_are_those_of_the_product() -> None:
    ours = set((ROOT / "requirements.txt").read_text().splitlines())
    assert len(environment.requirements()) == 3
    for file in environment.requirements():
        theirs = set(file.read_text().splitlines())
        for package in ("torch", "llama-cpp-python", "sentence-transformers", "transformers"):
            (pin,) = (line for line in ours if line.startswith(f"{package}=="))
            assert pin in theirs, f"{file.name} lacks {pin}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trag", "llama_index", "haystack", "langchain"])
def test_every_real_system_answers_and_shows_the_documents_it_read(name: str, tmp_path: Path, setup: Setup) -> None:
    if name != "trag" and not environment.made():
        pytest.skip("the environment of the peers is not made: python -m bench.results peers makes it")
    shared, _ = lineup.alike(Settings(home=tmp_path / "home"))
    documents = tmp_path / "documents"
    chart = (tmp_path / "chart.csv").rename(documents / "chart.csv")
    handed = replace(shared, documents=str(documents), chart=str(chart), answer_tokens=32)
    python = sys.executable if name == "trag" else str(environment.python())
    process = Process((python, "-m", f"bench.peers.systems.{name}"), handed, tmp_path / "log")
    try:
        assert process.index().passages >= 1
        answered = process.ask("How many tugs do ships over 90 metres take?")
    finally:
        process.close()
    assert not answered.error
    assert answered.answer, answered
    assert any("take two tugs" in one.text for one in answered.passages), answered
    assert 0 < answered.first_token <= answered.total
