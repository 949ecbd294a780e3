"""Long work, as whoever waits for it sees it: how far it has come, and the wish that it ends early."""

from __future__ import annotations

import threading
from collections.abc import Callable

BY_READER = "stopped by the reader"
Progress = Callable[[str, int, int], None]
"""Told the step, how much of it is done, and how much there is to do."""


def silent(step: str, done: int, total: int) -> None:
    """The Progress that nobody watches."""


class Cancelled(Exception):
    """Work was ended early because somebody wished it; what is done of it is kept."""


class CancelToken(threading.Event):
    """Ends an answer early; `reason` is what its record says of that."""

    reason = BY_READER

    def set(self, reason: str = BY_READER) -> None:
        """End it; the first reason counts."""
        if not self.is_set():
            self.reason = reason
        super().set()
