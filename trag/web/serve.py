"""One home served to browsers: settings -> home -> pages -> served, until it is told to end.

Knows who may be served where, and nothing about what is on the pages.
"""

from __future__ import annotations

import errno
import signal
import socket
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import uvicorn

from trag.errors import TragError
from trag.home import open_home
from trag.people.accounts import first_link
from trag.settings import Settings
from trag.web.pages import create_app
from trag.web.people.authentication import LOCAL

_HINTS = {
    errno.EADDRINUSE: "Another program listens there: stop it, or set TRAG_PORT to another number.",
    errno.EACCES: "Set TRAG_PORT to a number from 1024 on: those below are kept for the system.",
}
"""What to do, by why a port cannot be opened."""


def serve(settings: Settings) -> None:
    """Serve one home until SIGTERM or Ctrl-C. Raises TragError when it may not, or cannot, be served there."""
    _check(settings)
    with open_home(settings) as home, _listener(settings) as listener:
        app = create_app(home)
        if settings.address and (link := first_link(home.records)):
            sys.stdout.write(f"No accounts yet. Make the first admin within 24 hours at {settings.url}/links/{link}\n")
        sys.stdout.write(f"Open {settings.url}\n")
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        config = uvicorn.Config(
            app,
            http="h11",  # bounds the head of a request, as the faster httptools does not
            ws="none",
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        uvicorn.Server(config).run(sockets=[listener])


def _check(settings: Settings) -> None:
    """Whoever comes from another machine comes over TLS, and signs in. Raises TragError with all that is not so."""
    if wrong := list(_problems(settings)):
        raise TragError(" ".join(problem for problem, _ in wrong), " ".join(hint for _, hint in wrong))


def _problems(settings: Settings) -> Iterator[tuple[str, str]]:
    address = settings.address
    if settings.host not in LOCAL and not address:
        yield (
            f"host = {settings.host!r}: without accounts, everybody who reaches this port would read everything.",
            "Keep 127.0.0.1, or set TRAG_ADDRESS to the https:// address of a proxy that ends TLS, and people sign in.",
        )
    if not address:
        return
    host = _https_host(address)
    if not host:
        yield (
            f"address = {address!r}: this is no https:// address of a server.",
            "Set TRAG_ADDRESS to what people type, without a path: https://assistant.example.org",
        )
    if host not in LOCAL and not settings.proxy_from.strip(" ,"):
        yield (
            f"address = {address!r}: no proxy is named, so everybody would come from the proxy's address, and "
            "who types wrong passwords would make all others wait.",
            "Set TRAG_PROXY_FROM to the proxy's address: 127.0.0.1 for one on this machine.",
        )


def _https_host(address: str) -> str:
    """The host of an https:// address that names a server and nothing in it, "" for any other text."""
    try:
        parts = urlsplit(address)
        whole = parts.scheme == "https" and parts.port != 0
    except ValueError:  # a port that is none, brackets that do not close
        return ""
    beside = (parts.path.strip("/"), parts.query, parts.fragment, parts.username)
    return parts.hostname or "" if whole and not any(beside) else ""


def _listener(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "TRAG_HOST must be an address of this machine.")
        raise TragError(f"Port {settings.port} on {settings.host} cannot be opened: {error.strerror}.", hint) from error
