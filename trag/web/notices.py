"""What was done a moment ago, said on the page that the browser goes on to: a receipt, how many pairs were approved.

Kept in memory under a token that travels in the address, so that a reload says it again and does nothing again.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

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

    def go(self, path: str, notice: Notice | None = None) -> Response:
        """Send the browser on to a page of ours, which says the notice."""
        start, _, place = path.partition("#")
        if notice:
            start += ("&" if "?" in start else "?") + urlencode({"told": self._keep(notice)})
        return RedirectResponse(start + (f"#{place}" if place else ""), 303)

    def said(self, request: Request) -> Notice | None:
        """The notice that an address names, None for none and for one that is not known or known no more."""
        return self._kept.get(request.query_params.get("told", ""))

    def _keep(self, notice: Notice) -> str:
        """The token of a notice."""
        token = secrets.token_urlsafe(9)
        with self._lock:
            self._kept[token] = notice
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return token
