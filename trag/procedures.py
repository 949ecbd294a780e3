"""Files of procedures: those of anyone read in a child process that a hostile one may kill, and those activated once
kept.

The child runs this module with the argument SUFFIX: a file on its standard input, its entries as JSON on its output.
Kept books are found again by their version.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from org.chart import Chart
from org.procedures import BookError, entries
from org.procedures.entries import Entries
from org.procedures.flows import Book, write
from org.procedures.reading import Report, judge, load
from org.reading.problems import error
from store import files
from trag.errors import OperatorError, TragError
from trag.sandbox import Limits, run, serve

if TYPE_CHECKING:
    from store.library import Library
    from store.versions import Version, Versions

LIMITS = Limits(memory_bytes=2 * 2**30, output_bytes=200_000_000, processor_seconds=60, seconds=120)
"""A file of 20 MB takes at most 0.6 GB and 5 seconds of computing, whatever its format."""
_AGAIN = "Activate the procedures again from your own copy: python -m trag procedures activate FILE"

File = tuple[str, bytes]
"""The name of a file and its content."""


def check(
    given: Sequence[File],
    chart: Chart | None = None,
    sections: Callable[[str], Collection[str] | None] | None = None,
    limits: Limits = LIMITS,
) -> Report:
    """The report on one file, or on CSVs of a kind each, as `org.procedures.reading.judge` makes it. None makes it
    raise.

    `sections` gives the paths of the sections of a document by its name, None for one that is not there. What the
    limits stop is a problem like any other, with row 0.
    """
    read = [_read(content, name, limits) for name, content in given]
    if sections is None:
        return judge(read, chart)
    named = {entry.cells.get("document", "") for each in read for entry in (*each.actions, *each.procedures)}
    found = {name: sections(name) for name in named if name}
    return judge(read, chart, {name: paths for name, paths in found.items() if paths is not None})


def _read(content: bytes, name: str, limits: Limits) -> Entries:
    if problem := entries.too_large(len(content)):
        return Entries(problems=(problem,))
    try:
        return Entries.from_json(run("trag.procedures", [PurePath(name).suffix.lower()], content, name, limits))
    except TragError as refusal:
        return Entries(problems=(error(0, refusal.message, refusal.hint),))
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "The file was read to something that holds no entries."
        return Entries(problems=(error(0, message, "Do not trust it."),))


def sections_of(library: Library) -> Callable[[str], Collection[str] | None] | None:
    """Where the sources of procedures are looked for: nowhere as long as there are no documents."""
    names = {document.name for document in library.documents()}
    if not names:
        return None
    return lambda name: {passage.section for passage in library.passages(name)} if name in names else None


class Procedures:
    """The procedures of one home: the book in use, and those that were, each kept as a file in `folder`."""

    def __init__(self, versions: Versions, folder: Path, changed: Callable[[], None] = lambda: None) -> None:
        """`changed` is called after another book came in use."""
        self.versions = versions
        self._changed = changed
        self._folder = folder
        self._lock = threading.RLock()
        self._book: Book | None = None

    @property
    def book(self) -> Book | None:
        """The book in use, None before the first. Raises TragError when its file is gone or damaged."""
        with self._lock:  # a book that is activated while this one is read must not be lost
            if self._book is None and (active := self.versions.active()):
                self._book = self._kept(active)
            return self._book

    def version(self, version: str) -> Book:
        """A book that was activated once. Raises TragError when there is no such version, or its file is gone."""
        with self._lock:
            if self._book is not None and self._book.version == version:
                return self._book
        return self._kept(self._find(version))

    def activate(self, book: Book, given: Sequence[File], *, by: str, instead_of: str | None = None) -> Version:
        """Plan with this book from now on. `given` are the files that `by` gave, one of which is kept as it was.

        `instead_of` is the version that they saw in use ("" for none): StoreError is raised when that is another by
        now. A kill leaves one or the other. Raises TragError for a book that would be too large to be read again.
        """
        content = write(book)
        name = ", ".join(name for name, _ in given)
        if problem := entries.too_large(len(content)):
            raise TragError(f"{name} is too large: kept as JSON, it has {len(content) / 2**20:,.0f} MB.", problem.hint)
        sha256 = files.keep(self._folder, content, ".json")
        original = ""
        if len(given) == 1:
            suffix = Path(name).suffix
            original = files.keep(self._folder, given[0][1], suffix if suffix[1:].isalnum() else "")
        return self._use(book, name, sha256, original, by, instead_of)

    def roll_back(self, version: str, *, by: str, instead_of: str | None = None) -> Version:
        """Plan with an earlier book again. Raises TragError when there is no such version, or its file is gone."""
        earlier = self._find(version)
        book = self._kept(earlier)
        return self._use(book, earlier.name, earlier.sha256, earlier.original, by, instead_of)

    def original(self, version: str) -> bytes | None:
        """The file that a version was given in, None where it was given in two. Raises TragError when there is no such
        version, or the file is gone."""
        found = self._find(version)
        return self._file(found.original, found).read_bytes() if found.original else None

    def _use(self, book: Book, name: str, sha256: str, original: str, by: str, instead_of: str | None) -> Version:
        size = len(book.procedures)
        with self._lock:
            used = self.versions.activate(
                book.version, name, sha256, by=by, size=size, original=original, instead_of=instead_of
            )
            self._book = book
        self._changed()
        return used

    def _find(self, version: str) -> Version:
        versions = self.versions.all()
        found = next((each for each in versions if each.version == version), None)
        if found is None:
            known = ", ".join(each.version for each in versions) or "none"
            message = f"There is no version {version} of the procedures; the versions are: {known}."
            raise TragError(message, "python -m trag procedures versions")
        return found

    def _kept(self, version: Version) -> Book:
        kept = self._file(version.sha256, version)
        try:
            return load(kept.read_bytes(), kept.name)
        except BookError as error:
            message = f"The procedures {version.name} ({version.version}) can no longer be read: {error.message}"
            raise OperatorError(message, _AGAIN) from error

    def _file(self, sha256: str, version: Version) -> Path:
        kept = files.find(self._folder, sha256)
        if kept is None:
            message = f"The file of the procedures {version.name} ({version.version}) is no longer in {self._folder}."
            raise OperatorError(message, _AGAIN)
        return kept


if __name__ == "__main__":
    serve(lambda content, arguments: entries.read(content, f"procedures{arguments[0]}").to_json())
