"""A file of a stranger -> what a child process makes of it, which the file may kill.

Parsers have had a memory or time bomb every month or two; versions alone do not keep up, so each file is read by a
process with limits on memory, time, output and files, without the parent's environment, and never by the one that
answers people. `run` is the parent's half, `serve` the child's.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from trag.errors import OperatorError, TragError

log = logging.getLogger(__name__)

_ROOT = Path(__file__).parents[1]
_OUT_OF_MEMORY = 3
_TOO_MUCH_OUTPUT = 4
"""Exit statuses of the child."""
_GLANCE = 0.2
"""Seconds between two looks at whether the child is still wanted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost. Bytes and seconds."""

    file_bytes: int = 200_000_000
    memory_bytes: int = 1_536 * 1024 * 1024
    output_bytes: int = 100_000_000
    processor_seconds: int = 300
    seconds: int = 600
    open_files: int = 64


def nobody() -> None:
    """Watches a child that may take its time."""


def run(
    module: str,
    arguments: list[str],
    content: bytes,
    name: str,
    limits: Limits,
    watch: Callable[[], None] = nobody,
) -> str:
    """What the child that `python -m module` starts makes of the content, in ASCII.

    Raises TragError that names the file, when the child refuses it, exceeds a limit or fails. `watch` is called several
    times a second while the child works; what it raises ends the child at once, and is raised here.
    """
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # Files without a name, not pipes: nothing can block on them, and the kernel holds the child to the size of
        # its output.
        try:
            source.write(content)
            source.seek(0)
        except OSError as error:
            hint = f"Free some space in {tempfile.gettempdir()}, or set TMPDIR to another folder."
            raise OperatorError(f"{shown(name)} cannot be handed on to be read: {error.strerror}.", hint) from error
        status = _run(module, arguments, limits, watch, source, output, errors)
        if status:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 10_000))
            raise _failure(status, shown(name), limits, errors.read().decode("utf-8", "replace"))
        output.seek(0)
        answer = output.read().decode("ascii", "replace")
    if answer.startswith('{"refused"'):
        message, hint = json.loads(answer)["refused"]
        raise TragError(f"{shown(name)} {message}", str(hint))
    return answer


def serve(work: Callable[[bytes, list[str]], str]) -> None:
    """In the child: limit it, hand `work` the content and the arguments, write what it gives, and end the process.

    The child is given no file name and no secret, and may start no process and open no connection. A TragError of
    `work` goes to the parent as a refusal.
    """
    # Nothing is left to clean up, and a full output would fail once more at an ordinary exit.
    os._exit(_serve(work))


def shown(name: str) -> str:
    """A name as it may stand in one line of a message: without line ends, controls, and marks that turn text round."""
    return "".join(character if character.isprintable() else "�" for character in name)[:200]


def _run(
    module: str,
    arguments: list[str],
    limits: Limits,
    watch: Callable[[], None],
    source: IO[bytes],
    output: IO[bytes],
    errors: IO[bytes],
) -> int:
    """The exit status of the child, negative for the signal that ended it; -SIGALRM when its time was up."""
    resources = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_FSIZE": limits.output_bytes,
        "RLIMIT_CPU": limits.processor_seconds,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CORE": 0,
    }
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", module, json.dumps(resources), *arguments],
        stdin=source,
        stdout=output,
        stderr=errors,
        cwd=_ROOT,
        env={"PYTHONUTF8": "1", "PYTHONHASHSEED": "0"},
        start_new_session=True,
    )
    until = time.monotonic() + limits.seconds
    try:
        while (left := until - time.monotonic()) > 0:
            watch()
            try:
                return process.wait(min(left, _GLANCE))
            except subprocess.TimeoutExpired:
                continue
        return -signal.SIGALRM
    finally:
        # Also when the parent is interrupted: nothing of the child's group is left behind.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _failure(status: int, name: str, limits: Limits, errors: str) -> TragError:
    """Why the child gave no answer, from its exit status and the end of what it wrote on its way out."""
    log.debug("the child that read %s ended with %d: %s", name, status, errors)
    last = errors.strip().rsplit("\n", 1)[-1]
    if status in (_OUT_OF_MEMORY, -signal.SIGKILL) or last.startswith("MemoryError"):
        why = f"needs more than {limits.memory_bytes / 2**20:,.0f} MiB of memory to be read."
    elif status in (_TOO_MUCH_OUTPUT, -signal.SIGXFSZ):
        why = f"holds more than {limits.output_bytes / 1e6:,.0f} MB of text."
    elif status == -signal.SIGXCPU:
        why = f"takes more than {limits.processor_seconds} seconds of computing to be read."
    elif status == -signal.SIGALRM:
        why = f"could not be read in {limits.seconds} seconds."
    else:
        end = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        why = f"could not be read, it may be damaged: {last[:300] or end}"
        return TragError(
            f"{name} {why}",
            "Open it in its own program, save it again and use that.",
            f"{name} could not be read, it may be damaged.",
        )
    return TragError(f"{name} {why}", "Split it, or save it again in a simpler form.")


def _serve(work: Callable[[bytes, list[str]], str]) -> int:
    """0 with an answer, also when the answer is a refusal; anything else is explained by the parent."""
    limits, arguments = json.loads(sys.argv[1]), sys.argv[2:]
    for name, value in limits.items():
        # The soft limit is the one that says which it was; the hard one for the processor would only kill. Where the
        # machine allows less than that, less it stays.
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        most = value + 1 if hard == resource.RLIM_INFINITY else min(value + 1, hard)
        resource.setrlimit(which, (min(value, most), most))
    sys.addaudithook(_refuse)
    logging.disable()  # parsers log every oddity of a damaged file, without end
    try:
        content = sys.stdin.buffer.read()
        try:
            answer = work(content, arguments)
        except TragError as error:
            answer = json.dumps({"refused": [error.message, error.hint]})
        sys.stdout.write(answer)
        sys.stdout.flush()
    except MemoryError:
        return _OUT_OF_MEMORY
    except OSError as error:
        if error.errno == errno.EFBIG:
            return _TOO_MUCH_OUTPUT
        raise
    return 0


def _refuse(event: str, _: object) -> None:
    """No file needs the network or another program; a parser that tries is stopped, whatever made it try."""
    if event.startswith(
        ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "ctypes.dlopen")
    ):
        raise PermissionError(f"a file made the parser attempt {event}")
