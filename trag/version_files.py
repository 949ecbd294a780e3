"""What a home had in use of a kind, its charts or its books of procedures: each kept as a file, found again by its
version, and put in use again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from org import export
from org.chart import Chart, ChartError
from org.procedures import BookError, entries, flows
from org.procedures import reading as procedures
from org.procedures.flows import Book
from org.reading import charts, table
from store import files
from trag.errors import OperatorError, TragError

if TYPE_CHECKING:
    from org.reading.problems import Problem
    from store.versions import Version, Versions

File = tuple[str, bytes]
"""The name of a file and its content."""


class Versioned(Protocol):
    """A chart or a book."""

    @property
    def version(self) -> str: ...


Kept = TypeVar("Kept", bound=Versioned)


@dataclass(frozen=True, slots=True)
class Kind(Generic[Kept]):
    """A kind of what is kept: what it is `called`, in the terminal too; how it is written as JSON and loaded again,
    which raises ChartError or BookError; how large it is; and what there is to say where it has too many bytes to be
    loaded again."""

    called: str
    write: Callable[[Kept], bytes]
    load: Callable[[bytes, str], Kept]
    size: Callable[[Kept], int]
    too_large: Callable[[int], Problem | None]


CHARTS: Kind[Chart] = Kind("chart", lambda chart: export.write(chart, "json"), charts.load, len, table.too_large)
BOOKS: Kind[Book] = Kind(
    "procedures", flows.write, procedures.load, lambda book: len(book.procedures), entries.too_large
)


class VersionFiles(Generic[Kept]):
    """The one in use and those that were, of one kind, in one folder."""

    def __init__(
        self,
        kind: Kind[Kept],
        versions: Versions,
        folder: Path,
        changed: Callable[[Kept], None],
        lock: threading.RLock | None = None,
    ) -> None:
        """`changed` is called with what came in use, while `lock` is held."""
        self.versions = versions
        self._kind, self._folder, self._changed = kind, folder, changed
        self._lock = lock or threading.RLock()
        self._in_use: Kept | None = None

    @property
    def in_use(self) -> Kept | None:
        """The one in use, None before the first. Raises TragError when its file is gone or damaged."""
        with self._lock:  # one that is activated while this one is read must not be lost
            if self._in_use is None and (active := self.versions.active()):
                self._in_use = self._read(active)
            return self._in_use

    def version(self, version: str) -> Kept:
        """One that was activated once. Raises TragError when there is no such version, or its file is gone."""
        with self._lock:
            if self._in_use is not None and self._in_use.version == version:
                return self._in_use
        return self._read(self._find(version))

    def activate(self, kept: Kept, given: Sequence[File], *, by: str, instead_of: str | None = None) -> Version:
        """Have this in use from now on. `given` are the files that `by` gave; a single one is kept as it was.

        `instead_of` is the version that they saw in use ("" for none): StoreError is raised when that is another by
        now. A kill leaves one or the other. Raises TragError for what would be too large to be read again.
        """
        content, name = self._kind.write(kept), ", ".join(name for name, _ in given)
        if problem := self._kind.too_large(len(content)):
            raise TragError(f"{name} is too large: kept as JSON, it has {len(content) / 2**20:,.0f} MB.", problem.hint)
        sha256, original = files.keep(self._folder, content, ".json"), ""
        if len(given) == 1:
            suffix = Path(name).suffix
            original = files.keep(self._folder, given[0][1], suffix if suffix[1:].isalnum() else "")
        return self._use(kept, name, sha256, original, by, instead_of)

    def roll_back(self, version: str, *, by: str, instead_of: str | None = None) -> Version:
        """Have an earlier one in use again. Raises TragError when there is no such version, or its file is gone."""
        earlier = self._find(version)
        return self._use(self._read(earlier), earlier.name, earlier.sha256, earlier.original, by, instead_of)

    def original(self, version: str) -> bytes | None:
        """The file that a version was given in, None where that is not known. Raises TragError when there is no such
        version, or the file is gone."""
        found = self._find(version)
        return self._file(found.original, found).read_bytes() if found.original else None

    def _use(self, kept: Kept, name: str, sha256: str, original: str, by: str, instead_of: str | None) -> Version:
        with self._lock:
            used = self.versions.activate(
                kept.version,
                name,
                sha256,
                by=by,
                size=self._kind.size(kept),
                original=original,
                instead_of=instead_of,
            )
            self._in_use = kept
            self._changed(kept)
        return used

    def _find(self, version: str) -> Version:
        versions = self.versions.all()
        found = next((each for each in versions if each.version == version), None)
        if found is None:
            known = ", ".join(each.version for each in versions) or "none"
            message = f"There is no version {version} of the {self._kind.called}; the versions are: {known}."
            raise TragError(message, f"python -m trag {self._kind.called} versions")
        return found

    def _read(self, version: Version) -> Kept:
        kept = self._file(version.sha256, version)
        try:
            return self._kind.load(kept.read_bytes(), kept.name)
        except (ChartError, BookError) as error:
            raise self._lost(version, f"can no longer be read: {error.message}") from error

    def _file(self, sha256: str, version: Version) -> Path:
        kept = files.find(self._folder, sha256)
        if kept is None:
            raise self._lost(version, f"cannot be read: its file is no longer in {self._folder}.")
        return kept

    def _lost(self, version: Version, why: str) -> OperatorError:
        return OperatorError(
            f"The {self._kind.called} {version.name} ({version.version}) {why}",
            f"Activate it again from your own copy: python -m trag {self._kind.called} activate FILE",
        )
