"""What a server may send in answer to one request: so many bytes, uncompressed, until a moment, and from where it was
asked alone. Importing it loads the openai client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic

from httpx2 import Response, SyncByteStream
from openai import DefaultHttpxClient


@dataclass(frozen=True, slots=True)
class Allowance:
    """`size` bytes until `until` (monotonic), and none once the asker has `left`."""

    size: int
    until: float
    left: threading.Event


class BeyondAllowanceError(Exception):
    """A server sends what it may not; its text goes on from the server's name."""


ALLOWANCE: ContextVar[Allowance] = ContextVar("ALLOWANCE")
"""What may be sent to the thread that asks."""


def bounded_client() -> DefaultHttpxClient:
    """An HTTP client that follows no redirect: what was asked would go to whom nobody named. What it reads raises
    BeyondAllowanceError as soon as it is more than ALLOWANCE."""
    plain = {"accept-encoding": "identity"}
    return DefaultHttpxClient(follow_redirects=False, headers=plain, event_hooks={"response": [_bound]})


def _bound(response: Response) -> None:
    assert isinstance(response.stream, SyncByteStream)
    response.stream = _Bounded(response.stream, response.headers.get("content-encoding", ""), ALLOWANCE.get())


class _Bounded(SyncByteStream):
    """The bytes of a response, before anything is made of them."""

    def __init__(self, stream: SyncByteStream, encoding: str, allowed: Allowance) -> None:
        self._stream, self._encoding, self._allowed = stream, encoding, allowed

    def __iter__(self) -> Iterator[bytes]:
        if self._encoding not in ("", "identity"):  # a few bytes of it may be gigabytes
            raise BeyondAllowanceError("sends its answer compressed, which it was asked not to.")
        size = 0
        for part in self._stream:
            size += len(part)
            if size > self._allowed.size:
                raise BeyondAllowanceError(f"sends more than {self._allowed.size:,} bytes for one short answer.")
            if self._allowed.left.is_set() or monotonic() > self._allowed.until:
                raise BeyondAllowanceError("comes to no end.")
            yield part

    def close(self) -> None:
        self._stream.close()
