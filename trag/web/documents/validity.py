"""The pages on which admins and owners say when a document is valid: one document, and those of an owner."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from store.standing import STATUSES, Found, Period, Validity, problems
from trag.errors import SHOWN
from trag.people.permissions import may_read, may_set, owns
from trag.validity import to_review
from trag.validity_fields import FIELDS, open_questions, read_fields, typed
from trag.web.documents.context import DocumentsContext, page
from trag.web.forms import Form
from trag.web.language import gettext as _
from trag.web.language import in_words, later
from trag.web.render import unit_name
from trag.web.responses import Denied, Notice, there
from trag.web.visitors import caller, named

if TYPE_CHECKING:
    from org.chart import Chart
    from store.library import Document

log = logging.getLogger(__name__)

NAMES = {
    "status": later("Status"),
    "owner": later("Owner"),
    "valid_from": later("Valid from"),
    "valid_to": later("Valid to"),
    "review": later("To be reviewed by"),
    "language": later("Language"),
    "supersedes": later("Supersedes"),
}
"""What people call the fields."""


class ValidityPage:
    """The routes of the pages."""

    def __init__(self, context: DocumentsContext) -> None:
        self.context = context
        self.validity = context.home.records.validity

    def routes(self, router: APIRouter) -> None:
        router.get("/owned")(self.owned)
        router.get("/{key}/validity")(self.show)
        router.post("/{key}/validity")(self.save)

    def owned(self, request: Request) -> Response:
        """The documents of whoever asks, those past their review first."""
        who, chart = caller(request), self.context.home.organization.chart
        names = self.validity.owned(who.unit, who.name)
        known = self.validity.all()
        documents = self.context.library.documents()
        there = {each.name: each.called for each in documents if may_read(who, each.audience, chart)}
        mine = {name: known[name] for name in names if name in known and name in there}
        due = to_review(mine, date.today())
        rest = sorted((name for name in mine if name not in due), key=lambda name: there[name].casefold())
        standings = self.validity.standings(mine, Period.of(date.today()))
        return page(
            "owned",
            here="/documents/owned",
            due=due,
            titles=there,
            rows=[(name, mine[name], standings.get(name)) for name in (*due, *rest)],
            notice=self.context.notices.said(request),
        )

    def show(self, request: Request, key: str) -> Response:
        document, held = self._document(request, key)
        return self._page(request, key, document, held, typed(held))

    def save(self, request: Request, form: Form, key: str) -> Response:
        document, held = self._document(request, key)
        who, home = caller(request), self.context.home
        cells = {name: str(form.get(name) or "") for name in FIELDS}
        made, wrong = read_fields(cells, held, home.organization.chart, home.records.people)
        known = self.validity.all()
        names = {each.name for each in self.context.library.documents()}
        made = replace(made, by=named(request))
        told = [*wrong, *(message for _, message in problems({document.name: made}, known, names))]
        if not who.may("admin"):
            # Who owns one document must not put an end to another's.
            others = [name for name in made.supersedes if name not in held.supersedes]
            told += [
                _("It may not supersede %(name)s, which is not yours: an admin may say so.") % {"name": name}
                for name in others
                if name in names and not owns(who, known.get(name, Validity()))
            ]
        if form.get("instead_of") != fingerprint(held):
            told.append(_("Somebody changed it meanwhile: what is kept now is below. Look at it, and save again."))
        if told:
            return self._page(request, key, document, held, cells, tuple(told))
        try:
            self.validity.put({document.name: made}, by=named(request), instead_of={document.name: held})
        except SHOWN as error:
            return self._page(request, key, document, held, cells, (in_words(error),))
        log.info("%s said when a document is valid", named(request))
        to = f"/documents/{key}" if who.may("admin") else "/documents/owned"
        return self.context.notices.go(to, Notice(_("Kept: when %(name)s is valid.") % {"name": document.name}))

    def _document(self, request: Request, key: str) -> tuple[Document, Validity]:
        """The document of a key, for whom may say when it is valid. Raises Denied for others as for none."""
        document = self.context.readable(request, key)
        held = self.validity.of(document.name)
        if not may_set(caller(request), held):
            raise Denied
        return document, held

    def _page(
        self,
        request: Request,
        key: str,
        document: Document,
        held: Validity,
        cells: Mapping[str, str],
        wrong: tuple[str, ...] = (),
    ) -> Response:
        chart = self.context.home.organization.chart
        standing = self.validity.standings([document.name], Period.of(date.today())).get(document.name)
        return page(
            "validity",
            422 if wrong else 200,
            document=there(document),
            path=f"/documents/{key}",
            cells=cells if wrong else {**cells, "owner": _owner(held, chart)},
            kept=typed(held) if wrong else {},
            wrong=wrong,
            standing=standing,
            statuses=STATUSES,
            instead_of=fingerprint(held),
            questions={name: [each for each in open_questions(held) if field_of(each) == name] for name in FIELDS},
            found=held.found,
            names=NAMES,
            field_of=field_of,
            by=held.by,
        )


def _owner(held: Validity, chart: Chart | None) -> str:
    """An owner as it is typed: a unit by its name, or by its id where several are called so."""
    name = unit_name(held.unit, chart)
    return held.person or (name if chart and len(chart.named(name)) == 1 else held.unit)


def field_of(found: Found) -> str:
    """The field of the form that something in a file is of."""
    return "owner" if found.field in ("unit", "person") else found.field


def fingerprint(validity: Validity) -> str:
    """What tells whether somebody has changed it since a page was drawn."""
    return hashlib.sha256(repr(validity).encode()).hexdigest()[:16]
