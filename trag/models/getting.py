"""A model of the catalogue fetched while the app goes on: one at a time, watched, stopped, and gone on with."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trag.background import BackgroundJob
from trag.models.catalogue import CatalogueModel
from trag.models.fetching import check_room, fetch
from trag.progress import Cancelled

if TYPE_CHECKING:
    from store.audit import Audit


@dataclass(frozen=True, slots=True)
class Getting:
    """What is fetched, because `by` asked for it: `done` of `total` bytes of what is being done."""

    name: str
    by: str
    doing: str = ""
    done: int = 0
    total: int = 0


class ModelFetch(BackgroundJob[Getting]):
    """The fetch of an app that goes on, or went on last. What a stop or a kill leaves is gone on with by the next."""

    def __init__(self, audit: Audit) -> None:
        super().__init__("A fetch", lambda: None, lambda: False)
        self._audit = audit

    def begin(self, model: CatalogueModel, *, by: str, where: str = "") -> None:
        """Raises TragError while another goes on, and where the disk has no room."""
        self._refuse_second()
        check_room(model)
        about = Getting(model.name, by)

        def work(stop: threading.Event) -> bool:
            def say(step: str, done: int, total: int) -> None:
                if stop.is_set():
                    raise Cancelled
                self._tell(replace(about, doing=step, done=done, total=total), part=step, done=done, total=total)

            try:
                fetch(model, progress=say)
            except Cancelled:
                return False
            self._audit.add(by, "model fetched", model.name, where=where, result=model.sha256)
            return True

        self._start(about, work)
