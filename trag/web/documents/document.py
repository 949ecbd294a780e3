"""The page of one document: what was odd in it, its sections with their pairs, who may read it, and its end."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from org.chart import Chart, Unit
from store.passage import EVERYONE, OPEN, Audience, audience_field, read_audience
from store.standing import Period
from trag.errors import SHOWN, TragError, later
from trag.people.permissions import audience_of
from trag.sandbox import Limits
from trag.validity import to_review
from trag.validity_fields import open_questions
from trag.web.documents.context import DocumentsContext, page
from trag.web.documents.names import key as key_of
from trag.web.documents.pair_review import PairSource, pair_source
from trag.web.forms import Form, number
from trag.web.language import gettext as _
from trag.web.language import in_words
from trag.web.render import unit_name
from trag.web.responses import Notice, attachment, there
from trag.web.visitors import named

if TYPE_CHECKING:
    from store.folders import Folder
    from store.library import Pair
    from store.passage import Passage

log = logging.getLogger(__name__)

MOST = 40
"""Sections on a page."""
FOUND = 20
"""Units that a search gives."""


class DocumentPage:
    """The routes of the page."""

    def __init__(self, context: DocumentsContext) -> None:
        self.context = context
        self._one_at_a_time = threading.Lock()

    def routes(self, router: APIRouter) -> None:
        router.get("/units")(self.units)
        router.get("/{key}")(self.show)
        router.get("/{key}/original")(self.original)
        router.post("/{key}/audience")(self.audience)
        router.post("/{key}/delete")(self.delete)

    def show(self, request: Request, key: str) -> Response:
        document = self.context.readable(request, key)
        library, chart = self.context.library, self.context.home.organization.chart
        pairs = library.pairs(document.name)
        sections = contents(library.passages(document.name), pairs)
        first = number(request.query_params.get("first", ""))
        shown = sections[first : first + MOST]
        held, today = self.context.home.records.validity.of(document.name), date.today()
        standings = self.context.home.records.validity.standings([document.name], Period.of(today))
        return page(
            "document",
            document=document,
            path=f"/documents/{key}",
            suffix=f".{document.name.rsplit('.', 1)[1].lower()}" if "." in document.name else "",
            sections=shown,
            first=first,
            total=len(sections),
            most=MOST,
            validity=held,
            standing=standings.get(document.name),
            owner=unit_name(held.unit, chart) if held.unit else held.person,
            past=bool(to_review({document.name: held}, today)),
            asked=len(open_questions(held)),
            origin=self._origin(document.name),
            vouched=sum(pair.state == "approved" for pair in pairs),
            says={id: source for section in shown for id, source in section.sources.items()},
            readers=readers(document.audience, chart),
            instead_of=audience_field(document.audience),
            chart=chart,
            accounts=self.context.home.records.people.exist(),
            notice=self.context.notices.said(request),
            largest=Limits().file_bytes,
        )

    def _origin(self, document: str) -> tuple[Folder | None, str] | None:
        """The folder that a document is a file of, and the path there."""
        folders = self.context.home.records.folders
        folder, path = folders.owners([document]).get(document, ("", ""))
        return (folders.find(folder), path) if folder else None

    def original(self, request: Request, key: str) -> Response:
        """The file as it was given, to be kept and never shown."""
        document = self.context.readable(request, key)
        content = there(self.context.home.original(document.name))
        return attachment(content, document.name.rsplit("/", 1)[-1], "application/octet-stream")

    def units(self, words: str = "") -> Response:
        found = find_units(self.context.home.organization.chart, words[:200])
        rows = [{"id": each.id, "name": each.name, "under": each.under} for each in found]
        return JSONResponse(rows, headers={"cache-control": "no-store"})

    def audience(self, request: Request, form: Form, key: str) -> Response:
        document = there(self.context.find(key))
        path = f"/documents/{key}#readers"
        everyone, units = form.get("readers") == EVERYONE, [unit for unit in form.getlist("unit") if unit]
        seen = form.get("instead_of")
        instead_of = None if seen is None else read_audience(seen.replace("\r\n", "\n"))
        try:
            if not everyone and not units:
                raise TragError(
                    later("Who may read it is not set: no unit was chosen."), later("Choose one, or everyone.")
                )
            chart = self.context.home.organization.chart
            audience = OPEN if everyone else audience_of(units, chart, kept=document.audience)
            self.context.home.set_audience(document.name, audience, instead_of=instead_of, by=named(request))
        except SHOWN as error:
            return self.context.notices.go(path, Notice(in_words(error), good=False))
        log.info("%s changed who may read a document", named(request))
        only = _("Only these units, and everybody below them, may read it.")
        text = _("Everyone may read it.") if everyone else only
        return self.context.notices.go(path, Notice(text))

    def delete(self, request: Request, key: str) -> Response:
        """Remove it everywhere, and go on to the receipt."""
        with self._one_at_a_time:  # a second press finds nothing to delete, or what the first could not
            document = self.context.find(key)
            leaving = (each.name for each in self.context.library.leaving() if key_of(each.name) == key)
            name = there(document.name if document else next(leaving, None))
            receipt = self.context.home.forget(name, by=named(request))
        log.info("%s deleted a document", named(request))
        more = _("Answers that quoted it keep their words; their source is marked as withdrawn.")
        text = _("%(name)s is deleted.")
        if receipt.left:
            text = _("%(name)s is shown to nobody any more, but not all of it is deleted yet.")
        notice = Notice(text % {"name": name}, not receipt.left, (str(receipt), more))
        return self.context.notices.go("/documents", notice)


@dataclass(frozen=True, slots=True)
class Section:
    """A section under its path of headings: the page it begins on, its passages, the pairs made from it, and by their
    ids what the document says of those that wait. Without passages it is gone, and only its pairs name it."""

    path: str
    page: int | None = None
    passages: list[Passage] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    sources: dict[str, PairSource] = field(default_factory=dict)

    @property
    def searched(self) -> int:
        return sum(pair.searched for pair in self.pairs)

    @property
    def reviews(self) -> int:
        return sum(pair.state == "review" for pair in self.pairs)


def contents(passages: Iterable[Passage], pairs: Sequence[Pair]) -> tuple[Section, ...]:
    """The sections of a document in its order; those that only pairs name come last."""
    found: dict[str, Section] = {}
    own = [passage for passage in passages if passage.kind == "section"]
    for passage in own:
        found.setdefault(passage.section, Section(passage.section, passage.page)).passages.append(passage)
    for pair in pairs:
        section = found.setdefault(pair.section, Section(pair.section, pair.page))
        section.pairs.append(pair)
        if pair.state == "review":
            section.sources[pair.id] = pair_source(pair, own)
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Reader:
    """A unit of an audience: its id, its name, and the unit above it, "" at the top. `known`: the chart has it."""

    id: str
    name: str
    under: str = ""
    known: bool = True


def readers(audience: Audience, chart: Chart | None) -> tuple[Reader, ...] | None:
    """The units of an audience, None for everyone. One that the chart in use does not have goes by its id."""
    if EVERYONE in audience:
        return None
    units = chart.units if chart else {}
    found = [_reader(units[id], chart) if id in units else Reader(id, id, known=False) for id in audience]
    return tuple(sorted(found, key=lambda reader: reader.name.casefold()))


def find_units(chart: Chart | None, words: str) -> tuple[Reader, ...]:
    """The units whose name or another name of theirs holds all of these words, names that begin so first."""
    parts = words.casefold().split()
    if chart is None or not parts:
        return ()
    found: list[tuple[bool, int, Unit]] = []
    for unit in chart.units.values():
        names = " ".join((unit.name, *unit.aliases)).casefold()
        if all(part in names for part in parts):
            found.append((not unit.name.casefold().startswith(parts[0]), len(unit.name), unit))
    return tuple(_reader(unit, chart) for _, _, unit in sorted(found, key=lambda each: each[:2])[:FOUND])


def _reader(unit: Unit, chart: Chart | None) -> Reader:
    return Reader(unit.id, unit.name, chart.unit(unit.parent).name if chart and unit.parent else "")
