"""What the browser is told with every response: the headers that keep it safe, and a nonce for a page's scripts."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from trag.web.api.responses import AGAIN

if TYPE_CHECKING:
    from starlette.types import Message, Send

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


class Answer:
    """What goes back to the browser: every response gets the headers, a page gets a nonce for its scripts. `status` is
    that of the response, 0 before it has begun."""

    def __init__(self, send: Send, *, over_tls: bool = False) -> None:
        self._send = send
        self._over_tls = over_tls
        self._begun = self._over = False
        self.status = 0
        self._nonce = secrets.token_urlsafe(16)
        self._held: Message | None = None
        self._page = b""

    async def refuse(self, status: int, reason: str) -> None:
        """A short answer in place of what was asked for."""
        body = json.dumps({"detail": reason}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status == 400:
            headers.append((b"connection", b"close"))  # of what was not understood the end is not known either
        await self.pass_on({"type": "http.response.start", "status": status, "headers": headers})
        await self.pass_on({"type": "http.response.body", "body": body})

    async def lead(self, address: str) -> None:
        """Send the browser elsewhere here."""
        headers = [(b"location", address.encode()), (b"content-length", b"0"), (b"cache-control", b"no-store")]
        await self.pass_on({"type": "http.response.start", "status": 303, "headers": headers})
        await self.pass_on({"type": "http.response.body", "body": b""})

    async def break_off(self) -> None:
        """End a response that is under way; what the app still says, about being ended, reaches nobody."""
        if self._begun:
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await self.refuse(401, "Your session has ended.")
        self._over = True

    async def pass_on(self, message: Message) -> None:
        """One message of the app. A page is held until it is whole."""
        if self._over:
            return
        if message["type"] == "http.response.start":
            self._begun, self.status = True, message["status"]
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
        if start["status"] == 429:
            headers.setdefault("retry-after", str(AGAIN))
        if self._over_tls:
            headers["strict-transport-security"] = "max-age=31536000"
        return headers
