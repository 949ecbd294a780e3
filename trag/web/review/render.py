"""The pages of the review as HTML. Every template escapes what it is given: questions come from anybody, answers from a
model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal

from org.chart import Chart
from store.review_queues import WEAK, Choice
from store.reviews import Label, Review
from store.versions import ChartVersion
from trag.evaluate.comparing import wilson
from trag.record import LONGEST_REMARK, VERDICTS, AnswerRecord
from trag.review.agreement import Kappa, Row, total, weeks
from trag.review.verdicts import Sight
from trag.web.evidence import evidence
from trag.web.forms import DIGITS
from trag.web.render import MEANINGS, NEIGHBOURS, against, badge, environment, percent, pieces, unit_name
from trag.web.review.desk import CHOICES, COUNTED, SHARES, QueuePlace

if TYPE_CHECKING:
    from store.approved import Approved
    from trag.web.notices import Notice

TITLES: dict[Choice, str] = {
    "newest": "Newest",
    "flagged": "Flagged",
    "weak": "Little support",
    "sample": "Sample",
    "second": "Second opinion",
    "disputed": "Disputed",
    "judged": "Judged",
}
"""What the queues are called."""
ABOUT: dict[Choice, str] = {
    "newest": "Answers that nobody has judged, the last one first.",
    "flagged": "Answers that whoever asked found wanting.",
    "weak": "Answers of which sources bear out less than half, the weakest first.",
    "sample": "A fair share of all answers, always the same ones: what is found here holds for all.",
    "second": "Answers that one reviewer has judged and another one is to judge, without knowing how.",
    "disputed": "Answers that two reviewers judged differently. An admin or a third reviewer decides.",
    "judged": "Answers with a verdict that holds.",
}
REVIEW_STATUSES = {"open": "Not judged", "second": "Second opinion wanted", "disputed": "Disputed"}
"""What people call where an answer stands, besides the verdicts."""
KEYS = {"Correct": "1", "Correct-Verbose": "2", "Incorrect": "3"}
"""The key that gives each verdict; its first letter does too."""
KINDS = {"document": "Document", "unit": "Unit", "model": "Model"}
PEOPLE = "Approved answers"
"""What stands for the model where a person wrote the words."""
SHOWN = 10
"""Rows that a plot has; the table beside it has MOST."""
MOST = 100
OPTIONS = 500
"""Documents, and units, that can be chosen from a list."""


def queue(
    reviews: Sequence[Review],
    place: QueuePlace,
    *,
    sizes: Mapping[Choice, int],
    most: int,
    total: Row,
    documents: Sequence[str],
    units: Sequence[str],
    chart: Chart | None,
    returned: Sequence[Approved],
    last: tuple[AnswerRecord, Label] | None,
    alone: bool,
    notice: Notice | None,
) -> str:
    """A page of a queue: `reviews` from `place.at` on; `total` is how all answers stand, `documents` and `units` those
    to choose from, `last` what was judged a moment ago, `returned` the approved answers that wait again; `alone` says
    that nobody else may judge."""
    units_named = sorted(((unit_name(unit, chart), unit) for unit in units), key=lambda each: each[0].casefold())
    return _page(
        "queue",
        reviews=reviews,
        first=place.at // most * most,
        place=place,
        sizes=sizes,
        most=most,
        total=total,
        documents=sorted(documents, key=str.casefold)[:OPTIONS],
        units=units_named[:OPTIONS],
        returned=returned,
        whys={each.answer: each.why for each in returned},
        last=last,
        own_left_out=not alone and place.choice != "judged",
        notice=notice,
        weak=WEAK,
        digits=DIGITS,
    )


def answer(
    review: Review,
    record: AnswerRecord,
    seen: Sight,
    place: QueuePlace,
    *,
    waiting: int,
    flagged: Label | None,
    names: Mapping[str, str],
    approved: Approved | None,
    last: tuple[AnswerRecord, Label] | None,
    chart: Chart | None,
    charts: Sequence[ChartVersion],
    documents: Mapping[str, bool],
    typed: Label | None,
    notice: Notice | None,
) -> str:
    """One answer: `flagged` is what its asker said of it, `names` what the reviewers are called, `waiting` how many the
    queue has, `approved` how it was approved last, `typed` a verdict that was not kept a moment ago."""
    found = evidence(record, chart, documents)
    return _page(
        "answer",
        review=review,
        record=record,
        seen=seen,
        place=place,
        waiting=waiting,
        flagged=flagged,
        names=names,
        approved=approved,
        last=last,
        badge=badge(record),
        pieces=pieces(record, found),
        sources=found,
        wanted_words=_wanted_words(review, record, seen),
        used=[each for each in found if each.used],
        rest=[each for each in found if not each.used],
        against=against(record, review.created, chart, charts),
        neighbours=NEIGHBOURS,
        longest=LONGEST_REMARK,
        typed=typed,
        notice=notice,
    )


def approved(
    approved: Sequence[Approved], state: Literal["pinned", "returned"], again: Collection[str], *, notice: Notice | None
) -> str:
    """The approved answers of one state; `again` are the ids of those whose answer waits for a verdict again."""
    return _page(
        "approved",
        approved=[each for each in approved if each.state == state],
        counts={each: sum(one.state == each for one in approved) for each in ("pinned", "returned")},
        state=state,
        again=again,
        notice=notice,
    )


def figures(
    by_week: Sequence[Row],
    by: Mapping[str, Sequence[Row]],
    kappa: Kappa,
    *,
    period: int,
    periods: Sequence[int],
    chart: Chart | None,
) -> str:
    """How answers were judged: `by` document, unit and model; `period` is how many weeks are counted, 0 for all."""
    return _page(
        "figures",
        total=total(by_week),
        weeks=weeks(by_week),
        by=by,
        kinds=KINDS,
        display_name=lambda kind, value: unit_name(value, chart) if kind == "unit" else value or PEOPLE,
        kappa=kappa,
        period=period,
        periods=periods,
        shown_rows=SHOWN,
        most=MOST,
        day=date.fromisoformat,
    )


def _wanted_words(review: Review, record: AnswerRecord, seen: Sight) -> str:
    """What would be approved, as far as reviewers have said: the corrected answer, or the one that is right."""
    given = [*seen.others, *([seen.mine] if seen.mine else [])]
    corrected = [each.corrected for each in given if each.verdict == review.review_status and each.corrected]
    return corrected[-1] if corrected else "" if review.review_status == "Incorrect" else record.answer


def _page(name: str, **values: object) -> str:
    template = environment().get_template(f"review/{name}.html")
    return template.render(
        {
            "about": ABOUT,
            "choices": CHOICES,
            "counted": COUNTED,
            "here": "/review",
            "keys": KEYS,
            "meanings": MEANINGS,
            "interval": wilson,
            "percent": percent,
            "shares": SHARES,
            "review_statuses": REVIEW_STATUSES,
            "titles": TITLES,
            "verdicts": VERDICTS,
        }
        | values
    )
