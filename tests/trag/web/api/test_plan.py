"""Programs that ask how something is done: what they get, what they are told instead, and what is kept."""

import json
import re
from contextlib import ExitStack
from typing import Any

import pytest

from tests.planned import Choosing, canaries
from trag.flow.record import PlanRecord
from trag.llm.model import ModelAway, ModelDied

Place = Any  # of conftest.py
PATH = "/api/plan"
LOST = {"request": "My badge is lost."}
pytestmark = pytest.mark.slow


def test_a_plan_is_its_record_and_kept_for_whoever_asked(place: Place) -> None:
    token = place.token()
    answer = place.program(**token).post(PATH, json=LOST | {"done": ["Report", "Report"]})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["kind"], body["status"], body["procedure"]["id"]) == ("plan", "planned", "badge")
    assert [(step["action"], step["handed_over"]) for step in body["steps"]] == [("Block", True), ("Print", True)]
    (kept,) = place.records.plans(place.records.people.find("ann").id, 5)
    assert (kept.id, json.loads(kept.record_json), kept.kind) == (body["id"], body, "plan")
    assert PlanRecord.from_json(kept.record_json).to_json() == kept.record_json
    assert kept.answer == "badge\nBlock\nPrint"


def test_a_stream_tells_the_procedure_each_step_and_the_plan(place: Place) -> None:
    text = place.program(Accept="text/event-stream").post(PATH, json=LOST).text
    assert re.findall("(?m)^event: (.*)", text) == ["chosen", "step", "step", "step", "plan"]
    chosen, *steps, plan = (json.loads(data) for data in re.findall("(?m)^data: (.*)", text))
    assert (chosen, steps) == (plan["procedure"], plan["steps"])


def test_a_token_that_may_only_ask_is_told_whose_each_action_is_and_no_words_of_the_procedure(place: Place) -> None:
    for scope, kind in (("ask", "application/json"), ("read", "application/json"), ("ask", "text/event-stream")):
        token = place.token(f"{scope}-{kind}", scope=scope)
        said = place.program(Accept=kind, **token).post(PATH, json=LOST).text
        assert "Block the badge" in said
        assert '"all.md"' in said
        for words in ("It is blocked and printed", "The badge opens no door."):
            assert (words in said) is (scope == "read"), (scope, kind)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"no JSON", 422, "is no JSON (expected"),
        ({}, 422, 'needs "request"'),
        ({"request": 7}, 422, '"request" must be a text, found 7'),
        ({"request": "\x00 "}, 422, "empty"),
        ({"request": "x" * 4_001}, 422, "4,000 characters at most"),
        (LOST | {"question": "x"}, 422, 'unknown key "question"'),
        (LOST | {"done": "Report"}, 422, '"done" must be a list, found "Report"'),
        (LOST | {"done": ["Fly"]}, 422, "The procedures have no Fly."),
        (LOST | {"procedure": "none"}, 422, "The procedures have no none."),
        (LOST | {"procedure": "key-bar"}, 422, "The procedures have no key-bar."),
        (LOST | {"procedure": "vault-bar"}, 422, "The procedures have no vault-bar."),
    ],
    ids=lambda value: str(value)[:20] if not isinstance(value, int) else "",
)
def test_what_cannot_be_planned_is_said(place: Place, body: Any, status: int, said: str) -> None:
    program = place.program(**place.token(), **{"Content-Type": "application/json"})
    answer = program.post(PATH, content=body if isinstance(body, bytes) else json.dumps(body))
    assert (answer.status_code, said in answer.json()["detail"]) == (status, True), answer.text
    assert not [word for word in canaries("bar") if word in answer.text]


def test_a_full_line_a_model_that_dies_and_one_that_is_away_are_told(place: Place) -> None:
    program, assistant = place.program(), place.assistant
    with ExitStack() as line:
        for _ in range(6):
            line.enter_context(assistant.line.place())
        assert program.post(PATH, json=LOST).status_code == 429
    assistant.model = Choosing()
    for error, status in ((ModelDied("It died."), 200), (ModelAway("It is away."), 503)):
        assistant.model.error = error
        answer = program.post(PATH, json=LOST)
        assert (answer.status_code, str(error) in answer.text) == (status, True), answer.text
    kept = [json.loads(each.record_json)["interrupted"] for each in place.records.plans("local", 5)]
    assert kept == ["It died.", "It is away."]
    place.answerer.home.procedures.in_use = None
    assert program.post(PATH, json=LOST).status_code == 503
