"""The search index after damage, kills and a full disk."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store import StoreError, embedded
from store.passage import OPEN
from store.vectors import IndexDamaged, Vectors, make_empty
from tests.store.conftest import SIZE, make, scatter

ROOT = Path(__file__).parents[2]


@pytest.fixture
def index(folder: Path) -> Iterator[Vectors]:
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    yield index
    index.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index whose vectors Chroma has written out, closed; to be copied."""
    folder = tmp_path_factory.mktemp("large") / "chroma"
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    index.add(make(2500), scatter(2500), audience=OPEN)
    index.close()
    return folder


def lose_vectors(folder: Path) -> None:
    (part,) = (path for path in (folder / "000001").iterdir() if path.is_dir())
    shutil.rmtree(part)


def garble(name: str, start: float = 0.0) -> Callable[[Path], None]:
    """Random bytes from that share of a file of vectors on, or none at all from there on where `start` is negative."""

    def damage(folder: Path) -> None:
        (path,) = (folder / "000001").glob(f"*/{name}")
        content = path.read_bytes()
        keep = int(len(content) * abs(start))
        rest = np.random.default_rng(0).bytes(len(content) - keep) if start >= 0 else b""
        path.write_bytes(content[:keep] + rest)

    return damage


def lose_database(folder: Path) -> None:
    (folder / "000001" / "chroma.sqlite3").unlink()


def spoil_database(folder: Path) -> None:
    (folder / "000001" / "chroma.sqlite3").write_bytes(b"no database" * 1000)


def cut_database(folder: Path) -> None:
    path = folder / "000001" / "chroma.sqlite3"
    path.write_bytes(path.read_bytes()[:30_000])


def spoil_pointer(folder: Path) -> None:
    (folder / "current").write_bytes(b"\xff\0")


def lose_index(folder: Path) -> None:
    shutil.rmtree(folder / "000001")


@pytest.mark.slow
def test_a_silent_loss_of_vectors_is_found_when_the_index_is_opened_and_mended_by_a_rebuild(
    large: Path, folder: Path
) -> None:
    shutil.copytree(large, folder)
    lose_vectors(folder)
    (folder / "000001" / "sums").unlink()  # as if it had not been closed
    with pytest.raises(IndexDamaged, match=r"finds .* of 57 of its own passages") as caught:  # Chroma does not notice
        Vectors(folder, embedder="mini-1", dimension=SIZE)
    assert "--reindex" in caught.value.hint
    make_empty(folder, embedder="mini-1", dimension=SIZE)
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    index.put("d", make(20), scatter(20), audience=OPEN)
    assert index.probe() == (20, 20)
    assert index.search(scatter(20)[7], "", kinds=["section"], k=1, readers=None)[0].id == "d-section-7"
    index.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "closed"),
    [
        pytest.param(garble("data_level0.bin"), False, id="vectors random"),
        pytest.param(garble("data_level0.bin", 0.7), False, id="some vectors random"),
        pytest.param(garble("data_level0.bin", -0.5), False, id="vectors cut"),
        pytest.param(garble("header.bin"), False, id="header random"),
        pytest.param(garble("link_lists.bin", -0.5), False, id="links cut"),
        pytest.param(garble("link_lists.bin", -0.9999), False, id="the last links cut"),
        pytest.param(garble("link_lists.bin", 0.5), False, id="links random"),
        pytest.param(garble("index_metadata.pickle"), False, id="ids random"),
        pytest.param(garble("index_metadata.pickle", -0.5), False, id="ids cut"),
        pytest.param(garble("data_level0.bin", 0.9999), True, id="a few bytes, at rest"),
        pytest.param(garble("link_lists.bin"), True, id="links random, at rest"),
        pytest.param(lose_vectors, True, id="lost, at rest"),
    ],
)
def test_damaged_vectors_do_not_end_the_program(
    large: Path, folder: Path, damage: Callable[[Path], None], closed: bool
) -> None:
    shutil.copytree(large, folder)
    damage(folder)
    if not closed:
        (folder / "000001" / "sums").unlink()
    with pytest.raises(IndexDamaged, match="damaged") as caught:
        Vectors(folder, embedder="mini-1", dimension=SIZE)
    assert "--reindex" in caught.value.hint
    make_empty(folder, embedder="mini-1", dimension=SIZE)
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    index.put("d", make(20), scatter(20), audience=OPEN)
    assert (index.count(), index.probe()) == (20, (20, 20))
    index.close()


