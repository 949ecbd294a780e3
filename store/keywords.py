"""The lexical half of the search: BM25 over the words of every passage, in memory.

It finds what vectors blur: names, acronyms, amounts, section numbers. Endings are taken off a text by the rules of its
language, and off a question by those of every language that there is: a word stands for all its stems.

bm25s, the library, works out every score when its index is made, so that each change makes all of it anew (5 s at
100,000 passages). Here a row keeps counts, and what depends on all rows is worked out when a question comes. The tests
hold the scores against the library's.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from store.language import ENGLISH, stemmer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A number keeps its points and commas ("4.2", "10,000"); anything else is a run of letters and digits of any script.
_WORD = re.compile(r"\w+(?:(?<=\d)[.,]\d+)*")

# Accents, and the points of Hebrew and Arabic: what people leave out when they type.
_MARK = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")

# Words of grammar and of questions. A question is full of them; counted, they hide right sections.
_STOP_WORDS = frozenset(
    """
    a an the this that these those some any and or but nor not no if then than so as of to in on at by for from with
    into about i me my we us our you your he him his she her it its they them their there here is am are was were be
    been being do does did have has had having can could may might must shall should will would what whats which who
    whos whom whose when where wheres why how s t d m re ve ll
    """.split()
)


# How soon a word that is said again stops counting, and how far a long text counts less (Robertson and Zaragoza 2009).
_REPEATS = 1.5
_LENGTH = 0.75


class Keywords:
    """BM25 over rows of texts, each added once. For one thread at a time. `languages` are those of the texts."""

    def __init__(self) -> None:
        import numpy as np

        self.languages: dict[str, None] = {}
        self._vocabulary: dict[str, int] = {}
        self._lengths: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        self._parts: list[_Postings] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, texts: Sequence[str], languages: Sequence[str] = ()) -> None:
        """A row for each text, in order; `languages` has that of each, and is left out where all are English."""
        import numpy as np

        languages = languages or [ENGLISH] * len(texts)
        self.languages |= dict.fromkeys(languages)
        spoken: list[list[str]] = [[] for _ in texts]
        for language in dict.fromkeys(languages):
            places = [place for place, each in enumerate(languages) if each == language]
            for place, found in zip(places, words([texts[place] for place in places], language), strict=True):
                spoken[place] = found
        lengths = np.fromiter(map(len, spoken), np.float32, len(spoken))
        vocabulary = self._vocabulary
        numbers = np.fromiter(
            (vocabulary.setdefault(word, len(vocabulary)) for word in chain.from_iterable(spoken)), np.int64
        )
        rows = np.repeat(np.arange(len(self), len(self) + len(texts)), lengths.astype(np.int64))
        self._lengths = np.concatenate([self._lengths, lengths])
        both, counts = np.unique(numbers << 32 | rows, return_counts=True)
        part = _Postings(
            (both >> 32).astype(np.int32),
            (both & 0xFFFFFFFF).astype(np.int32),
            np.minimum(counts, 0xFFFF).astype(np.uint16),
        )
        self._parts.append(part)
        # Each part at least twice as large as the next: few parts to look into, and a posting moves seldom.
        while len(self._parts) > 1 and len(self._parts[-2].rows) < 2 * len(self._parts[-1].rows):
            last = self._parts.pop()
            self._parts[-1] = self._parts[-1].joined(last)

    def search(
        self, question: str, k: int, *, living: NDArray[np.bool_], readable: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """At most `k` readable rows that share a word with the question, best first.

        `living` (rows,) are the rows that count at all, `readable` (rows,) those of them that may be found.
        """
        import numpy as np

        asked = zip(*(words([question], language)[0] for language in self.languages), strict=True)
        total = int(living.sum())
        scores = np.zeros(len(self), dtype=np.float32)
        usual = float(self._lengths[living].mean()) if total else 0.0
        for word, times in Counter(tuple(dict.fromkeys(stems)) for stems in asked).items():
            known = [self._vocabulary[stem] for stem in word if stem in self._vocabulary]
            found = [part.of(stem) for stem in known for part in self._parts]
            rows = np.concatenate([np.zeros(0, dtype=np.int32), *(rows for rows, _ in found)])
            counts = np.concatenate([np.zeros(0, dtype=np.float32), *(counts for _, counts in found)])
            if total < len(self):
                here = living[rows]
                rows, counts = rows[here], counts[here]
            rarity = np.log(1 + (total - len(rows) + 0.5) / (len(rows) + 0.5))
            dampened = counts + _REPEATS * (1 - _LENGTH + _LENGTH * self._lengths[rows] / usual)
            scores[rows] += times * rarity * counts / dampened
        best: NDArray[np.int64] = np.flatnonzero((scores > 0) & readable)
        if len(best) > k:
            best = best[scores[best] >= np.partition(scores[best], -k)[-k]]
        best = best[np.argsort(-scores[best], kind="stable")]
        return best[:k]


@dataclass(frozen=True, slots=True)
class _Postings:
    """Which rows have which word how often, by word and row."""

    words: NDArray[np.int32]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]

    def of(self, word: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """The rows with a word, and how often each has it."""
        import numpy as np

        first, last = np.searchsorted(self.words, np.array([word, word + 1], dtype=np.int32))
        return self.rows[first:last], self.counts[first:last]

    def joined(self, later: _Postings) -> _Postings:
        """The postings of both; the rows of `later` come after those of this one."""
        import numpy as np

        words = np.concatenate([self.words, later.words])
        order = np.argsort(words, kind="stable")
        rows = np.concatenate([self.rows, later.rows])[order]
        return _Postings(words[order], rows, np.concatenate([self.counts, later.counts])[order])


def words(texts: Sequence[str], language: str = ENGLISH) -> list[list[str]]:
    """The words of each text as the index counts them: no accents, no case, no grammar, the endings of a language taken
    off, English ones where Snowball does not know it.

    A word of grammar in capitals stays: "IT" is a department, "it" is not. Which words are left out is the same for
    all languages.
    """
    bare = (
        text if text.isascii() else unicodedata.normalize("NFC", _MARK.sub("", unicodedata.normalize("NFKD", text)))
        for text in texts
    )
    found = [_WORD.findall(text) for text in bare]
    spelled = list({word for text in found for word in text})
    stems = stemmer(language).stemWords([word.casefold().replace(",", "") for word in spelled])
    counted = {
        word: stem
        for word, stem in zip(spelled, stems, strict=True)
        if word.lower() not in _STOP_WORDS or (len(word) > 1 and word.isupper())
    }
    return [[counted[word] for word in text if word in counted] for text in found]
