"""What the pages of the documents share: the home, documents by the key in an address, and notices.

Knows nothing about HTML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import Request

from trag.people.permissions import may_read
from trag.web.documents.drawn import Drawn
from trag.web.documents.names import key
from trag.web.documents.writing import PairWriting
from trag.web.responses import Notices
from trag.web.visitors import caller

if TYPE_CHECKING:
    from store.library import Document, Library
    from trag.home import Home


@dataclass(slots=True)
class Shelf:
    """The documents of one home, for every page."""

    home: Home
    drawn: Drawn
    writing: PairWriting
    notices: Notices = field(default_factory=Notices)
    _names: dict[str, str] = field(default_factory=dict)
    _sections: dict[str, int] = field(default_factory=dict)

    @property
    def library(self) -> Library:
        """Where documents and pairs are kept."""
        return self.home.records.library

    def find(self, wanted: str) -> Document | None:
        """The document of a key."""
        if wanted not in self._names:
            self._names = {key(document.name): document.name for document in self.library.documents()}
        return self.library.document(self._names[wanted]) if wanted in self._names else None

    def sections(self, document: Document) -> int:
        """How many sections a document has; counted once for each content."""
        if document.sha256 not in self._sections:
            passages = self.library.passages(document.name)
            self._sections[document.sha256] = len({each.section for each in passages if each.kind == "section"})
        return self._sections[document.sha256]

    def begin(self) -> None:
        """Go on with what was being worked on when the app was closed, and clear away what was left."""
        _ = self.home.queue
        self.drawn.keep_only({document.sha256 for document in self.library.documents()})

    def readable(self, request: Request, wanted: str) -> Document | None:
        """The document of a key. One that whoever asks may not read is None, like one that does not exist."""
        document = self.find(wanted)
        chart = self.home.organization.chart
        return document if document and may_read(caller(request), document.audience, chart) else None

    def back(self, asked: str, otherwise: str) -> str:
        """The page that a form was on, as it says; only one of the documents is believed."""
        return asked if asked == "/documents" or asked.startswith(("/documents?", "/documents/")) else otherwise
