"""What is shown once and then forgotten: links and tokens, which are kept nowhere in plain.

Knows nothing about what they open.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

KEPT = 200
LASTS = 300.0
"""Seconds that a browser may take to come for it."""


@dataclass(frozen=True, slots=True)
class Given:
    """Secrets for somebody to take down: a headline, a word of advice, and each secret with what it is for."""

    text: str
    advice: str
    secrets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Once:
    """What waits to be shown, each to one person."""

    _kept: OrderedDict[str, tuple[str, float, Given]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, person: str, given: Given) -> str:
        """The ticket under which that person is shown it."""
        ticket = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[ticket] = person, time.monotonic(), given
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return ticket

    def take(self, person: str, ticket: str) -> Given | None:
        """What waits under a ticket; gone after that, and nothing for anybody else."""
        with self._lock:
            whose, since, given = self._kept.get(ticket, ("", 0.0, None))
            if given is None or whose != person:
                return None
            del self._kept[ticket]
        return given if time.monotonic() - since < LASTS else None
