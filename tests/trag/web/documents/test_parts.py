"""What the pages of the documents are made of, without a page: names in addresses, tables, sections, readers, files."""

import gc
import re
import weakref
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
from fastapi import Request

from org.reading.charts import load
from store.jobs import Job
from store.library import Document, Pair
from store.passage import EVERYONE, Passage
from trag.errors import TragError
from trag.view import PageView
from trag.web.documents import viewer
from trag.web.documents.document import Reader, contents, find_units, readers
from trag.web.documents.names import LONGEST, accepted, key
from trag.web.documents.page import MOST, Listing, TableQuery, listing
from trag.web.documents.pair_review import PairSource, fingerprint
from trag.web.documents.viewer import PageCache, WantedPage
from trag.web.responses import KEPT, Notice, Notices

NOW = datetime(2026, 1, 2, tzinfo=UTC)
CHART = load(
    b"name,parent,type,aliases\nClub,,club,\nBoard,Club,board,BD|The Bench\nBar,Club,team,\nBoard Room,Bar,room,\n",
    "c.csv",
)
UNIT = {unit.name: unit.id for unit in CHART.units.values()}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("manual.pdf", "manual.pdf"),
        ("rules/2026/manual.pdf", "rules/2026/manual.pdf"),
        ("../../etc/passwd.md", "etc/passwd.md"),
        ("C:\\data\\Plan.DOCX", "C:/data/Plan.DOCX"),
        ("/a//./b.md", "a/b.md"),
        ("a\r\nb\0.md", "a b.md"),
        ("report\u202efdp.md", "reportfdp.md"),
        ("تقرير.pdf", "تقرير.pdf"),
        (f"{'é' * (LONGEST - 3)}.md", f"{'é' * (LONGEST - 3)}.md"),
    ],
)
def test_a_name_is_kept_without_what_climbs_or_hides(given: str, kept: str) -> None:
    assert accepted(given) == kept


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "no name"),
        ("../..", "no name"),
        ("setup.exe", r"setup\.exe is named \.exe"),
        ("README", "no suffix"),
        (f"{'x' * LONGEST}.md", "may have 300 characters, this one has 303"),
    ],
)
def test_a_name_that_cannot_be_kept_is_said(given: str, said: str) -> None:
    with pytest.raises(TragError, match=said):
        accepted(given)


def test_a_key_stands_for_one_name_and_climbs_nowhere() -> None:
    names = ["a.md", "A.md", "../a.md", "a.md ", "\ud800.md", "x" * 5_000]
    keys = {key(name) for name in names}
    assert len(keys) == len(names)
    assert all(len(each) == 32 and set(each) <= set("0123456789abcdef") for each in keys)


def document(name: str, **more: object) -> Document:
    return replace(Document(name, "0" * 64, None, NOW), **more)  # type: ignore[arg-type]


def shown(documents: tuple[Document, ...], asked: TableQuery, *jobs: Job) -> Listing:
    return listing(documents, asked, jobs)


DOCUMENTS = (
    document("b.md", pages=3, added=NOW + timedelta(1), by="ada", notes=("page 2 damaged, not read",)),
    document("A.md", pairs=5, added=NOW),
    document("c plan.md", pages=9, added=NOW + timedelta(2)),
)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({}, ["c plan.md", "b.md", "A.md"]),
        ({"order": "name"}, ["A.md", "b.md", "c plan.md"]),
        ({"order": "-pages"}, ["c plan.md", "b.md", "A.md"]),
        ({"order": "pages"}, ["A.md", "b.md", "c plan.md"]),
        ({"order": "nonsense", "first": "-1"}, ["c plan.md", "b.md", "A.md"]),
        ({"words": " PLAN  c "}, ["c plan.md"]),
        ({"words": "ada"}, ["b.md"]),
        ({"words": "<"}, []),
        ({"first": "9"}, []),
        ({"problems": "1"}, ["b.md"]),
        ({"problems": "1", "words": "plan"}, []),
    ],
    ids=str,
)
def test_a_table_shows_what_is_asked_for(query: dict[str, str], names: list[str]) -> None:
    assert [each.document.name for each in shown(DOCUMENTS, TableQuery.read(query)).rows] == names


