"""The page Get it done over a real home, through the gate: plans by people of several units, with a scripted reader."""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.procedures.flows import Book
from prompts import CANNOT_ANSWER
from store.person import Role
from tests import planned
from tests.pages import gated, parsed, signed_in, soup, texts, words
from tests.planned import UNITS, Choosing, canaries
from trag import plans
from trag.flow.record import PlanRecord
from trag.home import Home, open_home
from trag.llm.model import ModelDied
from trag.people import CurrentUser
from trag.plans import CLOSED, Plan, PlanRequest, procedure_of
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source
from trag.settings import Settings
from trag.web.active_runs import ActiveRuns, AssistantLoader
from trag.web.ask import AskPage
from trag.web.plans import page as plans_page
from trag.web.visitors import leads_in

pytestmark = pytest.mark.slow
PEOPLE: dict[str, tuple[Role, str]] = {f"of-{unit}": ("employee", unit) for unit in UNITS} | {
    "rita": ("reviewer", "bar"),
    "none": ("employee", ""),
    "ada": ("admin", ""),
}
ONE, WHICH, NONE = (-9, 0), (-9, 0, -0.1, -0.2), (0, -3)
"""What the reader thinks of the likeliest procedures."""


@dataclass
class Place:
    """A home, its page behind the gate, the reader, and who looks at it."""

    home: Home
    assistant: Any
    runs: ActiveRuns
    browsers: dict[str, TestClient]
    people: dict[str, CurrentUser]

    def plan(self, who: str, request: str, procedure: str = "", *done: str) -> tuple[str, list[Any]]:
        """The id of a plan, and its events."""
        id, asked = uuid4().hex, plans.plan_request(self.home, self.people[who], request, procedure, done)
        told = plans.make(self.home, self.assistant, asked, self.people[who], id=id, stop=threading.Event())
        return id, list(told)

    def post(self, who: str, path: str = "/plans", **form: Any) -> Any:
        return self.browsers[who].post(path, data=form, follow_redirects=False)

    def page(self, who: str, path: str) -> BeautifulSoup:
        return soup(self.browsers[who], path)

    def made(self, who: str, **form: Any) -> BeautifulSoup:
        """The page of a plan that a form asks for, as soon as it is there."""
        sent = self.post(who, **form)
        assert sent.status_code == 303, sent.text
        for _ in range(1_000):
            page = self.page(who, sent.headers["location"])
            if not page.select("#working"):
                return page
            time.sleep(0.01)
        raise AssertionError("it is never made")


@pytest.fixture
def place(empty_database: Path, tmp_path: Path, portal: BlockingPortal) -> Iterator[Place]:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        planned.fill(home)
        app, runs, assistant = gated(home.records, home.settings), ActiveRuns(), planned.assistant(Choosing(*ONE))
        plans_page.mount(app, home, runs, lambda: assistant)
        found = signed_in(home.records, app, PEOPLE, portal)
        people = {each.name: CurrentUser.of(each) for each in home.records.people.all()}
        yield Place(home, assistant, runs, {name: each[1] for name, each in found.items()}, people)
        runs.end_all()


