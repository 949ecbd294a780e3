"""Answers by themselves, through the gate: shared with somebody who may read one of two documents, and a conversation
as a file."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from anyio.from_thread import BlockingPortal
from sqlalchemy import insert
from starlette.testclient import TestClient

from org.reading.charts import load
from store import schema
from store.passage import EVERYONE, Passage
from tests.pages import gated, parsed, signed_in, soup, texts, words
from trag.home import Home, open_home
from trag.people import CurrentUser
from trag.record import AnswerRecord, CheckedSentence, Checks, Entity, ModelUsed, Source
from trag.settings import Settings
from trag.web import answers
from trag.web.ask import contacts
from trag.web.render import Turn

CHART = b"""name,parent,head,email
Club,,,
Bar,Club,Ada Ray,bar@club.example
Kitchen,Club,,
"""
Place = tuple[Home, dict[str, tuple[str, TestClient]]]
OPEN, CLOSED = "The bar opens at nine.", "The safe holds 900 coins."
SOURCES = (
    Source("o1", "section", "opening-hours.md", "1 Bar", None, OPEN, 0.9),
    Source("c1", "section", "secret.md", "2 Safe", None, CLOSED, 0.9),
)


def answered(id: str, *said: tuple[str, str]) -> AnswerRecord:
    sentences = tuple(CheckedSentence(text, True, source, text) for text, source in said)
    text = " ".join(sentence.text for sentence in sentences)
    model = ModelUsed("m", "0", "")
    return AnswerRecord(
        id, "When and what?", "When?", text, "answered", model, sources=SOURCES, checks=Checks(sentences)
    )


BOTH, SAFE = answered("a" * 32, (OPEN, "o1"), (CLOSED, "c1")), answered("b" * 32, (CLOSED, "c1"))


@pytest.fixture
def place(tmp_path: Path, portal: BlockingPortal) -> Iterator[Place]:
    with open_home(Settings(home=tmp_path / "home"), later=True) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        chart = home.organization.chart
        assert chart
        for source, audience in zip(
            SOURCES, (frozenset({EVERYONE}), frozenset({chart.named("Bar")[0].id})), strict=True
        ):
            passage = Passage(source.id, "section", source.document, source.section, None, source.text)
            home.records.library.put(source.document, "0", None, [passage], audience=audience)
        app = gated(home.records, home.settings)
        answers.mount(app, home)
        units = {name: chart.named(unit)[0].id for name, unit in (("bea", "Bar"), ("kit", "Kitchen"))}
        people = signed_in(home.records, app, {name: ("employee", unit) for name, unit in units.items()}, portal)
        for record in (BOTH, SAFE):
            talk = home.records.start_conversation(people["bea"][0], f"Talk {record.id[0]}").id
            home.records.save_answer(record.id, talk, record.question, record.answer, record.to_json())
        yield home, people


def test_of_a_shared_answer_others_see_what_they_may_read_and_no_trace_of_the_rest(
    place: Place,
) -> None:
    home, people = place
    (_, bea), (kit_id, kit) = people["bea"], people["kit"]
    for record in (BOTH, SAFE):
        path = f"/answers/{record.id}"
        assert kit.get(path).status_code == 404, "nobody has shared it"
        assert kit.post(f"{path}/share", data={"person": "kit"}).status_code == 404
        assert "Nobody is called kitt" in words(parsed(bea.post(f"{path}/share", data={"person": "kitt"})), ".notice")
        assert "can see it now" in words(parsed(bea.post(f"{path}/share", data={"person": "kit"})), ".notice")
    own = soup(bea, f"/answers/{BOTH.id}")
    assert texts(own, ".share bdi") == ["Kit"]
    assert OPEN in words(own, ".words")
    assert CLOSED in words(own, ".words")
    seen = kit.get(f"/answers/{BOTH.id}")
    assert OPEN in words(parsed(seen), ".words")
    assert not [trace for trace in ("900", "secret", "Safe") if trace in seen.text]
    assert not parsed(seen).select(".share")
    assert kit.get(f"/answers/{SAFE.id}").status_code == 404, "nothing of it is open"
    home.records.library.set_audience(
        "opening-hours.md", frozenset({home.organization.chart.named("Bar")[0].id}), by="ada"
    )  # type: ignore[union-attr]
    assert kit.get(f"/answers/{BOTH.id}").status_code == 404, "its document was closed since"
    bea.post(f"/answers/{BOTH.id}/share/end", data={"person": kit_id})
    assert home.records.shares.people(BOTH.id) == ()
    told = [event.what for event in home.records.audit.page() if "shared" in event.what]
    assert told == ["answer shared no more", "answer shared", "answer shared"]


def test_a_conversation_is_saved_by_its_owner_alone(place: Place) -> None:
    home, people = place
    (person, bea), (_, kit) = people["bea"], people["kit"]
    talk = next(each for each in home.records.conversations(person) if each.title == "Talk a")
    path = f"/conversations/{talk.id}/conversation.md"
    assert kit.get(path).status_code == 404
    saved = bea.get(path)
    assert "attachment" in saved.headers["content-disposition"]
    lines = saved.text.splitlines()
    assert lines[0] == "# Talk a"
    assert "## When and what?" in lines
    assert f"{OPEN} {CLOSED}" in lines
    assert lines[-2:] == ["- Opening hours, 1 Bar", "- Secret, 2 Safe"]


@pytest.mark.slow
def test_ten_thousand_turns_are_saved_without_being_held_all_at_once(place: Place) -> None:
    home, people = place
    person, bea = people["bea"]
    talk, told = home.records.start_conversation(person, "Long").id, replace(BOTH, standalone="when " * 400).to_json()
    with home.records._engine.begin() as connection:
        turns = [
            {"id": f"{number:032x}", "conversation": talk, "question": "", "answer": "", "record_json": told}
            | {"created": datetime.now(UTC)}
            for number in range(10_000)
        ]
        connection.execute(insert(schema.answers), turns)
    turns.clear()
    tracemalloc.start()
    try:
        with bea.stream("GET", f"/conversations/{talk}/conversation.md") as answer:
            found = sum(line == "## When and what?" for line in answer.iter_lines())
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == 10_000
    assert most < 15e6, "all of them together have 25 MB"


def test_who_gets_no_answer_is_told_whom_to_ask(place: Place) -> None:
    home, _ = place
    chart = home.organization.chart
    assert chart
    bar = chart.named("Bar")[0]
    named = Entity(bar.id, "Bar", "bar", 0, 3)
    refused = replace(BOTH, answer="", status="cannot_answer", checks=Checks(), entities=(named,))
    found = {each.name: CurrentUser.of(each) for each in home.records.people.all()}
    told = contacts(Turn(refused), home, found["kit"])
    assert [(each.name, each.what, each.address) for each in told] == [("Ada Ray", "Bar", "mailto:bar@club.example")]
    assert contacts(Turn(BOTH), home, found["kit"]) == ()
