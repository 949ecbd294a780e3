"""A process that loads everything once, and forks for each kill one that changes a home and tells its steps."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chromadb  # noqa: F401  before the forks
import numpy as np

from store import files
from store.library import Library
from store.records import Records
from store.vectors import Vectors
from trag.home import open_home
from trag.ingest import forgetting, index
from trag.ingest.context import IngestContext
from trag.progress import silent
from trag.settings import Settings

ROOT = Path(__file__).parents[3]


class Standing:
    """In the place of the encoder, which is not what is killed."""

    identity, dimension = "standing", 16

    def embed_passages(self, texts: Any, progress: Any = None) -> Any:
        vectors = [np.random.default_rng([*text.encode()]).normal(size=16) for text in texts]
        found = np.array(vectors, np.float32).reshape(-1, 16)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    embed_questions = embed_passages


def ingest_folder(home: Path, folder: str) -> list[str]:
    """What becomes of each file."""
    with open_home(Settings(home=home)) as opened:
        opened.parts["embedder"] = Standing()
        results = opened.ingest([Path(folder)], replace=True, progress=silent, by="ada")
    return [result.outcome for result in results]


def forget(home: Path, document: str) -> None:
    vectors = Vectors(home / "chroma", embedder=Standing.identity, dimension=Standing.dimension)
    forgetting.forget(document, IngestContext(Records(f"sqlite:///{home / 'trag.db'}"), vectors, None, home))  # type: ignore[arg-type]


TOLD = {
    ingest_folder: (
        *((index, step) for step in ("read", "sweep")),
        *((Standing, "embed_passages"), (files, "keep")),
        *((Library, step) for step in ("put", "put_pairs")),
        *((Vectors, step) for step in ("put", "add", "remove")),
    ),
    forget: (
        *((forgetting, step) for step in ("drop_unwanted", "rmtree", "sweep")),
        *((Library, step) for step in ("delete", "has_left")),
        *((Vectors, step) for step in ("delete", "compact", "rebuild")),
    ),
}


class Worker:
    """Starts that process."""

    def __init__(self, job: Any) -> None:
        command = [sys.executable, "-m", "tests.trag.ingest.killing", job.__name__]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, cwd=ROOT, **pipes)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self, home: Path, argument: object, *steps: str, wait: float | None = None) -> list[str]:
        """The steps that were told, in a run that is killed so many seconds after it had told these, if at all."""
        self._process.stdin.write(f"{home}\t{argument}\n")
        self._process.stdin.flush()
        told = [self._hear()]
        for step in steps:
            told.append(self._hear())
            while told[-1] not in (step, "end"):
                told.append(self._hear())
        if wait is not None:
            time.sleep(wait)
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(told[0]), signal.SIGKILL)
        while told[-1] != "over":
            told.append(self._hear())
        return told[1:-1]

    def _hear(self) -> str:
        line = self._process.stdout.readline()
        assert line, "the process ended"
        return line.strip()


def say(words: object) -> None:
    os.write(1, f"{words}\n".encode())


def main(job: Any) -> None:
    def told(owner: Any, step: str) -> None:
        whole = getattr(owner, step)

        def tell(*arguments: Any, **options: Any) -> Any:
            say(f"{getattr(owner, '__name__', '').rsplit('.', 1)[-1]}.{step}")
            return whole(*arguments, **options)

        setattr(owner, step, tell)

    for owner, step in TOLD[job]:
        told(owner, step)
    for line in sys.stdin:
        if (child := os.fork()) == 0:
            say(os.getpid())
            home, argument = line.strip().split("\t")
            job(Path(home), argument)
            say("end")
            os._exit(0)
        os.waitpid(child, 0)
        say("over")


if __name__ == "__main__":
    main(globals()[sys.argv[1]])
