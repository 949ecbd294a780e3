"""The lexical half of the search: BM25 over the words of every passage, in memory.

It finds what vectors blur: names, acronyms, amounts, section numbers. Knows nothing about vectors, and keeps nothing
on disk.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.vectors import Passage

# A number keeps its points and commas ("4.2", "10,000"); anything else is a run of letters and digits of any script.
_WORD = re.compile(r"\w+(?:(?<=\d)[.,]\d+)*")

# Accents, and the points of Hebrew and Arabic: what people leave out when they type.
_MARK = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")

# Words of grammar and of questions. A question is full of them; counted, they hide right sections.
_GRAMMAR = """
    a an the this that these those some any and or but nor not no if then than so as of to in on at by for from with
    into about i me my we us our you your he him his she her it its they them their there here is am are was were be
    been being do does did have has had having can could may might must shall should will would what whats which who
    whos whom whose when where wheres why how s t d m re ve ll
"""
_UNTELLING = frozenset(_GRAMMAR.split())


class Keywords:
    """A BM25 index of a fixed set of passages."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for DEBUG itself
        self.kinds = frozenset(passage.kind for passage in passages)
        self.documents = frozenset(passage.document for passage in passages)
        self._ids = [passage.id for passage in passages]
        self._kinds = [passage.kind for passage in passages]
        self._documents = [passage.document for passage in passages]
        texts = words([f"{passage.section}\n{passage.question}\n{passage.text}" for passage in passages])
        self._index: bm25s.BM25 | None = None
        if any(texts):
            self._index = bm25s.BM25()
            self._index.index(texts, show_progress=False)

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, question: str, k: int, *, kinds: Collection[str], documents: Collection[str]) -> tuple[str, ...]:
        """Ids of at most `k` passages of those kinds and documents that share a word with the question, best first."""
        import numpy as np

        (asked,) = words([question])
        if self._index is None or not asked:
            return ()
        scores = self._index.get_scores(asked)
        places = zip(self._kinds, self._documents, strict=True)
        scores *= np.array([kind in kinds and document in documents for kind, document in places])
        best = np.argsort(-scores, kind="stable")[:k]
        return tuple(self._ids[position] for position in best if scores[position] > 0)


def words(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text as the index counts them: no accents, no case, no grammar, English endings taken off.

    A word of grammar in capitals stays: "IT" is a department, "it" is not.
    """
    from Stemmer import Stemmer

    found = [_WORD.findall(_bare(text)) for text in texts]
    spelled = list({word for text in found for word in text})
    stems = Stemmer("english").stemWords([word.casefold().replace(",", "") for word in spelled])
    counted = {word: stem for word, stem in zip(spelled, stems, strict=True) if _telling(word)}
    return [[counted[word] for word in text if word in counted] for text in found]


def _bare(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARK.sub("", unicodedata.normalize("NFKD", text)))


def _telling(word: str) -> bool:
    return word.lower() not in _UNTELLING or (len(word) > 1 and word.isupper())
