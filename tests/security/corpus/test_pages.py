"""Nothing of a hostile document is more than words: on our pages, in another program's window, in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from bs4 import BeautifulSoup
from fastapi import FastAPI
from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from org.export import write
from org.reading.cells import is_formula
from tests.security.corpus.attacks import ATTACKS, Attack
from tests.security.corpus.conftest import Asked, Place
from trag.review.verdicts import put_label
from trag.web import render
from trag.web.api.mcp import told
from trag.web.api.responses import unmarked
from trag.web.charts import page as charts
from trag.web.documents import page as documents
from trag.web.documents.names import key
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator
from trag.web.review import page as review

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]

each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.code} {attack.name}")
TEMPLATES = "".join(path.read_text("utf-8") for path in Path(render.__file__).with_name("templates").rglob("*.html"))
LAID_OUT = "br em strong code pre table thead tbody tr th td".split()
MADE = {*re.findall(r"<([a-z][a-z0-9]*)", TEMPLATES), "mark", *LAID_OUT}
"""The elements that our own templates make, and those that the Markdown of an answer may become."""
INLINE = set(re.findall(r"<script>(.*?)</script>", TEMPLATES))
LEADING = set("href src srcset action formaction data poster background ping cite xlink:href".split())
WORD = re.compile(r"\w+")
FENCE = re.compile(r"(?m)^(\s*```).*")
"""The language of a block of code, which is not shown; all other marks of Markdown are no words."""
STARTS = ("\t", "\r", "\n", "\0")


@pytest.fixture(scope="module")
def browser(place: Place) -> Iterator[TestClient]:
    """A browser of the pages that show documents, charts and answers, behind the gate."""
    app = FastAPI(openapi_url=None)
    app.add_middleware(Gate, door=Authenticator(place.home.records, place.home.settings), functions={})
    documents.mount(app, place.home)
    review.mount(app, place.home)
    page = charts.mount(app, place.home)
    with TestClient(app, base_url="http://127.0.0.1:7860") as browser:
        yield browser
    page.reviews.close()


def acting(html: str) -> list[str]:
    """What of a page or a part of one our templates do not make, or would act, or leads elsewhere."""
    wrong = []
    for tag in BeautifulSoup(html, "html.parser").find_all(True):
        inline = tag.name == "script" and "src" not in tag.attrs and tag.get_text() not in INLINE
        strange = tag.name not in MADE or inline or "http-equiv" in tag.attrs
        for name, value in tag.attrs.items():
            text = " ".join(value) if isinstance(value, list) else str(value)
            strange |= name.startswith("on") or name == "srcdoc"
            strange |= name == "style" and re.fullmatch(r"[\w\s:;.%/-]*", text) is None
            strange |= name in LEADING and tag.name != "data" and not own(text)
        if strange:
            wrong.append(str(tag)[:200])
    return wrong


def own(address: str) -> bool:
    """Whether an address leads to a page of ours, and to no door that fetches others."""
    parts = urlsplit(address)
    elsewhere = parts.scheme or parts.netloc or address.startswith(("//", "\\", "/\\"))
    return not elsewhere and "gradio_api" not in parts.path


@pytest.mark.parametrize(
    "html",
    [
        "<img src=x onerror=alert(1)>",
        "<img src='http://evil.example/x'>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href='//evil.example'>x</a>",
        "<img src='/gradio_api/file=http://evil.example'>",
        "<script>alert(1)</script>",
        "<script src='http://evil.example/x.js'></script>",
        "<meta http-equiv=refresh content='0;url=/x'>",
        "<p style='background:url(//evil.example)'>x</p>",
        "<iframe srcdoc=x></iframe>",
        "<svg onload=alert(1)>",
        "<marquee>x</marquee>",
        "<form action='http://evil.example'></form>",
        "<link rel=stylesheet href='http://evil.example/x.css'>",
    ],
)
def test_what_would_act_or_lead_elsewhere_is_noticed(html: str) -> None:
    assert acting(f"<section><p>before</p>{html}</section>")


@each_attack
def test_an_answer_that_obeys_is_words_and_nothing_else(
    attack: Attack, place: Place, asked: Callable[[Attack], Asked]
) -> None:
    record, chart = asked(attack).record, place.home.organization.chart
    assert chart
    there = {each.name: True for each in place.home.records.library.documents()}
    obeyed = replace(record, answer=attack.obeyed, checks=replace(record.checks, sentences=()))
    for shown in (record, obeyed):
        turn = render.Turn(shown)
        page = render.conversation([turn], chart, documents=there)
        assert acting(page) == []
        soup = BeautifulSoup(page, "html.parser")
        said = "".join(piece.get_text() for piece in soup.select(".words")).replace(" (no source found)", "")
        if turn.kind == "answer":
            answered = FENCE.sub("", shown.answer)
            assert WORD.findall(answered) == WORD.findall(said) or shown.checks.sentences
        else:  # words of ours stand in its place
            assert said.strip().startswith(("I did not find a clear answer", "Hello! I answer questions"))
            assert not attack.obeyed or attack.obeyed not in said
        assert [each.get_text().partition(" ")[0] for each in soup.select(".badge")] != ["Approved"]
        kept = [each.get_text() for each in soup.select(".kept")]
        assert kept == ([] if turn.kind == "greeting" else [""]), "a label that nobody gave"
        for words in (unmarked(shown.answer), told(shown)):
            parsed = MarkdownIt("commonmark", {"html": True}).parse(words)
            parts = [each.type for token in parsed for each in (token, *(token.children or ()))]
            assert not {"image", "link_open", "html_inline", "html_block"} & set(parts), words


def test_every_page_over_the_corpus_is_made_of_our_own_parts(
    place: Place, asked: Callable[[Attack], Asked], browser: TestClient
) -> None:
    records = place.home.records
    paths = ["/documents", "/documents/queue", "/documents/pairs", "/documents/examples", "/charts", "/review"]
    paths += ["/review/figures", "/review/approved", "/review?choice=judged"]
    for document in records.library.documents():
        path = f"/documents/{key(document.name)}"
        paths += [path, f"{path}/view", f"/documents/pairs?document={key(document.name)}"]
        paths += [
            f"{path}/view?passage={passage.id}" for passage in islice(records.library.passages(document.name), 12)
        ]
        paths += [f"/review?document={quote(document.name)}"]
    for attack in ATTACKS:
        record = asked(attack).record
        paths += [f"/review/{record.id}"]
        paths += [
            f"/documents/{key(source.document)}/view?passage={source.id}&answer={record.id}"
            for source in record.sources
            if source.kind != "chart"
        ]
    version = place.home.organization.version
    paths += [f"/charts/versions/{version}", f"/charts/versions/{version}/picture"]
    wrong = {}
    for path in dict.fromkeys(paths):
        answer = browser.get(path, headers={"accept": "text/html"})
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html") and (found := acting(answer.text)):
            wrong[path] = found
        assert "\u202e" not in answer.text
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert wrong == {}


def test_a_spreadsheet_runs_nothing_of_what_is_exported(
    place: Place, asked: Callable[[Attack], Asked], browser: TestClient
) -> None:
    formula = next(attack for attack in ATTACKS if attack.code == "K62")
    record = replace(asked(formula).record, id="f" * 32, question=formula.obeyed, answer=formula.obeyed)
    records = place.home.records
    records.save_answer(record.id, None, record.question, record.answer, record.to_json())
    put_label(records, record.id, "rita", "Incorrect", formula.obeyed, formula.obeyed)
    chart = place.home.organization.chart
    assert chart
    tables = {path: browser.get(path).content for path in ("/documents/pairs.csv", "/review/judged.csv")}
    tables["chart"] = write(chart, "csv")
    for path, content in tables.items():
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
        assert len(rows) > 1, path
        assert [cell for row in rows for cell in row if is_formula(cell) or cell.startswith(STARTS)] == [], path
        assert [cell for row in rows for cell in row if cell.startswith(("'=", "'@", "'+"))], path
