"""A text as the finder reads it: its words in their canonical form, and the tokens that stand between and around them.

Knows how people type; knows nothing about charts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from org.finding.kinds import BODIES, OFFICES
from org.finding.names import Word, words

_FOLDER = Path(__file__).parent
# In lower case these are no acronym and no name.
EVERYDAY = frozenset((_FOLDER / "everyday.txt").read_text(encoding="utf-8").split())
# Plain English nouns and verbs.
PLAIN = frozenset((_FOLDER / "plain.txt").read_text(encoding="utf-8").split())
# What people also do, have or learn: "experience in marketing", "he works in surgery".
TOPICS = frozenset((_FOLDER / "topics.txt").read_text(encoding="utf-8").split())
_LONGEST_PLAIN = 15  # letters: longer ones are German compounds
_PLAIN_ENDING = re.compile(
    r"\w{3}(?:ing|tion|ment|ance|ence|ity|ics?|ology|ness|ship|er|or|ist|ism|ion|al|ive|able|ure|age)$"
)
_TOKEN = re.compile(r"[^\W_]+|[?!.,;:/&]")
EDGE = "|"
"""The token before the first and after the last."""

# A question about where units sit. In one, a plain word such as "procurement" can be a unit; elsewhere it is a topic.
_PLACING = re.compile(
    rf"""
    \bwhere(?:'s|’s|s)?\s(?!(?:can|could|do|did|may|must|should|to)\ (?:i|we|you|one)\b)
    | \breport(?:s|ing|ed)?\ (?:[\w-]+\ )?(?:to|into|in\ to)\b | \breport\W*$ | \breporting\b
    | \bsits?\b | \bbelong | \bpart\ of\b | \boversee | \bsupervis
    | \bparent(?:\ (?:of|unit|body|entity|office|department|division)\b|\W*$)
    | \b(?:who|what|which\ [\w-]+)(?:'s|’s|s|\ is|\ are|\ sits?|\ comes?)\ (?:\w+ly\ )?
      (?:above|over|under|below|in)\b
    | \b(?:is|are|fall\w*|come\w*)\ (?:\w+\ )?(?:under|below|above|beneath)\b | \b(?:under|above|below)\W*$
    | \bwhich\ .{{1,80}}\bin\W*$
    | \b(?:under|in|to)\ (?:which|what|whom)\b | \b(?:units|entities|bodies)\b | \bsub-?(?:unit|division|team)
    | \b(?:which|what)\ (?:{"|".join(sorted(OFFICES | BODIES))}|centre|programme)\b | \bfits?\b
    | ^\W*(?:is|are)\ (?:the\ )?[\w'’-]+\ (?:in|under|part|below|beneath|within)\b
    | ^\W*(?:is|are)\ (?:the\ )?[\w'’-]+\ an?\ (?:\w+\ )?(?:{"|".join(sorted(OFFICES | BODIES))})\b
    | ^\W*wh(?:at|ich)\ (?:sort|kind|type)\ of\ [\w-]+\ (?:is|are)\b
    | \btell\ (?:me|us)\ (?:\w+\ )?about\b
    | \b(?:everything|directly|right|straight|just)\ (?:under|below|in)\b
    | \bconsist | \bmade\ up\b | \b(?:organi[sz]ation|org)\ ?chart | \bhierarchy
    | \bin\ one\ (?:{"|".join(sorted(OFFICES | BODIES))}|centre)\b
    | \b(?:bigger|larger|smaller)\ than\b | \bvs\b | \bversus\b
    | \b(?:above|below)\ (?:the|or)\b | \bsame\b
    | \bchain\ of | \bstructure | \bsibling | \bpeers\b | \bnext\ to\b | \bin\ common\b
    | \bcommon\ (?:parent|ancestor|unit|boss|head) | \bwhat\ (?:the\ )?[\w'’-]+\ (?:[\w'’-]+\ )?does\b
    | \bwho\ (?:heads|leads|runs|owns|manages)\b | \bunder\ \w+\ and\b
    | ^\W*(?:who|what)(?:'s|’s|s|\ is|\ are)\ (?:the\ )?[\w'’-]+\W*$ | \bwhat\ does\ (?:the\ )?[\w'’-]+\ do\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Words that tell a sentence of another language from an English one.
_FOREIGN = frozenset((
    "wer", "wen", "wem", "wie", "wo", "wann", "warum", "der", "die", "das", "dem", "den", "ein", "eine",
    "einen", "ist", "sind", "und",
    "oder", "beim", "im", "zum", "zur", "vom", "von", "fur", "fuer", "mit", "bei", "muss", "ich", "wir",
    "qui", "quel", "quelle", "est", "ou", "les", "des", "du", "une", "dans", "comment", "pour", "avec",
    "quien", "donde", "cual", "los", "las", "del", "una", "como", "con", "por", "para", "esta",
    "quem", "onde", "qual", "dos", "uma", "com", "dove", "chi", "della", "il", "che",
    "ve", "bir", "nerede", "hangi", "kim", "nedir", "ile", "icin", "waar", "het", "een", "bij",
))  # fmt: skip
_ENGLISH = frozenset("is are the who what which how where when doe do to can i my we our under".split())


class Plainness(StrEnum):
    """How much a word is a word of everyone's language, beside that it is one of a name."""

    EVERYDAY = "everyday"
    KIND = "kind"
    TOPIC = "topic"
    PLAIN = "plain"
    ENDING = "ending"
    UNUSUAL = "unusual"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text, its words, and its tokens in lower case with the places where they start and end.

    `placing` when it talks of where units sit, `shouting` when it is all in capitals, `foreign` when it is not in
    English.
    """

    text: str
    words: tuple[Word, ...]
    tokens: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    placing: bool
    shouting: bool
    foreign: bool

    def before(self, place: int, number: int) -> str:
        """The `number`-th token before a place in the text, 1 the nearest."""
        at = bisect_right(self.ends, place) - number
        return self.tokens[at] if at >= 0 else EDGE

    def after(self, place: int, number: int) -> str:
        """The `number`-th token after a place in the text, 1 the nearest."""
        at = bisect_left(self.starts, place) + number - 1
        return self.tokens[at] if at < len(self.tokens) else EDGE


def read(text: str, kinds: Set[str], kept: Set[str]) -> Sentence:
    """A text as a Sentence, with the `kept` words (see names.py). Units are also its matter when it names their
    `kinds` in the plural ("which teams ...")."""
    found = tuple(words(text, kept))
    matches = list(_TOKEN.finditer(text))
    tokens = tuple("#" if match[0].isdecimal() else match[0].lower() for match in matches)
    placing = any(word.plural and word.text in kinds for word in found) or is_placing(text)
    foreign = not _FOREIGN.isdisjoint(word.text for word in found) and _ENGLISH.isdisjoint(word.text for word in found)
    starts, ends = tuple(match.start() for match in matches), tuple(match.end() for match in matches)
    shouting = len(text) > 12 and text.isupper()
    return Sentence(text, found, tokens, starts, ends, placing=placing, shouting=shouting, foreign=foreign)


def plainness(word: str, kinds: Set[str], *, foreign: bool) -> Plainness:
    """How plain a canonical word is."""
    if word in EVERYDAY:
        return Plainness.EVERYDAY
    if word in kinds:
        return Plainness.KIND
    if word in TOPICS:
        return Plainness.TOPIC
    if word in PLAIN:
        return Plainness.PLAIN
    if not foreign and len(word) <= _LONGEST_PLAIN and _PLAIN_ENDING.search(word):
        return Plainness.ENDING
    return Plainness.UNUSUAL


def is_placing(text: str) -> bool:
    """Whether a text talks of where units sit."""
    return bool(_PLACING.search(text))
