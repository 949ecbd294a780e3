"""A source opened at its place: its page, as it is printed or as a picture, or what it says there and around it.

What is looked for comes from the records: an address names a passage and an answer, and never carries words.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from store import StoreError, files
from store.passage import Passage
from store.standing import Period, Standing
from trag import briefs, view
from trag.brief.record import BriefRecord
from trag.errors import TragError, in_one_line, told
from trag.ingest.index import READING
from trag.ingest.parse.formats import FORMATS, PAGED
from trag.ingest.passages import PICTURE
from trag.ingest.reading import Block, Reading, read
from trag.ingest.scans import ScannedPage
from trag.people.permissions import opened
from trag.record import AnswerRecord
from trag.sandbox import Limits
from trag.view import DocumentView, NoSuchPage, PageView
from trag.web.documents.context import DocumentsContext
from trag.web.documents.context import page as render
from trag.web.evidence import documents_of
from trag.web.forms import number as read_number
from trag.web.language import in_words, later
from trag.web.request_limits import Turns, give_turn_back
from trag.web.responses import Denied, there
from trag.web.visitors import caller

if TYPE_CHECKING:
    from store.library import Document

log = logging.getLogger(__name__)

AROUND = 60
"""Passages that are shown before and after the one that is asked for."""
KEPT = 256_000_000
"""Bytes of drawn pages that are kept."""
AT_ONCE = 2
"""Pages that are drawn at the same time, and documents that are read, one for each person: nobody else's wait for
somebody's."""
AGAIN = 600.0
"""Seconds after which a page that could not be drawn is tried again."""
REMEMBERED = 1_000
"""Pages that could not be drawn which are remembered."""


Original = Callable[[], tuple[bytes, Iterable[ScannedPage]]]
"""Gives a document and what was read of its pages, or other pictures, that are pictures."""


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page of a document, by the document's content hash and name and the page's number, from 1, with a passage on
    it and the sentences that the passage bears out."""

    sha256: str
    name: str
    number: int
    passage: str = ""
    support: tuple[str, ...] = ()


class PageCache:
    """Pages as they were drawn, so that turning back to one takes no time; bounded in size. What could not be
    drawn, and pages that a document does not have, are remembered for a while. Any thread may call any method.

    FOLDER/<content hash of the document>/<hash of the page and what is marked on it>.json -> PageView
    FOLDER/<content hash of the document>/blocks-<version of what reads>.json -> Reading, of a document without pages
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clearing = threading.Lock()
        self._pages: dict[str, int] = {}
        # Words, not what was raised, which would keep whatever its frames held.
        self._refused: dict[tuple[str, str, int], tuple[float, tuple[str, str, str]]] = {}

    def kept(self, wanted: WantedPage) -> PageView | None:
        """A page that was drawn before, None when it was not. Raises TragError for one that is known not to be there,
        or that could not be drawn a while ago."""
        pages = self._pages.get(wanted.sha256, wanted.number)
        if wanted.number > pages:
            raise NoSuchPage(wanted.name, wanted.number, pages)
        until, said = self._refused.get((wanted.sha256, wanted.name, wanted.number), (0.0, ()))
        if said and time.monotonic() < until:
            raise TragError(*said)
        return _read(self._path(wanted))

    def page(self, original: Original, wanted: WantedPage) -> PageView:
        """A page of a document with a passage on it, drawn when it is not there; `original` gives the document and its
        scanned pages. Raises TragError when it cannot be drawn."""
        found = self.kept(wanted)
        if found is not None:
            return found
        content, scans = original()
        try:
            found = view.page(content, wanted.name, wanted.number, wanted.passage, wanted.support, scans=scans)
        except NoSuchPage as error:
            self._pages[wanted.sha256] = error.pages
            raise
        except TragError as error:
            if len(self._refused) >= REMEMBERED:
                self._refused.clear()
            said = error.message, error.hint, error.public
            self._refused[wanted.sha256, wanted.name, wanted.number] = time.monotonic() + AGAIN, said
            raise
        self._keep(self._path(wanted), found.to_json())
        return found

    def blocks(self, original: Original, sha256: str, name: str) -> tuple[Block, ...]:
        """What a document without pages consists of, read when it is not there. Raises TragError when it cannot be."""
        path = self._folder / sha256 / f"blocks-{READING}.json"
        try:
            found = Reading.from_json(path.read_text("utf-8"))
            os.utime(path)
        except (OSError, ValueError):
            content, scans = original()
            found = read(content, name, Limits(), scans=[*scans])
            self._keep(path, found.to_json())
        return found.blocks

    def _keep(self, path: Path, text: str) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            files.write_atomic(path, text.encode())
            self._make_room()
        except (OSError, StoreError) as error:
            log.warning("%s cannot be kept: %s", path.name, error)  # it is shown all the same

    def _path(self, wanted: WantedPage) -> Path:
        key = json.dumps([wanted.number, wanted.passage, list(wanted.support)])
        return self._folder / wanted.sha256 / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.json"

    def keep_only(self, hashes: Collection[str]) -> None:
        """Forget the pages of every document but those with these content hashes."""
        with self._clearing:
            for folder in self._folder.glob("*"):
                if re.fullmatch(r"[0-9a-f]{64}", folder.name) and folder.name not in hashes:
                    shutil.rmtree(folder, ignore_errors=True)

    def _make_room(self) -> None:
        """Forget the pages that were looked at longest ago."""
        with self._clearing:
            pages = [(path, path.stat()) for path in self._folder.glob("*/*.json")]
            size = sum(stat.st_size for _, stat in pages)
            for path, stat in sorted(pages, key=lambda page: page[1].st_mtime):
                if size <= KEPT:
                    return
                path.unlink(missing_ok=True)
                size -= stat.st_size


