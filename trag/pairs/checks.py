"""Which sentence a pair that a model wrote stands on, and whether it says nothing that its section does not say, as far
as that can be told for certain.

Knows nothing about how pairs are written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trag.words import negated, numbers

OPENING = frozenset({"yes no", "fact check"})
"""The types whose answers begin with a word of their own: "Yes", "No", "True"."""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def source(answer: str, sentences: Sequence[str], named: int) -> str:
    """The one of `sentences` that has most words of `answer`: the one at the position that the model `named`, unless
    another has more. A small model writes about a sentence under the number of its neighbour now and then."""
    said = _words(answer)
    return max([sentences[named], *sentences], key=lambda sentence: len(said & _words(sentence)))


def bears_out(answer: str, type: str, *, source: str, section: str) -> bool:
    """Whether every number and every word with a capital of `answer` stands in `section` (its headings and its text),
    and `source`, the sentence that it stands on, denies what it denies.

    Of the types in OPENING the first word is free, and must not be all that there is.
    """
    said = _WORD.findall(answer)[1 if type in OPENING else 0 :]
    held = _words(section)
    return (
        bool(said)
        and numbers(answer) <= numbers(section)
        and all(word.casefold() in held for word in said if word != word.lower())
        and negated(" ".join(said)) == negated(source)
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
