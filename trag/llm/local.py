"""A GGUF model in a process of its own on this machine: started when needed, watched, and started again when it
dies."""

from __future__ import annotations

import hashlib
import logging
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from time import monotonic

from prompts import Message, Task
from trag.errors import OperatorError
from trag.llm import files
from trag.llm.model import ModelDied, ModelIdentity, Sampling, Search, Usage
from trag.llm.process import Inbox, Process
from trag.llm.protocol import (
    Cancel,
    Chosen,
    Count,
    Counted,
    CountText,
    Done,
    Load,
    LookedAhead,
    Order,
    Piece,
    Read,
    Ready,
    Reply,
    Score,
    Scored,
    Write,
    encode,
)
from trag.llm.searching import HeldSearch

log = logging.getLogger(__name__)

_WITHOUT_AMX = "-DCMAKE_C_FLAGS=-U__AMX_INT8__ -DCMAKE_CXX_FLAGS=-U__AMX_INT8__"
"""What GCC 12 makes of llama.cpp's code for AMX faults."""
_LOAD_SECONDS = 600.0
_POLL_SECONDS = 0.05
_MOST_DEATHS = 5
_DEATHS_WITHIN = 300.0
_LONGEST_PAUSE = 30.0
_FATAL, _FATAL_WITHIN, _FATAL_KEPT = 2, 3_600.0, 1_000
"""How often the process may die of one order within how many seconds: once may have been of something else. And how
many deaths are remembered for that."""
_LAST = (Done, LookedAhead, Chosen, Scored)


def gpu_support() -> bool:
    """Whether the installed llama.cpp can use a GPU. Raises ModelDied when it cannot even be imported."""
    process = Process()
    try:
        return process.started().gpu
    finally:
        process.close()


def build_command(options: str = "") -> str:
    """The command that builds llama.cpp again on this machine, with CMake's `options`."""
    package = "llama-cpp-python"
    try:
        pinned = f"{package}=={version(package)}"
    except PackageNotFoundError:  # what is missing is named all the same
        pinned = package
    return (
        f'CMAKE_ARGS="{f"{_WITHOUT_AMX} {options}".strip()}" {sys.executable} -m pip install --force-reinstall '
        f"--no-deps --no-cache-dir --no-binary {package} {pinned}"
    )


def gpu_build_command() -> str:
    """The command that builds llama.cpp again, for NVIDIA cards (needs the CUDA toolkit)."""
    return build_command("-DGGML_CUDA=on")


