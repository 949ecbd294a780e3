"""A home of real records with documents and procedures for some and answers that stand on them, its review desk behind
the gate, and a browser of each person."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from anyio.from_thread import BlockingPortal
from bs4 import BeautifulSoup
from httpx import Response
from starlette.testclient import TestClient

from org.procedures.actions import Action, Table, Trigger
from org.procedures.actions import Source as WrittenAt
from org.procedures.flows import Book, Procedure, Step
from org.reading.charts import load
from store.passage import OPEN, Passage
from store.person import Role
from store.records import Records
from tests.pages import gated, signed_in, soup
from trag.brief.record import BriefQuestion, BriefRecord, BriefSentence, Part
from trag.flow.planner import Planner
from trag.people.permissions import Readers
from trag.record import AnswerRecord, CheckedSentence, Checks, Entity, ModelUsed, Source
from trag.web.review import page as review
from trag.workflow.record import Workflow, WorkflowRecord
from trag.workflow.structure import write

CHART = load(b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\nr,Bar,Club,team\n", "chart.csv")
RULES, BOARD, BAR = WrittenAt("rules.md", "1 Signing"), WrittenAt("board.md", "1 Signing"), WrittenAt("rules.md", "2")
BOOK = Book.of(
    (
        Action("Report", "Report it", gives=("report",), source=RULES),
        Action("Block", "Block it", needs=(("report",),), gives=("block",), unit="Board", audience=("Board",)),
        Action("Ask", "Ask for another", gives=("form",)),
        Action("Print", "Print one", needs=(("block",), ("form",)), unit="Bar"),
        Action("Vote", "Vote on it", source=BOARD),
        Action("Pour", "Pour it", source=BAR),
        Action("Tell", "Tell somebody", needs=(("who",), ("what",)), runs="built-in"),
    ),
    (
        Procedure("badge", "Badges", steps=(Step("Tell.", ("Report", "Block")), Step("Get.", ("Ask", "Print")))),
        Procedure("vote", "Votes", steps=(Step("Vote.", ("Vote",)),), source=BOARD),
        Procedure("bar", "C4NARY", audience=("Bar",), steps=(Step("Pour.", ("Pour",)),), source=BAR),
    ),
    (Table("badge", "Badges", fields=("lost",)), Table("till", "Tills", audience=("Bar",))),
    (Trigger("created", "A record is created", table=True), Trigger("daily", "Every day")),
)
"""Of which `vote` and its action are closed to who may not read board.md, and `bar` to who is not of the Bar; in
workflows also Block, which is for the Board, and the table of tills."""
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
    planner: Planner

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
        id, model, board = uuid4().hex, ModelUsed("tiny", "0", "a1"), Entity("b", "Board", "Board", 0, 5)
        said = {name: f"It stands in {name}. {words}" for name in documents}
        sources = [
            *(Source(f"{id}-{name}", "section", name, "1 Signing", None, text, 0.8) for name, text in said.items()),
            Source("chart-1", "chart", "Organization chart", "Board", None, "Of the Club.", 1.0),
        ]
        sentences = (CheckedSentence(words, each == "y", sources[0].id if documents else "") for each in support)
        record = AnswerRecord(id, question, question, words, "answered", model, (board,), sources=tuple(sources))
        record = replace(record, checks=Checks(tuple(sentences), chart=CHART.version))
        conversation = self.records.start_conversation(self.ids[asker], "x").id
        self.records.save_answer(id, conversation, question, words, record.to_json())
        return id

    def plan(self, request: str = "A badge!", of: str = "badge", **more: Any) -> str:
        """A plan that somebody was given."""
        plan: Any = replace(self.planner.plan(request, None, readers=None, procedure=of), **more)  # type: ignore[arg-type]
        self.records.save_answer(plan.id, None, request, plan.order, plan.to_json(), asker=self.ids["eve"], kind="plan")
        return str(plan.id)

    def workflow(self, workflow: Workflow | None, request: str = "Automate badges!", **more: Any) -> str:
        """A workflow that somebody was given."""
        status: Any = "drafted" if workflow else "cannot_answer"
        record = WorkflowRecord(uuid4().hex, request, status, workflow, catalogue=BOOK.version, model="tiny", **more)
        lines = write(workflow) if workflow else ""
        self.records.save_answer(
            record.id, None, request, lines, record.to_json(), asker=self.ids["eve"], kind="workflow"
        )
        return record.id

    def brief(self, subject: str = "Signing", document: str = "rules.md", words: str = "The Board signs.") -> str:
        """A briefing that somebody was given."""
        source = Source(document, "section", document, "1 Signing", None, f"It stands here. {words}", 0.8)
        said = BriefSentence(words, document, words, "quotation")
        part = Part("1 Signing", (said,), (BriefQuestion("Who signs?", "documents"),))
        record = BriefRecord(uuid4().hex, subject, "written", unit="b", parts=(part,), sources=(source,))
        record = replace(record, open=(BriefQuestion("Who pays?", "reader"),), model=ModelUsed("tiny", "0", ""))
        self.records.save_answer(
            record.id, None, subject, record.text, record.to_json(), asker=self.ids["eve"], kind="brief"
        )
        return record.id

    def page(self, who: str, path: str) -> BeautifulSoup:
        return soup(self.browsers[who], path)

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
def place(records: Records, portal: BlockingPortal) -> Place:
    records.chart_versions.activate(CHART.version, "chart.csv", "3" * 64, by="ada")
    for name, audience in AUDIENCES.items():
        records.library.put(name, "1" * 64, None, [Passage(name, "section", name, "1 Signing", None, "Words.")])
        records.library.set_audience(name, audience)
    records.procedure_versions.activate(BOOK.version, "book.json", "7" * 64, by="ada")

    def open_to(name: str, held: Readers) -> bool:
        return held is None or not held.isdisjoint(AUDIENCES[name])

    def vectors(texts: Any) -> Any:
        return np.ones((len(texts), 1))

    def weigh(question: str, texts: Any) -> Any:
        return np.zeros(len(texts))

    # Every step is bound, so nothing depends on what is like what.
    planner = Planner(BOOK, CHART, vectors, weigh, open_to)
    home: Any = SimpleNamespace(
        records=records,
        organization=SimpleNamespace(chart=CHART),
        procedures=SimpleNamespace(in_use=BOOK),
        parts={"planner": planner},
        model=None,
    )
    app = gated(records)
    review.mount(app, home)
    found = signed_in(records, app, PEOPLE, portal)
    browsers, ids = ({name: each[at] for name, each in found.items()} for at in (1, 0))
    return Place(records, browsers, ids, planner)  # type: ignore[arg-type]
