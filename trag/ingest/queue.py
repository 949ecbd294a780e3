"""What people upload, worked on one file after the other in a thread of its own: people who ask are not held up.

A file is kept before it is acknowledged; after a kill the next start goes on with the line.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath

from store import StoreError, files
from store.jobs import Job, Jobs
from store.passage import OPEN, Audience
from trag.errors import SHOWN
from trag.progress import Cancelled, Progress

log = logging.getLogger(__name__)

_AGAIN = 10.0
"""Seconds until the records are tried again that could not be read or written."""

_keeping = threading.Lock()
"""Held while a file has no job yet, and by whoever removes files that no job wants."""


def drop_unwanted(jobs: Jobs, folder: Path) -> None:
    """Remove the kept files that no job will be worked on with: every job that wants one is done or forgotten."""
    with _keeping:
        wanted = {job.sha256 for job in jobs.all() if job.state != "done"}
        for path in folder.glob("*"):
            if path.stem not in wanted and not path.name.startswith("."):
                path.unlink()


class Queue:
    """The line of one home and the thread that works on it.

    `work` is given a job, its file and its progress, which raises Cancelled for a job that nobody wants any more, and
    returns what there is to say of it; errors shown to people end the job, not the line.
    """

    def __init__(self, jobs: Jobs, folder: Path, work: Callable[[Job, bytes, Progress], str]) -> None:
        self._jobs = jobs
        self._folder = folder
        self._work = work
        self._current: Job | None = None
        self._unwanted: set[str] = set()
        self._come = threading.Event()
        self._closing = threading.Event()
        jobs.wait_again()
        self._drop_unwanted()
        self._thread = threading.Thread(target=self._run, name="ingest", daemon=True)
        self._thread.start()

    def add(self, content: bytes, name: str, *, by: str, audience: Audience = OPEN) -> Job:
        """Keep a file and put it in the line. What is acknowledged survives a kill. `audience` is who may read it where
        no document of that name is there yet."""
        suffix = PurePath(name).suffix.lower()
        with _keeping:
            sha256 = files.keep(self._folder, content, suffix if suffix[1:].isalnum() and suffix.isascii() else "")
            job = self._jobs.add(name, sha256, by, audience)
        self._come.set()
        return job

    def jobs(self) -> tuple[Job, ...]:
        """Every job, the newest first, the one that is worked on with how far it has come."""
        current = self._current
        found = reversed(self._jobs.all())
        return tuple(
            replace(job, step=current.step, done=current.done, total=current.total)
            if current and job.id == current.id and job.state == "working"
            else job
            for job in found
        )

    def cancel(self, id: str) -> None:
        """End a job that waits, or the one that is worked on: nothing of it is searched."""
        self._unwanted.add(id)
        if any(job.id == id and job.state == "waiting" for job in self._jobs.all()):
            self._jobs.end(id, "cancelled", "Cancelled before it began.")

    def retry(self, id: str) -> None:
        """Put a job that failed or was cancelled back in the line."""
        self._unwanted.discard(id)
        if any(job.id == id and job.state in ("failed", "cancelled") for job in self._jobs.all()):
            self._jobs.wait_again(id)
            self._come.set()

    def clear(self) -> None:
        """Forget the jobs that are over, and their files."""
        self._jobs.forget_ended()
        self._drop_unwanted()

    def close(self) -> None:
        """End the thread; what was worked on is begun again by the next start."""
        self._closing.set()
        self._come.set()
        self._thread.join()

    def _run(self) -> None:
        failed = False
        while True:
            self._come.clear()
            if self._closing.is_set():  # whoever closes sets this first, so that no end is missed by clearing
                return
            try:
                if failed:  # nobody else works: a job that is said to be worked on could not be ended
                    self._jobs.wait_again()
                while not self._closing.is_set() and (job := self._jobs.take()):
                    self._do(job)
                failed = False
            except StoreError:
                log.exception("the line of uploads stands still: the records cannot be read or written")
                failed = True
            self._come.wait(_AGAIN if failed else None)

    def _do(self, job: Job) -> None:
        self._current = job

        def progress(step: str, done: int, total: int) -> None:
            if self._closing.is_set() or job.id in self._unwanted:
                raise Cancelled
            self._current = replace(job, step=step, done=done, total=total)

        path = files.find(self._folder, job.sha256)
        try:
            if path is None:
                self._jobs.end(job.id, "failed", "The uploaded file is no longer there.", "Upload it again.")
                return
            progress("reading", 0, 0)
            said = self._work(job, path.read_bytes(), progress)
        except Cancelled:
            if not self._closing.is_set():
                self._jobs.end(job.id, "cancelled", "Cancelled.")
        except SHOWN as error:
            self._jobs.end(job.id, "failed", error.message, error.hint)
        except Exception:
            # A fault of the program in one file must not keep the others waiting for ever.
            log.exception("a fault while working on %r", job.name)
            self._jobs.end(job.id, "failed", "A fault in the program.", "Its log says more.")
        else:
            self._jobs.end(job.id, "done", said)
            self._drop_unwanted()
        finally:
            self._current = None

    def _drop_unwanted(self) -> None:
        try:
            drop_unwanted(self._jobs, self._folder)
        except (OSError, StoreError) as error:  # the next job that is done tries again
            log.warning("an uploaded file stays in %s: %s", self._folder, error)
