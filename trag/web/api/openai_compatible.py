"""Questions and answers in the shape of OpenAI's chat completions, for programs that speak it.

A chat client cannot take words back, so it is told the checked answer and never a draft; and it may read Markdown, so
no words of the answer are that.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from uuid import uuid4

from pydantic import Field

from trag.errors import SHOWN
from trag.events import Answer
from trag.record import AnswerRecord
from trag.web.active_runs import RunEvent
from trag.web.api.answering import AskRequest, askable, latest_turns, read
from trag.web.api.responses import COMMENT, Refused, error_text, refusal_body, server_sent, status_of, unmarked

MODEL = "trag"
"""What the assistant is called as a model, whichever model writes its answers."""
PATH = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message; only text is read."""

    type: Literal["text"]
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat. Those of the system and of tools are not read: the assistant has its own instructions."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | tuple[Part, ...] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, tuple):
            return "".join(part.text for part in self.content)
        return self.content or ""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """Whether a stream ends with the count of tokens."""

    include_usage: bool | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """What POST /v1/chat/completions takes; what else a request says is not read. The last message is the question."""

    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    model: str = MODEL
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None


def chat(body: bytes) -> tuple[Chat, AskRequest]:
    """The chat in the body of a request, and the question it ends with. Raises Refused for one without an answer."""
    found = read(Chat, body)
    if found.model != MODEL:
        raise Refused(404, f"There is no model {found.model[:100]!r} here.", f"Its name is {MODEL!r}.")
    *before, last = found.messages
    if last.role != "user":
        raise Refused(422, f"The last message is the question, and of the role 'user'; this one is of {last.role!r}.")
    return found, AskRequest(askable(last.text), history=latest_turns(_turns(before)))


@dataclass(frozen=True, slots=True)
class Completion:
    """How one answer is told: its id and its moment (Unix seconds) stand in every piece."""

    id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, record: AnswerRecord) -> dict[str, Any]:
        """The answer in one piece, with its record in the field `trag`."""
        message = {"role": "assistant", "content": unmarked(record.answer), "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(record)}
        return self._piece("chat.completion", choices=[choice], usage=_usage(record), trag=_plain(record))

    async def streamed(self, events: AsyncIterator[RunEvent | None], *, usage: bool) -> AsyncIterator[str]:
        """The answer in pieces; until it is checked, comments keep the connection open. The record comes with the last
        piece."""
        yield self._chunk({"role": "assistant", "content": ""})
        try:
            async for event in events:
                if not isinstance(event, Answer):
                    yield COMMENT
                    continue
                if event.away:
                    raise event.away
                record = event.record
                for piece in re.findall(r"\s*\S+\s*$|\s*\S+", unmarked(record.answer)):
                    yield self._chunk({"content": piece})
                yield self._chunk({}, finish=_finish(record), trag=_plain(record))
                if usage:
                    yield server_sent(self._piece("chat.completion.chunk", choices=[], usage=_usage(record)))
        except SHOWN as error:
            yield server_sent(refusal_body(PATH, status_of(error), error_text(error)))
        yield "data: [DONE]\n\n"

    def _chunk(self, delta: dict[str, str], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return server_sent(self._piece("chat.completion.chunk", choices=[choice], **more))

    def _piece(self, kind: str, **more: Any) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": MODEL} | more


def model(created: int) -> dict[str, Any]:
    """The assistant in a list of models; `created` is in Unix seconds."""
    return {"id": MODEL, "object": "model", "created": created, "owned_by": "organization"}


def _turns(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """Each question that was answered, with its answer."""
    question = ""
    for message in messages:
        if message.role == "user":
            question = message.text
        elif message.role == "assistant" and question:
            yield question, message.text
            question = ""


def _plain(record: AnswerRecord) -> Any:
    return json.loads(record.to_json())


def _finish(record: AnswerRecord) -> str:
    return "length" if record.interrupted else "stop"


def _usage(record: AnswerRecord) -> dict[str, int]:
    prompt, completion = record.tokens.prompt, record.tokens.completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
