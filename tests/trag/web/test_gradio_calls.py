"""What a call of the Ask page may hold: what the browser sends, and nothing else, however deep."""

from typing import Any

import pytest

from trag.web.request_bodies import CANCEL_FIELDS, JOIN_FIELDS, plain

ID = "0af" * 10 + "12"
CALL = {"data": [], "event_data": None, "fn_index": 0, "trigger_id": 0, "session_hash": "1h7nnoy6n2qi"}
FILE = {"path": "http://198.51.100.7/", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        CALL | {"data": [None], "fn_index": 5},
        CALL | {"data": ["Who decides?", ""], "trigger_id": 9},
        CALL | {"event_data": {"conversation": ID}, "trigger_id": None},
        CALL | {"data": [ID], "event_data": {"answer": ID, "comment": "", "corrected": '{"path": "/etc"}'}},
        {"session_hash": "1h7nnoy6n2qi", "fn_index": 0},
    ],
    ids=str,
)
def test_what_the_browser_sends_passes(call: dict[str, Any]) -> None:
    assert plain(call, JOIN_FIELDS)


@pytest.mark.parametrize(
    "more",
    [
        {"data": [FILE]},
        {"data": ["", [FILE]]},
        {"data": [[]]},
        {"data": [{}]},
        {"data": [7]},
        {"data": [True]},
        {"data": FILE},
        {"data": "words"},
        {"data": None},
        {"event_data": FILE},
        {"event_data": {"conversation": FILE}},
        {"event_data": {"conversation": None}},
        {"event_data": [""]},
        {"event_data": "words"},
        {"fn_index": True},
        {"trigger_id": "0"},
        {"session_hash": ["a"]},
        {"batched": False},
        {"simple_format": True},
        {"oauth_token": ""},
        {"event_id": ID},
        {"": ""},
    ],
    ids=str,
)
def test_anything_else_does_not(more: dict[str, Any]) -> None:
    assert not plain(CALL | more, JOIN_FIELDS)


def test_what_ends_a_call_names_it_and_nothing_more() -> None:
    call = {"event_id": ID, "session_hash": "1h7nnoy6n2qi", "fn_index": 5}
    assert plain(call, CANCEL_FIELDS)
    for more in ({"data": []}, {"event_id": FILE}, {"fn_index": "5"}):
        assert not plain(call | more, CANCEL_FIELDS)
