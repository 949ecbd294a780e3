"""Whether a word in a sentence is a unit's name or only a word: "IT" or "it", "Procurement" or "procurement rules".

Knows how people type; knows nothing about charts.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from org.names import BODIES, OFFICES, Word, is_acronym, words

# In lower case these are no acronym and no name.
EVERYDAY = frozenset(Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").split())

# A question about where units sit. In one, a plain word such as "procurement" can be a unit; elsewhere it is a topic.
_PLACING = re.compile(
    rf"""
    \bwhere(?:'s|’s|s)?\s | \breport | \bsits?\b | \bbelong | \bpart\ of\b | \boversee | \bsupervis | \bparent
    | \b(?:who|what|which\ [\w-]+)(?:'s|’s|s|\ is|\ are|\ sits?|\ comes?)\ (?:\w+ly\ )?
      (?:above|over|under|below|in)\b
    | \b(?:is|are|fall\w*|come\w*)\ (?:\w+\ )?(?:under|below|above|beneath)\b | \b(?:under|above|below)\W*$
    | \b(?:under|in|to)\ (?:which|what|whom)\b | \b(?:units|entities|bodies)\b | \bsub-?(?:unit|division|team)
    | \b(?:which|what)\ (?:{"|".join(sorted(OFFICES | BODIES))}|centre|programme)\b | \bfits?\b
    | ^\W*(?:is|are)\ (?:the\ )?[\w'’-]+\ (?:in|under|part|an?)\b
    | \bconsist | \bmade\ up\b | \b(?:organi[sz]ation|org)\ ?chart | \bhierarchy
    | \b(?:above|below)\ (?:the|or)\b | \bsame\b
    | \bchain\ of | \bstructure | \bsibling | \bpeers\b | \bnext\ to\b | \bin\ common\b
    | \bcommon\ (?:parent|ancestor|unit) | \bwho\ (?:heads|leads|runs)\b | \bunder\ \w+\ and\b
    | ^\W*(?:who|what)(?:'s|’s|s|\ is|\ are)\ (?:the\ )?[\w'’-]+\W*$ | \bwhat\ does\ (?:the\ )?[\w'’-]+\ do\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE = re.compile(r"([^\W_]+)(?:['’]s)?[\s_\"'“‘(]*$")
_AFTER = re.compile(r"(?:['’]s?\b)?[^\S\n]*([^\w\s]?)\s*([^\W_]*)")
# What may stand beside a bare word that is a unit. Any other neighbour makes it part of something longer.
_NEIGHBOURS = frozenset((
    "a", "about", "above", "all", "also", "an", "and", "answer", "answers", "any", "are", "as", "at", "be", "below",
    "belong", "belongs", "beneath", "besides", "between", "both", "by", "can", "come", "comes", "consist", "consists",
    "contain", "contains", "did", "directly", "do", "does", "else", "exactly", "fall", "falls", "fit", "fits", "for",
    "from", "had", "has", "have", "head", "heads", "how", "if", "in", "inside", "into", "is", "it", "lead", "leads",
    "like", "list", "located", "me", "must", "name", "no", "of", "on", "or", "our", "over", "oversee", "oversees",
    "parent", "part", "peers", "please", "report", "reporting", "reports", "run", "runs", "same", "shall", "should",
    "siblings", "sit", "sits", "some", "sits", "than", "that", "the", "their", "them", "then", "there", "to", "under",
    "underneath", "units", "up", "vs", "was", "were", "what", "where", "which", "who", "whom", "will", "with",
    "within", "would", "chart", "hierarchy", "org", "organisation", "organization", "structure",
))  # fmt: skip
_PRONOUNS = frozenset(("all", "any", "he", "it", "me", "one", "she", "some", "that", "they", "this", "us", "we", "who"))
_PLACED = frozenset(("above", "are", "below", "beneath", "do", "does", "inside", "is", "under", "underneath", "within"))
_VERBS = frozenset(("answer", "belong", "come", "consist", "contain", "fall", "include", "oversee", "report", "sit"))
_LIST_MARKS = " \t\"'“‘(-*•"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text and its words; `placing` when it talks of where units sit, `shouting` when it is all in capitals."""

    text: str
    words: tuple[Word, ...]
    placing: bool
    shouting: bool


def read(text: str, kinds: Set[str]) -> Sentence:
    """A text as a Sentence. Units are also its matter when it names their `kinds` in the plural ("which teams ...")."""
    found = tuple(words(text))
    placing = any(word.plural and word.text in kinds for word in found) or is_placing(text)
    return Sentence(text, found, placing, shouting=len(text) > 12 and text.isupper())


def is_name(sentence: Sentence, first: int, written: str, *, kinds: Set[str], is_given: bool) -> bool:
    """Whether the single word at `first` is typed as the name `written`.

    `is_given` tells a name that the chart gives from one that we derived, which needs better grounds.
    """
    text, word = sentence.text, sentence.words[first]
    typed = text[word.start : word.end]
    everyday, kind = word.text in EVERYDAY, word.text in kinds
    before, after = _neighbours(sentence, first, first + 1)
    if is_acronym(written):
        if (typed.startswith(written) or typed.isupper()) and not sentence.shouting:
            return True
        if everyday:
            return word.text not in _PRONOUNS and before == "does" and after in _VERBS
        return is_given or len(written) > 3
    if typed.lower() == typed.upper():
        return True  # a script without capitals
    if words(written)[-1].plural and not word.plural:
        return False  # "Herons" is a name, "heron" is a bird
    capital = typed[0].isupper() and not sentence.shouting
    if len(sentence.words) == 1:
        return capital or not everyday
    has_article = before == "the"
    needs_article = written[:4].lower() == "the "
    if needs_article and not has_article:
        return False
    if not is_given and not sentence.placing:
        return False
    alone = stands_alone(sentence, first, first + 1)
    if everyday or kind:
        at_start = not text[: word.start].strip(_LIST_MARKS)
        named = capital or before in _PLACED or (has_article and (kind or needs_article)) or written.islower()
        return (capital and not at_start) or (named and alone)
    return capital or alone


def stands_alone(sentence: Sentence, first: int, last: int) -> bool:
    """Whether the words are a thing of their own, not part of a longer one, in a sentence about where units sit."""
    return sentence.placing and all(word in _NEIGHBOURS for word in _neighbours(sentence, first, last) if word)


def _neighbours(sentence: Sentence, first: int, last: int) -> tuple[str, str]:
    """The words just before and just after, in lower case; "" where the sentence or its clause ends."""
    start, end = sentence.words[first].start, sentence.words[last - 1].end
    before = _BEFORE.search(sentence.text, max(0, start - 40), start)
    after = _AFTER.match(sentence.text, end, end + 40)
    return (before[1].lower() if before else "", after[2].lower() if after and not after[1] else "")


def is_placing(text: str) -> bool:
    """Whether a text talks of where units sit."""
    return bool(_PLACING.search(text))
