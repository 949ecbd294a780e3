"""The page of the example questions over a real home: what is shown, kept, refused, and given to who makes pairs."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from bs4 import BeautifulSoup
from fastapi import FastAPI
from starlette.testclient import TestClient

from trag import home as homes
from trag.home import Home, open_home
from trag.progress import silent
from trag.settings import Settings
from trag.web.documents import page as documents
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator

PATH = "/documents/examples"
HOSTILE = '</textarea><script>alert(1)</script>"?'


@pytest.fixture
def home(tmp_path: Path, empty_database: Path) -> Iterator[Home]:
    shutil.copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        yield home


@pytest.fixture
def client(home: Home) -> Iterator[TestClient]:
    app = FastAPI()
    app.add_middleware(Gate, door=Authenticator(home.records, home.settings), functions={})
    documents.mount(app, home)
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:
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


@pytest.mark.slow
def test_whoever_writes_pairs_is_given_the_examples(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Sequence[str]] = []

    def pairs_of(*_: Any, examples: Sequence[str], **__: Any) -> tuple[()]:
        given.append(examples)
        return ()

    monkeypatch.setattr(homes, "pairs_of", pairs_of)
    home.set_examples("Who?\nWhen?")
    (home.folder / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    home.ingest([home.folder / "rules.md"], replace=False, progress=silent)
    assert given == []
    home.parts["model"] = Mock()
    assert home.write_pairs(by="ada", progress=silent).whole
    assert given == [("Who?", "When?")]
