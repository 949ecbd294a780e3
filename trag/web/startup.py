"""The assistant of an app, opened beside its pages; and again where that failed and somebody asks once more.

What it needs may be there a moment later than the app: a Chroma server, a model file. Knows nothing about pages, or
how an answer is made.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from time import monotonic
from typing import TYPE_CHECKING

from trag.errors import SHOWN, in_one_line

if TYPE_CHECKING:
    from trag.ask import Assistant

log = logging.getLogger(__name__)

PAUSE = 5.0
"""Seconds between a failure and the next try."""


class Opening:
    """What `open` gives, called in `threads`, then `warm`: at once, and again while it fails with what people can put
    right."""

    def __init__(self, threads: Executor, open: Callable[[], Assistant], warm: Callable[[], None]) -> None:
        self._threads = threads
        self._open = open
        self._warm = warm
        self._lock = threading.Lock()
        self._again = math.inf  # when to try again (monotonic)
        self._latest = threads.submit(self._opened)

    def latest(self) -> Future[Assistant]:
        """The latest try, a new one where the one before failed a while ago."""
        with self._lock:
            if monotonic() >= self._again:
                self._again = math.inf
                self._latest = self._threads.submit(self._opened)
            return self._latest

    def result(self) -> Assistant:
        """The assistant, as soon as it is open. Raises why it cannot be opened."""
        return self.latest().result()

    def _opened(self) -> Assistant:
        try:
            assistant = self._open()
        except SHOWN as error:
            log.error("the assistant cannot be opened: %s", in_one_line(error))
            self._again = monotonic() + PAUSE
            raise
        except Exception:
            log.exception("a fault in the program: the assistant cannot be opened")
            raise
        # In a thread that nobody waits for: closing the model ends it.
        threading.Thread(target=self._warmed, name="warming", daemon=True).start()
        return assistant

    def _warmed(self) -> None:
        try:
            self._warm()
        except SHOWN as error:
            log.warning("the model is not warm yet: %s", in_one_line(error))
