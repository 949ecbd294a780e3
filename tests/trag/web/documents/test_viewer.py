"""Sources opened at their place, over a real home: the page of a PDF, the text of all else, and what an answer adds."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2 as httpx
import pytest
from bs4 import Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from store import files
from store.library import Pair
from store.passage import OPEN, Passage
from store.person import Role
from tests.pages import ADDRESS, soup, texts
from tests.trag.ingest.made import drawn as pages
from tests.trag.ingest.made import word
from tests.trag.ingest.test_scans import drawn
from tests.trag.web.documents.conftest import Opened, served
from trag.home import Home
from trag.ingest.passages import section_passages, sections
from trag.ingest.reading import read
from trag.people import CurrentUser
from trag.record import AnswerRecord, CheckedSentence, Checks, ModelUsed, Source
from trag.sandbox import Limits
from trag.view import PageView
from trag.web.documents import context, viewer
from trag.web.documents.names import key

LIMITS = "The Board approves every grant above 50,000 LMD."
LEAVE = "A member of staff asks for leave two weeks before it begins."
PDF, TEXT = "rules.pdf", "rules.md"
LED_BACK = "a[href^='/?c='], a[href^='/review']"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, opened: Opened, pdf: Callable[..., bytes]) -> Iterator[Home]:
    with opened(tmp_path_factory.mktemp("home")) as home:
        folder = home.folder / "given"
        folder.mkdir()
        pages = (
            ("1 Words", ["A grant is paid without a service in return."]),
            ("2 Grants", [LIMITS]),
            ("3 Leave", [LEAVE]),
        )
        (folder / PDF).write_bytes(pdf(*pages))
        (folder / TEXT).write_text(f"# 1 Grants\n\n{LIMITS} It meets in May.\n\n# 2 Leave &lt;i&gt;\n\n{LEAVE}\n")
        results = home.ingest([folder], replace=False, progress=lambda *_: None)
        assert {each.outcome for each in results} == {"indexed"}, results
        yield home


@pytest.fixture(scope="module")
def client(home: Home) -> Iterator[TestClient]:
    with served(home) as client:
        yield client


def passage(home: Home, document: str, words: str) -> Passage:
    return next(
        each for each in home.records.library.passages(document) if each.kind == "section" and words in each.text
    )


def answered(home: Home, found: Passage, *more: Source, owner: str = "local", id: str = "a1") -> str:
    """An answer that stands on a passage, and perhaps on more; its id."""
    source = Source(found.id, found.kind, found.document, found.section, found.page, found.text, 0.7, found.question)
    sentence = "Grants above 50,000 LMD are approved by the Board."
    record = AnswerRecord(
        id, "Who approves?", "Who approves?", sentence, "answered", ModelUsed("m", "0", ""),
        sources=(source, *more), checks=Checks((CheckedSentence(sentence, True, found.id),)),
    )  # fmt: skip
    conversation = home.records.start_conversation(owner, "x").id
    home.records.save_answer(id, conversation, record.question, record.answer, record.to_json())
    return id


def words(page: Tag, selector: str) -> str:
    return " ".join(texts(page, selector))


def test_a_source_opens_at_its_page_with_its_words_marked(client: TestClient, home: Home) -> None:
    found = passage(home, PDF, "50,000")
    answer = answered(home, found)
    page = soup(client, f"/documents/{key(PDF)}/view?passage={found.id}&answer={answer}")
    assert page.select("[name=page][value='2']")
    assert page.select(".box.bears")
    assert page.select("#here .box")
    assert words(page, ".page-text mark")
    assert LIMITS.rstrip(".") in words(page, ".page-text p")
    assert "Who approves?" in words(page, ".evidence-side")
    assert "50,000 LMD" in words(page, ".evidence-side blockquote mark")
    (image,), (around,) = page.select(".sheet img"), page.select(".box.around")
    picture = client.get(str(image["src"]))
    assert (picture.content[:4], picture.headers["content-type"]) == (b"\x89PNG", "image/png")
    etag = {"If-None-Match": picture.headers["etag"]}
    assert client.get(str(image["src"]), headers=etag).status_code == 304
    # What is marked stands where the words are on the page, not elsewhere.
    top = float(re.findall(r"top:([\d.]+)%", str(around["style"]))[0])
    assert 11 < top < 15


def test_what_was_read_off_a_picture_says_so(opened: Opened, tmp_path: Path) -> None:
    board, said = tmp_path / "given" / "board.png", "Mooring costs EUR 14 a night."
    board.parent.mkdir()
    drawn(said, "The harbour office opens at 7:30.").save(board)

    def build(document: Any) -> None:
        document.add_paragraph("The board at the quay is painted anew in spring, when the season begins.")
        document.add_picture(str(board), width=4_000_000)

    def draw(canvas: Any) -> None:
        canvas.drawString(72, 760, "The board at the quay is painted anew in spring, when the season begins.")
        canvas.drawImage(str(board), 72, 560, 300, 169)

    (board.parent / "harbour.docx").write_bytes(word(build))
    (board.parent / "quay.pdf").write_bytes(pages(draw))
    with opened(tmp_path / "home") as home:
        results = home.ingest([board.parent], replace=False, progress=lambda *_: None)
        assert {each.outcome for each in results} == {"indexed"}, results
        with served(home) as client:
            for name, notice in (
                ("board.png", "This page is a picture."),
                ("harbour.docx", "The passage is a picture"),
                ("quay.pdf", "The passage is a picture"),
            ):
                found = passage(home, name, said)
                page = soup(client, f"/documents/{key(name)}/view?passage={found.id}")
                assert notice in words(page, ".notice")
                assert bool(page.select("#here .box")) == (name != "harbour.docx")
                assert ("(read by OCR)" in words(page, "main")) == (name != "board.png")
            for name in ("harbour.docx", "quay.pdf"):
                before = next(each for each in home.records.library.passages(name) if "quay" in each.text)
                page = soup(client, f"/documents/{key(name)}/view?passage={before.id}")
                assert not page.select(".notice")


def test_pages_are_turned_and_the_way_back_is_shown(client: TestClient, home: Home) -> None:
    found = passage(home, PDF, "50,000")
    page = soup(client, f"/documents/{key(PDF)}/view?passage={found.id}&page=3")
    assert not page.select(".box")
    assert "page 2" in words(page, ".beside .notice")
    assert page.select("a[rel=prev]")
    assert not page.select("a[rel=next]")
    beyond = soup(client, f"/documents/{key(PDF)}/view?page=9")
    assert "no page 9" in words(beyond, ".notice")
    assert client.get(f"/documents/{key(PDF)}/pages/9.png").status_code == 409


def test_what_cannot_be_drawn_is_tried_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def counted(content: bytes, name: str, number: int, *more: Any, **rest: Any) -> PageView:
        drawn.append(number)
        return page(content if number != 2 else b"%PDF-1.7 damaged", name, number, *more, **rest)

    page = viewer.view.page
    monkeypatch.setattr(viewer.view, "page", counted)
    monkeypatch.setattr(viewer.PageCache, "_path", lambda self, wanted: self._folder / f"none/{wanted.number}.json")
    pages = client.documents.cache  # type: ignore[attr-defined]
    pages._pages.clear()
    for number in (2, 2, 7, 8, 999_999, 2, 7):
        assert client.get(f"/documents/{key(PDF)}/pages/{number}.png").status_code == 409
    assert drawn == [2, 7], "of one that is not there the number of pages is learned"
    assert client.get(f"/documents/{key(PDF)}/pages/0.png").status_code == 404
    pages._refused.clear()


def test_one_person_has_one_page_drawn_and_others_and_other_pages_do_not_wait(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing, done = [], threading.Event()

    def slow(content: bytes, name: str, number: int, passage: str, *_: Any, **__: Any) -> PageView:
        drawing.append(number)
        done.wait(20)
        return page(content, name, number, passage)

    page = viewer.view.page
    monkeypatch.setattr(viewer.view, "page", slow)
    monkeypatch.setattr(viewer, "caller", lambda request: CurrentUser(request.headers["x"], "x", "x", "employee"))
    monkeypatch.setattr(viewer.PageCache, "kept", lambda *_: None)

    async def visited(app: FastAPI) -> list[int]:
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 4711))
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS, trust_env=False) as browser:

            def picture(who: str) -> asyncio.Future[httpx.Response]:
                return asyncio.ensure_future(browser.get(f"/documents/{key(PDF)}/pages/1.png", headers={"x": who}))

            crowd = [picture("ada") for _ in range(50)]
            while not drawing:
                await asyncio.sleep(0.02)
            other = picture("bert")
            text = await asyncio.wait_for(browser.get(f"/documents/{key(TEXT)}/view", headers={"x": "ada"}), 10)
            while len(drawing) < 2:
                await asyncio.sleep(0.02)
            await asyncio.sleep(0.1)
            assert len(drawing) == 2
            done.set()
            return [each.status_code for each in (text, await other, *await asyncio.gather(*crowd[:3]))]

    with served(home) as client:
        assert asyncio.run(visited(client.app)) == [200] * 5


def test_a_document_opens_without_a_passage(client: TestClient) -> None:
    assert not soup(client, f"/documents/{key(PDF)}/view").select(".box, .evidence-side")
    page = soup(client, f"/documents/{key(TEXT)}/view")
    assert LEAVE in words(page, ".reading-text")
    assert not page.select("mark, .here, .evidence-side, i")


def test_text_opens_at_the_passage_in_its_surroundings(client: TestClient, home: Home) -> None:
    found = passage(home, TEXT, "50,000")
    answer = answered(home, found, id="a2")
    page = soup(client, f"/documents/{key(TEXT)}/view?passage={found.id}&answer={answer}")
    assert found.text in words(page, "#here")
    assert "50,000 LMD" in words(page, "#here mark.bears")
    assert "May" not in words(page, "#here mark.bears")
    assert LEAVE in words(page, ".reading-text")
    assert "2 Leave <i>" in words(page, "h2")


def test_a_table_opens_as_a_table_and_stays_one_when_it_is_opened_again(client: TestClient, home: Home) -> None:
    content = b"Room,Seats,Fee\nHeron,12,40 LMD\nTern,8,25 LMD\n"
    blocks = read(content, "rooms.csv", Limits()).blocks
    sha256 = files.keep(home.folder / "documents", content, ".csv")
    home.records.library.put("rooms.csv", sha256, None, section_passages("rooms.csv", sections(blocks, "rooms.csv")))
    found = passage(home, "rooms.csv", "Tern")
    row = next(line for line in found.text.split("\n") if "Tern" in line)
    source = Source(found.id, "section", "rooms.csv", found.section, None, found.text, 0.7)
    record = AnswerRecord(
        "a9", "What is the fee?", "What is the fee?", "25 LMD.", "answered", ModelUsed("m", "0", ""),
        sources=(source,), checks=Checks((CheckedSentence("25 LMD.", True, found.id, row),)),
    )  # fmt: skip
    conversation = home.records.start_conversation("local", "x").id
    home.records.save_answer("a9", conversation, record.question, record.answer, record.to_json())
    for _ in range(2):  # read, and as it was kept
        page = soup(client, f"/documents/{key('rooms.csv')}/view?passage={found.id}&answer=a9")
        assert texts(page, ".reading-text thead th") == ["Room", "Seats", "Fee"]
        assert texts(page, "#here td") == ["Tern", "8", "25 LMD"]
        assert texts(page, ".reading-text mark") == ["Tern", "8", "25 LMD"]
        assert not page.select(".here, .evidence-side blockquote"), "one mark, on the words alone"
    assert [*(home.folder / "cache" / "pages" / sha256).glob("blocks-*.json")]


def test_a_title_is_said_once_and_what_stands_under_it_begins_below_it(client: TestClient, home: Home) -> None:
    content = b"# Rules of the pier\n\n## 1 Boats\n\nA boat is moored.\n\n### 1.1 Rules of the pier\n\nNobody swims.\n"
    sha256, blocks = files.keep(home.folder / "documents", content, ".md"), read(content, "pier.md", Limits()).blocks
    passages = section_passages("pier.md", sections(blocks, "pier.md"))
    for title, headings in (
        ("Rules of the pier", ["1 Boats", "1.1 Rules of the pier"]),
        ("", ["Rules of the pier", "1 Boats", "1.1 Rules of the pier"]),
    ):
        home.records.library.put("pier.md", sha256, None, passages, title=title)
        page = soup(client, f"/documents/{key('pier.md')}/view")
        assert words(page, "h1") == (title or "Pier")
        assert [(each.name, each.get_text()) for each in page.select(".reading-text :is(h2, h3, h4)")] == [
            (f"h{number}", heading) for number, heading in enumerate(headings, 2)
        ]


def test_a_document_whose_original_is_gone_is_shown_as_its_text(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(home), "original", lambda *_: None)
    monkeypatch.setattr(viewer.PageCache, "blocks", lambda cache, original, *_: original())
    found = passage(home, TEXT, "50,000")
    assert found.text in words(soup(client, f"/documents/{key(TEXT)}/view?passage={found.id}"), "#here")


@pytest.mark.parametrize(
    ("owner", "role", "back"),
    [
        ("local", "employee", ["Back to the conversation"]),
        ("eve", "reviewer", ["Back to the review"]),
        ("eve", "employee", []),
    ],
)
def test_who_comes_from_an_answer_is_led_back(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch, owner: str, role: Role, back: list[str]
) -> None:
    monkeypatch.setattr(viewer, "caller", lambda request: CurrentUser("local", "l", "L", role))
    for name in (PDF, TEXT):
        found = passage(home, name, "50,000")
        answer = answered(home, found, owner=owner, id=f"back {name} {owner} {role}")
        page = soup(client, f"/documents/{key(name)}/view?{urlencode({'passage': found.id, 'answer': answer})}")
        assert [each.lstrip("‹ ") for each in texts(page, f".tools :is({LED_BACK})")] == back
        assert not soup(client, f"/documents/{key(name)}/view").select(f"main :is({LED_BACK})")


def test_a_pair_opens_where_it_was_made(client: TestClient, home: Home) -> None:
    pair = Pair("d" * 32, PDF, passage(home, PDF, "weeks").section, 3, "When?", "Two weeks.", "short answer", "rule")
    pair = replace(pair, source=LEAVE, state="review", searched=False)
    home.put_pair(pair)
    page = soup(client, f"/documents/{key(PDF)}/view?passage={pair.id}")
    assert page.select("[name=page][value='3']")
    assert page.select(".box.bears")
    assert words(page, ".evidence-side .asked") == "When?"


def test_a_passage_that_was_replaced_shows_what_it_said(client: TestClient, home: Home) -> None:
    for name, id in ((PDF, "a3"), (TEXT, "a4")):
        found = replace(passage(home, name, "50,000"), id="0" * 32, text="The Board approved grants above 10 LMD.")
        answer = answered(home, found, id=id)
        page = soup(client, f"/documents/{key(name)}/view?passage={found.id}&answer={answer}")
        assert "changed since the answer" in words(page, ".notice")
        assert found.text in words(page, ".evidence-side blockquote")


def test_a_passage_that_never_was_is_not_found(client: TestClient) -> None:
    for name in (PDF, TEXT):
        for query in ("passage=none", "passage=../x", f"passage={'0' * 32}&answer=none"):
            assert client.get(f"/documents/{key(name)}/view?{query}").status_code == 404


@pytest.mark.parametrize(
    ("role", "more", "told"),
    [
        pytest.param("employee", (), False, id="employee"),
        pytest.param("reviewer", (), True, id="reviewer"),
        pytest.param("reviewer", ("board.pdf",), False, id="reviewer who may not read all of it"),
    ],
)
def test_the_answer_of_somebody_else_adds_something_for_those_alone_who_may_judge_it(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch, role: Role, more: tuple[str, ...], told: bool
) -> None:
    monkeypatch.setattr(viewer, "caller", lambda request: CurrentUser("1", "rita", "Rita", role))
    found = passage(home, PDF, "50,000")
    others = (Source("s", "section", name, "", None, "Words.", 0.1) for name in more)
    answer = answered(home, found, *others, owner="eve", id=f"a5 {role} {told}")
    page = soup(client, f"/documents/{key(PDF)}/view?passage={found.id}&answer={answer}")
    assert page.select(".box.around")
    assert bool(page.select(".box.bears")) is told
    assert ("Who approves?" in page.get_text()) is told


def test_who_may_not_read_it_is_told_nothing(client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.records.library.set_audience(PDF, frozenset({"board"}))
    monkeypatch.setattr(context, "caller", lambda request: CurrentUser("1", "eve", "Eve", "employee"))
    for end in ("", "/view", "/pages/1.png", "/original"):
        answer = client.get(f"/documents/{key(PDF)}{end}")
        assert (answer.status_code, "rules" in answer.text) == (404, False)
    home.records.library.set_audience(PDF, OPEN)


def test_a_pdf_that_cannot_be_drawn_is_shown_as_text(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = passage(home, PDF, "weeks")
    monkeypatch.setattr(type(home), "original", lambda *_: b"%PDF-1.7 damaged")
    page = soup(client, f"/documents/{key(PDF)}/view?passage={found.id}&page=4")
    assert "This is its text." in words(page, ".notice")
    assert LEAVE in words(page, "#here")


def test_a_source_that_is_not_in_force_says_so_and_leads_to_what_is(
    client: TestClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(document: str) -> tuple[str, list[str]]:
        page = soup(client, f"/documents/{key(document)}/view")
        notices = page.select(".notice")
        return " ".join(each.get_text(" ", strip=True) for each in notices), [
            str(link["href"]) for each in notices for link in each.select("a")
        ]

    before = home.records.validity.of(PDF)
    home.records.validity.put({PDF: replace(before, supersedes=(TEXT,))}, by="ann", instead_of={PDF: before})
    try:
        words, links = said(TEXT)
        assert words.startswith("Superseded")
        assert links == [f"/documents/{key(PDF)}/view"]
        assert said(PDF) == ("", [])
        home.records.library.set_audience(PDF, frozenset({"board"}))
        with monkeypatch.context() as somebody:
            for module in (context, viewer):
                somebody.setattr(module, "caller", lambda request: CurrentUser("1", "eve", "Eve", "employee"))
            assert said(TEXT) == ("Superseded", [])
    finally:
        home.records.library.set_audience(PDF, OPEN)
        home.records.validity.put({PDF: before}, by="ann", instead_of={PDF: replace(before, supersedes=(TEXT,))})
    assert said(TEXT) == ("", [])


def test_a_page_that_is_none_is_left_alone(client: TestClient, home: Home) -> None:
    found = passage(home, PDF, "weeks")
    for number in ("", "abc", "0", "-1", "1.5", "²"):
        page = soup(client, f"/documents/{key(PDF)}/view?passage={found.id}&page={number}")
        assert page.select("[name=page][value='3']"), number


def test_an_answer_and_its_passage_travel_as_ids(client: TestClient, home: Home) -> None:
    found = passage(home, TEXT, "50,000")
    home.records.save_answer("plan", None, "q", "", "{}", kind="plan")
    assert found.text in words(soup(client, f"/documents/{key(TEXT)}/view?passage={found.id}&answer=plan"), "#here")
    page = soup(client, f"/documents/{key(TEXT)}/view?passage={found.id}&answer=<script>x</script>&page=0")
    assert "<script>x" not in str(page)
    assert found.text in words(page, "#here")
