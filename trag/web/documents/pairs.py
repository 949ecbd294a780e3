"""The page of the question-answer pairs: searched, looked over, changed, added, brought in and taken out.

Knows nothing about how pairs are made or searched.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.datastructures import ImmutableMultiDict
from starlette.requests import ClientDisconnect

from trag.errors import SHOWN, TragError, in_one_line
from trag.ingest.editing import Wording
from trag.web.documents import render
from trag.web.documents.changing import ACTIONS, Changes
from trag.web.documents.names import key
from trag.web.documents.shelf import Shelf
from trag.web.documents.sources import sayings
from trag.web.documents.transfer import lines, rows
from trag.web.forms import filled, number, received
from trag.web.responses import Notice, attachment, missing, table
from trag.web.visitors import named

if TYPE_CHECKING:
    from store.library import Document, State

log = logging.getLogger(__name__)

MOST = 50
"""Pairs on a page."""
STATES: tuple[State, ...] = ("review", "made", "approved", "deleted")
"""Those that wait for somebody come first."""
KEPT: tuple[State, ...] = ("review", "made", "approved")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which pairs a page shows: those of a document (its key, "" for all) and a state ("": all but the deleted) that
    have some words, from the first one on."""

    document: str = ""
    state: str = ""
    words: str = ""
    first: int = 0

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Wanted:
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
        """The states of the pairs that are shown."""
        return tuple(state for state in STATES if state == self.state) or KEPT


class PairsPage:
    """What the routes share."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.changes = Changes(shelf.home)

    def routes(self, router: APIRouter) -> None:
        """Every route of the page. Plain functions run in threads."""
        router.get("/pairs")(self.show)
        router.get("/pairs.jsonl")(self.as_lines)
        router.get("/pairs.csv")(self.as_table)
        router.post("/pairs")(self.change)
        router.post("/pairs/many")(self.approve)
        router.post("/pairs/import")(self.take)

    def show(self, request: Request) -> Response:
        """The pairs that are asked for."""
        wanted = Wanted.read(request.query_params)
        document = self.shelf.find(wanted.document) if wanted.document else None
        if wanted.document and document is None:
            return missing(request)
        library, name = self.shelf.library, document.name if document else None
        found = library.pairs(name, states=wanted.states, words=wanted.words, first=wanted.first, most=MOST)
        page = render.pairs(
            found,
            wanted,
            {state: library.count_pairs(name, states=(state,), words=wanted.words) for state in STATES},
            library.documents(),
            document,
            most=MOST,
            sections=tuple(dict.fromkeys(one.section for one in library.passages(name))) if name else (),
            says=sayings(found, library),
            notice=self.shelf.notices.said(request),
        )
        return HTMLResponse(page)

    def as_lines(self, request: Request, document: str = "") -> Response:
        """The pairs as a file that can be imported again; those that were deleted are not in it."""
        of = self.shelf.find(document) if document else None
        if document and of is None:
            return missing(request)
        content = lines(self.shelf.library.pairs(of.name if of else None, states=KEPT)).encode()
        return attachment(content, _file(of, "jsonl"), "application/jsonl; charset=utf-8")

    def as_table(self, request: Request, document: str = "") -> Response:
        """The pairs as a table for people, which can be imported again too."""
        of = self.shelf.find(document) if document else None
        if document and of is None:
            return missing(request)
        return table(rows(self.shelf.library.pairs(of.name if of else None)), _file(of, "csv"))

    async def change(self, request: Request) -> Response:
        """One pair added, approved, edited, deleted or restored."""
        return await run_in_threadpool(self._change, request, await filled(request))

    async def approve(self, request: Request) -> Response:
        """Every pair that was chosen."""
        return await run_in_threadpool(self._approve, request, await filled(request))

    async def take(self, request: Request) -> Response:
        """The pairs in a file of JSON lines or a table, each for the document that it names."""
        name = request.query_params.get("name", "")[-200:] or "pairs.jsonl"
        try:
            async with received(request.stream(), self.shelf.home.folder / "uploads") as file:
                told = await run_in_threadpool(self._take, file.path, name, named(request))
        except ClientDisconnect:
            return Response(status_code=400)
        except SHOWN as error:
            return JSONResponse({"detail": in_one_line(error)}, status_code=422)
        return JSONResponse({"told": told}, status_code=201)

    def _change(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        by, back = named(request), self.shelf.back(form.get("back", ""), "/documents/pairs")
        action, type_ = form.get("do", ""), form.get("type", "")
        said = Wording(form.get("question", ""), form.get("answer", ""), type_)
        if action == "add":
            document = self.shelf.find(form.get("document", ""))
            if document is None:
                return missing(request)
            pair = self.changes.add(document.name, form.get("section", ""), said, by=by)
            path = f"/documents/pairs?document={key(document.name)}&state=approved#pair-{pair.id}"
            use = "searched from now on" if pair.searched else "not searched: its type is for training alone"
            return self.shelf.notices.go(path, Notice(f"The pair is added. It is {use}."))
        wanted = next((each for each in ACTIONS if each == action), None)
        if wanted is None:
            return missing(request)
        changed = self.changes.change(form.get("id", ""), form.get("seen", ""), wanted, said, by=by)
        typed = said if action == "edit" and not changed.done else None
        says = sayings([changed.pair], self.shelf.library)
        if form.get("part") == "row":
            return HTMLResponse(render.pair(changed.pair, done=changed.done, typed=typed, says=says, back=back))
        if not changed.done:
            return HTMLResponse(render.changed_meanwhile(changed.pair, typed, says, back), 409)
        return self.shelf.notices.go(f"{back.partition('#')[0]}#pair-{changed.pair.id}")

    def _approve(self, request: Request, form: ImmutableMultiDict[str, str]) -> Response:
        chosen = [tuple(each.split(":", 1)) for each in form.getlist("pair") if ":" in each]
        done, other = self.changes.approve([(id, was) for id, was in chosen], by=named(request))
        more = f"{other:,} changed or went meanwhile and {'was' if other == 1 else 'were'} left alone." if other else ""
        told = f"{done:,} {'pair is' if done == 1 else 'pairs are'} approved."
        notice = Notice(f"{told} {more}".strip() if chosen else "No pair was chosen.", good=bool(done))
        return self.shelf.notices.go(
            self.shelf.back(form.get("back", ""), "/documents/pairs").partition("#")[0], notice
        )

    def _take(self, path: Path, name: str, by: str) -> str:
        results = self.shelf.home.import_pairs(path.read_bytes(), name, by=by)
        told = " ".join(str(result) for result in results)
        if all(result.failed for result in results):
            raise TragError(told)
        log.info("%s imported pairs", by)
        return told


def _file(document: Document | None, suffix: str) -> str:
    """What a file of the pairs of a document, or of all, is called."""
    return f"{document.name.rsplit('/', 1)[-1].rsplit('.', 1)[0]}-pairs.{suffix}" if document else f"pairs.{suffix}"
