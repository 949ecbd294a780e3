"""The page This week, for admins: what was asked and not answered, how much is asked, what became of answers judged
wrong, and which documents somebody is to look at.

GET shows and changes nothing. Of what people asked the page has the words of the question alone, nobody's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from trag import briefs, overview
from trag.gaps import CROWD, QuestionVectors, Topic, by_topic, gaps
from trag.record import Source
from trag.web.documents.names import key
from trag.web.evidence import opens
from trag.web.render import environment, unit_name
from trag.web.responses import explain

if TYPE_CHECKING:
    from trag.ask import Assistant
    from trag.home import Home

TOPICS = 12
"""Topics, and documents, that are shown, those first that matter most."""
QUESTIONS = 20
"""Questions of a topic that are shown, and of all of them those that a second look asks the documents."""
WRONG = 10
"""Answers judged wrong that are shown, the newest."""


class OverviewPage:
    """What the routes share; `ready` gives the assistant as soon as it is open."""

    def __init__(self, home: Home, ready: Callable[[], Assistant]) -> None:
        self.home, self.ready = home, ready
        self.vectors = QuestionVectors(lambda questions: home.embedder.embed_questions(questions))

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/overview")
        router.get("")(self.show)
        router.post("")(self.look_again)
        return router

    def show(self, request: Request) -> Response:
        return self._page(self._topics())

    def look_again(self, request: Request) -> Response:
        """The same with what a document answers by now; nothing of it is kept, the next look tells anew."""
        topics = self._topics()
        questions = [gap.question for topic in topics[:TOPICS] for gap in topic.gaps[:QUESTIONS]][:QUESTIONS]
        return self._page(topics, briefs.answered_since(self.ready(), questions), len(questions))

    def _topics(self) -> tuple[Topic, ...]:
        since = overview.first_monday(datetime.now(UTC).date())
        return by_topic(gaps(self.home.records, since, self.home.organization.chart), self.vectors)

    def _page(
        self, topics: tuple[Topic, ...], answered: Mapping[str, Source] | None = None, looked_at: int = 0
    ) -> Response:
        now = datetime.now(UTC)
        records, chart, since = self.home.records, self.home.organization.chart, overview.first_monday(now.date())
        documents = records.library.documents()
        wrong, wrongs = overview.wrong(records, since, WRONG)
        to_look_at = overview.due(documents, records, now.date())
        return HTMLResponse(
            environment()
            .get_template("overview.html")
            .render(
                here="/overview",
                topics=topics[:TOPICS],
                more_topics=len(topics[TOPICS:]),
                most=QUESTIONS,
                answered=answered or {},
                looked_at=looked_at,
                week_ago=now - timedelta(days=7),
                unit_name=lambda unit: unit_name(unit, chart),
                crowd=CROWD,
                weeks=overview.weeks(records.use.weeks(since), now.date()),
                wrong=wrong,
                more_wrong=wrongs - len(wrong),
                due=to_look_at[:TOPICS],
                more_due=len(to_look_at[TOPICS:]),
                documents={each.name: each.called for each in documents},
                today=now.date(),
                key=key,
                opens=opens,
            )
        )


def mount(app: FastAPI, home: Home, ready: Callable[[], Assistant]) -> None:
    """The routes of the page in `app`."""
    app.include_router(OverviewPage(home, ready).router())
    explain(app)
