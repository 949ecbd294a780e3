"""The page of the written procedures over a real home, through the gate: what it shows, takes, refuses and changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from org.procedures.actions import Action, Table, Trigger
from org.procedures.export import SAMPLE
from org.procedures.flows import Book, Procedure, Step, write
from org.procedures.graph import Graph
from org.procedures.reading import load
from org.reading.charts import load as load_chart
from store.passage import Passage
from tests.pages import ADDRESS, gated, parsed, soup, texts, words
from trag.home import Home
from trag.web.procedures import page as procedures
from trag.web.procedures.picture import LANE, LANES, ROW, picture
from trag.web.waiting_files import WAITING, WaitingFiles

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}}"""


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    app = gated(home.records, home.settings)
    procedures.mount(app, home)
    with TestClient(app, base_url=ADDRESS) as client:
        yield client


def upload(client: TestClient, *files: tuple[str, bytes]) -> str:
    answer = client.post("/procedures/uploads", files=[("file", file) for file in files], follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def fields(page: BeautifulSoup) -> dict[str, str]:
    return {str(each["name"]): str(each["value"]) for each in page.select("form[action$=activate] input")}


def later() -> Book:
    lost = SAMPLE.procedures["lost-badge"]
    steps = (*lost.steps[:1], Step("Wait"), *lost.steps[1:])
    actions = [*list(SAMPLE.actions.values())[1:], Action("ReportLoss", "Tell the desk", gives=("loss report",))]
    procedures = [Procedure("lost-badge", "Replace a badge", steps=steps)]
    return Book.of(actions, procedures, [Table("badge", "Badges", fields=("holder",))], [Trigger("daily", "Each day")])


def test_the_sample_is_uploaded_looked_at_activated_and_rolled_back(client: TestClient, home: Home) -> None:
    assert "No procedures yet" in words(soup(client, "/procedures"), "h1")
    sample = client.get("/procedures/sample.xlsx").content
    path = upload(client, ("procedures.xlsx", sample))
    page = soup(client, path)
    assert "All of it is new" in words(page, ".changes")
    assert texts(page, ".problems") == []
    client.post(f"{path}/activate", data=fields(page))
    assert home.procedures.in_use == SAMPLE
    assert client.get(path).status_code == 404, "an activated upload waits no longer"

    path = upload(client, ("next.json", write(later())))
    page = soup(client, path)
    assert home.procedures.in_use == SAMPLE, "a look changes nothing"
    edited = words(page, ".changes details.edited")
    assert "Tell the desk action ReportLoss" in edited
    assert "step 2: none → Wait" in edited
    added = words(page, ".changes details.added")
    assert "Badges table badge" in added
    assert "Each day trigger daily" in added
    assert 'No action seems to fit the step "Wait".' in words(page, ".problems.warnings")
    done = client.post(f"{path}/activate", data=fields(page))
    first, now = reversed(home.procedures.versions.all())
    assert now.version in words(parsed(done), ".notice.good")
    assert (now.name, now.by, now.size) == ("next.json", "local", 1)

    earlier = f"/procedures/versions/{first.version}"
    client.post(f"{earlier}/activate", data=fields(soup(client, earlier)))
    assert home.procedures.in_use == SAMPLE
    for name in ("procedures.json", "procedures.xlsx"):
        assert load(client.get(f"/procedures/versions/{now.version}/{name}").content, name) == later()
    assert client.get(f"/procedures/versions/{now.version}/original").content == write(later())


@pytest.mark.slow
def test_everything_wrong_is_told_with_its_place_and_nothing_is_activated(client: TestClient, home: Home) -> None:
    home.charts.activate(load_chart(b"name,parent\nClub,\n", "c.csv"), [("c.csv", b"")], by="ada")
    actions = b"id,title,needs,gives,unit\nAsk,Ask,b,a,Club\nGo,Go,a,b,Clib\nAsk,Again,,,\n"
    steps = b"id,title,step,actions\nleave,Leave,Ask,Askk\n,,Go,Go\n"
    path = upload(client, ("a.csv", actions), ("p.csv", steps))
    page = soup(client, path)
    assert "a.csv, p.csv" in words(page, "h1")
    rows = ["Actions, row 2", "Actions, row 3", "Actions, row 4", "Procedures, row 2"]
    assert texts(page, ".problems.errors .row") == rows
    assert page.select_one("form[action$=activate] button[disabled]")
    client.post(f"{path}/activate", data=fields(page))
    assert home.procedures.in_use is None
    listed = client.get(f"{path}/problems.csv").content.decode("utf-8-sig").splitlines()
    assert len(listed) == 1 + len(rows)
    client.post(f"{path}/discard")
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("files", [[], [(f"{name}.csv", b"a") for name in "abcde"]])
def test_no_file_and_five_files_are_refused(client: TestClient, files: list[tuple[str, bytes]]) -> None:
    sent = [("file", file) for file in files] or [("other", ("x", b"x"))]
    answer = client.post("/procedures/uploads", files=sent)
    assert answer.status_code == 409
    assert "Choose one file, or a CSV of actions" in answer.text
    assert client.get(f"/procedures/uploads/{'0' * 64}").status_code == 404
    assert client.get("/procedures/versions/0123456789ab/procedures.json").status_code == 404


def test_of_two_admins_one_is_told_that_the_other_was_first(client: TestClient, home: Home) -> None:
    paths = [upload(client, (f"{book.version}.json", write(book))) for book in (SAMPLE, later())]
    seen = [fields(soup(client, path)) for path in paths]
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda at: client.post(f"{paths[at]}/activate", data=seen[at]), (0, 1)))
    assert len(home.procedures.versions.all()) == 1
    told = [words(parsed(answer), ".notice[role=alert]") for answer in answers if "seen=" in str(answer.url)]
    assert len(told) == 1
    assert "Other procedures were activated while you looked" in told[0]


