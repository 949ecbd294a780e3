"""The word for a kind of unit that stands beside a name: "the audit office", "the office of audit", "team otter".

(Sentence, place, kinds) -> the kind.  Knows nothing about charts.
"""

from __future__ import annotations

import re
from collections.abc import Set

from org.finding.names import Word
from org.finding.sentence import Sentence

SITES = frozenset(("branch", "center", "clinic", "hub", "office"))  # kinds that are in a place: "the office in Kenya"
IN = re.compile(r"\s+(?:in|of|at|within|for|on)\s+(?:the\s+)?", re.IGNORECASE)
OF = re.compile(r"\s+(?:of|for|on|d|de|du|des|del|della|der|f[uü]e?r)\b", re.IGNORECASE)
_JOINED = frozenset((" ", "-", "' ", "’ "))


def kind_after(sentence: Sentence, last: int, kinds: Set[str]) -> str:
    """The kind of unit that the word at `last` is, in the singular, joined to the one before it, else ""."""
    words = sentence.words
    following = words[last : last + 1]
    if not following or following[0].plural or following[0].text not in kinds:
        return ""
    between = sentence.text[words[last - 1].end : following[0].start]
    return following[0].text if between in _JOINED else ""


def kind_before(sentence: Sentence, first: int, kinds: Set[str]) -> str:
    """The kind of unit that is joined to the word at `first` by "of", or "in" where it is a place, else ""."""
    word = _one_before(sentence, first, kinds)
    if word is None:
        return ""
    joined = IN if word.text in SITES else OF
    return word.text if joined.match(sentence.text, word.end, sentence.words[first].start) else ""


def is_kind_beside(sentence: Sentence, first: int, kinds: Set[str]) -> bool:
    """Whether the word before is a kind of unit that stands before names, as they do outside English: "team otter",
    "abteilung controlling"."""
    word = _one_before(sentence, first, kinds)
    return word is not None and sentence.text[word.end : sentence.words[first].start] in _JOINED


def _one_before(sentence: Sentence, first: int, kinds: Set[str]) -> Word | None:
    """The word before, where it is a kind of unit in the singular."""
    word = sentence.words[first - 1] if first else None
    return word if word and not word.plural and word.text in kinds else None
