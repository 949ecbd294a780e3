"""The model's own process: `python -m trag.llm.worker` reads orders on stdin and writes replies on stdout (wire.py).

llama.cpp ends its process on a failed assertion, so it has one that may die. Counting goes on while an answer is
written.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import BinaryIO, NoReturn

from trag.errors import TragError
from trag.llm import Usage, wire

_ALIVE_SECONDS = 1.0
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG


class Worker:
    """Talks with the app: one thread takes the orders, the main thread reads and writes, one order after the other."""

    def __init__(self, orders: BinaryIO, replies: BinaryIO) -> None:
        self._orders = orders
        self._replies = replies
        self._saying = threading.Lock()
        self._waiting: SimpleQueue[wire.Write | wire.Weigh] = SimpleQueue()
        self._wanted: set[int] = set()

    def run(self) -> None:
        """Say hello, load or prepare what the first order names, then serve until the app closes the line."""
        from trag.llm import engine

        self._say(wire.Hello(engine.gpu()))
        line = self._orders.readline()
        if not line:
            return
        order = wire.decode(line)
        try:
            if isinstance(order, wire.Prepare):
                engine.prepare(order.source, order.target)
                self._say(wire.Ready())
                return
            if not isinstance(order, wire.Load):
                raise RuntimeError(f"the first order is {order}")
            self._engine = engine.Engine(order.model, order.adapter, order.context, order.gpu_layers, order.template)
        except TragError as error:
            self._say(wire.Failed(0, error.message, error.hint))
            return
        self._say(wire.Ready())
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            self._work(self._waiting.get())

    def _listen(self) -> None:
        for line in self._orders:
            order = wire.decode(line)
            if isinstance(order, wire.Write | wire.Weigh):
                self._wanted.add(order.request)
                self._waiting.put(order)
            elif isinstance(order, wire.Cancel):
                self._wanted.discard(order.request)
            elif isinstance(order, wire.Count | wire.CountText):
                self._count(order)
        os._exit(0)  # the app is gone; the main thread may be deep in llama.cpp

    def _count(self, order: wire.Count | wire.CountText) -> None:
        try:
            tokens = (
                self._engine.count_text(order.text)
                if isinstance(order, wire.CountText)
                else self._engine.count(order.messages)
            )
        except TragError as error:
            self._say(wire.Failed(order.request, error.message, error.hint))
        else:
            self._say(wire.Counted(order.request, tokens))

    def _work(self, order: wire.Write | wire.Weigh) -> None:
        request = order.request
        self._say(wire.Alive(request))
        spoken = monotonic()

        def alive() -> None:
            nonlocal spoken
            if monotonic() - spoken >= _ALIVE_SECONDS:
                spoken = monotonic()
                self._say(wire.Alive(request))

        try:
            if isinstance(order, wire.Weigh):
                self._say(wire.Weighed(request, self._engine.weigh(order.messages, order.beginnings, alive)))
            else:
                self._write(order, alive)
        except TragError as error:
            self._say(wire.Failed(request, error.message, error.hint))
        self._wanted.discard(request)

    def _write(self, order: wire.Write, alive: Callable[[], None]) -> None:
        request = order.request
        for piece in self._engine.write(order.messages, order.max_tokens, lambda: request not in self._wanted, alive):
            if isinstance(piece, Usage):
                self._say(wire.Done(request, piece.prompt, piece.evaluated, piece.completion))
            else:
                self._say(wire.Piece(request, piece))

    def _say(self, reply: wire.Reply) -> None:
        with self._saying:
            self._replies.write(wire.encode(reply))


def _end(error: BaseException | None) -> NoReturn:
    """A bug in either thread ends the process, and its traceback is its last words."""
    traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(1)


def main() -> None:
    """Serve the app that started this process, and end with it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)
        with suppress(OSError):  # when memory runs out, this process goes and the app stays
            Path("/proc/self/oom_score_adj").write_text("500")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would hold what people asked
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the app, which then closes the line
    threading.excepthook = lambda failure: _end(failure.exc_value)
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever llama.cpp prints must not get among the replies
    try:
        Worker(sys.stdin.buffer, replies).run()
    except Exception as error:  # noqa: BLE001  (not swallowed: the process ends with its traceback)
        _end(error)


if __name__ == "__main__":
    main()
