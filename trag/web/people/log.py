"""The log of what was done, for admins: as a page in words, as a table and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from org.reading.cells import csv_text
from trag.json_lines import as_line
from trag.people import CurrentUser
from trag.web.forms import number
from trag.web.language import gettext as _
from trag.web.people.context import PeopleContext
from trag.web.responses import exported

if TYPE_CHECKING:
    from store.audit import Event
    from store.records import Records

MOST = 100
"""Events on a page."""
FIELDS = ("number", "at", "who", "what", "about", "where", "result", "chain")
"""What is exported of each event of the log."""
_ID = re.compile(r"\b[0-9a-f]{32}\b")
_HASH = re.compile(r"[0-9a-f]{16,}")
_AT_TERMINAL = re.compile(r"(.*) \(terminal\)")
_LONGEST = 120
"""Characters of a question in a row."""


class LogPage:
    """The routes of the log."""

    def __init__(self, context: PeopleContext) -> None:
        self.context = context
        self.records = context.records

    def routes(self, router: APIRouter) -> None:
        router.get("/people/log")(self.show)
        router.get("/people/log.csv")(self.csv)
        router.get("/people/log.jsonl")(self.jsonl)

    def show(self, request: Request, before: str = "", who: str = "", check: str = "") -> Response:
        """What was done, the newest first; where that is to be checked, with the first row that does not follow from
        the one before."""
        who, audit = who[:100], self.records.audit
        return self.context.page(
            "log",
            here="/people",
            events=in_words(audit.page(before=number(before) or None, who=who, most=MOST), self.records),
            who=who,
            most=MOST,
            count=audit.count(who=who),
            broken=audit.verify() if check else None,
            checked=bool(check),
        )

    def csv(self, request: Request) -> Response:
        return exported(request, self.records.audit, "audit log", as_csv(self.records.audit.all()), "audit-log.csv")

    def jsonl(self, request: Request) -> Response:
        return exported(request, self.records.audit, "audit log", as_json(self.records.audit.all()), "audit-log.jsonl")


def in_words(events: Iterable[Event], records: Records) -> list[tuple[Event, str]]:
    """Events as an admin reads them, who may see every question: an answer goes by what was asked, other ids and hashes
    by how they begin. Beside each who did it, in words."""
    asked: dict[str, str] = {}

    def question(found: re.Match[str]) -> str:
        if found[0] not in asked:
            stored = records.answer(found[0])
            asked[found[0]] = " ".join(stored.question.split()) if stored else ""
        words = asked[found[0]]
        return f"“{words[:_LONGEST]}{'…' if len(words) > _LONGEST else ''}”" if words else found[0]

    def said(text: str) -> str:
        return _HASH.sub(lambda found: f"{found[0][:8]}…", _ID.sub(question, text))

    nobody = "" if records.people.find(CurrentUser.local.name) else CurrentUser.local.name

    def named(who: str) -> str:
        at_terminal = _AT_TERMINAL.fullmatch(who)
        if at_terminal:
            return _("Terminal (%(name)s)") % {"name": at_terminal[1]}
        return _("Before accounts") if who and who == nobody else who or _("somebody")

    return [(replace(each, about=said(each.about), result=said(each.result)), named(each.who)) for each in events]


def as_csv(events: Iterable[Event]) -> Iterator[str]:
    """The log as a table that a spreadsheet runs nothing of: a header, then a line for each event."""
    yield csv_text([FIELDS])
    for event in events:
        yield csv_text([_fields(event).values()])


def as_json(events: Iterable[Event]) -> Iterator[str]:
    """The log as JSON, a line for each event."""
    for event in events:
        yield as_line(_fields(event) | {"number": event.number}) + "\n"


def _fields(event: Event) -> dict[str, str]:
    return {field: event.at.isoformat() if field == "at" else str(getattr(event, field)) for field in FIELDS}
