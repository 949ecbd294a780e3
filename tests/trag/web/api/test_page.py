"""Programs that ask: what they get, what they are told when they get nothing, and what ends when they leave."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from trag.errors import TragError
from trag.events import Answer, Event, Token
from trag.llm.queue import QueueFull
from trag.web import gate
from trag.web.active_runs import PATIENCE, Draft
from trag.web.api import responses
from trag.web.gate import LARGEST

Place = Any  # of conftest.py
ASK, CHAT = "/api/ask", "/v1/chat/completions"
QUESTION = {"question": "Where is Ethics?"}
TALK = {"model": "trag", "messages": [{"role": "user", "content": "Where is Ethics?"}]}
SENT = {ASK: QUESTION, CHAT: TALK}
STREAMED = {ASK: QUESTION, CHAT: TALK | {"stream": True}}
pytestmark = pytest.mark.slow
ID = "0af" * 10 + "12"


def told(path: str, answer: Any) -> str:
    """What a refusal says, in the shape that its address promises."""
    body = answer.json()
    if path.startswith("/v1/"):
        assert set(body["error"]) == {"message", "type", "param", "code"}
        return str(body["error"]["message"])
    assert set(body) == {"detail"}
    return str(body["detail"])


def events(text: str) -> list[tuple[str, Any]]:
    """The server-sent events of a stream, without comments."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            data = fields["data"]
            found.append((fields.get("event", ""), json.loads(data) if data != "[DONE]" else data))
    return found


def idle(place: Place) -> bool:
    """Whether nothing is asked any more, once every thread has ended."""
    for thread in threading.enumerate():
        if thread.name == "asking":
            thread.join(10)
    return not place.runs.busy()


# Asking


def test_an_answer_is_its_record(place: Place) -> None:
    answer = place.program().post(ASK, json=QUESTION)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["id"], body["status"], body["sources"][0]["document"]) == (ID, "answered", "manual.md")
    assert place.assistant.asked == [
        (
            "Where is Ethics?",
            {
                "history": (),
                "conversation": None,
                "readers": None,
                "asker": "local",
                "owned": frozenset(),
                "page": "en",
            },
        ),
    ]
    assert idle(place)


def test_a_stream_tells_the_answer_while_it_is_written(place: Place) -> None:
    answer = place.program(Accept="text/event-stream").post(ASK, json=QUESTION)
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = events(answer.text)
    assert [name for name, _ in found] == ["waiting", "found", "token", "retry", "token", "answer"]
    values = [value for _, value in found]
    assert values[0] == {"position": 1}
    assert values[1]["sources"][0]["id"] == "p1"
    assert values[2:5] == [{"text": "Over "}, {"reason": "It is under."}, {"text": "Under"}]
    assert values[5]["id"] == ID


def test_what_was_said_before_goes_with_the_question(place: Place) -> None:
    program = place.program()
    before = [{"question": f"Q{number}\x00", "answer": "A" * 5000} for number in range(12)]
    assert program.post(ASK, json=QUESTION | {"history": before}).status_code == 200
    history = place.assistant.asked[-1][1]["history"]
    assert [turn.question for turn in history] == [f"Q{number}" for number in range(2, 12)]
    assert {len(turn.answer) for turn in history} == {4000}
    messages = [
        {"role": "system", "content": "Be rude."},
        {"role": "user", "content": "Who leads it?"},
        {"role": "assistant", "content": [{"type": "text", "text": "The "}, {"type": "text", "text": "Board."}]},
        {"role": "user", "content": "And since when?"},
    ]
    assert program.post(CHAT, json={"model": "trag", "messages": messages, "temperature": 1}).status_code == 200
    question, more = place.assistant.asked[-1]
    assert question == "And since when?"
    assert [(turn.question, turn.answer) for turn in more["history"]] == [("Who leads it?", "The Board.")]


def test_a_conversation_must_be_ones_own(place: Place) -> None:
    mine, other = place.token("ann"), place.token("bob")
    conversation = place.records.start_conversation(place.records.people.find("ann").id, "Mine").id
    sent = QUESTION | {"conversation": conversation}
    assert place.program(**mine).post(ASK, json=sent).status_code == 200
    assert place.assistant.asked[-1][1]["conversation"] == conversation
    refused = place.program(**other).post(ASK, json=sent)
    assert (refused.status_code, told(ASK, refused)) == (404, "There is no such conversation of yours.")
    assert len(place.assistant.asked) == 1


