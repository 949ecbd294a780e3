"""The search index on a Chroma server, each generation of the index a collection of its own.

The metadata of the collection `current` names the one in use and the home that it belongs to. It changes in one
transaction of the server's, lasts as its data does, and goes into the same backup. What deleted words leave on the
server's disk is the server's business (`chroma vacuum`).

Chroma servers know no passwords: whoever reaches one reads everything.
"""

from __future__ import annotations

import logging
import shutil
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from store import StoreError
from store.collection import NAME, REINDEX, UNUSABLE, IndexDamaged, check_embedder, make
from store.files import write_atomic

if TYPE_CHECKING:
    import chromadb
    import httpx
    from chromadb.api.client import Client

_CURRENT = "current"
_HOME = "home"
_PREFIX = f"{NAME}-"
_SECONDS = 30.0
"""How long the server may take for one answer."""
_VERSION = "1."
_TENANT = "default_tenant"
_DATABASE = "default_database"

log = logging.getLogger(__name__)


class Server:
    """The generations in one database of a Chroma server, http://host:port or http://host:port/database.

    For one thread at a time. `folder` is the home's own, where it remembers that the database is its.
    """

    def __init__(self, url: str, folder: Path, *, embedder: str, dimension: int) -> None:
        self._address = _address(url)
        self._url = url
        self._folder = folder
        self._embedder = embedder
        self._dimension = dimension
        self._client: Client | None = None

    def open(self) -> chromadb.Collection:
        """The collection in use, an empty one where there is none."""
        client = self._client = self._connect()
        fields = self._pointer(client).metadata
        if "generation" not in fields:
            with self.building():
                pass
            fields = self._pointer(client).metadata
        current = str(fields["generation"])
        collection = client.get_collection(current, embedding_function=None)
        check_embedder(collection, self._embedder)
        for left in _generations(client):
            if left != current:
                log.info("removing %s from %s, an index that is not in use", left, self._url)
                client.delete_collection(left)
        for path in self._folder.iterdir():
            # Nobody would take out of an index that was kept in files before what is deleted from now on.
            if path.is_dir() and path.name.isdecimal():
                log.info("removing %s: the index is on a server now", path)
                shutil.rmtree(path)
        (self._folder / _CURRENT).unlink(missing_ok=True)
        return collection

    @contextmanager
    def building(self) -> Iterator[chromadb.Collection]:
        """A new, empty collection, which is the one to open next when the block ends, and never was if it raises."""
        with self.explained(), ExitStack() as ending:
            client = self._connect()
            ending.callback(_close, client)
            pointer = self._pointer(client)
            last = max((int(name.removeprefix(_PREFIX)) for name in _generations(client)), default=0)
            name = f"{_PREFIX}{last + 1:06d}"
            try:
                yield make(client, name, self._embedder, self._dimension)
                pointer.modify(metadata={**pointer.metadata, "generation": name})
            except BaseException:
                try:
                    with self.explained():
                        client.delete_collection(name)
                except StoreError:
                    log.warning("%s stays on %s until the index is opened again", name, self._url)
                raise

    def close(self) -> None:
        """Let go of the connection."""
        if self._client is not None:
            _close(self._client)
            self._client = None

    def check_room(self, size: int) -> None:
        """How much room the server has is not for us to know; it refuses a write when there is none."""

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say in plain words what keeps the server from answering."""
        import httpx
        from chromadb.errors import ChromaError, NotFoundError

        try:
            yield
        except httpx.TimeoutException as error:
            raise StoreError(
                f"The Chroma server {self._url} did not answer within {_SECONDS:.0f} s.",
                "See what keeps it busy, and try again.",
                UNUSABLE,
            ) from error
        except httpx.HTTPError as error:
            raise self._away(str(error)) from error
        except NotFoundError as error:
            raise IndexDamaged(f"The search index on {self._url} is damaged: {error}", REINDEX) from error
        except ChromaError as error:
            raise StoreError(
                f"The Chroma server {self._url} failed: {error}", "Its own log says more.", UNUSABLE
            ) from error
        except Exception as error:
            if type(error) is not Exception:  # the bare one is what Chroma's client has for an answer it does not know
                raise
            reason = " ".join(str(error).split())[:200] or "an empty answer"
            raise StoreError(
                f"The Chroma server {self._url} failed: {reason}", "Its own log says more.", UNUSABLE
            ) from error

    def _connect(self) -> Client:
        """A client, once it is sure that a server of the right version answers; Chroma's own waits without end."""
        import httpx
        from chromadb import HttpClient
        from chromadb.api.client import Client
        from chromadb.config import Settings

        address, tls = self._address, self._address.scheme == "https"
        database = address.path.strip("/") or _DATABASE
        root = f"{address.scheme}://{address.netloc}/api/v2"
        self._check_version(httpx.get(f"{root}/version", timeout=_SECONDS))
        made = httpx.post(f"{root}/tenants/{_TENANT}/databases", json={"name": database}, timeout=_SECONDS)
        if made.status_code not in (httpx.codes.OK, httpx.codes.CONFLICT):  # a conflict: it is there
            raise self._away(f"it makes no database {database} (HTTP {made.status_code}: {made.text[:200]})")
        client = HttpClient(
            str(address.hostname),
            address.port or (443 if tls else 8000),
            ssl=tls,
            settings=Settings(anonymized_telemetry=False),
            database=database,
        )
        assert isinstance(client, Client)  # its declared type does not know how to close
        for session in _sessions(client):
            session.timeout = _SECONDS  # there is no setting for it
        return client

    def _check_version(self, answer: httpx.Response) -> None:
        try:
            version = answer.json() if answer.is_success else None
        except ValueError:
            version = None
        if not isinstance(version, str):
            raise self._away(
                f"what answers there is no Chroma server of version {_VERSION}x (HTTP {answer.status_code})"
            )
        if not version.startswith(_VERSION):
            raise StoreError(
                f"The Chroma server {self._url} is of version {version}; this program needs {_VERSION}x.",
                "Run the server of the package that requirements.txt pins: chroma run --path FOLDER",
                UNUSABLE,
            )

    def _pointer(self, client: Client) -> chromadb.Collection:
        """The collection whose metadata says which one is in use. Raises StoreError when it is another home's."""
        self._folder.mkdir(parents=True, exist_ok=True)
        kept = self._folder / _HOME
        if not kept.exists():
            write_atomic(kept, uuid.uuid4().hex.encode("ascii"))
        home = kept.read_text(encoding="ascii", errors="replace")
        pointer = client.get_or_create_collection(_CURRENT, embedding_function=None, metadata={"home": home})
        if (pointer.metadata or {}).get("home") != home:
            raise StoreError(
                f"The database at {self._url} holds the index of another home.",
                "Give each home a database of its own: http://host:port/NAME",
                UNUSABLE,
            )
        return pointer

    def _away(self, reason: str) -> StoreError:
        return StoreError(
            f"The Chroma server {self._url} cannot be reached: {reason}.",
            "Start it (chroma run --path FOLDER), or correct TRAG_CHROMA_URL; unset, the index is kept in the home.",
            UNUSABLE,
        )


def _sessions(client: Client) -> tuple[httpx.Client, httpx.Client]:
    """The connections of a client: its own, and that of the one inside it that asks whether the database exists."""
    own: Any = client._server
    inner: Any = client._admin_client
    return own._session, inner._server._session


def _close(client: Client) -> None:
    for session in _sessions(client):
        session.close()  # the client leaves them open
    client.close()


def _address(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
        usable = usable and address.username is None and address.path.strip("/").count("/") == 0
    except ValueError:
        usable = False
    if not usable:
        raise StoreError(
            "That is no address of a Chroma server.", "Use http://host:port, or http://host:port/database."
        )
    return address


def _generations(client: Client) -> list[str]:
    names = (collection.name for collection in client.list_collections())
    return [name for name in names if name.startswith(_PREFIX)]
