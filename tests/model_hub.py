"""A hub of models on this machine, and the one model that it has: whole, in pieces, broken off, or wrong."""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trag.models.catalogue import CatalogueModel, Hub

CONTENT = bytes(range(256)) * 12_288 + b"." * 100  # three pieces, and one that a buffer would hold back
MODEL = CatalogueModel(
    "tiny", "tiny.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), "Apache-2.0", "llama",
    (Hub("someone/tiny-GGUF", "a" * 40),), "For tests.", template="{{ messages }}",
)  # fmt: skip


@dataclass
class Server:
    """What the server does: `cuts` are after how many bytes each connection breaks off."""

    address: str = ""
    content: bytes = CONTENT
    ranges: bool = True
    status: int = 200
    cuts: list[int] = field(default_factory=list)
    slow: float = 0.0
    asked: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Server]:
    """A hub that sends whoever asks on to another address, as the real one does."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers.get("Range", "")))
            if "/resolve/" in self.path:
                self.send_response(302)
                self.send_header("Location", "/cdn/blob")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start = int(self.headers.get("Range", "bytes=0-")[6:-1]) if state.ranges else 0
            body = state.content[start:]
            self.send_response(state.status if state.status != 200 else 206 if start else 200)
            self.send_header("Content-Length", str(len(body)))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(state.content) - 1}/{len(state.content)}")
            self.end_headers()
            if state.status == 200:
                with suppress(ConnectionError):  # whoever asked is gone
                    self.write(body)

        def write(self, body: bytes) -> None:
            cut = state.cuts.pop(0) if state.cuts else len(body)
            for piece in range(0, cut, 100_000):
                time.sleep(state.slow)
                self.wfile.write(body[piece : min(piece + 100_000, cut)])
            self.close_connection = cut < len(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield state
        server.shutdown()
        thread.join()
