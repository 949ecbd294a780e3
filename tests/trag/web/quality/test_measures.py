"""A self-audit and a needle test begun by an app over a real home with a scripted model: watched, stopped, gone on
with, and kept where the terminal keeps them."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from org.reading.charts import load
from prompts import Message
from tests.scripted import Scripted
from tests.trag.web.quality.conftest import over, seen
from trag import background
from trag.evaluate import needle
from trag.evaluate.cases import Case
from trag.evaluate.grammar import audit as audits
from trag.evaluate.running import results_of
from trag.home import Home, open_home
from trag.llm.model import LanguageModel, Usage
from trag.llm.queue import RequestQueue
from trag.progress import silent
from trag.settings import Settings
from trag.web.quality.evaluation import Evaluation

pytestmark = pytest.mark.slow  # an encoder is opened

CHART = b"name,parent,type\nHarbour Board,,board\nPilots' Office,Harbour Board,office\n"
ANIMALS = "dog cat gull crab seal eel cod hare owl fox mole toad".split()
CASES = (
    Case("where", "Where is the Pilots' Office?", "simple", gold=(("Harbour Board",),)),
    Case("pier", "What does a pier cost?", "document", gold=(("ten",),), document="rules.md", section="Piers"),
)


class Gated(Scripted):
    """A model that says nothing of use, the first answer at once and the others when it is let go."""

    context = 8192

    def __init__(self) -> None:
        super().__init__("I do not know.")
        self.free = threading.Event()

    def count_text(self, text: str) -> int:
        return len(text.split())

    def stream(self, messages: Sequence[Message], **more: Any) -> Generator[str | Usage, None, None]:
        if self.asked:
            assert self.free.wait(60)
        return super().stream(messages, **more)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("harbour")
    rules = "".join(f"## Rule {n}\n\nThe {animal} is fed at the gate.\n\n" for n, animal in enumerate(ANIMALS, 1))
    (folder / "rules.md").write_text(f"# Rules\n\n{rules}")
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="test")
        home.ingest([folder / "rules.md"], replace=False, progress=silent)
        yield home


@pytest.fixture
def model(home: Home, monkeypatch: pytest.MonkeyPatch) -> Gated:
    model = Gated()
    spoken = cast(LanguageModel, model)
    monkeypatch.setitem(home.parts, "model", spoken)
    monkeypatch.setitem(home.parts, "assistant", replace(home.assistant, model=spoken, line=RequestQueue(1, 0)))
    monkeypatch.setattr(background, "PACE", 0.01)
    return model


@pytest.fixture
def evaluation(home: Home, model: Gated, busy: threading.Event) -> Iterator[Evaluation]:
    evaluation = Evaluation(home, ready=lambda: home.assistant, busy=busy.is_set)
    yield evaluation
    model.free.set()
    evaluation.close()


def stopped(evaluation: Evaluation, model: Gated, begin: Callable[[], None]) -> int:
    """How many answers there are of what was begun and stopped."""
    begin()
    seen(evaluation, lambda now: now.about.done == 1)
    evaluation.stop()
    model.free.set()
    now = over(evaluation)
    assert (now.state, now.problem) == ("stopped", "")
    return now.about.done


def test_a_self_audit_is_stopped_goes_on_and_is_kept_as_the_terminal_keeps_one(
    evaluation: Evaluation, home: Home, model: Gated
) -> None:
    def begin() -> None:
        evaluation.begin_audit("finetuned-tree", allowed=lambda: True)

    stopped(evaluation, model, begin)
    (run,) = results_of(home).runs()
    begin()
    now = over(evaluation)
    assert (now.state, now.about.kind, now.about.run) == ("done", "audit", run.id)
    (run,) = results_of(home).runs()
    assert (bool(run.finished), run.systems, now.about.done) == (True, ("finetuned-tree",), run.total)
    assert len(model.asked) <= run.total + 1, "what was answered is not asked again"
    audit = audits.audit_of(home, run)
    assert run.cases_name == f"audit of {audits.OWN}"
    assert audits.examine_run(home, run, audit).diagnosis.asked


def test_a_needle_test_is_stopped_goes_on_and_is_kept_as_the_terminal_keeps_one(
    evaluation: Evaluation, home: Home, model: Gated
) -> None:
    def begin() -> None:
        evaluation.begin_needle(CASES, "Harbour", allowed=lambda: True)

    stopped(evaluation, model, begin)
    (kept,) = needle.results_of(home).runs()
    assert not kept.finished
    begin()
    now = over(evaluation)
    assert (now.state, now.about.kind, now.about.run, now.about.left_out) == ("done", "needle", kept.id, 1)
    (run,) = needle.results_of(home).runs()
    results = needle.results_of(home).results(run.id)
    asked = sum(one.record.checks.attempts for one in results)
    assert (bool(run.finished), run.total, len(model.asked)) == (True, 6, asked), "what was answered is not asked again"
    assert needle.table(results).rows
    begin()
    assert over(evaluation).about.total == 6, "what is whole is shown again"
    assert len(model.asked) == asked


def test_what_cannot_be_measured_is_said(evaluation: Evaluation) -> None:
    for begin, problem in (
        (lambda: evaluation.begin_audit("nonsense", allowed=lambda: True), "There is no system nonsense."),
        (
            lambda: evaluation.begin_needle(CASES[1:], "Pier", allowed=lambda: True),
            "No question of these has a needle.",
        ),
        (lambda: evaluation.begin_audit("trag", allowed=lambda: False), "A document was closed to whoever began this."),
    ):
        begin()
        now = over(evaluation)
        assert (now.state, now.problem) == ("failed", problem)