def test_an_index_that_was_closed_is_believed_and_any_other_is_looked_through(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(embedded, "_examine", lambda path: looked.append(path.name))
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    index.add(make(1200), scatter(1200), audience=OPEN)
    index.close()
    assert index.count() == 1200
    assert looked == []
    index.close()
    (folder / "000001" / "sums").unlink()  # as a kill leaves it, and an earlier version
    assert index.count() == 1200
    assert looked == ["000001"]
    index.close()


@pytest.mark.parametrize("damage", [lose_database, spoil_database, cut_database, spoil_pointer, lose_index])
def test_a_damaged_index_is_said_and_made_again(index: Vectors, folder: Path, damage: Callable[[Path], None]) -> None:
    index.add(make(20), scatter(20), audience=OPEN)
    index.close()
    damage(folder)
    with pytest.raises(IndexDamaged) as caught:
        Vectors(folder, embedder="mini-1", dimension=SIZE)
    assert str(folder) in caught.value.message
    assert "--reindex" in caught.value.hint
    make_empty(folder, embedder="mini-1", dimension=SIZE)
    index.put("d", make(20), scatter(20), audience=OPEN)
    assert (index.count(), index.probe()) == (20, (20, 20))


def test_a_disk_without_room_is_refused_before_anything_is_written(
    index: Vectors, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add(make(3), scatter(3), audience=OPEN)
    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=32 * 2**20))
    for change in (partial(index.add, audience=OPEN), index.rebuild):
        with pytest.raises(StoreError, match=f"No space is left for {folder}"):
            change(make(5, document="new"), scatter(5))
    assert len(index.search(scatter(1)[0], "", kinds=["section"], k=9, readers=None)) == index.count() == 3
    assert sorted(path.name for path in folder.iterdir()) == ["000001", "current"]


CHILD = """
import resource, sys
from pathlib import Path
import numpy as np
from store import StoreError, embedded
from store.passage import Passage
from store.vectors import Vectors
index = Vectors(Path(sys.argv[1]), embedder="mini-1", dimension=16)
points = np.random.default_rng(0).normal(size=(200, 16)).astype(np.float32)
points /= np.linalg.norm(points, axis=1, keepdims=True)
def add(number):
    passages = [Passage(f"{number}-{n}", "qa", f"d{number}", "s", None, "word " * 100) for n in range(200)]
    index.add(passages, points, audience=[f"d{number}"])
    print(number, flush=True)
"""
ADDING = """
for number in range(10_000):
    add(number)
"""
FILLING = """
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
try:
    for number in range(10_000):
        add(number)
except StoreError as error:
    print(error.hint, flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
add(number)
"""
CHANGING = """
for number in range(10_000):
    passages = [Passage(f"{number}-{n}", "qa", "d", "s", None, f"version{number}") for n in range(1500)]
    index.put("d", passages, np.tile(points, (8, 1))[:1500], audience=[f"a{number}"])
    print(number, flush=True)
    index.set_audience("d", [f"b{number}"])
"""
REBUILDING = """
add(0)
passages = [Passage(f"new-{n}", "qa", "new", "s", None, "word " * 100) for n in range(20_000)]
index.rebuild(passages, np.tile(points, (100, 1)))
"""


