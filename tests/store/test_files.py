"""Atomic writes, kept originals, and the lock on a folder."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from store import StoreError
from store.files import atomic, find, keep, lock, write_atomic

ROOT = Path(__file__).parents[2]


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_a_write_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "chart.csv"
    for content in (b"first", b"", b"\0" * 100_000):
        write_atomic(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_never_sees_half_a_write(tmp_path: Path) -> None:
    path = tmp_path / "file"
    versions = [bytes([number]) * 300_000 for number in range(20)]
    write_atomic(path, versions[0])
    writer = threading.Thread(target=lambda: [write_atomic(path, version) for version in versions])
    writer.start()
    seen = []
    while writer.is_alive():
        seen.append(path.read_bytes())
    writer.join()
    assert len(seen) > 1
    assert all(content in versions for content in seen)


WRITING = """
import sys
from pathlib import Path
from store.files import write_atomic
for number in range(100_000):
    write_atomic(Path(sys.argv[1]), (b"%06d" % number) * 50_000)
    print(number, flush=True)
"""


@pytest.mark.slow
def test_a_file_is_whole_and_as_new_as_acknowledged_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for kill in range(5):
        writer = child(WRITING, path)
        for _ in range(3 + kill):
            last = int(first_line(writer))
        writer.send_signal(signal.SIGKILL)
        assert writer.stdout is not None
        rest = writer.stdout.read().split()
        end(writer)
        content = path.read_bytes()
        assert content == content[:6] * 50_000
        assert int(content[:6]) in (int(rest[-1]) if rest else last, (int(rest[-1]) if rest else last) + 1)


def test_the_owner_of_a_folder_removes_the_files_and_folders_that_killed_processes_left(tmp_path: Path) -> None:
    for folder in ("documents", ".records.x1.unfinished"):
        (tmp_path / folder).mkdir()
    left = [".b.x2.unfinished", *(f".records.x1.unfinished/{name}" for name in ("lock", "copy.db", "copy.db-wal"))]
    for name in ("documents/a.unfinished", "documents/.a.md.x1.unfinished", *left):
        (tmp_path / name).write_bytes(b"half")
    with lock(tmp_path):
        kept = ["documents", "documents/a.unfinished", "lock"]
        assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")) == kept


def test_what_another_process_is_writing_stays(tmp_path: Path) -> None:
    with atomic(tmp_path / "backup.tar") as file:
        file.write(b"one ")
        with lock(tmp_path):
            pass
        file.write(b"two")
    assert (tmp_path / "backup.tar").read_bytes() == b"one two"


def test_what_another_owner_writes_in_a_folder_of_its_own_stays(tmp_path: Path) -> None:
    for name in ("trains", "ended"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".checkpoint.x1.unfinished").write_bytes(b"half")
    with lock(tmp_path / "ended"):
        pass
    (tmp_path / "ended" / ".checkpoint.x2.unfinished").write_bytes(b"half")
    with lock(tmp_path / "trains"):
        (tmp_path / "trains" / ".checkpoint.x2.unfinished").write_bytes(b"half")
        with lock(tmp_path):
            assert [path.parent.name for path in tmp_path.rglob(".*.unfinished")] == ["trains"]


@pytest.mark.parametrize("number", [28, 122, 27], ids=["no space", "quota", "file too large"])
def test_a_full_disk_is_said_and_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")

    def refuse(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StoreError, match=f"No space is left for {path}") as caught:
        write_atomic(path, b"new")
    assert "Free some space" in caught.value.hint
    assert [(other.name, other.read_bytes()) for other in tmp_path.iterdir()] == [("file", b"old")]


def test_a_limit_of_the_system_on_file_sizes_is_a_full_disk(tmp_path: Path) -> None:
    code = """
import resource, sys
from pathlib import Path
from store import StoreError
from store.files import keep
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY))
try:
    keep(Path(sys.argv[1]), b"x" * 100_000, ".pdf")
except StoreError as error:
    print(error.message)
"""
    writer = child(code, tmp_path)
    message = first_line(writer)
    end(writer)
    assert message.startswith("No space is left for "), message
    assert list(tmp_path.iterdir()) == []


def test_an_original_is_found_by_its_hash_and_mended_by_keeping_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    assert find(folder, "0" * 64) is None
    sha256 = keep(folder, b"content", ".pdf")
    assert sha256 == hashlib.sha256(b"content").hexdigest()
    assert keep(folder, b"content", ".pdf") == sha256
    keep(folder, b"other", "")
    path = find(folder, sha256)
    assert path == folder / f"{sha256}.pdf"
    assert path.read_bytes() == b"content"
    assert len(list(folder.iterdir())) == 2
    path.write_bytes(b"c\0ntent")
    keep(folder, b"content", ".pdf")
    assert path.read_bytes() == b"content", "a damaged one is mended by keeping it again"


@pytest.mark.parametrize("sha256", ["", "*", "../secret", "A" * 64, "0" * 63], ids=str)
def test_only_a_hash_finds_anything(tmp_path: Path, sha256: str) -> None:
    (tmp_path / "secret").write_bytes(b"")
    keep(tmp_path, b"content", ".md")
    assert find(tmp_path, sha256) is None


@pytest.mark.parametrize("suffix", ["pdf", "/../x", ".p/f", "."], ids=str)
def test_a_suffix_cannot_lead_elsewhere(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ValueError, match="suffix"):
        keep(tmp_path, b"content", suffix)


OWNING = """
import sys, time
from pathlib import Path
from store.files import lock
with lock(Path(sys.argv[1])):
    print("owned", flush=True)
    time.sleep(60)
"""


def test_a_folder_has_one_owner_and_a_killed_one_does_not_block_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    owner = child(OWNING, home)
    assert first_line(owner) == "owned"
    with pytest.raises(StoreError, match=rf"home is already in use by process {owner.pid}\.") as caught, lock(home):
        pass
    assert "TRAG_HOME" in caught.value.hint
    end(owner)
    with lock(home), pytest.raises(StoreError, match=f"by process {os.getpid()}"), lock(home):
        pass
    with lock(home):
        pass


def test_a_lock_is_not_kept_by_a_child_process(tmp_path: Path) -> None:
    with lock(tmp_path):
        sleeper = subprocess.Popen(["sleep", "60"])
    try:
        with lock(tmp_path):
            assert (tmp_path / "lock").read_text().strip() == str(os.getpid())
    finally:
        sleeper.kill()
        sleeper.wait()


REFUSED = """
import os, sys
from pathlib import Path
from store import StoreError
from store.files import keep, lock, write_atomic
folder = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(65534)
writes = lambda: write_atomic(folder / "file", b""), lambda: keep(folder, b"", ".md"), lambda: lock(folder).__enter__()
for write in writes:
    try:
        write()
    except StoreError as error:
        print(error.message)
"""


def test_a_folder_that_may_not_be_written_is_explained(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o555)
    writer = child(REFUSED, folder)
    messages = [first_line(writer) for _ in range(3)]
    end(writer)
    assert all("cannot be written: Permission denied" in message for message in messages), messages
