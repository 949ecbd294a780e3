"""What a model learns from: prompts exactly as the product sends them, each with the right answer.

Examples <-> JSON lines, with every problem of a file at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated

from annotated_types import MinLen

from prompts import Message
from trag import json_lines
from trag.errors import TragError
from trag.json_lines import Words

LEAST_TO_LEARN = 20
"""Examples from which a fine-tune can learn anything at all."""
_ALIKE = 0.9  # of the examples with one answer, from which only that answer would be learned
_FEW = 10  # examples that may all have one answer by chance


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and the answer to learn, whole. Examples of one `source` stay together in a split: a text that some of
    them hold would else be on both sides. `kind` is a word that tables are broken down by, and `question` what a person
    asked, which the prompt holds."""

    source: Words
    kind: Words
    question: Words
    messages: Annotated[tuple[Message, ...], MinLen(1)]
    answer: Words


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
    examples = json_lines.read(content, Example, "", "Make the dataset again.", _wrong, name=name)
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


def _wrong(example: Example) -> Iterator[str]:
    for place, message in enumerate(example.messages, 1):
        if not message.content.strip():
            yield f'"messages" {place} "content" must be a text that is not empty'
