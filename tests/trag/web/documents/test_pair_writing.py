"""The writing of pairs, begun and stopped on the page of the documents, and the page of the example questions."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from bs4 import BeautifulSoup, Tag
from starlette.testclient import TestClient

from store.passage import Passage
from tests.trag.web.documents.conftest import Opened, served
from trag.errors import TragError
from trag.home import Home, open_home
from trag.ingest.pairs import GeneratedPair
from trag.progress import Cancelled, silent
from trag.settings import Settings

RULES = "# 1 Grants\n\nThe Board approves every grant.\n\n# 2 Leave\n\nStaff ask two weeks before.\n"
PATH = "/documents/examples"
HOSTILE = '</textarea><script>alert(1)</script>"?'


@pytest.fixture
def home(tmp_path: Path, empty_database: Path) -> Iterator[Home]:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        yield home


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    with served(home) as client:
        yield client


def seen(client: TestClient) -> str:
    return field(client.get(PATH).text, "[name=seen]", "value")


def field(page: str, selector: str, attribute: str = "") -> str:
    (found,) = BeautifulSoup(page, "html.parser").select(selector)
    return str(found[attribute]) if attribute else found.get_text().removeprefix("\n")


def test_what_is_saved_is_shown(client: TestClient, home: Home) -> None:
    assert "from now on" in client.get(PATH).text
    saved = client.post(PATH, data={"questions": f"Who?\r\n\r\n{HOSTILE}\r\n", "seen": ""})
    assert field(saved.text, ".notice.good p") == "2 example questions saved."
    assert field(saved.text, "textarea") == f"Who?\n{HOSTILE}"
    assert home.records.examples.all() == ("Who?", HOSTILE)
    emptied = client.post(PATH, data={"questions": "", "seen": seen(client)})
    assert field(emptied.text, ".notice.good p") == "There are no examples now."
    assert home.records.examples.all() == ()


def test_too_much_is_refused_with_what_was_typed(client: TestClient, home: Home) -> None:
    home.set_examples("Who?")
    typed = "\n".join(f"Question {number}?" for number in range(21))
    refused = client.post(PATH, data={"questions": typed, "seen": "Who?"})
    assert refused.status_code == 422
    assert "20 are the most" in field(refused.text, "[role=alert]")
    assert field(refused.text, "textarea") == typed
    assert field(refused.text, "[name=seen]", "value") == "Who?"
    assert home.records.examples.all() == ("Who?",)


def test_nothing_is_written_over_what_somebody_else_wrote_meanwhile(client: TestClient, home: Home) -> None:
    home.set_examples("Who?\nWhen?")
    late = client.post(PATH, data={"questions": "Mine?", "seen": ""})
    assert late.status_code == 409
    assert field(late.text, "textarea") == "Mine?"
    assert [each.get_text() for each in BeautifulSoup(late.text, "html.parser").select(".now li")] == ["Who?", "When?"]
    assert home.records.examples.all() == ("Who?", "When?")
    again = client.post(PATH, data={"questions": "Mine?", "seen": field(late.text, "[name=seen]", "value")})
    assert again.status_code == 200
    assert home.records.examples.all() == ("Mine?",)


class Desk:
    """The page over a home with one document; what a passage gives, and whether people are being answered."""

    def __init__(self, home: Home, client: TestClient, people: list[str]) -> None:
        self.home, self.client, self.people = home, client, people

    def row(self) -> Tag | None:
        answer = self.client.get("/documents/queue")
        assert answer.status_code == 200
        return BeautifulSoup(answer.text, "html.parser").select_one("#writing")

    def told(self, part: str) -> str:
        """What the row says once it holds these words."""
        for _ in range(200):
            row = self.row()
            said = " ".join(row.get_text(" ").split()) if row else ""
            if part in said:
                return said
            time.sleep(0.05)
        pytest.fail(f"{part!r} is not in {said!r}")


def written(passage: Passage, *_: object, **__: object) -> tuple[GeneratedPair, ...]:
    question, place = f"What of {passage.section}?", (passage.section, passage.page)
    return (GeneratedPair(question, passage.text, "short answer", *place, passage.text),)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opened) -> Iterator[Desk]:
    monkeypatch.setattr("trag.home.pairs_of", written)
    people: list[str] = []
    with opened(tmp_path / "home") as home:
        home.parts["model"] = Mock()
        (tmp_path / "rules.md").write_text(RULES)
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
        with served(home, busy=lambda: bool(people)) as client:
            yield Desk(home, client, people)


@pytest.mark.slow
def test_pairs_are_written_when_somebody_says_so_and_the_page_tells_how_many(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Sequence[str]] = []

    def pairs_of(passage: Passage, *_: Any, examples: Sequence[str], **__: Any) -> tuple[GeneratedPair, ...]:
        given.append(examples)
        return written(passage)

    monkeypatch.setattr("trag.home.pairs_of", pairs_of)
    desk.home.set_examples("Who?\nWhen?")
    assert desk.row() is None
    assert desk.home.records.library.pairs() == ()
    page = desk.client.post("/documents/writing")
    assert (page.status_code, page.url.path) == (200, "/documents")
    assert "2 new pairs; 2 of 2 sections are through." in desk.told("Done")
    assert len(desk.home.records.library.pairs()) == 2
    assert given == [("Who?", "When?")] * 2
    desk.client.post("/documents/writing/dismiss")
    assert desk.row() is None


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_went_wrong_is_said_with_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object, **__: object) -> tuple[()]:
        raise TragError("The model is gone.", "Start it.")

    monkeypatch.setattr("trag.home.pairs_of", gone)
    desk.client.post("/documents/writing")
    assert "The model is gone. Start it. What was written is kept." in desk.told("Failed")