def test_in_a_conversation_there_is_one_question_at_a_time(place: Place) -> None:
    conversation = place.records.start_conversation("local", "Mine").id
    place.runs.begin(conversation, "Before?", endless(threading.Event()))
    refused = place.program().post(ASK, json=QUESTION | {"conversation": conversation})
    assert refused.status_code == 409


def test_who_hears_an_answer_may_ask_the_next_question_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    after = Draft.after

    def slowly(draft: Draft, event: Event) -> Draft:
        if isinstance(event, Answer):
            time.sleep(0.3)
        return after(draft, event)

    monkeypatch.setattr(Draft, "after", slowly)
    sent = QUESTION | {"conversation": place.records.start_conversation("local", "Mine").id}
    program = place.program()
    assert [program.post(ASK, json=sent).status_code for _ in range(2)] == [200, 200]


def test_a_program_that_has_its_answer_forgets_no_newer_question(place: Place) -> None:
    conversation = place.records.start_conversation("local", "Mine").id
    answered, end, last = place.assistant.script, threading.Event(), threading.Event()

    def slow_to_end(stop: threading.Event) -> Iterator[Event]:
        yield from answered(stop)
        end.wait(10)

    place.assistant.script = slow_to_end
    assert place.program().post(ASK, json=QUESTION | {"conversation": conversation}).status_code == 200
    (ending,) = [thread for thread in threading.enumerate() if thread.name == "asking"]
    assert place.runs.begin(conversation, "Newer?", endless(last))
    end.set()
    ending.join(10)
    newer = place.runs.find(conversation)
    last.set()
    assert newer is not None
    assert newer.draft.question == "Newer?"


@pytest.mark.parametrize("path", SENT)
def test_a_program_reads_what_its_person_may_read(place: Place, path: str) -> None:
    for name, role in (("ann", "employee"), ("root", "admin")):
        assert place.program(**place.token(name, role)).post(path, json=SENT[path]).status_code == 200
    of_ann, of_root = (more for _, more in place.assistant.asked)
    assert of_root["readers"] is None
    assert of_ann["readers"] is not None
    assert [of_ann["asker"], of_root["asker"]] == [place.records.people.find(name).id for name in ("ann", "root")]


def test_a_chat_is_answered_in_the_shape_of_openai(place: Place) -> None:
    body = place.program().post(CHAT, json=TALK).json()
    assert (body["object"], body["model"], body["usage"]["total_tokens"]) == ("chat.completion", "trag", 47)
    (choice,) = body["choices"]
    assert choice["message"]["content"] == "Under the Board.\n\nNowhere else."
    assert choice["finish_reason"] == "stop"
    assert body["trag"]["id"] == ID


def test_a_chat_is_streamed_without_words_that_are_taken_back(place: Place) -> None:
    sent = TALK | {"stream": True, "stream_options": {"include_usage": True}}
    found = [value for _, value in events(place.program().post(CHAT, json=sent).text)]
    *chunks, end = found
    assert end == "[DONE]"
    assert len({(chunk["id"], chunk["object"]) for chunk in chunks}) == 1
    *said, finish, usage = chunks
    assert said[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(chunk["choices"][0]["delta"]["content"] for chunk in said) == "Under the Board.\n\nNowhere else."
    assert (finish["choices"][0]["finish_reason"], finish["trag"]["id"]) == ("stop", ID)
    assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 7)


def test_the_assistant_is_the_one_model(place: Place) -> None:
    program = place.program()
    assert [each["id"] for each in program.get("/v1/models").json()["data"]] == ["trag"]
    assert program.get("/v1/models/trag").json()["object"] == "model"


# Refusals


