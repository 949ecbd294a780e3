"""The body of a request: how much of it is taken, one that was read already given once more, and what a call of a
function of the Ask page may hold.

Gradio takes far more than words and numbers. Where it finds a file in a call, however deep and whatever the function
takes, it fetches the file's address; so nothing that could hold one may pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def plain(call: Mapping[str, object], fields: Mapping[str, Callable[[object], bool]]) -> bool:
    """Whether a call of a function has nothing but these fields, and in each of them what the browser puts there."""
    return all(name in fields and fields[name](value) for name, value in call.items())


def _word(value: object) -> bool:
    return isinstance(value, str)


def _number(value: object) -> bool:
    return type(value) is int


JOIN_FIELDS: Mapping[str, Callable[[object], bool]] = {
    "data": lambda value: isinstance(value, list) and all(each is None or isinstance(each, str) for each in value),
    "event_data": lambda value: value is None or (isinstance(value, dict) and all(map(_word, value.values()))),
    "fn_index": _number,
    "trigger_id": lambda value: value is None or _number(value),
    "session_hash": _word,
}
"""The fields of a call that begins something; `event_data` is what a press sends along, the fields of a form."""
CANCEL_FIELDS: Mapping[str, Callable[[object], bool]] = {"event_id": _word, "fn_index": _number, "session_hash": _word}
"""The fields of a call that ends what was begun."""
