"""The line of uploads: in order, cancelled, tried again, and gone on with after a kill.

KILLS_SEED=n chooses other moments.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from store import StoreError, files
from store.jobs import Job, Jobs
from store.records import Records
from trag.errors import TragError
from trag.ingest.queue import Queue
from trag.ingest.reading import read
from trag.progress import Progress
from trag.sandbox import Limits

ROOT = Path(__file__).parents[3]
SEED = int(os.environ.get("KILLS_SEED", "7"))
KILLS = 4
ENDLESS = b"<table>" + b"<tr><td colspan=100 rowspan=1000>cell</td></tr>" * 3_000 + b"</table>"
"""A small page that takes minutes to read."""

Work = Callable[[Job, bytes, Progress], str]


class Line:
    """A queue over a real database in a folder, whose work is told by each test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = Records(f"sqlite:///{folder / 'trag.db'}")
        self.queue: Queue | None = None

    def open(self, work: Work) -> Queue:
        self.queue = Queue(self.records.jobs, self.folder / "waiting", work)
        return self.queue

    def close(self) -> None:
        if self.queue:
            self.queue.close()
        self.records.close()


@pytest.fixture
def line(tmp_path: Path, empty_database: Path) -> object:
    shutil.copy(empty_database, tmp_path)
    line = Line(tmp_path)
    yield line
    line.close()


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)


def over(queue: Queue) -> bool:
    return all(job.state not in ("waiting", "working") for job in queue.jobs())


def test_files_are_worked_on_one_after_the_other_and_each_says_what_became_of_it(line: Line) -> None:
    seen: list[tuple[str, bytes]] = []

    def work(job: Job, content: bytes, progress: Progress) -> str:
        seen.append((job.name, content))
        if content == b"bad":
            raise TragError("It is damaged.", "Save it again.")
        if content == b"bug":
            raise ZeroDivisionError
        return "indexed: 3 pages"

    queue = line.open(work)
    for name, content in (("a.pdf", b"one"), ("b.pdf", b"bad"), ("c.pdf", b"bug"), ("d.pdf", b"two")):
        queue.add(content, name, by="ada")
    until(lambda: over(queue))
    assert [name for name, _ in seen] == ["a.pdf", "b.pdf", "c.pdf", "d.pdf"]
    assert [(job.name, job.state, job.message, job.hint, job.by) for job in queue.jobs()] == [
        ("d.pdf", "done", "indexed: 3 pages", "", "ada"),
        ("c.pdf", "failed", "A fault in the program.", "Its log says more.", "ada"),
        ("b.pdf", "failed", "It is damaged.", "Save it again.", "ada"),
        ("a.pdf", "done", "indexed: 3 pages", "", "ada"),
    ]
    queue.retry(queue.jobs()[2].id)
    until(lambda: len(seen) == 5)
    until(lambda: over(queue))
    queue.clear()
    assert queue.jobs() == ()
    assert list((line.folder / "waiting").iterdir()) == []


def test_progress_shows_and_a_cancelled_job_ends_at_its_next_step(line: Line) -> None:
    go_on = threading.Event()

    def work(job: Job, content: bytes, progress: Progress) -> str:
        for step in range(1000):
            progress("embedding", step, 1000)
            if step == 2:
                go_on.wait(10)
        return "indexed"

    queue = line.open(work)
    first, second = queue.add(b"one", "a.md", by=""), queue.add(b"two", "b.md", by="")
    until(lambda: queue.jobs()[1].done == 2)
    assert (queue.jobs()[1].step, queue.jobs()[1].total, queue.jobs()[1].state) == ("embedding", 1000, "working")
    queue.cancel(second.id)
    queue.cancel(first.id)
    go_on.set()
    until(lambda: over(queue))
    assert [job.state for job in queue.jobs()] == ["cancelled", "cancelled"]
    queue.retry(first.id)
    until(lambda: over(queue))
    assert queue.jobs()[1].message == "indexed"


def test_what_was_not_done_when_the_program_ended_is_done_by_the_next(line: Line) -> None:
    begun = threading.Event()

    def never(job: Job, content: bytes, progress: Progress) -> str:
        while True:
            begun.set()
            progress("reading", 0, 0)
            time.sleep(0.005)

    queue = line.open(never)
    queue.add(b"one", "a.md", by="")
    queue.add(b"two", "b.md", by="")
    begun.wait(10)
    queue.close()
    assert {job.state for job in line.records.jobs.all()} == {"waiting", "working"}
    again = line.open(lambda job, content, progress: content.decode())
    until(lambda: over(again))
    assert [job.message for job in again.jobs()] == ["two", "one"]


def test_a_file_that_is_gone_is_said(line: Line) -> None:
    job = line.records.jobs.add("a.md", "0" * 64, "")
    queue = line.open(lambda job, content, progress: "indexed")
    until(lambda: over(queue))
    assert [(each.id, each.state, each.hint) for each in queue.jobs()] == [(job.id, "failed", "Upload it again.")]


