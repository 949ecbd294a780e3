"""The pages of the folders that are mirrored into the documents: which there are, and of each what a run would do, who
may read it, when it is looked at, and its runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from store.passage import EVERYONE
from trag.errors import SHOWN, TragError, later
from trag.folders import keeping
from trag.folders.mirroring import preview
from trag.folders.rights import NOBODY, write_rights
from trag.web.documents.context import DocumentsContext, page
from trag.web.documents.document import readers
from trag.web.forms import Form, number
from trag.web.language import counted, in_words
from trag.web.language import gettext as _
from trag.web.responses import Notice, there
from trag.web.visitors import named

if TYPE_CHECKING:
    from starlette.datastructures import ImmutableMultiDict

    from store.folders import Folder
    from trag.folders.runner import FolderRunner

log = logging.getLogger(__name__)

NUMBERS = {
    "every": later("The minutes are no whole number."),
    "most_gone": later("The documents are no whole number."),
    "share_gone": later("The percent are no whole number."),
}
"""The fields that hold one, and what is said of others."""
CAUSES = (later("the clock"), later("a change"))
"""What sets a run off beside people."""
ASKS = later("Nothing was changed. Look at what would go, and let them go, or bring the files back.")
"""What a run says that asks."""
WOULD_GO = "would go: "
"""What its notes begin with of each file."""
MOST = 200
"""Files of a kind that are named on a page."""
_PATH = "/documents/folders"


class FoldersPage:
    """The routes of the pages."""

    def __init__(self, context: DocumentsContext, runner: FolderRunner) -> None:
        self.context = context
        self.home = context.home
        self.runner = runner

    def routes(self, router: APIRouter) -> None:
        router.get("/folders")(self.list)
        router.post("/folders")(self.add)
        router.get("/folders/progress")(self.progress)
        router.get("/folders/{id}")(self.show)
        for word, act in (
            ("set", self.set),
            ("run", self.run),
            ("stop", self.stop),
            ("pause", self.pause),
            ("resume", self.resume),
            ("remove", self.remove),
        ):
            router.post(f"/folders/{{id}}/{word}")(act)

    def list(self, request: Request) -> Response:
        return self._list(request)

    def add(self, request: Request, form: Form) -> Response:
        """A new folder, paused; on to its page, which says what a run would do."""
        try:
            folder = keeping.add(
                self.home,
                form.get("name", ""),
                form.get("address", ""),
                _wanted(form),
                person=form.get("person", "").strip(),
                password=form.get("password", ""),
                by=named(request),
            )
        except SHOWN as error:
            return self._list(request, form, in_words(error))
        log.info("%s added a folder", named(request))
        text = _("%(name)s is added. Look at what would be read, and begin.") % {"name": folder.name}
        return self.context.notices.go(f"{_PATH}/{folder.id}?preview=1#preview", Notice(text))

    def show(self, request: Request, id: str) -> Response:
        """One folder; with `preview` in the query, what a run would do now."""
        folder, chart, folders = self._found(id), self.home.organization.chart, self.home.records.folders
        seen, problem = None, ""
        if request.query_params.get("preview"):
            try:
                seen = preview(folder, self.home.stock, chart)
            except SHOWN as error:
                problem = in_words(error)
        files, runs = folders.files(id).values(), folders.runs(id, 30)
        return page(
            "folder",
            folder=folder,
            path=f"{_PATH}/{id}",
            documents=sum(bool(file.document) for file in files),
            problems=[file for file in files if file.problem][:MOST],
            troubled=sum(bool(file.problem) for file in files),
            readers=readers(folder.audience, chart),
            rights=write_rights(folder.rights),
            chart=chart,
            seen=seen,
            problem=problem,
            most=MOST,
            runs=runs,
            would_go=[note.removeprefix(WOULD_GO) for note in runs[0].notes if note.startswith(WOULD_GO)]
            if runs
            else [],
            going=self._going(id),
            waits=self.runner.waits(id),
            notice=self.context.notices.said(request),
        )

    def progress(self, folder: str = "") -> Response:
        last = next(iter(self.home.records.folders.runs(folder, 1)), None)
        return page(
            "folder_progress", folder_id=folder, going=self._going(folder), waits=self.runner.waits(folder), last=last
        )

    def set(self, request: Request, form: Form, id: str) -> Response:
        folder = self._found(id)
        return self._done(
            f"{_PATH}/{id}#settings",
            lambda: keeping.change(
                self.home, folder, _wanted(form, folder), by=named(request), password=form.get("password", "")
            ),
            _("Saved. Its documents have these readers now."),
        )

    def run(self, request: Request, form: Form, id: str) -> Response:
        """Mirror it next, and by itself from now on; as many documents as `let_go` may go."""
        folder = self._found(id)

        def act() -> None:
            if form.get("begin"):
                keeping.pause(self.home, folder, False, by=named(request))
            self.runner.ask(id, by=named(request), let_go=number(form.get("let_go", "")))

        return self._done(f"{_PATH}/{id}", act)

    def stop(self, request: Request, id: str) -> Response:
        return self._done(f"{_PATH}/{id}", lambda: self.runner.stop(id))

    def pause(self, request: Request, id: str) -> Response:
        folder = self._found(id)

        def act() -> None:
            keeping.pause(self.home, folder, True, by=named(request))
            self.runner.stop(id)

        return self._done(f"{_PATH}/{id}", act, _("It is paused: its documents stay as they are."))

    def resume(self, request: Request, id: str) -> Response:
        folder = self._found(id)
        return self._done(
            f"{_PATH}/{id}",
            lambda: keeping.pause(self.home, folder, False, by=named(request)),
            _("It is mirrored again."),
        )

    def remove(self, request: Request, form: Form, id: str) -> Response:
        """Mirror it no more, with its documents where that was chosen."""
        folder = self._found(id)
        self.runner.stop(id)
        try:
            receipts = keeping.remove(self.home, folder, forget=bool(form.get("forget")), by=named(request))
        except SHOWN as error:
            return self.context.notices.go(f"{_PATH}/{id}", Notice(in_words(error), good=False))
        log.info("%s removed a folder", named(request))
        left = [str(receipt) for receipt in receipts if receipt.left]
        text = _("%(name)s is mirrored no more; its documents stay.") % {"name": folder.name}
        if receipts:
            text = counted(
                "%(name)s is mirrored no more, and %(num)s document with it.",
                "%(name)s is mirrored no more, and %(num)s documents with it.",
                len(receipts),
                name=folder.name,
            )
        return self.context.notices.go(_PATH, Notice(text, not left, tuple(left)))

    def _list(self, request: Request, typed: ImmutableMultiDict[str, str] | None = None, problem: str = "") -> Response:
        folders, chart = self.home.records.folders, self.home.organization.chart
        rows = []
        for folder in folders.all():
            files, last = folders.files(folder.id).values(), next(iter(folders.runs(folder.id, 1)), None)
            documents, problems = sum(bool(each.document) for each in files), sum(bool(each.problem) for each in files)
            rows.append((folder, documents, problems, readers(folder.audience, chart), last))
        return page(
            "folders",
            422 if problem else 200,
            rows=rows,
            going=self.runner.now,
            chart=chart,
            typed=typed or {},
            problem=problem,
            notice=self.context.notices.said(request),
        )

    def _found(self, id: str) -> Folder:
        return there(next((each for each in self.home.records.folders.all() if each.id == id), None))

    def _going(self, id: str) -> object:
        now = self.runner.now
        return now if now and now.folder == id else None

    def _done(self, path: str, act: Callable[[], object], text: str = "") -> Response:
        try:
            act()
        except SHOWN as error:
            return self.context.notices.go(path, Notice(in_words(error), good=False))
        return self.context.notices.go(path, Notice(text) if text else None)


def _wanted(form: ImmutableMultiDict[str, str], folder: Folder | None = None) -> keeping.Wanted:
    """What a form says of how a folder is mirrored. Raises TragError for a number that is none."""
    chosen = form.get("readers", "")
    words = [chosen] if chosen in (EVERYONE, NOBODY) else [unit for unit in form.getlist("unit") if unit]
    numbers = {}
    for name, wrong in NUMBERS.items():
        text = form.get(name, "").strip()
        if not (text.isascii() and text.isdecimal()):
            raise TragError(wrong, later("Correct it; 0 is none."))
        numbers[name] = number(text)
    return keeping.Wanted(words, form.get("table", ""), watched=bool(form.get("watched")), **numbers)
