"""Folders that are mirrored into the documents of a home: where each is and who may read it, what the last run saw of
each of its files, and the runs.

The password of an address is not here: see `trag.folders.passwords`.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from store import StoreError, audit, schema
from store.database import rows, writing
from store.passage import Audience, audience_field, read_audience

RunState = Literal["running", "done", "asks", "failed", "stopped", "interrupted"]
"""Asks: more files would go than may without being asked for. Stopped: by an admin. Interrupted: by a kill."""
KEPT = 100
"""Runs of a folder that are kept."""
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its path, or a WebDAV address (https://), where `person` signs in, and how it is mirrored.

    `audience` is who may read its documents; `rights` are the readers of folders in it, the path of each (without a
    slash at either end) with its own. Nobody in an audience: nobody but admins. `every` is in minutes, 0 for never by
    itself. A run asks first when more than `most_gone` files, or `share_gone` percent of them, would go.
    """

    name: str
    address: str
    audience: Audience
    rights: tuple[tuple[str, Audience], ...] = ()
    person: str = ""
    every: int = 60
    most_gone: int = 50
    share_gone: int = 10
    watched: bool = True
    paused: bool = False
    by: str = ""
    added: datetime | None = None
    id: str = ""

    @property
    def remote(self) -> bool:
        """Whether it is at an address of another machine."""
        return self.address.startswith("https://")


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of a folder as a run saw it last, by its path there with slashes.

    `stamp` is another when the file may have changed; `size` is in bytes. `document` is what it is in the home, "" for
    nothing, and then `problem` says why; beside a document it says why a newer version is not. `audience` is what was
    set as the readers of that document, whoever changed them since.
    """

    path: str
    stamp: str
    size: int
    sha256: str = ""
    document: str = ""
    audience: Audience = frozenset()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FolderRun:
    """One run: how many files became documents, changed, moved and went, how many are as they were, how many wait until
    nobody writes to them, and how many cannot be read; `notes` name them, as many as are kept."""

    number: int
    folder: str
    begun: datetime
    cause: str
    state: RunState = "running"
    ended: datetime | None = None
    message: str = ""
    hint: str = ""
    new: int = 0
    changed: int = 0
    moved: int = 0
    gone: int = 0
    same: int = 0
    waiting: int = 0
    problems: int = 0
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> int:
        """How many documents became others."""
        return self.new + self.changed + self.moved + self.gone


_COUNTED = ("new", "changed", "moved", "gone", "same", "waiting", "problems", "notes")


class Folders:
    """The folders of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[Folder, ...]:
        """Every folder, by name."""
        return tuple(map(_folder, rows(self._engine, select(schema.folders).order_by(schema.folders.c.name))))

    def find(self, word: str) -> Folder | None:
        """The folder of that id, or of that name."""
        return next((each for each in self.all() if word in (each.id, each.name)), None)

    def add(self, folder: Folder, *, by: str) -> Folder:
        """Keep a new folder. Raises StoreError where one is called so already."""
        new = replace(folder, id=uuid.uuid4().hex, by=by, added=datetime.now(UTC))
        try:
            with writing(self._engine) as connection:
                connection.execute(insert(schema.folders), _row(new))
                audit.note(connection, by, "folder added", new.name, result=_told(new))
        except IntegrityError as error:
            raise _taken(folder.name) from error
        return new

    def put(self, folder: Folder, *, by: str) -> None:
        """Keep how a folder is mirrored from now on. Raises StoreError when it is gone, or another is called so."""
        table = schema.folders
        try:
            with writing(self._engine) as connection:
                row = _row(folder)
                if connection.execute(update(table).where(table.c.id == folder.id).values(**row)).rowcount == 0:
                    raise StoreError("There is no such folder.", "It may have been removed meanwhile.")
                audit.note(connection, by, "folder changed", folder.name, result=_told(folder))
        except IntegrityError as error:
            raise _taken(folder.name) from error

    def remove(self, id: str, *, by: str) -> None:
        """Mirror a folder no more; its documents stay what they are."""
        table = schema.folders
        with writing(self._engine) as connection:
            name = connection.scalar(select(table.c.name).where(table.c.id == id))
            connection.execute(delete(table).where(table.c.id == id))
            if name is not None:
                audit.note(connection, by, "folder removed", name)

    # Files

    def files(self, folder: str) -> dict[str, FolderFile]:
        """The files of a folder, by their paths."""
        table = schema.folder_files.c
        columns = (table.path, table.stamp, table.size, table.sha256, table.document, table.audience, table.problem)
        found = rows(self._engine, select(*columns).where(table.folder == folder).order_by(table.path))
        return {
            path: FolderFile(path, stamp, size, sha256, document, read_audience(audience), problem)
            for path, stamp, size, sha256, document, audience, problem in found
        }

    def put_files(self, folder: str, files: Iterable[FolderFile], *, instead_of: Collection[str] = ()) -> None:
        """Keep what was seen of files, in place of those paths and of their own."""
        table = schema.folder_files
        new = [{"folder": folder, **asdict(file), "audience": audience_field(file.audience)} for file in files]
        gone = [*instead_of, *(row["path"] for row in new)]
        with writing(self._engine) as connection:
            for start in range(0, len(gone), _AT_ONCE):
                some = gone[start : start + _AT_ONCE]
                connection.execute(delete(table).where(table.c.folder == folder, table.c.path.in_(some)))
            if new:
                connection.execute(insert(table), new)

    def owners(self, documents: Collection[str] | None = None) -> dict[str, tuple[str, str]]:
        """The names of documents, those or all, that are files of a folder: the id of that folder, and the path."""
        table = schema.folder_files.c
        query = select(table.document, table.folder, table.path).where(table.document != "")
        if documents is not None:
            query = query.where(table.document.in_(documents))
        return {document: (folder, path) for document, folder, path in rows(self._engine, query)}

    # Runs

    def begin(self, folder: str, cause: str) -> FolderRun:
        """A run that is under way from now on; `cause` is who or what set it off."""
        begun = datetime.now(UTC)
        row = {"folder": folder, "begun": begun, "cause": cause, "state": "running", "message": "", "hint": ""}
        with writing(self._engine) as connection:
            number = connection.execute(insert(schema.folder_runs).values(**row, record_json="{}")).inserted_primary_key
        assert number is not None
        return FolderRun(int(number[0]), folder, begun, cause)

    def end(self, run: FolderRun) -> FolderRun:
        """Write down what became of a run. A run of the clock or the watch in which nothing changed takes the place of
        one before it that ended alike."""
        table = schema.folder_runs
        run = replace(run, ended=datetime.now(UTC))
        record = {name: getattr(run, name) for name in _COUNTED}
        row = {"ended": run.ended, "state": run.state, "message": run.message, "hint": run.hint}
        with writing(self._engine) as connection:
            connection.execute(
                update(table).where(table.c.number == run.number).values(**row, record_json=json.dumps(record))
            )
            earlier = select(table).where(table.c.folder == run.folder, table.c.number < run.number)
            before = connection.execute(earlier.order_by(table.c.number.desc()).limit(1)).first()
            if before and not run.changes and run.state != "running" and _alike(_run(before), run):
                connection.execute(delete(table).where(table.c.number == before.number))
            kept = select(table.c.number).where(table.c.folder == run.folder).order_by(table.c.number.desc())
            numbers = list(connection.scalars(kept.offset(KEPT)))
            connection.execute(delete(table).where(table.c.number.in_(numbers)))
        return run

    def runs(self, folder: str, most: int = KEPT) -> tuple[FolderRun, ...]:
        """The runs of a folder, the newest first."""
        table = schema.folder_runs
        query = select(table).where(table.c.folder == folder).order_by(table.c.number.desc()).limit(most)
        return tuple(map(_run, rows(self._engine, query)))

    def break_off(self) -> None:
        """Say of runs that were under way when the last process ended that they were interrupted."""
        table = schema.folder_runs
        broken = {"state": "interrupted", "message": "The program ended.", "hint": "The next run goes on with it."}
        with writing(self._engine) as connection:
            connection.execute(update(table).where(table.c.state == "running").values(**broken))