def test_a_file_is_kept_until_its_job_is_written_down_as_done(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, kept = line.folder / "waiting", []
    whole = Jobs.end

    def end(jobs: Jobs, id: str, state: str, *said: str) -> None:
        kept.append((state, [path.read_bytes() for path in waiting.iterdir()]))
        whole(jobs, id, state, *said)

    monkeypatch.setattr(Jobs, "end", end)
    queue = line.open(lambda job, content, progress: "indexed")
    queue.add(b"one", "a.md", by="")
    until(lambda: over(queue))
    assert kept == [("done", [b"one"])]
    until(lambda: list(waiting.iterdir()) == [])


@pytest.mark.parametrize("failing", [("take",), ("end",), ("end", "wait_again")], ids="-".join)
def test_the_line_goes_on_by_itself_once_the_records_can_be_written_again(
    line: Line, monkeypatch: pytest.MonkeyPatch, failing: tuple[str, ...]
) -> None:
    monkeypatch.setattr("trag.ingest.queue._AGAIN", 0.05)
    queue, left = line.open(lambda job, content, progress: content.decode()), list(failing)

    def fail_once(name: str) -> None:
        whole = getattr(Jobs, name)

        def method(jobs: Jobs, *arguments: object) -> object:
            if name in left and jobs.all():
                left.remove(name)
                raise StoreError("The database cannot be reached.")
            return whole(jobs, *arguments)

        monkeypatch.setattr(Jobs, name, method)

    for name in failing:
        fail_once(name)
    queue.add(b"one", "a.md", by="")
    until(lambda: over(queue))
    assert left == []
    assert [(job.state, job.message) for job in queue.jobs()] == [("done", "one")]


def test_an_end_that_comes_while_the_line_looks_for_more_is_not_missed(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = line.open(lambda job, content, progress: "indexed")
    closing, clear = threading.Thread(target=queue.close), queue._come.clear

    def closed_before() -> None:
        closing.start()
        until(lambda: queue._closing.is_set() and queue._come.is_set())
        clear()

    monkeypatch.setattr(queue._come, "clear", closed_before)
    queue.add(b"one", "a.md", by="")
    until(queue._closing.is_set)
    closing.join(5)
    assert not closing.is_alive()


def test_a_start_removes_the_files_that_no_job_wants(line: Line) -> None:
    kept = {}
    for state in ("done", "failed"):
        kept[state] = files.keep(line.folder / "waiting", state.encode(), ".md")
        line.records.jobs.end(line.records.jobs.add(f"{state}.md", kept[state], "").id, state, "")
    files.keep(line.folder / "waiting", b"of no job", ".md")
    line.open(lambda job, content, progress: "indexed")
    assert [path.stem for path in (line.folder / "waiting").iterdir()] == [kept["failed"]]


@pytest.mark.slow
@pytest.mark.parametrize("ended", ["cancelled", "closed"])
def test_a_file_that_takes_long_to_read_holds_up_no_end(line: Line, ended: str) -> None:
    def work(job: Job, content: bytes, progress: Progress) -> str:
        read(content, job.name, Limits(), lambda: progress("reading", 0, 0))
        return "indexed"

    read(b"text", "t.html", Limits())  # what forks the readers is there before
    others = set(psutil.Process().children(recursive=True))
    queue = line.open(work)
    job = queue.add(ENDLESS, "t.html", by="")
    until(lambda: bool(set(psutil.Process().children(recursive=True)) - others))
    began = time.monotonic()
    if ended == "cancelled":
        queue.cancel(job.id)
        until(lambda: over(queue))
        assert [each.state for each in queue.jobs()] == ["cancelled"]
    else:
        queue.close()
        assert [each.state for each in line.records.jobs.all()] == ["working"]
    assert time.monotonic() - began < 5
    _, running = psutil.wait_procs(set(psutil.Process().children(recursive=True)) - others, timeout=5)
    assert not running


WORK = """
import sys, time
from pathlib import Path
from store import files
from store.records import Records
from trag.ingest.queue import Queue

folder = Path(sys.argv[1])
(folder / "out").mkdir(exist_ok=True)

def work(job, content, progress):
    progress("reading", 0, 0)
    files.write_atomic(folder / "out" / job.name, content)
    return "indexed"

with files.lock(folder):
    queue = Queue(Records(f"sqlite:///{folder / 'trag.db'}").jobs, folder / "waiting", work)
    print("ready", flush=True)
    for number in range(10_000):
        name = f"{sys.argv[2]}-{number}.md"
        queue.add(name.encode(), name, by="")
        print(name, flush=True)
        time.sleep(0.002)
"""


@pytest.mark.slow
def test_no_acknowledged_upload_is_lost_or_failed_when_the_program_is_killed(line: Line) -> None:
    chance, told = random.Random(SEED), []
    for kill in range(KILLS):
        command = [sys.executable, "-c", WORK, str(line.folder), str(kill)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0, 0.3))
            child.kill()
            told += child.stdout.read().split("\n")[:-1]
    done: list[str] = []

    def work(job: Job, content: bytes, progress: Progress) -> str:
        files.write_atomic(line.folder / "out" / job.name, content)
        done.append(job.name)
        return "indexed"

    with files.lock(line.folder):
        queue = line.open(work)
    until(lambda: over(queue))
    assert {(job.state, job.message) for job in queue.jobs()} == {("done", "indexed")}
    assert set(told) <= {job.name for job in queue.jobs()}
    assert {path.name: path.read_text() for path in (line.folder / "out").iterdir()} == {
        job.name: job.name for job in queue.jobs()
    }
    assert len(told) > KILLS
    assert done != []
    until(lambda: list((line.folder / "waiting").iterdir()) == [])
