"""The web app: settings -> home -> pages -> serve. Composition only."""

from __future__ import annotations

import signal
import socket
import sys

from trag.errors import TragError
from trag.settings import Settings
from trag.web.gate import LOCAL


def serve(settings: Settings) -> None:
    """Serve one home until SIGTERM or Ctrl-C. Raises TragError when the address cannot be listened on."""
    import uvicorn

    from trag.home import open_home
    from trag.web.pages import create_app

    if settings.host not in LOCAL:
        raise TragError(
            f"host = {settings.host!r}: without accounts, everybody who reaches this port would read everything.",
            "Leave it at 127.0.0.1.",
        )
    with open_home(settings) as home, _listener(settings) as listener:
        app = create_app(home)
        sys.stdout.write(f"Open http://{settings.host}:{settings.port}\n")
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        config = uvicorn.Config(
            app, log_level="warning", proxy_headers=False, server_header=False, timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[listener])


def _listener(settings: Settings) -> socket.socket:
    try:
        return socket.create_server((settings.host, settings.port))
    except OSError as error:
        hint = "Another program listens there: stop it, or set TRAG_PORT to another number."
        raise TragError(f"Port {settings.port} on {settings.host} cannot be opened: {error.strerror}.", hint) from error


if __name__ == "__main__":
    from trag.cli import main

    sys.exit(main(["serve"]))
