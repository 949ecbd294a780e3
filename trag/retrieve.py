"""Which passages a question gets, and the few lines of each that the reader sees.

question -> hybrid search (pairs and sections) -> reranked by what their lines say -> excerpts, the best first

The paper retrieves pairs by MMR (T-RAG, section 5.4.2); here sections are searched beside them, and a cross-encoder
ranks what both searches found. A short window around the lines that match is read in a third of the time of the whole
passage, and answers as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from store.passage import OPEN, Excerpt, Passage
from trag.lexical import sentences

if TYPE_CHECKING:
    import numpy as np

    from store.vectors import Vectors

CANDIDATES = 10
"""Pairs, and sections, among which the likeliest to answer are looked for."""
WINDOW = 500
"""Characters of a passage that the reader sees; one line of more is shown whole."""
_NEARNESS = 15.0
"""What cosine similarity, in [-1, 1], counts beside log-odds."""

Weigh = Callable[[str, Sequence[str]], "np.ndarray"]
"""Gives the log-odds (n,) that texts answer a question."""


def excerpts(
    question: str,
    vector: np.ndarray,
    vectors: Vectors,
    *,
    limit: int,
    readers: Collection[str] | None = OPEN,
    weigh: Weigh | None = None,
) -> tuple[Excerpt, ...]:
    """At most `limit` excerpts, the likeliest to answer first; `vector` (d,) is the question's.

    `readers` holds the keys of whoever asks, None for who may read everything: without it only what everyone may read
    is found.
    """
    found = [
        passage
        for kind in ("qa", "section")
        for passage in vectors.search(vector, question, kinds=(kind,), k=CANDIDATES, readers=readers)
    ]
    if not found:
        return ()
    lines = [lines_of(passage) for passage in found]
    if weigh is None:
        scores = [[0.0] * len(some) for some in lines]
    else:
        odds = iter(
            weigh(
                question, [headed(passage, line) for passage, some in zip(found, lines, strict=True) for line in some]
            )
        )
        scores = [[float(next(odds)) for _ in some] for some in lines]
    ranked = sorted(
        zip(found, lines, scores, strict=True), key=lambda one: -(_NEARNESS * one[0].score + max(one[2], default=0.0))
    )
    return tuple(
        Excerpt(passage, window(passage.text, some, odds), max(odds, default=0.0))
        for passage, some, odds in ranked[:limit]
    )


def lines_of(passage: Passage) -> tuple[str, ...]:
    """The sentences and items of a passage, a pair's answer whole."""
    return (passage.text,) if passage.kind == "qa" else sentences(passage.text)


def headed(passage: Passage, line: str) -> str:
    """A line as it is ranked: under the question of its pair, or the last headings of its section."""
    heading = passage.question or " > ".join(passage.section.split(" > ")[-2:])
    return f"{heading}: {line}" if heading else line


def window(text: str, lines: Sequence[str], odds: Sequence[float]) -> str:
    """The stretch of `text` from the line of the best odds outwards, the likelier neighbour first, as long as it has
    at most WINDOW characters."""
    if len(text) <= WINDOW or not lines:
        return text
    spans, at = [], 0
    for line in lines:
        start = text.index(line, at)
        at = start + len(line)
        spans.append((start, at))
    first = last = max(range(len(lines)), key=odds.__getitem__)
    while True:
        sides = [place for place in (first - 1, last + 1) if 0 <= place < len(lines)]
        fitting = [one for one in sides if spans[max(last, one)][1] - spans[min(first, one)][0] <= WINDOW]
        if not fitting:
            return text[spans[first][0] : spans[last][1]]
        chosen = max(fitting, key=odds.__getitem__)
        first, last = min(first, chosen), max(last, chosen)
