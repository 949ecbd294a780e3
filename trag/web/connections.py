"""The connections of clients: those who dawdle are closed, and none of them keeps others out.

uvicorn closes a connection that says nothing after an answer. For a head or a body that comes by the drop, an answer
that nobody reads, or a client that never says anything, it would wait for ever.
"""

from __future__ import annotations

import asyncio
import resource

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 20.0
"""Seconds for the head of a request, for the next part of its body, and for whoever does not read the answer."""
RATE = 500
"""Bytes of a body that must come each second when that time is used up (as in Apache's mod_reqtimeout)."""
PACE = 1.0
"""Seconds between two looks at a connection."""
MOST = 2_000
"""Connections that are held however many files a process may have open."""
BACKLOG = 128
"""Connections that may come at once, before any can be closed for them."""


def most(files: int) -> int:
    """Connections that a process holds which may have so many files open: a third, since pages, records and documents
    take files too, and so do connections in the moment in which they come and go."""
    return MOST if files == resource.RLIM_INFINITY else min(max(files // 3, 10), MOST)


class Connection(H11Protocol):
    """uvicorn's connection, closed when its client is late. Where there are more than `most`, the one whose client has
    the least time left makes room: others who come are let in, however many are held open."""

    until: float
    """When its client is late, in the time of the loop."""
    most = most(resource.getrlimit(resource.RLIMIT_NOFILE)[0])

    @property
    def waits(self) -> bool:
        """Whether it is its client's turn: to ask, to send the rest of a body, or to read."""
        if self.transport.is_closing():  # it is open until all is read
            return True
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body or self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unread = 0
        self._allow()
        self.loop.call_later(PACE, self._look)
        if len(self.connections) > self.most:
            others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
            if waiting := [each for each in others if each.waits]:
                min(waiting, key=lambda each: each.until).hang_up()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._allow()
        elif before and not before.response_complete:
            self.until = min(self.until + len(data) / RATE, self.loop.time() + PATIENCE)

    def on_response_complete(self) -> None:
        self._allow()
        super().on_response_complete()

    def _allow(self) -> None:
        """The client's time begins anew."""
        self.until = self.loop.time() + PATIENCE

    def hang_up(self) -> None:
        """Close the connection whatever is unread."""
        self.connections.discard(self)
        self.transport.abort()

    def _look(self) -> None:
        if self not in self.connections:
            return
        unread = self.transport.get_write_buffer_size()
        # Some of the answer was read; or what has come is not taken in yet, so its client cannot send more.
        if unread != self._unread or (self.flow.read_paused and not unread):
            self._allow()
        self._unread = unread
        if self.waits and self.loop.time() > self.until:
            self.hang_up()
            return
        self.loop.call_later(PACE, self._look)
