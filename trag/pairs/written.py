"""A section -> pairs that a configured model writes, in the paper's three passes, every one of them checked.

Varied types of question, a dialogue, and the manner of example questions by an expert (T-RAG, section 5.1). One section
at a time, so that whoever calls can stop and go on. Knows nothing about documents, or about which model it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import prompts
from trag.ingest.alike import distinct
from trag.llm.remote import RequestRefused
from trag.pairs.drafts import Draft, drafts
from trag.pairs.made import Made
from trag.pairs.support import source, stands_in
from trag.words import sentences

if TYPE_CHECKING:
    from prompts import Message
    from trag.ingest.sections import Section
    from trag.llm import LanguageModel

TOKENS = 1_200
"""Tokens that a pass may write about one piece of a section."""
MOST_EXAMPLES = 20
"""Example questions that the model reads, fewer where they would leave too little of its context for the section."""


def written(section: Section, model: LanguageModel, *, examples: Sequence[str] = ()) -> tuple[Made, ...]:
    """The pairs that `model` writes about a section; the third pass only where there are `examples`.

    A section that does not fit the model's context is given piece by piece. Raises RequestRefused when not even a
    sentence fits, or when the model's server refuses one, TragError when the model cannot be reached; the section can
    be tried again then.
    """
    made: list[Made] = []
    ways = [_Pass(), _Pass(dialogue=True), *([_Pass(_fitting(examples, model))] if examples else [])]
    for way in ways:
        for piece in _pieces(section, way, model):
            stream = model.stream(way.messages(section.path, piece), max_tokens=_room(model))
            found = drafts("".join(part for part in stream if isinstance(part, str)), type=way.type)
            made += (_made(draft, section, way) for draft in found)
    return distinct(made)


@dataclass(frozen=True, slots=True)
class _Pass:
    """One of the three ways of asking."""

    examples: tuple[str, ...] = ()
    dialogue: bool = False

    @property
    def type(self) -> str:
        """The type of pairs that name none."""
        return "dialogue" if self.dialogue else "short answer"

    def messages(self, path: str, text: str) -> tuple[Message, ...]:
        """What the model reads."""
        return prompts.pairs(path, text, examples=self.examples, dialogue=self.dialogue)


def _fitting(examples: Sequence[str], model: LanguageModel) -> tuple[str, ...]:
    """The first of the examples, as many as take a third of the model's context, at least one."""
    count = min(len(examples), MOST_EXAMPLES)
    while count > 1 and model.count(_Pass(tuple(examples[:count])).messages("", "")) > model.context // 3:
        count -= 1
    return tuple(examples[:count])


def _room(model: LanguageModel) -> int:
    return min(TOKENS, model.context // 3)


def _pieces(section: Section, way: _Pass, model: LanguageModel) -> list[str]:
    """The text of a section, cut between paragraphs, or between sentences where a paragraph is too long."""

    def fits(text: str) -> bool:
        return model.count(way.messages(section.path, text)) + _room(model) <= model.context

    if fits(section.text):
        return [section.text]
    pieces: list[str] = []
    for paragraph in section.text.split("\n\n"):
        for part in (paragraph,) if fits(paragraph) else sentences(paragraph):
            if not fits(part):
                raise RequestRefused(
                    f"A sentence of {section.path} does not fit the model beside the instructions.",
                    "Give the model a larger context (TRAG_CONTEXT).",
                )
            joined = f"{pieces[-1]}\n\n{part}" if pieces else part
            if pieces and fits(joined):
                pieces[-1] = joined
            else:
                pieces.append(part)
    return pieces


def _made(draft: Draft, section: Section, way: _Pass) -> Made:
    """A draft, checked against its section: against the source that the model names, where the section has that."""
    heading = section.path.rsplit(" > ", 1)[-1]
    named = draft.source if stands_in(draft.source, section.text) else ""
    found = source(draft.question, draft.answer, named, heading) or source(
        draft.question, draft.answer, section.text, heading
    )
    type_ = "dialogue" if way.dialogue else draft.type  # a turn of a dialogue may lean on the one before
    return Made(draft.question, draft.answer, type_, section.path, section.page, found, "model", bool(found))
