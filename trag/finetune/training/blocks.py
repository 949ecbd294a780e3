"""A context and the questions over it as one sequence of tokens, so that the context is read once for all of them.

Example -> prompts -> context | question, answer | question, answer | ...

The positions of every question go on where the context ends, and it sees the context and itself alone: each token is
read exactly as in a prompt of its own.  Knows nothing about torch, or about where tokens come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Protocol

import prompts
from prompts import Message
from trag.errors import TragError
from trag.finetune.dataset.examples import Example

AT_ONCE = 512
"""Tokens up to which short sequences are read together: of 95 tokens each, twice as many in a second on 2 cores."""


class Vocabulary(Protocol):
    """How a model reads a chat as tokens, and writes an answer."""

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """What the model reads, by its own chat template, up to where its answer begins."""

    def text(self, text: str) -> list[int]:
        """What the model writes."""

    @property
    def end(self) -> int:
        """The token that ends an answer."""


@dataclass(frozen=True, slots=True)
class Part:
    """One question in the sequence: where it starts, where its answer starts, and where it ends; the last token of the
    answer is the one that ends it."""

    start: int
    answer: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One sequence: `context` tokens that all parts share, and the parts behind one another."""

    tokens: tuple[int, ...]
    context: int
    parts: tuple[Part, ...]

    @property
    def positions(self) -> list[int]:
        """The position of each token as the model counts them: those of every part go on from the context."""
        return [*range(self.context), *(self.context + place for part in self.parts for place in range(_length(part)))]

    @property
    def learned(self) -> list[int]:
        """Where the tokens stand from which the model learns: those of the answers."""
        return [place for part in self.parts for place in range(part.answer, part.end)]


@dataclass(frozen=True, slots=True)
class Packed:
    """Blocks behind one another, which a model reads at once; each sees itself alone."""

    blocks: tuple[Block, ...]

    @property
    def tokens(self) -> list[int]:
        """Those of all blocks."""
        return [token for block in self.blocks for token in block.tokens]

    @property
    def positions(self) -> list[int]:
        """The position of each token in its block, as the model counts them."""
        return [position for block in self.blocks for position in block.positions]

    @property
    def learned(self) -> list[int]:
        """Where the tokens stand from which the model learns."""
        return [start + place for start, block in self.placed for place in block.learned]

    @property
    def placed(self) -> Iterator[tuple[int, Block]]:
        """Each block after the place where it starts."""
        starts = accumulate((len(block.tokens) for block in self.blocks), initial=0)
        return zip(starts, self.blocks, strict=False)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The blocks that can be learned from, and how many examples were too long for that."""

    blocks: tuple[Block, ...]
    too_long: int


def fit(examples: Sequence[Example], vocabulary: Vocabulary, longest: int) -> Fitted:
    """A block for each example of at most `longest` tokens, in their order.

    Nothing is cut: without the passage that answers it, a question would teach to invent. Raises TragError when no
    example is short enough.
    """
    made = [block(example, vocabulary) for example in examples]
    blocks = tuple(one for one in made if len(one.tokens) <= longest)
    if not blocks:
        shortest = min((len(one.tokens) for one in made), default=0)
        raise TragError(
            f"None of the {len(made)} examples fits in {longest} tokens; the shortest has {shortest}.",
            "Allow longer examples (longest), or make the dataset with fewer passages.",
        )
    return Fitted(blocks, len(made) - len(blocks))


def block(example: Example, vocabulary: Vocabulary) -> Block:
    """The sequence of one example, however long."""
    asked = [vocabulary.prompt(prompt_of(example, one.question)) for one in example.asked]
    return sequence(asked, [[*vocabulary.text(one.answer), vocabulary.end] for one in example.asked])


def sequence(asked: Sequence[Sequence[int]], answers: Sequence[Sequence[int]]) -> Block:
    """The sequence of prompts that begin alike, each with its answer, in tokens."""
    context = _shared(asked) if len(asked) > 1 else 0
    tokens, parts = [*asked[0][:context]], []
    for prompt, answer in zip(asked, answers, strict=True):
        start = len(tokens)
        tokens = [*tokens, *prompt[context:], *answer]
        parts.append(Part(start, len(tokens) - len(answer), len(tokens)))
    return Block(tuple(tokens), context, tuple(parts))


def packed(blocks: Iterable[Block], most: int = AT_ONCE) -> Iterator[Packed]:
    """The blocks in their order, as many at once as have at most `most` tokens together; a longer one by itself."""
    gathered: list[Block] = []
    for block in blocks:
        if gathered and sum(len(one.tokens) for one in (*gathered, block)) > most:
            yield Packed(tuple(gathered))
            gathered = []
        gathered.append(block)
    if gathered:
        yield Packed(tuple(gathered))


def prompt_of(example: Example, question: str) -> tuple[Message, ...]:
    """What the model is asked over a context: all of it, whatever its length."""
    whole = prompts.answer(
        question,
        example.statements,
        example.passages,
        organization=example.organization,
        about_chart=example.about_chart,
        count=lambda _: 0,
        room=0,
    )
    return whole.messages


def _shared(rows: Sequence[Sequence[int]]) -> int:
    """How many tokens all rows begin with; at least one token of each row is left."""
    alike = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False)))
    return min(alike, min(map(len, rows)) - 1)


def _length(part: Part) -> int:
    return part.end - part.start
