"""What functions of the Ask page gave, and nobody comes for: Gradio keeps it until its page does, whatever its size. A
whole page may have a megabyte, so the oldest goes once somebody has left too much.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import gradio as gr
from fastapi import Response
from gradio.server_messages import UnexpectedErrorMessage

from trag.web.gate import FOLLOW, JOIN

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST = 64
"""Calls of one person that are under way or wait to be fetched. A page that is open fetches each at once."""
_GONE = f"data: {UnexpectedErrorMessage(message='Reload the page.', session_not_found=True).model_dump_json()}\n\n"
"""What Gradio says to a page that it does not know, without the traceback that it logs for each."""


class Page(gr.Blocks):
    """A page whose calls can be let go of. A tab is one open page, by the name that it gives itself."""

    def waiting(self, tabs: Iterable[str]) -> int:
        """How many calls of these tabs are under way or wait to be fetched."""
        return sum(len(self._queue.pending_event_ids_session.get(each, ())) for each in tabs)

    def knows(self, tab: str) -> bool:
        """Whether there is, or will be, anything to fetch for a tab."""
        return tab in self._queue.pending_messages_per_session

    async def let_go(self, tab: str) -> None:
        """End the calls of a tab and forget what they gave, as when it is closed."""
        await self._queue.clean_events(session_hash=tab)
        self._queue.pending_messages_per_session.pop(tab, None)
        self._queue.pending_event_ids_session.pop(tab, None)


@dataclass(frozen=True, slots=True)
class AbandonedCalls:
    """An ASGI app between the gate, which has looked at each call, and Gradio, which has the page."""

    app: ASGIApp
    page: Page
    _tabs: dict[str, list[str]] = field(default_factory=dict)  # of each person, the last used last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == JOIN:
            await self._make_room(scope["state"]["caller"].person, scope["state"]["tab"])
        elif scope["type"] == "http" and scope["path"] == FOLLOW and not self.page.knows(scope["state"]["tab"]):
            await Response(_GONE, media_type="text/event-stream")(scope, receive, send)
            return
        await self.app(scope, receive, send)

    async def _make_room(self, person: str, tab: str) -> None:
        """For one more call of a person."""
        tabs = [each for each in self._tabs.get(person, ()) if each != tab and self.page.waiting([each])] + [tab]
        self._tabs[person] = tabs
        for oldest in tabs:
            if self.page.waiting(tabs) < MOST:
                return
            await self.page.let_go(oldest)