def test_words_of_a_file_stay_text_everywhere(client: TestClient, home: Home) -> None:
    hostile = Book.of(
        [Action("Ask", HOSTILE, HOSTILE, ((HOSTILE,),), (HOSTILE + "b",), HOSTILE, (HOSTILE,))],
        [Procedure("leave", HOSTILE, HOSTILE, (HOSTILE,), (Step(HOSTILE, ("Ask",)), Step(HOSTILE)))],
    )
    content = json.dumps(json.loads(write(hostile)))
    path = upload(client, (f"{HOSTILE}.json", content.encode()))
    answers = [client.get(path)]
    home.procedures.activate(hostile, [(f"{HOSTILE}.json", b"")], by=HOSTILE)
    answers += [client.get("/procedures"), client.get(path), client.get(f"/procedures/versions/{hostile.version}")]
    for answer in answers:
        assert answer.status_code == 200
        page = parsed(answer)
        assert not [tag for tag in page.select("script") if "alert" in tag.get_text()]
        assert not page.select("img")
        assert HOSTILE in page.get_text() or HOSTILE.replace('"', "&quot;") in answer.text


def test_a_picture_shows_what_waits_for_what(client: TestClient, home: Home) -> None:
    home.procedures.activate(SAMPLE, [("s.json", b"")], by="ada")
    page = soup(client, "/procedures")
    told = texts(page, ".flow li p:first-of-type")
    assert told == [
        "Report the loss at once", "Report the loss", "The lost badge is blocked", "Block the badge",
        "Have a new badge printed", "Print a badge",
    ]  # fmt: skip
    assert "Whoever asks brings: employee number , photo or photo of last year" in words(page, ".flow > p")
    heads = [float(each["points"].split()[1].split(",")[1]) for each in page.select(".flow polygon")]
    # from ReportLoss (row 2) to BlockBadge (row 4), from there to PrintBadge (row 6)
    assert sorted(heads) == [3.5 * ROW - 5, 5.5 * ROW - 5]


def test_a_picture_of_many_lines_stays_narrow_and_needs_stand_before_what_they_are_for() -> None:
    chain = [Action(f"A{n}", f"A{n}", needs=tuple((f"t{m}",) for m in range(n)), gives=(f"t{n}",)) for n in range(40)]
    steps = (Step("Only the last", ("A39",)), Step("Again", ("A3",)))
    made = Procedure("p", "P", steps=steps)
    book = Book.of(chain, [made])
    drawn = picture(made, book, Graph(chain))
    shown = [row.action.id for row in drawn.rows if row.action]
    assert sorted(shown) == sorted(book.actions), "each once"
    assert shown[:3] == ["A0", "A1", "A2"]
    assert drawn.width <= (LANES + 1) * LANE
    assert all(float(x) >= 0 for line in drawn.lines for x in re.findall(r"[MH](-?[\d.]+)", line.path))


def test_what_is_found_in_documents_is_ticked_corrected_and_activated(client: TestClient, home: Home) -> None:
    assert "Nothing was found" in soup(client, "/procedures/found").text
    texts_of = {"1 Leave": "1. Ask.\n2. Wait.\n3. Go.", f"2 {HOSTILE}": f"a. {HOSTILE}\nb. x\nc. y"}
    for name in ("a.md", "b.md"):
        parts = [Passage(name + at, "section", name, at, None, text) for at, text in texts_of.items()]
        home.records.library.put(name, name, None, parts)
    page = soup(client, "/procedures/found")
    assert [str(each["value"]) for each in page.select("input[aria-label=Title]")] == ["Leave", HOSTILE] * 2
    assert not [tag for tag in page.select("script, img") if "alert" in str(tag)]
    assert "There are no actions yet" in words(page, ".notice")
    sent = {str(each["name"]): str(each["value"]) for each in page.select("form.found input:not([type=checkbox])")}
    sent |= {str(each["name"]): each.text for each in page.select("textarea")}
    assert "Nothing was ticked" in parsed(client.post("/procedures/found/take", data=sent)).text
    assert not WaitingFiles(home.folder / "uploads" / "procedures").all()

    sent |= {"title-0": "Take leave", "steps-0": "Ask the desk.\r\n\r\nGo.\n"}
    answer = client.post("/procedures/found/take", data=sent | {"take": ["0", "3"]})
    path, review = answer.url.path, parsed(answer)
    assert "nothing can be planned by these procedures" in words(review, ".problems.warnings")
    assert home.procedures.in_use is None
    draft = load(client.get(f"{path}/procedures.json").content, "p.json")
    assert load(client.get(f"{path}/procedures.xlsx").content, "p.xlsx") == draft
    first = draft.procedures["leave"]
    assert (first.title, [step.text for step in first.steps]) == ("Take leave", ["Ask the desk.", "Go."])
    client.post(f"{path}/activate", data=fields(review))
    assert home.procedures.in_use == draft
    left = soup(client, "/procedures/found").select("fieldset a")
    assert [each.text for each in left] == [f"a.md § 2 {HOSTILE}", "b.md § 1 Leave"], "what is taken is found no more"


def test_drafts_make_room_for_newer_ones(client: TestClient, home: Home) -> None:
    for number in range(WAITING + 2):
        upload(client, (f"{number}.json", str(number).encode()))
    page = soup(client, "/procedures")
    assert len(page.select(".waiting li")) == WAITING
    assert "21.json" in words(page, ".waiting")
