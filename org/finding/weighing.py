"""How likely a reading is meant: the sum of the weights of its clues, as log-odds.

The weights are learned from marked questions (`python -m bench.finder.learn`) and stand in weights.tsv, a clue a line.
Knows nothing about sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

WEIGHTS = Path(__file__).with_name("weights.tsv")
ALWAYS = "always"
"""The clue that every reading has."""


@cache
def weights() -> Mapping[str, float]:
    """The weight of each clue."""
    rows = (line.split("\t") for line in WEIGHTS.read_text(encoding="utf-8").splitlines())
    return {clue: float(weight) for clue, weight in rows}


def weigh(clues: Iterable[str]) -> float:
    """The log-odds that a reading with these clues, each counted once, is meant: above 0, it more likely is."""
    known = weights()
    return known[ALWAYS] + sum(known.get(clue, 0.0) for clue in dict.fromkeys(clues))
