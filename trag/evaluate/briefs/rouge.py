"""How much of a text stands in its evidence word for word: ROUGE precision (Lin 2004), as Plan-based retrieval has it
(section 4.3), with the evidence as the reference. Ours, because rouge-score brings NLTK; the tests hold it to figures
of rouge-score 0.1.2 without stemming, from which it differs only in keeping letters beyond a to z.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Rouge:
    """Precisions, 0 to 1: shares of the text's words (R1), pairs of words (R2), and words in the longest common
    subsequences with the sentences of the evidence (RLsum)."""

    r1: float
    r2: float
    rl: float


def precision(text: Sequence[str], evidence: Sequence[str]) -> Rouge:
    """The precision of a text against its evidence, both as sentences in order."""
    said, known = ([_words(sentence) for sentence in one] for one in (text, evidence))
    one, two = (_overlap([*chain(*said)], [*chain(*known)], n) for n in (1, 2))
    return Rouge(one, two, _summary(said, known))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _overlap(said: Sequence[str], known: Sequence[str], n: int) -> float:
    own, reference = (Counter(zip(*(words[k:] for k in range(n)), strict=False)) for words in (said, known))
    return (own & reference).total() / max(1, own.total())


def _summary(said: Sequence[Sequence[str]], known: Sequence[Sequence[str]]) -> float:
    """Each sentence of the evidence with the union of its subsequences (Lin 2004, section 3.2); no word counts more
    often than both texts have it."""
    total = sum(map(len, said))
    left, other = Counter(chain(*said)), Counter(chain(*known))
    hits = 0
    for sentence in known:
        for place in sorted({*chain.from_iterable(_subsequence(sentence, one) for one in said)}):
            word = sentence[place]
            if left[word] and other[word]:
                left[word] -= 1
                other[word] -= 1
                hits += 1
    return hits / max(1, total)


def _subsequence(reference: Sequence[str], said: Sequence[str]) -> list[int]:
    """The places in `reference` of one of the longest subsequences that both have."""
    lengths = [[0] * (len(said) + 1) for _ in range(len(reference) + 1)]
    for i, word in enumerate(reference, 1):
        row, above = lengths[i], lengths[i - 1]
        for j, other in enumerate(said, 1):
            row[j] = above[j - 1] + 1 if word == other else max(above[j], row[j - 1])
    i, j, places = len(reference), len(said), []
    while i and j:
        if reference[i - 1] == said[j - 1]:
            i, j = i - 1, j - 1
            places.append(i)
        elif lengths[i][j - 1] > lengths[i - 1][j]:  # which of several: as rouge-score
            j -= 1
        else:
            i -= 1
    return places
