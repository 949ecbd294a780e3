"""What a model learns from: prompts exactly as the product sends them, each with the right answer.

Examples <-> JSON lines, with every problem of a file at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from prompts import Message
from trag import json_lines
from trag.errors import TragError
from trag.json_lines import WORDS, BadLineError, Shape

LEAST_TO_LEARN = 20
"""Examples from which a fine-tune can learn anything at all."""
_ALIKE = 0.9  # of the examples with one answer, from which only that answer would be learned
_FEW = 10  # examples that may all have one answer by chance


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and the answer to learn, whole. Examples of one `source` stay together in a split: a text that some of
    them hold would else be on both sides. `kind` is a word that tables are broken down by, and `question` what a person
    asked, which the prompt holds."""

    source: str
    kind: str
    question: str
    messages: tuple[Message, ...]
    answer: str


def write(examples: Iterable[Example]) -> bytes:
    """The JSON lines that `read` reads."""
    return json_lines.write(map(asdict, examples))


def questions(examples: Iterable[Example]) -> tuple[str, ...]:
    """All that is asked in them, each question once."""
    return tuple(dict.fromkeys(example.question for example in examples))


def read(content: bytes, name: str, *, least: int = 1) -> tuple[Example, ...]:
    """The examples in a file called `name`, UTF-8 JSON lines with the fields of Example as keys; empty lines are
    skipped.

    Raises TragError with the number of every bad line and what is wrong with it; when the file holds fewer than `least`
    examples (LEAST_TO_LEARN for one that is learned from); and when nearly all of them have one answer.
    """
    examples = json_lines.read(content, _example, f"{name} cannot be learned from", "Make the dataset again.")
    answers = Counter(" ".join(example.answer.split()) for example in examples)
    total = len(examples)
    if total < least:
        raise TragError(
            f"{name} holds {total or 'no'} question{'s' * (total != 1)}, and at least {least} are needed.",
            "Approve more question-answer pairs, activate a chart, or label more answers; then make the dataset again.",
        )
    answer, times = answers.most_common(1)[0]
    if total >= _FEW and times > _ALIKE * total:
        raise TragError(
            f'{name} holds one answer {times} times in {total}: "{answer[:80]}". Only that would be learned.',
            "Take questions in whose answers differ; then make the dataset again.",
        )
    return examples


def _example(values: Mapping[str, Any]) -> Example:
    wrong = json_lines.wrong(values, _EXAMPLE, _EXAMPLE)
    messages = values.get("messages")
    if isinstance(messages, list):
        for place, one in enumerate(messages, 1):
            wrong += [f"message {place}: {problem}" for problem in json_lines.wrong(one, _MESSAGE, _MESSAGE)]
    if wrong:
        raise BadLineError(wrong)
    messages = tuple(Message(**one) for one in values["messages"])
    return Example(**{**values, "messages": messages})


_ROLES = ("system", "user", "assistant")
_MESSAGE: Mapping[str, Shape] = {
    "role": (f"one of {', '.join(_ROLES)}", lambda value: value in _ROLES),
    "content": WORDS,
}
_EXAMPLE: Mapping[str, Shape] = {
    "source": WORDS,
    "kind": WORDS,
    "question": WORDS,
    "messages": ("a list of messages, not empty", lambda value: isinstance(value, list) and bool(value)),
    "answer": WORDS,
}
