"""Programs that ask for a briefing: what they get, over HTTP and over MCP, what they are told instead, what is kept."""

import json
import re
from typing import Any

import jsonschema_rs
import pytest

from tests.trag.web.api.conftest import SOURCE
from tests.trag.web.api.test_mcp import call, sent
from trag.brief.record import BriefRecord
from trag.web.api.mcp import BRIEF, given_schema, mount

Place = Any  # of conftest.py
PATH = "/api/brief"
BODY = {"subject": "Ethics", "length": "short"}
pytestmark = pytest.mark.slow


def test_a_briefing_is_its_record_and_kept_for_whoever_asked(place: Place) -> None:
    answer = place.program(**place.token()).post(PATH, json=BODY)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["kind"], body["status"], body["length"]) == ("brief", "written", "short")
    assert body["parts"][0]["sentences"][0]["text"] == "Ethics sits under the Board."
    (kept,) = place.records.plans(place.records.people.find("ann").id, 5, "brief")
    assert (kept.id, json.loads(kept.record_json)) == (body["id"], body)


def test_a_stream_tells_quotations_and_then_prose(place: Place) -> None:
    text = place.program(Accept="text/event-stream").post(PATH, json=BODY).text
    assert re.findall("(?m)^event: (.*)", text) == ["draft", "draft", "brief"]
    quoted, worded, whole = (json.loads(data) for data in re.findall("(?m)^data: (.*)", text))
    assert quoted["parts"][0]["sentences"][0]["how"] == "quotation"
    assert worded["parts"] == whole["parts"]


def test_who_may_only_ask_is_told_where_it_stands_and_not_in_which_words(place: Place) -> None:
    program = place.program(Accept="text/event-stream", **place.token("bob", scope="ask"))
    text = program.post(PATH, json=BODY).text
    *_, whole = (json.loads(data) for data in re.findall("(?m)^data: (.*)", text))
    assert whole["sources"][0]["document"] == SOURCE.document
    assert (whole["sources"][0]["text"], whole["parts"][0]["sentences"][0]["evidence"]) == ("", "")
    assert SOURCE.text not in text


def test_the_tool_says_it_in_words_and_gives_the_record(place: Place) -> None:
    tool = mount(place.app, place.answerer, on=True)
    ((status, answer), (_, missing)) = sent(place, tool, (call(BODY, BRIEF), {}), (call({}, BRIEF), {}))
    assert status == 200
    jsonschema_rs.validate(given_schema(BriefRecord), answer["result"]["structuredContent"])
    text = answer["result"]["content"][0]["text"]
    assert "Ethics sits under the Board. [1]" in text
    assert "- Who heads Ethics?" in text
    assert 'needs "subject"' in missing["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, 'needs "subject"'),
        ({"subject": " "}, "empty"),
        ({"subject": "x" * 201}, "200 characters at most"),
        ({"subject": "Ethics", "length": "endless"}, '"length" must be "short", "standard" or "full", found "endless"'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_cannot_be_written_about_is_said(place: Place, body: Any, said: str) -> None:
    answer = place.program().post(PATH, json=body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
