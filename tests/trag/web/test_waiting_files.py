"""Files that wait to be looked at: kept whole or not at all, the oldest of them making room."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store import StoreError
from trag.web.waiting_files import LONGEST_NAME, WAITING, Waiting, WaitingFiles, shown_name


async def pieces(*contents: bytes, then: Exception | None = None) -> AsyncIterator[bytes]:
    for content in contents:
        yield content
    if then:
        raise then


def receive(uploads: WaitingFiles, *contents: bytes, name: str = "chart.csv", then: Exception | None = None) -> Waiting:
    return asyncio.run(uploads.receive(pieces(*contents, then=then), name, "ada"))


def test_what_came_in_pieces_is_found_again_whole(tmp_path: Path) -> None:
    upload = receive(WaitingFiles(tmp_path / "new"), b"name,", b"", b"parent\n")
    assert (upload.name, upload.by, upload.size) == ("chart.csv", "ada", 12)
    assert upload.id == hashlib.sha256(b"name,parent\n").hexdigest()
    again = WaitingFiles(tmp_path / "new")
    assert again.all() == (upload,)
    assert again.find(upload.id) == upload
    assert again.given(upload) == [("chart.csv", b"name,parent\n")]


def test_what_breaks_off_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        receive(WaitingFiles(tmp_path), b"x" * 100_000, then=OSError("gone"))
    assert [*tmp_path.iterdir()] == []


def test_the_oldest_make_room_and_the_same_content_waits_once_under_its_last_name(tmp_path: Path) -> None:
    uploads = WaitingFiles(tmp_path)
    kept = [receive(uploads, str(number).encode()) for number in range(WAITING + 2)]
    kept.append(receive(uploads, str(WAITING + 1).encode(), name="b.csv"))
    assert uploads.all() == tuple(reversed(kept))[:1] + tuple(reversed(kept[2:-2]))
    for _ in range(2):
        uploads.discard(kept[-1].id)
    assert len([*tmp_path.iterdir()]) == 2 * (WAITING - 1)
    with pytest.raises(StoreError, match="no longer here"):
        uploads.given(kept[-1])


def test_only_hashes_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "trag.db").write_bytes(b"x")
    uploads = WaitingFiles(tmp_path / "uploads")
    for id in ("", "..", "../trag.db", "0" * 63, "A" * 64, f"{'0' * 64}.about"):
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


def test_files_that_belong_together_wait_as_one_and_not_when_one_of_them_is_gone(tmp_path: Path) -> None:
    uploads, given = WaitingFiles(tmp_path / "new"), [("a.csv", b"1"), ("b.csv", b"2")]
    kept = uploads.keep(given, "ada")
    assert (kept.name, kept.size, uploads.given(kept)) == ("a.csv, b.csv", 2, given)
    assert uploads.keep(given, "bob").id == kept.id
    assert [each.by for each in uploads.all()] == ["bob"]
    next((tmp_path / "new").glob("*.1")).unlink()
    assert (uploads.find(kept.id), uploads.all()) == (None, ())
