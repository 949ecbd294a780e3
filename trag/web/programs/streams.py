"""An answer told while it is written, as server-sent events: our own ones, which tell the draft and take it back.

Knows nothing about where events come from. (WHATWG HTML, 9.2 Server-sent events.)
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from trag.errors import SHOWN
from trag.events import Answer, Event, Found, Retry, Token, Waiting
from trag.json_lines import as_line
from trag.web.programs.refusals import words


async def streamed(events: AsyncIterator[Event]) -> AsyncIterator[str]:
    """Each event as text; `error` in place of `answer` when there is none."""
    try:
        async for event in events:
            yield told(event)
    except SHOWN as error:
        yield sent({"detail": words(error)}, "error")


def told(event: Event) -> str:
    """One event as text."""
    match event:
        case Waiting(position):
            return sent({"position": position}, "waiting")
        case Found():
            return sent(asdict(event), "found")
        case Token(text):
            return sent({"text": text}, "token")
        case Retry(reason):
            return sent({"reason": reason}, "retry")
        case Answer(record):
            return sent(json.loads(record.to_json()), "answer")


def sent(data: Any, name: str = "") -> str:
    """A server-sent event with JSON, which is one line, for its data."""
    kind = f"event: {name}\n" if name else ""
    return f"{kind}data: {as_line(data)}\n\n"
