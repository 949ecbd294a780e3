"""Programs that ask for a workflow: what they get, over HTTP and over MCP, what they are told instead, what is kept."""

import json
import re
from contextlib import ExitStack
from typing import Any

import jsonschema_rs
import pytest

from tests import drafted
from tests.drafted import REQUEST, UNFIT, Drafting
from tests.trag.web.api.test_mcp import call, sent
from trag import workflows
from trag.llm.model import ModelAway, ModelDied
from trag.web.api.mcp import WORKFLOW, given_schema, mount
from trag.workflow.record import WorkflowRecord

Place = Any  # of conftest.py
PATH = "/api/workflow"
WISH = {"request": REQUEST}
pytestmark = pytest.mark.slow


@pytest.fixture
def drafting(place: Place, monkeypatch: pytest.MonkeyPatch) -> Drafting:
    """Who drafts, over the catalogue of the sample organization."""
    place.answerer.home.procedures.in_use = drafted.book()
    drafting = Drafting()
    monkeypatch.setattr(workflows, "drafter", lambda _: drafting)
    return drafting


def test_a_workflow_is_its_record_and_kept_for_whoever_asked(place: Place, drafting: Drafting) -> None:
    token = place.token()
    answer = place.program(**token).post(PATH, json=WISH)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["kind"], body["status"], body["workflow"]["no_step_for"]) == ("workflow", "drafted", [UNFIT])
    assert body["workflow"]["steps"][0]["name"] == "IF"
    (kept,) = place.records.plans(place.records.people.find("ann").id, 5, "workflow")
    assert (kept.id, json.loads(kept.record_json)) == (body["id"], body)
    assert WorkflowRecord.from_json(kept.record_json).to_json() == kept.record_json
    assert drafting.usable is not None
    assert "secret_step" not in drafting.usable
    assert not place.records.plans("local", 5, "workflow")


def test_a_stream_tells_the_workflow_after_each_step(place: Place, drafting: Drafting) -> None:
    text = place.program(Accept="text/event-stream").post(PATH, json=WISH).text
    assert re.findall("(?m)^event: (.*)", text) == [*["draft"] * 6, "workflow"]
    *drafts, whole = (json.loads(data) for data in re.findall("(?m)^data: (.*)", text))
    assert [len(each["steps"]) for each in drafts] == [1, 2, 3, 4, 5, 6]
    assert drafts[-1]["steps"] == whole["workflow"]["steps"]


def test_the_tool_says_it_in_words_and_gives_the_record(place: Place, drafting: Drafting) -> None:
    tool = mount(place.app, place.answerer, on=True)
    ((status, answer), (_, missing)) = sent(place, tool, (call(WISH, WORKFLOW), {}), (call({}, WORKFLOW), {}))
    assert (status, answer["result"]["structuredContent"]["kind"]) == (200, "workflow")
    jsonschema_rs.validate(given_schema(WorkflowRecord), answer["result"]["structuredContent"])
    text = answer["result"]["content"][0]["text"]
    assert text.startswith("When: Record created: Supplier invoices\n  1. If amount of the record is more than 5000\n")
    assert "    2. Find the head of a unit [find_head_of_unit]\n       unit: unit of the record\n" in text
    assert text.endswith(f'No step for: "{UNFIT}"')
    assert 'needs "request"' in missing["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"no JSON", "is no JSON (expected"),
        ({}, 'needs "request"'),
        ({"request": "\x00 "}, "empty"),
        ({"request": "x" * 4_001}, "4,000 characters at most"),
        (WISH | {"form": "bpmn"}, 'unknown key "form"'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_drafted_is_said(place: Place, drafting: Drafting, body: Any, said: str) -> None:
    program = place.program(**{"Content-Type": "application/json"})
    answer = program.post(PATH, content=body if isinstance(body, bytes) else json.dumps(body))
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text


def test_a_full_line_a_model_that_is_away_and_no_catalogue_are_told(place: Place, drafting: Drafting) -> None:
    program, assistant = place.program(), place.assistant
    with ExitStack() as line:
        for _ in range(6):
            line.enter_context(assistant.line.place())
        assert program.post(PATH, json=WISH).status_code == 429
    for error, status in ((ModelDied("It died."), 200), (ModelAway("It is away."), 503)):
        drafting.error = error
        answer = program.post(PATH, json=WISH)
        assert (answer.status_code, str(error) in answer.text) == (status, True), answer.text
    place.answerer.home.procedures.in_use = None
    assert "There are no steps" in program.post(PATH, json=WISH).json()["detail"]
