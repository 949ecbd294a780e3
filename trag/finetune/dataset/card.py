"""What a dataset holds, for people to read before they train on it.

examples on both sides -> Card -> card.md.  Knows nothing about how examples are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from prompts import Message
from trag.finetune.dataset.examples import Example


@dataclass(frozen=True, slots=True)
class Card:
    """A dataset in figures. `kinds` counts the examples of both sides; `tokens` is what one pass over the side to learn
    from reads and writes, each example by itself; `sha256` is that of both sides, by which a dataset is known."""

    title: str
    about: str
    seed: int
    sources: int
    train: int
    held_out: int
    cases: int
    kinds: Mapping[str, int]
    longest: int
    tokens: int
    sha256: str

    def text(self) -> str:
        """The card as Markdown."""
        total = self.train + self.held_out
        rows = [
            ("examples to learn from", f"{self.train:,}"),
            ("examples held out", f"{self.held_out:,}"),
            ("sources, whole ones on either side", f"{self.sources:,}"),
            ("cases for the gate, of the side held out", f"{self.cases:,}"),
            ("tokens of one pass, before what prompts share", f"{self.tokens:,}"),
            ("tokens of the longest example", f"{self.longest:,}"),
        ]
        table = "\n".join(f"| {name} | {figure} |" for name, figure in rows)
        kinds = "\n".join(
            f"| {kind} | {count:,} | {count / max(1, total):.1%} |"
            for kind, count in sorted(self.kinds.items(), key=lambda item: -item[1])
        )
        return (
            f"# {self.title}\n\n{self.about}\n\nSeed {self.seed}. sha256 {self.sha256}\n\n"
            f"| | |\n|---|---|\n{table}\n\n| kind of example | examples | share |\n|---|---|---|\n{kinds}\n"
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
    sizes = [count(example.messages) + count_text(example.answer) + 1 for example in train]
    return Card(
        title=title,
        about=about,
        seed=seed,
        sources=len({example.source for example in both}),
        train=len(train),
        held_out=len(held_out),
        cases=cases,
        kinds=Counter(example.kind for example in both),
        longest=max(sizes, default=0),
        tokens=sum(sizes),
        sha256=sha256,
    )