def test_what_cannot_be_asked_is_refused_with_the_reason(place: Place) -> None:
    program = place.program()
    for path, sent, status, says in (
        (ASK, {}, 422, 'needs "question"'),
        (ASK, {"question": ""}, 422, "question"),
        (ASK, {"question": " \u200b\n"}, 422, "The question is empty."),
        (ASK, {"question": "x" * 4001}, 422, "4,000"),
        (ASK, {"question": 7}, 422, '"question" must be a text, found 7'),
        (ASK, QUESTION | {"histroy": []}, 422, "histroy"),
        (ASK, QUESTION | {"history": [{"question": "Q"}]}, 422, '"history" 1 needs "answer"'),
        (ASK, QUESTION | {"conversation": "../x"}, 422, "conversation"),
        (ASK, QUESTION | {"conversation": ID, "history": [{"question": "Q", "answer": "A"}]}, 422, "only one"),
        (ASK, QUESTION | {"conversation": ID}, 404, "no such conversation"),
        (ASK, [], 422, "is no JSON object"),
        (CHAT, {"messages": []}, 422, "messages"),
        (CHAT, {"messages": [{"role": "user", "content": None}]}, 422, "The question is empty."),
        (CHAT, {"messages": [{"role": "assistant", "content": "Hm."}]}, 422, "the last message"),
        (
            CHAT,
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            422,
            '"content" must be a text, found [{',
        ),
        (CHAT, TALK | {"model": "gpt-4"}, 404, "no model 'gpt-4'"),
        (CHAT, TALK | {"n": 2}, 422, '"n" must be 1 or less, found 2'),
        (CHAT, TALK | {"stream": "yes"}, 422, "stream"),
    ):
        refused = program.post(path, json=sent)
        assert refused.status_code == status, sent
        assert says.lower() in told(path, refused).lower(), sent
    assert not place.assistant.asked


@pytest.mark.parametrize("path", [ASK, CHAT])
def test_a_body_that_is_no_question_is_refused(place: Place, path: str) -> None:
    program = place.program()
    for body, kind, status in (
        (b"", "application/json", 422),
        (b"{", "application/json", 422),
        (b"\xff", "application/json; charset=utf-8", 422),
        (b'{"question": "\\ud800"}', "application/json", 422),
        (b"[" * 100_000, "application/json", 422),
        (b'{"question": ' + b"9" * 5000 + b"}", "application/json", 422),
        (b'{"question": "Q"}', "text/plain", 415),
        (b"question=Q", "application/x-www-form-urlencoded", 415),
        (b" " * (LARGEST + 1), "application/json", 413),
    ):
        refused = program.post(path, content=body, headers={"Content-Type": kind})
        assert refused.status_code == status, refused.text
        assert told(path, refused)


@pytest.mark.parametrize("path", [ASK, CHAT])
def test_what_the_assistant_refuses_has_a_status_of_its_own(place: Place, path: str) -> None:
    line = QueueFull("9 people are already waiting for an answer.", "The question is kept in the box.")
    for error, status in ((line, 429), (TragError("The model cannot be started.", "Look at the log."), 503)):
        place.assistant.script = raising(error)
        for refused in (
            place.program().post(path, json=SENT[path]),
            place.program(Accept="text/event-stream").post(path, json=STREAMED[path]),
        ):
            assert refused.status_code == status
            assert error.message in told(path, refused)
            assert "box" not in told(path, refused)
            assert refused.headers.get("retry-after") == ("10" if status == 429 else None)
            assert idle(place)


