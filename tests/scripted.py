"""The one scripted model and the one scripted assistant, for tests that are about something else than what they say."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from prompts import Message
from trag.events import Event
from trag.llm.model import ModelIdentity, Usage

SCRIPTED_ODDS = -1.5
"""The log-odds with which it would have refused."""


class Scripted:
    """Writes what it is told to, by the kind of prompt: `answers` one after the other, the last one again and again,
    `chart_query`, `condense`, the `days` that are asked for and a question in `english` always the same. An exception
    is raised after half an answer. What it was asked is kept."""

    identity = ModelIdentity("scripted")
    context = 4096
    slots = 1

    def __init__(
        self,
        *answers: str | Exception,
        chart_query: str = "documents()",
        condense: str = "",
        days: str = "none",
        english: str = "",
    ) -> None:
        self.script = list(answers)
        self.says = {"chart_query": chart_query, "condense": condense, "asked_days": days, "translate": english}
        self.asked: list[tuple[Message, ...]] = []

    def count(self, messages: Sequence[Message]) -> int:
        return sum(self.count_text(message.content) for message in messages)

    def count_text(self, text: str) -> int:
        return len(text) // 4

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: threading.Event | None = None,
        task: str = "other",
        **_: Any,
    ) -> Generator[str | Usage, None, None]:
        if task in self.says:
            yield self.says[task]
            yield Usage(self.count(messages), 10, 1)
            return
        self.asked.append(tuple(messages))
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(answer, Exception):
            yield "Half an "
            raise answer
        for number, word in enumerate(answer.split(" ")):
            if stop and stop.is_set():
                break
            yield f"{' ' * bool(number)}{word}"
        yield Usage(self.count(messages), 10, len(answer.split()), SCRIPTED_ODDS)

    def close(self) -> None:
        pass


@dataclass
class ScriptedAssistant:
    """Answers every question with the events of `script`, which is given what ends it; what it was asked is kept."""

    script: Callable[[threading.Event], Iterator[Event]]
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def ask(self, question: str, *, stop: threading.Event, **more: Any) -> Iterator[Event]:
        self.asked.append((question, more))
        yield from self.script(stop)
