"""A follow-up made into a question that stands alone, by the model, from what was asked and answered before."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import prompts
from trag.llm.model import LanguageModel, text_of

TURNS = 3
"""Earlier turns that a follow-up is read with."""
_LONGEST_ANSWER = 400
"""Characters of an earlier answer that are read."""
_TOKENS = 80


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the same conversation, as it stood alone, and its answer."""

    question: str
    answer: str


def standalone(question: str, history: Sequence[Turn], model: LanguageModel, stop: threading.Event) -> str:
    """`question` as it stands alone after the last turns of `history`; as it is without any, and where the model says
    nothing, or an answer of theirs once more. Raises what `LanguageModel.stream` raises."""
    if not history:
        return question
    turns = [(turn.question, turn.answer[:_LONGEST_ANSWER]) for turn in history[-TURNS:]]
    messages = prompts.condense(turns, question)
    limit = max(_TOKENS, 2 * model.count_text(question))
    written, usage = text_of(model.stream(messages, max_tokens=limit, stop=stop, task="condense"))
    line = written.strip().partition("\n")[0].strip()
    answers = {" ".join(answer.split()) for _, answer in turns}
    return line if line and line not in answers and usage.completion < limit and not stop.is_set() else question
