"""The wish that an answer ends early, and who had it.

Knows nothing about who may wish it, or how an answer ends.
"""

import threading

BY_READER = "stopped by the reader"


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
