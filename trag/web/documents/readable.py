"""The list of the documents that somebody may read, for everybody but admins: what each is about, and how it stands.

What is closed to them is left out before anything is counted, searched or cut into pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from fastapi import Request
from fastapi.responses import Response

from store.standing import Period, Standing
from trag.people.permissions import hidden
from trag.web.documents.context import DocumentsContext, page
from trag.web.forms import number
from trag.web.visitors import caller

if TYPE_CHECKING:
    from store.library import Document

MOST = 50
"""Documents on a page."""
TOPICS = 8
"""Headings that say what a document is about."""


@dataclass(frozen=True, slots=True)
class Row:
    """A document, the headings that say what it is about, none where it has none, and how it stands today, None where
    nobody has said. `shared`: another one in the list is called the same."""

    document: Document
    topics: tuple[str, ...]
    standing: Standing | None
    shared: bool


def show(context: DocumentsContext, request: Request) -> Response:
    """The documents that whoever asks may read, by title; those alone that have all `words` in a name or a heading."""
    library, chart = context.library, context.home.organization.chart
    documents = library.documents()
    closed = hidden(caller(request), documents, chart)
    mine = [each for each in documents if each.name not in closed]
    words = " ".join(request.query_params.get("words", "").split())[:200]
    found = sorted(_with(words, mine, context), key=lambda each: (each.called.casefold(), each.name))
    first = number(request.query_params.get("first", ""))
    shown = found[first : first + MOST]
    standings = context.home.records.validity.standings([each.name for each in shown], Period.of(date.today()))
    times = Counter(each.called for each in mine)
    rows = [
        Row(each, topics(context.outline(each), each.called), standings.get(each.name), times[each.called] > 1)
        for each in shown
    ]
    return page("readable", rows=rows, words=words, first=first, total=len(found), readable=len(mine), most=MOST)


def _with(words: str, documents: Sequence[Document], context: DocumentsContext) -> Iterator[Document]:
    parts = words.casefold().split()
    for each in documents:
        text = "\n".join((each.called, each.name, *(context.outline(each) if parts else ()))).casefold()
        if all(part in text for part in parts):
            yield each


def topics(outline: Sequence[str], title: str) -> tuple[str, ...]:
    """The highest headings of a document but its title, in its order; those below where all stand under one."""
    paths = [path.split(" > ") for path in outline if path]
    top = dict.fromkeys(path[0] for path in paths)
    if len(top) == 1:
        top = dict.fromkeys(path[1] for path in paths if len(path) > 1) or top
    return tuple(each for each in top if each != title)[:TOPICS]
