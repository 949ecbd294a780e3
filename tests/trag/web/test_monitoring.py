"""What monitoring is told of a home: whether it can answer, and figures, to whoever has their key."""

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from store import StoreError
from store.records import Records
from tests.pages import ADDRESS, gated
from tests.trag.llm.test_servers import opened, until
from trag.errors import TragError
from trag.events import Answer, Event, Found, Token, Waiting
from trag.flow.record import PlanRecord
from trag.llm.queue import QueueFull
from trag.plans import Plan
from trag.record import AnswerRecord, ModelUsed, Seconds, Tokens
from trag.settings import Settings
from trag.web import monitoring
from trag.web.active_runs import ActiveRuns
from trag.web.start_checks import problems

DASHBOARD = Path(__file__).parents[3] / "deploy" / "grafana.json"
KEY = "k" * 24
WITH_KEY = {"Authorization": f"Bearer {KEY}"}
RECORD = AnswerRecord(
    "a1",
    "Who is Grace Hopper?",
    "Who is Grace Hopper?",
    "She heads the Harbour Office.",
    "answered",
    ModelUsed("small", "0", ""),
    tokens=Tokens(900, 100, 20),
    seconds=Seconds(link=0.01, first_token=1.5, generate=0.5, total=2.5),
)


@dataclass
class Place:
    """A home whose parts the tests put there and take away, and a client of what monitoring asks."""

    home: Any
    runs: ActiveRuns
    opened: Future[Any]
    client: TestClient

    def ready(self) -> tuple[int, str]:
        answer = self.client.get("/ready")
        return answer.status_code, answer.text

    def figures(self) -> dict[str, float]:
        """Each figure by its name and labels."""
        answer = self.client.get("/metrics", headers=WITH_KEY)
        assert answer.status_code == 200, answer.text
        families = text_string_to_metric_families(answer.text)
        return {" ".join([one.name, *one.labels.values()]): one.value for family in families for one in family.samples}

    def ask(self, *events: Event | Plan | Exception) -> None:
        """Asks what comes to an end with these."""

        def script(stop: object) -> Iterator[Any]:
            for event in events:
                if isinstance(event, Exception):
                    raise event
                yield event

        assert self.runs.begin(f"c{len(events)}", "Who is Grace Hopper?", script)
        self.runs.end_all()


@pytest.fixture
def place(empty_database: Path, tmp_path: Path) -> Iterator[Place]:
    with closing(Records(f"sqlite:///{shutil.copy(empty_database, tmp_path)}")) as records:
        home: Any = SimpleNamespace(records=records, vectors=SimpleNamespace(count=lambda: 3))
        home.parts = {"vectors": home.vectors, "model": object()}
        opened = Future[Any]()
        opened.set_result(None)
        app, figures = gated(records, Settings(home=tmp_path, metrics_key=KEY)), monitoring.Figures()
        runs, opening = ActiveRuns(figures.count), SimpleNamespace(latest=lambda: place.opened)
        monitoring.mount(app, home, figures, runs, opening)  # type: ignore[arg-type]
        with TestClient(app, base_url=ADDRESS) as client:
            place = Place(home, runs, opened, client)
            yield place


def failing(error: Exception) -> Callable[[], int]:
    def fail() -> int:
        raise error

    return fail


def test_it_is_ready_when_all_is_there_and_else_says_what_is_missing(place: Place) -> None:
    assert place.client.get("/health").text == place.client.get("/healthz").text == "ok"
    assert place.ready() == (200, "ready")
    assert place.figures()["trag_ready"] == 1
    away = StoreError("postgresql://u:secret@10.0.0.9/home is away.", "")
    place.home.vectors.count = failing(away)
    assert place.ready() == (503, "not ready: the index cannot be reached")
    place.opened = Future()
    assert place.ready() == (503, "not ready: the assistant is not open")
    place.opened.set_exception(TragError("/srv/chart is gone.", ""))
    assert place.ready() == (503, "not ready: the assistant is not open")
    del place.home.parts["model"]
    assert place.ready() == (503, "not ready: the model is not there")
    del place.home.parts["vectors"]
    place.home.records = SimpleNamespace(jobs=SimpleNamespace(counts=failing(away)))
    assert place.ready() == (503, "not ready: the records cannot be reached; the index is not open")
    found = place.figures()
    assert found["trag_ready"] == 0
    assert not [name for name in found if name.startswith("trag_jobs")], "what is not known is not told as none"


def test_model_servers_are_looked_at_and_one_is_enough(place: Place, model_address: str) -> None:
    with opened("http://user:secret@127.0.0.1:9/v1") as model:
        place.home.parts["model"] = model
        assert place.ready() == (503, "not ready: no model server can be asked")
    with opened("http://user:secret@127.0.0.1:9/v1", model_address) as model:
        place.home.parts["model"] = model
        until(lambda: place.ready() == (200, "ready"))
        figures, there = place.figures(), model_address.removeprefix("http://")
    assert figures["trag_model_server_up 127.0.0.1:9/v1"] == 0
    assert figures[f"trag_model_server_up {there}"] == 1
    assert figures[f"trag_model_server_outstanding {there}"] == 0


