"""The page of the review: the queues, how answers were judged, and the judged answers as files to learn from.

GET shows and changes nothing, but that a file is taken is written down. In a file are only answers whose verdict holds,
and none that stands on documents that whoever takes it may not read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import Response

from org.reading.cells import csv_text
from store.reviews import Label
from trag.brief.record import BriefRecord
from trag.flow.record import PlanRecord
from trag.json_lines import as_line
from trag.record import AnswerRecord
from trag.review import agreement
from trag.review import workflows as judged_workflows
from trag.review.verdicts import held
from trag.web.evidence import documents_of
from trag.web.render import unit_name
from trag.web.responses import explain, exported
from trag.web.review import render
from trag.web.review.answer import AnswerPage
from trag.web.review.context import CHOICES, COUNTED, GivenAnswer, QueuePlace, ReviewContext, record_of
from trag.web.visitors import caller
from trag.workflow.record import WorkflowRecord

if TYPE_CHECKING:
    from store.records import Records
    from trag.home import Home

MOST = 20
"""Answers on a page of a queue."""
OPTIONS = 500
"""Documents, and units, that can be chosen from a list."""
PEOPLE = "Approved answers"
"""What stands for the model where a person wrote the words."""
PERIODS = (4, 12, 26, 52)
"""Weeks that the figures can be of, besides all."""
FIELDS = (
    "id", "asked", "question", "standalone", "answer", "verdict", "corrected", "reason", "wrong_source",
    "right_source", "asker_verdict", "judged", "model", "adapter", "documents", "kind",
)  # fmt: skip


class ReviewPage:
    """What the routes share."""

    def __init__(self, context: ReviewContext) -> None:
        self.context = context

    def routes(self, router: APIRouter) -> None:
        router.get("")(self.show)
        router.get("/next")(self.next)
        router.get("/figures")(self.figures)
        router.get("/judged.csv")(self.as_table)
        router.get("/judged.jsonl")(self.as_lines)

    def show(self, request: Request) -> Response:
        who, place = caller(request), QueuePlace.read(request.query_params)
        hidden, reviews = self.context.hidden(who), self.context.records.reviews
        returned, chart = self.context.returned(hidden), self.context.chart
        documents = (name for name in reviews.values("document") if name not in hidden)
        units = ((unit_name(unit, chart), unit) for unit in reviews.values("unit"))
        return render.page(
            "queue",
            reviews=reviews.queue(place.queue(hidden), reviewer=who.person, page=place.at // MOST + 1, most=MOST),
            first=place.at // MOST * MOST,
            place=place,
            sizes={
                choice: reviews.size(place.of(choice).queue(hidden), reviewer=who.person, most=COUNTED)
                for choice in CHOICES
            },
            most=MOST,
            total=agreement.total(agreement.rows(reviews.counts("week"))),
            documents=sorted(documents, key=str.casefold)[:OPTIONS],
            units=sorted(units, key=lambda each: each[0].casefold())[:OPTIONS],
            returned=returned,
            whys={each.answer: each.why for each in returned},
            last=self.context.last(request),
            own_left_out=place.choice != "judged" and not reviews.alone(who.person),
            notice=self.context.notices.said(request),
        )

    def next(self, request: Request) -> Response:
        """On to the answer at the place of a queue that the address names."""
        found = self.context.next(caller(request), QueuePlace.read(request.query_params))
        if found is None:
            return self.context.notices.go(QueuePlace.read(request.query_params).placed(0).address("/review"))
        place, answer = found
        return self.context.notices.go(place.address(f"/review/{answer}"))

    def figures(self, request: Request) -> Response:
        """How answers were judged, of all time or of the last weeks."""
        hidden, reviews = self.context.hidden(caller(request)), self.context.records.reviews
        asked = request.query_params.get("weeks", "")
        period = next((each for each in PERIODS if str(each) == asked), 0)
        today = datetime.now(UTC).date()
        # The Monday of the first of the last weeks, this one among them.
        since = today - timedelta(days=today.weekday(), weeks=period - 1) if period else None
        by_week = agreement.rows(reviews.counts("week", since=since))
        chart = self.context.chart
        return render.page(
            "figures",
            total=agreement.total(by_week),
            weeks=agreement.weeks(by_week),
            by={
                "document": agreement.rows(reviews.counts("document", since=since, hidden=hidden)),
                "unit": agreement.rows(reviews.counts("unit", since=since)),
                "model": agreement.rows(reviews.counts("model", since=since)),
            },
            display_name=lambda kind, value: unit_name(value, chart) if kind == "unit" else value or PEOPLE,
            kappa=agreement.kappa(reviews.agreement()),
            period=period,
            periods=PERIODS,
        )

    def as_table(self, request: Request) -> Response:
        return self._exported(request, as_csv, "judged-answers.csv")

    def as_lines(self, request: Request) -> Response:
        """Every judged answer with what it stood on, to learn from."""
        return self._exported(request, as_json, "judged-answers.jsonl")

    def _exported(self, request: Request, lines: Callable[[Iterable[Judged]], Iterator[str]], name: str) -> Response:
        answers = judged(self.context.records, self.context.hidden(caller(request)))
        return exported(request, self.context.records.audit, "judged answers", lines(answers), name)


def mount(app: FastAPI, home: Home) -> None:
    """The routes of the review in `app`."""
    context, router = ReviewContext(home), APIRouter(prefix="/review")
    for page in (ReviewPage(context), AnswerPage(context)):
        page.routes(router)
    app.include_router(router)
    explain(app)


@dataclass(frozen=True, slots=True)
class Judged(GivenAnswer):
    """An answer or a plan, and the label whose verdict holds; of several, the last that says what is right."""

    label: Label


def judged(records: Records, hidden: Collection[str]) -> Iterator[Judged]:
    """Every answer whose verdict holds, the one judged first first; none that stands on a `hidden` document."""
    for review, stored, label in held(records):
        one = Judged(review, record_of(stored), label)
        if one.stands_on.isdisjoint(hidden):
            yield one


def as_json(answers: Iterable[Judged]) -> Iterator[str]:
    """A line for each answer. That of a plan has what an evaluation takes for right: the `gold` actions of its `flow`,
    the corrected ones or those that were found right, beyond what was `done`; none where nobody says what is right.
    That of a workflow has the right one beside its `request`, None where nobody says it; that of a briefing has its
    sentences, each with the words that bear it out."""
    for each in answers:
        more: dict[str, Any]
        if isinstance(each.record, PlanRecord):
            order = each.label.corrected or ("" if each.review.review_status == "Incorrect" else each.words)
            flow, *gold = order.split("\n")
            more = {"flow": flow, "gold": gold, "done": each.record.done, "procedures": each.record.procedures}
        elif isinstance(each.record, WorkflowRecord):
            right = judged_workflows.right(each.label.corrected)
            more = {"request": each.record.request, "workflow": right and right.values()}
        elif isinstance(each.record, BriefRecord):
            said = [one for part in each.record.parts for one in part.sentences]
            more = {
                "sentences": [{"text": one.text, "evidence": one.evidence, "how": one.how} for one in said],
                "open": [question.text for question in each.record.open],
            }
        else:
            more = {
                "statements": [{"unit": one.unit, "text": one.text} for one in each.record.statements],
                "sources": [
                    {name: getattr(one, name) for name in ("kind", "document", "section", "page", "question", "text")}
                    for one in each.record.sources
                ],
            }
        yield as_line(_values(each) | more) + "\n"


def as_csv(answers: Iterable[Judged]) -> Iterator[str]:
    """A header, then a line for each answer, of which a spreadsheet runs nothing."""
    yield "\ufeff" + csv_text([FIELDS])
    for each in answers:
        values = _values(each) | {"documents": "; ".join(sorted(documents_of(each.record)))}
        yield csv_text([[values[field] for field in FIELDS]])


def _values(each: Judged) -> dict[str, str]:
    record = each.record if isinstance(each.record, AnswerRecord) else None
    sources = each.record.sources if isinstance(each.record, AnswerRecord | BriefRecord) else ()
    wrong = next((source for source in sources if source.id == each.label.wrong_source), None)
    return {
        "id": each.record.id,
        "asked": each.review.created.isoformat(),
        "question": each.review.question,
        "standalone": record.standalone if record else each.review.question,
        "answer": each.words,
        "verdict": each.review.review_status,
        "corrected": each.label.corrected,
        "reason": each.label.comment,
        "wrong_source": ", ".join(filter(None, (wrong.document, wrong.section))) if wrong else "",
        "right_source": ", ".join(filter(None, (each.label.right_document, each.label.right_section))),
        "asker_verdict": each.review.flag,
        "judged": each.label.at.isoformat(),
        "model": each.review.model,
        "adapter": each.review.adapter,
        "kind": each.review.kind,
    }
