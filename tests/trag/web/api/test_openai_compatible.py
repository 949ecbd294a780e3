"""OpenAI's own client, and any HTTP client, against the real app with the real model."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import openai
import pytest

from store.records import Records
from trag.record import AnswerRecord

pytestmark = pytest.mark.slow
ASKED = "Where does the Ethics Office sit?"


@pytest.fixture(scope="module")
def client(door: tuple[str, str]) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{door[0]}/v1", api_key=door[1], timeout=200, max_retries=0) as client:
        yield client


def test_openais_client_gets_a_checked_answer_with_its_sources(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["trag"]
    assert client.models.retrieve("trag").owned_by == "organization"
    answer = client.chat.completions.create(model="trag", messages=[{"role": "user", "content": ASKED}])
    record = answer.model_extra["trag"]  # type: ignore[index]
    assert answer.choices[0].message.content == record["answer"]
    assert ("Ethics Office" in record["answer"], record["sources"][0]["kind"]) == (True, "chart")
    assert answer.usage is not None
    assert answer.usage.total_tokens == record["tokens"]["prompt"] + record["tokens"]["completion"]


def test_openais_client_streams_and_a_follow_up_is_understood(client: openai.OpenAI) -> None:
    said = (
        ("system", "You are a pirate."),
        ("user", ASKED),
        ("assistant", "The Ethics Office is under the Board."),
        ("user", "And what is under it?"),
    )
    messages: list[Any] = [{"role": role, "content": content} for role, content in said]
    with_usage: Any = {"include_usage": True}
    pieces = [*client.chat.completions.create(model="trag", messages=messages, stream=True, stream_options=with_usage)]
    answer = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    finish = next(piece for piece in pieces if piece.choices and piece.choices[0].finish_reason)
    record = finish.model_extra["trag"]  # type: ignore[index]
    assert answer == record["answer"] != ""
    assert "Ethics Office" in record["standalone"]
    assert pieces[-1].usage is not None


def test_openais_client_raises_its_own_errors(client: openai.OpenAI, door: tuple[str, str]) -> None:
    with pytest.raises(openai.UnprocessableEntityError, match="The question is empty"):
        client.chat.completions.create(model="trag", messages=[{"role": "user", "content": " "}])
    with pytest.raises(openai.NotFoundError, match="no model 'gpt-4'"):
        client.chat.completions.create(model="gpt-4", messages=[{"role": "user", "content": ASKED}])
    with pytest.raises(openai.AuthenticationError, match="token"):
        client.with_options(api_key="trag_wrong").models.list()


def test_an_answer_is_streamed_from_what_was_found_to_its_end(door: tuple[str, str]) -> None:
    headers = {"Authorization": f"Bearer {door[1]}", "Accept": "text/event-stream"}
    with httpx.Client(base_url=door[0], headers=headers, timeout=200, trust_env=False) as program:
        text = program.post("/api/ask", json={"question": ASKED}).text
    names = re.findall("(?m)^event: (.*)", text)
    assert (names[0], names[-1]) == ("found", "answer")
    assert set(names) <= {"waiting", "found", "token", "retry", "answer"}
    assert "Ethics Office" in json.loads(re.findall("(?m)^data: (.*)", text)[-1])["answer"]


def test_a_program_that_leaves_frees_the_line(door: tuple[str, str], own_home: Path) -> None:
    address, token = door
    headers = {"Authorization": f"Bearer {token}"}
    left = [f"{ASKED} ({number})" for number in range(8)]  # more than may wait, and be answered meanwhile
    with httpx.Client(base_url=address, headers=headers, timeout=200, trust_env=False) as program:
        for question in left:
            while not leaves(program, question):
                sleep(0.1)  # four at once are a person's share, and it takes a moment until leaving is noticed
        patience = monotonic() + 60
        while (answer := program.post("/api/ask", json={"question": ASKED})).status_code == 429:
            assert monotonic() < patience
            sleep(0.1)  # as above: the last ones' leaving is noticed a moment later
    assert answer.json()["interrupted"] == ""
    with closing(Records(f"sqlite:///{own_home}/trag.db")) as records:
        kept = [AnswerRecord.from_json(row.record_json) for row in records.newest_answers(100) if row.question in left]
    assert sum(not record.interrupted for record in kept) < len(left) / 2, kept


def leaves(program: httpx.Client, question: str) -> bool:
    """Asks and leaves as soon as the first event is there; False when too many of the asker's are under way."""
    streamed = {"Accept": "text/event-stream"}
    with program.stream("POST", "/api/ask", json={"question": question}, headers=streamed) as answer:
        assert answer.status_code in (200, 429), answer.read()
        return answer.status_code == 200 and bool(next(answer.iter_lines()))
