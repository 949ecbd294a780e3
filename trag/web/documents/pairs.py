"""The page of the question-answer pairs: searched, looked over, changed, added, brought in and taken out."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response

from trag.errors import SHOWN, TragError
from trag.ingest.pair_changes import Wording
from trag.json_lines import as_line
from trag.web.documents.context import DocumentsContext, page
from trag.web.documents.names import key
from trag.web.documents.pair_review import ACTIONS, Action, PairEditor, pair_sources
from trag.web.forms import Form, number, received
from trag.web.language import counted, in_words
from trag.web.language import gettext as _
from trag.web.responses import Notice, attachment, table, there
from trag.web.visitors import named

if TYPE_CHECKING:
    from store.library import Document, Pair, State

log = logging.getLogger(__name__)

MOST = 50
"""Pairs on a page."""
CHOICES = 500
"""Documents that can be chosen in a list; of a larger library, the rest is reached from the table of documents."""
STATES: tuple[State, ...] = ("review", "made", "approved", "deleted")
"""Those that wait for somebody come first."""
KEPT: tuple[State, ...] = ("review", "made", "approved")


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Which pairs a page shows: those of a document (its key, "" for all) and a state ("": all but the deleted) that
    have some words, from the first one on."""

    document: str = ""
    state: str = ""
    words: str = ""
    first: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> PairQuery:
        """What the query of an address asks for; nonsense in it is left alone."""
        state = query.get("state", "")
        return cls(
            query.get("document", ""),
            state if state in STATES else "",
            " ".join(query.get("words", "").split()),
            number(query.get("first", "")),
        )

    @property
    def states(self) -> tuple[State, ...]:
        return tuple(state for state in STATES if state == self.state) or KEPT


