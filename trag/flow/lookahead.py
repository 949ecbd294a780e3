"""FLAP's constrained decoding (4.2.2): each token is chosen by what the model would write with it up to the end of the
unit.

search, heuristic -> the k likeliest tokens, looked ahead of -> the one of the greatest S -> text of a plan
"""

from __future__ import annotations

from dataclasses import dataclass

from trag.flow.prompting import CLOSE, LAST, OPENING, mark, unit_of
from trag.flow.scoring import Heuristic, score
from trag.llm.model import Search

WIDTH, LENGTH = 10, 32
"""k and L of the paper (appendix C.1)."""


@dataclass(frozen=True, slots=True)
class Written:
    """A plan behind the units of the prompt, from the mark that stands there already; the tokens it was chosen by; and
    whether it came to its end, else `max_tokens` were over."""

    text: str
    tokens: int
    ended: bool


def decode(
    search: Search, heuristic: Heuristic, *, width: int = WIDTH, length: int = LENGTH, every: int = 1, max_tokens: int
) -> Written:
    """The plan that the paper's algorithm writes. It ends with the API `LAST`, or where the model's likeliest way is to
    write no more. Of each `every` tokens of a unit the first is chosen so, the others are the model's likeliest."""
    state = heuristic.start([unit.api for unit in OPENING])
    text, unit, place = mark(), mark(), 0
    for tokens in range(1, max_tokens + 1):
        ahead = (1, 1) if place % every else (width, length)
        candidates = search.look_ahead(*ahead, (CLOSE,))
        # What is written of the unit already is a part of it, and an end may stand across the two.
        units = [unit_of(_closed(unit + candidate.text)) for candidate in candidates]
        values = heuristic.values(units, state)
        scores = [
            score(candidate.probability, value, heuristic.weights)
            for candidate, value in zip(candidates, values, strict=True)
        ]
        token = candidates[scores.index(max(scores))].token
        if not token:
            return Written(text, tokens, ended=True)
        search.take(token)
        text, unit, place = text + token, unit + token, place + 1
        if CLOSE in unit:
            whole, _, unit = unit.partition(CLOSE)
            place = 0
            written = unit_of(whole + CLOSE)
            if written:
                state = heuristic.after(written, state)
            if written and written.api == LAST:
                return Written(text, tokens, ended=True)
    return Written(text, max_tokens, ended=False)


def _closed(text: str) -> str:
    """Up to the end of its first unit; all of it where it has none."""
    whole, end, _ = text.partition(CLOSE)
    return whole + end
