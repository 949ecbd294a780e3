"""Folders as an admin adds, changes and removes them, from the terminal or the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from store.folders import Folder
from trag.errors import TragError, later
from trag.folders.listing import Local
from trag.folders.mirroring import set_readers
from trag.folders.opening import checked_address, keep_password
from trag.folders.rights import read_readers, read_rights
from trag.ingest.forgetting import Receipt, forget_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trag.home import Home

LONGEST = 200
"""Characters of a name, an address or the name of a person there."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How somebody wants a folder mirrored, as they typed it. `readers` are words (`rights.read_readers`), `table` is
    the text of the table of folders in it."""

    readers: Sequence[str]
    table: str = ""
    every: int = 60
    watched: bool = True
    most_gone: int = 50
    share_gone: int = 10


def add(home: Home, name: str, address: str, wanted: Wanted, *, person: str, password: str, by: str) -> Folder:
    """A new folder, which waits to be looked at: it is paused. Raises TragError for what cannot be mirrored."""
    name = " ".join(name.split())
    if not name or max(map(len, (name, address, person))) > LONGEST or "/" in name or name in (".", ".."):
        raise TragError(
            later("The folder has no name that can be used."),
            later("Up to %(most)s characters, without a slash.", most=LONGEST),
        )
    address = checked_address(address, home.folder)
    for other in home.records.folders.all():
        mine, theirs = PurePosixPath(address), PurePosixPath(other.address)
        if mine.is_relative_to(theirs) or theirs.is_relative_to(mine):
            raise TragError(
                later("%(name)s is that folder, or one in it or above it.", name=other.name),
                later("Its files would come twice."),
            )
    folder = _wanted(home, Folder(name, address, frozenset(), person=person, paused=True), wanted)
    if folder.remote:
        if not password and person:
            raise TragError(
                later("The password is missing."), later("Type it: it is kept in a file of the program's account.")
            )
    elif person or password:
        raise TragError(
            later("A folder of this machine has no password."), later("Leave the name and the password empty.")
        )
    else:
        from pathlib import Path

        Local(Path(address)).check()
    folder = home.records.folders.add(folder, by=by)
    keep_password(home.folder, folder.id, password)
    return folder


def change(home: Home, folder: Folder, wanted: Wanted, *, by: str, password: str = "") -> Folder:
    """A folder as it is mirrored from now on; its documents have their new readers when this returns. An empty password
    leaves the one that is kept."""
    new = _wanted(home, folder, wanted)
    home.records.folders.put(new, by=by)
    if password and folder.remote:
        keep_password(home.folder, folder.id, password)
    set_readers(new, home.stock)
    return new


def pause(home: Home, folder: Folder, paused: bool, *, by: str) -> None:
    """Whether a folder is not mirrored by itself."""
    home.records.folders.put(replace(folder, paused=paused), by=by)


def remove(home: Home, folder: Folder, *, forget: bool, by: str) -> tuple[Receipt, ...]:
    """Mirror a folder no more. Its documents stay as they are, or are forgotten with it: a receipt for each."""
    documents = [file.document for file in home.records.folders.files(folder.id).values() if file.document]
    receipts: tuple[Receipt, ...] = ()
    if forget:
        receipts = forget_all(documents, home.stock, by=by)
        home.look_over()
    home.records.folders.remove(folder.id, by=by)
    keep_password(home.folder, folder.id, "")
    return receipts


def _wanted(home: Home, folder: Folder, wanted: Wanted) -> Folder:
    chart = home.organization.chart
    if not 0 <= wanted.every <= 100_000:
        raise TragError(
            later("The minutes between two runs are no whole number up to %(most)s.", most=100_000),
            later("0 is never by itself."),
        )
    if not (0 <= wanted.most_gone <= 1_000_000 and 0 <= wanted.share_gone <= 100):
        raise TragError(
            later("What may go unasked is no number of files and no share from 0 to 100 percent."), later("Correct it.")
        )
    return replace(
        folder,
        audience=read_readers(wanted.readers, chart, kept=folder.audience),
        rights=read_rights(wanted.table, chart),
        every=wanted.every,
        watched=wanted.watched,
        most_gone=wanted.most_gone,
        share_gone=wanted.share_gone,
    )
