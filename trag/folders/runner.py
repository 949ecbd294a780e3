"""The runs of a home's folders, one after the other in a thread of their own: those of the clock, of what is heard of a
folder that is watched, and those that an admin asks for."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from store.folders import Folder, FolderRun
from trag.errors import SHOWN, TragError, later
from trag.folders.changes import SETTLED
from trag.folders.mirroring import mirror
from trag.folders.watching import Watches
from trag.progress import Cancelled

if TYPE_CHECKING:
    from trag.home import Home

log = logging.getLogger(__name__)

PACE = 2.0
"""Seconds between two looks whether a run is due."""
_AGAIN = 20.0
"""Seconds until the records are tried again that could not be read or written."""
_WAITED = timedelta(seconds=30)
"""After which files are looked at again that somebody was writing to."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A run that somebody, or something, wants of a folder from a moment on. See `mirroring.mirror`."""

    cause: str
    since: datetime
    let_go: int = 0
    again: bool = False


@dataclass(frozen=True, slots=True)
class UnderWay:
    """The run that goes on now, and how far it has come."""

    folder: str
    step: str = ""
    done: int = 0
    total: int = 0


class FolderRunner:
    """What mirrors the folders of one home."""

    def __init__(self, home: Home) -> None:
        self.now: UnderWay | None = None
        self._home = home
        self._wishes: dict[str, Wish] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._come = threading.Event()
        self._stop = threading.Event()
        self._watches = Watches(self._heard)
        self._thread = threading.Thread(target=self._run, name="folders", daemon=True)

    def start(self) -> None:
        """Begin. Of runs that were under way when the last process ended it says that they were interrupted."""
        self._home.records.folders.break_off()
        self._thread.start()

    def close(self) -> None:
        """End the thread; the run that is under way goes on after the next start."""
        self._closing.set()
        self._come.set()
        if self._thread.is_alive():
            self._thread.join()
        self._watches.close()

    def ask(self, folder: str, *, by: str, let_go: int = 0) -> None:
        """Have a folder mirrored next. Raises TragError while it is."""
        if self.now and self.now.folder == folder:
            raise TragError(
                later("This folder is being looked at already."), later("Wait until that is done, or stop it.")
            )
        self._wish(folder, Wish(by, datetime.now(UTC), let_go, again=True))

    def stop(self, folder: str) -> None:
        """End the run of a folder where it is, and the wish for one."""
        with self._lock:
            self._wishes.pop(folder, None)
            if self.now and self.now.folder == folder:
                self._stop.set()

    def waits(self, folder: str) -> bool:
        """Whether a run of a folder was asked for, and has not begun."""
        return folder in self._wishes

    def work_off(self, now: datetime | None = None) -> None:
        """Run all that is due."""
        folders = self._home.records.folders
        every = folders.all()
        self._watches.keep(every)
        for folder in every:
            if self._closing.is_set():
                return
            last = next(iter(folders.runs(folder.id, 1)), None)
            if wish := self._due(folder, last, now or datetime.now(UTC)):
                self._mirror(folder, wish)

    def _due(self, folder: Folder, last: FolderRun | None, now: datetime) -> Wish | None:
        with self._lock:
            wish = self._wishes.get(folder.id)
            if wish and wish.since <= now:
                return self._wishes.pop(folder.id)
        if folder.paused:
            return None
        if last is None or last.state == "interrupted":
            return Wish("the clock", now)
        ended = last.ended or last.begun
        is_time = folder.every and now >= last.begun + timedelta(minutes=folder.every)
        return Wish("the clock", now) if is_time or (last.waiting and now >= ended + _WAITED) else None

    def _mirror(self, folder: Folder, wish: Wish) -> None:
        home = self._home
        self._stop.clear()
        self.now = UnderWay(folder.id, "opening the documents")

        def progress(step: str, done: int, total: int) -> None:
            if self._closing.is_set() or self._stop.is_set():
                raise Cancelled
            self.now = UnderWay(folder.id, step, done, total)

        run = home.records.folders.begin(folder.id, wish.cause)
        try:
            run = mirror(folder, home.stock, run, progress, let_go=wish.let_go, again=wish.again)
            if run.state == "stopped" and self._closing.is_set():
                message = "The program ended."
                home.records.folders.end(replace(run, state="interrupted", message=message))
            if run.changes:
                home.look_over()
        except Exception as error:
            # A fault of the program in one folder must not keep the others waiting for ever.
            if not isinstance(error, SHOWN):
                log.exception("a fault in the run of the folder %r", folder.name)
            message = error.message if isinstance(error, SHOWN) else "A fault in the program; its log says more."
            home.records.folders.end(replace(run, state="failed", message=message))
        finally:
            self.now = None

    def _heard(self, folder: str) -> None:
        """Whoever writes has not ended yet."""
        since = datetime.now(UTC) + timedelta(seconds=SETTLED)
        with self._lock:
            known = self._wishes.get(folder)
        if known is None or known.cause == "a change":
            self._wish(folder, Wish("a change", since))

    def _wish(self, folder: str, wish: Wish) -> None:
        with self._lock:
            self._wishes[folder] = wish
        self._come.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._come.clear()
            failed = False
            try:
                self.work_off()
            except Exception as error:
                # A fault of the program must not end the thread, which nobody would see.
                failed = True
                if isinstance(error, SHOWN):
                    log.error("folders stand still: %s", error.message)
                else:
                    log.exception("folders stand still")
            self._come.wait(_AGAIN if failed else PACE)
