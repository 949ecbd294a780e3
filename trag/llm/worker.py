"""The model's own process: `python -m trag.llm.worker` reads orders on stdin and writes replies on stdout.

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
from trag.llm import protocol
from trag.llm.model import Usage
from trag.progress import Cancelled

_ALIVE_SECONDS = 1.0
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG


class Worker:
    """Talks with the app: one thread takes the orders, the main thread reads and writes, one order after the other."""

    def __init__(self, orders: BinaryIO, replies: BinaryIO) -> None:
        self._orders = orders
        self._replies = replies
        self._saying = threading.Lock()
        self._waiting: SimpleQueue[protocol.Work] = SimpleQueue()
        self._wanted: set[int] = set()
        """The answers that somebody waits for."""
        self._ahead: set[int] = set()
        """The prompts that are to be read while nobody does."""

    def run(self) -> None:
        """Say hello, load what the first order names, then serve until the app closes the line."""
        from trag.llm import engine

        self._say(protocol.Hello(engine.gpu()))
        line = self._orders.readline()
        if not line:
            return
        order = protocol.decode(line)
        try:
            if not isinstance(order, protocol.Load):
                raise RuntimeError(f"the first order is {order}")
            self._engine = engine.Engine(order.model, order.adapter, order.context, order.gpu_layers, order.template)
        except TragError as error:
            self._say(protocol.Failed(0, error.message, error.hint, error.public))
            return
        self._say(protocol.Ready())
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            self._work(self._waiting.get())

    def _listen(self) -> None:
        for line in self._orders:
            order = protocol.decode(line)
            if isinstance(order, protocol.Work):
                (self._ahead if isinstance(order, protocol.Read) else self._wanted).add(order.request)
                self._waiting.put(order)
            elif isinstance(order, protocol.Cancel):
                self._forget(order.request)
            elif isinstance(order, protocol.Count | protocol.CountText):
                self._count(order)
        os._exit(0)  # the app is gone; the main thread may be deep in llama.cpp

    def _count(self, order: protocol.Count | protocol.CountText) -> None:
        try:
            tokens = (
                len(self._engine.tokenizer.text(order.text))
                if isinstance(order, protocol.CountText)
                else len(self._engine.tokenizer.prompt(order.messages))
            )
        except TragError as error:
            self._say(protocol.Failed(order.request, error.message, error.hint, error.public))
        else:
            self._say(protocol.Counted(order.request, tokens))

    def _work(self, order: protocol.Work) -> None:
        request = order.request
        self._say(protocol.Alive(request))
        spoken = monotonic()

        def alive() -> None:
            nonlocal spoken
            if monotonic() - spoken >= _ALIVE_SECONDS:
                spoken = monotonic()
                self._say(protocol.Alive(request))

        def cancelled() -> bool:
            return request not in self._wanted

        try:
            match order:
                case protocol.Read():
                    if not self._read(order, alive):
                        return
                case protocol.Write():
                    self._write(order, cancelled, alive)
                case protocol.Score():
                    likely = self._engine.log_probabilities(order.messages, order.beginnings, alive, task=order.task)
                    self._say(protocol.Scored(request, likely, Usage()))
                case protocol.LookAhead() | protocol.Weigh() | protocol.Choose():
                    self._search(order, cancelled, alive)
        except Cancelled:
            self._say(protocol.Done(request, Usage()))
        except TragError as error:
            self._say(protocol.Failed(request, error.message, error.hint, error.public))
        self._forget(request)

    def _forget(self, request: int) -> None:
        self._wanted.discard(request)
        self._ahead.discard(request)

    def _read(self, order: protocol.Read, alive: Callable[[], None]) -> bool:
        """Whether it is done. Who waits for an answer goes first, and then this goes on where it stopped."""
        request = order.request
        usage = self._engine.read(
            order.messages, order.task, lambda: bool(self._wanted) or request not in self._ahead, alive
        )
        if self._wanted and request in self._ahead:
            self._waiting.put(order)
            return False
        self._say(protocol.Done(request, usage))
        return True

    def _write(self, order: protocol.Write, cancelled: Callable[[], bool], alive: Callable[[], None]) -> None:
        pieces = self._engine.write(
            order.messages,
            order.max_tokens,
            cancelled,
            alive,
            task=order.task,
            grammar=order.grammar,
            refusal=order.refusal,
            refusal_bias=order.refusal_bias,
            repetition_penalty=order.repetition_penalty,
            sampling=order.sampling,
        )
        for piece in pieces:
            if isinstance(piece, Usage):
                self._say(protocol.Done(order.request, piece))
            else:
                self._say(protocol.Piece(order.request, piece))

    def _search(self, order: protocol.Step, cancelled: Callable[[], bool], alive: Callable[[], None]) -> None:
        held = self._engine.held(order.messages, order.taken, cancelled, alive)
        match order:
            case protocol.LookAhead():
                candidates = held.look_ahead(order.k, order.length, order.ends, order.ways)
                self._say(protocol.LookedAhead(order.request, candidates, held.usage))
            case protocol.Weigh():
                self._say(protocol.Scored(order.request, held.weigh(order.options), held.usage))
            case protocol.Choose():
                self._say(protocol.Chosen(order.request, held.choose(order.options, order.width), held.usage))

    def _say(self, reply: protocol.Reply) -> None:
        with self._saying:
            self._replies.write(protocol.encode(reply))


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
