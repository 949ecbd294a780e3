"""One model behind several OpenAI-compatible addresses: which server is asked next, which are left alone for a while,
and another one asked where one fails before its first word.

A question goes to the server that has read the beginning of its prompt, by rendezvous hashing, unless that one is
busier than others.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from math import inf
from time import monotonic

import prompts
from prompts import Message, Task
from trag.errors import TragError
from trag.llm.model import ModelAway, ModelDied, ModelIdentity, Sampling, Usage
from trag.llm.remote import RemoteModel

log = logging.getLogger(__name__)

PACE = 5.0
"""Seconds between two looks at a server."""
BUSIER = 1
"""Requests that a server may have more than the least busy one and still be the one that is asked."""
_LONGEST_PAUSE = 30.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server by its address; whether it is asked; and how many requests it has."""

    name: str
    up: bool
    outstanding: int


class _Server:
    """What is known of a server. `wrong` is what the last look found, None where all was well; `looked` is whether
    there was one; after `failures` in a row it is left alone until `pause` (monotonic)."""

    def __init__(self, model: RemoteModel) -> None:
        self.model = model
        self.outstanding = self.failures = 0
        self.pause = -inf
        self.looked = False
        self.wrong: TragError | None = None

    @property
    def up(self) -> bool:
        return self.looked and not self.wrong and self.pause <= monotonic()


class ModelServers:
    """The servers of one model. Each writes so many answers at once as it has slots here; whoever asks for more waits.
    Looks at each from the first question on, or from the first call of `states`."""

    def __init__(self, servers: Sequence[RemoteModel]) -> None:
        """Connects to nothing yet. There is one server at least; all are asked for the same model."""
        self.servers = tuple(servers)
        self.identity: ModelIdentity = servers[0].identity
        self.context: int = servers[0].context
        self.slots = sum(server.slots for server in servers)
        self._known = tuple(map(_Server, servers))
        self._moved = threading.Condition()
        self._closed = threading.Event()
        self._watching = False
        self._starts = {task: len(start) for task, start in prompts.starts().items()}

    def count(self, messages: Sequence[Message]) -> int:
        """See RemoteModel."""
        return self.servers[0].count(messages)

    def count_text(self, text: str) -> int:
        """See RemoteModel."""
        return self.servers[0].count_text(text)

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
        """See LanguageModel, and RemoteModel for what is raised, which is that of the last server that was asked."""
        stop, tried, begun = stop or threading.Event(), set[_Server](), False
        while True:
            with self._turn(self._prefix(messages, task), tried, stop) as server:
                if server is None:
                    yield Usage()
                    return
                written = server.model.stream(
                    messages,
                    max_tokens=max_tokens,
                    stop=stop,
                    task=task,
                    grammar=grammar,
                    refusal=refusal,
                    refusal_bias=refusal_bias,
                    repetition_penalty=repetition_penalty,
                    sampling=sampling,
                )
                try:
                    with closing(written):
                        for piece in written:
                            begun = True
                            yield piece
                except (ModelAway, ModelDied):
                    self._failed(server)
                    tried.add(server)
                    if begun or stop.is_set() or not self._others(tried):
                        raise
                    log.warning("another server is asked in place of %s", server.model.address)
                else:
                    server.failures = 0
                    return

    def states(self) -> tuple[ServerState, ...]:
        """How each server is, in the order of the settings."""
        self._watch()
        with self._moved:
            return tuple(ServerState(one.model.address, one.up, one.outstanding) for one in self._known)

    def close(self) -> None:
        """Look no more, and give back the connections."""
        self._closed.set()
        for server in self.servers:
            server.close()

    def _prefix(self, messages: Sequence[Message], task: Task) -> str:
        """What prompts have in common that a server reads once: the constant start of their kind, and the first line
        after it, which is the same for what is written again, for a conversation, and for one passage or unit."""
        first, _, _ = messages[min(self._starts.get(task, 0), len(messages) - 1)].content.partition("\n")
        return f"{task}\n{first}"

    @contextmanager
    def _turn(self, prefix: str, tried: Collection[_Server], stop: threading.Event) -> Iterator[_Server | None]:
        """A server that was not tried yet, as soon as one has room; None once it is stopped. Raises ModelAway where
        something is wrong with each."""
        self._watch()
        with self._moved:
            while not stop.is_set() and (server := self._chosen(prefix, tried)) is None:
                self._moved.wait(_POLL_SECONDS)
            if stop.is_set():
                server = None
            if server:
                server.outstanding += 1
        try:
            yield server
        finally:
            with self._moved:
                if server:
                    server.outstanding -= 1
                    self._moved.notify_all()

    def _chosen(self, prefix: str, tried: Collection[_Server]) -> _Server | None:
        """Of the servers that are up, or where none is of those that rest, one that has room."""
        left = [one for one in self._known if one not in tried]
        if all(one.looked and one.wrong for one in left) and (wrong := left[0].wrong):
            raise ModelAway(wrong.message, wrong.hint)
        up = [one for one in left if one.up]
        if not up and all(one.looked for one in left):
            up = sorted((one for one in left if not one.wrong), key=lambda one: one.pause)[:1]
        free = [one for one in up if one.outstanding < one.model.slots]
        least = min((one.outstanding for one in free), default=0)
        near = [one for one in free if one.outstanding <= least + BUSIER]
        return max(near, key=lambda one: blake2b(f"{one.model.address}\n{prefix}".encode()).digest(), default=None)

    def _others(self, tried: Collection[_Server]) -> bool:
        with self._moved:
            return any(one.up for one in self._known if one not in tried)

    def _failed(self, server: _Server) -> None:
        """Leave it alone for 1, 2, 4 ... 30 seconds."""
        with self._moved:
            server.failures += 1
            server.pause = monotonic() + min(2.0 ** (server.failures - 1), _LONGEST_PAUSE)

    def _watch(self) -> None:
        with self._moved:
            if self._watching:
                return
            self._watching = True
        for server in self._known:
            threading.Thread(target=self._look, args=(server,), name="looking", daemon=True).start()

    def _look(self, server: _Server) -> None:
        """Looks again and again, and says in the log what has changed."""
        while not self._closed.is_set():
            wrong: TragError | None = None
            try:
                server.model.look(alone=len(self._known) == 1)
            except TragError as error:
                wrong = error
            if self._closed.is_set():
                return
            with self._moved:
                before, server.wrong, server.looked = server.wrong, wrong, True
                self._moved.notify_all()
            if wrong and str(wrong) != str(before):
                log.warning("%s is not asked: %s %s", server.model.address, wrong.message, wrong.hint)
            elif before and not wrong:
                log.warning("%s is asked again", server.model.address)
            self._closed.wait(PACE)
