"""Evaluations over a real home: what is asked of whom, what stays of an interrupted one, and what is refused.

The model is scripted where a rule needs a certain answer; the run that is killed is the real one.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from org.reading.charts import load
from prompts import Message
from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate import program, running
from trag.evaluate.cases import Case, write
from trag.evaluate.runs import Results, Run
from trag.home import Home, open_home
from trag.llm.model import LanguageModel, ModelDied, ModelIdentity, Usage
from trag.llm.queue import RequestQueue
from trag.llm.remote import RequestRefused
from trag.progress import silent
from trag.settings import Settings

ROOT = Path(__file__).parents[3]
CHART = b"""name,parent,type,aliases,description
Harbour Board,,board,HB,
Pilots' Office,Harbour Board,office,,Guides ships in.
Tug Team,Pilots' Office,team,,
"""
CASES = (
    Case("where", "Where is the Tug Team?", "simple", gold=(("Pilots' Office",),)),
    Case("long", "ships " * 1000, "simple", gold=(("anything",),)),
    Case("above", "What is above the Tug Team?", "simple", gold=(("Pilots' Office",),)),
)
RIGHT = "The Tug Team is under the Pilots' Office."


class Counting(Scripted):
    """A model that says one thing, reads every chart query alike, or dies, and counts what it was asked."""

    def __init__(self, says: str = RIGHT, *, adapter: str = "", dies: int = 0, then_stops: int = 0) -> None:
        super().__init__(says)
        self.identity = ModelIdentity("scripted", "0" * 64, adapter, "a" * 64 if adapter else "")
        self.dies, self.then_stops = dies, then_stops
        self.calls = 0
        self.stop = threading.Event()
        self.closed = False

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: threading.Event | None = None,
        task: str = "other",
        **_: object,
    ) -> Generator[str | Usage, None, None]:
        self.calls += 1
        if self.calls <= self.dies:
            yield "Half an "
            raise ModelDied("The model's process ended.", "It starts again.")
        if self.calls == self.then_stops:
            yield "Half an "
            self.stop.set()
        if not (stop and stop.is_set()):
            yield "parent(u1)" if task == "chart_query" else str(self.script[0])
        yield Usage(10, 10, 10)

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with open_home(Settings(home=tmp_path_factory.mktemp("harbour") / "home")) as home:
        home.activate_chart(load(CHART, "chart.csv"), "chart.csv", CHART, by="test")
        home.parts["model"] = Counting()
        assert home.assistant
        yield home


def with_model(home: Home, model: Counting, monkeypatch: pytest.MonkeyPatch) -> Counting:
    """The home with this model from here to the end of the test."""
    spoken = cast(LanguageModel, model)
    monkeypatch.setitem(home.parts, "model", spoken)
    monkeypatch.setitem(home.parts, "assistant", replace(home.assistant, model=spoken, line=RequestQueue(1, 0)))
    return model


def run(
    home: Home, systems: Sequence[str] = ("finetuned",), **options: object
) -> tuple[Run, list[tuple[str, int, int]]]:
    told: list[tuple[str, int, int]] = []
    cases = cast(Sequence[Case], options.pop("cases", CASES))
    finished = running.evaluate(
        home,
        cases,
        "harbour",
        systems,
        progress=lambda *step: told.append(step),
        **options,  # type: ignore[arg-type]
    )
    return finished, told


@pytest.mark.slow
def test_every_answer_of_every_system_is_kept_with_its_score_and_nowhere_else(
    opened: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = with_model(opened, Counting(), monkeypatch)
    finished, told = run(opened, ("finetuned", "trag"))
    results = running.results_of(opened).results(finished.id)
    assert [(one.system, one.case.id, one.score.verdict) for one in results] == [
        ("finetuned", "where", "Correct"),
        ("finetuned", "long", "Incorrect"),
        ("finetuned", "above", "Correct"),
        ("trag", "where", "Correct"),
        ("trag", "long", "Incorrect"),
        ("trag", "above", "Correct"),
    ]
    assert "at most 4,000 are read" in results[1].score.reasons[0]
    assert (results[0].record.statements, bool(results[3].record.statements)) == ((), True)
    assert model.calls == 4
    assert told == [(s, n, 6) for n, s in enumerate(["finetuned"] * 3 + ["trag"] * 3)] + [("trag", 6, 6)]
    assert finished.finished
    assert (finished.chart, finished.commit, finished.model.name, finished.total) == (
        opened.organization.version, program.commit(), "scripted", 6,
    )  # fmt: skip
    assert [opened.records.answer(one.record.id) for one in results] == [None] * 6


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_it_was(opened: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = with_model(opened, Counting(then_stops=3), monkeypatch)
    stopped, _ = run(opened, ("finetuned", "trag"), stop=stopping.stop)
    kept = running.results_of(opened).results(stopped.id)
    assert stopped.finished is None
    assert [(one.system, one.case.id) for one in kept] == [
        ("finetuned", "where"), ("finetuned", "long"), ("finetuned", "above"),
    ]  # fmt: skip
    assert running.earlier(opened, CASES, ("finetuned", "trag"))[0] == stopped
    model = with_model(opened, Counting(), monkeypatch)
    finished, told = run(opened, ("finetuned", "trag"), resume=stopped.id)
    results = running.results_of(opened).results(finished.id)
    assert results[:3] == kept
    assert [(one.system, one.case.id) for one in results[3:]] == [
        ("trag", "where"),
        ("trag", "long"),
        ("trag", "above"),
    ]
    assert (model.calls, told[0], finished.id, bool(finished.finished)) == (2, ("trag", 3, 6), stopped.id, True)
    again, told = run(opened, ("finetuned", "trag"), resume=stopped.id)
    assert (again, told) == (finished, [])
    file = opened.folder / "results" / finished.id / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"finished": None}))  # killed after the last answer
    again, told = run(opened, ("finetuned", "trag"), resume=stopped.id)
    assert (bool(again.finished), told, model.calls) == (True, [("trag", 6, 6)], 2)


@pytest.mark.slow
def test_a_model_that_dies_is_asked_once_more(opened: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with_model(opened, Counting(dies=1), monkeypatch)
    finished, _ = run(opened, cases=CASES[:1])
    assert [one.score.verdict for one in running.results_of(opened).results(finished.id)] == ["Correct"]
    with_model(opened, Counting(dies=2), monkeypatch)
    finished, _ = run(opened, cases=CASES)
    first, _, last = running.results_of(opened).results(finished.id)
    assert (first.score.verdict, last.score.verdict) == ("Incorrect", "Correct")
    assert "process ended" in first.score.reasons[0]


@pytest.mark.slow
def test_a_model_that_cannot_be_reached_stops_the_run_and_loses_nothing(
    opened: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = with_model(opened, Counting(), monkeypatch)
    stream = model.stream

    def gone(*given: object, **options: object) -> Generator[str | Usage, None, None]:
        if model.calls:
            raise TragError("http://models:8000/v1 cannot be reached.", "Is it running?")
        return stream(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "stream", gone)
    with pytest.raises(TragError, match="cannot be reached"):
        run(opened, ("finetuned", "rag"))
    (unfinished, *_) = running.earlier(opened, CASES, ("finetuned", "rag"))
    assert [one.case.id for one in running.results_of(opened).results(unfinished.id)] == ["where", "long"]
    assert not unfinished.finished


@pytest.mark.slow
def test_a_question_that_the_model_s_server_refuses_is_wrong_and_the_run_goes_on(
    opened: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = with_model(opened, Counting(), monkeypatch)
    stream = model.stream

    def refusing(messages: Sequence[Message], **options: object) -> Generator[str | Usage, None, None]:
        if CASES[0].question in messages[-1].content:
            raise RequestRefused("http://models:8000/v1 answered 400: too long", "The server's own log says more.")
        return stream(messages, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(model, "stream", refusing)
    finished, _ = run(opened)
    first, _, last = running.results_of(opened).results(finished.id)
    assert (first.score.verdict, last.score.verdict) == ("Incorrect", "Correct")
    assert "answered 400: too long" in first.score.reasons[0]
    assert finished.finished


@pytest.mark.slow
def test_a_second_evaluation_is_refused_while_one_runs(opened: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with_model(opened, Counting(), monkeypatch)
    refused: list[str] = []
    filled: list[list[bool]] = []

    def meanwhile(system: str, done: int, total: int) -> None:
        filled.append([running.is_filled(opened, run.id) for run in running.results_of(opened).runs()])
        if not done:
            with pytest.raises(TragError) as found:
                run(opened)
            refused.append(found.value.message)

    before = len(running.results_of(opened).runs())
    finished = running.evaluate(opened, CASES, "harbour", ("finetuned",), progress=meanwhile)
    assert refused == ["An evaluation is running already."]
    assert filled == [[True] + [False] * before] * (len(CASES) + 1), "the new run alone"
    assert not running.is_filled(opened, finished.id)
    assert finished.finished
    assert len(running.results_of(opened).runs()) == before + 1
    assert run(opened)[0].finished, "the next one may run"


@pytest.mark.slow
def test_people_go_first_when_the_line_is_full(opened: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    model = with_model(opened, Counting(), monkeypatch)
    monkeypatch.setattr(running, "_PAUSE", 0.05)
    stop, asked_meanwhile = threading.Event(), []
    with opened.assistant.line.place():
        running_one = threading.Thread(target=lambda: run(opened, cases=CASES[:1], stop=stop))
        running_one.start()
        time.sleep(0.3)
        asked_meanwhile.append(model.calls)
    running_one.join(30)
    assert (asked_meanwhile, model.calls) == ([0], 1)


@pytest.mark.slow
def test_the_base_model_is_opened_when_it_is_asked_for_and_closed_again(
    opened: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(opened, Counting(adapter="ours.gguf"), monkeypatch)
    base, given = Counting("The Tug Team is under the Harbour Board."), []

    def open_model(settings: Settings) -> Counting:
        given.append(settings)
        return base

    monkeypatch.setattr("trag.home.open_model", open_model)
    run(opened, ("finetuned",))
    assert given == []
    finished, _ = run(opened, ("finetuned", "finetuned:base", "trag-no-tree:base"))
    answers = [
        (one.system, one.record.model.adapter, one.score.verdict)
        for one in running.results_of(opened).results(finished.id)
    ]
    assert answers[::3] == [
        ("finetuned", "ours.gguf", "Correct"),
        ("finetuned:base", "", "Incorrect"),
        ("trag-no-tree:base", "", "Incorrect"),
    ]
    assert [one.adapter for one in given] == ["none"]
    assert base.closed
    assert finished.adapter_sha256 == "a" * 64


@pytest.mark.slow
@pytest.mark.parametrize(
    ("systems", "cases", "problem"),
    [
        (("trag", "magic"), CASES, "no system magic"),
        (("trag", "trag:base"), CASES, "No adapter answers, so trag:base would be the same"),
        (("trag", "trag:20261120-0a0a0a0a"), CASES, "no adapter 20261120-0a0a0a0a"),
        ((), CASES, "no system, or no question"),
        (("trag",), (), "no system, or no question"),
    ],
    ids=["unknown", "base without an adapter", "no such candidate", "none", "no case"],
)
def test_systems_that_cannot_be_run_are_refused_before_anything_is_kept(
    opened: Home, systems: tuple[str, ...], cases: tuple[Case, ...], problem: str
) -> None:
    before = running.results_of(opened).runs()
    with pytest.raises(TragError, match=problem):
        run(opened, systems, cases=cases)
    assert running.results_of(opened).runs() == before


@pytest.mark.slow
def test_a_run_goes_on_only_with_what_it_was_made_with(opened: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    stopping = with_model(opened, Counting(then_stops=1), monkeypatch)
    stopped, _ = run(opened, stop=stopping.stop)
    other = with_model(opened, Counting(), monkeypatch)
    other.identity = replace(other.identity, sha256="1" * 64)
    monkeypatch.setattr(program, "commit", lambda: "another")
    with pytest.raises(TragError) as refused:
        run(opened, ("rag",), cases=CASES[:2], resume=stopped.id)
    for part in ("other questions", "the systems finetuned", "the model scripted", f"the program {stopped.commit}"):
        assert part in refused.value.message
    assert "adapter" not in refused.value.message
    assert "chart" not in refused.value.message
    assert stopped not in running.earlier(opened, CASES, ("finetuned",))


@pytest.mark.slow
def test_a_run_goes_on_only_with_the_documents_and_settings_it_was_made_with(
    opened: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopping = with_model(opened, Counting(then_stops=1), monkeypatch)
    stopped, _ = run(opened, stop=stopping.stop)
    with_model(opened, Counting(), monkeypatch)
    (tmp_path / "tides.md").write_text("# Tides\n\nThe tide table is printed every spring.\n")
    opened.ingest([tmp_path / "tides.md"], replace=False, progress=silent)
    with pytest.raises(TragError, match="other documents or settings"):
        run(opened, resume=stopped.id)
    opened.forget("tides.md")
    monkeypatch.setattr(opened, "settings", replace(opened.settings, sections=2))
    with pytest.raises(TragError, match="other documents or settings"):
        run(opened, resume=stopped.id)
    monkeypatch.undo()
    with_model(opened, Counting(), monkeypatch)
    finished, _ = run(opened, resume=stopped.id)
    assert finished.finished


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 4], ids=["before the second system", "before the end"])
def test_a_run_whose_documents_change_meanwhile_is_left_unfinished(
    opened: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    with_model(opened, Counting(), monkeypatch)
    (tmp_path / "tides.md").write_text("# Tides\n\nThe tide table is printed every spring.\n")

    def meanwhile(system: str, done: int, total: int) -> None:
        if done == after:
            opened.ingest([tmp_path / "tides.md"], replace=False, progress=silent)

    try:
        with pytest.raises(TragError, match="it was made with other documents or settings"):
            running.evaluate(opened, CASES, "harbour", ("finetuned", "trag"), progress=meanwhile)
    finally:
        opened.forget("tides.md")
    (unfinished, *_) = running.earlier(opened, CASES, ("finetuned", "trag"))
    assert not unfinished.finished
    assert len(running.results_of(opened).results(unfinished.id)) == (3 if after == 1 else 6)


def test_the_program_is_named_by_its_commit_or_by_its_sources(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        said = subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True, text=True)
        return said.stdout.strip()

    (tmp_path / "trag").mkdir()
    (tmp_path / "trag" / "ask.py").write_text("one\n")
    (tmp_path / "app.py").write_text("app\n")
    (tmp_path / "requirements.txt").write_text("")
    outside = program.commit_of(tmp_path)
    assert outside.startswith("sources ")
    (tmp_path / "trag" / "ask.py").write_text("two\n")
    assert program.commit_of(tmp_path) not in ("", outside)
    before = program.commit_of(tmp_path)
    (tmp_path / "trag" / "__pycache__").mkdir()
    (tmp_path / "trag" / "__pycache__" / "ask.pyc").write_bytes(b"compiled")
    (tmp_path / ".gitignore").write_text("__pycache__/")
    assert program.commit_of(tmp_path) == before, "what Python compiles is no source"
    (tmp_path / "trag" / "shipped.safetensors").write_bytes(b"weights")
    assert program.commit_of(tmp_path) != before, "what was learned answers too"
    git("init", "-q")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first")
    head = git("rev-parse", "HEAD")[:12]
    assert program.commit_of(tmp_path) == head
    (tmp_path / "RESULTS.md").write_text("figures")
    assert program.commit_of(tmp_path) == head, "a file that is no source is not part of the program"
    (tmp_path / "trag" / "new.py").write_text("")
    changed = program.commit_of(tmp_path)
    assert changed.startswith(f"{head}+")
    (tmp_path / "trag" / "new.py").write_text("three\n")
    written = program.commit_of(tmp_path)
    assert written not in (head, changed)
    (tmp_path / "trag" / "shipped.safetensors").write_bytes(b"learned again")
    assert program.commit_of(tmp_path) not in (head, written)


@pytest.mark.slow
def test_an_evaluation_that_is_killed_loses_no_answer_and_goes_on(tmp_path: Path) -> None:
    home, cases = tmp_path / "home", tmp_path / "harbour.jsonl"
    with open_home(Settings(home=home)) as own:
        own.activate_chart(load(CHART, "chart.csv"), "chart.csv", CHART, by="test")
    asked = [
        replace(CASES[0], id=f"case-{number}", question=f"{number}. Where is the Tug Team?") for number in range(6)
    ]
    cases.write_bytes(write(asked))
    environment = os.environ | {"TRAG_HOME": str(home)}
    # The sources may be edited while this runs; it is to be the same program all the same.
    code = (
        "import sys\nfrom trag.terminal.main import main\nfrom trag.evaluate import program\n"
        "program.commit = lambda: 'this'\nsys.exit(main())"
    )
    words = [sys.executable, "-c", code, "evaluate", str(cases), "--system", "finetuned", "trag"]
    whole: list[bytes] = []
    for least in (1, 5):  # killed twice, at moments that nobody chose
        killed = subprocess.Popen(words, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and len(lines(home)) < least:
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        found = [line for line in lines(home) if line.endswith(b"\n")]
        assert least <= len(found) < 12
        assert found[: len(whole)] == whole
        whole = found
    (unfinished,) = Results(home / "results").runs()
    assert not unfinished.finished
    again = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=200)
    assert again.returncode == 0, again.stderr
    assert f"going on with run {unfinished.id}" in again.stderr
    assert f"Run {unfinished.id}: harbour" in again.stdout
    (finished,) = Results(home / "results").runs()
    assert finished.finished
    assert lines(home)[: len(whole)] == whole
    results = Results(home / "results").results(finished.id)
    assert [(one.system, one.case.id) for one in results] == [
        (system, f"case-{number}") for system in ("finetuned", "trag") for number in range(6)
    ]


def lines(home: Path) -> list[bytes]:
    """The lines of the one run in a home."""
    return [
        line for file in home.glob("results/*/results.jsonl") for line in file.read_bytes().splitlines(keepends=True)
    ]