def test_a_row_says_its_state_and_its_problems() -> None:
    def job(name: str, state: Any, days: float) -> Job:
        return Job(name + state, name, "0" * 64, "ada", NOW + timedelta(days), state, "It is damaged.", "Copy it.")

    failed = "A newer version failed: It is damaged. Copy it."
    jobs = (
        job("c plan.md", "waiting", 9),
        job("b.md", "failed", 4),
        job("c plan.md", "failed", 3),
        job("new.md", "failed", 3),
        job("A.md", "done", 2),
        job("A.md", "failed", 1),
    )
    found = shown(DOCUMENTS, TableQuery(order="name"), *jobs)
    assert [(each.state, each.problems) for each in found.rows] == [
        ("searched", ()),
        ("failed", (failed, "page 2 damaged, not read")),
        ("replacing", ()),
    ]
    assert found.troubled == 1
    troubled = [shown(DOCUMENTS[1:], TableQuery(), job("A.md", "failed", days)).troubled for days in (-1, 1)]
    assert troubled == [0, 1], "another has taken the place of the first since"


def test_a_press_on_a_column_turns_its_order() -> None:
    for order, column, turned in (
        ("name", "name", "-name"),
        ("-name", "name", "name"),
        ("name", "pages", "-pages"),
        ("-pages", "pages", "pages"),
    ):
        assert TableQuery(order=order).turned(column) == turned


def test_a_long_table_is_turned_page_by_page() -> None:
    many = tuple(document(f"{number:03}.md") for number in range(2 * MOST + 1))
    first, last = shown(many, TableQuery(order="name")), shown(many, TableQuery(order="name", first=2 * MOST))
    assert (len(first.rows), first.total) == (MOST, 2 * MOST + 1)
    assert [each.document.name for each in last.rows] == [f"{2 * MOST}.md"]


PAIR = Pair("p1", "a.md", "2 Two", 3, "=Who?", "Ada.", "short answer", "rule")


def test_sections_come_in_the_order_of_the_document_with_their_pairs() -> None:
    parts = (("s1", "2 Two", 3, "Ada is who."), ("s2", "1 One", 1, "y"), ("s3", "2 Two", 4, "z"))
    passages = [*(Passage(id, "section", "a.md", path, page, said) for id, path, page, said in parts), PAIR.passage]
    waiting = replace(PAIR, id="p2", state="review", searched=False, source="Bob is who.")
    found = contents(passages, (PAIR, waiting, replace(waiting, id="p3", section="0 Gone")))
    assert [(each.path, each.page, len(each.passages), each.searched, each.reviews) for each in found] == [
        ("2 Two", 3, 2, 1, 1),
        ("1 One", 1, 1, 0, 0),
        ("0 Gone", 3, 0, 0, 1),
    ]
    assert found[0].sources == {"p2": PairSource("Ada is who.", "Bob is who.")}


@pytest.mark.parametrize(
    ("audience", "named"),
    [
        ({EVERYONE}, None),
        ({EVERYONE, UNIT["Bar"]}, None),
        (set(), ()),
        ({UNIT["Board"]}, (Reader(UNIT["Board"], "Board", "Club"),)),
        ({UNIT["Club"], "gone"}, (Reader(UNIT["Club"], "Club"), Reader("gone", "gone", known=False))),
    ],
)
def test_readers_are_named(audience: set[str], named: tuple[Reader, ...] | None) -> None:
    assert readers(frozenset(audience), CHART) == named


