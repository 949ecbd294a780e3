"""The one evaluation of an app: what is told of it, who goes first, how it ends. Asking itself is scripted here."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.trag.web.quality.conftest import over, seen
from trag import background
from trag.errors import OperatorError, TragError
from trag.evaluate.cases import Case, sha256_of
from trag.evaluate.runs import Results, Run
from trag.home import Home
from trag.progress import Progress
from trag.record import ModelUsed
from trag.web.quality import evaluation as evaluation_module
from trag.web.quality import render
from trag.web.quality.evaluation import Evaluation

CASES = (Case("a", "A?", "simple"), Case("b", "B?", "simple"))
PLANNED = Run(
    "", "Exam", sha256_of(CASES), ("trag",), datetime.now(UTC), None, "abc", ModelUsed("m", "", ""), "", len(CASES)
)


class Script:
    """What asking does: each answer waits until it is let go, unless `free`."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.free = threading.Event()
        self.asked: list[str] = []
        self.fails: Exception | None = None

    def evaluate(self, *about: Any, resume: str, progress: Progress, stop: threading.Event) -> Run:
        _, cases, _, systems = about
        run = self.results.run(resume) if resume else self.results.begin(PLANNED, cases)
        for done, case in enumerate(cases):
            progress(systems[0], done, len(cases))
            if self.fails:
                raise self.fails
            while not self.free.wait(0.01):
                if stop.is_set():
                    return run
            if stop.is_set():
                return run
            self.asked.append(case.id)
        progress(systems[0], len(cases), len(cases))
        return self.results.finish(run)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script(Results(tmp_path / "results"))
    monkeypatch.setattr(evaluation_module, "evaluate", script.evaluate)
    monkeypatch.setattr(background, "PACE", 0.01)
    return script


@pytest.fixture
def evaluation(script: Script, tmp_path: Path, busy: threading.Event) -> Iterator[Evaluation]:
    evaluation = Evaluation(cast(Home, SimpleNamespace(folder=tmp_path)), ready=lambda: None, busy=busy.is_set)
    yield evaluation
    evaluation.close()


def begin(evaluation: Evaluation, **more: Any) -> None:
    evaluation.begin(CASES, "Exam", ["trag"], **{"allowed": lambda: True} | more)


def test_it_tells_how_far_it_has_come_and_which_run_it_makes(evaluation: Evaluation, script: Script) -> None:
    assert evaluation.now is None
    begin(evaluation)
    now = seen(evaluation, lambda now: now.state == "running" and bool(now.about.run))
    assert (now.about.done, now.about.total, now.about.system, now.left) == (0, 2, "trag", None)
    script.free.set()
    now = over(evaluation)
    (run,) = script.results.runs()
    assert (now.state, now.about.run, now.about.done, now.left) == ("done", run.id, 2, None)
    evaluation.dismiss()
    assert evaluation.now is None


def test_one_at_a_time(evaluation: Evaluation, script: Script) -> None:
    begin(evaluation)
    with pytest.raises(TragError, match="running already"):
        begin(evaluation)
    evaluation.dismiss()
    assert evaluation.now is not None, "what runs is not dismissed"
    script.free.set()
    over(evaluation)
    begin(evaluation)
    over(evaluation)
    assert len(script.results.runs()) == 2


def test_people_go_first(evaluation: Evaluation, script: Script, busy: threading.Event) -> None:
    busy.set()
    script.free.set()
    begin(evaluation)
    seen(evaluation, lambda now: now.state == "waiting")
    time.sleep(0.1)
    assert script.asked == []
    busy.clear()
    assert over(evaluation).state == "done"
    assert script.asked == ["a", "b"]


@pytest.mark.parametrize("waits", [True, False], ids=["while people are answered", "while it asks"])
def test_it_stops_and_goes_on(evaluation: Evaluation, script: Script, busy: threading.Event, waits: bool) -> None:
    if waits:
        busy.set()
    begin(evaluation)
    seen(evaluation, lambda now: now.state == ("waiting" if waits else "running"))
    evaluation.stop()
    assert evaluation.now
    assert evaluation.now.state in ("stopping", "stopped")
    assert over(evaluation).state == "stopped"
    busy.clear()
    script.free.set()
    (run,) = script.results.runs()
    assert not run.finished
    begin(evaluation, resume=run.id)
    now = over(evaluation)
    assert (now.state, now.about.run) == ("done", run.id)


def test_it_ends_when_a_document_is_closed_to_whoever_began_it_and_another_goes_on(
    evaluation: Evaluation, script: Script
) -> None:
    script.free.set()
    begin(evaluation, allowed=lambda: "a" not in script.asked)
    now = over(evaluation)
    assert (now.state, now.problem) == ("failed", "A document was closed to whoever began this.")
    assert script.asked == ["a"]
    begin(evaluation, resume=now.about.run)
    assert over(evaluation).state == "done"


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (TragError("No model.", "Set one."), "No model."),
        (OperatorError("/srv/m.gguf is damaged.", "Copy it."), "/srv/m.gguf is damaged."),
        (ZeroDivisionError("bug"), "A fault in the program."),
    ],
    ids=["told", "told to operators", "a bug"],
)
def test_what_goes_wrong_is_told_and_the_next_one_can_begin(
    evaluation: Evaluation, script: Script, error: Exception, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    script.fails = error
    begin(evaluation)
    now = over(evaluation)
    assert (now.state, now.problem) == ("failed", problem)
    assert ("ZeroDivisionError" in caplog.text) == isinstance(error, ZeroDivisionError)
    shown = bytes(render.page("progress", going=now, limited=False).body).decode()
    kept_from_people = isinstance(error, OperatorError)
    assert (problem in shown) is not kept_from_people
    assert ("Tell whoever runs the assistant" in shown, "Copy it." in caplog.text) == (kept_from_people,) * 2
    script.fails = None
    script.free.set()
    begin(evaluation)
    assert over(evaluation).state == "done"


def test_it_does_not_begin_while_nobody_can_be_answered(tmp_path: Path, script: Script) -> None:
    def ready() -> None:
        raise TragError("The model cannot be opened.", "Look at TRAG_MODEL.")

    evaluation = Evaluation(cast(Home, SimpleNamespace(folder=tmp_path)), ready=ready, busy=lambda: False)
    begin(evaluation)
    assert over(evaluation).problem == "The model cannot be opened."
    assert script.results.runs() == ()
