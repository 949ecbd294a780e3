"""What the pages of answers, plans, briefings and workflows have in common: each is made in its turn, can be ended
meanwhile, is judged by whoever asked for it, and some are shared with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request, Response

from store.person import Person, folded
from trag.people import CurrentUser
from trag.record import VERDICTS
from trag.review.verdicts import put_label
from trag.web.active_runs import ActiveRun, ActiveRuns
from trag.web.forms import Form, remark
from trag.web.language import gettext as _
from trag.web.responses import Denied, Notice, Notices
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


def share(records: Records, notices: Notices, request: Request, form: Form, id: str, path: str, what: str) -> Response:
    """Let somebody see what was made for another, who is sure to own it; back to the page of `path`, which says so.
    `what` it is ("briefing") goes into the log."""
    name = form.get("person", "").strip()
    person = _person(records, name) if name else None
    if person is None or person.id == caller(request).person:
        nobody = _("Nobody is called %(name)s, or several are.") % {"name": name[:100]}
        said = _("You have it already.") if person else nobody
        more = () if person else (_("Type the name that they sign in with."),)
        return notices.go(f"{path}#share", Notice(said, good=False, more=more))
    records.shares.put(id, person.id)
    records.audit.add(named(request), f"{what} shared", id, where=where(request), result=person.name)
    return notices.go(f"{path}#share", Notice(_("%(name)s can see it now.") % {"name": person.shown}))


def share_no_more(
    records: Records, notices: Notices, request: Request, form: Form, id: str, path: str, what: str
) -> Response:
    """Let somebody see it no more."""
    person = form.get("person", "")
    if person in records.shares.people(id):
        records.shares.end(id, person)
        one = records.people.get(person)
        name = one.name if one else person
        records.audit.add(named(request), f"{what} shared no more", id, where=where(request), result=name)
    return notices.go(f"{path}#share")


def shared_with(records: Records, id: str) -> list[tuple[str, str]]:
    """The ids and names of those with whom something is shared."""
    people = (records.people.get(person) for person in records.shares.people(id))
    return [(person.id, person.shown or person.name) for person in people if person]


def _person(records: Records, name: str) -> Person | None:
    """Somebody who may sign in, by the name they sign in with, or the one that is shown where nobody shares it."""
    if person := records.people.find(name):
        return person if person.state == "active" else None
    found = [each for each in records.people.all(search=name, state="active") if folded(each.shown) == folded(name)]
    return found[0] if len(found) == 1 else None
