"""FLAP's constrained decoding (4.2.2): each token is chosen by what the model would write with it up to the end of the
unit.

search, heuristic -> the k likeliest tokens, looked ahead of -> the one of the greatest S -> text of a plan

The paper looks ahead of every candidate to the end. Here a candidate is gone on with while its S may still be the
greatest: what cannot come into the form has H = 0 whatever follows, what has its thought written has an H within bounds
that are known, and what was looked ahead of before is known already. The token that is chosen is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trag.flow.prompting import CLOSE, LAST, OPENING, begun, mark, unit_of
from trag.flow.scoring import Heuristic, State, score
from trag.llm.model import Candidate, Search

WIDTH, LENGTH = 10, 32
"""k and L of the paper (appendix C.1)."""
_STRIDE = 2
"""Tokens that candidates are gone on with before it is asked again which of them may be the best."""


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
        token = _likeliest(search, heuristic, state, unit, *ahead)
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


def _likeliest(search: Search, heuristic: Heuristic, state: State, unit: str, width: int, length: int) -> str:
    """The candidate of the greatest S, of several the likeliest; `unit` is what is written of the unit already."""
    reach, ways = 1, list[int]()
    candidates: Sequence[Candidate] = ()
    while True:
        found = search.look_ahead(width, reach, (CLOSE,), ways)
        # What others ask meanwhile makes a model forget how the ways that are not asked of went on.
        candidates = [max(pair, key=lambda way: way.tokens) for pair in zip(candidates or found, found, strict=True)]
        within = _within(heuristic, state, unit, candidates, length)
        best = max(least for least, _ in within)
        first = next(place for place, (least, _) in enumerate(within) if least == best)
        ways = [place for place, (least, most) in enumerate(within) if least < most and most >= best]
        chosen = candidates[first]
        # A token that is a part of a character is not known before the rest of that is.
        if not {*ways} - {first} and (chosen.token or chosen.ended or chosen.tokens >= length):
            return chosen.token
        ways = ways or [first]
        reach = min(length, _STRIDE + min(candidates[place].tokens for place in ways))


def _within(
    heuristic: Heuristic, state: State, unit: str, candidates: Sequence[Candidate], length: int
) -> list[tuple[float, float]]:
    """The least and the most that S can be of each candidate; the same where all of its look-ahead is known."""
    # What is written of the unit already is a part of it, and an end may stand across the two.
    texts = [_closed(unit + candidate.text) for candidate in candidates]
    values = heuristic.values([unit_of(text) for text in texts], state)
    begins = [
        None if candidate.ended or candidate.tokens >= length or CLOSE in text else begun(text)
        for candidate, text in zip(candidates, texts, strict=True)
    ]
    return [
        (
            score(candidate.probability, value + least, heuristic.weights),
            score(candidate.probability, value + most, heuristic.weights),
        )
        for candidate, value, (least, most) in zip(candidates, values, heuristic.bounds(begins, state), strict=True)
    ]


def _closed(text: str) -> str:
    """Up to the end of its first unit; all of it where it has none."""
    whole, end, _ = text.partition(CLOSE)
    return whole + end
