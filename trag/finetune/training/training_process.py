"""The process that trains: what it says while it runs, and how it is started, found again after a restart of whoever
started it, followed and ended.

It outlives a killed parent and goes on. What it says goes to files in its folder: progress.jsonl, a line of JSON a
record, and errors.txt. A lock that it inherits says that it lives; only the kernel can take that from it. Importing
this loads nothing heavy.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import get_args

from store.files import is_held
from trag.errors import TragError

_ROOT = Path(__file__).parents[3]
_LOCK, _PROGRESS, _ERRORS = "running.lock", "progress.jsonl", "errors.txt"
_PATIENCE = 300.0
"""Seconds for the step that it is at, and a checkpoint, after it was asked to end."""
_PACE = 0.1
_LAST = 8192
"""Bytes that hold the last line of all that was said."""


@dataclass(frozen=True, slots=True)
class Preparing:
    """What is done before the first step, in words for people."""

    doing: str


@dataclass(frozen=True, slots=True)
class Needed:
    """What it takes at most and what there is, in bytes, and the examples it learns from; `too_long` ones are left out.
    Said before it begins."""

    memory: int
    memory_free: int
    disk: int
    disk_free: int
    examples: int
    too_long: int


@dataclass(frozen=True, slots=True)
class Estimate(Needed):
    """The same, and how long it takes at the speed of a measured step."""

    steps: int
    tokens: int
    tokens_per_second: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Step:
    """`step` of `steps` is done with this loss; `held_out` is the last held-out loss, if there is one."""

    step: int
    steps: int
    loss: float
    held_out: float | None
    tokens_per_second: float
    seconds_left: float


@dataclass(frozen=True, slots=True)
class Paused:
    """Stopped when it was told to, after `step`; it goes on from there when it is started again."""

    step: int
    steps: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The adapter is written. `stopped_early` is whether the held-out loss had stopped to fall."""

    steps: int
    held_out: float
    stopped_early: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot go on, said as to a person."""

    message: str
    hint: str


Report = Preparing | Needed | Estimate | Step | Paused | Finished | Failed
Say = Callable[[Report], None]
_RECORDS: Mapping[str, type[Report]] = {record.__name__: record for record in get_args(Report)}


def encode(record: Report) -> str:
    """The record as one line."""
    return json.dumps([type(record).__name__, asdict(record)])


def decode(line: str) -> Report:
    """The record that `encode` made a line of."""
    name, values = json.loads(line)
    return _RECORDS[name](**values)


def start(folder: Path, module: Sequence[str] = ("trag.finetune.training",)) -> subprocess.Popen[bytes]:
    """`python -m MODULE... FOLDER`, in a session of its own. Raises TragError when one runs in that folder already."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a+b") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = "This fine-tune is being trained already."
            raise TragError(message, "Wait until it has ended, or stop it.") from error
        os.set_inheritable(lock.fileno(), True)
        with (folder / _PROGRESS).open("a+b") as file:  # without a line that a full disk or a kill left half
            size = file.tell()
            file.seek(max(0, size - _LAST))
            part = file.read()
            file.truncate(size - len(part) + part.rfind(b"\n") + 1)
        with (folder / _PROGRESS).open("ab") as said, (folder / _ERRORS).open("wb") as errors:
            child = subprocess.Popen(
                [sys.executable, "-m", *module, str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=errors,
                cwd=_ROOT,
                start_new_session=True,
                pass_fds=(lock.fileno(),),
            )
        lock.truncate(0)
        lock.write(f"{child.pid}\n".encode())
    return child


def is_running(folder: Path) -> bool:
    """Whether a process trains there, whoever started it."""
    return is_held(folder / _LOCK)


def end(folder: Path) -> None:
    """Ask the process to keep what it has and end, and wait until it has; make it end when it does not."""
    for how, seconds in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, _PATIENCE)):
        if not is_running(folder):
            return
        with suppress(ProcessLookupError, ValueError):
            os.kill(int((folder / _LOCK).read_text()), how)
        until = monotonic() + seconds
        while is_running(folder) and monotonic() < until:
            sleep(_PACE)


def said(folder: Path) -> tuple[Report, ...]:
    """All that training said there so far, over every process that went on with it."""
    try:
        *lines, _ = (folder / _PROGRESS).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return ()
    return tuple(decode(line) for line in lines if line.startswith("["))


def newest(folder: Path) -> Report | None:
    """What training said last there, None before its first word."""
    try:
        with (folder / _PROGRESS).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST))
            *lines, _ = file.read().split(b"\n")
    except FileNotFoundError:
        return None
    return decode(lines[-1].decode()) if lines else None


def steps(records: Sequence[Report]) -> tuple[Step, ...]:
    """Every step, in order; of one that was done again after a kill the last."""
    found = {record.step: record for record in records if isinstance(record, Step)}
    return tuple(found[number] for number in sorted(found))


def problem(folder: Path, status: int) -> TragError:
    """Why a process that ended with `status` did not finish, in its own last words."""
    last = newest(folder)
    if isinstance(last, Failed):
        return TragError(last.message, last.hint)
    if status < 0:
        return TragError(
            f"Training was killed by {signal.Signals(-status).name}.",
            "What it had is kept: go on with it. If it is killed again, memory is short.",
        )
    lines = (folder / _ERRORS).read_text(encoding="utf-8", errors="replace").strip().splitlines()
    told = lines[-1] if lines else f"exit status {status}"
    return TragError(f"Training failed: {told}", f"{folder / _ERRORS} says more.")
