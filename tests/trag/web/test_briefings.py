"""The page Briefings over a real chart, index and database, through the gate: briefings by people of two divisions, to
one of which a document is closed, with a scripted reader."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.reading.charts import load
from prompts import CANNOT_ANSWER
from store.person import Role
from tests.pages import gated, parsed, signed_in, soup, texts, words
from tests.trag.test_briefs import CHART, MANUAL, SECRET, Colleague
from trag import briefs
from trag.ask import Assistant
from trag.brief.record import BriefQuestion, BriefRecord
from trag.home import Home, open_home
from trag.people import CurrentUser
from trag.settings import Settings
from trag.web import overview
from trag.web.active_runs import ActiveRuns
from trag.web.briefings import page as briefings_page
from trag.web.documents import page as documents_page
from trag.web.visitors import leads_in

pytestmark = pytest.mark.slow
CANARIES = ("Zorblatt", "secret.md", "Inquiries", "room 9")
"""What only the document says that is for the Finance Division."""


@dataclass
class Place:
    """A home, its page behind the gate, the assistant, and who looks at it: fay, of Finance, may read what leo, of
    Legal, may not."""

    home: Home
    assistant: Assistant
    runs: ActiveRuns
    browsers: dict[str, TestClient]
    people: dict[str, CurrentUser]
    folder: Path

    def post(self, who: str, path: str = "/briefings", **form: Any) -> Any:
        return self.browsers[who].post(path, data=form, follow_redirects=False)

    def told(self, who: str, path: str, **form: str) -> str:
        """The notice that follows."""
        answer: Any = self.browsers[who].post(path, data=form)
        return words(parsed(answer), ".notice")

    def page(self, who: str, path: str) -> BeautifulSoup:
        return soup(self.browsers[who], path)

    def written(self, who: str, subject: str, **form: str) -> str:
        """The address of a briefing that is asked for, as soon as it is there."""
        return self.done(who, self.post(who, subject=subject, **form))

    def done(self, who: str, sent: Any) -> str:
        assert sent.status_code == 303, sent.text
        path = str(sent.headers["location"])
        for _ in range(3_000):
            if not self.page(who, path).select("#working"):
                return path
            time.sleep(0.02)
        raise AssertionError("it is never written")

    def everything(self, who: str, path: str) -> str:
        """All that somebody is shown or given of a briefing, and of the lists."""
        browser = self.browsers[who]
        with zipfile.ZipFile(io.BytesIO(browser.get(f"{path}/briefing.docx").content)) as parts:
            word = b"".join(parts.read(name) for name in parts.namelist()).decode("utf-8", "replace")
        pages = (path, f"{path}/briefing.md", "/briefings")
        answers = [browser.get(each) for each in pages]
        return "\n".join([word, *(f"{each.text}{each.headers}" for each in answers)])

    def change(self, manual: str) -> None:
        """Another version of the manual."""
        (self.folder / "manual.md").write_text(manual)
        self.home.ingest([self.folder / "manual.md"], replace=True, progress=lambda *_: None)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, portal: BlockingPortal) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("briefings")
    (folder / "manual.md").write_text(MANUAL)
    (folder / "secret.md").write_text(SECRET)
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        chart = home.organization.chart
        assert chart
        finance, legal = (chart.named(f"{name} Division")[0].id for name in ("Finance", "Legal"))
        silent: Any = lambda *_: None  # noqa: E731
        home.ingest([folder / "manual.md"], replace=False, progress=silent)
        home.ingest([folder / "secret.md"], replace=False, progress=silent, audience=frozenset({finance}))
        home.parts["model"] = Colleague()
        assistant, runs = home.assistant, ActiveRuns()
        app = gated(home.records, home.settings)
        briefings_page.mount(app, home, runs, lambda: assistant)
        overview.mount(app, home, lambda: assistant)
        documents_page.mount(app, home, ready=lambda: assistant, busy=lambda: False)
        team: dict[str, tuple[Role, str]] = {
            "fay": ("employee", finance),
            "leo": ("employee", legal),
            "rita": ("reviewer", legal),
            "ada": ("admin", ""),
        }
        found = signed_in(home.records, app, team, portal)
        people = {each.name: CurrentUser.of(each) for each in home.records.people.all()}
        yield Place(home, assistant, runs, {name: each[1] for name, each in found.items()}, people, folder)
        runs.end_all()


def test_a_briefing_opens_its_sources_and_is_taken_along(place: Place) -> None:
    path = place.written("leo", "Ethics Office", length="full")
    page = place.page("leo", path)
    assert texts(page, "h1") == ["Ethics Office"]
    assert "gives confidential advice" in words(page, ".prose")
    assert sorted(texts(page, ".part h2")) == ["1 Conduct", "2 Gifts", "3 Whistle-blowing"]
    assert page.select(".part .cite-at.of-chart")
    assert not page.select("a.cite-at.of-chart"), "the chart is opened by admins"
    links = [str(each["href"]) for each in page.select(".part a.cite-at")]
    opened = [place.page("leo", link) for link in dict.fromkeys(links)]
    assert all(each.select("#here mark") for each in opened)
    assert "How many people work in the Ethics Office?" in texts(page, ".unsaid li")
    assert texts(page, ".sources .document")[0] == "Organization chart"
    assert page.select(".from .questions") == []
    markdown = place.browsers["leo"].get(f"{path}/briefing.md")
    assert markdown.text.startswith("# Ethics Office\n")
    assert 'filename="Ethics Office.md"' in markdown.headers["content-disposition"]
    assert place.browsers["leo"].get(f"{path}/briefing.pdf").status_code == 404
    assert path in [each["href"] for each in place.page("leo", "/briefings").select(".made-before a")]
    for name in CANARIES:
        assert name not in place.everything("leo", path).replace("report on Zorblatt?", "")


def test_of_what_is_shared_somebody_sees_what_they_may_read_and_no_trace_of_the_rest(place: Place) -> None:
    path = place.written("fay", "Ethics Office")
    hidden = place.written("fay", "Zorblatt file")
    assert all(word in place.everything("fay", path) for word in CANARIES[:2])
    assert "Zorblatt" in words(place.page("fay", hidden), "main"), "it stands on the closed document alone"
    for who in ("leo", "rita", "ada"):
        assert place.browsers[who].get(path).status_code == 404, "it is hers alone"
    for name, said in (("nobody", "Nobody is called nobody"), ("fay", "You have it already")):
        assert said in place.told("fay", f"{path}/share", person=name)
    for each, name in ((path, "LEO "), (hidden, "leo"), (path, "Rita")):
        assert place.post("fay", f"{each}/share", person=name).status_code == 303
    assert sorted(texts(place.page("fay", path), ".share bdi")) == ["Leo", "Rita"]
    seen = place.everything("leo", path)
    assert "gives confidential advice" in seen
    assert ", from <bdi>Fay</bdi>" in seen
    assert not [word for word in CANARIES if word in seen]
    page = place.page("leo", path)
    assert not page.select(".unsaid, .share, .label, #working, [action$=update]")
    assert place.browsers["leo"].get(hidden).status_code == 404, "nothing of it is open"
    assert place.browsers["leo"].get(f"{hidden}/briefing.md").status_code == 404
    form = {"person": "rita", "verdict": "Correct"}
    for act in ("update", "share", "share/end", "verdict"):
        assert place.post("leo", f"{path}/{act}", **form).status_code == 404
    link = place.page("fay", path).select_one(".prose a.cite-at[title^='Inquiries']")
    assert link
    assert place.browsers["leo"].get(str(link["href"])).status_code == 404
    place.post("fay", f"{path}/share/end", person=place.people["leo"].person)
    assert place.browsers["leo"].get(path).status_code == 404
    assert path not in place.browsers["leo"].get("/briefings").text
    assert place.browsers["rita"].get(path).status_code == 200
    told = [event.what for event in place.home.records.audit.page() if "shared" in event.what]
    assert told == ["briefing shared no more", *["briefing shared"] * 3]


def test_a_changed_source_is_said_and_only_what_stands_on_it_written_anew(place: Place) -> None:
    path = place.written("leo", "Ethics Office")
    place.post("leo", f"{path}/share", person="rita")
    assert not place.page("leo", path).select(".changed")
    assert "up to date" in place.told("leo", f"{path}/update")
    place.change(MANUAL.replace("within ten days", "within 15 days"))
    assert "1 of 3 sources changed since." in words(place.page("leo", path), ".changed")
    assert place.page("rita", path).select(".changed")
    assert not place.page("rita", path).select(".changed form")
    newer = place.done("leo", place.post("leo", f"{path}/update"))
    page = place.page("leo", newer)
    assert not page.select(".changed")
    assert texts(page, ".revised summary") == ["What is different"]
    assert "within ten days" in words(page, ".revised del")
    assert "within 15 days" in words(page, ".revised ins")
    assert page.select(f".about a[href='{path}']")
    assert place.page("leo", path).select(f".about a[href='{newer}']")
    assert not place.page("leo", path).select(".changed"), "there is a newer one"
    for who in ("leo", "rita"):
        listed = [each["href"] for each in place.page(who, "/briefings").select(".made-before a")]
        assert newer in listed
        assert path not in listed
    place.change(MANUAL)


def test_several_and_none_and_too_little_are_said(place: Place) -> None:
    page = place.page("leo", place.written("leo", "Registry", length="short"))
    assert texts(page, "h2")[0] == "Which do you mean?"
    buttons = {" ".join(each.get_text().split()): str(each["value"]) for each in page.select(".offers button")}
    assert buttons == {
        f"Acme Foundation > {one} Division > Registry": f"Registry ({one} Division)" for one in ("Legal", "Finance")
    }
    chosen = place.page("leo", place.written("leo", "Registry (Legal Division)"))
    assert "is a desk under the Legal Division" in words(chosen, ".prose")
    assert "say too little of this" in words(chosen, ".brief > .notice")
    none = place.page("leo", place.written("leo", "Dragon taming in the Andes"))
    assert CANNOT_ANSWER in texts(none, "h2")
    assert not none.select(".evidence, .take, .share")


def test_what_cannot_be_written_about_is_said_and_stays_in_the_field(place: Place) -> None:
    for subject, length, said in (
        (" ", "short", "empty"),
        ("x" * 201, "short", "201"),
        ("Gifts", "endless", "endless"),
    ):
        answer = place.post("leo", subject=subject, length=length)
        assert (answer.status_code, said in words(parsed(answer), "[role=alert]")) == (409, True)
    assert "x" * 201 in place.post("leo", subject="x" * 201).text
    page = place.page("leo", "/briefings?subject=Gifts")
    assert str(page.select("#subject")[0]["value"]) == "Gifts"
    assert "Payroll Unit" in [option["value"] for option in page.select("#units option")]
    assert "Ethics Office" not in texts(page, ".offers button"), "no heading names it"


def test_it_is_shown_while_it_is_written_and_a_stop_keeps_what_there_is(place: Place) -> None:
    began, on = threading.Event(), threading.Event()

    class Slow(Colleague):
        def stream(self, messages: Any, *, task: str = "other", **how: Any) -> Any:
            if task == "brief_line":
                began.set()
                on.wait(30)
            return super().stream(messages, task=task, **how)

    place.assistant.model = Slow()
    try:
        path = place.post("leo", subject="parking permit").headers["location"]
        assert began.wait(60)
        page = place.page("leo", path)
        assert "Wording paragraph 1 of 1" in words(page, "#working .badge")
        assert "20 LMD" in words(page, "#written .coming q")
        assert page.select("#written a.cite-at")
        assert place.browsers["rita"].get(path).status_code == 404
        place.post("leo", f"{path}/stop")
        assert "Stopping" in words(place.page("leo", path), "#working")
    finally:
        on.set()
        place.assistant.model = Colleague()
    for _ in range(1_000):
        if not (page := place.page("leo", path)).select("#working"):
            break
        time.sleep(0.02)
    assert "Stopped by the reader" in words(page, ".stopped")
    assert "20 LMD" in words(page, ".prose")
    assert not page.select(".label")


def test_its_place_in_line_is_shown_with_what_is_found(place: Place) -> None:
    with place.assistant.line.place():
        path = place.post("leo", subject="parking permit").headers["location"]
        for _ in range(1_500):
            page = place.page("leo", path)
            if "Number 1 in line" in words(page, "#working .badge"):
                break
            time.sleep(0.02)
        assert "20 LMD" in words(page, "#written q")
    place.done("leo", SimpleNamespace(status_code=303, headers={"location": path}))


def test_its_asker_alone_is_told_how_much_stood_on_a_document_that_is_gone(place: Place) -> None:
    path = place.written("fay", "Ethics Office")
    for name in ("leo", "ada"):
        place.post("fay", f"{path}/share", person=name)
    before = len(place.page("fay", path).select(".prose a.cite-at[title^='Inquiries']"))
    assert before
    assert not place.page("fay", path).select(".changed")
    place.home.forget("secret.md")
    told = place.page("fay", path)
    assert f"{before} sentences stood on documents that are no longer there." in words(told, ".changed")
    assert told.select(".changed [name=subject]")[0]["value"] == "Ethics Office"
    assert not place.page("leo", path).select(".changed")
    assert "no longer there" not in place.everything("leo", path) + words(place.page("ada", path), "main")
    finance = frozenset({place.people["fay"].unit})
    place.home.ingest(
        [place.folder / "secret.md"], replace=False, progress=lambda *_: None, audience=finance
    )  # fmt: skip


def test_a_verdict_and_a_comment_are_kept_as_a_flag(place: Place) -> None:
    path = place.written("leo", "parking permit")
    assert place.post("leo", f"{path}/verdict", verdict="Fine").status_code == 404
    for form in ({"verdict": "Incorrect"}, {"comment": "It costs more."}):
        assert place.post("leo", f"{path}/verdict", **form).headers["location"] == f"{path}#verdict"
    label = place.home.records.label(path.rpartition("/")[2], place.people["leo"].person)
    assert label
    assert (label.verdict, label.comment, label.asker) == ("Incorrect", "It costs more.", True)
    assert texts(place.page("leo", path), "[aria-pressed=true]") == ["Wrong"]


def test_admins_see_what_no_document_says_and_what_does_by_now(place: Place) -> None:
    place.written("leo", "Ethics Office")
    asked = "How many people work in the Ethics Office?"
    page = place.page("ada", "/overview")
    assert asked in words(page, ".questions")
    assert not page.select(".since")
    assert "leo" not in words(page, "main").casefold(), "nobody is named"
    staff = "## 5 Staff\n\nSix people work in the Ethics Office."
    place.change(f"{MANUAL}\n\n{staff}\n")
    rows = parsed(place.post("ada", "/overview")).select(".questions > li")
    (row,) = [each for each in rows if each.select(".since") and asked in each.get_text()]
    assert "Manual" in words(row, ".since")
    link = row.select_one("a.since")
    assert link
    assert "Six people" in words(place.page("ada", str(link["href"])), "#here")
    place.change(MANUAL)


def test_the_way_there_is_shown_where_there_is_something_to_write_from(place: Place, home: Home) -> None:
    def led(of: Home, who: str) -> bool:
        return "/briefings" in [each.path for each in leads_in(of, place.people[who])]

    assert (led(place.home, "leo"), led(home, "leo"), led(home, "ada")) == (True, False, True)


def test_what_the_reader_asked_in_sight_of_what_is_closed_is_not_told(place: Place) -> None:
    """Not among the questions of a paragraph that is open, and not by its words in a sentence there."""
    path = place.written("fay", "Ethics Office")
    stored = place.home.records.answer(path.rpartition("/")[2])
    assert stored
    record = BriefRecord.from_json(stored.record_json)
    at = next(place for place, part in enumerate(record.parts) if part.title == "2 Gifts")
    part = record.parts[at]
    worded = replace(part.sentences[0], text="Of Zorblatt, gifts are declared.", how="model")
    part = replace(
        part, sentences=(worded, *part.sentences[1:]), questions=(BriefQuestion("Does Zorblatt take gifts?", "reader"),)
    )
    seen = briefs.open_part(
        place.home, place.people["leo"], replace(record, parts=(*record.parts[:at], part, *record.parts[at + 1 :]))
    )
    assert "Zorblatt" not in seen.to_json()
    assert part.sentences[0].evidence.rstrip(".") in seen.text