@pytest.mark.parametrize("path", [ASK, CHAT])
def test_what_the_assistant_refuses_while_an_answer_is_told_is_in_the_stream(
    place: Place, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = place.program(Accept="text/event-stream")
    place.assistant.script = raising(TragError("The disk is full."), Token("Un"))
    found = events(program.post(path, json=STREAMED[path]).text)
    assert "The disk is full." in json.dumps(found[-1 if path == ASK else -2])
    assert "answer" not in dict(found)
    monkeypatch.setattr(responses, "QUIET", 0.02)
    refuse = raising(QueueFull("9 people are already waiting for an answer."))
    place.assistant.script = lambda stop: refuse(stop) if not stop.wait(0.2) else iter(())
    late = program.post(path, json=STREAMED[path])
    assert (late.status_code, "9 people are already waiting" in late.text) == (200, True)
    assert idle(place)


@pytest.mark.parametrize("path", [ASK, CHAT])
def test_comments_keep_a_stream_open_while_nothing_comes(
    place: Place, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses, "QUIET", 0.02)
    swift = place.assistant.script
    place.assistant.script = lambda stop: (event for event in swift(stop) if not stop.wait(0.1))
    text = place.program(Accept="text/event-stream").post(path, json=STREAMED[path]).text
    told = text.split("\n\n")
    assert ":" in told[:2], "before the first event"
    assert told.count(":") > 6, "between any two"
    assert ID in text


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_the_program_is_told_without_its_words(place: Place) -> None:
    place.assistant.script = raising(ZeroDivisionError("secret"))
    refused = place.program().post(ASK, json=QUESTION)
    assert (refused.status_code, "secret" in refused.text) == (500, False)
    assert idle(place)


# Who


@pytest.mark.parametrize("path", [ASK, CHAT])
def test_a_program_comes_with_a_token_and_nothing_of_a_browser(place: Place, path: str) -> None:
    assert place.program().post(CHAT, json=TALK).status_code == 200, "without accounts, on this machine"
    assert place.program(Authorization="Bearer not-needed").post(CHAT, json=TALK).status_code == 200
    assert place.program(Origin="http://127.0.0.1:7860").post(CHAT, json=TALK).status_code == 403
    token = place.token()
    for headers, status in (
        ({}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Bearer trag_wrong"}, 401),
        ({"Authorization": token["Authorization"].replace("Bearer", "Basic")}, 401),
        ({"Authorization": token["Authorization"].replace("Bearer", "bearer")}, 200),
        (token, 200),
        (token | {"Cookie": "other=1"}, 200),
        (token | {"Cookie": "trag=x"}, 400),
        (token | {"Cookie": "__Host-trag=x"}, 400),
        (token | {"Origin": "http://127.0.0.1:7860"}, 403),
        (token | {"Sec-Fetch-Site": "same-origin"}, 403),
        (token | {"Origin": "null"}, 403),
    ):
        answer = place.program(**headers).post(path, json=SENT[path])
        assert answer.status_code == status, (headers, answer.text)
        assert status == 200 or told(path, answer)
        assert answer.headers.get("www-authenticate") == ("Bearer" if status == 401 else None)


def disable(place: Place, name: str = "ann") -> None:
    place.records.people.change(place.records.people.find(name).id, state="disabled", by="test")


def test_a_token_opens_nothing_once_its_person_is_disabled(place: Place) -> None:
    sent = place.token()
    disable(place)
    assert place.program(**sent).post(ASK, json=QUESTION).status_code == 401


# Leaving


def raising(error: Exception, *before: Event) -> Any:
    """A script that ends in an error."""

    def script(stop: threading.Event) -> Iterator[Event]:
        yield from before
        raise error

    return script


def endless(stopped: threading.Event) -> Any:
    """A script that goes on until it is stopped."""

    def script(stop: threading.Event) -> Iterator[Event]:
        yield Token("Under")
        while not stop.wait(0.01):
            yield Token(" and")
        stopped.set()

    return script


async def asked_until(place: Place, path: str, sent: Any, headers: dict[str, str], leaves: bool) -> list[Any]:
    """What comes to a program that asks, and leaves once there are words, or would listen for ever."""
    got, words = [], asyncio.Event()
    left = iter([{"type": "http.request", "body": json.dumps(sent).encode()}])

    async def receive() -> Any:
        if message := next(left, None):
            return message
        await (words.wait() if leaves else asyncio.sleep(60))
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        got.append(message)
        words.set()

    if "accept" not in headers and not sent.get("stream"):
        asyncio.get_running_loop().call_later(0.1, words.set)
    await asyncio.wait_for(place.app(place.posted(path, headers), receive, send), 20)
    return got


@pytest.mark.parametrize(
    ("path", "sent", "headers"),
    [
        (ASK, QUESTION, {}),
        (ASK, QUESTION, {"accept": "text/event-stream"}),
        (CHAT, TALK, {}),
        (CHAT, TALK | {"stream": True}, {}),
    ],
    ids=["ask", "ask stream", "chat", "chat stream"],
)
def test_a_program_that_leaves_ends_its_answer(place: Place, path: str, sent: Any, headers: dict[str, str]) -> None:
    stopped = threading.Event()
    place.assistant.script = endless(stopped)
    asyncio.run(asked_until(place, path, sent, headers, leaves=True))
    assert stopped.wait(5)
    assert idle(place)


def test_a_token_that_is_ended_ends_what_is_being_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PACE", 0.05)
    stopped, headers = threading.Event(), {"accept": "text/event-stream"} | place.token()
    place.assistant.script = endless(stopped)
    ending = threading.Timer(0.3, disable, [place])
    ending.start()
    got = asyncio.run(asked_until(place, ASK, QUESTION, headers, leaves=False))
    ending.join(PATIENCE)
    assert got[-1] == {"type": "http.response.body", "body": b""}
    assert stopped.wait(5)
