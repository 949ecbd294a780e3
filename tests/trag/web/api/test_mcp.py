"""The tool for other assistants: the protocol's own client against the real app; what the gate and the tool refuse."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar
from unittest.mock import Mock

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.testclient import TestClient

from tests.trag.web.api.conftest import RECORD, SOURCE, Place
from trag.events import Event, Token
from trag.llm.queue import QueueFull
from trag.record import Approval
from trag.web.api.mcp import BRIEF, NAME, PLAN, WORKFLOW, Tool, mount, told

Outcome = TypeVar("Outcome")
pytestmark = pytest.mark.slow
ASKED = "Where does the Ethics Office sit?"
HERE = "http://127.0.0.1:7860"
ACCEPT = "application/json, text/event-stream"


@pytest.fixture
def tool(place: Place) -> Tool:
    """The tool beside the other addresses."""
    return mount(place.app, place.answerer, on=True)


def call(arguments: Any = None, name: str = NAME) -> dict[str, Any]:
    """A call of the tool, as a client of the older protocol sends it."""
    params = {"name": name, "arguments": {"question": ASKED} if arguments is None else arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def sent(place: Place, tool: Tool, *calls: tuple[Any, dict[str, str]]) -> Any:
    """What comes back for each message, sent with its headers: the status, and the data."""

    async def ask() -> list[tuple[int, Any]]:
        transport = httpx2.ASGITransport(app=place.app, client=("10.0.0.7", 4711))
        found = []
        async with (
            tool.running(),
            httpx2.AsyncClient(transport=transport, base_url=HERE, headers={"accept": ACCEPT}) as client,
        ):
            for message, headers in calls:
                answer = await client.post("/mcp", json=message, headers=headers)
                data = next((line[6:] for line in answer.text.splitlines() if line.startswith("data: {")), answer.text)
                found.append((answer.status_code, json.loads(data)))
        return found

    return asyncio.run(asyncio.wait_for(ask(), 60))


def test_a_call_is_asked_for_the_person_whose_token_is_sent(place: Place, tool: Tool) -> None:
    tokens = place.token("ann"), place.token("root", "admin")
    for status, answer in sent(place, tool, *((call(), token) for token in tokens)):
        assert status == 200, answer
        assert answer["result"]["structuredContent"]["answer"] == "Under the Board.\n\nNowhere else."
    of_ann, of_root = (more["readers"] for _, more in place.assistant.asked)
    assert (of_ann, of_root) == (frozenset({"everyone"}), None)
    assert [question for question, _ in place.assistant.asked] == [ASKED, ASKED]


def test_a_token_that_may_only_ask_is_told_no_words_of_the_sources(place: Place, tool: Tool) -> None:
    tokens = place.token("ann", scope="ask"), place.token("bob", scope="read")
    told = [json.dumps(answer) for _, answer in sent(place, tool, *((call(), token) for token in tokens))]
    assert [("manual.md" in each, SOURCE.text in each) for each in told] == [(True, False), (True, True)]


def test_a_plan_is_told_with_the_words_of_the_procedure_where_the_token_may_read(place: Place, tool: Tool) -> None:
    asked = call({"request": "My badge is lost.", "done": ["Report"]}, PLAN)
    tokens = place.token("ann", scope="ask"), place.token("bob", scope="read")
    wrong = [(call(each, PLAN), tokens[0]) for each in ({"request": "x", "procedure": "none"}, {})]
    *plans, (_, unknown), (_, missing) = sent(place, tool, *((asked, token) for token in tokens), *wrong)
    for may_read, (_, answer) in enumerate(plans):
        plan, text = answer["result"]["structuredContent"], answer["result"]["content"][0]["text"]
        assert [step["action"] for step in plan["steps"]] == ["Block", "Print"]
        assert "1. Block the badge [Block] - Board" in text
        assert ("It is blocked and printed" in json.dumps(answer)) is bool(may_read)
    assert "The procedures have no none." in unknown["result"]["content"][0]["text"]
    assert 'needs "request"' in missing["result"]["content"][0]["text"]


def test_what_cannot_be_asked_is_told_as_the_tools_own_error(place: Place, tool: Tool) -> None:
    wrong = (
        (call({}), 'needs "question"'),
        (call({"question": 7}), '"question" must be a text, found 7'),
        (call({"question": " \x00 "}), "The question is empty."),
        (call({"question": "x" * 4001}), "4,000 characters at most"),
        (call({"question": ASKED, "system": "rag"}), 'unknown key "system"'),
        (call(name="shell"), "There is no tool 'shell' here."),
    )
    answers = sent(place, tool, *((message, {}) for message, _ in wrong))
    for (_, said), (status, answer) in zip(wrong, answers, strict=True):
        assert (status, answer["result"]["isError"]) == (200, True)
        assert said in answer["result"]["content"][0]["text"]
    assert place.assistant.asked == []


def test_what_is_no_call_is_refused_in_words_of_ours(place: Place, tool: Tool) -> None:
    for status, answer in sent(place, tool, *((message, {}) for message in ({}, [], {"jsonrpc": "2.0"}, "x"))):
        assert (status, answer["error"]["message"]) == (400, "This is no call of the protocol (MCP).")


def test_a_full_line_is_told_as_the_tools_own_error(place: Place, tool: Tool) -> None:
    def full(_: threading.Event) -> Iterator[Event]:
        yield from ()
        raise QueueFull("20 people are already waiting for an answer.", "")

    place.assistant.script = full
    ((_, answer),) = sent(place, tool, (call(), {}))
    assert answer["result"]["isError"]
    assert "20 people are already waiting" in answer["result"]["content"][0]["text"]


def test_a_fault_of_the_program_is_told_without_its_words(
    place: Place, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place.runs, "begin", Mock(side_effect=ZeroDivisionError("SELECT secret")))
    ((status, answer),) = sent(place, tool, (call(), {}))
    assert (status, answer["result"]["isError"]) == (200, True)
    assert "SELECT" not in json.dumps(answer)


def test_the_gate_lets_nobody_else_in(place: Place, tool: Tool) -> None:
    token = place.token()  # from now on there are accounts
    place.records.people.change(place.records.people.find("ann").id, state="disabled", by="test")
    wrong = (
        ({}, 401),
        (token, 401),
        ({"Authorization": "Bearer trag_forged"}, 401),
        ({"Cookie": "trag=x"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:7860"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content-Type": "text/plain"}, 401),
    )
    answers = sent(place, tool, *((call(), headers) for headers, _ in wrong))
    assert [status for status, _ in answers] == [status for _, status in wrong]
    assert [set(answer) for _, answer in answers] == [{"detail"}] * len(wrong)
    assert place.assistant.asked == []


def test_only_a_question_is_taken_and_nothing_is_there_while_it_is_off(place: Place, tool: Tool) -> None:
    for method, status in (("GET", 405), ("DELETE", 404), ("PUT", 404)):
        assert place.program().request(method, "/mcp").status_code == status
    off = mount(place.app, tool.manager, on=False)  # type: ignore[arg-type]
    place.app.router.routes.remove(place.app.router.routes[-2])
    program: TestClient = place.program()
    assert [program.request(method, "/mcp").status_code for method in ("GET", "POST")] == [404, 404]
    assert off.manager is None


def test_a_client_that_leaves_ends_its_answer(place: Place, tool: Tool) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def endless(stop: threading.Event) -> Iterator[Event]:
        begun.set()
        while not stop.wait(0.01):
            yield Token(" and")
        stopped.set()

    place.assistant.script = endless
    body = json.dumps(call()).encode()
    messages = iter([{"type": "http.request", "body": body}])

    async def receive() -> Any:
        if message := next(messages, None):
            return message
        while not begun.is_set():
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None: ...

    async def leave() -> None:
        async with tool.running():
            await asyncio.wait_for(place.app(place.posted("/mcp", {"accept": ACCEPT}), receive, send), 20)
            assert await asyncio.to_thread(stopped.wait, 10)

    asyncio.run(leave())


def test_the_words_name_the_sources_and_who_approved_them() -> None:
    record = replace(RECORD, answer="Under the Board.", sources=(SOURCE, replace(SOURCE, id="p2")))
    assert told(record) == "Under the Board.\n\nSources:\n1. manual.md, Ethics, page 3"
    approved = replace(record, approved=Approval("Rita", "2026-11-03", ASKED), sources=())
    assert told(approved) == "Under the Board.\n\nApproved by Rita on 2026-11-03."


# The real app


def through(address: str, token: str, work: Callable[[Client], Awaitable[Outcome]], mode: str = "auto") -> Outcome:
    """What the protocol's own client gets."""

    async def go() -> Outcome:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=200) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return asyncio.run(asyncio.wait_for(go(), 250))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_protocols_client_finds_the_tool_and_gets_an_answer_with_sources(door: tuple[str, str], mode: str) -> None:
    async def work(client: Client) -> tuple[Any, Any]:
        return await client.list_tools(), await client.call_tool(NAME, {"question": ASKED})

    listed, called = through(*door, work, mode)
    assert [each.name for each in listed.tools] == [NAME, PLAN, WORKFLOW, BRIEF]
    assert listed.tools[0].input_schema["required"] == ["question"]
    record = called.structured_content
    assert not called.is_error
    assert "Ethics Office" in record["answer"]
    assert record["sources"][0]["kind"] == "chart"
    text = called.content[0].text
    assert text.startswith(record["answer"])
    assert "Sources:\n1. Organization chart" in text


def test_the_protocols_client_is_told_what_is_wrong(door: tuple[str, str]) -> None:
    async def empty(client: Client) -> Any:
        return await client.call_tool(NAME, {"question": " "})

    refused = through(*door, empty)
    assert (refused.is_error, "The question is empty" in refused.content[0].text) == (True, True)
    refusal = httpx2.post(f"{door[0]}/mcp", json=call(), headers={"Authorization": "Bearer trag_forged"})
    assert (refusal.status_code, refusal.headers["www-authenticate"]) == (401, "Bearer")
