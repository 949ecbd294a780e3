"""Which passages a question gets, and the few lines of each that the reader sees.

question -> hybrid search (pairs and sections) -> their lines, reranked -> the best by query likelihood -> excerpts,
         and what answers it in other documents

The paper retrieves pairs by MMR (T-RAG, section 5.4.2); here sections are searched beside them, and a cross-encoder
ranks the lines of what both searches found. Those that it finds about as good are told apart by the reader: how likely
it would ask this question, given the line (Sachan and others 2022, arXiv 2204.07496). One or two lines are read in a
fraction of the time of a passage, and a small model that sees no others does not answer from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import prompts
from store.passage import OPEN, Excerpt, Passage
from trag.lexical import sentences
from trag.llm.model import LanguageModel, Scoring

if TYPE_CHECKING:
    import numpy as np

    from store.vectors import Vectors

SHOWN = 2
"""Lines of documents that the reader is shown."""
CANDIDATES = 10
"""Pairs, and sections, among whose lines the likeliest to answer are looked for."""
WINDOW = 500
"""Characters of a passage that the reader sees; one line of more is shown whole."""
_ROWS, _ALIKE = 8, 0.25
"""Lines among which the further rows of a list are looked for, and by how little their log-odds differ."""
_HARDLY = -3.0
"""Log-odds of a line that answers once in twenty."""
_NEARNESS = 15.0
"""What cosine similarity, in [-1, 1], counts beside log-odds."""
_LIKELIHOOD = 0.5
"""What the log-probability of the question counts beside log-odds."""
_COMPARED, _CLOSE = 5, 3.0
"""How many lines at most are compared by likelihood, and by how little they may be behind the best: of 47 questions
about three organizations the best line holds the gold of 33 without, of 38 with (docs/RESULTS.md)."""

Weigh = Callable[[str, Sequence[str]], "np.ndarray"]
"""Gives the log-odds (n,) that texts answer a question."""
Likelihood = Callable[[str, Sequence[str]], Sequence[float]]
"""Gives for each text the natural logarithm of how likely it is asked this question."""


def ranked(
    question: str,
    vector: np.ndarray,
    vectors: Vectors,
    *,
    readers: Collection[str] | None = OPEN,
    without: Collection[str] = (),
    weigh: Weigh | None = None,
    likelihood: Likelihood | None = None,
) -> tuple[Excerpt, ...]:
    """The lines of what is found, each by itself, the likeliest to answer first; `vector` (d,) is the question's.
    Without `weigh` the beginnings of the nearest passages.

    `readers` holds the keys of whoever asks, None for who may read everything: without it only what everyone may read
    is found. Nor is the document of a name in `without`.
    """
    found = [
        passage
        for kind in ("qa", "section")
        for passage in vectors.search(vector, question, kinds=(kind,), k=CANDIDATES, readers=readers, without=without)
    ]
    if weigh is None:
        nearest = sorted(found, key=lambda one: -one.score)
        return tuple(Excerpt(one, window(one.text, lines_of(one))) for one in nearest)
    lines = [(passage, line) for passage in found for line in lines_of(passage)]
    odds = weigh(question, [headed(*one) for one in lines]).tolist()
    order = sorted(
        ((_NEARNESS * one[0].score + weight, weight, *one) for one, weight in zip(lines, odds, strict=True)),
        key=lambda one: -one[0],
    )
    close = [one for one in order[:_COMPARED] if order[0][0] - one[0] <= _CLOSE]
    if likelihood and len(close) > 1:
        likely = likelihood(question, [headed(passage, line) for _, _, passage, line in close])
        best = sorted(range(len(close)), key=lambda place: -(close[place][0] + _LIKELIHOOD * likely[place]))
        order[: len(close)] = [close[place] for place in best]
    return tuple(Excerpt(passage, line, weight) for _, weight, passage, line in order)


def excerpts(lines: Sequence[Excerpt], limit: int = SHOWN) -> tuple[Excerpt, ...]:
    """The first `limit` lines, those of one passage with what stands between them; beside a line that rather answers
    none that hardly does, and with the further ones of a passage that the reranker cannot tell from the least of
    these: the rows of a list."""
    first = list(lines[:limit])
    if best_odds(first) > 0:
        first = [one for one in first if one.odds > _HARDLY]
    least, known = min((one.odds for one in first), default=0.0), {one.passage.id for one in first}
    first += [one for one in lines[limit:_ROWS] if abs(one.odds - least) <= _ALIKE and one.passage.id in known]
    passages = {one.passage.id: one.passage for one in first}
    return tuple(
        Excerpt(
            passage,
            stretch(passage.text, [one.text for one in first if one.passage is passage]),
            max(one.odds for one in first if one.passage is passage),
        )
        for passage in passages.values()
    )


def around(found: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
    """The same excerpts with the lines that stand around each, as far as a window goes."""

    def wider(one: Excerpt) -> str:
        lines = lines_of(one.passage)
        return window(one.passage.text, lines, [float(line in one.text) for line in lines])

    return tuple(replace(one, text=wider(one)) for one in found)


def elsewhere(lines: Sequence[Excerpt], document: str, limit: int) -> tuple[Excerpt, ...]:
    """The best line of each further document than this that rather answers than not, of at most `limit` documents."""
    best: dict[str, Excerpt] = {}
    for one in lines:
        if one.odds > 0 and one.passage.document != document:
            best.setdefault(one.passage.document, one)
    return tuple(best.values())[:limit]


def preferred(
    search: Callable[[Collection[str]], tuple[Excerpt, ...]], left_out: Sequence[Collection[str]]
) -> tuple[Excerpt, ...]:
    """The lines that `search` finds without the first documents of `left_out`; where none of those rather answers than
    not, and a search without the next ones finds a better one, what that finds, and so on."""
    best: tuple[Excerpt, ...] = ()
    for number, without in enumerate(left_out):
        if number and frozenset(without) == frozenset(left_out[number - 1]):
            continue
        found = search(without)
        if not best or best_odds(found) > best_odds(best):
            best = found
        if best_odds(best) > 0:
            break
    return best


def best_odds(found: Sequence[Excerpt]) -> float:
    """The log-odds that the likelier of the lines shown answers, -inf without any."""
    return max((one.odds for one in found[:SHOWN]), default=-math.inf)


def stretch(text: str, lines: Sequence[str]) -> str:
    """The words of `text` from the first of its `lines` to the last; the line given first where that is too much."""
    places = [(text.find(line), text.find(line) + len(line)) for line in lines]
    start, end = min(start for start, _ in places), max(end for _, end in places)
    return text[start:end] if end - start <= WINDOW else lines[0]


def query_likelihood(model: LanguageModel, question: str, lines: Sequence[str]) -> list[float]:
    """For each line the natural logarithm of how likely `model` would ask this question of it; all alike where it does
    not say. Of both at most WINDOW characters count, so that it takes bounded time and fits wherever an answer does.
    Raises what the model raises."""
    if not isinstance(model, Scoring):
        return [0.0] * len(lines)
    asked = [question[:WINDOW]]
    return [model.log_probabilities(prompts.question(line[:WINDOW]), asked, task="question")[0] for line in lines]


def lines_of(passage: Passage) -> tuple[str, ...]:
    """The sentences and items of a passage, a pair's answer whole."""
    return (passage.text,) if passage.kind == "qa" else sentences(passage.text)


def headed(passage: Passage, line: str) -> str:
    """A line as it is ranked: under the question of its pair, or the last headings of its section."""
    heading = passage.question or " > ".join(passage.section.split(" > ")[-2:])
    return f"{heading}: {line}" if heading else line


def window(text: str, lines: Sequence[str], weights: Sequence[float] = ()) -> str:
    """The stretch of `text` from the line of the greatest weight outwards, the first where none is given, the weightier
    neighbour first, as long as it has at most WINDOW characters."""
    if len(text) <= WINDOW or not lines:
        return text
    weights = weights or [0.0] * len(lines)
    spans, at = [], 0
    for line in lines:
        start = text.index(line, at)
        at = start + len(line)
        spans.append((start, at))
    first = last = max(range(len(lines)), key=weights.__getitem__)
    while True:
        sides = [place for place in (first - 1, last + 1) if 0 <= place < len(lines)]
        fitting = [one for one in sides if spans[max(last, one)][1] - spans[min(first, one)][0] <= WINDOW]
        if not fitting:
            return text[spans[first][0] : spans[last][1]]
        chosen = max(fitting, key=weights.__getitem__)
        first, last = min(first, chosen), max(last, chosen)
