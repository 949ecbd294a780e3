"""The writing of pairs, begun and stopped on the page of the documents, over a real home."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from bs4 import BeautifulSoup, Tag
from fastapi import FastAPI
from starlette.testclient import TestClient

from store.passage import Passage
from trag.cancellation import Cancelled
from trag.errors import TragError
from trag.home import Home, open_home
from trag.ingest.pairs import GeneratedPair
from trag.progress import silent
from trag.settings import Settings
from trag.web.documents import page as documents
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator

pytestmark = pytest.mark.slow  # each opens a home with the real encoder

RULES = "# 1 Grants\n\nThe Board approves every grant.\n\n# 2 Leave\n\nStaff ask two weeks before.\n"


class Desk:
    """The page over a home with one document; what a passage gives, and whether people are being answered."""

    def __init__(self, home: Home, client: TestClient, people: list[str]) -> None:
        self.home, self.client, self.people = home, client, people

    def row(self) -> Tag | None:
        answer = self.client.get("/documents/queue")
        assert answer.status_code == 200
        return BeautifulSoup(answer.text, "html.parser").select_one("#writing")

    def told(self, words: str) -> str:
        """What the row says once it holds these words."""
        for _ in range(200):
            row = self.row()
            said = " ".join(row.get_text(" ").split()) if row else ""
            if words in said:
                return said
            time.sleep(0.05)
        pytest.fail(f"{words!r} is not in {said!r}")


def written(passage: Passage, *_: object, **__: object) -> tuple[GeneratedPair, ...]:
    question, place = f"What of {passage.section}?", (passage.section, passage.page)
    return (GeneratedPair(question, passage.text, "short answer", *place, passage.text),)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr("trag.home.pairs_of", written)
    people: list[str] = []
    with open_home(Settings(home=tmp_path / "home")) as home:
        home.parts["model"] = Mock()
        (tmp_path / "rules.md").write_text(RULES)
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
        app = FastAPI()
        app.add_middleware(Gate, door=Authenticator(home.records, home.settings), functions={})
        shelf = documents.mount(app, home, busy=lambda: bool(people))
        with TestClient(app, base_url="http://127.0.0.1:7860") as client:
            yield Desk(home, client, people)
        shelf.writing.close()


def test_pairs_are_written_when_somebody_says_so_and_the_page_tells_how_many(desk: Desk) -> None:
    assert desk.row() is None
    assert desk.home.records.library.pairs() == ()
    page = desk.client.post("/documents/writing")
    assert (page.status_code, page.url.path) == (200, "/documents")
    assert "2 new pairs; 2 of 2 sections are through." in desk.told("Done")
    assert len(desk.home.records.library.pairs()) == 2
    desk.client.post("/documents/writing/dismiss")
    assert desk.row() is None


def test_whoever_asks_goes_first_and_it_can_be_stopped_and_gone_on_with(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def somebody_asks(
        passage: Passage, *_: object, interrupted: Callable[[], bool], **__: Any
    ) -> tuple[GeneratedPair, ...]:
        if passage.section == "2 Leave":
            desk.people.append("ada")
        if interrupted():
            raise Cancelled
        return written(passage)

    monkeypatch.setattr("trag.home.pairs_of", somebody_asks)
    desk.client.post("/documents/writing")
    desk.told("Waiting: people are being answered")
    refused = desk.client.post("/documents/writing", headers={"Accept": "application/json"})
    assert (refused.status_code, "running already" in refused.text) == (409, True)
    desk.client.post("/documents/writing/stop")
    assert "1 new pair; 1 of 2 sections are through. Go on" in desk.told("Stopped")
    desk.people.clear()
    monkeypatch.setattr("trag.home.pairs_of", written)
    desk.client.post("/documents/writing")
    assert "1 new pair; 2 of 2 sections are through." in desk.told("Done")


def test_what_went_wrong_is_said_with_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object, **__: object) -> tuple[()]:
        raise TragError("The model is gone.", "Start it.")

    monkeypatch.setattr("trag.home.pairs_of", gone)
    desk.client.post("/documents/writing")
    assert "The model is gone. Start it. What was written is kept." in desk.told("Failed")
