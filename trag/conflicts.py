"""Whether another document in force may say something else than an answer does.

answer, its line, the best line of another document -> what the reader answers from that one alone -> signs of both
-> log-odds that they speak of the same case and cannot both be right

The reader tells well what a text gives as the answer, and judges two texts next to blindly: so it only reads, and a
logistic regression on three signs of both decides. `python -m bench.conflicts` learned it on pairs written
for that; docs/RESULTS.md has what it finds of others.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import prompts
from prompts import NOT_FOUND
from store.conflict import Side, conflict_id
from store.language import ENGLISH, language
from store.passage import Excerpt
from trag.errors import TragError
from trag.lexical import numbers, stems
from trag.llm.model import LanguageModel, text_of
from trag.record import Conflict
from trag.retrieve import lines_of, window

if TYPE_CHECKING:
    import numpy as np

    from store.records import Records

log = logging.getLogger(__name__)

MOST = 2
"""Other documents that an answer is compared with at most: a few seconds each."""
_WEIGHTS: Mapping[str, float] = {"passages": 3.351, "refusal": -0.135, "length": 0.483}
_BIAS = -5.511
"""Learned from 160 pairs, so that 3% of those without a conflict are told."""
_NEAR = 0.65
"""Cosine similarity of passages below which a conflict is not told, so that nothing is read: with it an answer would
need 100 characters and log-odds of a refusal of -8."""
_TOKENS = 32
_ANSWERED = -50.0  # added to the logit of a refusal: it answers in any case, and says how much rather it would not

Embed = Callable[[Sequence[str]], "np.ndarray"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader answers from a passage alone, "" for nothing, and the log-odds that it would rather refuse, 0
    where it does not say."""

    answer: str
    refusal_odds: float


def compare(
    id: str,
    question: str,
    answer: str,
    mine: Excerpt,
    others: Sequence[Excerpt],
    *,
    model: LanguageModel,
    embed: Embed,
    records: Records,
    stop: threading.Event,
) -> tuple[tuple[Excerpt, Conflict], ...]:
    """Those of `others` that may say something else than the answer of an id, which stands on `mine`, kept for those
    who keep the documents; without those of which somebody has said that they do not. None once `stop` is set, or where
    the model does not read one: the answer is whole without."""
    found: list[tuple[Excerpt, Conflict]] = []
    for other in others:
        if records.conflicts.denied([conflict_id(_side(mine), _side(other))]):
            continue
        if (near := nearness(mine, other, embed)) < _NEAR:
            continue
        try:
            reading = read(question, other, model, stop)
        except TragError as error:
            log.info("documents were not compared: %s", error.message)
            return ()
        if stop.is_set():
            return ()
        if differs(answer, mine, reading, other) and odds(signs(near, reading)) > 0:
            conflict = Conflict(mine.passage.id, mine.text, other.passage.id, other.text, reading.answer)
            found.append((other, conflict))
    if found:
        records.conflicts.put(id, [(_side(mine), _side(other)) for other, _ in found])
    return tuple(found)


def read(question: str, excerpt: Excerpt, model: LanguageModel, stop: threading.Event | None = None) -> Reading:
    """Raises what `LanguageModel.stream` raises."""
    passage = excerpt.passage
    shown = prompts.excerpt(passage.section, passage.question, whole(excerpt))
    written, usage = text_of(
        model.stream(
            prompts.document(question, [shown]),
            max_tokens=_TOKENS,
            stop=stop,
            task="answer",
            refusal=NOT_FOUND,
            refusal_bias=_ANSWERED,
        )
    )
    # Where there is no bias, as behind an address, it may refuse all the same.
    return Reading("" if NOT_FOUND in written else written.strip(), usage.refusal_odds or 0.0)


def differs(answer: str, line: Excerpt, reading: Reading, other: Excerpt) -> bool:
    """Whether each of two answers has a number or a word that the other's passage lacks."""
    return not (_holds(whole(other), answer) or _holds(whole(line), reading.answer))


def _holds(passage: str, answer: str) -> bool:
    tongue = language(passage, surely=True) or ENGLISH
    said, held = (stems(text, tongue) | numbers(text, tongue) for text in (answer, passage))
    return said <= held


def nearness(line: Excerpt, other: Excerpt, embed: Embed) -> float:
    """The cosine similarity of two passages."""
    one, two = embed([whole(line), whole(other)])
    return float(one @ two)


def signs(near: float, reading: Reading) -> dict[str, float]:
    """What tells whether two passages speak of the same case: their nearness, how much rather the reader would have
    refused (log-odds), and how long its answer is (the logarithm of its characters)."""
    return {"passages": near, "refusal": reading.refusal_odds, "length": math.log1p(len(reading.answer))}


def odds(found: Mapping[str, float]) -> float:
    """The log-odds of a conflict, less those from which on it is told."""
    return sum(_WEIGHTS[name] * value for name, value in found.items()) + _BIAS


def _side(excerpt: Excerpt) -> Side:
    return Side(excerpt.passage.document, excerpt.passage.section, excerpt.text)


def whole(excerpt: Excerpt) -> str:
    """As much of a passage around its line as the reader is shown."""
    lines = lines_of(excerpt.passage)
    return window(excerpt.passage.text, lines, [float(line in excerpt.text) for line in lines])
