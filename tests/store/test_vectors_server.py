"""The search index on a Chroma server: what is said when there is trouble with it, and that trouble passes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store import StoreError, server
from store.passage import OPEN, Passage
from store.vectors import Vectors

ROOT = Path(__file__).parents[2]
SIZE = 4
POINTS = np.eye(SIZE, dtype=np.float32)
PASSAGES = [Passage(f"p{n}", "qa", "d", "s", None, f"word{n}") for n in range(SIZE)]


def start(url: str, folder: Path) -> Vectors:
    return Vectors(folder, embedder="mini-1", dimension=SIZE, server=url)


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """The address of a server that is no Chroma server, and answers so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *words: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as fake:
        thread = threading.Thread(target=fake.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{fake.server_port}"
        fake.shutdown()
        thread.join()


def says(status: int, body: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.end_headers()
        request.wfile.write(body.encode())

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "message", "hint"),
    [
        pytest.param(says(200, '"0.5.23"'), "version 0.5.23; this program needs 1.x", "chroma run", id="old version"),
        pytest.param(says(404, "nothing here"), r"no Chroma server .* \(HTTP 404\)", "TRAG_CHROMA_URL", id="another"),
        pytest.param(says(200, "<html>"), "no Chroma server", "TRAG_CHROMA_URL", id="a web page"),
        pytest.param(says(503, "busy"), "HTTP 503", "TRAG_CHROMA_URL", id="refusing"),
        pytest.param(lambda request: request.connection.close(), "cannot be reached", "chroma run", id="hangs up"),
        pytest.param(lambda request: stop.wait(1), "did not answer within 0 s", "busy", id="slow"),
    ],
)
def test_what_answers_and_is_no_usable_server_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[BaseHTTPRequestHandler], None],
    message: str,
    hint: str,
) -> None:
    monkeypatch.setattr(server, "_SECONDS", 0.3)
    with answering(answer) as url, pytest.raises(StoreError, match=message) as caught:
        start(url, tmp_path / "chroma")
    assert url in caught.value.message
    assert hint in caught.value.hint


stop = threading.Event()


def test_a_server_that_is_away_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9 cannot be reached: .*refused") as caught:
        start("http://127.0.0.1:9", tmp_path)
    assert "chroma run --path" in caught.value.hint


@pytest.mark.parametrize(
    "url", ["chroma", "ftp://a", "http://", "http://a:b", "http://a:99999", "http://a/b/c", "http://me:secret@a"]
)
def test_an_address_that_is_none_is_said(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreError, match="no address of a Chroma server") as caught:
        start(url, tmp_path)
    assert "secret" not in caught.value.message + caught.value.hint


@pytest.mark.slow
def test_a_server_that_dies_is_said_and_used_again_once_it_is_back(tmp_path: Path, chroma_server: Any) -> None:
    index = start(chroma_server.database(), tmp_path / "chroma")
    index.add(PASSAGES, POINTS, audience=["a"])
    chroma_server.kill()
    for use in (
        index.probe,
        lambda: index.add(PASSAGES, POINTS, audience=OPEN),
        lambda: index.search(POINTS[0], "", kinds=["qa"], k=1, readers=None),
    ):
        with pytest.raises(StoreError, match="cannot be reached"):
            use()
    chroma_server.start()
    assert [each.id for each in index.search(POINTS[1], "", kinds=["qa"], k=1, readers=["a"])] == ["p1"]
    assert index.audiences() == {"d": frozenset(["a"])}
    index.close()


@pytest.mark.slow
def test_two_homes_never_share_a_database(tmp_path: Path, chroma_server: Any) -> None:
    url = chroma_server.database()
    first = start(url, tmp_path / "first")
    first.add(PASSAGES, POINTS, audience=OPEN)
    with pytest.raises(StoreError, match="holds the index of another home") as caught:
        start(url, tmp_path / "second")
    assert "http://host:port/NAME" in caught.value.hint
    second = start(chroma_server.database(), tmp_path / "second")
    assert (first.count(), second.count()) == (SIZE, 0)
    first.close()
    second.close()


@pytest.mark.slow
def test_what_the_home_kept_in_files_goes_when_a_server_takes_over(tmp_path: Path, chroma_server: Any) -> None:
    folder = tmp_path / "chroma"
    files = Vectors(folder, embedder="mini-1", dimension=SIZE)
    files.add(PASSAGES, POINTS, audience=OPEN)
    files.close()
    index = start(chroma_server.database(), folder)
    assert index.count() == 0
    assert [path.name for path in folder.iterdir()] == ["home"]
    index.close()


REBUILDING = """
import sys
from pathlib import Path
import numpy as np
from store.passage import Passage
from store.vectors import Vectors
index = Vectors(Path(sys.argv[1]), embedder="mini-1", dimension=4, server=sys.argv[2])
print("open", flush=True)
passages = [Passage(f"new-{n}", "qa", "new", "s", None, "word " * 100) for n in range(30_000)]
index.rebuild(passages, np.tile(np.eye(4, dtype=np.float32), (7_500, 1)))
"""


@pytest.mark.slow
def test_a_rebuild_that_is_killed_leaves_the_index_that_was_in_use(tmp_path: Path, chroma_server: Any) -> None:
    url, folder = chroma_server.database(), tmp_path / "chroma"
    index = start(url, folder)
    index.add(PASSAGES, POINTS, audience=OPEN)
    index.close()
    command = [sys.executable, "-c", REBUILDING, str(folder), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        child.stdout.readline()
        while len(collections(url)) < 3:
            assert child.poll() is None
        child.send_signal(signal.SIGKILL)
    assert (index.count(), index.probe()) == (SIZE, (SIZE, SIZE))
    assert collections(url) == {"current", "passages-000001"}
    index.close()


def collections(url: str) -> set[str]:
    import httpx

    root, name = url.rsplit("/", 1)
    answer = httpx.get(f"{root}/api/v2/tenants/default_tenant/databases/{name}/collections")
    return {each["name"] for each in answer.json()}
