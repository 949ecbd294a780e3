"""One run over one folder: listed, compared, and made what is in the home, file by file, so that a run that is killed
or stopped goes on where it was; and a preview, which changes nothing.

Nothing is deleted unless the folder was there before, after, and when it was looked at once more.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from org.chart import Chart
from store import StoreError
from store.folders import Folder, FolderFile, FolderRun
from store.passage import EVERYONE
from trag.errors import OperatorError, TragError
from trag.folders.changes import Changes, compare, too_many
from trag.folders.listing import Found
from trag.folders.opening import Source, opened
from trag.folders.rights import is_in, readers_of
from trag.ingest.context import IngestContext
from trag.ingest.discovery import document_name
from trag.ingest.forgetting import forget_all
from trag.ingest.index import ingest_one
from trag.ingest.parse.characters import counted
from trag.ingest.reconciliation import set_audience
from trag.progress import Cancelled, Progress, silent
from trag.sandbox import Limits, shown

NOTES = 200
"""Notes that a run keeps."""
_AT_ONCE = 200
"""Files without changes that are written down together."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would do, and whether it would ask first; `strange` are folders with readers of their own that are not
    in the folder, and units among readers that the chart no longer has."""

    changes: Changes
    asks: bool
    strange: tuple[str, ...]


def preview(folder: Folder, context: IngestContext, chart: Chart | None = None) -> Preview:
    """What a run over a folder would do now; for a folder that is not kept yet too. Raises what `mirror` raises."""
    with opened(folder, context.home) as source:
        files = context.records.folders.files(folder.id)
        changes = _changes(files, source, context, again=False)
    there = [*(each.path for each in changes.new), *files]
    empty = [place for place, _ in folder.rights if not any(is_in(path, place) for path in there)]
    strange = [f"no file is in the folder {shown(place)}" for place in empty]
    units = {unit for _, audience in (("", folder.audience), *folder.rights) for unit in audience} - {EVERYONE}
    strange += [f"the chart has no unit {shown(unit)}" for unit in sorted(units) if chart and unit not in chart.units]
    return Preview(changes, too_many(changes, files, folder), tuple(strange))


def mirror(
    folder: Folder,
    context: IngestContext,
    run: FolderRun,
    progress: Progress,
    *,
    let_go: int = 0,
    again: bool = False,
) -> FolderRun:
    """The documents made what the folder holds; the run as it ended, which the records keep.

    As many documents as `let_go` may go though the folder's limits are lower; `again` reads files once more that could
    not be read. What `progress` raises ends the run where it is. Nothing else is raised but faults of the program.
    """
    folders = context.records.folders
    work = _Run(folder, context, run, progress)
    try:
        with opened(folder, context.home) as source:
            work.do(source, let_go=let_go, again=again)
    except Cancelled:
        return folders.end(replace(work.counted(), state="stopped", message="Stopped.", hint="The next goes on."))
    except (TragError, StoreError) as error:
        return folders.end(replace(work.counted(), state="failed", message=error.message, hint=error.hint))
    return folders.end(work.counted())


def set_readers(folder: Folder, context: IngestContext, progress: Progress = silent) -> None:
    """Lets those read each document of a folder who may by its table now, where these are others than were set last;
    what somebody set for a single document stays until then. Raises StoreError when it cannot be written."""
    folders = context.records.folders
    there = context.records.library.contents()
    for file in folders.files(folder.id).values():
        wanted = readers_of(file.path, folder)
        if file.document in there and file.audience != wanted:
            progress(f"setting who may read {shown(file.path)}", 0, 0)
            set_audience(file.document, wanted, context, by=_by(folder))
            folders.put_files(folder.id, [replace(file, audience=wanted)])


def _by(folder: Folder) -> str:
    """Who gave the documents of a folder, as records name them."""
    return f"{folder.name} (folder)"


def _changes(files: Mapping[str, FolderFile], source: Source, context: IngestContext, *, again: bool) -> Changes:
    contents = set(context.records.library.contents().values())

    def content_hash(found: Found) -> str:
        try:
            content = source.read(found, Limits())
        except TragError:
            return ""
        return hashlib.sha256(content).hexdigest() if content is not None else ""

    # A copy of a document that is no longer there is a document itself.
    wanted = [
        path
        for path, file in files.items()
        if file.problem and (again or (file.sha256 and not file.document and file.sha256 not in contents))
    ]
    return compare(files, source.listing(), content_hash, time.time(), again=set(wanted))


@dataclass(slots=True)
class _Run:
    """A run under way."""

    folder: Folder
    context: IngestContext
    run: FolderRun
    progress: Progress
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    at: tuple[int, int] = (0, 0)
    _unwritten: list[FolderFile] = field(default_factory=list)
    _contents: dict[str, str] = field(default_factory=dict)
    _owned: set[str] = field(default_factory=set)

    def counted(self) -> FolderRun:
        every = [*self.problems, *self.notes]  # what went wrong is not crowded out
        notes = every[:NOTES]
        if len(every) > NOTES:
            notes.append(f"and {len(every) - NOTES:,} more")
        run = replace(self.run, notes=tuple(notes), state="done" if self.run.state == "running" else self.run.state)
        counts = self.counts
        return replace(
            run,
            new=counts["new"],
            changed=counts["changed"],
            moved=counts["moved"],
            gone=counts["gone"],
            same=counts["same"],
            waiting=counts["waiting"],
            problems=len(self.problems),
        )

    def do(self, source: Source, *, let_go: int, again: bool) -> None:
        folders, library = self.context.records.folders, self.context.records.library
        set_readers(self.folder, self.context, self.progress)
        self.progress("looking at the folder", 0, 0)
        files = folders.files(self.folder.id)
        changes = _changes(files, source, self.context, again=again)
        if changes.gone:  # a file may have moved while the folder was looked at
            changes = _changes(files, source, self.context, again=again)
        for path, why in changes.unreadable:
            self._problem(f"{shown(path)}: {why}")
        if too_many(changes, files, self.folder) and len(changes.vanishing) > let_go:
            there = sum(bool(file.document) for file in files.values())
            self.run = replace(
                self.run,
                state="asks",
                message=f"{len(changes.vanishing):,} of {counted(there, 'document')} would go.",
                hint="Nothing was changed. Look at what would go, and let them go, or bring the files back.",
            )
            self.notes += [f"would go: {shown(file.path)}" for file in changes.vanishing]
            return
        self._contents = library.contents()
        self._owned = set(folders.owners())
        self.counts["same"], self.counts["waiting"] = len(changes.same), len(changes.waiting)
        self.notes += [f"{shown(each.path)}: somebody writes to it; the next run reads it" for each in changes.waiting]
        for file, found in changes.moved:
            self._move(file, found)
        if changes.moved:
            set_readers(self.folder, self.context, self.progress)
        todo: list[tuple[FolderFile | None, Found]] = [*changes.changed, *((None, found) for found in changes.new)]
        for number, (before, found) in enumerate(todo):
            self.at = number, len(todo)
            self.progress(f"reading {shown(found.path)}", *self.at)
            self._take_in(before, found, source)
        self._write()
        self._forget(changes, source)

    def _move(self, file: FolderFile, found: Found) -> None:
        moved = replace(file, path=found.path, stamp=found.stamp)
        self.context.records.folders.put_files(self.folder.id, [moved], instead_of=[file.path])
        self._count("moved", f"{shown(file.path)} is {shown(found.path)} now")

    def _take_in(self, file: FolderFile | None, found: Found, source: Source) -> None:
        """One file that is new or may have changed: read, and kept what became of it."""
        before = file or FolderFile(found.path, "", 0)
        seen = replace(before, path=found.path, stamp=found.stamp, size=found.size, problem="")
        try:
            content = source.read(found, Limits())
            if content is None:
                self._count("waiting", f"{shown(found.path)}: it changed while it was read")
                return
            sha256 = hashlib.sha256(content).hexdigest()
            if before.sha256 == sha256 and before.document and not before.problem:
                self._unwritten.append(seen)
                self._count("same" if before.path == found.path else "moved")
                if len(self._unwritten) >= _AT_ONCE or before.path != found.path:
                    self._write(instead_of=[before.path])
                return
            seen = self._ingested(replace(seen, sha256=sha256), content, is_new=not before.document)
        except OperatorError:
            raise
        except TragError as error:
            seen = replace(seen, sha256=before.sha256, problem=f"{error.message} {error.hint}".strip())
            self._problem(seen.problem)
        self._unwritten.append(seen)
        self._write(instead_of=[before.path])

    def _ingested(self, seen: FolderFile, content: bytes, *, is_new: bool) -> FolderFile:
        """A file as it is once its content is a document, or is one already. Raises TragError when it cannot be."""
        wanted = readers_of(seen.path, self.folder)
        name = seen.document or self._name(seen)
        adopted = is_new and self._contents.get(name) == seen.sha256

        def progress(step: str, done: int, total: int) -> None:
            self.progress(f"reading {shown(seen.path)}", *self.at)

        result = ingest_one(content, name, self.context, audience=wanted, by=_by(self.folder), progress=progress)
        if result.outcome == "skipped":  # a copy of another document
            self.notes.append(result.reason)
            return replace(seen, document="", problem=result.reason)
        self._contents[name] = seen.sha256
        self._owned.add(name)
        if adopted:
            self._count("same", f"{shown(seen.path)} was a document already, {shown(name)}, and keeps its readers")
        else:
            self._count("new" if is_new else "changed", f"{shown(seen.path)}: {result.outcome}")
        for note in result.notes:
            self.notes.append(f"{shown(seen.path)}: {note}")
        return replace(seen, document=name, audience=wanted if is_new else seen.audience)

    def _name(self, seen: FolderFile) -> str:
        """What the document of a new file is called: by its path in the folder; the name of a document with this very
        content that is of no folder, which then is this file's. Raises TragError where all are taken."""
        path = document_name(seen.path)
        for name in (path, document_name(PurePosixPath(seen.path).name)):
            if name not in self._owned and self._contents.get(name) == seen.sha256:
                return name
        for name in (path, document_name(f"{self.folder.name}/{seen.path}")):
            if name not in self._owned and name not in self._contents:
                return name
        raise TragError(f"{shown(seen.path)} has a name that reads the same as another document's.", "Rename it.")

    def _forget(self, changes: Changes, source: Source) -> None:
        """What is gone, once more than listed: the folder is there, and the file is not."""
        folders = self.context.records.folders
        if not changes.gone:
            return
        gone = []
        for number, file in enumerate(changes.gone):
            self.progress("looking for what is gone", number, len(changes.gone))
            if not source.holds(file.path):
                gone.append(file)
        source.check()
        self.progress("forgetting what is gone", 0, 0)
        receipts = forget_all([file.document for file in gone if file.document], self.context, by=_by(self.folder))
        for receipt in receipts:
            self._count("gone", str(receipt))
        folders.put_files(self.folder.id, [], instead_of=[file.path for file in gone])

    def _write(self, instead_of: Collection[str] = ()) -> None:
        if self._unwritten:
            self.context.records.folders.put_files(self.folder.id, self._unwritten, instead_of=instead_of)
            self._unwritten = []

    def _count(self, what: str, note: str = "") -> None:
        self.counts[what] += 1
        if note:
            self.notes.append(note)

    def _problem(self, note: str) -> None:
        self.problems.append(note)