def _folder(row: Sequence[Any]) -> Folder:
    (id, name, address, audience, rights, person, every, most, share, watched, paused, by, added) = row
    read = tuple((path, read_audience(field)) for path, field in json.loads(rights))
    return Folder(
        name, address, read_audience(audience), read, person, every, most, share, watched, paused, by, added, id
    )


def _row(folder: Folder) -> dict[str, Any]:
    row = asdict(folder)
    rights = [(path, audience_field(audience)) for path, audience in folder.rights]
    row |= {"audience": audience_field(folder.audience), "rights_json": json.dumps(rights)}
    del row["rights"]
    return row | {"added_by": row.pop("by")}


def _told(folder: Folder) -> str:
    """What the log says of a folder; never its password."""
    readers = audience_field(folder.audience).replace("\n", ", ") or "nobody"
    return f"{folder.address}; readers: {readers}; {len(folder.rights)} folders in it with their own"


def _run(row: Sequence[Any]) -> FolderRun:
    number, folder, begun, ended, cause, state, message, hint, record = row
    counts = json.loads(record)
    notes = tuple(counts.pop("notes", ()))
    return FolderRun(number, folder, begun, cause, state, ended, message, hint, **counts, notes=notes)


def _alike(one: FolderRun, other: FolderRun) -> bool:
    """Whether two runs say the same."""
    return replace(one, number=0, ended=None) == replace(other, number=0, begun=one.begun, ended=None)


def _taken(name: str) -> StoreError:
    return StoreError(f"There is already a folder called {name}.", "Give this one another name.")
