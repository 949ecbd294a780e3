"""Evaluations over a real home: what is asked of whom, what stays of an interrupted one, and what is refused.

The model is scripted where a rule needs a certain answer; the run that is killed is the real one.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from org.reading.charts import load
from prompts import Message
from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate import running, runs
from trag.evaluate.cases import Case, write
from trag.evaluate.runs import Result, Results, Run
from trag.home import Home, open_home
from trag.llm.model import LanguageModel, ModelDied, ModelIdentity, Usage
from trag.llm.remote import RequestRefused
from trag.progress import silent
from trag.settings import Settings
from trag.terminal.main import main

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
BOTH = ("finetuned", "trag")
EVERY = [(system, case.id) for system in BOTH for case in CASES]
RIGHT = "The Tug Team is under the Pilots' Office."
DIED = ModelDied("The model's process ended.", "It starts again.")
REFUSED = RequestRefused("http://models:8000/v1 answered 400: too long", "The server's own log says more.")


class Counting(Scripted):
    """Reads every chart query alike and counts what it is asked; in its call number `stops` it sets `stop`."""

    def __init__(self, *script: str | Exception, adapter: str = "", stops: int = 0) -> None:
        super().__init__(*script or (RIGHT,), chart_query="parent(u1)")
        self.identity = ModelIdentity("scripted", "0" * 64, adapter, "a" * 64 if adapter else "")
        self.calls, self.stops, self.stop, self.closed = 0, stops, threading.Event(), False

    def stream(self, messages: Sequence[Message], **options: Any) -> Generator[str | Usage, None, None]:
        self.calls += 1
        for piece in super().stream(messages, **options):
            yield piece
            if self.calls == self.stops:
                self.stop.set()

    def close(self) -> None:
        self.closed = True


Given = Callable[[Home, Counting], Counting]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with open_home(Settings(home=tmp_path_factory.mktemp("harbour") / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="test")
        home.parts["model"] = cast(LanguageModel, Counting())
        assert home.assistant
        yield home


@pytest.fixture
def tides(tmp_path: Path) -> Path:
    file = tmp_path / "tides.md"
    file.write_text("# Tides\n\nThe tide table is printed every spring.\n")
    return file


def run(
    home: Home, systems: Sequence[str] = ("finetuned",), *, cases: Sequence[Case] = CASES, **options: Any
) -> tuple[Run, list[tuple[str, int, int]]]:
    told: list[tuple[str, int, int]] = []
    tell = {"progress": lambda *step: told.append(step)}
    return running.evaluate(home, cases, "harbour", systems, **tell | options), told


def results(home: Home, run: Run) -> tuple[Result, ...]:
    return running.results_of(home).results(run.id)


def stopped(home: Home, with_model: Given, systems: Sequence[str] = ("finetuned",), *, at: int = 1) -> Run:
    """A run that was stopped in the middle of that answer, with a model that goes on."""
    model = with_model(home, Counting(stops=at))
    unfinished, _ = run(home, systems, stop=model.stop)
    assert unfinished.finished is None
    with_model(home, Counting())
    return unfinished


@pytest.mark.slow
def test_every_answer_of_every_system_is_kept_with_its_score_and_nowhere_else(opened: Home, with_model: Given) -> None:
    model = with_model(opened, Counting())
    finished, told = run(opened, BOTH)
    kept = results(opened, finished)
    assert [(one.system, one.case.id) for one in kept] == EVERY
    assert [one.score.verdict for one in kept] == ["Correct", "Incorrect", "Correct"] * 2
    assert "at most 4,000 are read" in kept[1].score.reasons[0]
    assert (kept[0].record.statements, bool(kept[3].record.statements)) == ((), True)
    assert model.calls == 4
    assert told == [(system, number, 6) for number, (system, _) in enumerate(EVERY)] + [("trag", 6, 6)]
    assert finished.finished
    assert (finished.chart, finished.commit) == (opened.organization.version, runs.commit())
    assert (finished.model.name, finished.total) == ("scripted", 6)
    assert [opened.records.answer(one.record.id) for one in kept] == [None] * 6


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_it_was(opened: Home, with_model: Given) -> None:
    unfinished = stopped(opened, with_model, BOTH, at=2)
    kept = results(opened, unfinished)
    assert [(one.system, one.case.id) for one in kept] == EVERY[:2]
    assert running.earlier(opened, CASES, BOTH)[0] == unfinished
    model = with_model(opened, Counting())
    finished, told = run(opened, BOTH, resume=unfinished.id)
    assert results(opened, finished)[:2] == kept
    assert [(one.system, one.case.id) for one in results(opened, finished)] == EVERY
    assert (model.calls, told[0], finished.id) == (3, ("finetuned", 2, 6), unfinished.id)
    assert finished.finished
    assert run(opened, BOTH, resume=unfinished.id) == (finished, [])
    file = opened.folder / "results" / finished.id / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"finished": None}))  # killed after the last answer
    again, told = run(opened, BOTH, resume=unfinished.id)
    assert (bool(again.finished), told, model.calls) == (True, [("trag", 6, 6)], 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "verdict", "reason"),
    [
        ((DIED, RIGHT), "Correct", ""),
        ((DIED, DIED, RIGHT), "Incorrect", "process ended"),
        ((REFUSED, REFUSED, RIGHT), "Incorrect", "answered 400: too long"),
    ],
    ids=["dies once", "dies twice", "refused twice"],
)
def test_a_question_that_ends_the_model_twice_or_is_refused_is_wrong_and_the_run_goes_on(
    opened: Home, with_model: Given, script: tuple[str | Exception, ...], verdict: str, reason: str
) -> None:
    with_model(opened, Counting(*script))
    finished, _ = run(opened)
    first, _, last = results(opened, finished)
    assert (first.score.verdict, last.score.verdict) == (verdict, "Correct")
    assert reason in " ".join(first.score.reasons)
    assert finished.finished


@pytest.mark.slow
def test_a_model_that_cannot_be_reached_stops_the_run_and_loses_nothing(opened: Home, with_model: Given) -> None:
    with_model(opened, Counting(RIGHT, TragError("http://models:8000/v1 cannot be reached.", "Is it running?")))
    with pytest.raises(TragError, match="cannot be reached"):
        run(opened, ("finetuned", "rag"))
    (unfinished, *_) = running.earlier(opened, CASES, ("finetuned", "rag"))
    assert [one.case.id for one in results(opened, unfinished)] == ["where", "long"]
    assert not unfinished.finished


@pytest.mark.slow
def test_a_second_evaluation_is_refused_while_one_runs(opened: Home, with_model: Given) -> None:
    with_model(opened, Counting())
    filled: list[list[bool]] = []

    def meanwhile(system: str, done: int, total: int) -> None:
        filled.append([running.is_filled(opened, run.id) for run in running.results_of(opened).runs()])
        with pytest.raises(TragError, match=r"An evaluation is running already\."):
            run(opened)

    before = len(running.results_of(opened).runs())
    finished, _ = run(opened, progress=meanwhile)
    assert filled == [[True] + [False] * before] * (len(CASES) + 1), "the new run alone"
    assert not running.is_filled(opened, finished.id)
    assert finished.finished
    assert len(running.results_of(opened).runs()) == before + 1
    assert run(opened)[0].finished, "the next one may run"


@pytest.mark.slow
def test_people_go_first_when_the_line_is_full(
    opened: Home, monkeypatch: pytest.MonkeyPatch, with_model: Given
) -> None:
    model = with_model(opened, Counting())
    monkeypatch.setattr(running, "_PAUSE", 0.05)
    with opened.assistant.line.place():
        waiting = threading.Thread(target=lambda: run(opened, cases=CASES[:1], stop=model.stop))
        waiting.start()
        time.sleep(0.3)
        assert model.calls == 0
    waiting.join(30)
    assert model.calls == 1


@pytest.mark.slow
def test_the_base_model_is_opened_when_it_is_asked_for_and_closed_again(
    opened: Home, monkeypatch: pytest.MonkeyPatch, with_model: Given
) -> None:
    with_model(opened, Counting(adapter="ours.gguf"))
    base, given = Counting("The Tug Team is under the Harbour Board."), list[Settings]()
    monkeypatch.setattr("trag.home.open_model", lambda settings: given.append(settings) or base)
    run(opened, ("finetuned",))
    assert given == []
    finished, _ = run(opened, ("finetuned", "finetuned:base", "trag-no-tree:base"))
    answers = [(one.system, one.record.model.adapter, one.score.verdict) for one in results(opened, finished)]
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
def test_a_run_goes_on_only_with_what_it_was_made_with(
    opened: Home, monkeypatch: pytest.MonkeyPatch, with_model: Given
) -> None:
    unfinished = stopped(opened, with_model)
    other = with_model(opened, Counting())
    other.identity = replace(other.identity, sha256="1" * 64)
    monkeypatch.setattr(runs, "commit", lambda: "another")
    with pytest.raises(TragError) as refused:
        run(opened, ("rag",), cases=CASES[:2], resume=unfinished.id)
    for part in ("other questions", "the systems finetuned", "the model scripted", f"the program {unfinished.commit}"):
        assert part in refused.value.message
    assert "adapter" not in refused.value.message
    assert "chart" not in refused.value.message
    assert unfinished not in running.earlier(opened, CASES, ("finetuned",))


@pytest.mark.slow
def test_a_run_goes_on_only_with_the_documents_and_settings_it_was_made_with(
    opened: Home, tides: Path, with_model: Given
) -> None:
    unfinished = stopped(opened, with_model)
    opened.ingest([tides], replace=False, progress=silent)
    with pytest.raises(TragError, match="other documents or settings"):
        run(opened, resume=unfinished.id)
    opened.forget("tides.md")
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(opened, "settings", replace(opened.settings, sections=2))
        with pytest.raises(TragError, match="other documents or settings"):
            run(opened, resume=unfinished.id)
    assert run(opened, resume=unfinished.id)[0].finished


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 4], ids=["before the second system", "before the end"])
def test_a_run_whose_documents_change_meanwhile_is_left_unfinished(
    opened: Home, tides: Path, after: int, with_model: Given
) -> None:
    with_model(opened, Counting())

    def meanwhile(system: str, done: int, total: int) -> None:
        if done == after:
            opened.ingest([tides], replace=False, progress=silent)

    with pytest.raises(TragError, match="it was made with other documents or settings"):
        run(opened, BOTH, progress=meanwhile)
    opened.forget("tides.md")
    (unfinished, *_) = running.earlier(opened, CASES, BOTH)
    assert not unfinished.finished
    assert len(results(opened, unfinished)) == (3 if after == 1 else 6)


def test_the_program_is_named_by_its_commit_or_by_its_sources(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        return subprocess.check_output(["git", "-C", str(tmp_path), *words], text=True).strip()

    def named(file: str, content: bytes) -> str:
        (tmp_path / file).write_bytes(content)
        return runs.commit_of(tmp_path)

    (tmp_path / "trag" / "__pycache__").mkdir(parents=True)
    named("app.py", b"app")
    named(".gitignore", b"__pycache__/")
    outside = named("trag/ask.py", b"one")
    assert outside.startswith("sources ")
    before = named("trag/ask.py", b"two")
    assert before != outside
    assert named("trag/__pycache__/ask.pyc", b"compiled") == before, "what Python compiles is no source"
    assert named("trag/shipped.safetensors", b"weights") != before, "what was learned answers too"
    git("init", "-q")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first")
    head = git("rev-parse", "HEAD")[:12]
    assert named("RESULTS.md", b"figures") == head, "a file that is no source is not part of the program"
    changed = named("trag/new.py", b"")
    assert changed.startswith(f"{head}+")
    written = named("trag/new.py", b"three")
    assert len({head, changed, written, named("trag/shipped.safetensors", b"learned again")}) == 4


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_evaluation_that_is_killed_loses_no_answer_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, cases = tmp_path / "home", tmp_path / "harbour.jsonl"
    with open_home(Settings(home=home)) as own:
        own.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="test")
    cases.write_bytes(write([replace(CASES[0], id=f"{n}", question=f"{n}. {CASES[0].question}") for n in range(4)]))
    monkeypatch.setenv("TRAG_HOME", str(home))
    monkeypatch.setattr(runs, "commit", lambda: "this")  # the sources may be edited while this runs
    words = ["evaluate", str(cases), "--system", "finetuned", "trag"]
    code = (
        "import sys\nfrom trag.terminal.main import main\nfrom trag.evaluate import runs\n"
        "runs.commit = lambda: 'this'\nsys.exit(main())"
    )

    def lines() -> list[bytes]:
        files = home.glob("results/*/results.jsonl")
        return [line for file in files for line in file.read_bytes().splitlines(keepends=True)]

    whole: list[bytes] = []
    for least in (1, 5):  # the second time the run was gone on with, and the second system has begun
        killed = subprocess.Popen([sys.executable, "-c", code, *words], cwd=ROOT, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and len(lines()) < least:
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        found = [line for line in lines() if line.endswith(b"\n")]
        assert least <= len(found) < 8
        assert found[: len(whole)] == whole
        whole = found
    kept = Results(home / "results")
    (unfinished,) = kept.runs()
    assert not unfinished.finished
    assert main(words) == 0
    told = capsys.readouterr()
    assert f"going on with run {unfinished.id}" in told.err
    assert f"Run {unfinished.id}: harbour" in told.out
    (finished,) = kept.runs()
    assert finished.finished
    assert lines()[: len(whole)] == whole
    assert [(one.system, one.case.id) for one in kept.results(finished.id)] == [
        (system, f"{number}") for system in ("finetuned", "trag") for number in range(4)
    ]