def test_two_hundred_plans_by_people_of_eight_units_tell_nothing_of_what_is_for_others(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    seen = 0
    requests = (
        "open the vault",
        "my badge is lost",
        "open it",
        "replace the vault of the board",
        "what is for others?",
    )
    for unit, weights, request in product(UNITS, (ONE, WHICH, NONE, (-9, -1, 0), (-9, -2, -1, 0)), requests):
        who, place.assistant.model = f"of-{unit}", Choosing(*weights)
        id, events = place.plan(who, request)
        stored = place.home.records.answer(id)
        assert stored
        told = [stored.record_json, stored.answer, str(events), place.assistant.model.shown]
        told += [place.browsers[who].get(path).text for path in (f"/plans/{id}", "/plans")]
        everything = "\n".join(told)
        assert not [word for other in UNITS if other != unit for word in canaries(other) if word in everything], request
        seen += any(word in everything for word in canaries(unit))
    assert seen > 150, "what is for them is told"
    assert not [word for unit in UNITS for word in canaries(unit) if word in caplog.text]


def test_what_is_closed_answers_like_what_never_was(place: Place) -> None:
    closed, never = "key-bar", "no-such"
    said = [place.post("of-board", request="open it", procedure=id).text.replace(id, "?") for id in (closed, never)]
    assert said[0].partition("nonce")[0] == said[1].partition("nonce")[0]
    assert "The procedures have no ?" in said[0]
    assert not place.page("of-board", f"/plans?procedure={closed}").select("[name=procedure][type=checkbox]")
    assert place.page("of-bar", f"/plans?procedure={closed}").select("[name=procedure][type=checkbox]")
    assert (
        f"ZACTION-bar-{closed}" not in place.post("of-board", request="x", done=f"ZACTION-bar-{closed}").text[:0] + "x"
    )


def test_the_same_request_by_two_units_is_handed_over_differently(place: Place) -> None:
    handed = {}
    for who in ("of-board", "of-bar", "none"):
        page = place.made(who, request="my badge is lost")
        assert texts(page, ".sentence") == ["Say that it is lost", "It is blocked and printed"]
        handed[who] = texts(page, ".planned.handed .who")
    assert handed["of-board"] == ["Bar does this head: Head bar"]
    assert handed["of-bar"] == ["Board does this head: Head board"]
    assert handed["none"] == ["Board does this head: Head board", "Bar does this head: Head bar"]
    assert texts(place.made("none", request="my badge is lost"), ".at-hand li") == ["staff number"]


def test_what_is_ticked_is_shown_as_done_above_what_is_left(place: Place) -> None:
    whole = place.made("of-board", procedure="badge")
    assert texts(whole, "h1") == ["Replace a lost badge"], "an example is planned by its title"
    steps = whole.select("form.steps")[0]
    hidden = {str(each["name"]): str(each["value"]) for each in steps.select("[type=hidden]")}
    rest = place.made("of-board", **hidden, done=["Report", "Block"])
    assert texts(rest, ".done-before li") == ["Report the lost badge", "Block the badge"]
    assert [each.has_attr("checked") for each in rest.select("[name=done]")] == [True, True, False]
    assert texts(rest, ".planned label") == ["1 Print a new badge"]
    assert "all of it is done" in words(place.made("of-board", **hidden, done=["Report", "Block", "Print"]), ".steps")


def test_several_and_none_lead_to_those_that_may_be_meant(place: Place) -> None:
    for weights, said in ((WHICH, "Which do you mean?"), (NONE, CANNOT_ANSWER)):
        place.assistant.model = Choosing(*weights)
        page = place.made("of-board", request="open the vault")
        assert words(page, "h2").startswith(said)
        own = [f"Open the vault {canaries('board')[at]}" for at in (1, -1)]
        assert set(own) <= set(texts(page, ".offers button")) <= {*own, "Replace a lost badge"}
        assert (page.select(".offers [name=request]")[0]["value"], page.select(".planned")) == ("open the vault", [])


def test_a_plan_opens_the_document_at_its_procedure_and_draws_it(place: Place) -> None:
    page = place.made("none", procedure="badge")
    assert {str(each["href"]).partition("?")[2] for each in page.select("a.open")} == {"passage=p-all.md#here"}
    assert len(page.select("a.open")) == 4
    assert texts(page, ".flow li > p:first-of-type") == [
        *("Say that it is lost", "Report the lost badge"),
        *("It is blocked and printed", "Block the badge", "Print a new badge"),
    ]


def test_a_plan_is_its_askers_alone_and_tells_nothing_once_what_it_stood_on_is_closed(place: Place) -> None:
    def close_document() -> None:
        place.home.records.library.set_audience("ZDOCUMENT-board.md", frozenset({"bar"}))

    def move() -> None:
        place.home.records.people.change(place.people["of-board"].person, unit="bees", by="test")

    def remove() -> None:
        place.home.procedures._in_use = Book.of((), ())

    path = f"/plans/{place.plan('of-board', 'open it', 'vault-board')[0]}"
    other = f"/plans/{place.plan('of-board', 'open it', 'key-board')[0]}"
    for who in ("of-bar", "rita", "ada"):
        assert place.browsers[who].get(path).status_code == 404
        assert place.post(who, f"{path}/verdict", verdict="Correct").status_code == 404
    assert path not in place.browsers["of-bar"].get("/plans").text
    for each, change in ((path, close_document), (other, move), (other, remove)):
        assert place.page("of-board", each).select(".planned") or change is remove
        change()
        page = place.browsers["of-board"].get(each).text
        assert CLOSED[1:] in page
        assert not [word for word in canaries("board") if word in page]
    admins = f"/plans/{place.plan('ada', 'open it')[0]}"
    assert place.page("ada", admins)


def test_a_verdict_and_a_comment_are_kept_as_a_flag(place: Place) -> None:
    id, _ = place.plan("of-board", "badge", "badge")
    path = f"/plans/{id}/verdict"
    assert place.post("of-board", path, verdict="Fine").status_code == 404
    for form in ({"verdict": "Incorrect"}, {"comment": "The bar prints none."}):
        assert place.post("of-board", path, **form).headers["location"] == f"/plans/{id}#verdict"
    label = place.home.records.label(id, place.people["of-board"].person)
    assert label
    assert (label.verdict, label.comment, label.asker) == ("Incorrect", "The bar prints none.", True)
    page = place.page("of-board", f"/plans/{id}")
    assert texts(page, "[aria-pressed=true]") == ["Wrong"]


def test_what_cannot_be_planned_is_said_and_stays_in_the_field(place: Place) -> None:
    for request, said in (("x" * 4_001, "4,001"), (" \x00", "empty")):
        answer = place.post("none", request=request)
        assert (answer.status_code, said in words(parsed(answer), "[role=alert]")) == (409, True)
    assert "x" * 4_001 in place.post("none", request="x" * 4_001).text


def test_who_waits_sees_their_place_and_a_stop_and_a_death_are_recorded(place: Place) -> None:
    with place.assistant.line.place() as positions:
        assert not [*positions]
        sent = [place.post("none", request="my badge is lost").headers["location"] for _ in range(2)]
        while not (where := texts(place.page("none", sent[1]), ".badge")) or "line" not in where[0]:
            time.sleep(0.01)
        assert place.browsers["of-bar"].get(sent[1]).status_code == 404, "it is theirs alone"
        assert place.post("none", f"{sent[1]}/stop").status_code == 303
        assert "Stopped." in words(place.page("none", sent[1]), ".stopped")
        assert place.made("none", procedure="badge").select(".planned"), "what needs no model waits for nobody"
    place.assistant.model = Choosing()
    place.assistant.model.error = ModelDied("The model's process ended.")
    page = place.made("none", request="my badge is lost")
    assert "The model's process ended." in words(page, ".stopped")
    place.assistant.model = Choosing(*ONE)
    assert place.made("none", request="my badge is lost").select(".planned")


def test_a_set_stop_ends_in_a_record_without_steps(place: Place) -> None:
    stop, id = threading.Event(), uuid4().hex
    stop.set()
    who = place.people["none"]
    *_, last = plans.make(place.home, place.assistant, PlanRequest("my badge"), who, id=id, stop=stop)
    assert isinstance(last, Plan)
    assert (last.record.interrupted, last.record.steps) == ("stopped by the reader", ())
    stored = place.home.records.answer(id)
    assert stored
    assert (stored.kind, PlanRecord.from_json(stored.record_json)) == ("plan", last.record)
    assert json.loads(stored.record_json)["model"]["name"] == "scripted"


def test_the_way_there_is_shown_to_who_may_plan_and_to_admins(place: Place) -> None:
    book = planned.book()
    place.home.procedures._in_use = replace(book, procedures={"key-bar": book.procedures["key-bar"]})
    shown = {who: plans.offered(place.home, place.people[who]) for who in ("of-bar", "of-board", "ada")}
    assert shown == {"of-bar": True, "of-board": False, "ada": True}
    for who, offers in shown.items():
        assert ("/plans" in [lead.path for lead in leads_in(place.home, place.people[who])]) is offers
    assert "no written procedures for you" in words(place.page("of-board", "/plans"), ".lead")
    place.home.procedures._in_use = None
    place.home.procedures.versions.activate("0" * 12, "gone.json", "f" * 64, by="test", size=1, original="")
    assert not plans.offered(place.home, place.people["of-bar"]), "its file is gone"
    assert place.page("ada", "/plans").select(".lead a[href='/procedures']")


def test_an_answer_leads_to_the_procedure_that_is_written_where_it_stands(place: Place) -> None:
    source = Source("s1", "section", "all.md", "Club > 1 Lost badge", None, "Say so.", 0.8)
    record = AnswerRecord("i", "q", "q", "Say so.", "answered", ModelUsed("m", "0", ""), sources=(source,))
    record = replace(record, checks=Checks((CheckedSentence("Say so.", True, "s1"),)))
    of = {who: plans.readable(place.home, place.people[who]) for who in ("none", "of-bar")}
    found = procedure_of(record, of["none"])
    assert found
    assert found.id == "badge"
    elsewhere = replace(record, sources=(replace(source, section=f"2 {canaries('bar')[-1]}"),))
    assert procedure_of(elsewhere, of["none"]) is None
    assert procedure_of(elsewhere, of["of-bar"])
    assert procedure_of(replace(record, checks=Checks()), of["none"]) is None, "it stands on nothing"
    who, records = place.people["none"], place.home.records
    conversation = records.start_conversation(who.person, "q").id
    for each in (replace(record, id="a1"), replace(elsewhere, id="a2")):
        records.save_answer(each.id, conversation, each.question, each.answer, each.to_json())
    log = AskPage(place.home, Mock(spec=AssistantLoader))._log(who, conversation)
    links = [each["href"] for each in BeautifulSoup(log, "html.parser").select(".do a")]
    assert links == ["/plans?procedure=badge&request=q"]
