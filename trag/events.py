"""What the terminal, the page, a batch or an evaluation are told of one question on its way.

Waiting..., Found, Token..., perhaps Retry and Token..., Answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from trag.llm.model import ModelAway
from trag.record import AnswerRecord, Entity, Source, StatementUsed


@dataclass(frozen=True, slots=True)
class Waiting:
    """In line for the model: `position` 1 is next, 0 has its turn."""

    position: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the answer will stand on, before the first token."""

    standalone: str
    entities: tuple[Entity, ...]
    statements: tuple[StatementUsed, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the draft, as the model writes it: not checked yet."""

    text: str


@dataclass(frozen=True, slots=True)
class Retry:
    """The draft so far is withdrawn because of `reason`; a new one follows."""

    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The end: the checked answer, already saved. `away` says why the model could not be asked, where it could not."""

    record: AnswerRecord
    away: ModelAway | None = None


Event = Waiting | Found | Token | Retry | Answer
