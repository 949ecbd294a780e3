"""One worker process: started, spoken to, and its end noticed at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import BinaryIO, TypeVar

from trag.errors import TragError
from trag.llm.model import ModelDied
from trag.llm.protocol import Failed, Hello, Order, Reply, decode, encode

_ROOT = Path(__file__).parents[2]
_CLOSE_SECONDS = 2.0
_SEND_SECONDS = 30.0
_START_SECONDS = 60.0

ReplyType = TypeVar("ReplyType", bound=Reply)
Inbox = SimpleQueue[Reply | None]
"""Replies to one request as they come; None when the process has ended."""


class Process:
    """A running `python -m trag.llm.worker`. May be used from several threads; `close` it in the end."""

    def __init__(self) -> None:
        self._inboxes: dict[int, Inbox] = {0: SimpleQueue()}
        self._state = threading.Lock()
        self._sending = threading.Lock()
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_SEND_SECONDS)  # so that a process that no longer reads cannot hold an asker
        self._child: subprocess.Popen[bytes] | None = None
        self._ending = "it did not start"
        self._begun = threading.Event()
        self.heard_at = monotonic()
        """When it last said anything (monotonic)."""
        self.ended_at: float | None = None
        """When it ended, None while it runs."""
        # The kernel ends the child together with the *thread* that started it. So an asker's thread must not: this one
        # lives as long as the child.
        self._reader = threading.Thread(target=self._run, args=(theirs,), name="model process", daemon=True)
        self._reader.start()
        self._begun.wait()

    @property
    def pid(self) -> int:
        """The id of the process, 0 when it could not be started."""
        return self._child.pid if self._child else 0

    def started(self, seconds: float = _START_SECONDS) -> Hello:
        """Its first words. Raises ModelDied when they do not come."""
        return self.expect(Hello, seconds)

    def expect(self, kind: type[ReplyType], seconds: float) -> ReplyType:
        """The next reply to a starting order.

        Raises TragError when the order failed, ModelDied when no reply will come.
        """
        reply = self.next(self._inboxes[0], seconds)
        if reply is None:
            raise self.hung()
        if not isinstance(reply, kind):
            raise RuntimeError(f"expected {kind.__name__}, the model's process said {reply}")
        return reply

    def ask(self, order: Order, request: int) -> Inbox:
        """Send `order`; its replies come into the inbox that is returned, until `forget`."""
        inbox: Inbox = SimpleQueue()
        with self._state:
            if self.ended_at is not None:
                inbox.put(None)
            self._inboxes[request] = inbox
        self.send(order)
        return inbox

    def forget(self, request: int) -> None:
        """No more replies to that request are wanted."""
        with self._state:
            self._inboxes.pop(request, None)

    def send(self, order: Order) -> None:
        """Hand over an order. That the process has ended is not said here but in the inboxes."""
        try:
            with self._sending:
                self._socket.sendall(encode(order))
        except TimeoutError:
            self.kill()
        except OSError:
            return

    def next(self, inbox: Inbox, seconds: float) -> Reply | None:
        """The next reply, None when none comes in time.

        Raises TragError when the order failed, ModelDied when the process has ended.
        """
        try:
            reply = inbox.get(timeout=seconds)
        except Empty:
            return None
        if reply is None:
            hint = "look at the model file: python -m trag doctor"
            if self._child and self._child.returncode == -signal.SIGKILL:
                hint = "memory is short: a smaller TRAG_CONTEXT or model needs less."
            raise ModelDied(
                f"The model's process ended ({self._ending}).",
                f"Ask again. If it happens again, {hint}",
                "The model's process ended. Ask again.",
            )
        if isinstance(reply, Failed):
            raise TragError(reply.message, reply.hint, reply.public)
        return reply

    def hung(self) -> ModelDied:
        """Ends the process, which gave no sign of life for too long; what to raise."""
        self.kill()
        self._reader.join(_CLOSE_SECONDS)
        return ModelDied(
            "The model gave no sign of life and was ended.",
            "Ask again. If it happens again, the model is too slow for this machine, or its chat template never ends.",
        )

    def kill(self) -> None:
        """End it at once; whoever waits for a reply is told."""
        if self._child:
            self._child.kill()

    def close(self) -> None:
        """End it and wait until it has; gives back its pipes."""
        with suppress(OSError):  # it has ended before
            self._socket.shutdown(socket.SHUT_WR)
        self._reader.join(_CLOSE_SECONDS)
        self.kill()
        self._reader.join()
        self._socket.close()

    def _run(self, theirs: socket.socket) -> None:
        command = [sys.executable, "-m", "trag.llm.worker"]
        # By default llama.cpp lets threads spin until it is their turn. Beside one busy process on 2 cores that made
        # 35 to 580 ms a token of what takes 9 ms alone; with at most 1000 turns it is 32 ms, and still 9 ms alone.
        environment = {"GOMP_SPINCOUNT": "1000", "GGML_NO_BACKTRACE": "1", **os.environ}
        try:
            with tempfile.TemporaryFile() as errors:
                with theirs:
                    stdin, stdout = theirs.fileno(), subprocess.PIPE
                    child = subprocess.Popen(
                        command, stdin=stdin, stdout=stdout, stderr=errors, cwd=_ROOT, env=environment
                    )
                self._child = child
                self._begun.set()
                with child:
                    for line in child.stdout or ():
                        if not line.endswith(b"\n"):
                            continue  # it ended in the middle of a line
                        self.heard_at, reply = monotonic(), decode(line)
                        if isinstance(reply, Reply) and (inbox := self._inboxes.get(reply.request)):
                            inbox.put(reply)
                self._ending = _ending(child.returncode, errors)
        except OSError as error:
            self._ending = f"it could not be started: {error.strerror}"
        finally:
            with self._state:
                self.ended_at = monotonic()
                for inbox in self._inboxes.values():
                    inbox.put(None)
            self._begun.set()


def _ending(code: int, errors: BinaryIO) -> str:
    """How it ended, and the last thing that llama.cpp or Python said, if they said anything."""
    how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - 4096))
    said = errors.read().decode("utf-8", "replace").strip().splitlines()
    return f"{how}: {said[-1].strip()[:300]}" if said else how
