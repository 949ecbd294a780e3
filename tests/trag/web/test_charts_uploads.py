"""Chart files that wait: kept whole or not at all, found again, and bounded in number."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from store import StoreError
from trag.web.charts.reviews import LONGEST_NAME, WAITING, Upload, Uploads, shown_name


async def pieces(*contents: bytes, then: Exception | None = None) -> AsyncIterator[bytes]:
    for content in contents:
        yield content
    if then:
        raise then


def receive(uploads: Uploads, *contents: bytes, name: str = "chart.csv") -> Upload:
    return done(uploads.receive(pieces(*contents), name, "ada"))


def done(receiving: Coroutine[Any, Any, Upload]) -> Upload:
    """In a thread: Playwright has a loop running in this one, once a browser test came before."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, receiving).result()


def test_what_came_in_pieces_is_found_again_whole(tmp_path: Path) -> None:
    upload = receive(Uploads(tmp_path / "new"), b"name,", b"", b"parent\n")
    assert (upload.name, upload.by, upload.size) == ("chart.csv", "ada", 12)
    assert upload.id == hashlib.sha256(b"name,parent\n").hexdigest()
    again = Uploads(tmp_path / "new")
    assert again.all() == (upload,)
    assert again.find(upload.id) == upload
    assert again.content(upload) == b"name,parent\n"


def test_what_breaks_off_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        done(Uploads(tmp_path).receive(pieces(b"x" * 100_000, then=OSError("gone")), "chart.csv", "ada"))
    assert [*tmp_path.iterdir()] == []


def test_the_same_content_waits_once_under_its_last_name(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    receive(uploads, b"x", name="a.csv")
    last = receive(uploads, b"x", name="b.csv")
    assert uploads.all() == (last,)


def test_what_is_discarded_is_gone(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    upload = receive(uploads, b"x")
    for _ in range(2):
        uploads.discard(upload.id)
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(StoreError, match="no longer here"):
        uploads.content(upload)


def test_the_oldest_make_room(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    kept = [receive(uploads, str(number).encode()) for number in range(WAITING + 2)]
    assert uploads.all() == tuple(reversed(kept[2:]))
    assert len([*tmp_path.iterdir()]) == 2 * WAITING


@pytest.mark.parametrize("id", ["", "..", "../trag.db", "0" * 63, "A" * 64, f"{'0' * 64}.about"])
def test_only_hashes_are_looked_for(tmp_path: Path, id: str) -> None:
    (tmp_path / "trag.db").write_bytes(b"x")
    uploads = Uploads(tmp_path / "uploads")
    assert uploads.find(id) is None
    uploads.discard(id)
    assert (tmp_path / "trag.db").exists()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("chart.csv", "chart.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\Org.XLSX", "Org.XLSX"),
        ("a\r\nb\0.csv", "ab.csv"),
        ("", "chart"),
        (".csv", "_csv"),
        ("x.c sv", "x_c sv"),
        (f"{'é' * 300}.json", f"{'é' * (LONGEST_NAME - 5)}.json"),
    ],
)
def test_a_name_is_made_fit_to_show(given: str, kept: str) -> None:
    assert shown_name(given) == kept
