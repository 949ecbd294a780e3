"""What the pages of the documents share: the home, documents by the key in an address, notices, and the templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse

from trag.ingest.pairs import DIRECT_TYPES, LONGEST, OTHER_TYPES
from trag.people.permissions import may_read
from trag.web.documents.names import key
from trag.web.documents.pair_review import fingerprint
from trag.web.evidence import marked
from trag.web.language import gettext, later, time_left
from trag.web.render import environment
from trag.web.responses import Denied, Notices, there
from trag.web.visitors import caller

if TYPE_CHECKING:
    from store.library import Document, Library
    from trag.home import Home

STATES = {
    "made": later("Made"),
    "review": later("For review"),
    "approved": later("Approved"),
    "deleted": later("Deleted"),
}
"""What people call the states of a pair."""
ORIGINS = {
    "given": later("given"),
    "rule": later("made by rule"),
    "model": later("written by the model"),
    "person": later("written by a person"),
}
STEPS = {
    "reading again": later("Reading again"),
    "reading the pictures of": later("Reading the pictures of"),
    "reading": later("Reading"),
    "setting who may read": later("Setting who may read"),
    "looking at the folder": later("Looking at the folder"),
    "looking for what is gone": later("Looking for what is gone"),
    "forgetting what is gone": later("Forgetting what is gone"),
    "writing pairs": later("Writing pairs"),
    "indexing": later("Indexing"),
}
"""What work on documents says of its steps, each before another that it begins with."""


@dataclass(slots=True)
class DocumentsContext:
    """The documents of one home, for every page."""

    home: Home
    notices: Notices = field(default_factory=Notices)
    _names: dict[str, str] = field(default_factory=dict)
    _outlines: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def library(self) -> Library:
        return self.home.records.library

    def find(self, wanted: str) -> Document | None:
        """The document of a key."""
        if wanted not in self._names:
            self._names = {key(document.name): document.name for document in self.library.documents()}
        return self.library.document(self._names[wanted]) if wanted in self._names else None

    def readable(self, request: Request, wanted: str) -> Document:
        """The document of a key. Raises Denied for one that whoever asks may not read, as for one that does not
        exist."""
        document = there(self.find(wanted))
        if not may_read(caller(request), document.audience, self.home.organization.chart):
            raise Denied
        return document

    def outline(self, document: Document) -> tuple[str, ...]:
        """The sections of a document by their paths of headings, in its order; looked up once for each content."""
        if document.sha256 not in self._outlines:
            passages = self.library.passages(document.name)
            found = dict.fromkeys(each.section for each in passages if each.kind == "section")
            self._outlines[document.sha256] = tuple(found)
        return self._outlines[document.sha256]


def page(template: str, status: int = 200, **values: object) -> HTMLResponse:
    """A page of templates/documents with these values, which are escaped there: names and words come from files that
    nobody has checked."""
    html = environment().get_template(f"documents/{template}.html")
    shared = {
        "here": "/documents",
        "fingerprint": fingerprint,
        "key": key,
        "longest_words": LONGEST,
        "marked": marked,
        "origins": ORIGINS,
        "states": STATES,
        "time_left": time_left,
        "step": step,
        "types": {later("Searched"): sorted(DIRECT_TYPES), later("For training alone"): sorted(OTHER_TYPES)},
        "urlencode": urlencode,
    }
    return HTMLResponse(html.render(shared | values), status)


def step(said: str, name: str = "") -> str:
    """A step of such work as people read it; the name of the document is left out, where it is known beside it."""
    known = next((each for each in STEPS if said == each or said.startswith(f"{each} ")), "")
    rest = said.removeprefix(known).replace(name, "").strip()
    return f"{gettext(STEPS[known])} {rest}".rstrip() if known else said[:1].upper() + said[1:]
