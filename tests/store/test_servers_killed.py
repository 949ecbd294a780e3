"""PostgreSQL, or the Chroma server, killed while a document or a chart is taken in: the old one or the new is there,
and the same again puts all right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import Engine, event

from org.reading.charts import load
from store import StoreError
from store.library import Library
from store.vectors import Vectors
from tests.trag.ingest.killing import Standing
from trag.home import Home, open_home
from trag.progress import silent
from trag.settings import Settings

if TYPE_CHECKING:
    from tests.store.conftest import ChromaServer, Postgres

pytestmark = pytest.mark.slow
CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\n"
FEES = ("The fee is 40 EUR a year.", "The fee is 55 EUR a year.")


@contextmanager
def opened(folder: Path, **servers: str) -> Iterator[tuple[Home, Callable[[str], str]]]:
    """A home on a server, and what becomes of a document in it that says so."""
    with open_home(Settings(home=folder / "home", **servers)) as home:
        home.parts["embedder"] = Standing()

        def ingest(says: str) -> str:
            (folder / "rules.md").write_text(f"# Rules\n\n{says}\n\n## Seat\n\nThe seat is Oslo.\n")
            (result,) = home.ingest([folder / "rules.md"], replace=True, progress=silent)
            if result.failed:
                raise StoreError(result.reason)
            return result.outcome

        yield home, ingest


@contextmanager
def listening(heard: Callable[[object], None]) -> Iterator[None]:
    """Tells of each commit before it is one."""
    event.listen(Engine, "commit", heard)
    yield
    event.remove(Engine, "commit", heard)


def held(home: Home) -> str:
    """What the records say, of which the index has every passage and no other."""
    passages = list(home.records.library.passages("rules.md"))
    index = home.vectors.held("rules.md")["rules.md"].passages
    assert index == set(passages)
    return next(each.text for each in passages if "fee" in each.text)


@pytest.mark.parametrize("done", [False, True], ids=["before the commit", "after it"])
def test_a_document_or_a_chart_is_the_old_or_the_new_when_the_database_is_killed(
    postgres_alone: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    at_commit: list[Callable[[], None]] = []  # what is done once, before the next commit

    def committing(_: object) -> None:
        while at_commit:
            at_commit.pop()()

    def put(*arguments: Any, **options: Any) -> None:
        if not done:
            at_commit.append(postgres_alone.kill)
        whole(*arguments, **options)
        postgres_alone.kill()

    with opened(tmp_path, database_url=postgres_alone.database()) as (home, ingest), listening(committing):
        assert ingest(FEES[0]) == "indexed"
        first = home.charts.activate(load(CHART, "club.csv"), [("club.csv", CHART)], by="ada")
        whole = Library.put
        with monkeypatch.context() as killing:
            killing.setattr(Library, "put", put)
            with pytest.raises(StoreError):
                ingest(FEES[1])
        postgres_alone.start()
        assert next(iter(home.records.library.passages("rules.md"))).text == FEES[done]
        ingest(FEES[1])
        assert held(home) == FEES[1]
        more = CHART + b"Bar,Club,team\n"
        at_commit.append(postgres_alone.kill)
        with pytest.raises(StoreError):
            home.charts.activate(load(more, "club.csv"), [("club.csv", more)], by="ada")
        postgres_alone.start()
        active = home.records.chart_versions.active()
        assert active is not None
        assert active.version == home.organization.version == first.version
        home.charts.activate(load(more, "club.csv"), [("club.csv", more)], by="ada")
        assert home.organization.version != first.version
        assert home.records.audit.verify() is None


@pytest.mark.parametrize("request_number", [1, 2])
def test_a_document_is_put_right_by_the_same_file_when_the_index_server_was_killed(
    chroma_server: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_number: int
) -> None:
    send, sent, putting = httpx.Client.send, 0, False

    def dying(client: httpx.Client, *arguments: Any, **options: Any) -> httpx.Response:
        nonlocal sent
        sent += putting
        if putting and sent == request_number:
            chroma_server.kill()
        return send(client, *arguments, **options)

    def put(*arguments: Any, **options: Any) -> None:
        nonlocal putting
        putting = True
        whole(*arguments, **options)

    with opened(tmp_path, chroma_url=chroma_server.database()) as (home, ingest):
        assert ingest(FEES[0]) == "indexed"
        whole = Vectors.put
        with monkeypatch.context() as killing:
            killing.setattr(Vectors, "put", put)
            killing.setattr(httpx.Client, "send", dying)
            with pytest.raises(StoreError, match="searches do not find it yet"):
                ingest(FEES[1])
        chroma_server.start()
        assert ingest(FEES[1]) == "indexed"
        assert held(home) == FEES[1]
        assert ingest(FEES[1]) == "unchanged"
