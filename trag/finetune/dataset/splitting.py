"""Examples on two sides, to learn from and held out: whole sources, and no question on both.

examples -> (train, held out).  Knows nothing about what a source is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from random import Random

from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typed import plain

SHARE = 0.1
"""Of the examples, held out."""


def held_out_sources(examples: Iterable[Example], *, seed: int) -> frozenset[str]:
    """The sources to hold out: drawn one by one until they have their share of the examples, never all."""
    numbers = Counter(example.source for example in examples)
    drawn: list[str] = []
    taken = 0
    for source in Random(seed).sample(sorted(numbers), len(numbers))[1:]:
        if taken >= SHARE * numbers.total():
            break
        drawn.append(source)
        taken += numbers[source]
    return frozenset(drawn)


def split(examples: Sequence[Example], held_out: Collection[str]) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The examples of the other sources, without those that ask a held-out question; and the held-out ones. What comes
    twice is there once."""
    distinct = tuple(dict.fromkeys(examples))
    aside = tuple(example for example in distinct if example.source in held_out)
    asked = {plain(example.question) for example in aside}
    others = (example for example in distinct if example.source not in held_out)
    return tuple(example for example in others if plain(example.question) not in asked), aside
