"""A home without a model, and the pages of the evaluations over it."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.pages import served
from trag.background import JobStatus
from trag.errors import TragError
from trag.evaluate.cases import Case, sha256_of
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.home import Home, open_home
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings
from trag.web.quality import page as quality
from trag.web.quality.evaluation import Evaluating, Evaluation

MODEL = ModelUsed("tiny <b>", "a" * 64, "evil.example.gguf")
AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def answered(case: Case, system: str, score: Score, said: str = "An answer.", **more: Any) -> Result:
    record = AnswerRecord(f"{system}-{case.id}", case.question, case.question, said, "answered", MODEL, **more)
    return Result(system, case, record, score)


def kept(
    store: Results, cases: Sequence[Case], found: Sequence[Result], *systems: str, day: int = 0, name: str = "Exam"
) -> Run:
    """A run of cases with these answers, at its end where it has all of the systems that answer, or of `systems`."""
    systems = systems or tuple(dict.fromkeys(each.system for each in found))
    total, at = len(systems) * len(cases), AT + timedelta(days=day)
    planned = Run("", name, sha256_of(cases), systems, at, None, "abc123", MODEL, "0123456789ab", total)
    run = store.begin(planned, cases)
    for each in found:
        store.add(run, each)
    return store.finish(run) if found and len(found) == total else run


def all_wrong(store: Results, cases: Sequence[Case], system: str, *, said: str = "No idea.", answers: int = 9) -> Run:
    """A run by one system that has so many answers, all unless told otherwise, none of them right."""
    found = [answered(case, system, Score("Incorrect"), said) for case in cases[:answers]]
    return kept(store, cases, found, system, name="<i>One</i> evil.example")


@pytest.fixture(scope="module")
def home(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = Path(shutil.copy(empty_database, tmp_path_factory.mktemp("home"))).parent
    with open_home(Settings(home=folder, adapter="none")) as home:
        yield home


@pytest.fixture(scope="session")
def mount() -> Callable[[Home, FastAPI], Evaluation]:
    """Adds the pages to an app. No model can be opened: how a run goes is seen in the browser's tests."""

    def ready() -> None:
        raise TragError("No model here.", "Set one.")

    return lambda home, app: quality.mount(app, home, ready=ready, busy=lambda: False)


@pytest.fixture
def client(home: Home, mount: Callable[[Home, FastAPI], Evaluation]) -> Iterator[TestClient]:
    """The pages over the home without runs, needle tests and sets."""
    for name in ("results", "cases"):
        shutil.rmtree(home.folder / name, ignore_errors=True)
    with served(home, lambda app: mount(home, app)) as (client, _):
        yield client


@pytest.fixture
def busy() -> threading.Event:
    """Set while people are answered."""
    return threading.Event()


def seen(evaluation: Evaluation, fits: Callable[[JobStatus[Evaluating]], bool]) -> JobStatus[Evaluating]:
    """How far an evaluation has come, as soon as it has come as far as a test waits for."""
    for _ in range(6000):
        if evaluation.now and fits(evaluation.now):
            return evaluation.now
        time.sleep(0.01)
    pytest.fail(f"stays at {evaluation.now}")


def over(evaluation: Evaluation) -> JobStatus[Evaluating]:
    return seen(evaluation, lambda now: now.over)
