"""The gate in front of every page: who may call what, how much may be sent, and what the browser is told.

request -> refused, or passed on -> response with its headers

Gradio serves many routes and trusts many headers; only those that our pages need are let through. Accounts come later;
until then the gate answers to this machine's own names only. Knows nothing about pages or answers.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from org.reading.table import MAX_BYTES
from trag.limited import Limits
from trag.web.quality import LARGEST_SET

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
"""What this machine calls itself: a page elsewhere that points its own name here (DNS rebinding) is refused."""
LARGEST = 1_000_000
"""Bytes a request may carry: a pasted book gets a kind answer from the page, more than that is refused here."""

UPLOADS = {
    "/charts/uploads": ("A chart", MAX_BYTES),
    "/documents/uploads": ("A document", Limits().file_bytes),
    "/documents/pairs/import": ("A file of pairs", MAX_BYTES),
    "/quality/cases": ("A set of questions", LARGEST_SET),
}
"""The paths that a file is sent to, its body passed on as it comes: what it is called, and the bytes it may have."""

READ = ("/", "/healthz", "/ask.css", "/theme.css", "/favicon.ico", "/gradio_api/queue/data", "/gradio_api/app_id")
READ_UNDER = ("/assets/", "/static/js/")
READ_OURS = re.compile(
    r"/(?:pages|sending|(?:charts|documents|quality)(?:_\w+)?)\.(?:css|js)"
    r"|/charts(?:/sample\.csv"
    r"|/(?:uploads/[0-9a-f]{64}|versions/[0-9a-f]{12})"
    r"(?:/(?:ready|picture|units/\d{1,6}|(?:problems|changes|chart)\.csv|chart\.xlsx|(?:chart|tree)\.json))?)?"
    r"|/documents(?:/queue|/units|/examples|/pairs(?:\.csv|\.jsonl)?"
    r"|/[0-9a-f]{32}(?:/(?:original|view|pages/\d{1,6}\.png))?)?"
    r"|/quality(?:/progress|/compare|/sample\.jsonl|/cases/[0-9a-f]{64}\.jsonl"
    r"|/runs/\d{8}-\d{6}(?:-\d{1,4})?(?:/(?:report\.md|answers\.csv|run\.json|answers/\d{1,6}))?)?"
)
WRITE = ("/gradio_api/queue/join", "/gradio_api/cancel", "/gradio_api/reset", *UPLOADS)
WRITE_OURS = re.compile(
    r"/charts/(?:uploads/[0-9a-f]{64}/(?:activate|discard)|versions/[0-9a-f]{12}/activate)"
    r"|/documents/(?:queue/(?:clear|[\w-]{1,64}/(?:cancel|retry))|examples|pairs(?:/many)?|[0-9a-f]{32}/(?:delete|audience))"
    r"|/quality/(?:stop|dismiss|runs|cases/(?:chart|[0-9a-f]{64}/remove)"
    r"|runs/\d{8}-\d{6}(?:-\d{1,4})?/(?:resume|remove|answers/\d{1,6}/label))"
)

# Gradio's HTML component compiles its templates ('unsafe-eval') and sets styles in place; scripts need the nonce.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


@dataclass(frozen=True, slots=True)
class Gate:
    """An ASGI app around another one."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = _Answer(send)
        refusal = refused(scope)
        if refusal is not None:
            log.warning("refused %s %r: %s %s", scope["method"], scope["path"], *refusal)
            await answer.refuse(*refusal)
            return
        # No caller is believed about proxies; a page comes uncompressed, so that its scripts can be given the nonce.
        kept = [(name, value) for name, value in scope["headers"] if not _untrusted(name, scope["path"])]
        scope = {**scope, "headers": kept}
        if scope["path"] in UPLOADS:
            what, most = UPLOADS[scope["path"]]
            try:
                await self.app(scope, _bounded(scope, receive, most), answer.pass_on)
            except _TooLargeError:
                await answer.refuse(413, f"{what} may have {most:,} bytes.")
            return
        body = await _body(receive)
        if body is None:
            await answer.refuse(413, f"A request may carry {LARGEST:,} bytes.")
            return
        await self.app(scope, _replayed(body, receive), answer.pass_on)


