"""The page Automate over a real home, through the gate: workflows drafted by a script, changed, tried and sent."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.procedures.flows import Book, Procedure
from store.person import Role
from tests import drafted, planned
from tests.drafted import REQUEST, UNFIT, Drafting
from tests.pages import gated, parsed, signed_in, soup, texts, words
from tests.workflow_files import from_bpmn, from_serverless
from trag import workflows
from trag.flow.record import Chosen, PlannedStep, PlanRecord
from trag.home import Home, open_home
from trag.llm.model import ModelAway, ModelDied
from trag.people import CurrentUser
from trag.settings import Settings
from trag.web.active_runs import ActiveRuns
from trag.web.visitors import leads_in
from trag.web.workflows import page as workflows_page
from trag.workflow import activation
from trag.workflow.record import Workflow, WorkflowRecord
from trag.workflows import Drafted

pytestmark = pytest.mark.slow
PEOPLE: dict[str, tuple[Role, str]] = {
    "of-bar": ("employee", "bar"),
    "of-board": ("employee", "board"),
    "rita": ("reviewer", "bar"),
    "ada": ("admin", ""),
}


@dataclass
class Place:
    """A home, its page behind the gate, who drafts, and who looks at it."""

    home: Home
    assistant: Any
    drafting: Drafting
    browsers: dict[str, TestClient]
    people: dict[str, CurrentUser]

    def draft(self, who: str, request: str = REQUEST) -> tuple[str, list[Any]]:
        """The id of a workflow, and its events."""
        id = uuid4().hex
        asked = workflows.workflow_request(self.home, self.people[who], request)
        told = workflows.make(self.home, self.assistant, asked, self.people[who], id=id, stop=threading.Event())
        return id, list(told)

    def post(self, who: str, path: str = "/workflows", **form: Any) -> Any:
        return self.browsers[who].post(path, data=form, follow_redirects=False)

    def page(self, who: str, path: str) -> BeautifulSoup:
        return soup(self.browsers[who], path)

    def change(self, who: str, id: str, act: str, step: int = 0, *, status: int = 303, **form: Any) -> Any:
        """Sends a change as the page does; the answer."""
        seen = workflows.state(self.kept(who, id))
        answer = self.post(who, f"/workflows/{id}/change", **({"act": act, "step": step, "seen": seen} | form))
        assert answer.status_code == status, answer.text
        return answer

    def kept(self, who: str, id: str) -> WorkflowRecord:
        found = workflows.kept(self.home, self.people[who], id)
        assert found
        return found

    def steps(self, who: str, id: str) -> list[str]:
        workflow = self.kept(who, id).workflow
        return [step.name for step in workflow.steps] if workflow else []

    def written(self, who: str, path: str, selector: str, wanted: str) -> BeautifulSoup:
        """The page as soon as it says so."""
        for _ in range(500):
            page = self.page(who, path)
            if wanted in words(page, selector):
                return page
            time.sleep(0.01)
        raise AssertionError(words(page, "main"))


@pytest.fixture
def place(
    empty_database: Path, tmp_path: Path, portal: BlockingPortal, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        drafted.fill(home)
        drafting = Drafting()
        monkeypatch.setattr(workflows, "drafter", lambda _: drafting)
        app, runs, assistant = gated(home.records, home.settings), ActiveRuns(), planned.assistant(planned.Choosing())
        workflows_page.mount(app, home, runs, lambda: assistant)
        found = signed_in(home.records, app, PEOPLE, portal)
        people = {each.name: CurrentUser.of(each) for each in home.records.people.all()}
        yield Place(home, assistant, drafting, {name: each[1] for name, each in found.items()}, people)
        runs.end_all()


def test_steps_are_shown_as_they_come_and_kept_before_they_are_told(place: Place) -> None:
    place.drafting.turns = threading.Semaphore(0)
    path = place.post("of-bar", request=REQUEST).headers["location"]
    place.drafting.turns.release(2)
    page = place.written("of-bar", path, ".badge", "2 steps so far")
    assert texts(page, ".chain .title") == [
        "Starts: Record created: Supplier invoices",
        "Step 1: If amount of the record is more than 5000",
        "Step 2: Find the head of a unit",
    ]
    assert not page.select("a.change")
    assert place.browsers["of-board"].get(path).status_code == 404, "it is theirs alone"
    place.drafting.turns.release(10)
    page = place.written("of-bar", path, "#steps", "Steps")
    assert page.select("#step-1 #step-2 .who")
    assert words(page, "#step-3 > .row .who") == "This program does it Bar head: Head bar"
    assert words(page, "#step-3 > .row .from") == "From ask the unit head for approval"
    assert words(page, "#step-0 .from") == "From a supplier invoice"
    assert texts(page, "#step-6 .given div") == [
        *("personsender of the record", "message“Your invoice was dealt with.”"),
        "givesnotice",
    ]
    assert texts(page, ".no-step li") == [UNFIT]
    stored = place.home.records.answer(path.rpartition("/")[2])
    assert stored
    assert (stored.kind, stored.answer.split("\n")[:2]) == ("workflow", ["record_created supplier_invoice", "IF"])
    assert texts(place.page("of-bar", "/workflows"), ".made-before a") == [f"{REQUEST[:67]}..."]


def test_a_stop_keeps_what_is_written_and_a_death_and_an_absence_are_told(place: Place) -> None:
    place.drafting.turns = threading.Semaphore(3)
    path = place.post("of-bar", request=REQUEST).headers["location"]
    place.written("of-bar", path, ".badge", "3 steps so far")
    assert place.post("of-bar", f"{path}/stop").status_code == 303
    page = place.written("of-bar", path, ".stopped", "Stopped by the reader")
    assert len(page.select(".chain .row")) == 4
    place.drafting.turns = threading.Semaphore(1_000)
    for error in (ModelDied("The model's process ended."), ModelAway("It is away.")):
        place.drafting.error = error
        id, events = place.draft("of-bar")
        assert isinstance(events[-1], Drafted)
        assert (events[-1].away is error) is isinstance(error, ModelAway)
        assert (place.kept("of-bar", id).interrupted, place.steps("of-bar", id)) == (str(error), ["IF"])
    with place.assistant.line.place():
        waits = place.post("of-bar", request=REQUEST).headers["location"]
        place.written("of-bar", waits, ".badge", "in line")


def test_a_step_is_replaced_filled_added_and_taken_out_and_every_state_is_kept(place: Place) -> None:
    id, _ = place.draft("of-bar")
    path = f"/workflows/{id}"
    page = place.page("of-bar", f"{path}?step=3")
    assert texts(page, ".instead button") == ["Notify a person", "Notify a unit", "ZSECRET"]
    assert not place.page("of-bar", path).select(".editor")
    assert place.change("of-bar", id, "replace", 3, name="notify_unit").headers["location"] == f"{path}?step=3#step-3"
    page = place.page("of-bar", f"{path}?step=3")
    assert "to be filled in" in words(page, "#step-3 > .row")
    assert texts(page, "[name='source.0'] option")[1:4] == [
        *("The record (Supplier invoices)", "Number of the record"),
        "Supplier of the record",
    ]
    assert "Person of step 2: Find the head of a unit" in texts(
        page, "[name='source.0'] optgroup[label='Earlier steps'] option"
    )
    fields = {"source.0": "record.unit", "value.0": "x", "source.1": "", "value.1": "Look at it."}
    assert place.change("of-bar", id, "fill", 3, **fields).headers["location"] == f"{path}#step-3"
    page = place.page("of-bar", path)
    assert texts(page, "#step-3 > .row .given div")[:2] == ["unitunit of the record", "message“Look at it.”"]
    assert place.change("of-bar", id, "add", 1, name="WAIT", where="inside").headers["location"].endswith("#step-2")
    place.change("of-bar", id, "wait", 2, number="2", unit="D")
    assert "Wait 2 days" in words(place.page("of-bar", path), "#step-2 .title")
    place.change("of-bar", id, "condition", 1, left="record.due", op="is empty", right="x")
    assert "If due of the record is empty" in words(place.page("of-bar", path), "#step-1 .title")
    place.change("of-bar", id, "remove", 1)
    assert place.steps("of-bar", id) == ["notify_person"]
    place.change("of-bar", id, "start", type="manual", table="supplier_invoice", title="By  hand")
    page = place.page("of-bar", path)
    assert (texts(page, "h1"), words(page, "#step-0 .title")) == (["By hand"], "Starts: Started by hand")
    for _ in range(7):
        place.change("of-bar", id, "undo")
    assert place.kept("of-bar", id).before == ()
    assert place.steps("of-bar", id)[2] == "ask_for_approval"
    place.change("of-bar", id, "undo", status=409)


def test_a_change_to_what_was_changed_meanwhile_is_refused_and_one_that_is_none_is_not_there(place: Place) -> None:
    id, _ = place.draft("of-bar")
    seen = workflows.state(place.kept("of-bar", id))
    place.change("of-bar", id, "remove", 6)
    answer = place.change("of-bar", id, "remove", 1, status=409, seen=seen)
    assert "changed in another window" in words(parsed(answer), "[role=alert]")
    assert len(place.steps("of-bar", id)) == 5
    for act, step, form in (
        ("fly", 1, {}),
        ("remove", 99, {}),
        ("replace", 1, {"name": "log"}),
        ("replace", 2, {"name": "no_such"}),
        ("add", 2, {"name": "ELSE"}),
        ("add", 2, {"name": "log", "where": "inside"}),
        ("start", 0, {"type": "no_such"}),
        ("wait", 1, {"unit": "years", "number": "1"}),
    ):
        place.change("of-bar", id, act, step, status=404, **form)
    for who in ("of-board", "rita", "ada"):
        for act in ("change", "try", "send", "verdict", "stop"):
            answer = place.post(who, f"/workflows/{id}/{act}", act="remove", step="1", verdict="Correct")
            assert answer.status_code == (303 if act == "stop" else 404)
    assert len(place.steps("of-bar", id)) == 5


def test_two_changes_at_once_lose_neither(place: Place) -> None:
    id, _ = place.draft("of-bar")
    who, seen = place.people["of-bar"], workflows.state(place.kept("of-bar", id))
    went: list[object] = []

    def rename(name: str) -> None:
        try:
            went.append(workflows.changed(place.home, who, id, seen, lambda each, _: replace(each, title=name)))
        except workflows.TragError as error:
            went.append(error)

    both = [threading.Thread(target=rename, args=(name,)) for name in ("one", "other")]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert sorted(isinstance(each, WorkflowRecord) for each in went) == [False, True]
    assert len(place.kept("of-bar", id).before) == 1


def test_a_workflow_is_tried_on_a_record(place: Place) -> None:
    id, _ = place.draft("of-bar")
    page = place.page("of-bar", f"/workflows/{id}")
    assert texts(page, ".trying label") == ["number", "supplier", "sender", "unit", "amount", "due"]
    form = {"record.amount": "6200", "record.sender": "Ilse", "record.unit": "Bar"}
    page = parsed(place.post("of-bar", f"/workflows/{id}/try", **form))
    assert words(page, "#went") == "It goes to its end."
    assert words(page, ".trace li:first-child") == (
        "1 Step 1: If amount of the record is more than 5000 This holds. amount of the record : 6200"
    )
    assert [each.split(" ")[0] for each in texts(page, ".trace .number")] == ["1", "2", "3", "6"]
    assert "would give decision" in words(page, ".trace li:nth-child(3)")
    low = parsed(place.post("of-bar", f"/workflows/{id}/try", **form | {"record.amount": "12"}))
    assert texts(low, ".trace .number") == ["1", "4", "5", "6"]
    wrong = parsed(place.post("of-bar", f"/workflows/{id}/try", **form | {"record.amount": "much"}))
    assert "cannot be compared" in words(wrong, ".trace")


def test_what_is_wrong_is_said_beside_its_step_and_keeps_it_from_being_sent(place: Place) -> None:
    id, _ = place.draft("of-bar")
    path = f"/workflows/{id}"
    place.change("of-bar", id, "add", 6, name="FOREACH")
    page = place.page("of-bar", path)
    assert "Nothing is within FOREACH" in words(page, "#step-7 .wrong")
    assert "1 thing to put right" in words(page, ".state")
    assert not page.select("form[action$='/send']")
    assert texts(page, ".get a") == ["JSON"]
    for file in ("workflow.bpmn", "workflow.serverless.json"):
        assert place.browsers["of-bar"].get(f"{path}/{file}").status_code == 409
    place.change("of-bar", id, "undo")
    core = place.kept("of-bar", id).workflow
    assert core
    files = {name: place.browsers["of-bar"].get(f"{path}/{name}").content for name in workflows_page.FORMS}
    assert Workflow.of(json.loads(files["workflow.json"])) == core
    assert from_serverless(json.loads(files["workflow.serverless.json"])).core() == core.core()
    assert from_bpmn(files["workflow.bpmn"]).core() == core.core()
    assert place.browsers["of-board"].get(f"{path}/workflow.json").status_code == 404


def test_a_workflow_is_sent_and_what_became_of_it_is_said(place: Place) -> None:
    id, _ = place.draft("of-bar")
    path = f"/workflows/{id}"
    assert place.post("of-bar", f"{path}/send", seen="another").status_code == 409
    seen = workflows.state(place.kept("of-bar", id))
    assert place.post("of-bar", f"{path}/send", seen=seen).headers["location"] == f"{path}#send"
    assert "it waits for an admin" in words(place.page("of-bar", path), ".sent-state")
    sent = place.home.records.workflows.find(id)
    assert sent
    assert sent.waiting
    activation.send_back(place.home, place.people["ada"], id, sent.waiting.version, "Name who approves.")
    page = place.page("of-bar", path)
    assert "An admin has returned it" in words(page, ".sent-state")
    assert texts(page, ".sent-state q") == ["Name who approves."]
    assert "· returned" in words(page, ".made-before")


def test_what_is_for_others_leaves_no_trace_and_what_is_closed_later_is_hidden(place: Place) -> None:
    id, _ = place.draft("of-board")
    assert place.drafting.usable is not None
    assert {"secret_step", "secret_table"}.isdisjoint(place.drafting.usable)
    path = f"/workflows/{id}"
    told = [place.browsers["of-board"].get(f"{path}{more}").text for more in ("", "?step=0", "?step=3")]
    told.append(place.browsers["of-board"].get("/workflows").text)
    assert not [each for each in told if "ZSECRET" in each or "ZVAULT" in each or "secret_" in each]
    place.change("of-board", id, "replace", 3, name="secret_step", status=404)
    place.change("of-board", id, "start", type="record_created", table="secret_table", status=404)
    mine, _ = place.draft("of-bar")
    place.change("of-bar", mine, "replace", 5, name="secret_step")
    place.change("of-bar", mine, "start", type="record_created", table="secret_table")
    place.change("of-bar", mine, "condition", 1, left="record.zfield", op="=", right="1")
    assert "ZSECRET" in words(place.page("of-bar", f"/workflows/{mine}"), "#step-5")
    place.home.records.people.change(place.people["of-bar"].person, unit="board", by="test")
    place.people["of-bar"] = replace(place.people["of-bar"], unit="board")
    files = [
        place.browsers["of-bar"].get(f"/workflows/{mine}{more}").text for more in ("", "?step=1", "/workflow.json")
    ]
    assert not [each for each in files if "ZSECRET" in each or "secret_" in each or "zfield" in each or "zgift" in each]
    assert "No longer there, or not open to you" in words(place.page("of-bar", f"/workflows/{mine}"), "#step-5 .title")
    place.change("of-bar", mine, "replace", 5, name="post_invoice")
    assert place.steps("of-bar", mine)[4] == "post_invoice"


def test_a_plan_becomes_a_workflow_by_one_press(place: Place) -> None:
    steps = tuple(
        PlannedStep(number, "It is done.", name, name)
        for number, name in enumerate(("RequestJourney", "secret_step"), 1)
    )
    plan = PlanRecord(uuid4().hex, "I want to travel", "planned", Chosen("travel", "Travel"), steps)
    who = place.people["of-board"].person
    place.home.records.save_answer(plan.id, None, plan.request, plan.order, plan.to_json(), asker=who, kind="plan")
    place.home.procedures._in_use = replace(drafted.book(), procedures={"travel": Procedure("travel", "Travel")})
    assert place.post("of-bar", plan=plan.id).status_code == 404
    page = place.page("of-board", place.post("of-board", plan=plan.id).headers["location"])
    assert texts(page, ".chain .title") == ["Starts: Started by hand", "Step 1: Request the journey"]
    assert "1 step of the plan" in words(page, ".notice")
    assert "ZSECRET" not in page.text


def test_a_verdict_and_a_comment_are_kept_as_a_flag(place: Place) -> None:
    id, _ = place.draft("of-bar")
    path = f"/workflows/{id}/verdict"
    assert place.post("of-bar", path, verdict="Fine").status_code == 404
    for form in ({"verdict": "Incorrect"}, {"comment": "It posts too early."}):
        assert place.post("of-bar", path, **form).headers["location"] == f"/workflows/{id}#verdict"
    label = place.home.records.label(id, place.people["of-bar"].person)
    assert label
    assert (label.verdict, label.comment, label.asker) == ("Incorrect", "It posts too early.", True)
    assert texts(place.page("of-bar", f"/workflows/{id}"), "[aria-pressed=true]") == ["Wrong"]


def test_what_cannot_be_drafted_is_said_and_what_nothing_fits_can_be_put_together_by_hand(place: Place) -> None:
    for request, said in (("x" * 4_001, "4,001"), (" \x00", "empty")):
        answer = place.post("of-bar", request=request)
        assert (answer.status_code, said in words(parsed(answer), "[role=alert]")) == (409, True)
    place.drafting.workflow = None
    id, _ = place.draft("of-bar", "bake a cake")
    page = place.page("of-bar", f"/workflows/{id}")
    assert words(page, "#no-step") == "No step for bake a cake"
    place.change("of-bar", id, "add", 0, name="log")
    assert place.steps("of-bar", id) == ["log"]
    place.home.procedures._in_use = Book.of((), ())
    assert "no steps" in words(parsed(place.post("of-bar", request="x")), "main")
    led = {who: [each.path for each in leads_in(place.home, place.people[who])] for who in ("of-bar", "ada")}
    assert {who: "/workflows" in paths for who, paths in led.items()} == {"of-bar": False, "ada": True}
