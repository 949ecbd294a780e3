"""Which line of a workflow comes next: what the reader makes of every option, and how alike the words of the request
that are not said yet are to it, weighed together.

request, suggestions, what is written -> options with their features -> log-odds

The weights are those under which gold workflows are likeliest (conditional logit); `python -m bench.lines` fits them.
They know neither a name of a catalogue nor a word of a language.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from trag.workflow.structure import Line, after, may_end

if TYPE_CHECKING:
    from trag.workflow.suggesting import Suggestions, Words

LOGIC = {
    "IF": "if",
    "ELSEIF": "else if",
    "ELSE": "else",
    "FOREACH": "for each",
    "DOUNTIL": "repeat until",
    "PARALLEL": "in parallel",
    "PARALLELBLOCK": "branch",
    "TRY": "try",
    "CATCH": "catch",
    "WAIT": "wait",
    "END": "stop",
}
"""Logic steps as the reader writes them."""
DONE = ""
"""The option that nothing more comes."""
_END = "end"
_FOLLOW = ("ELSEIF", "ELSE", "CATCH", "PARALLELBLOCK")
LEAST = -12.0
"""The natural logarithm below which nothing is told apart."""
_SAID, _BEFORE = 0.3, 0.3
"""What a stretch loses whose words are all said already, and one that lies before what was said last, by the whole
length of the request."""

Features = Mapping[str, float]
Decided = Literal["lines", "triggers", "tables"]


@dataclass(slots=True)
class Said:
    """What of a request is written: the names, which of its words (n,) they stand for, and how far on (0 to 1) the last
    of these are. `ranks` are the reranker's log-odds of each suggestion."""

    words: Words
    ranks: Mapping[str, float]
    names: list[str] = field(default_factory=list)
    last: float = 0.0
    covered: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.covered = np.zeros(self.words.spans[0, 1], bool)

    def take(self, name: str) -> tuple[int, int]:
        """A suggestion is written; the first and the end of the words that it stands for."""
        first, end = self.words.spans[int(self._near(name).argmax())].tolist()
        self.names.append(name)
        self.cover(first, end)
        return first, end

    def cover(self, first: int, end: int) -> None:
        """These words are said."""
        self.covered[first:end] = True
        self.last = (first + end) / 2 / len(self.covered)

    def features(self, name: str) -> dict[str, float]:
        """What speaks for a suggestion to be the next that is written."""
        place, words = self.words.places[name], self.words
        alike, found = words.alike[:, place], int(self._near(name).argmax())
        return {
            "whole": float(alike[0]),
            "best": float(alike.max()),
            "free": float((alike - self._over() / 2).max()),
            "ahead": float((alike - self._behind() / 2).max()),
            "jump": abs(float(words.middles[found]) - self.last),
            "rank": 1 / (place + 3),
            "reranker": max(self.ranks[name], LEAST),
            "again": float(name in self.names),
        }

    def _near(self, name: str) -> np.ndarray:
        """How near each stretch is to a name, less for what is said already and for going back; the whole request is no
        stretch of it."""
        near = self.words.alike[:, self.words.places[name]] - _SAID * self._over() - _BEFORE * self._behind()
        if len(near) > 1:
            near[0] = -np.inf
        return np.asarray(near)

    def _over(self) -> np.ndarray:
        """The share of the words of each stretch that are said already."""
        sums, spans = np.concatenate([[0], np.cumsum(self.covered)]), self.words.spans
        return np.asarray((sums[spans[:, 1]] - sums[spans[:, 0]]) / (spans[:, 1] - spans[:, 0]))

    def _behind(self) -> np.ndarray:
        """How far each stretch lies before what was said last."""
        return np.maximum(0, self.last - self.words.middles)


def options(lines: Sequence[Line], titles: Mapping[str, str]) -> dict[str, str]:
    """The names that may come next, each as the reader would write it on the deepest level that it may stand on, DONE
    being the end. `titles` are those of the actions to choose among."""
    found: dict[str, str] = {}
    for each in reversed(after(lines)):
        for name in (*each.logic, *(titles if each.actions else ())):
            found[name] = f"{'  ' * each.depth}- {LOGIC.get(name) or titles[name]}\n"
    return found | ({DONE: _END} if may_end(lines) else {})


