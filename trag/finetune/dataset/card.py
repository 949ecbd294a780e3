"""What a dataset holds, for people to read before they train on it.

examples on both sides -> Card -> card.md.  Knows nothing about how examples are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import prompts
from prompts import CANNOT_ANSWER, Message
from trag.finetune.dataset.examples import Example

_ROOM = 10**9  # tokens; nothing is cut off to count it


@dataclass(frozen=True, slots=True)
class Card:
    """A dataset in figures. `kinds` counts the questions of both sides; `tokens` is what one pass over the side to
    learn from reads and writes; `sha256` is that of both sides, by which a dataset is known."""

    title: str
    about: str
    seed: int
    sources: int
    train: int
    train_questions: int
    held_out: int
    held_out_questions: int
    cases: int
    kinds: Mapping[str, int]
    refusals: int
    with_statements: int
    with_passages: int
    longest: int
    tokens: int
    sha256: str

    @property
    def questions(self) -> int:
        """Of both sides."""
        return self.train_questions + self.held_out_questions

    def text(self) -> str:
        """The card as Markdown."""
        total = self.train + self.held_out
        rows = [
            ("contexts to learn from", f"{self.train:,}"),
            ("questions over them", f"{self.train_questions:,}"),
            ("contexts held out", f"{self.held_out:,}"),
            ("questions over them", f"{self.held_out_questions:,}"),
            ("sources, whole ones on either side", f"{self.sources:,}"),
            ("cases for the gate, of the side held out", f"{self.cases:,}"),
            ("to refuse", f"{self.refusals / max(1, self.questions):.1%}"),
            ("contexts with statements from the chart", f"{self.with_statements / max(1, total):.0%}"),
            ("contexts with passages of documents", f"{self.with_passages / max(1, total):.0%}"),
            ("tokens of one pass", f"{self.tokens:,}"),
            ("tokens of the longest context with its questions", f"{self.longest:,}"),
        ]
        table = "\n".join(f"| {name} | {figure} |" for name, figure in rows)
        kinds = "\n".join(
            f"| {kind} | {count:,} | {count / max(1, self.questions):.1%} |"
            for kind, count in sorted(self.kinds.items(), key=lambda item: -item[1])
        )
        return (
            f"# {self.title}\n\n{self.about}\n\nSeed {self.seed}. sha256 {self.sha256}\n\n"
            f"| | |\n|---|---|\n{table}\n\n| kind of question | questions | share |\n|---|---|---|\n{kinds}\n"
        )


def describe(
    train: Sequence[Example],
    held_out: Sequence[Example],
    *,
    title: str,
    about: str,
    seed: int,
    cases: int,
    sha256: str,
    count: Callable[[Sequence[Message]], int],
    count_text: Callable[[str], int],
) -> Card:
    """The card of both sides; `count` and `count_text` are the model's."""
    both = [*train, *held_out]
    asked = [one for example in both for one in example.asked]
    sizes = [_tokens(example, count, count_text) for example in train]
    return Card(
        title=title,
        about=about,
        seed=seed,
        sources=len({example.source for example in both}),
        train=len(train),
        train_questions=_questions(train),
        held_out=len(held_out),
        held_out_questions=_questions(held_out),
        cases=cases,
        kinds=Counter(one.kind for one in asked),
        refusals=sum(one.answer == CANNOT_ANSWER for one in asked),
        with_statements=sum(bool(example.statements) for example in both),
        with_passages=sum(bool(example.passages) for example in both),
        longest=max(sizes, default=0),
        tokens=sum(sizes),
        sha256=sha256,
    )


def _questions(examples: Iterable[Example]) -> int:
    return sum(len(example.asked) for example in examples)


def _tokens(example: Example, count: Callable[[Sequence[Message]], int], count_text: Callable[[str], int]) -> int:
    """Tokens of a context once and of each of its questions with its answer."""
    first, *others = example.asked
    prompt = prompts.answer(
        first.question,
        example.statements,
        example.passages,
        organization=example.organization,
        about_chart=example.about_chart,
        count=count,
        room=_ROOM,
    )
    further = sum(count_text(f"\n\nQuestion: {one.question}\n") for one in others)
    return count(prompt.messages) + further + sum(count_text(one.answer) + 1 for one in example.asked)
