"""A WebDAV folder mirrored from a real server of https, in this process: what it lists, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from store.folders import Folder
from store.passage import OPEN
from tests.trag.folders.conftest import Mirrored
from trag.errors import TragError
from trag.folders.opening import checked_address, keep_password

PASSWORD = "an app password"


class Server(ThreadingHTTPServer):
    """Serves the files below a folder at /dav/, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.root, self.asked = root, list[str]()
        self.refused: set[str] = set()
        self.whole = True
        self.leads_on = False
        self.more = ""

    @property
    def address(self) -> str:
        return f"https://127.0.0.1:{self.server_address[1]}/dav/"


class Handler(BaseHTTPRequestHandler):
    """The least of RFC 4918 that a reader needs."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def place(self) -> Path | None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(self.path).removeprefix("/dav").strip("/")
        self.server.asked.append(f"{self.command} {path}")
        wanted = "Basic " + base64.b64encode(f"ada:{PASSWORD}".encode()).decode()
        if self.server.leads_on:
            self.answer(302, Location="https://elsewhere.example.org/")
        elif self.headers.get("Authorization") != wanted:
            self.answer(401)
        elif path in self.server.refused:
            self.answer(403)
        elif not (self.server.root / path).exists():
            self.answer(404)
        else:
            return self.server.root / path
        return None

    def do_GET(self) -> None:
        if place := self.place():
            self.answer(200, place.read_bytes())

    def do_PROPFIND(self) -> None:
        place = self.place()
        if place is None:
            return
        below = sorted(place.iterdir()) if place.is_dir() and self.headers["Depth"] == "1" else []
        rows = "".join(map(self.row, [place, *below])) + self.server.more
        body = f'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">{rows}</d:multistatus>'
        self.answer(207, body.encode() if self.server.whole else body.encode()[: len(body) // 2])

    def row(self, path: Path) -> str:
        name = quote(f"/dav/{path.relative_to(self.server.root).as_posix()}".removesuffix("."))
        status = path.stat()
        kind = "<d:resourcetype><d:collection/></d:resourcetype>" if path.is_dir() else "<d:resourcetype/>"
        tag = hashlib.sha256(path.read_bytes()).hexdigest()[:8] if path.is_file() else ""
        return (
            f"<d:response><d:href>{name}</d:href><d:propstat><d:prop>{kind}"
            f"<d:getcontentlength>{status.st_size}</d:getcontentlength><d:getetag>{tag}</d:getetag>"
            f"<d:getlastmodified>{formatdate(status.st_mtime, usegmt=True)}</d:getlastmodified></d:prop>"
            "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        )


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC).replace(tzinfo=None)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - timedelta(1))
        .not_valid_after(now + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return file


@pytest.fixture
def server(mirrored: Mirrored, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    server = Server(mirrored.folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def add(mirrored: Mirrored, server: Server, password: str = PASSWORD) -> Folder:
    folder = Folder("Cloud", server.address, OPEN, person="ada", share_gone=100)
    kept = mirrored.records.folders.add(folder, by="ada")
    keep_password(mirrored.home, kept.id, password)
    return kept


def test_files_of_a_webdav_folder_become_documents_and_are_followed(mirrored: Mirrored, server: Server) -> None:
    add(mirrored, server)
    mirrored.write("a b.md", "Words of a.")
    mirrored.write("Büro/ü#1.md", "Words of ü.")
    run = mirrored.run()
    assert (run.state, run.new) == ("done", 2), (run.message, run.notes)
    assert [*mirrored.documents()] == ["Büro/ü#1.md", "a b.md"]
    server.asked.clear()
    assert mirrored.run().same == 2
    assert not [each for each in server.asked if each.startswith("GET")]
    mirrored.write("a b.md", "Other words.", age=30)
    (mirrored.folder / "Büro/ü#1.md").rename(mirrored.folder / "moved.md")
    run = mirrored.run()
    assert (run.changed, run.moved) == (1, 1), run.notes
    (mirrored.folder / "moved.md").unlink()
    assert mirrored.run().gone == 1


def test_a_server_that_does_not_list_all_deletes_nothing(mirrored: Mirrored, server: Server) -> None:
    add(mirrored, server)
    mirrored.write("hr/a.md", "Words of a.")
    mirrored.write("b.md", "Words of b.")
    mirrored.run()
    server.refused.add("hr")
    run = mirrored.run()
    assert (run.state, run.problems, run.gone) == ("done", 1, 0)
    server.whole = False
    assert mirrored.run().state == "failed"
    server.whole = True
    server.more = (
        "<d:response><d:href>/dav/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>"
    )
    assert mirrored.run().state == "failed"
    assert [*mirrored.documents()] == ["b.md", "hr/a.md"]


def test_nothing_is_followed_to_another_address(mirrored: Mirrored, server: Server) -> None:
    add(mirrored, server)
    server.more = "<d:response><d:href>https://elsewhere.example.org/dav/x.md</d:href></d:response>"
    assert mirrored.run().new == 0
    server.leads_on = True
    run = mirrored.run()
    assert run.state == "failed"
    assert "which is not followed" in run.message


def test_a_wrong_password_and_a_certificate_of_nobody_let_nothing_in(
    mirrored: Mirrored, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = add(mirrored, server, "wrong")
    assert "lets nobody in" in mirrored.run().message
    keep_password(mirrored.home, folder.id, PASSWORD)
    monkeypatch.delenv("SSL_CERT_FILE")
    assert "certificate" in mirrored.run().message.lower()
    place = mirrored.home / "keys" / folder.id
    assert place.stat().st_mode & 0o077 == 0
    keep_password(mirrored.home, folder.id, "")
    assert not place.exists()


@pytest.mark.parametrize(
    "address",
    [
        "http://host/dav",
        "https://ada:secret@host/",
        "https:///dav",
        "ftp://host/",
        "https://host/?a=b",
        "a/b",
        "/",
        "/proc/1",
    ],
)
def test_what_is_no_address_of_a_folder_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(TragError):
        checked_address(address, tmp_path)


def test_the_home_is_not_mirrored_into_itself(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "documents").mkdir(parents=True)
    for folder in (tmp_path, home, home / "documents"):
        with pytest.raises(TragError, match="own files"):
            checked_address(str(folder), home)
    assert checked_address("https://host/dav", home) == "https://host/dav/"