def indents(lines: Sequence[Line]) -> dict[int, str]:
    """The levels that a line may come on, each as the reader would begin it."""
    return {each.depth: f"{'  ' * each.depth}-" for each in after(lines)}


def features(
    lines: Sequence[Line], shares: Mapping[str, float], levels: Mapping[int, float], said: Said
) -> dict[Line | None, Features]:
    """What speaks for each line that may come next, None for the end. `shares` are natural logarithms of how the reader
    shares out what is likely among the names, `levels` of that among the levels."""
    nexts, found = after(lines), dict[Line | None, Features]()
    own = {name: said.features(name) for name in shares if name not in LOGIC and name != DONE}
    for each in nexts:
        level = {"level": max(levels[each.depth], LEAST), "up": float(nexts[0].depth - each.depth)}
        for name in each.logic:
            reader = {"reader.logic": max(shares.get(name, LEAST), LEAST)}
            found[Line(each.depth, name)] = {name: 1.0, **reader, **level}
        for name in own if each.actions else ():
            found[Line(each.depth, name)] = own[name] | {"reader": max(shares[name], LEAST)} | level
    if DONE in shares:
        free = max((one["free"] for name, one in own.items() if name not in said.names), default=0.0)
        found[None] = {
            "end": 1.0,
            "reader.end": max(shares[DONE], LEAST),
            "count": float(len(lines)),
            "left": 1 - float(said.covered.mean()),
            "open": free,
        }
    return found


def trigger_features(
    found: Suggestions, shares: Mapping[str, float], ranks: Mapping[str, float], with_table: Collection[str]
) -> dict[str, Features]:
    """What speaks for each trigger, and for none (DONE). `shares` are the reader's, `ranks` the reranker's log-odds,
    `with_table` the triggers that are about a table."""
    tables = found.words["table"]
    about = {"table": 1.0, "about": float(tables.alike[tables.spans[:, 0] == 0].max(initial=0.0))}
    of: dict[str, Features] = {
        name: _first(found.words["trigger"], name, share, ranks) | (about if name in with_table else {})
        for name, share in shares.items()
        if name != DONE
    }
    return of | {DONE: {"none": 1.0, "reader.none": max(shares[DONE], LEAST)}}


def table_features(words: Words, shares: Mapping[str, float], ranks: Mapping[str, float]) -> dict[str, Features]:
    """What speaks for each table that a trigger is about, in the same way."""
    return {name: _first(words, name, share, ranks) for name, share in shares.items()}


def opening(words: Words, name: str) -> tuple[int, int]:
    """The first words of a request, as many as are the most alike to what sets its workflow off."""
    alike = np.where(words.spans[:, 0] == 0, words.alike[:, words.places[name]], -np.inf)
    if (words.spans[1:, 0] == 0).any():
        alike[0] = -np.inf
    first, end = words.spans[int(alike.argmax())].tolist()
    return first, end


def _first(words: Words, name: str, share: float, ranks: Mapping[str, float]) -> dict[str, float]:
    alike = words.alike[:, words.places[name]]
    return {
        "whole": float(alike[0]),
        "best": float(alike.max()),
        "first": float(alike[words.spans[:, 0] == 0].max()),
        "rank": 1 / (words.places[name] + 3),
        "reranker": max(ranks[name], LEAST),
        "reader": max(share, LEAST),
    }


def odds(of: Features, weights: Mapping[str, float]) -> float:
    """The log-odds of an option."""
    return sum(weights.get(name, 0.0) * value for name, value in of.items())


@cache
def fitted(kind: Decided, *, reader: bool = True) -> Mapping[str, float]:
    """The weights by the names of the features; without a reader those under which the others do best alone."""
    values: Mapping[str, Mapping[str, float]] = json.loads(Path(__file__).with_name("weights.json").read_bytes())
    return values[kind if reader else f"{kind} alone"]
