"""A search that the model's process carries out, step by step; see Search in model.py.

prompt, text taken -> an order a step -> its reply
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import TypeVar

from prompts import Message
from trag.llm.model import MOST_BEAMS, MOST_CANDIDATES, Candidate, Choice, Usage
from trag.llm.protocol import Choose, Chosen, LookAhead, LookedAhead, Order, Reply, Scored, Weigh
from trag.progress import Cancelled

Answer = TypeVar("Answer", LookedAhead, Chosen, Scored)


class HeldSearch:
    """Where one search stands. For one thread at a time."""

    def __init__(
        self, replies: Callable[[Callable[[int], Order]], Generator[Reply, None, None]], messages: Sequence[Message]
    ) -> None:
        """`replies` hands over an order, which it numbers, and gives what the process says to it."""
        self._replies, self._messages = replies, tuple(messages)
        self._taken: tuple[str, ...] = ()
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """See Search."""
        return self._usage

    def look_ahead(
        self, k: int, length: int, ends: Sequence[str], ways: Sequence[int] | None = None
    ) -> tuple[Candidate, ...]:
        """See Search."""
        if not 1 <= k <= MOST_CANDIDATES or length < 1:
            raise ValueError(f"k is {k}, length {length}: of 1 to {MOST_CANDIDATES} tokens, 1 token or more each")
        which = tuple(range(k) if ways is None else ways)
        step = partial(LookAhead, k=k, length=length, ends=tuple(ends), ways=which)
        return self._asked(step, LookedAhead).candidates

    def weigh(self, options: Sequence[str]) -> tuple[float, ...]:
        """See Search."""
        return self._asked(partial(Weigh, options=tuple(options)), Scored).log_probabilities if options else ()

    def choose(self, options: Sequence[str], width: int = 1) -> tuple[Choice, ...]:
        """See Search."""
        if not 1 <= width <= MOST_BEAMS or not options:
            raise ValueError(f"width is {width} of 1 to {MOST_BEAMS}, and there are {len(options)} options")
        return self._asked(partial(Choose, options=tuple(options), width=width), Chosen).choices

    def take(self, text: str) -> None:
        """See Search."""
        self._taken += (text,) if text else ()

    def _asked(self, step: Callable[..., Order], kind: type[Answer]) -> Answer:
        order = partial(step, messages=self._messages, taken=self._taken)
        with closing(self._replies(lambda number: order(request=number))) as replies:
            for reply in replies:
                if isinstance(reply, kind):
                    old, new = self._usage, reply.usage
                    written = old.completion + new.completion
                    self._usage = Usage(new.prompt, old.evaluated + new.evaluated, written)
                    return reply
        raise Cancelled
