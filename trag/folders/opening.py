"""A folder's address -> the folder, opened: checked, and with the password that is kept for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from store.files import explained, write_atomic
from store.folders import Folder
from trag.errors import TragError
from trag.folders.listing import Local
from trag.folders.webdav import WebDav

Source = Local | WebDav
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev", "/run")


@contextmanager
def opened(folder: Folder, home: Path) -> Iterator[Source]:
    """The folder until the block ends. Raises TragError when it is not there, or lets nobody in."""
    source: Source
    if folder.remote:
        source = WebDav(folder.address, folder.person, _password(home, folder.id))
    else:
        source = Local(Path(folder.address))
    with closing(source):
        yield source


def checked_address(address: str, home: Path) -> str:
    """The address as it is kept: that of a WebDAV folder, or the whole path of one of this machine, links followed.
    Raises TragError for what is neither, and for a folder that holds the home, or is in it."""
    address = address.strip()
    if "://" in address:
        try:
            parts = urlsplit(address)
            usable = parts.scheme == "https" and parts.hostname and parts.port != 0
            usable = usable and not (parts.username or parts.query or parts.fragment)
        except ValueError:
            usable = False
        if not usable:
            raise TragError(
                "That is no address of a WebDAV folder.",
                "Write https://host/path; the name and the password have fields of their own.",
            )
        return address.rstrip("/") + "/"
    path = Path(address).expanduser()
    if not path.is_absolute():
        raise TragError("That is no whole path of a folder.", "Write it from the root on, such as /srv/share/policies.")
    path = path.resolve()
    own = home.resolve()
    if path == Path("/") or any(path.is_relative_to(place) for place in _OF_THE_SYSTEM):
        hint = "Choose the folder in which the documents are."
        raise TragError(f"{path} is the system's.", hint, "That folder is the system's.")
    if own.is_relative_to(path) or path.is_relative_to(own):
        public = "That folder holds the assistant's own files, or is one of its folders."
        raise TragError(f"{path} holds the assistant's own files, or is one of its folders.", "Choose another.", public)
    return str(path)


def keep_password(home: Path, id: str, password: str) -> None:
    """Keep the password of a folder's address, in a file that this account alone may read, or forget it for "". It is
    in no record and in no backup."""
    place = _place(home, id)
    if password:
        with explained(place):
            place.parent.mkdir(mode=0o700, exist_ok=True)
        write_atomic(place, password.encode())
    else:
        place.unlink(missing_ok=True)


def _password(home: Path, id: str) -> str:
    with suppress(FileNotFoundError):
        return _place(home, id).read_text(encoding="utf-8")
    return ""


def _place(home: Path, id: str) -> Path:
    return home / "keys" / id
