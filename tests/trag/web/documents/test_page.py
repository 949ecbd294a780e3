"""The pages of the documents over a real home, through the gate: what they show, take, refuse and change."""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest
from httpx import Response
from starlette.testclient import TestClient

from org.reading.charts import load
from store import StoreError
from tests.pages import ADDRESS, parsed, soup, words
from tests.trag.web.documents.conftest import Opened, served
from trag.home import Home
from trag.ingest import context
from trag.ingest.queue import Queue
from trag.web.documents.names import key
from trag.web.gate import UPLOADS

pytestmark = pytest.mark.slow  # each opens a home with the real encoder

RULES = b"# 1 Grants\n\nThe Board approves every grant above 50,000 LMD.\n\n# 2 Leave\n\nAsk two weeks before.\n"
RULES_PATH = f"/documents/{key('rules.md')}"
CLUB = b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Club,team\n"
HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)>"'{{7*7}}.md"""
QUERY = "Who approves large grants?"


@pytest.fixture
def home(tmp_path: Path, opened: Opened) -> Iterator[Home]:
    with opened(tmp_path / "home") as home:
        yield home


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    with served(home) as client:
        yield client


def settled(home: Home) -> None:
    """Until nothing is in work any more."""
    for _ in range(600):
        if all(job.state in ("done", "failed", "cancelled") for job in home.queue.jobs()):
            return
        time.sleep(0.05)
    pytest.fail(f"still in work: {home.queue.jobs()}")


def upload(
    client: TestClient, home: Home, content: bytes = RULES, name: str = "rules.md", units: Sequence[str] = ()
) -> None:
    answer = client.post("/documents/uploads", params={"name": name, "unit": list(units)}, content=content)
    assert answer.status_code == 201, answer.text
    settled(home)
    assert [job.state for job in home.queue.jobs()][:1] == ["done"], home.queue.jobs()


def searched(home: Home, question: str, readers: set[str] | None = None) -> set[str]:
    """The documents that a search finds."""
    vector = home.embedder.embed_questions([question])[0]
    found = home.vectors.search(vector, question, kinds=("section", "qa"), k=5, readers=readers)
    return {passage.document for passage in found}


def audience(home: Home) -> frozenset[str]:
    document = home.records.library.document("rules.md")
    assert document
    return document.audience


def told(answer: Response) -> str:
    """What a page says of what was done."""
    return words(parsed(answer), ".notice.good, .notice[role=alert]")


def club(home: Home) -> dict[str, str]:
    """A chart in use: the ids of its units by their names."""
    chart = load(CLUB, "club.csv")
    home.charts.activate(chart, [("club.csv", CLUB)], by="ada")
    return {unit.name: unit.id for unit in chart.units.values()}


