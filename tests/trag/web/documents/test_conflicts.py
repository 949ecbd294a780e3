"""The page of documents that say different things."""

from __future__ import annotations

import re
from pathlib import Path

from bs4 import BeautifulSoup

from store.conflict import Side, conflict_id
from store.passage import Passage
from tests.trag.web.documents.conftest import Opened, served

FEE = Side("fees.md", "Rooms", "A room costs 30 EUR & no less.")
OTHER = Side("guide.md", "Rooms", "Each <b>room</b> is 25 EUR.")


def text(answer: object) -> str:
    return re.sub(r"\s+", " ", BeautifulSoup(answer.text, "lxml").get_text(" "))  # type: ignore[attr-defined]


def test_an_admin_sees_both_sides_and_says_that_there_is_no_conflict(opened: Opened, tmp_path: Path) -> None:
    with opened(tmp_path / "home") as home, served(home) as client:
        assert "No conflict was seen." in text(client.get("/documents/conflicts"))
        for side in (FEE, OTHER):
            passage = Passage(side.document, "section", side.document, side.section, None, side.words)
            home.records.library.put(side.document, side.document, None, [passage])
        home.records.save_answer("a1", None, "What is a room?", "30 EUR.", "{}")
        home.records.conflicts.put("a1", [(FEE, OTHER)])
        (link,) = BeautifulSoup(client.get("/documents").text, "lxml").select('.facts a[href="/documents/conflicts"]')
        assert link.get_text() == "1"
        page = client.get("/documents/conflicts")
        quotes = [each.get_text() for each in BeautifulSoup(page.text, "lxml").select(".conflicts blockquote")]
        assert quotes == [FEE.words, OTHER.words]
        assert "What is a room?" in text(page)
        path = f"/documents/conflicts/{conflict_id(FEE, OTHER)}"
        denied = text(client.post(f"{path}/none"))
        assert "Answers no longer tell of it." in denied
        assert "No conflict was seen that is still open." in denied
        assert "1 pair of which somebody said" in denied
        assert home.records.conflicts.denied([conflict_id(FEE, OTHER)])
        assert "Answers tell of it again." in text(client.post(f"{path}/open"))
        assert home.records.library.delete("fees.md")
        assert "no longer there" in text(client.post(f"{path}/none"))