def run(code: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + code, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


COMPACTING = """
add(0)
index.put("d0", [Passage("new", "qa", "d0", "s", None, "word")], points[:1], audience=["d0"])
index.compact()
print("compacted", flush=True)
sys.stdin.readline()
index.add([Passage("more", "qa", "d0", "s", None, "word")], points[1:2], audience=["d0"])
index.close()
"""


def beyond(folder: Path) -> list[set[int]]:
    """What bytes stand in the files of vectors, where Chroma has not written one yet: it does so by the thousand."""
    files = [*folder.glob("*/*/data_level0.bin"), *folder.glob("*/*/length.bin")]
    return [set(file.read_bytes()) for file in files]


@pytest.mark.slow
def test_nothing_that_was_in_memory_stands_in_the_files_beside_the_vectors(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALLOC_PERTURB_", "90")  # fills memory that nobody has written to
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", CHILD + COMPACTING, str(folder)], text=True, cwd=ROOT, **pipes) as run:
        assert (run.stdout.readline(), run.stdout.readline()) == ("0\n", "compacted\n")
        assert beyond(folder) == [{0}, {0}]
        run.stdin.write("end\n")
    assert beyond(folder) == [{0}, {0}]
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    assert (index.count(), index.probe()) == (2, (2, 2))
    index.close()


@pytest.mark.slow
def test_no_acknowledged_passage_is_lost_when_the_program_is_killed(folder: Path) -> None:
    for kill in range(2):
        child = run(ADDING, folder / str(kill))
        assert child.stdout is not None
        acknowledged = [int(child.stdout.readline()) for _ in range(2 + 4 * kill)]
        child.send_signal(signal.SIGKILL)
        acknowledged += map(int, child.stdout.read().split())
        child.wait()
        child.stdout.close()
        index = Vectors(folder / str(kill), embedder="mini-1", dimension=SIZE)
        for number in acknowledged:
            assert len(index.search(scatter(1)[0], "", kinds=["qa"], k=300, readers=[f"d{number}"])) == 200
        found, tried = index.probe()
        assert found == tried
        index.close()


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.2, 1.0])
def test_a_change_that_is_killed_leaves_one_audience_and_the_last_version_or_both(folder: Path, seconds: float) -> None:
    child = run(CHANGING, folder)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    last = max([0, *map(int, child.stdout.read().split())])
    child.wait()
    child.stdout.close()
    try:
        index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    except IndexDamaged:
        return  # Chroma cannot always go on after a kill; that is noticed, and whoever has the records makes it anew
    held = index.ids()["d"]
    kept = {int(id.split("-")[0]) for id in held}
    assert kept <= {last, last + 1}, kept
    assert len(held) >= 1500
    # Passages of two versions have two audiences: nobody reads those until the records have put them right.
    readers = index.audiences()["d"]
    assert readers <= {f"{letter}{number}" for letter in "ab" for number in kept}
    found = index.search(scatter(1)[0], "", kinds=["qa"], k=4000, readers=[f"a{last}", f"b{last}", f"a{last + 1}"])
    assert len(found) in (0, len(held)), "no part of a document is readable without the rest"
    index.close()


@pytest.mark.slow
def test_a_rebuild_that_is_killed_leaves_the_index_that_was_in_use(folder: Path) -> None:
    child = run(REBUILDING, folder)
    assert child.stdout is not None
    child.stdout.readline()
    while not (folder / "000002" / "chroma.sqlite3").exists():
        assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    assert (index.count(), index.probe()) == (200, (32, 32))
    index.close()
    assert sorted(path.name for path in folder.iterdir()) == ["000001", "current"]


@pytest.mark.slow
def test_an_index_whose_writes_failed_goes_on_once_there_is_room(folder: Path) -> None:
    child = run(FILLING, folder)
    output, _ = child.communicate(timeout=120)
    *acknowledged, hint, last = output.splitlines()
    assert "Free some space" in hint or "--reindex" in hint, output
    assert (child.returncode, int(last)) == (0, len(acknowledged))
    index = Vectors(folder, embedder="mini-1", dimension=SIZE)
    assert index.count() == 200 * (len(acknowledged) + 1)
    found, tried = index.probe()
    assert found == tried
    index.close()
