"""What the browser is told with every response: the headers that keep it safe, and the nonce of its own scripts."""

from __future__ import annotations

import json
import re
import secrets
from contextvars import ContextVar
from typing import TYPE_CHECKING

import jinja2
from starlette.datastructures import MutableHeaders

from trag.web.api.responses import AGAIN
from trag.web.language import direction, language

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
_HTML = re.compile(r"<html(\s+lang=\"\w+\")?")
"""Where a page begins, Gradio's too, with the language that it is written for."""
NONCE: ContextVar[str] = ContextVar("nonce", default="")
"""The nonce of the response that a page is drawn for."""


def give_nonces(environment: jinja2.Environment) -> None:
    """Give templates the language of whoever is shown them, and the scripts in them the nonce of each response; a
    script that gets into a page by what is put into them has none, and does not run."""
    plain = environment.loader
    if plain is None or "nonce" in environment.globals:
        return

    def source(name: str) -> str:
        text = plain.get_source(environment, name)[0].replace("<script", '<script nonce="{{ nonce() }}"')
        return _HTML.sub('<html lang="{{ language() }}" dir="{{ direction() }}"', text)

    environment.loader = jinja2.FunctionLoader(source)
    environment.globals |= {"nonce": NONCE.get, "language": language, "direction": direction}


class Answer:
    """What goes back to the browser: every response gets the headers, and templates the nonce. `status` is that of the
    response, 0 before it has begun."""

    def __init__(self, send: Send, *, over_tls: bool = False) -> None:
        self._send = send
        self._over_tls = over_tls
        self._begun = self._over = False
        self.status = 0
        self._nonce = secrets.token_urlsafe(16)
        NONCE.set(self._nonce)

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
        """One message of the app."""
        if self._over:
            return
        if message["type"] == "http.response.start":
            self._begun, self.status = True, message["status"]
            message = {**message, "headers": self._headers(message).raw}
        await self._send(message)

    def _headers(self, start: Message) -> MutableHeaders:
        headers = MutableHeaders(
            raw=[(n, v) for n, v in start["headers"] if not n.lower().startswith(b"access-control-")]
        )
        headers["content-security-policy"] = POLICY.format(nonce=self._nonce)
        if headers.get("content-type", "").startswith("text/html"):
            headers["cache-control"] = "no-store"
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
