"""Conversations that nobody goes on with are forgotten after as many days as an admin chose, by a thread of its own."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from store.person import Forgotten
from trag.errors import SHOWN

if TYPE_CHECKING:
    from store.records import Records

log = logging.getLogger(__name__)

EVERY = 3_600.0
"""Seconds between two passes."""
PROGRAM = "the program"
"""Who did it, in the audit log."""


def forget_old(records: Records, now: datetime) -> Forgotten:
    """One pass: what is older than the days that are chosen is forgotten, as `forget_before` does; nothing where it is
    kept for ever."""
    days = records.appearances.current().days_kept
    return records.forget_before(now - timedelta(days=days), by=PROGRAM) if days else Forgotten(0, 0, 0)


class Retention:
    """The passes over the records of one home, the first at once. `close` ends them."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._due = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)

    def start(self) -> None:
        """Forget what is old from now on."""
        self._thread.start()

    def look_now(self) -> None:
        """Make the next pass at once, as after another choice of days."""
        self._due.set()

    def close(self) -> None:
        """End the thread, after the pass that is under way."""
        self._closing = True
        self._due.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._closing:
            self._due.clear()
            try:
                forget_old(self._records, datetime.now(UTC))
            except SHOWN as error:
                log.error("old conversations were not forgotten: %s", error.message)
            except Exception:
                # A fault of the program must not end the thread, which nobody would see.
                log.exception("old conversations were not forgotten")
            if not self._closing:
                self._due.wait(EVERY)
