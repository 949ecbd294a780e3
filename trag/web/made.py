"""What the pages of plans, briefings and workflows share: each is made in its turn, can be ended meanwhile, and is
judged by whoever asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request

from trag.people import CurrentUser
from trag.record import VERDICTS
from trag.review.verdicts import put_label
from trag.web.active_runs import ActiveRun, ActiveRuns
from trag.web.forms import Form, remark
from trag.web.responses import Denied
from trag.web.visitors import caller, named, where

if TYPE_CHECKING:
    from store.records import Records


def being_made(runs: ActiveRuns, id: str, who: CurrentUser) -> ActiveRun | None:
    """What somebody asked for and is being made, or failed."""
    run = runs.find(id)
    return run if run and run.by == who.person else None


def end(runs: ActiveRuns, id: str, who: CurrentUser) -> None:
    """End what is being made; what there is of it stays."""
    if run := being_made(runs, id, who):
        run.stop.set()


def keep_verdict(records: Records, request: Request, form: Form, id: str) -> None:
    """Keep what an asker says of what was made for them, a verdict or a comment beside one: a flag for the reviewers,
    as on an answer. Raises Denied for what is no verdict."""
    who = caller(request)
    before = records.label(id, who.person)
    verdict = form.get("verdict", before.verdict if before else "")
    comment = remark(form["comment"]) if "comment" in form else before.comment if before else ""
    if verdict not in VERDICTS:
        raise Denied
    asker = not who.may("reviewer") or not records.reviews.alone(who.person)
    put_label(records, id, who.person, verdict, comment, asker=asker, by=named(request), where=where(request))
