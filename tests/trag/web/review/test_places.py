"""Where the right answer stands, as a reviewer says it: found, kept with the verdict, given with what is approved."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient

from store.person import Role
from tests.pages import gated, parsed, signed_in, soup
from trag import approved
from trag.home import Home, open_home
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source
from trag.settings import Settings
from trag.web.review import page as review

pytestmark = pytest.mark.slow

RULES = "# Rules\n\n## 1 Parking\n\nBicycles are parked in the yard.\n\n## 2 Signing\n\nThe Chair signs contracts.\n"
WRONG = "# Old\n\n## 1 Signing\n\nThe Board signs contracts.\n"
CLOSED = "# Secret\n\n## 1 Signing of contracts\n\nThe CANARY signs contracts.\n"
PEOPLE: dict[str, tuple[Role, str]] = {"rita": ("reviewer", ""), "ada": ("admin", ""), "eve": ("employee", "")}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    silent: Any = lambda *_: None  # noqa: E731
    for name, text in (("rules.md", RULES), ("old.md", WRONG), ("secret.md", CLOSED)):
        (tmp_path / name).write_text(text)
    with open_home(Settings(home=tmp_path / "home")) as home:
        home.ingest([tmp_path / "rules.md", tmp_path / "old.md"], replace=False, progress=silent)
        home.ingest([tmp_path / "secret.md"], replace=False, progress=silent, audience=frozenset({"x"}))
        yield home


@pytest.fixture
def browsers(home: Home, portal: BlockingPortal) -> dict[str, TestClient]:
    app = gated(home.records, home.settings)
    review.mount(app, home)
    return {name: each[1] for name, each in signed_in(home.records, app, PEOPLE, portal).items()}


def asked(home: Home, **more: Any) -> str:
    """An answer that stands on the wrong document."""
    id = uuid4().hex
    words = "The Board signs contracts."
    (passage,) = (one for one in home.records.library.passages("old.md") if one.section.endswith("1 Signing"))
    source = Source(passage.id, "section", "old.md", passage.section, None, passage.text, 0.7)
    checks = Checks((CheckedSentence(words, True, source.id, words),))
    record = AnswerRecord(id, "Who signs?", "Who signs?", words, "answered", ModelUsed("m", "", ""), sources=(source,))
    record = replace(record, **{"checks": checks} | more)
    home.records.save_answer(id, None, record.question, record.answer, record.to_json(), asker="eve")
    return id


def judged(browser: TestClient, id: str, **form: str) -> Any:
    return browser.post(f"/review/{id}/verdict", data=form, follow_redirects=False)


def test_the_right_place_is_searched_kept_and_what_is_approved_stands_on_it(
    home: Home, browsers: dict[str, TestClient]
) -> None:
    id, rita = asked(home), browsers["rita"]
    found = rita.get(f"/review/{id}/places", params={"words": "who signs contracts"}).json()
    places = {(one["document"], one["section"]) for one in found}
    right = next(place for place in places if place[0] == "rules.md" and place[1].endswith("2 Signing"))
    assert "secret.md" not in {document for document, _ in places}, "it is closed to her"
    admin = browsers["ada"].get(f"/review/{id}/places", params={"words": "who signs contracts"}).json()
    assert "secret.md" in {one["document"] for one in admin}
    assert rita.get(f"/review/{id}/places", params={"words": "rules"}).json()[0]["document"] == "rules.md"
    assert rita.get(f"/review/{id}/places").json() == []
    assert rita.get(f"/review/{'0' * 32}/places", params={"words": "rules"}).status_code == 404
    assert browsers["eve"].get(f"/review/{id}/places").status_code == 403

    wrong = next(iter(home.records.library.passages("old.md"))).id
    form = {"verdict": "Incorrect", "corrected": "The Chair.", "wrong_source": wrong}
    assert judged(rita, id, **form, right_place="\r\n".join(right)).status_code == 303
    (label,) = home.records.verdicts(id)
    assert (label.right_document, label.right_section) == right
    page = soup(rita, f"/review/{id}")
    assert page.select(f"[name=right_place][checked][value$='{right[1]}']")

    assert f"it will stand on: rules.md , {right[1]}" in " ".join(page.select(".approve")[0].get_text(" ").split())
    pin = {"question": "Who signs?", "reply": "The Chair."}
    assert rita.post(f"/review/{id}/pin", data=pin, follow_redirects=False).status_code == 303
    pinned = approved.find(home.records, "who signs")
    assert pinned
    assert [(one.document, one.section) for one in pinned.sources] == [right]
    record = home.records.answer(id)
    assert record
    given = approved.given(
        pinned, "Rita", AnswerRecord.from_json(record.record_json), approved.told_places(pinned, home.records)
    )
    assert [(one.kind, one.document, one.section) for one in given.sources] == [("section", *right)]
    assert "The Chair signs contracts." in given.sources[0].text
    assert given.checks.sentences == ()


@pytest.mark.parametrize(
    ("place", "kept"),
    [
        ("secret.md\nSecret > 1 Signing of contracts", ("", "")),
        ("none.md\n1", ("", "")),
        ("rules.md\n9 Nowhere", ("rules.md", "")),
        ("rules.md", ("rules.md", "")),
    ],
    ids=["closed", "no document", "no section", "a whole document"],
)
def test_a_place_that_is_not_there_or_is_closed_is_not_kept(
    home: Home, browsers: dict[str, TestClient], place: str, kept: tuple[str, str]
) -> None:
    id = asked(home)
    judged(browsers["rita"], id, verdict="Incorrect", right_place=place)
    (label,) = home.records.verdicts(id)
    assert (label.right_document, label.right_section) == kept


def test_a_place_is_kept_in_the_form_when_the_verdict_is_not(home: Home, browsers: dict[str, TestClient]) -> None:
    id = asked(home)
    refused = judged(browsers["rita"], id, verdict="Incorrect", right_place="rules.md", comment="x" * 4001)
    assert refused.status_code == 409
    assert parsed(refused).select("[name=right_place][checked]")[0]["value"].startswith("rules.md")


def test_what_was_stopped_is_not_judged_and_of_a_refusal_it_is_asked_whether_there_is_an_answer(
    home: Home, browsers: dict[str, TestClient]
) -> None:
    stopped = asked(home, interrupted="stopped by the reader")
    refusal = asked(home, status="cannot_answer", checks=Checks())
    rita = browsers["rita"]
    assert [row["href"].split("?")[0] for row in soup(rita, "/review").select(".answer-row .question a")] == [
        f"/review/{refusal}"
    ]
    page = soup(rita, f"/review/{stopped}")
    assert not page.select("[data-judge]")
    assert "nothing to judge" in page.get_text()
    assert judged(rita, stopped, verdict="Correct").status_code == 409
    page = soup(rita, f"/review/{refusal}")
    assert page.select("#yours")[0].get_text() == "Should it have found an answer?"
    buttons = {button["value"]: button.select("strong")[0].get_text() for button in page.select("button[name=verdict]")}
    assert buttons == {"Correct": "No", "Incorrect": "Yes"}
    order = [node.get("class", [""])[0] for node in page.select(".desk > *")]
    assert order == ["answer", "answer-sources", "verdicts-side"], "sources are read before one judges"
    assert judged(rita, refusal, verdict="Incorrect", right_place="rules.md").status_code == 303