def test_others_are_served_while_an_upload_waits_for_the_queue_to_be_opened(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, waits, opened = home.queue, threading.Event(), threading.Event()

    def opening(home: Home) -> Queue:
        waits.set()
        assert opened.wait(60)
        return queue

    monkeypatch.setattr(Home, "queue", property(opening))
    with ThreadPoolExecutor(2) as people:
        added = people.submit(client.post, "/documents/uploads?name=rules.md", content=RULES)
        try:
            assert waits.wait(20)
            assert people.submit(client.get, "/documents/units?words=x").result(20).status_code == 200
        finally:
            opened.set()
    assert added.result().status_code == 201
    settled(home)


def test_uploads_are_worked_on_and_searched(client: TestClient, home: Home) -> None:
    empty = soup(client, "/documents")
    assert (words(empty, "h1"), empty.select("table, .queue")) == ("No documents yet", [])
    assert "no pairs yet" in words(soup(client, "/documents/pairs"), ".none-found")
    upload(client, home)
    page = soup(client, "/documents")
    assert "Done" in words(page, ".queue li")
    assert (words(page, "tbody th a"), words(page, "tbody th .file")) == ("Rules", "rules.md")
    assert "by local" in words(page, "tbody td[data-name=Added]")
    assert searched(home, QUERY) == {"rules.md"}
    assert words(soup(client, RULES_PATH), ".section .title") == "1 Grants 2 Leave"
    assert not parsed(client.post("/documents/queue/clear")).select(".queue li")
    upload(client, home, RULES.replace(b"two weeks", b"four weeks"))
    texts = " ".join(passage.text for passage in home.records.library.passages("rules.md"))
    assert ("four weeks" in texts, "two weeks" in texts) == (True, False), "the newer version is in its place"
    assert words(soup(client, "/documents"), "tbody th .file") == "rules.md"


def test_a_bad_file_says_why_and_can_be_tried_again(client: TestClient, home: Home) -> None:
    refused = client.post("/documents/uploads?name=setup.exe", content=b"x")
    assert (refused.status_code, "is named .exe" in refused.json()["detail"]) == (422, True)
    assert not home.queue.jobs()
    assert client.post("/documents/uploads?name=broken.pdf", content=b"%PDF-1.7 nothing").status_code == 201
    settled(home)
    page = soup(client, "/documents/queue")
    assert "Failed" in words(page, ".state")
    assert "broken.pdf" in words(page, ".said")
    client.post(str(page.select("form[action$=retry]")[0]["action"]))
    settled(home)
    assert [job.state for job in home.queue.jobs()] == ["failed"]
    assert not home.records.library.documents()


def test_a_file_that_is_too_large_or_breaks_off_is_not_kept(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(UPLOADS, "/documents/uploads", ("A document", 100_000))
    pieces = (b"x" * 60_000 for _ in range(2))
    answer = client.post("/documents/uploads?name=a.md", content=pieces)
    assert (answer.status_code, answer.json()) == (413, {"detail": "A document may have 100,000 bytes."})
    assert [*(home.folder / "uploads").iterdir()] == []
    assert not home.queue.jobs()


def test_what_waits_goes_on_after_a_restart(tmp_path: Path, opened: Opened) -> None:
    with opened(tmp_path) as home, served(home) as client:
        for number in range(4):
            client.post(f"/documents/uploads?name={number}.md", content=RULES + str(number).encode())
    with opened(tmp_path) as home, served(home) as client:
        client.documents.begin()  # type: ignore[attr-defined]
        settled(home)
        assert words(soup(client, "/documents"), "tbody th .file").split() == ["3.md", "2.md", "1.md", "0.md"]


def test_names_that_an_upload_would_replace_are_told(client: TestClient, home: Home) -> None:
    upload(client, home)
    upload(client, home, RULES + b"Old.", "old/rules.md")
    names = ["rules.md", "new.md", "../old\\rules.md", "RULES.md", "setup.exe", ""]
    answer = client.post("/documents/present", json=names)
    kept = {each.name: each.sha256 for each in home.records.library.documents()}
    assert answer.json() == {"present": {"rules.md": kept["rules.md"], "../old\\rules.md": kept["old/rules.md"]}}
    assert client.post("/documents/present", json={"rules.md": 1}).status_code == 422
    with context.write_lock:  # nothing is worked on meanwhile
        client.post("/documents/uploads?name=waits.md", content=RULES + b"More.")
        waits = hashlib.sha256(RULES + b"More.").hexdigest()
        assert client.post("/documents/present", json=["waits.md"]).json() == {"present": {"waits.md": waits}}
    settled(home)


def test_a_file_that_is_there_unchanged_leaves_nothing_to_do(client: TestClient, home: Home) -> None:
    upload(client, home)
    for _ in range(2):
        again = client.post("/documents/uploads?name=rules.md", content=RULES)
        assert (again.status_code, again.json()) == (200, {"unchanged": "rules.md"})
    assert len(home.queue.jobs()) == 1
    with context.write_lock:  # what waits counts, not what is still there
        for word, done in ((b"More.", 201), (b"More.", 200), (b"", 201), (b"", 200)):
            answer = client.post("/documents/uploads?name=rules.md", content=RULES + word)
            assert answer.status_code == done, (word, answer.text)
    settled(home)
    [document] = home.records.library.documents()
    assert document.sha256 == hashlib.sha256(RULES).hexdigest()


def test_documents_with_problems_are_seen_at_a_glance_and_shown_alone(client: TestClient, home: Home) -> None:
    upload(client, home)
    upload(client, home, b"# Maps\n\nThe pier is here.\n\n![map](map.png)\n", "maps.md")
    page = soup(client, "/documents")
    assert words(page, ".facts a[href*=problems]") == "1"
    assert words(page, "tbody th > a") == "Maps Rules", "the newest first"
    assert words(page, "td[data-name=State]") == "In use In use"
    assert not page.select(".facts a[href='#queue']")
    assert "1 picture could not be read (section Maps)" in words(page, "tbody .notes")
    client.post("/documents/uploads?name=rules.md", content=b"\x00\x01\x02" * 100)
    settled(home)
    page = soup(client, "/documents?problems=1&order=name")
    assert words(page, "tbody th > a") == "Maps Rules"
    assert words(page, "td[data-name=State]") == "In use Newer version failed"
    assert "A newer version failed: rules.md is named .md but looks like" in words(page, "tbody .notes")
    client.post("/documents/uploads?name=new.md", content=b"\x00\x01\x02" * 100)
    settled(home)
    top = soup(client, "/documents")
    assert (words(top, ".facts a[href*=problems]"), words(top, ".facts a[href='#queue']")) == ("2", "2")
    assert len(top.select("#queue [data-state=failed]")) == 2, "the number on top is that of the list"
    assert page.select("th[aria-sort=ascending]")
    assert page.select("thead a[href*='problems=1']")
    assert words(soup(client, "/documents?problems=1&words=pier"), "#list") == (
        "0 documents with “ pier ” with problems Show all Find No document is called that. Show all"
    )


def test_a_document_is_deleted_with_a_receipt(client: TestClient, home: Home) -> None:
    upload(client, home)
    assert "the original, 2 passages" in words(soup(client, RULES_PATH), "#delete")
    assert client.get(f"{RULES_PATH}/original").content == RULES
    done = client.post(f"{RULES_PATH}/delete")
    assert done.history[0].status_code == 303
    for again in (done, client.get(str(done.url).removeprefix(ADDRESS))):
        assert "rules.md is deleted." in told(again)
        assert "nothing is left" in told(again)
    assert searched(home, QUERY) == set()
    for end in ("", "/original", "/view"):
        assert client.get(RULES_PATH + end).status_code == 404
    for end in ("/delete", "/audience"):
        assert client.post(RULES_PATH + end).status_code == 404


def test_a_document_that_cannot_be_deleted_whole_is_said_to_be_and_is_by_a_second_press(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(client, home)
    monkeypatch.setattr("store.collection.remove", Mock(side_effect=StoreError("The server is away.")))
    said = told(client.post(f"{RULES_PATH}/delete"))
    assert "not all of it is deleted yet" in said
    assert "STILL THERE: its vectors (The server is away.)" in said
    assert searched(home, QUERY) == set()
    assert client.get(RULES_PATH).status_code == 404
    monkeypatch.undo()
    assert "nothing is left" in told(client.post(f"{RULES_PATH}/delete"))
    assert client.post(f"{RULES_PATH}/delete").status_code == 404


def test_readers_are_everyone_or_units_and_searches_keep_to_it(client: TestClient, home: Home) -> None:
    upload(client, home)
    ids = club(home)
    assert client.get("/documents/units?words=bo").json() == [{"id": ids["Board"], "name": "Board", "under": "Club"}]
    units = {"readers": "units", "unit": [ids["Board"], ids["Bar"]]}
    assert "may read it" in told(client.post(f"{RULES_PATH}/audience", data=units))
    assert audience(home) == {ids["Board"], ids["Bar"]}
    assert words(soup(client, RULES_PATH), ".chips li") == "Bar under Club × Board under Club ×"
    assert words(soup(client, "/documents"), "td[data-name=Readers]") == "2 units"
    assert searched(home, QUERY, {ids["Bar"]}) == {"rules.md"}
    assert searched(home, QUERY, {ids["Club"]}) == set()
    for wrong in ({"readers": "units"}, {"readers": "units", "unit": "gone"}):
        assert "not set" in told(client.post(f"{RULES_PATH}/audience", data=wrong))
    client.post(f"{RULES_PATH}/audience", data={"readers": "everyone"})
    assert searched(home, QUERY, {ids["Club"], "everyone"}) == {"rules.md"}


def test_a_page_that_shows_earlier_readers_opens_nothing_that_was_closed_since(client: TestClient, home: Home) -> None:
    upload(client, home)
    ids = club(home)
    for after in ({ids["Board"], ids["Bar"]}, {ids["Bar"]}):
        seen = str(soup(client, RULES_PATH).select("[name=instead_of]")[0]["value"])
        sent = {"readers": "units", "unit": list(after), "instead_of": seen.replace("\n", "\r\n")}
        assert "may read it" in told(client.post(f"{RULES_PATH}/audience", data=sent))
        late = client.post(f"{RULES_PATH}/audience", data={"readers": "everyone", "instead_of": seen})
        assert "was changed meanwhile, so nothing was saved" in told(late)
        assert audience(home) == after
    assert words(soup(client, RULES_PATH), ".chips li") == "Bar under Club ×"


def test_what_is_new_is_from_the_first_moment_only_for_those_it_is_for(client: TestClient, home: Home) -> None:
    bar = club(home)["Bar"]
    refused = client.post("/documents/uploads", params={"name": "rules.md", "unit": [bar, "gone"]}, content=RULES)
    assert (refused.status_code, "no unit gone" in refused.json()["detail"]) == (422, True)
    assert not home.queue.jobs()
    upload(client, home, units=[bar])
    assert audience(home) == {bar}
    assert searched(home, QUERY, {"everyone"}) == set()
    assert searched(home, QUERY, {bar}) == {"rules.md"}
    upload(client, home, RULES + b"\n\nGrants end in June.\n")
    assert audience(home) == {bar}


def test_any_name_stays_text_and_is_reached(client: TestClient, home: Home) -> None:
    long = f"{'é' * 297}.md"
    given = [HOSTILE, "a/b/../c.md", "..md", "تقرير \u2067المنح.md", "line\nbreak.md", long, "rules.md?x=1&y#z.md"]
    for number, name in enumerate(given):  # the same content would be the same document
        upload(client, home, RULES + b"\n" * number, name)
    names = [document.name for document in home.records.library.documents()]
    assert len(names) == len(given)
    for path in ("/documents", "/documents/pairs", *(f"/documents/{key(name)}" for name in names)):
        page = soup(client, path)
        assert not page.select("img")
        scripts = {script.get("src", script.text[:12]) for script in page.select("script")}
        assert scripts == {"/shell.js", "/documents.js"}
        assert not [attribute for tag in page.find_all() for attribute in tag.attrs if attribute.startswith("on")]
    for name in names:
        assert soup(client, f"/documents/{key(name)}").select(".head p bdi")[0].get_text() == name
        answer = client.get(f"/documents/{key(name)}/original")
        assert answer.content.rstrip() == RULES.rstrip()
        disposition = answer.headers["content-disposition"]
        assert disposition.startswith('attachment; filename="')
        assert (disposition.isascii(), disposition.count('"')) == (True, 2)
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_was_never_there_is_not_found(client: TestClient) -> None:
    for end in ("", "/view", "/original", "/pages/1.png"):
        assert "There is nothing here" in words(soup(client, f"/documents/{'0' * 32}{end}", 404), "h1")


def test_looking_changes_nothing(client: TestClient, home: Home, pdf: Callable[..., bytes]) -> None:
    upload(client, home)
    upload(client, home, pdf(("1 Grants", ["The Board approves every grant."])), "a.pdf")
    assert home.vectors

    def state() -> object:
        files = sorted((str(file), file.stat().st_size) for file in home.folder.rglob("*") if file.is_file())
        library = home.records.library
        kept = [each for each in files if "/cache/" not in each[0]]
        return kept, library.documents(), library.pairs(), home.queue.jobs()

    before = state()
    one, other = key("rules.md"), key("a.pdf")
    for path in (
        "/documents",
        "/documents?order=pages&words=x&first=3&told=x",
        "/documents/queue",
        "/documents/units?words=x",
        "/documents/pairs",
        f"/documents/pairs?document={one}&state=deleted&words=x",
        "/documents/pairs.csv",
        f"/documents/pairs.jsonl?document={one}",
        f"/documents/{one}",
        f"/documents/{one}/view",
        f"/documents/{other}/view?page=1",
        f"/documents/{other}/pages/1.png",
        f"/documents/{other}/original",
    ):
        assert client.get(path).status_code == 200, path
    assert state() == before
