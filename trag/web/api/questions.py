"""What a program asks: the JSON it sends -> a question, with what was said before.

Knows nothing about addresses, people or answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from trag.ask import LONGEST_QUESTION, cleaned
from trag.condense import Turn
from trag.errors import TragError
from trag.web.api.refusals import Refused

Sent = TypeVar("Sent")
MOST_TURNS = 10
"""Turns of a history that are looked at, the latest ones."""
MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier question of the program's, and the answer it got; of each the first 4,000 characters are read."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """What POST /api/ask takes. `conversation` is the id of a conversation of one's own: what was said in it is the
    history, and the answer is kept in it. Without one the program tells the `history`, the oldest turn first."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    conversation: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    history: tuple[Earlier, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that can be asked; `conversation` is None outside of one, and `history` empty inside."""

    question: str
    conversation: str | None = None
    history: tuple[Turn, ...] = ()


def asked(body: bytes) -> Asked:
    """The question in the body of a request. Raises Refused for one that cannot be asked."""
    sent = read(Question, body)
    if sent.conversation and sent.history:
        raise Refused(422, "conversation, history: only one of them can be what was said before.")
    return Asked(askable(sent.question), sent.conversation, told_before((e.question, e.answer) for e in sent.history))


def read(kind: type[Sent], body: bytes) -> Sent:
    """The record of that kind in a body of JSON. Raises Refused with all that is wrong with it."""
    try:
        return TypeAdapter(kind).validate_json(body, strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        parts = (f"{'.'.join(map(str, each['loc'])) or 'the body'}: {each['msg']}" for each in problems[:MOST_PROBLEMS])
        raise Refused(422, f"{'; '.join(parts)}.") from None


def askable(question: str) -> str:
    """The question as it will be asked. Raises Refused when it is empty or too long."""
    try:
        return cleaned(question)
    except TragError as error:
        raise Refused(422, error.message, error.hint) from error


def told_before(turns: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    """The latest turns of a history, each with what can be read of it."""
    return tuple(Turn(_readable(question), _readable(answer)) for question, answer in tuple(turns)[-MOST_TURNS:])


def _readable(text: str) -> str:
    try:
        return cleaned(text[:LONGEST_QUESTION])
    except TragError:  # nothing is left of it
        return ""