@pytest.mark.parametrize(
    ("words", "names"),
    [("boa", ["Board", "Board Room"]), ("BENCH", ["Board"]), ("room board", ["Board Room"]), ("", []), ("x", [])],
)
def test_units_are_found_by_their_names(words: str, names: list[str]) -> None:
    assert [each.name for each in find_units(CHART, words)] == names
    assert find_units(None, words) == ()


def test_notices_are_remembered_for_a_while() -> None:
    notices, address = Notices(), "/documents?search=a#list"
    pages = [notices.go(address, Notice(str(number))).headers["location"] for number in range(KEPT + 1)]

    def said(address: str) -> Notice | None:
        query = urlsplit(address).query.encode()
        return notices.said(Request({"type": "http", "query_string": query}))

    assert [said(page) for page in (pages[0], pages[-1], "/documents")] == [None, Notice(str(KEPT)), None]
    assert re.fullmatch(r"/documents\?search=a&told=[\w-]+#list", pages[-1])
    assert notices.go("/documents#list").headers["location"] == "/documents#list"


def test_what_is_seen_of_a_pair_differs_when_it_does() -> None:
    changes = ({}, {"question": "Who?"}, {"answer": "Bob."}, {"state": "approved"}, {"type": "list"})
    assert len({fingerprint(replace(PAIR, **change)) for change in changes}) == 5  # type: ignore[arg-type]
    assert fingerprint(replace(PAIR, by="ada", searched=False)) == fingerprint(PAIR)


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (10).to_bytes(4, "big") + (20).to_bytes(4, "big")
VIEW = PageView(1, 9, PNG + bytes(1_000), 10, 20, (), (), 0.0, False, False, ())


def test_a_drawn_page_is_kept_until_its_document_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, draw = Mock(return_value=(b"", ())), Mock(side_effect=lambda *asked, **_: replace(VIEW, number=asked[2]))
    monkeypatch.setattr(viewer.view, "page", draw)
    pages, one, two = PageCache(tmp_path / "cache"), "1" * 64, "2" * 64
    for sha256, number, passage in ((one, 1, "x"), (one, 1, "x"), (one, 2, "x"), (one, 1, "y"), (two, 1, "x")):
        assert pages.page(original, WantedPage(sha256, "a.pdf", number, passage)).number == number
    assert [call.args[2] for call in draw.call_args_list] == [1, 2, 1, 1]
    assert original.call_count == 4, "the document is read only to be drawn"
    next((tmp_path / "cache" / two).iterdir()).write_text("{")
    assert pages.page(lambda: (b"", ()), WantedPage(two, "a.pdf", 1, "x")).pages == 9, "a damaged page is drawn again"
    pages.keep_only({two})
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [two]


def test_of_a_page_that_cannot_be_drawn_only_words_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Content:
        """In place of bytes, which cannot be looked for."""

    def damaged(content: Any, name: str, *_: Any, **__: Any) -> PageView:
        raise TragError(f"{name} is damaged.", "Save it again.")

    monkeypatch.setattr(viewer.view, "page", damaged)
    pages, wanted = PageCache(tmp_path), WantedPage("1" * 64, "a.pdf", 1)
    contents: list[Any] = [(Content(), ())]
    there = weakref.ref(contents[0][0])
    with pytest.raises(TragError):
        pages.page(contents.pop, wanted)
    gc.collect()
    assert there() is None
    with pytest.raises(TragError, match=r"a\.pdf is damaged"):
        pages.kept(wanted)
    assert pages.kept(replace(wanted, name="b.pdf")) is None, "who may read a copy does not learn of the other"


def test_the_pages_looked_at_longest_ago_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer.view, "page", lambda *_, **__: VIEW)
    monkeypatch.setattr(viewer, "KEPT", 4 * len(VIEW.to_json()))
    pages = PageCache(tmp_path)
    for number in range(1, 9):
        pages.page(lambda: (b"", ()), WantedPage("1" * 64, "a.pdf", number))
    assert len([*tmp_path.rglob("*.json")]) == 4
