"""A WebDAV folder (RFC 4918): what lies in it, asked for folder by folder, and the files themselves.

Over https alone, whose certificate must be right, and to the one address that was given: no redirect is followed, and
what a listing names elsewhere is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

from trag.errors import OperatorError, TragError
from trag.folders.listing import DEEPEST, MOST, Found, Listing, hidden, is_read
from trag.sandbox import Limits, shown

if TYPE_CHECKING:
    from httpx2 import Response

SECONDS = 60.0
"""For the next bytes of an answer."""
WHOLE = 600.0
"""For a whole answer."""
LARGEST = 64 * 2**20
"""Bytes of the listing of one folder."""
_ASKED = b"""<?xml version="1.0" encoding="utf-8"?>
<propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getetag/><getlastmodified/></prop></propfind>"""
_DAV = "{DAV:}"


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a listing says of one thing in a folder, by its path from the address on."""

    path: str
    is_folder: bool
    stamp: str
    size: int
    modified: float


class WebDav:
    """One folder at its address, which ends with a slash."""

    def __init__(self, address: str, person: str, password: str) -> None:
        """Whoever signed the server's certificate must be one of the machine's, or in the file SSL_CERT_FILE."""
        import ssl

        from httpx2 import Client

        self._address = address
        self._root = unquote(urlsplit(address).path)
        # No proxy and no password of the environment: nothing goes anywhere but to this address.
        auth = (person, password) if person or password else None
        trusted = ssl.create_default_context()
        self._client = Client(
            auth=auth, verify=trusted, timeout=SECONDS, trust_env=False, headers={"User-Agent": "trag"}
        )

    def listing(self) -> Listing:
        """Raises TragError when the address cannot be reached, lets nobody in, or is no WebDAV folder."""
        files: list[Found] = []
        unreadable: list[tuple[str, str]] = []
        passed_over = 0
        waiting, seen = [""], {""}
        while waiting:
            place = waiting.pop()
            try:
                entries = self._entries(place)
            except _Refused as error:
                if not place:
                    raise self._away(error.reason) from error
                unreadable.append((place, error.reason))
                continue
            for entry in entries:
                name = entry.path.rsplit("/", 1)[-1]
                if hidden(name):
                    continue
                if entry.is_folder:
                    if entry.path not in seen and entry.path.count("/") < DEEPEST:
                        seen.add(entry.path)
                        waiting.append(entry.path)
                elif is_read(name):
                    files.append(Found(entry.path, entry.stamp, entry.size, entry.modified))
                else:
                    passed_over += 1
            if len(files) > MOST:
                raise TragError(f"The folder has more than {MOST:,} files.", "Mirror folders in it one by one.")
        return Listing(tuple(sorted(files, key=lambda file: file.path)), tuple(unreadable), passed_over)

    def read(self, found: Found, limits: Limits) -> bytes | None:
        """The content of a file, None where it is gone, or another than was found. Raises TragError when it cannot be
        read or is too large."""
        if found.size > limits.file_bytes:
            raise TragError(
                f"{shown(found.path)} has {found.size / 1e6:,.0f} MB; a document may have"
                f" {limits.file_bytes / 1e6:,.0f} MB.",
                "Split it, or leave the pictures out.",
            )
        try:
            content = self._asked("GET", found.path, most=found.size + 1)
        except _Refused as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise TragError(
                f"{shown(found.path)} cannot be read: {error.reason}.",
                "Look at it on its server.",
                f"{shown(found.path)} cannot be read.",
            ) from error
        return content if len(content) == found.size else None

    def holds(self, path: str) -> bool:
        """Whether a file is there, or may be: only what is known to be gone is not."""
        try:
            self._entries(path, depth="0")
        except _Refused as error:
            return error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
        return True

    def check(self) -> None:
        """Raises TragError when the folder is gone or cannot be reached."""
        try:
            self._entries("", depth="0")
        except _Refused as error:
            raise self._away(error.reason) from error

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def _entries(self, place: str, depth: str = "1") -> list[_Entry]:
        headers = {"Depth": depth, "Content-Type": "application/xml"}
        is_file = depth == "0" and bool(place)
        content = self._asked("PROPFIND", place if is_file or not place else f"{place}/", _ASKED, headers, LARGEST)
        return [entry for entry in _read(content, self._address, self._root) if entry.path != place]

    def _asked(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, most: int = LARGEST
    ) -> bytes:
        """The body of an answer. Raises _Refused for one that is no success, and TragError for none."""
        with (
            self._explained(),
            self._client.stream(method, self._address + quote(path), content=body, headers=headers) as answer,
        ):
            wanted = HTTPStatus.MULTI_STATUS if method == "PROPFIND" else HTTPStatus.OK
            if answer.status_code != wanted:
                raise _Refused(answer.status_code, _reason(answer))
            return _whole(answer, most)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from httpx2 import HTTPError, InvalidURL

        try:
            yield
        except (HTTPError, InvalidURL) as error:
            raise self._away(f"{' '.join(str(error).split())[:200] or type(error).__name__}") from error

    def _away(self, reason: str) -> OperatorError:
        return OperatorError(
            f"The folder {self._address} cannot be read: {reason}.",
            "Check the address, the name and the password, and that its server runs.",
            "A folder cannot be read.",
        )


