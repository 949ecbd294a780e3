"""Examples on two sides, to learn from and held out: whole sources, and no text on both.

examples -> (train, held out).  Knows nothing about what a source is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from random import Random

from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typed import plain

SHARE = 0.1
"""Of the questions, held out."""


def held_out_sources(examples: Iterable[Example], *, seed: int) -> frozenset[str]:
    """The sources to hold out: drawn one by one until they have their share of the questions, never all."""
    questions = Counter[str]()
    for example in examples:
        questions[example.source] += len(example.asked)
    drawn: list[str] = []
    taken = 0
    for source in Random(seed).sample(sorted(questions), len(questions))[1:]:
        if taken >= SHARE * questions.total():
            break
        drawn.append(source)
        taken += questions[source]
    return frozenset(drawn)


def least_shared(examples: Sequence[Example]) -> frozenset[str]:
    """The sources to hold out, where each example is one of its own and any two may share statements: those that share
    fewest, until they have their share of the questions; never all."""
    times = Counter(statement for example in examples for statement in set(example.statements))
    ordered = sorted(examples, key=lambda example: sum(times[statement] - 1 for statement in set(example.statements)))
    wanted = SHARE * sum(len(example.asked) for example in examples)
    drawn: list[str] = []
    for example in ordered[:-1]:
        if wanted <= 0:
            break
        drawn.append(example.source)
        wanted -= len(example.asked)
    return frozenset(drawn)


def split(examples: Sequence[Example], held_out: Collection[str]) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The examples of the other sources, without those that share a passage or a question with a held-out one; and the
    held-out ones. What comes twice is there once."""
    distinct = tuple(dict.fromkeys(examples))
    aside = tuple(example for example in distinct if example.source in held_out)
    known = {text for example in aside for text in _texts(example)}
    others = (example for example in distinct if example.source not in held_out)
    return tuple(example for example in others if known.isdisjoint(_texts(example))), aside


def _texts(example: Example) -> Iterable[str]:
    yield from example.passages
    yield from example.statements
    yield from (plain(asked.question) for asked in example.asked)