class LocalModel:
    """One model that writes one answer at a time, in the order in which they are asked for. `close` it in the end.

    A death costs the answer that was being written. The next question starts the process again: at once, or after
    several deaths in a row 1, 2, 4 ... 30 seconds after the last. After 5 deaths within 5 minutes nobody waits: what
    comes within 30 seconds of the last is refused. What the process died of twice it is not asked again for an hour.
    """

    slots = 1

    def __init__(
        self,
        home: Path,
        *,
        model: str = "",
        adapter: str = "",
        context: int = 4096,
        gpu_layers: int = -1,
        patience: float = 60.0,
    ) -> None:
        """Checks the files; loads nothing yet.

        `patience` is how many seconds the process may give no sign of life. Raises TragError when a file is not right.
        """
        self._home, self._model, self._adapter = home, model, adapter
        self._files = files.find(model, adapter)
        self._context = context
        self._gpu_layers = gpu_layers
        self._patience = patience
        self._numbers = count(1)
        self._starting = threading.Lock()
        self._process: Process | None = None
        self._on_gpu: bool | None = None
        self._deaths: deque[float] = deque(maxlen=_MOST_DEATHS)
        self._deaths_in_a_row = 0
        self._fatal: deque[tuple[float, bytes]] = deque(maxlen=_FATAL_KEPT)
        """When it died, and of which order."""
        if not self._files.recurrent:  # which can neither be copied from somewhere on nor go back
            self.search: Callable[..., AbstractContextManager[Search]] = self._search

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is; the sha256 is that of the file that is loaded."""
        found = self._files
        adapter = files.adapter_name(found.adapter) if found.adapter else ""
        return ModelIdentity(found.model.stem, found.sha256, adapter, found.adapter_sha256)

    @property
    def runs_on_gpu(self) -> bool | None:
        """Whether layers are kept on a GPU; None while it is not loaded."""
        return self._on_gpu

    @property
    def context(self) -> int:
        """Tokens of prompt and answer together: what was asked for, at most what the model was trained for."""
        return min(self._context, self._files.trained_context or self._context)

    @property
    def pid(self) -> int:
        """The id of the model's process, 0 while there is none."""
        return self._process.pid if self._process else 0

    def warm(self, prefixes: Mapping[Task, Sequence[Message]] = {}) -> None:
        """Load the model, if it is not, and read how the prompts of some tasks begin, so that the first answer has less
        to read. Whoever asks meanwhile goes first; `close` ends it.

        Raises TragError when it cannot be loaded, or when what is to be read does not fit.
        """
        process = self._running(threading.Event())
        for task, messages in prefixes.items():
            number = next(self._numbers)
            inbox, asked = process.ask(Read(number, tuple(messages), task), number), monotonic()
            try:
                while not isinstance(self._heard(process, inbox, asked), Done):
                    pass
            except ModelDied:  # the next question starts it again, and pays for what it reads
                return
            finally:
                process.forget(number)

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt. Does not wait for an answer that is being written."""
        return self._counted(partial(Count, messages=tuple(messages)))

    def count_text(self, text: str) -> int:
        """Tokens of a text by itself."""
        return self._counted(partial(CountText, text=text))

    def _counted(self, order: Callable[[int], Order]) -> int:
        asked = self._checked(order)
        process, number = self._running(threading.Event()), next(self._numbers)
        inbox = process.ask(order(number), number)
        try:
            reply = process.next(inbox, self._patience)
            if not isinstance(reply, Counted):
                raise process.hung()
        except ModelDied:
            self._fatal.append((monotonic(), asked))
            raise
        finally:
            process.forget(number)
        return reply.tokens

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: threading.Event | None = None,
        task: Task = "other",
        grammar: str = "",
        refusal: str = "",
        refusal_bias: float = 0.0,
        repetition_penalty: float = 1.0,
        sampling: Sampling | None = None,
    ) -> Generator[str | Usage, None, None]:
        """See LanguageModel. Raises ModelDied as soon as the process ends, or when `patience` is at its end.

        An answer that nobody reads any more holds up nobody: it is written to its end, and then comes the next.
        """

        def order(number: int) -> Write:
            form = (max_tokens, task, grammar, refusal, refusal_bias, repetition_penalty, sampling)
            return Write(number, tuple(messages), *form)

        with closing(self._replies(order, stop)) as replies:
            for reply in replies:
                if isinstance(reply, Piece):
                    yield reply.text
                elif isinstance(reply, Done):
                    yield reply.usage
                    return
        yield Usage()

    def log_probabilities(
        self, messages: Sequence[Message], beginnings: Sequence[str], *, task: Task = "other"
    ) -> tuple[float, ...]:
        """See Scoring. Waits for the answers that were asked for before."""
        order = partial(Score, messages=tuple(messages), beginnings=tuple(beginnings), task=task)
        with closing(self._replies(order, None)) as replies:
            return next(reply.log_probabilities for reply in replies if isinstance(reply, Scored))

    @contextmanager
    def _search(self, messages: Sequence[Message], *, stop: threading.Event | None = None) -> Iterator[HeldSearch]:
        """See Searching, and `stream`."""
        yield HeldSearch(partial(self._replies, stop=stop), messages)

    def _replies(self, order: Callable[[int], Order], stop: threading.Event | None) -> Generator[Reply, None, None]:
        """What the process says to an order, of which this gets the number; nothing where a set `stop` comes before it
        is that order's turn. Whoever has heard the last reply closes this."""
        stop = stop or threading.Event()
        while True:
            known = self._checked(order)
            process = self._running(stop)
            number = next(self._numbers)
            inbox = process.ask(order(number), number)
            asked = monotonic()
            begun = done = cancelled = False
            try:
                while not done:
                    if stop.is_set() and not cancelled:
                        if not begun:
                            return
                        process.send(Cancel(number))
                        cancelled = True
                    reply = self._heard(process, inbox, asked)
                    if reply is not None:
                        begun, done = True, isinstance(reply, _LAST)
                        self._deaths_in_a_row = 0 if done else self._deaths_in_a_row
                        yield reply
                return
            except ModelDied:
                if begun:
                    self._fatal.append((monotonic(), known))
                    raise
                # It died of the answer before, for which this one was waiting: ask again.
            finally:
                process.forget(number)
                if not done and not cancelled:
                    process.send(Cancel(number))

    def _checked(self, order: Callable[[int], Order]) -> bytes:
        """What an order is remembered by. Raises ModelDied when the process died of it before."""
        known, since = hashlib.sha256(encode(order(0))).digest(), monotonic() - _FATAL_WITHIN
        if sum(at > since and one == known for at, one in self._fatal.copy()) >= _FATAL:
            raise ModelDied(
                f"The model's process ended {_FATAL} times when it was asked this.",
                "Ask in other words. Other questions are answered as before.",
            )
        return known

    def _heard(self, process: Process, inbox: Inbox, asked: float) -> Reply | None:
        """What the process says next, None while it says nothing. Raises ModelDied when it has said nothing since it
        was asked for as long as `patience`."""
        reply = process.next(inbox, _POLL_SECONDS)
        if reply is None and monotonic() - max(asked, process.heard_at) > self._patience:
            raise process.hung()
        return reply

    def close(self) -> None:
        """End the process. A later call would start it again."""
        with self._starting:
            if self._process:
                self._process.close()
                self._process = None

    def _running(self, stop: threading.Event) -> Process:
        """The process, started if there is none; waits out the pause after deaths in a row, unless `stop` is set.
        Raises ModelDied when there were too many."""
        with self._starting:
            if self._process and self._process.ended_at is not None:
                self._deaths.append(self._process.ended_at)
                self._deaths_in_a_row += 1
                self._process.close()
                self._process = None
            if self._process is None:
                often = len(self._deaths) == _MOST_DEATHS and self._deaths[0] > monotonic() - _DEATHS_WITHIN
                again = self._deaths[-1] + _LONGEST_PAUSE - monotonic() if often else 0.0
                if again > 0:
                    raise ModelDied(
                        f"The model's process ended {_MOST_DEATHS} times within {_DEATHS_WITHIN / 60:.0f} minutes.",
                        f"It is tried again in {again:.0f} seconds. Until then approved answers are given, and the "
                        "passages nearest to other questions. What is wrong with the model: python -m trag doctor",
                    )
                if self._deaths and self._deaths_in_a_row > 1:
                    pause = min(_LONGEST_PAUSE, 2.0 ** (self._deaths_in_a_row - 2))
                    stop.wait(self._deaths[-1] + pause - monotonic())
                self._process = self._start()
            return self._process

    def _start(self) -> Process:
        self._files = files.find(self._model, self._adapter)
        files.check_memory(self._model)
        process = Process()
        try:
            gpu = process.started().gpu
            if self._gpu_layers > 0 and not gpu:
                raise OperatorError(
                    f"TRAG_GPU_LAYERS is {self._gpu_layers}, and llama.cpp was installed without GPU support.",
                    f"Build it again: {gpu_build_command()}",
                )
            adapter = str(self._files.adapter or "")
            layers, template = self._gpu_layers if gpu else 0, self._files.template
            own = template.read_text(encoding="utf-8") if template else ""
            process.send(Load(str(self._files.model), adapter, self.context, layers, own))
            process.expect(Ready, _LOAD_SECONDS)
        except BaseException as error:
            process.close()
            if isinstance(error, ModelDied):
                self._deaths.append(monotonic())
                self._deaths_in_a_row += 1
            raise
        self._on_gpu = gpu and self._gpu_layers != 0
        log.info("model %s runs in process %d", self._files.model.name, process.pid)
        return process
