"""What a token may do at the addresses of programs: ask, or read besides; and that one is sent."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.trag.web.api.conftest import RECORD, SOURCE
from tests.trag.web.api.test_page import ASK, CHAT, QUESTION, SENT, STREAMED, told
from trag.events import Answer
from trag.record import AnswerRecord, Conflict
from trag.web.api.answering import without_passages
from trag.web.api.mcp import told as as_text

Place = Any  # of conftest.py
pytestmark = pytest.mark.slow


def test_a_token_that_may_only_ask_is_told_where_an_answer_stands_and_not_in_which_words(place: Place) -> None:
    words, heard = SOURCE.text, {}
    for scope in ("ask", "read"):
        program = place.program(**place.token(f"ann-{scope}", scope=scope))
        sent = (program.post(path, json=body) for path, body in (*SENT.items(), *STREAMED.items()))
        streamed = program.post(ASK, json=QUESTION, headers={"Accept": "text/event-stream"})
        heard[scope] = [answer.text for answer in (*sent, streamed)]
    assert all("manual.md" in each and "Under the Board" in each for each in (*heard["ask"], *heard["read"]))
    assert ([words in each for each in heard["ask"]], [words in each for each in heard["read"]]) == (
        [False] * 5,
        [True] * 5,
    )
    record = json.loads(heard["ask"][0])
    assert (record["answer"], record["checks"]["sentences"][0]["evidence"]) == (RECORD.answer, "")
    assert AnswerRecord.from_json(heard["read"][0]) == RECORD


def test_a_token_that_may_only_ask_is_given_no_words_of_a_document_that_says_something_else() -> None:
    other = replace(SOURCE, id="p2", document="guide.md", text="Ethics is under the Council, as agreed.")
    conflict = Conflict("p1", SOURCE.text, "p2", other.text, "Under the Council.")
    record = replace(RECORD, sources=(SOURCE, other), conflicts=(conflict,))
    shown = without_passages(Answer(record))
    assert isinstance(shown, Answer)
    for text in (shown.record.to_json(), as_text(shown.record)):
        assert SOURCE.text not in text
        assert other.text not in text
        assert "Under the Council." in text
    assert other.text in as_text(record)


def test_a_token_that_may_only_ask_reads_no_conversation(place: Place) -> None:
    program = place.program(**place.token("ann", scope="ask"))
    conversation = place.records.start_conversation(place.records.people.find("ann").id, "Mine").id
    refused = program.post(ASK, json=QUESTION | {"conversation": conversation})
    assert (refused.status_code, "may only ask" in told(ASK, refused)) == (403, True)
    assert place.assistant.asked == []
    assert program.post(ASK, json=QUESTION).status_code == 200


def test_two_authorization_headers_are_none(place: Place) -> None:
    held = list(place.token().items())
    forged = ("Authorization", "Bearer trag_forged")
    for sent, status in ((held, 200), (held * 2, 401), ([*held, forged], 401), ([forged, *held], 401)):
        for path in (ASK, CHAT):
            assert place.program().post(path, json=SENT[path], headers=sent).status_code == status, sent
