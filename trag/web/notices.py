"""What was done a moment ago, said on the page that the browser goes on to: a receipt, how many pairs were approved.

Kept in memory under a token that travels in the address, so that a reload says it again and does nothing again.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

KEPT = 200
"""Notices that are remembered."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A line or two; `good` when what was asked for was done."""

    text: str
    good: bool = True
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notices:
    """The last notices of one app."""

    _kept: OrderedDict[str, Notice] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, notice: Notice) -> str:
        """The token of a notice."""
        token = secrets.token_urlsafe(9)
        with self._lock:
            self._kept[token] = notice
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return token

    def find(self, token: str) -> Notice | None:
        """The notice of a token, None for one that is not known or known no more."""
        return self._kept.get(token)
