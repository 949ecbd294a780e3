"""Bytes -> Reading, in a child process of its own that a hostile file may kill.

Knows no format. Parsers have had a memory or time bomb every month or two; versions alone do not keep up, so each
file is read by a process with limits on memory, time, output and files, without the parent's environment, and never
by the one that answers people.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from trag.errors import TragError
from trag.ingest.blocks import OUT_OF_MEMORY, TOO_MUCH_OUTPUT, Reading

log = logging.getLogger(__name__)

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost. Bytes and seconds."""

    file_bytes: int = 200_000_000
    memory_bytes: int = 1_536 * 1024 * 1024
    output_bytes: int = 100_000_000
    processor_seconds: int = 300
    seconds: int = 600
    open_files: int = 64


def read_file(path: Path, limits: Limits) -> bytes:
    """The content of a file. Raises TragError when it cannot be read, or, before it is, when it is too large."""
    try:
        size = path.stat().st_size
        if size > limits.file_bytes:
            raise TragError(
                f"{shown(path.name)} has {size / 1e6:,.0f} MB; a document may have {limits.file_bytes / 1e6:,.0f} MB.",
                "Split it, or leave the pictures out.",
            )
        return path.read_bytes()
    except OSError as error:
        raise TragError(
            f"{shown(path.name)} cannot be read: {error.strerror}.", "Check that it is there and may be read."
        ) from error


def read(content: bytes, name: str, limits: Limits) -> Reading:
    """The blocks of a document. Raises TragError that names it and says what is wrong and what to do."""
    suffix = PurePath(name).suffix.lower()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # Files without a name, not pipes: nothing can block on them, and the kernel holds the child to the size of
        # its output.
        try:
            source.write(content)
            source.seek(0)
        except OSError as error:
            hint = f"Free some space in {tempfile.gettempdir()}, or set TMPDIR to another folder."
            raise TragError(f"{shown(name)} cannot be handed on to be read: {error.strerror}.", hint) from error
        status = _run(suffix, limits, source, output, errors)
        if status:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 10_000))
            raise _failure(status, shown(name), limits, errors.read().decode("utf-8", "replace"))
        output.seek(0)
        answer = output.read().decode("ascii", "replace")
    try:
        if answer.startswith('{"refused"'):
            message, hint = json.loads(answer)["refused"]
            raise TragError(f"{shown(name)} {message}", str(hint))
        return Reading.from_json(answer)
    except (ValueError, KeyError, TypeError) as error:
        raise TragError(f"{shown(name)} was read to something that is no text.", "Do not trust the file.") from error


def shown(name: str) -> str:
    """A name as it may stand in one line of a message: without line ends, controls, and marks that turn text round."""
    return "".join(character if character.isprintable() else "�" for character in name)[:200]


def _run(suffix: str, limits: Limits, source: IO[bytes], output: IO[bytes], errors: IO[bytes]) -> int:
    """The exit status of the child, negative for the signal that ended it; -SIGALRM when its time was up."""
    resources = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_FSIZE": limits.output_bytes,
        "RLIMIT_CPU": limits.processor_seconds,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CORE": 0,
    }
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "trag.ingest.parse", suffix, json.dumps(resources)],
        stdin=source,
        stdout=output,
        stderr=errors,
        cwd=_ROOT,
        env={"PYTHONUTF8": "1", "PYTHONHASHSEED": "0"},
        start_new_session=True,
    )
    try:
        return process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
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
    if status in (OUT_OF_MEMORY, -signal.SIGKILL) or last.startswith("MemoryError"):
        reason = f"needs more than {limits.memory_bytes / 2**20:,.0f} MiB of memory to be read."
    elif status in (TOO_MUCH_OUTPUT, -signal.SIGXFSZ):
        reason = f"holds more than {limits.output_bytes / 1e6:,.0f} MB of text."
    elif status == -signal.SIGXCPU:
        reason = f"takes more than {limits.processor_seconds} seconds of computing to be read."
    elif status == -signal.SIGALRM:
        reason = f"could not be read in {limits.seconds} seconds."
    else:
        end = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        reason = f"could not be read, it may be damaged: {last[:300] or end}"
        return TragError(f"{name} {reason}", "Open it in its own program, save it again and ingest that.")
    return TragError(f"{name} {reason}", "Split it, or save it again in a simpler form.")
