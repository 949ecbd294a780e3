"""Examples as tokens, packed into sequences in which those that begin alike share what they begin with.

A trie as one sequence: each token sees those it comes after, and is read exactly as in a prompt of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from prompts import Message
from trag.errors import TragError
from trag.finetune.dataset.examples import Example


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
class Row:
    """One example in tokens; the last one of the answer ends it."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    @property
    def read(self) -> tuple[int, ...]:
        """All that the model reads: no token is read to predict nothing."""
        return (*self.prompt, *self.answer[:-1])


@dataclass(frozen=True, slots=True)
class Packed:
    """One sequence. `parents` gives the place of the token that each comes after, -1 for a first one; always one before
    its own. `learned` are pairs: the place of a token, and the token that is to be predicted there."""

    tokens: tuple[int, ...]
    parents: tuple[int, ...]
    learned: tuple[tuple[int, int], ...]

    @property
    def seen(self) -> npt.NDArray[np.bool_]:
        """[tokens, tokens]: whether a token (row) sees another (column), which is itself or one that it comes after. So
        its position in its own prompt is one less than the number of those that it sees."""
        found = np.eye(len(self.tokens), dtype=np.bool_)
        for place, parent in enumerate(self.parents):
            if parent >= 0:
                found[place, :place] = found[parent, :place]
        return found


@dataclass(frozen=True, slots=True)
class Fitted:
    """What can be learned from, the number of examples in it, and how many were too long."""

    sequences: tuple[Packed, ...]
    examples: int
    too_long: int


def fit(examples: Sequence[Example], vocabulary: Vocabulary, longest: int) -> Fitted:
    """Sequences of at most `longest` tokens, in the order of the examples, those of one task beside each other: they
    share the start of their prompts.

    Nothing is cut: without the excerpt that answers it, a question would teach to invent. Raises TragError when no
    example is short enough.
    """
    alike = sorted(examples, key=lambda example: example.messages[0].content)
    rows = [row(example, vocabulary) for example in alike]
    short = [one for one in rows if len(one.read) <= longest]
    if not short:
        shortest = min((len(one.read) for one in rows), default=0)
        raise TragError(
            f"None of the {len(rows)} examples fits in {longest} tokens; the shortest has {shortest}.",
            "Allow longer examples (longest).",
        )
    return Fitted(tuple(pack(short, longest)), len(short), len(rows) - len(short))


def row(example: Example, vocabulary: Vocabulary) -> Row:
    """An example in tokens."""
    return Row(tuple(vocabulary.prompt(example.messages)), (*vocabulary.text(example.answer), vocabulary.end))


def pack(rows: Iterable[Row], longest: int) -> Iterator[Packed]:
    """Rows in their order, in sequences of at most `longest` tokens, shared ones counted once; longer rows alone."""
    trie = _Trie()
    for one in rows:
        if trie.tokens and len(trie.tokens) + trie.new(one.read) > longest:
            yield trie.packed()
            trie = _Trie()
        trie.add(one)
    if trie.tokens:
        yield trie.packed()


class _Trie:
    """A sequence in the making."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self._parents: list[int] = []
        self._learned: list[tuple[int, int]] = []
        self._places: dict[tuple[int, int], int] = {}

    def new(self, tokens: Sequence[int]) -> int:
        """How many of the tokens are not there yet."""
        place = -1
        for number, token in enumerate(tokens):
            found = self._places.get((place, token))
            if found is None:
                return len(tokens) - number
            place = found
        return 0

    def add(self, row: Row) -> None:
        place, path = -1, []
        for token in row.read:
            found = self._places.get((place, token))
            if found is None:
                found = self._places[place, token] = len(self.tokens)
                self.tokens.append(token)
                self._parents.append(place)
            place = found
            path.append(place)
        self._learned += zip(path[len(row.prompt) - 1 :], row.answer, strict=True)

    def packed(self) -> Packed:
        return Packed(tuple(self.tokens), tuple(self._parents), tuple(self._learned))
