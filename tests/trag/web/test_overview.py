"""The page This week over a real home, through the gate: what an admin sees, and nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.reading.charts import load
from prompts import CANNOT_ANSWER
from store.passage import Passage
from store.person import Role
from store.standing import Validity
from tests.pages import gated, parsed, signed_in, soup, texts, words
from trag import briefs, overview
from trag.home import Home
from trag.people import CurrentUser
from trag.record import AnswerRecord, ModelUsed, Source, Status
from trag.review import approvals
from trag.review.verdicts import put_label
from trag.web import overview as page
from trag.web.visitors import leads_in

CHART = b"id,name,parent\no,Org,\nl,Legal,Org\nf,Finance,Org\n"
PEOPLE: dict[str, tuple[Role, str]] = {
    "ada": ("admin", ""),
    "rita": ("reviewer", "l"),
    "leo": ("employee", "l"),
    "lea": ("employee", "l"),
    "canary": ("employee", "f"),
}
TODAY = datetime.now(UTC).date()


@dataclass
class Place:
    """The home, and who looks at the page."""

    home: Home
    browsers: dict[str, TestClient]
    ids: dict[str, str]

    def asked(self, question: str, asker: str, status: Status = "cannot_answer") -> str:
        id = uuid4().hex
        source = Source(f"{id}-s", "section", "rules.md", "Rules > 4 Parking", None, "SECRET words.", 0.6)
        answer = CANNOT_ANSWER if status == "cannot_answer" else "The Board."
        record = AnswerRecord(id, question, question, answer, "answered", ModelUsed("m", "", ""), sources=(source,))
        record = replace(record, status=status)
        talk = self.home.records.start_conversation(self.ids[asker], "CANARY title").id
        self.home.records.save_answer(id, talk, question, answer, record.to_json())
        return id

    def page(self) -> BeautifulSoup:
        return soup(self.browsers["ada"], "/overview")


def embed(questions: Sequence[str]) -> np.ndarray:
    return np.array([(1.0, 0.0) if "park" in each.casefold() else (0.0, 1.0) for each in questions])


@pytest.fixture
def place(home: Home, portal: BlockingPortal) -> Place:
    home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
    home.parts["embedder"] = SimpleNamespace(embed_questions=embed)
    app = gated(home.records, home.settings)
    assistant: Any = "the assistant"
    page.mount(app, home, lambda: assistant)
    found = signed_in(home.records, app, PEOPLE, portal)
    return Place(home, {name: each[1] for name, each in found.items()}, {name: each[0] for name, each in found.items()})


def rules(home: Home, name: str = "rules.md", content: str = "1") -> None:
    home.records.library.put(
        name, content * 64, None, [Passage("p", "section", name, "Rules > 4 Parking", None, "Words.")]
    )


def test_an_empty_home_says_what_will_be_here_and_only_admins_see_it(place: Place) -> None:
    assert [" ".join(text.split()[:1]) for text in texts(place.page(), "section > p.soft")] == [
        "Nothing.",
        "Nobody",
        "None.",
        "None.",
    ]
    for who in ("rita", "leo"):
        assert place.browsers[who].get("/overview").status_code == 403
        assert place.browsers[who].post("/overview").status_code == 403
    callers = {each.name: each for each in place.home.records.people.all()}
    shown = {
        name
        for name in ("ada", "rita", "leo")
        for lead in leads_in(place.home, CurrentUser.of(callers[name]))
        if lead.path == "/overview"
    }
    assert shown == {"ada"}


def test_what_found_no_answer_stands_by_topic_with_units_and_the_nearest_document(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules(place.home)
    for asker in ("leo", "lea", "canary"):
        place.asked("Where may I park?", asker)
    place.asked("May <b>visitors</b> park?", "leo")
    place.asked("Who paints?", "leo")
    place.asked("Who signs?", "leo", "answered")
    shown = place.page()
    topics = shown.select(".topics > li")
    assert [words(each, ".name") for each in topics] == ["Where may I park?", "Who paints?"]
    assert words(topics[0], ".times") == "4 times · 4 in the last 7 days"
    assert texts(topics[0], ".questions li")[1].startswith("May <b>visitors</b> park?")
    assert texts(topics[0], ".about > span")[:2] == ["Legal 3", "Org 1"], "Finance has one account alone"
    nearest = topics[0].select_one(".about a")
    assert nearest
    assert nearest.get_text() == "Rules, 4 Parking"
    everything = str(shown).casefold()
    assert not [each for each in ("canary", "secret", "leo", *place.ids.values()) if each in everything]
    monkeypatch.setattr(briefs, "answered_since", lambda assistant, questions: {"Who paints?": place_of(questions)})
    again = parsed(place.browsers["ada"].post("/overview"))
    assert words(again, ".questions .since") == "answered since in Rules , 4 Parking"
    assert "1 of 3 looked at" in words(again, "form .soft")


def place_of(questions: Sequence[str]) -> Source:
    assert sorted(questions) == ["May <b>visitors</b> park?", "Where may I park?", "Who paints?"]
    return Source("p", "section", "rules.md", "Rules > 4 Parking", None, "Words.", 0.6)


def test_questions_are_counted_by_week(place: Place) -> None:
    for question, asker, status in (("a", "leo", "answered"), ("b", "leo", "cannot_answer"), ("c", "lea", "answered")):
        place.asked(question, asker, status)
    rows = [texts(row, "th, td.number") for row in place.page().select(".use tbody tr")]
    assert len(rows) == overview.WEEKS
    monday = TODAY - timedelta(days=TODAY.weekday())
    assert rows[0] == [f"{monday:%-d %b %Y}", "3", "2", "2", "1"]
    assert rows[1][1:] == ["0", "0", "0", "0"]


def test_what_was_judged_wrong_stands_with_what_became_of_it(place: Place) -> None:
    home, ids = place.home, {}
    rules(home)
    for question in ("nothing", "corrected", "approved", "returned", "right"):
        ids[question] = place.asked(question, "leo", "answered")
        corrected = "The Chair." if question in ("corrected", "approved", "returned") else ""
        verdict = "Correct" if question == "right" else "Incorrect"
        put_label(home.records, ids[question], place.ids["rita"], verdict, corrected=corrected)
    for question in ("approved", "returned"):
        pinned = approvals.pin(home.records, ids[question], question, "The Chair.", ["rules.md"], "", by="rita")
    approvals.unpin(home.records, pinned.id, by="rita")
    put_label(home.records, ids["returned"], place.ids["rita"], "Incorrect")
    outcomes = {
        row.select("th")[0].get_text(): words(row, "td:nth-of-type(1)")
        for row in place.page().select("[aria-labelledby=wrong-title] tbody tr")
    }
    assert {question: " ".join(told.split()[:4]) for question, told in outcomes.items()} == {
        "nothing": "Nothing yet",
        "corrected": "Corrected; nobody has approved",
        "approved": "The right answer is",
        "returned": "The right answer was",
    }
    rules(home, content="2")
    (found, *_) = [
        each for each in overview.wrong(home.records, TODAY - timedelta(7), 9)[0] if each.question == "nothing"
    ]
    assert found.became == "replaced"


def test_documents_that_somebody_is_to_look_at_are_listed(place: Place) -> None:
    rules(place.home)
    known = Validity(valid_to=date(2026, 1, 31), by="ada")
    place.home.records.validity.put({"rules.md": known}, by="ada")
    (row,) = place.page().select("[aria-labelledby=due-title] tbody tr")
    assert words(row, "td:nth-of-type(1)") == "No longer valid after 31 Jan 2026"
    assert str(row.select("td a")[0]["href"]).endswith("/validity")