def refused(scope: Scope) -> tuple[int, str] | None:
    """The status and the reason with which a request is turned away, None when it may pass."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if _name(host) not in LOCAL:
        return 421, "This assistant answers on this machine only, at localhost or 127.0.0.1."
    reading, path = scope["method"] in ("GET", "HEAD"), scope["path"]
    if reading:
        known = path in READ or path.startswith(READ_UNDER) or READ_OURS.fullmatch(path)
    else:
        known = scope["method"] == "POST" and (path in WRITE or WRITE_OURS.fullmatch(path))
    if not known:
        return 404, "There is nothing here."
    # A link from elsewhere may open the page; nothing else may be called from another site.
    opened = reading and headers.get("sec-fetch-mode") == "navigate"
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not opened:
        return 403, "Calls from another site are refused."
    if headers.get("origin", f"http://{host}") not in (f"http://{host}", f"https://{host}"):
        return 403, "Calls from another site are refused."
    return None


class _Answer:
    """What goes back to the browser: every response gets the headers, a page gets a nonce for its scripts."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._nonce = secrets.token_urlsafe(16)
        self._held: Message | None = None
        self._page = b""

    async def refuse(self, status: int, reason: str) -> None:
        """A short answer in place of what was asked for."""
        body = json.dumps({"detail": reason}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self.pass_on({"type": "http.response.start", "status": status, "headers": headers})
        await self.pass_on({"type": "http.response.body", "body": body})

    async def pass_on(self, message: Message) -> None:
        """One message of the app. A page is held until it is whole."""
        if message["type"] == "http.response.start":
            headers = self._headers(message)
            message = {**message, "headers": headers.raw}
            if headers.get("content-type", "").startswith("text/html"):
                headers["cache-control"] = "no-store"
                self._held = message
                return
        elif self._held is not None:
            self._page += message.get("body", b"")
            if message.get("more_body"):
                return
            page = self._page.replace(b"<script", f'<script nonce="{self._nonce}"'.encode())
            MutableHeaders(raw=self._held["headers"])["content-length"] = str(len(page))
            await self._send(self._held)
            message = {"type": "http.response.body", "body": page}
        await self._send(message)

    def _headers(self, start: Message) -> MutableHeaders:
        headers = MutableHeaders(
            raw=[(n, v) for n, v in start["headers"] if not n.lower().startswith(b"access-control-")]
        )
        headers["content-security-policy"] = POLICY.format(nonce=self._nonce)
        headers["x-content-type-options"] = "nosniff"
        headers["x-frame-options"] = "DENY"
        # Other sites learn nothing; with "no-referrer" the browser would not say where our own forms come from either.
        headers["referrer-policy"] = "same-origin"
        headers["cross-origin-opener-policy"] = "same-origin"
        headers["cross-origin-resource-policy"] = "same-origin"
        return headers


class _TooLargeError(Exception):
    """More came than may come; raised where the app reads, so that it can clear away what it has."""


def _bounded(scope: Scope, receive: Receive, most: int) -> Receive:
    """`receive` that gives `most` bytes, and nothing when more than that is announced."""
    announced = Headers(scope=scope).get("content-length", "")
    taken = most + 1 if announced.isdecimal() and int(announced) > most else 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive() if taken <= most else {}
        taken += len(message.get("body", b""))
        if taken > most:
            raise _TooLargeError
        return message

    return bounded


async def _body(receive: Receive) -> bytes | None:
    """The whole body of a request, None when it is larger than it may be, whatever length was announced."""
    body = b""
    while len(body) <= LARGEST:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body if len(body) <= LARGEST else None
    return None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """`receive` that gives `body` first."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _untrusted(name: bytes, path: str) -> bool:
    return name == b"forwarded" or name.startswith(b"x-forwarded-") or (path == "/" and name == b"accept-encoding")


def _name(host: str) -> str:
    """The name in a Host header, without the port; "" when it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
