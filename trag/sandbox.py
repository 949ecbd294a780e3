"""A file of a stranger -> what a child process makes of it, which the file may kill.

Parsers have had a memory or time bomb every month or two; versions alone do not keep up, so each file is read by a
process of its own with limits on memory, time, output and files, without the parent's environment, and never by the one
that answers people. `run` is the parent's half, `serve` the child's.

parent -> a server that has loaded the parsers -> its fork, which waits -> that one's fork, which reads the file

Loading the parsers takes most of a second, a fork hundredths. The server itself reads no file; it ends with its parent,
or when nothing was to be read for a while.
"""

from __future__ import annotations

import atexit
import errno
import json
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
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
_IDLE = 60
"""Seconds without a file after which a server ends."""
_REQUEST = 1 << 16
"""Bytes of the limits and arguments of one file at most."""


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
    """What a child of `python -m module` makes of the content, in ASCII.

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
        status = _run(module, arguments, limits, watch, [source, output, errors])
        if status:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 10_000))
            raise _failure(status, shown(name), limits, errors.read().decode("utf-8", "replace"))
        output.seek(0)
        answer = output.read().decode("ascii", "replace")
    if answer.startswith('{"refused"'):
        message, hint = json.loads(answer)["refused"]
        raise TragError(f"{shown(name)} {message}", str(hint))
    return answer


def serve(work: Callable[[bytes, list[str]], str], load: Callable[[list[str]], object] = bool) -> None:
    """In the server: for each file a child that is limited, hands `work` the content and the arguments, writes what it
    gives, and ends. `load` is called with the arguments before, to load what later children find loaded.

    The child is given no file name and no secret, and may start no process and open no connection. A TragError of
    `work` goes to the parent as a refusal.
    """
    control = socket.socket(fileno=os.dup(0))
    control.settimeout(_IDLE)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that wait for a child are not waited for
    while True:
        try:
            request, given, _, _ = socket.recv_fds(control, _REQUEST, 4)
        except TimeoutError:
            break
        if not request:
            break
        limits, arguments = json.loads(request)
        load(arguments)
        if not os.fork():
            control.close()
            # Nothing is left to clean up, and a full output would fail once more at an ordinary exit.
            os._exit(_wait(work, limits, arguments, given))
        for descriptor in given:
            os.close(descriptor)


def shown(name: str) -> str:
    """A name as it may stand in one line of a message: without line ends, controls, and marks that turn text round."""
    return "".join(character if character.isprintable() else "�" for character in name)[:200]


class _Server:
    """A process that forks a child for each file. May be used from several threads."""

    def __init__(self, module: str) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
        self._ended: tuple[int, bytes] | None = None
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-B", "-m", module],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                cwd=_ROOT,
                env={"PYTHONUTF8": "1", "PYTHONHASHSEED": "0"},
                start_new_session=True,
            )

    def child(self, request: str, files: list[IO[bytes]]) -> socket.socket | None:
        """What the child of a request tells: its process id, and how it ended. None where the server has ended."""
        told, telling = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with telling:
            try:
                given = [*(file.fileno() for file in files), telling.fileno()]
                socket.send_fds(self._socket, [request.encode()], given)
            except OSError:
                told.close()
                return None
        return told

    def end(self) -> tuple[int, bytes]:
        """Its exit status, and the end of what it wrote on its way out."""
        if self._ended is None:
            self._socket.close()
            status = self.process.wait()
            with self._errors:
                self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 10_000))
                self._ended = status, self._errors.read()
        return self._ended


_servers: dict[str, _Server] = {}
_starting = threading.Lock()


@atexit.register
def end_servers() -> None:
    """Ends the servers; the next file starts its own anew."""
    with _starting:
        while _servers:
            _servers.popitem()[1].end()


def _run(
    module: str,
    arguments: list[str],
    limits: Limits,
    watch: Callable[[], None],
    files: list[IO[bytes]],
) -> int:
    """The exit status of the child, negative for the signal that ended it; -SIGALRM when its time was up. `files` are
    its input, output and errors."""
    resources = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_FSIZE": limits.output_bytes,
        "RLIMIT_CPU": limits.processor_seconds,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CORE": 0,
    }
    request, until = json.dumps([resources, arguments]), time.monotonic() + limits.seconds
    while True:
        with _starting:
            if is_new := module not in _servers:
                _servers[module] = _Server(module)
            server = _servers[module]
        if (told := server.child(request, files)) is not None:
            with told:
                status = _watched(told, until, watch)
            if status is not None:
                return status
        # The server ended before it had a child: as it does when it was idle, or for good.
        with _starting:
            if _servers.get(module) is server:
                del _servers[module]
            ended, errors = server.end()
        if is_new:
            files[-1].write(errors)
            return ended or 1


def _watched(told: socket.socket, until: float, watch: Callable[[], None]) -> int | None:
    """The exit status of a child, None where there came to be none."""
    child, status = 0, None
    try:
        while (left := until - time.monotonic()) > 0:
            watch()
            told.settimeout(min(left, _GLANCE))
            try:
                word = told.recv(64)
            except TimeoutError:
                continue
            if not word:
                return -signal.SIGKILL if child and status is None else status
            if child:
                status = int(word)
            else:
                child = int(word)
        return -signal.SIGALRM
    finally:
        # Also when the parent is interrupted: nothing of the child's group is left behind.
        if status is None and child:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            told.settimeout(None)
            while told.recv(64):
                pass


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


def _wait(
    work: Callable[[bytes, list[str]], str], limits: dict[str, int], arguments: list[str], given: list[int]
) -> int:
    """In a fork of the server: has a child read the file, and tells its process id and how it ended."""
    *streams, descriptor = given
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=descriptor) as telling:
        child = os.fork()
        if not child:
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            telling.send(b"%d" % os.getpid())
            telling.detach()
            os.closerange(3, max(given) + 1)
            os._exit(_serve(work, limits, arguments))
        _, status = os.waitpid(child, 0)
        telling.send(b"%d" % os.waitstatus_to_exitcode(status))
    return 0


def _serve(work: Callable[[bytes, list[str]], str], limits: dict[str, int], arguments: list[str]) -> int:
    """0 with an answer, also when the answer is a refusal; anything else is explained by the parent."""
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
            with redirect_stdout(sys.stderr):  # libraries print what they think of a file
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
