"""Being told by the operating system when something changes in a folder. Shares that are mounted from elsewhere tell
little or nothing of what others do there: the clock finds that."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from store.folders import Folder
from trag.folders.listing import hidden

log = logging.getLogger(__name__)

_AGAIN = 60.0
"""Seconds until a folder is watched again that could not be."""


class Watches:
    """The folders that are watched now, each in a thread of its own; `heard` is told the id of one in which something
    changed."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard
        self._watched: dict[tuple[str, str], tuple[threading.Event, threading.Thread]] = {}

    def keep(self, folders: Iterable[Folder]) -> None:
        """Watch those of these folders that are to be, and no others."""
        wanted = {(each.id, each.address) for each in folders if each.watched and not (each.paused or each.remote)}
        for key in self._watched.keys() - wanted:
            self._watched.pop(key)[0].set()
        for key in wanted - self._watched.keys():
            stop = threading.Event()
            thread = threading.Thread(target=self._watch, args=(*key, stop), name="watching a folder", daemon=True)
            self._watched[key] = stop, thread
            thread.start()

    def close(self) -> None:
        """Watch nothing any more."""
        ending = [thread for _, thread in self._watched.values()]
        self.keep(())
        for thread in ending:
            thread.join(5)

    def _watch(self, id: str, address: str, stop: threading.Event) -> None:
        from watchfiles import watch

        def counts(_: object, path: str) -> bool:
            return not any(map(hidden, Path(path).relative_to(address).parts)) if path.startswith(address) else True

        failed = False
        while not stop.is_set():
            try:
                for _ in watch(address, watch_filter=counts, stop_event=stop, raise_interrupt=False):
                    self._heard(id)
                failed = False
            except (OSError, RuntimeError) as error:  # gone, or more folders than the system watches at once
                if not failed:
                    log.warning("%s is not watched, and looked at by the clock alone: %s", address, error)
                failed = True
                stop.wait(_AGAIN)
