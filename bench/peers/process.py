"""One system in a process of its own, and what its processes take of memory.

Setup -> Indexed, question -> Answered, over the pipe of `bench.peers.serving`.  Knows no system.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from bench.peers import environment
from bench.peers.serving import Answered, Indexed, Passage, Setup

ROOT = Path(__file__).parent.parent.parent
SLOWEST = 3600.0
"""Seconds after which a system that says nothing is ended."""
_EVERY = 0.25
"""Seconds between two looks at the memory. A look costs some milliseconds."""


class SystemDied(Exception):
    """The process ended, or was ended for saying nothing; says what it wrote last."""


class Process:
    """A system that has indexed the documents and waits for questions. `close` it in the end."""

    def __init__(self, command: Sequence[str], setup: Setup, log: Path) -> None:
        """Start it; `log` gets what it and its libraries print. Nothing has been indexed yet."""
        self._log = log
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment.variables(),
                cwd=ROOT,
                text=True,
            )
        self._setup = setup

    def index(self) -> Indexed:
        """Load the models and index the documents. Raises SystemDied."""
        return Indexed(**self._reply(json.dumps(asdict(self._setup))))

    def ask(self, question: str) -> Answered:
        """The answer and its times, or an error in its place. Raises SystemDied."""
        values = self._reply(json.dumps({"question": question}))
        return Answered(**values | {"passages": tuple(Passage(**one) for one in values["passages"])})

    @contextmanager
    def watched(self) -> Iterator[list[int]]:
        """A list that holds, when the block ends, the most bytes that the process and its children took at once."""
        peak = [0]
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_EVERY):
                peak[0] = max(peak[0], self.memory())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield peak
        finally:
            done.set()
            watcher.join()

    def memory(self) -> int:
        """Bytes that the process and its children take now; pages that they share are counted once (PSS)."""
        try:
            own = psutil.Process(self._process.pid)
            return sum(one.memory_full_info().pss for one in (own, *own.children(recursive=True)))
        except psutil.NoSuchProcess:  # between two looks
            return 0

    def close(self) -> None:
        """End it."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with suppress(BrokenPipeError):  # it is gone already
                pipe.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _reply(self, order: str) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        patience = threading.Timer(SLOWEST, self._process.kill)
        patience.start()
        try:
            self._process.stdin.write(order + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            patience.cancel()
        if not line.endswith("\n"):
            said = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
            raise SystemDied("\n".join(said) or "it ended without a word")
        found: dict[str, Any] = json.loads(line)
        return found
