"""Which words of a passage bear out what an answer says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.language import ENGLISH, language
from trag.lexical import numbers, sentences, stems

Span = tuple[int, int]
"""From the first character to the one after the last."""

# A figure with what multiplies it ("940 million") is one word.
_WORD = re.compile(r"\d(?:[\d.,]*\d)?(?:\s?(?:k|m|thousand|million)\b|(?![^\W_]))|[^\W_]+(?:['’][^\W_]+)*", re.I)
_END = re.compile(r"[.!?؟。]\s|\n")


def supporting(text: str, borne_out: Sequence[str]) -> tuple[Span, ...]:
    """Where `text` has the sentences of `borne_out` word for word, else the words and figures that it shares with them,
    in order.

    Each counts where most of the others stand with it, so that a common word elsewhere draws no eye; the little
    words between two of them count with them.
    """
    runs: list[Span] = []
    tongue = language(text, surely=True) or ENGLISH
    for start, end in sorted({span for sentence in borne_out for span in _shared(text, sentence, tongue)}):
        between = text[runs[-1][1] : start] if runs else ""
        if runs and not (_weight(between, tongue) or _END.search(between)):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return tuple(runs)


def _shared(text: str, sentence: str, tongue: str) -> Iterator[Span]:
    """The words of `text` that `sentence` has too, from as few sentences of `text` as hold them all."""
    whole = text.find(sentence)
    if sentence and whole >= 0:
        yield whole, whole + len(sentence)
        return
    wanted, places, end = _weight(sentence, tongue), [], 0
    for each in sentences(text):
        start = text.index(each, end)
        end = start + len(each)
        matches = _WORD.finditer(text, start, end)
        places.append({match.span(): common for match in matches if (common := _weight(match[0], tongue) & wanted)})
    covered: set[str | float] = set()
    for place in sorted(places, key=lambda place: -len(set().union(*place.values()))):
        if not covered.issuperset(found := set().union(*place.values())):
            covered |= found
            yield from place


def _weight(text: str, tongue: str) -> frozenset[str | float]:
    """What a stretch of text says: the stems of its words, and its numbers."""
    figures = numbers(text, tongue)
    return figures if text[:1].isdigit() and _WORD.fullmatch(text) else stems(text, tongue) | figures
