"""The body of a request: no more of it than may be, nothing of one that broke off, and in a call of the Ask page
what the browser sends, and nothing else, however deep."""

import asyncio
import json
from typing import Any

import pytest
from fastapi import Request

from store.records import Records
from tests.pages import gated
from trag.json_lines import made
from trag.web.request_bodies import BrokenOffError, Cancel, Join, TooLargeError, replayed, whole

ID = "0af" * 10 + "12"
LEFT = {"type": "http.disconnect"}
CALL = {"data": [], "event_data": None, "fn_index": 0, "trigger_id": 0, "session_hash": "1h7nnoy6n2qi"}
FILE = {"path": "http://198.51.100.7/", "meta": {"_type": "gradio.FileData"}}


def part(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def receiving(*messages: dict[str, Any]) -> Any:
    left = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(left)

    return receive


@pytest.mark.parametrize(
    ("messages", "body"),
    [
        ([part(b"")], b""),
        ([part(b"ab", more=True), part(b"cd")], b"abcd"),
        ([part(b"ab", more=True), part(b"", more=True), part(b"")], b"ab"),
        ([part(b"abcde")], TooLargeError),
        ([part(b"abcd", more=True), part(b"e", more=True)], TooLargeError),
        ([LEFT], BrokenOffError),
        ([part(b"ab", more=True), LEFT], BrokenOffError),
    ],
    ids=["none", "in parts", "empty parts", "too large", "too large in parts", "left at once", "left half-way"],
)
def test_a_body_is_put_together_and_given_again_unless_it_is_too_large_or_broke_off(
    messages: list[Any], body: bytes | type[Exception]
) -> None:
    async def read() -> list[Any]:
        receive = receiving(*messages, LEFT)
        again = replayed(await whole(receive, 4), receive)
        return [await again(), await again()]

    if isinstance(body, bytes):
        assert asyncio.run(read()) == [part(body), LEFT]
    else:
        with pytest.raises(body):
            asyncio.run(read())


def test_nothing_is_done_with_half_a_form(records: Records) -> None:
    done: list[bytes] = []
    app, path = gated(records), f"/review/{ID}/verdict"

    async def judge(request: Request) -> None:
        done.append(await request.body())

    app.post(path)(judge)
    fields = {"host": "127.0.0.1", "content-type": "application/x-www-form-urlencoded", "content-length": "40"}
    headers = [(name.encode(), value.encode()) for name, value in fields.items()]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    for messages in ([part(b"verdict=Correct&comment=Not ", more=True), LEFT], [part(b"verdict=Correct")]):
        asyncio.run(app(dict(scope), receiving(*messages, LEFT), send))
    assert done == [b"verdict=Correct"]
    assert [message.get("status") for message in sent if message["type"] == "http.response.start"] == [200]


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
)
def test_what_the_browser_sends_passes(call: dict[str, Any]) -> None:
    assert made(Join, json.dumps(call))


@pytest.mark.parametrize(
    "more",
    [
        *({"data": data} for data in ([FILE], ["", [FILE]], [[]], [{}], [7], [True], FILE, "words", None)),
        *({"event_data": said} for said in (FILE, {"conversation": FILE}, {"conversation": None}, [""], "words")),
        *({"fn_index": True}, {"trigger_id": "0"}, {"session_hash": ["a"]}),
        *({"batched": False}, {"simple_format": True}, {"oauth_token": ""}, {"event_id": ID}, {"": ""}),
    ],
    ids=str,
)
def test_anything_else_does_not(more: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|unknown key"):
        made(Join, json.dumps(CALL | more))


def test_what_ends_a_call_names_it_and_nothing_more() -> None:
    call = {"event_id": ID, "session_hash": "1h7nnoy6n2qi", "fn_index": 5}
    assert made(Cancel, json.dumps(call))
    for more in ({"data": []}, {"event_id": FILE}, {"fn_index": "5"}):
        with pytest.raises(ValueError, match=r"must be|unknown key"):
            made(Cancel, json.dumps(call | more))
