"""What a program is told when it gets no answer: a status, and a message in the shape that its address promises.

Knows nothing about requests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse

from trag import errors
from trag.errors import TragError
from trag.llm.queue import QueueFull

AGAIN = 10
"""Seconds after which it is worth asking again when the line is full."""
TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
"""What OpenAI calls a refusal; the others are invalid_request_error, and server_error from 500 on."""


class Refused(TragError):
    """A program's question that is not answered, and the HTTP status that says so."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


def refusal(path: str, error: Any) -> JSONResponse:
    """The response to a request to `path` that failed with `error`, which is one of SHOWN."""
    return response(path, status_of(error), words(error))


def response(path: str, status: int, message: str) -> JSONResponse:
    """A refusal as JSON, with the headers that go with its status."""
    headers = {"cache-control": "no-store"}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    if status == 429:
        headers["retry-after"] = str(AGAIN)
    return JSONResponse(said(path, status, message), status, headers)


def said(path: str, status: int, message: str) -> Mapping[str, Any]:
    """The body of a refusal: OpenAI's shape where OpenAI's clients ask."""
    if not path.startswith("/v1/"):
        return {"detail": message}
    kind = TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def status_of(error: Any) -> int:
    """The HTTP status of an error: what is neither the program's fault nor a full line is the assistant's."""
    if isinstance(error, Refused):
        return error.status
    return 429 if isinstance(error, QueueFull) else 503


def words(error: Any) -> str:
    """What an error says to a program, in one line."""
    return (
        f"{error.message} Ask again in {AGAIN} seconds." if isinstance(error, QueueFull) else errors.in_one_line(error)
    )