def test_what_was_asked_is_counted_without_a_word_of_it(place: Place) -> None:
    found = Found("Who is Grace Hopper?", (), (), ())
    place.ask(found, Token("She"), Answer(RECORD))
    place.ask(found, Answer(replace(RECORD, status="cannot_answer")), Waiting(1))
    place.ask(Answer(replace(RECORD, interrupted="stopped")))
    place.ask(Plan(PlanRecord("p1", "How do I leave the Harbour Office?", "planned", seconds=0.2)))
    place.ask(QueueFull("20 people are already waiting.", ""))
    place.ask(TragError("No model.", ""))
    figures = place.figures()
    expected = {
        "trag_answers_total answer answered": 1,
        "trag_answers_total answer cannot_answer": 1,
        "trag_answers_total answer interrupted": 1,
        "trag_answers_total plan planned": 1,
        "trag_failures_total full": 1,
        "trag_failures_total fault": 1,
        "trag_answer_seconds_sum answer": 7.5,
        "trag_answer_seconds_count plan": 1,
        "trag_step_seconds_sum first_token": 4.5,
        "trag_tokens_total evaluated": 300,
        "trag_under_way waiting": 0,
    }
    assert {name: figures[name] for name in expected} == pytest.approx(expected)
    assert "trag_step_seconds_count condense" not in figures, "a step that was not taken took no time"
    text = place.client.get("/metrics", headers=WITH_KEY).text
    assert not re.search("(?i)grace|hopper|harbour|small", text)


def test_what_waits_and_what_has_become_of_uploads_and_answers_is_told_as_it_is(place: Place) -> None:
    free, records = threading.Event(), place.home.records

    def script(stop: object) -> Iterator[Event]:
        yield Waiting(2)
        free.wait(10)
        yield Answer(RECORD)

    assert place.runs.begin("c", "Q?", script)
    job = records.jobs.add("Grace Hopper.md", "0" * 64, "ann")
    records.jobs.add("b.md", "1" * 64, "ann")
    records.jobs.end(job.id, "failed", "No.")
    talk = records.start_conversation("ann", "Q?")
    records.save_answer("a1", talk.id, "Q?", RECORD.answer, RECORD.to_json())
    while not any(draft.waiting for draft in place.runs.under_way()):
        sleep(0.01)
    figures = place.figures()
    free.set()
    place.runs.end_all()
    assert {name: number for name, number in figures.items() if name.split()[0] in ("trag_jobs", "trag_reviews")} == {
        "trag_jobs waiting": 1,
        "trag_jobs failed": 1,
        "trag_reviews open": 1,
    }
    assert figures["trag_under_way waiting"] == 1
    assert place.figures()["trag_under_way waiting"] == 0


def test_figures_are_for_the_key_of_the_settings_alone(place: Place, tmp_path: Path) -> None:
    for sent in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {KEY}k"}, {"Authorization": KEY}):
        assert place.client.get("/metrics", headers=sent).status_code == 401, sent
    assert place.client.get("/people", headers=WITH_KEY).status_code == 404, "and it opens nothing else"
    app = gated(place.home.records, Settings(home=tmp_path))
    app.get("/metrics")(lambda: "figures")
    with TestClient(app, base_url=ADDRESS) as client:
        for sent in ({}, WITH_KEY, {"Authorization": "Bearer "}):
            assert client.get("/metrics", headers=sent).status_code == 401, "without a key in the settings"
    assert [told for told, _ in problems(Settings(metrics_key="short"))] == [
        "metrics_key has 5 characters: it could be guessed."
    ]
    assert not list(problems(Settings(metrics_key=KEY)))


def test_the_dashboard_shows_figures_that_there_are(place: Place) -> None:
    place.ask(Answer(RECORD))
    place.ask(QueueFull("Full.", ""))
    place.home.records.jobs.add("b.md", "1" * 64, "ann")
    place.home.records.save_answer("a1", None, "Q?", RECORD.answer, RECORD.to_json())
    with opened("http://127.0.0.1:9/v1") as place.home.parts["model"]:
        text = place.client.get("/metrics", headers=WITH_KEY).text
    there = set(re.findall(r"^(\w+)", text, re.MULTILINE))
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    asked = " ".join(one["expr"] for each in panels for one in each["targets"])
    shown = set(re.findall(r"(?:trag|process)_\w+", asked))
    assert shown - there == set()
    families = {family.name for family in text_string_to_metric_families(text) if family.name.startswith("trag_")}
    assert not [name for name in families if not any(each.startswith(name) for each in shown)], "not on the dashboard"
