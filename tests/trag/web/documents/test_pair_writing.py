"""The writing of pairs, begun and stopped on the page of the documents, and the page of the example questions."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from httpx import Response
from starlette.testclient import TestClient

from store.passage import Passage
from tests.pages import parsed, soup, texts, words
from tests.trag.web.documents.conftest import Opened, served
from trag.errors import TragError
from trag.home import Home
from trag.ingest.pairs import GeneratedPair
from trag.progress import Cancelled, silent

RULES = "# 1 Grants\n\nThe Board approves every grant.\n\n# 2 Leave\n\nStaff ask two weeks before.\n"
PATH = "/documents/examples"
HOSTILE = '</textarea><script>alert(1)</script>"?'


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    with served(home) as client:
        yield client


def field(answer: Response, selector: str, attribute: str = "") -> str:
    (found,) = parsed(answer).select(selector)
    return str(found[attribute]) if attribute else found.get_text().removeprefix("\n")


def save(client: TestClient, questions: str, seen: str) -> Response:
    return client.post(PATH, data={"questions": questions, "seen": seen})


def test_what_is_saved_is_shown(client: TestClient, home: Home) -> None:
    assert "from now on" in client.get(PATH).text
    saved = save(client, f"Who?\r\n\r\n{HOSTILE}\r\n", "")
    assert field(saved, ".notice.good p") == "2 example questions saved."
    assert field(saved, "textarea") == f"Who?\n{HOSTILE}"
    assert home.records.examples.all() == ("Who?", HOSTILE)
    emptied = save(client, "", field(client.get(PATH), "[name=seen]", "value"))
    assert field(emptied, ".notice.good p") == "There are no examples now."
    assert home.records.examples.all() == ()


def test_too_much_is_refused_with_what_was_typed(client: TestClient, home: Home) -> None:
    home.set_examples("Who?")
    typed = "\n".join(f"Question {number}?" for number in range(21))
    refused = save(client, typed, "Who?")
    assert (refused.status_code, "20 are the most" in field(refused, "[role=alert]")) == (422, True)
    assert (field(refused, "textarea"), field(refused, "[name=seen]", "value")) == (typed, "Who?")
    assert home.records.examples.all() == ("Who?",)


def test_nothing_is_written_over_what_somebody_else_wrote_meanwhile(client: TestClient, home: Home) -> None:
    home.set_examples("Who?\nWhen?")
    late = save(client, "Mine?", "")
    assert (late.status_code, field(late, "textarea")) == (409, "Mine?")
    assert texts(parsed(late), ".now li") == ["Who?", "When?"]
    assert home.records.examples.all() == ("Who?", "When?")
    assert save(client, "Mine?", field(late, "[name=seen]", "value")).status_code == 200
    assert home.records.examples.all() == ("Mine?",)


class Desk:
    """The page over a home with one document; what a passage gives, and whether people are being answered."""

    def __init__(self, home: Home, client: TestClient, people: list[str]) -> None:
        self.home, self.client, self.people = home, client, people

    def row(self) -> str:
        """What is said of the writing, "" when nothing is."""
        return words(soup(self.client, "/documents/queue"), "#writing")

    def told(self, part: str) -> str:
        """What the row says once it holds these words."""
        for _ in range(200):
            if part in (said := self.row()):
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

    def pairs_of(passage: Passage, *_: Any, examples: Sequence[str], **__: Any) -> Any:
        given.append(examples)
        return written(passage)

    monkeypatch.setattr("trag.home.pairs_of", pairs_of)
    desk.home.set_examples("Who?\nWhen?")
    assert not desk.row()
    assert desk.home.records.library.pairs() == ()
    page = desk.client.post("/documents/writing")
    assert (page.status_code, page.url.path) == (200, "/documents")
    assert "2 new pairs; 2 of 2 sections are through." in desk.told("Done")
    assert len(desk.home.records.library.pairs()) == 2
    assert given == [("Who?", "When?")] * 2
    desk.client.post("/documents/writing/dismiss")
    assert not desk.row()


@pytest.mark.slow
def test_whoever_asks_goes_first_and_it_can_be_stopped_and_gone_on_with(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def somebody_asks(passage: Passage, *_: Any, interrupted: Callable[[], bool], **__: Any) -> Any:
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
    monkeypatch.setattr("trag.home.pairs_of", Mock(side_effect=TragError("The model is gone.", "Start it.")))
    desk.client.post("/documents/writing")
    assert "The model is gone. Start it. What was written is kept." in desk.told("Failed")