class PairsPage:
    """The routes of the page."""

    def __init__(self, context: DocumentsContext) -> None:
        self.context = context
        self.editor = PairEditor(context.home)

    def routes(self, router: APIRouter) -> None:
        router.get("/pairs")(self.show)
        router.get("/pairs.jsonl")(self.as_lines)
        router.get("/pairs.csv")(self.as_table)
        router.post("/pairs")(self.change)
        router.post("/pairs/many")(self.approve)
        router.post("/pairs/import")(self.take)

    def show(self, request: Request) -> Response:
        query = PairQuery.read(request.query_params)
        document = self._of(query.document)
        library, name = self.context.library, document.name if document else None
        found = library.pairs(name, states=query.states, words=query.words, first=query.first, most=MOST)
        counts = {state: library.count_pairs(name, states=(state,), words=query.words) for state in STATES}
        others = tuple(each for each in library.documents()[:CHOICES] if each != document)
        return page(
            "pairs",
            pairs=found,
            query=query,
            counts=counts,
            total=sum(counts[state] for state in query.states),
            most=MOST,
            documents=(*others, document) if document else others,
            document=document,
            sections=tuple(dict.fromkeys(one.section for one in library.passages(name))) if name else (),
            says=pair_sources(found, library),
            notice=self.context.notices.said(request),
        )

    def _of(self, key: str) -> Document | None:
        """The document whose pairs are asked for, None for those of all. Raises Denied for one that is not there."""
        return there(self.context.find(key)) if key else None

    def as_lines(self, document: str = "") -> Response:
        """The pairs as a file that can be imported again; those that were deleted are not in it."""
        of = self._of(document)
        content = lines(self.context.library.pairs(of.name if of else None, states=KEPT)).encode()
        return attachment(content, _file(of, "jsonl"), "application/jsonl; charset=utf-8")

    def as_table(self, document: str = "") -> Response:
        """The pairs as a table for people, which can be imported again too."""
        of = self._of(document)
        return table(rows(self.context.library.pairs(of.name if of else None)), _file(of, "csv"))

    def change(self, request: Request, form: Form) -> Response:
        """One pair added, approved, edited, deleted or restored."""
        by, back = named(request), _back(form)
        wording = Wording(form.get("question", ""), form.get("answer", ""), form.get("type", ""))
        if form.get("do", "") == "add":
            document = there(self.context.find(form.get("document", "")))
            pair = self.editor.add(document.name, form.get("section", ""), wording, by=by)
            path = f"/documents/pairs?document={key(document.name)}&state=approved#pair-{pair.id}"
            text = _("The pair is added. It is searched from now on.")
            if not pair.searched:
                text = _("The pair is added. It is not searched: its type is for training alone.")
            return self.context.notices.go(path, Notice(text))
        action: Action = there(next((each for each in ACTIONS if each == form.get("do", "")), None))
        changed = self.editor.change(form.get("id", ""), form.get("seen", ""), action, wording, by=by)
        part = form.get("part") == "row"
        if changed.done and not part:
            return self.context.notices.go(f"{back.partition('#')[0]}#pair-{changed.pair.id}")
        return page(
            *("pair", 200) if part else ("meanwhile", 409),
            pair=changed.pair,
            done=changed.done,
            typed=wording if action == "edit" and not changed.done else None,
            says=pair_sources([changed.pair], self.context.library),
            back=back,
        )

    def approve(self, request: Request, form: Form) -> Response:
        chosen = [(id, seen) for id, colon, seen in (each.partition(":") for each in form.getlist("pair")) if colon]
        done, other = self.editor.approve(chosen, by=named(request))
        text = counted("%(num)s pair is approved.", "%(num)s pairs are approved.", done)
        if other:
            text += " " + counted(
                "%(num)s changed or went meanwhile and was left alone.",
                "%(num)s changed or went meanwhile and were left alone.",
                other,
            )
        notice = Notice(text if chosen else _("No pair was chosen."), good=bool(done))
        return self.context.notices.go(_back(form).partition("#")[0], notice)

    async def take(self, request: Request) -> Response:
        """The pairs in a file of JSON lines or a table, each for the document that it names."""
        name = request.query_params.get("name", "")[-200:] or "pairs.jsonl"
        try:
            async with received(request.stream(), self.context.home.folder / "uploads") as file:
                content, by = await run_in_threadpool(file.path.read_bytes), named(request)
                results = await run_in_threadpool(self.context.home.import_pairs, content, name, by=by)
            text = " ".join(map(str, results))
            if all(result.failed for result in results):
                raise TragError(text)
            log.info("%s imported pairs", by)
        except SHOWN as error:
            return JSONResponse({"detail": in_words(error)}, status_code=422)
        return JSONResponse({"told": text}, status_code=201)


def _back(form: Mapping[str, str]) -> str:
    """The page that a form was on, as it says; only one of the documents is believed."""
    path = form.get("back", "")
    return path if path == "/documents" or path.startswith(("/documents?", "/documents/")) else "/documents/pairs"


def _file(document: Document | None, suffix: str) -> str:
    """What a file of the pairs of a document, or of all, is called."""
    return f"{document.name.rsplit('/', 1)[-1].rsplit('.', 1)[0]}-pairs.{suffix}" if document else f"pairs.{suffix}"


def lines(pairs: Iterable[Pair]) -> str:
    """Pairs as `trag.ingest.pairs` reads them, one JSON object a line."""
    fields = ("question", "answer", "type", "document", "section", "page", "source", "state", "origin")
    return "".join(f"{as_line({field: getattr(pair, field) for field in fields})}\n" for pair in pairs)


def rows(pairs: Iterable[Pair]) -> Iterator[tuple[str, ...]]:
    """Pairs as a table that `trag.ingest.pairs` reads, its header first."""
    yield (
        "document", "section", "page", "question", "answer", "type", "state", "searched", "origin", "changed by",
        "source",
    )  # fmt: skip
    for pair in pairs:
        searched = "yes" if pair.searched else "no"
        yield (
            pair.document, pair.section, str(pair.page or ""), pair.question, pair.answer, pair.type, pair.state,
            searched, pair.origin, pair.by, pair.source,
        )  # fmt: skip
