"""What a model learns from: contexts as the pipeline sends them, each with questions and the right answers to them.

Examples <-> JSON lines, with every problem of a file at once.  Knows nothing about where examples come from, or how a
model is trained.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trag import json_lines
from trag.errors import TragError
from trag.json_lines import FLAG, TEXTS, WORDS, BadLineError, Shape

LEAST_TO_LEARN = 20
"""Questions from which a fine-tune can learn anything at all."""
MOST_ASKED = 5
"""Questions over one context."""
_ALIKE = 0.9  # of the questions with one answer, from which only that answer would be learned
_FEW = 10  # questions that may all have one answer by chance


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over a context and the answer to learn, whole, or prompts.CANNOT_ANSWER. `kind` is a word that tables
    are broken down by."""

    question: str
    answer: str
    kind: str


@dataclass(frozen=True, slots=True)
class Example:
    """One context as the model reads it, and 1 to 5 questions over it.

    The prompt of a question is that of `prompts.answer` with these values. Examples of one `source` stay together in a
    split: a text that some of them hold would else be on both sides. `passages` are made by `prompts.pair` and
    `prompts.section`.
    """

    source: str
    organization: str
    statements: tuple[str, ...]
    passages: tuple[str, ...]
    about_chart: bool
    asked: tuple[Asked, ...]


def write(examples: Iterable[Example]) -> bytes:
    """The JSON lines that `read` reads."""
    return json_lines.write(map(asdict, examples))


def questions(examples: Iterable[Example]) -> tuple[str, ...]:
    """All that is asked over them, each question once."""
    return tuple(dict.fromkeys(one.question for example in examples for one in example.asked))


def read(content: bytes, name: str, *, least: int = 1) -> tuple[Example, ...]:
    """The examples in a file called `name`, UTF-8 JSON lines with the fields of Example as keys; empty lines are
    skipped.

    Raises TragError with the number of every bad line and what is wrong with it; when the file holds fewer than `least`
    questions (LEAST_TO_LEARN for one that is learned from); and when nearly all of them have one answer.
    """
    examples = json_lines.read(content, _example, f"{name} cannot be learned from", "Make the dataset again.")
    _check_enough(examples, name, least)
    return examples


def _check_enough(examples: Sequence[Example], name: str, least: int) -> None:
    answers = Counter(" ".join(asked.answer.split()) for example in examples for asked in example.asked)
    total = answers.total()
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


def _example(values: Mapping[str, Any]) -> Example:
    wrong = json_lines.wrong(values, _EXAMPLE, _EXAMPLE)
    asked = values.get("asked")
    if isinstance(asked, list):
        if not 1 <= len(asked) <= MOST_ASKED:
            wrong.append(f'"asked" holds {len(asked)} questions, not 1 to {MOST_ASKED}')
        for place, one in enumerate(asked, 1):
            wrong += [f"question {place}: {problem}" for problem in json_lines.wrong(one, _ASKED, _ASKED)]
    if wrong:
        raise BadLineError(wrong)
    return Example(
        source=values["source"],
        organization=values["organization"],
        statements=tuple(values["statements"]),
        passages=tuple(values["passages"]),
        about_chart=values["about_chart"],
        asked=tuple(Asked(**one) for one in values["asked"]),
    )


_ASKED: Mapping[str, Shape] = {"question": WORDS, "answer": WORDS, "kind": WORDS}
_EXAMPLE: Mapping[str, Shape] = {
    "source": WORDS,
    "organization": WORDS,
    "statements": TEXTS,
    "passages": TEXTS,
    "about_chart": FLAG,
    "asked": ("a list of questions", lambda value: isinstance(value, list)),
}
