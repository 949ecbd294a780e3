"""The page of registers: the records of each table that is open to somebody, new ones added and old ones changed, which
sets workflows off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from org.procedures.actions import Table
from org.procedures.flows import Book
from trag.errors import TragError
from trag.flow.rights import documents_of
from trag.people.permissions import readers
from trag.web.forms import Form
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.render import environment
from trag.web.responses import Notice, Notices, explain, there
from trag.web.visitors import caller, where
from trag.workflow.rights import usable

if TYPE_CHECKING:
    from trag.home import Home
    from trag.people import CurrentUser

NEWEST = 100
"""Records of a register that are shown."""
LONGEST = 4_000
"""Characters of a field."""


class RegistersPage:
    """What the routes share."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.notices = Notices()

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/workflows/registers")
        router.get("")(self.show)
        router.post("")(self.keep)
        return router

    def show(self, request: Request, table: str = "", record: str = "") -> Response:
        """The registers, or the newest records of one; one `record` of it may be changed."""
        tables, registers = self._tables(caller(request)), self.home.records.registers
        chosen = there(tables.get(table)) if table else None
        changed = registers.find(record) if record and chosen else None
        if changed and changed.register != table:
            changed = None
        html = (
            environment()
            .get_template("workflows/active/registers.html")
            .render(
                here="/workflows/registers",
                notice=self.notices.said(request),
                tables=tables.values(),
                counts={id: registers.count(id) for id in tables},
                chosen=chosen,
                records=registers.newest(table, NEWEST) if chosen else (),
                record=changed,
                newest=NEWEST,
                longest=LONGEST,
            )
        )
        return HTMLResponse(html)

    def keep(self, request: Request, form: Form) -> Response:
        """Keep a new record, or other values of one."""
        who, registers = caller(request), self.home.records.registers
        table, record = there(self._tables(who).get(form.get("table", ""))), form.get("record", "")
        fields = {name: form.get(f"field.{name}", "").strip() for name in table.fields}
        if not any(fields.values()):
            raise TragError(later("Nothing is filled in."), later("Fill in at least one field."))
        if any(len(value) > LONGEST for value in fields.values()):
            raise TragError(later("A field may have %(most)s characters.", most=LONGEST), later("Shorten it."))
        if record and record.rpartition("/")[0] != table.id:
            raise TragError(later("There is no such record."), later("Open it again from its register."))
        if record:
            kept = registers.update(record, fields, person=who.person, by=who.name, where=where(request))
        else:
            kept = registers.create(table.id, fields, person=who.person, by=who.name, where=where(request))
        query = urlencode({"table": table.id})
        return self.notices.go(
            f"/workflows/registers?{query}", Notice(_("Record %(number)s is kept.") % {"number": kept.number})
        )

    def _tables(self, who: CurrentUser) -> Mapping[str, Table]:
        """The tables that are open to somebody, by their ids."""
        book, chart = self.home.procedures.in_use or Book.of((), ()), self.home.organization.chart
        ids = usable(book, chart, readers(who, chart), documents_of(self.home.records.library))
        return {id: table for id, table in book.tables.items() if id in ids}


def mount(app: FastAPI, home: Home) -> None:
    """The routes of the page in `app`."""
    app.include_router(RegistersPage(home).router())
    explain(app)