def _read(path: Path) -> PageView | None:
    """A page that was kept, None when it was not, or is not whole."""
    try:
        found = PageView.from_json(path.read_text("utf-8"))
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked for in a document: a stretch of its text, and the sentences of an answer that it supports.

    `here` is the passage that is shown, which for a pair is the one it was made from; `quoted` is what was asked for,
    None for the whole document, whose beginning is `here`. `question` is what the answer answers; `changed`: the
    document no longer has the passage as the answer quoted it. `standing` is how the document stands today, None while
    it is in force, and `successors` are those that take its place and may be read, by name, with what each is called.
    """

    passages: tuple[Passage, ...]
    here: Passage | None
    quoted: Passage | None = None
    support: tuple[str, ...] = ()
    question: str = ""
    changed: bool = False
    standing: Standing | None = None
    successors: Mapping[str, str] = field(default_factory=dict)

    @property
    def ocr(self) -> bool:
        """Whether a program has read what was asked for off a picture in the text."""
        return self.quoted is not None and self.quoted.section.endswith(PICTURE)


class Viewer:
    """The routes of the viewer."""

    def __init__(self, context: DocumentsContext, cache: PageCache) -> None:
        self.context = context
        self.cache = cache
        self.turns, self.threads = Turns(1), CapacityLimiter(AT_ONCE)
        self.reading_turns, self.reading_threads = Turns(1), CapacityLimiter(AT_ONCE)

    def routes(self, router: APIRouter) -> None:
        router.get("/{key}/view")(self.show)
        router.get("/{key}/pages/{number}.png")(self.picture)

    async def show(self, request: Request, key: str, passage: str = "", answer: str = "", page: str = "") -> Response:
        """The source at its place; `page` is another page of it, nonsense in it is left alone."""
        document, target = await run_in_threadpool(self._found, request, key, passage, answer)
        back = await run_in_threadpool(self._back, request, answer)
        if not is_drawn(document):
            return await self._read(caller(request).person, document, target, key, back)
        shown = read_number(page) or (target.here.page if target.here and target.here.page else 1)
        try:
            drawn = await self._drawn(caller(request).person, document, target, shown)
        except TragError as error:
            return await run_in_threadpool(_text, document, target, key, back, in_words(told(error)))
        asked = {name: value for name, value in (("passage", passage), ("answer", answer)) if value}
        path = f"/documents/{key}"
        return await run_in_threadpool(
            render, "view_page", 200, path=path, document=document, place=target, drawn=drawn, asked=asked, back=back
        )

    async def picture(self, request: Request, key: str, number: int, passage: str = "", answer: str = "") -> Response:
        """A page as a picture, which stays as it is for as long as the document does."""
        document, target = await run_in_threadpool(self._found, request, key, passage, answer)
        if not is_drawn(document) or number < 1:
            raise Denied
        headers = {"etag": f'"{document.sha256[:32]}-{number}"', "cache-control": "private, no-cache"}
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        drawn = await self._drawn(caller(request).person, document, target, number)
        return Response(drawn.image, media_type="image/png", headers=headers)

    def _found(self, request: Request, key: str, passage: str, answer: str) -> tuple[Document, Target]:
        document = self.context.readable(request, key)
        target = self._target(request, document, passage, answer)
        return document, self._standing(request, document.name, target)

    async def _drawn(self, person: str, document: Document, target: Target, number: int) -> PageView:
        """A page for a person, who waits while another one is drawn for them. Raises TragError when it cannot be
        drawn."""
        # A passage may begin on the page before and go on on the next; on others there is nothing to be found.
        near = target.here and target.here.page and abs(target.here.page - number) <= 1
        passage = target.here if target.quoted and near else None
        words, support = (passage.text, target.support) if passage else ("", ())
        wanted = WantedPage(document.sha256, document.name, number, words, support)

        if kept := await run_in_threadpool(self.cache.kept, wanted):
            return kept
        give_turn_back()
        async with self.turns.of(person):
            return await to_thread.run_sync(self.cache.page, self._original(document), wanted, limiter=self.threads)

    async def _read(
        self, person: str, document: Document, target: Target, key: str, back: tuple[str, str] | None
    ) -> Response:
        """A document without pages, as it is read; where the passage is not in it as it was, that in its text."""
        found = None
        if not target.changed:
            give_turn_back()
            quoted = target.here if target.quoted else None
            try:
                async with self.reading_turns.of(person):
                    found = await to_thread.run_sync(
                        self._document, document, quoted, target, limiter=self.reading_threads
                    )
            except TragError as error:
                log.warning("%s is shown as its text: %s", document.sha256[:8], in_one_line(error))
        if found is None:
            return await run_in_threadpool(_text, document, target, key, back)
        values = {"path": f"/documents/{key}", "document": document, "place": target, "found": found, "back": back}
        return await run_in_threadpool(render, "view_document", 200, **values)

    def _document(self, document: Document, passage: Passage | None, target: Target) -> DocumentView | None:
        blocks = self.cache.blocks(self._original(document), document.sha256, document.name)
        return view.document(blocks, passage, target.support)

    def _original(self, document: Document) -> Original:
        def original() -> tuple[bytes, Iterable[ScannedPage]]:
            content = self.context.home.original(document.name)
            if content is None:
                raise TragError(later("The original is no longer here."), later("Upload the document again."))
            return content, self.context.home.scans(document.sha256)

        return original

    def _back(self, request: Request, answer: str) -> tuple[str, str] | None:
        """Where somebody comes from who opens a source of an answer or a briefing of theirs: its address, and what it
        is called; None from elsewhere."""
        records = self.context.home.records
        stored = records.answer(answer) if answer else None
        if stored is None:
            return None
        if stored.kind == "brief":
            return (
                (f"/briefings/{answer}", later("Back to the briefing"))
                if briefs.kept(self.context.home, caller(request), answer)
                else None
            )
        if stored.conversation and records.owns(caller(request).person, stored.conversation):
            return f"/?c={stored.conversation}", later("Back to the conversation")
        return (f"/review/{answer}", later("Back to the review")) if caller(request).may("reviewer") else None

    def _target(self, request: Request, document: Document, passage: str, answer: str) -> Target:
        """What is looked for. Raises Denied where there is no such passage."""
        passages = tuple(self.context.library.passages(document.name))
        if not passage:
            return Target(passages, next((each for each in passages if each.kind == "section"), None))
        record = self._record(request, answer)
        question, support = _said(record, passage) if record else ("", ())
        wanted, pair = passage, self.context.library.pair(passage.partition("-")[0])
        if pair is not None and pair.document == document.name:
            # Also one that is not searched opens, and one that says something else by now opens where it was made.
            passages = (*(each for each in passages if each.id != pair.passage.id), pair.passage)
            support = support or ((pair.source,) if pair.source else ())
            wanted = pair.passage.id
        current = next((each for each in passages if each.id == wanted), None)
        sources = record.sources if record else ()
        source = next((each for each in sources if (each.id, each.document) == (passage, document.name)), None)
        quoted = None
        if source:
            place = (source.document, source.section, source.page)
            quoted = Passage(passage, "section", *place, source.text, source.question)
        if current is not None and (quoted is None or quoted.text == current.text):
            return Target(passages, view.source(passages, wanted), current, support, question)
        quoted = there(quoted)
        if current is not None:
            return Target(passages, view.source(passages, wanted), quoted, support, question, changed=True)
        return Target((*passages, quoted), quoted, quoted, support, question, changed=True)

    def _standing(self, request: Request, name: str, target: Target) -> Target:
        """A target in a document, with how that stands."""
        home = self.context.home
        found = home.records.validity.standings([name], Period.of(date.today())).get(name)
        if found is None or found.state == "in force":
            return target
        readable = opened(caller(request), found.successors, home.records.library, home.organization.chart)
        titles = {each: readable[each] for each in found.successors if readable.get(each)}
        return replace(target, standing=found, successors=titles)

    def _record(self, request: Request, answer: str) -> AnswerRecord | BriefRecord | None:
        """An answer or a briefing that was given to whoever asks, or what is open to them of one that is shared with
        them; or any, to a reviewer who may read all that it stands on."""
        home, user = self.context.home, caller(request)
        stored = home.records.answer(answer) if answer else None
        if stored is None or stored.kind not in ("answer", "brief"):
            return None
        record: AnswerRecord | BriefRecord
        if stored.kind == "brief":
            if brief := briefs.kept(home, user, answer):
                return brief
            record = BriefRecord.from_json(stored.record_json)
        else:
            record = AnswerRecord.from_json(stored.record_json)
        if stored.conversation and home.records.owns(user.person, stored.conversation):
            return record
        readable = opened(user, documents_of(record), self.context.library, home.organization.chart)
        return record if user.may("reviewer") and all(readable.values()) else None


def _said(record: AnswerRecord | BriefRecord, passage: str) -> tuple[str, tuple[str, ...]]:
    """The question that was answered, "" where it was none, and the words of a passage that were used."""
    if isinstance(record, BriefRecord):
        sentences = [one for part in record.parts for one in part.sentences]
        return "", tuple(one.evidence for one in sentences if one.source == passage)
    supported = (one for one in record.checks.sentences if one.supported and one.source == passage)
    return record.question, tuple(one.evidence or one.text for one in supported)


def is_drawn(document: Document) -> bool:
    """Whether a document is shown as pages."""
    return FORMATS.get(PurePath(document.name).suffix.lower()) in PAGED


def _text(document: Document, target: Target, key: str, back: tuple[str, str] | None, problem: str = "") -> Response:
    """The passage in the text around it; `problem` says why it is not shown on its page."""
    alone = target.here is not None and target.here is target.quoted and target.changed
    passages = (target.here,) if alone and target.here else target.passages
    found = view.text(passages, target.here.id, target.support, around=AROUND) if target.here else None
    return render(
        "view_text", path=f"/documents/{key}", document=document, place=target, found=found, problem=problem, back=back
    )
