"""The words that the pages of the review share, and their templates filled, which escape what they are given: questions
come from anybody, answers from a model."""

from __future__ import annotations

from datetime import date

from fastapi.responses import HTMLResponse, Response

from store.review_queues import Choice
from trag.evaluate.comparing import wilson
from trag.record import LONGEST_REMARK, VERDICTS
from trag.web.forms import DIGITS
from trag.web.language import later, percent
from trag.web.render import MEANINGS, NEIGHBOURS, environment
from trag.web.review.context import CHOICES, COUNTED, SHARES

TITLES: dict[Choice, str] = {
    "newest": later("Newest"),
    "flagged": later("Flagged"),
    "doubtful": later("Likely wrong"),
    "sample": later("Sample"),
    "second": later("Second opinion"),
    "disputed": later("Disputed"),
    "judged": later("Judged"),
}
"""What the queues are called."""
ABOUT: dict[Choice, str] = {
    "newest": later("Answers that nobody has judged, the last one first."),
    "flagged": later("Answers that whoever asked marked as wrong or too long."),
    "doubtful": later(
        "Answers against which most speaks, by what is kept with them and by whoever asked; the worst first."
    ),
    "sample": later("A fair share of all answers, always the same ones: what is found here holds for all."),
    "second": later("Answers that one reviewer has judged and another one is to judge, without knowing how."),
    "disputed": later("Answers that two reviewers judged differently. An admin or a third reviewer decides."),
    "judged": later("Answers with a verdict that holds."),
}
REVIEW_STATUSES = {"open": later("Not judged"), "second": later("Second opinion wanted"), "disputed": later("Disputed")}
"""What people call where an answer stands, besides the verdicts."""
KEYS = {"Correct": "1", "Correct-Verbose": "2", "Incorrect": "3"}
"""The key that gives each verdict; its first letter does too."""
KINDS = {"document": later("Document"), "unit": later("Unit"), "model": later("Model")}
BY = {"document": later("By document"), "unit": later("By unit"), "model": later("By model")}
NAMES = {"plan": later("plan"), "workflow": later("workflow"), "brief": later("briefing"), "answer": later("answer")}
"""What is judged, as it is called."""
SHOWN = 10
"""Rows that a plot has; the table beside it has MOST."""
MOST = 100


def page(name: str, status: int = 200, **values: object) -> Response:
    """A page from its template."""
    shared = {
        "about": ABOUT,
        "by_kind": BY,
        "choices": CHOICES,
        "counted": COUNTED,
        "day": date.fromisoformat,
        "digits": DIGITS,
        "here": "/review",
        "interval": wilson,
        "keys": KEYS,
        "kinds": KINDS,
        "longest": LONGEST_REMARK,
        "meanings": MEANINGS,
        "names_of": NAMES,
        "neighbours": NEIGHBOURS,
        "percent": percent,
        "review_statuses": REVIEW_STATUSES,
        "shares": SHARES,
        "shown_rows": SHOWN,
        "titles": TITLES,
        "verdicts": VERDICTS,
    }
    return HTMLResponse(
        environment().get_template(f"review/{name}.html").render({"most": MOST} | shared | values), status
    )