class _Refused(Exception):
    """What a server says instead of what it was asked for."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def _reason(answer: Response) -> str:
    if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "it lets nobody in with this name and password"
    if answer.is_redirect:
        return f"it leads on to {shown(answer.headers.get('location', 'another address'))}, which is not followed"
    if answer.status_code == HTTPStatus.NOT_FOUND:
        return "there is nothing"
    return f"its server answers with {answer.status_code}"


def _whole(answer: Response, most: int) -> bytes:
    content, until = bytearray(), monotonic() + WHOLE
    for piece in answer.iter_bytes():
        content += piece
        if len(content) > most:
            break
        if monotonic() > until:
            raise _Refused(HTTPStatus.REQUEST_TIMEOUT, "its server takes too long")
    return bytes(content)


def _read(content: bytes, address: str, root: str) -> Iterator[_Entry]:
    """What a multistatus says of each thing under the address. Raises _Refused for what is none."""
    from lxml import etree

    # Nothing is fetched, no entity is filled in, and a document type, which no server sends, is refused.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        tree = etree.fromstring(content, parser)
        if tree.getroottree().docinfo.doctype or tree.tag != f"{_DAV}multistatus":
            raise ValueError("no multistatus")
    except (etree.XMLSyntaxError, ValueError) as error:
        raise _Refused(HTTPStatus.BAD_GATEWAY, "what answers there is no WebDAV folder") from error
    here = urlsplit(address)
    for each in tree.iterfind(f"{_DAV}response"):
        parts = urlsplit(urljoin(address, (each.findtext(f"{_DAV}href") or "").strip()))
        path = unquote(parts.path)
        if parts.netloc != here.netloc or not path.startswith(root):
            continue
        if " 200 " not in f"{each.findtext(f'{_DAV}status') or ' 200'} ":  # as where there are more than it lists
            raise _Refused(HTTPStatus.BAD_GATEWAY, "its server does not list all that is there")
        path = path.removeprefix(root).strip("/")
        properties = {child.tag: child for child in each.iterfind(f"{_DAV}propstat/{_DAV}prop/*")}

        def text(name: str, found: dict[str, etree._Element] = properties) -> str:
            element = found.get(f"{_DAV}{name}")
            return ((element.text if element is not None else "") or "").strip()

        kind = properties.get(f"{_DAV}resourcetype")
        is_folder = kind is not None and kind.find(f"{_DAV}collection") is not None
        if ".." in path.split("/") or not _is_text(path):
            continue
        size = int(text("getcontentlength")) if text("getcontentlength").isdecimal() else 0
        modified = text("getlastmodified")
        yield _Entry(path, is_folder, f"{size}:{text('getetag')}:{modified}", size, _seconds(modified))


def _seconds(moment: str) -> float:
    try:
        return parsedate_to_datetime(moment).timestamp()
    except (ValueError, TypeError):
        return 0.0


def _is_text(path: str) -> bool:
    return path.isprintable()
