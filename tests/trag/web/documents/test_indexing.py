"""The index that is made anew while people ask, as the page of the documents tells of it."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from store import disk_full, files
from store.vectors import Vectors
from tests.pages import soup, words
from tests.trag.web.documents.conftest import served
from trag.embed import Embedder
from trag.home import Home, open_home
from trag.ingest import index
from trag.progress import silent
from trag.settings import Settings

pytestmark = pytest.mark.slow


class Other:
    """The same vectors under another name."""

    identity = "other"

    def __init__(self, embedder: Embedder) -> None:
        self.dimension = embedder.dimension
        self.embed_questions, self.embed_passages = embedder.embed_questions, embedder.embed_passages


@pytest.fixture
def settings(tmp_path: Path, embedder: Embedder) -> Settings:
    """Of a home with two documents, the index of which another encoder has made."""
    settings = Settings(home=tmp_path / "home")
    with open_home(settings) as home:
        home.parts["embedder"] = Other(embedder)
        for name in ("rules", "fees"):
            (tmp_path / f"{name}.md").write_text(f"# {name}\n\nOf {name} the Board decides.\n")
        home.ingest([tmp_path / f"{name}.md" for name in ("rules", "fees")], replace=False, progress=silent)
    return settings


def found(home: Home) -> set[str]:
    vector = home.embedder.embed_questions(["who decides"])[0]
    return {each.document for each in home.vectors.search(vector, "decides", kinds=["section"], k=5, readers=None)}


def test_the_page_tells_how_far_it_is_and_people_find_all_meanwhile(settings: Settings) -> None:
    people = ["somebody"]
    with open_home(settings, later=True) as home, served(home, busy=lambda: bool(people)) as client:

        def told(part: str) -> str:
            for _ in range(200):
                if part in (said := words(soup(client, "/documents/queue"), "#indexing")):
                    return said
                time.sleep(0.05)
            pytest.fail(f"{part!r} is not in {said!r}")

        assert found(home) == {"rules.md", "fees.md"}
        assert home.vectors.held() == {}
        client.documents.begin()  # type: ignore[attr-defined]
        assert "0 of 2 documents" in told("Waiting: people are being answered")
        assert "found by their words alone" in told("made anew")
        people.clear()
        told("Done")
        assert set(home.vectors.held()) == found(home) == {"rules.md", "fees.md"}
        assert "#indexing" not in client.post("/documents/indexing/dismiss").text
        assert not words(soup(client, "/documents/queue"), "#indexing")
    with open_home(settings, later=True) as home, served(home) as client:
        assert set(home.vectors.held()) == {"rules.md", "fees.md"}
        client.documents.begin()  # type: ignore[attr-defined]
        assert not words(soup(client, "/documents"), "#indexing")


def test_a_full_disk_is_told_and_what_is_left_goes_on_at_the_next_start(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise disk_full("here")

    with open_home(settings, later=True) as home, served(home) as client:
        assert home.vectors.held() == {}
        monkeypatch.setattr(Vectors, "put", full)
        client.documents.begin()  # type: ignore[attr-defined]
        for _ in range(200):
            if "Failed" in (said := words(soup(client, "/documents/queue"), "#indexing")):
                break
            time.sleep(0.05)
        assert "Failed" in said
        assert "No space is left" in said
        assert "next start" in said
        assert found(home) == {"rules.md", "fees.md"}
    monkeypatch.undo()
    with open_home(settings) as home:
        assert set(home.vectors.held()) == {"rules.md", "fees.md"}


def test_documents_that_an_earlier_version_read_are_read_again_and_keep_what_people_did(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, rules, gone = Settings(home=tmp_path / "home"), tmp_path / "rules.md", tmp_path / "gone.md"
    rules.write_text("# Rules\n\nThe Board decides.\n")
    gone.write_text("# Gone\n\nThe fee is 20.\n")
    monkeypatch.setattr(index, "READING", 0)
    with open_home(settings) as home:
        home.parts["embedder"] = embedder
        home.ingest([rules, gone], replace=False, progress=silent, audience=frozenset({"hr"}), by="ann")
        before = home.records.library.document("rules.md")
        original = files.find(home.folder / "documents", home.records.library.document("gone.md").sha256)  # type: ignore[union-attr]
        assert original
        original.write_bytes(b"\x00" * 100)  # which nothing reads any more
    monkeypatch.setattr(index, "READING", 1)
    with open_home(settings, later=True) as home, served(home) as client:
        home.parts["embedder"] = embedder
        assert index.outdated(home.stock) == ("gone.md", "rules.md")
        client.documents.begin()  # type: ignore[attr-defined]
        for _ in range(200):
            if "Done" in words(soup(client, "/documents/queue"), "#indexing"):
                break
            time.sleep(0.05)
        after = home.records.library.document("rules.md")
        assert before
        assert after == replace(before, reading=1)
        assert index.outdated(home.stock) == ("gone.md",)
        assert set(home.vectors.held()) == {"rules.md", "gone.md"}
    with open_home(settings) as home:
        assert [each.outcome for each in home.ingest([rules], replace=False, progress=silent)] == ["unchanged"]
