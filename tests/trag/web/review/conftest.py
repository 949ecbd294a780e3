"""A home of real records with documents for some and answers that stand on them, its review desk behind the gate, and
a browser of each person."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from fastapi import FastAPI
from httpx import Response
from starlette.testclient import TestClient

from org.reading.charts import load
from store.passage import OPEN, Passage
from store.person import Newcomer, Role
from store.records import Records
from trag.record import AnswerRecord, CheckedSentence, Checks, Entity, ModelUsed, Source
from trag.settings import Settings
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator
from trag.web.review import page as review

HERE = "http://127.0.0.1:7860"
CHART = load(b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\nr,Bar,Club,team\n", "chart.csv")
AUDIENCES = {"rules.md": OPEN, "board.md": frozenset({"b"}), "nobody.md": frozenset[str]()}
PEOPLE: dict[str, tuple[Role, str]] = {
    "ada": ("admin", ""),
    "rita": ("reviewer", "b"),
    "sam": ("reviewer", "r"),
    "tom": ("reviewer", ""),
    "eve": ("employee", ""),
}


@dataclass
class Place:
    """The desk, and who looks at it."""

    records: Records
    browsers: dict[str, TestClient]
    ids: dict[str, str]

    def answer(
        self,
        question: str = "Who signs?",
        words: str = "The Board signs.",
        documents: tuple[str, ...] = ("rules.md",),
        *,
        support: str = "y",
        asker: str = "eve",
    ) -> str:
        """An answer that somebody was given; `support` has a y or an n for each sentence."""
        id = uuid4().hex
        sources = [
            Source(f"{id}-{name}", "section", name, "1 Signing", None, f"It stands in {name}. {words}", 0.8)
            for name in documents
        ]
        sentences = [CheckedSentence(words, each == "y", sources[0].id if sources else "") for each in support]
        record = AnswerRecord(
            id,
            question,
            question,
            words,
            "answered",
            ModelUsed("tiny", "0", "a1"),
            entities=(Entity("b", "Board", "Board", 0, 5),),
            sources=(*sources, Source("chart-1", "chart", "Organization chart", "Board", None, "Of the Club.", 1.0)),
            checks=Checks(tuple(sentences), chart="v1"),
        )
        conversation = self.records.start_conversation(self.ids[asker], "x").id
        self.records.save_answer(id, conversation, question, words, record.to_json())
        return id

    def page(self, who: str, path: str) -> BeautifulSoup:
        answer = self.browsers[who].get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return BeautifulSoup(answer.text, "html.parser")

    def post(self, who: str, path: str, **form: str) -> Response:
        return self.browsers[who].post(path, data=form, follow_redirects=False)

    def judge(self, who: str, answer: str, verdict: str = "Correct", query: str = "", **form: str) -> str:
        """Where the browser is sent on to."""
        sent = self.post(who, f"/review/{answer}/verdict{query}", verdict=verdict, **form)
        assert sent.status_code == 303, sent.text
        return sent.headers["location"]

    def review_status(self, answer: str) -> str:
        found = self.records.reviews.review(answer)
        assert found
        return found.review_status


def texts(page: Any, selector: str) -> list[str]:
    return [" ".join(each.get_text(" ").split()) for each in page.select(selector)]


@pytest.fixture
def place(empty_database: Path, tmp_path: Path, portal: BlockingPortal) -> Iterator[Place]:
    with closing(Records(f"sqlite:///{shutil.copy(empty_database, tmp_path)}")) as records:
        records.chart_versions.activate("v1", "chart.csv", "3" * 64, by="ada")
        for name, audience in AUDIENCES.items():
            records.library.put(name, "1" * 64, None, [Passage(name, "section", name, "1 Signing", None, "Words.")])
            records.library.set_audience(name, audience)
        home: Any = SimpleNamespace(records=records, organization=SimpleNamespace(chart=CHART))
        app = FastAPI(openapi_url=None)
        app.add_middleware(Gate, door=Authenticator(records, Settings(home=tmp_path)), functions={})
        review.mount(app, home)
        browsers, ids = {}, {}
        for name, (role, unit) in PEOPLE.items():
            person = records.people.add(
                Newcomer(name, shown=name.title(), role=role, state="active", unit=unit), by="test"
            )
            cookies = {"trag": records.sessions.begin(person.id)[0]}
            browsers[name] = TestClient(app, base_url=HERE, cookies=cookies, client=("127.0.0.1", 4711))
            browsers[name].portal = portal
            ids[name] = person.id
        yield Place(records, browsers, ids)
