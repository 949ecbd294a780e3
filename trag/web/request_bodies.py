"""The body of a request: how much of it is taken, one that was read already given once more, and what a call of a
function of the Ask page may hold.

Gradio takes far more than words and numbers. Where it finds a file in a call, however deep and whatever the function
takes, it fetches the file's address; so nothing that could hold one may pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope


class TooLargeError(Exception):
    """More came than may come; raised where the app reads, so that it can clear away what it has."""


class BrokenOffError(Exception):
    """Only a part came: nothing is done with half a form."""


def bounded(scope: Scope, receive: Receive, most: int) -> Receive:
    """`receive` that gives `most` bytes, and nothing when more than that is announced. Raises TooLargeError."""
    announced = Headers(scope=scope).get("content-length", "")
    taken = most + 1 if announced.isdecimal() and int(announced) > most else 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive() if taken <= most else {}
        taken += len(message.get("body", b""))
        if taken > most:
            raise TooLargeError
        return message

    return bounded


async def whole(receive: Receive, most: int) -> bytes:
    """The body in one piece. Raises TooLargeError beyond `most` bytes, whatever length was announced, and
    BrokenOffError when its sender leaves before the end of it."""
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BrokenOffError
        body += message.get("body", b"")
        if len(body) > most:
            raise TooLargeError
        if not message.get("more_body"):
            return body


def replayed(body: bytes, receive: Receive) -> Receive:
    """`receive` that gives `body` first."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


@dataclass(frozen=True, slots=True)
class Join:
    """What a call has that begins something; `event_data` is what a press sends along, the fields of a form."""

    data: tuple[str | None, ...] = ()
    event_data: Mapping[str, str] | None = None
    fn_index: int = 0
    trigger_id: int | None = None
    session_hash: str = ""


@dataclass(frozen=True, slots=True)
class Cancel:
    """What a call has that ends what was begun."""

    event_id: str = ""
    fn_index: int = 0
    session_hash: str = ""
