"""The line of uploads: in order, cancelled, tried again, and gone on with after a kill."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from store.jobs import Job
from store.records import Records
from trag.errors import TragError
from trag.ingest.queue import Progress, Queue

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
