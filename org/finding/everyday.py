"""Whether a word in a sentence is a unit's name or only a word: "IT" or "it", "Procurement" or "procurement rules".

Knows how people type; knows nothing about charts.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from org.finding import speech
from org.finding.names import BODIES, OFFICES, Word, is_acronym, is_foreign, words

# In lower case these are no acronym and no name.
EVERYDAY = frozenset(Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").split())
# Plain English nouns and verbs: a unit in lower case only where units are spoken of.
PLAIN = frozenset(Path(__file__).with_name("plain.txt").read_text(encoding="utf-8").split())
_LONGEST_PLAIN = 15  # letters: longer ones are German compounds
_PLAIN_ENDING = re.compile(
    r"\w{3}(?:ing|tion|ment|ance|ence|ity|ics?|ology|ness|ship|er|or|ist|ism|ion|al|ive|able|ure|age)$"
)

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
    | ^\W*(?:is|are)\ (?:the\ )?[\w'’-]+\ (?:in|under|part)\b
    | ^\W*(?:is|are)\ (?:the\ )?[\w'’-]+\ an?\ (?:\w+\ )?(?:{"|".join(sorted(OFFICES | BODIES))})\b
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
_WORDLIKE = re.compile(r"[^\W\d]*[^\W\dbcdfghjklmnpqrstvwxz][^\W\d]*")
_BEING = frozenset((
    "am", "are", "at", "be", "can", "could", "in", "is", "may", "must", "on", "should", "was", "were", "will", "would",
))  # fmt: skip
_PRONOUNS = frozenset(
    ("people", "all", "any", "he", "it", "me", "one", "she", "some", "that", "they", "this", "us", "we", "who")
)
_PLACED = frozenset(("above", "are", "below", "beneath", "do", "does", "inside", "is", "under", "underneath", "within"))
_VERBS = frozenset(("answer", "belong", "come", "consist", "contain", "fall", "include", "oversee", "report", "sit"))
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
_WHAT_IS = re.compile(r"\bwhat(?:['’]?s|\ is)\s+an?\s+$", re.IGNORECASE)
_OF_A_KIND = frozenset(("all", "are", "many", "other", "some", "these", "which"))
_FORENAME = re.compile(r"\b(?:who(?:['’]?s| is)|is|mr|ms|mrs|dr|and)\s+[A-Z][a-z]+\s$")
_STREETS = frozenset(("avenue", "road", "square", "street"))
_LIST_MARKS = " \t\"'“‘(-*•"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text and its words; `placing` when it talks of where units sit, `shouting` when it is all in capitals,
    `foreign` when it is not in English."""

    text: str
    words: tuple[Word, ...]
    placing: bool
    shouting: bool
    foreign: bool


def read(text: str, kinds: Set[str], kept: Set[str]) -> Sentence:
    """A text as a Sentence, with the `kept` words (see names.py). Units are also its matter when it names their
    `kinds` in the plural ("which teams ...")."""
    found = tuple(words(text, kept))
    placing = any(word.plural and word.text in kinds for word in found) or is_placing(text)
    foreign = any(word.text in _FOREIGN for word in found) and not any(word.text in _ENGLISH for word in found)
    return Sentence(text, found, placing, shouting=len(text) > 12 and text.isupper(), foreign=foreign)


def is_plain(word: str, *, foreign: bool) -> bool:
    """Whether a canonical word is plain English, and so hardly ever a unit's name by itself."""
    if word in EVERYDAY or word in PLAIN or word in speech.TOPICS:
        return True
    return not foreign and len(word) <= _LONGEST_PLAIN and bool(_PLAIN_ENDING.search(word))


def is_name(
    sentence: Sentence, first: int, written: str, *, kinds: Set[str], is_given: bool, is_nickname: bool
) -> bool:
    """Whether the single word at `first` is typed as the name `written`.

    `is_given` tells a name that the chart gives from one that we derived, which needs better grounds; a nickname is
    one that shares no word with the unit's own name, and so is no topic.
    """
    text, word = sentence.text, sentence.words[first]
    typed = text[word.start : word.end]
    start, end = _whole(text, word, written)
    everyday, kind = word.text in EVERYDAY, word.text in kinds
    before, after = speech.neighbours(text, start, end)
    if is_acronym(written):
        if (typed.startswith(written) or typed.isupper()) and not sentence.shouting:
            return True
        if everyday:
            return word.text not in _PRONOUNS and before == "does" and after in _VERBS
        if word.text in PLAIN or word.text in speech.TOPICS:
            return sentence.placing and all(speech.ends(text, start, end))
        return is_given or len(written) > 3
    if typed.lower() == typed.upper() or (is_given and not _WORDLIKE.fullmatch(word.text)):
        return True  # a script without capitals, or no plain word, as "k8s"
    if _is_plural(written) != word.plural:
        return False  # "Herons" is a name, "heron" is a bird, and so the other way round
    capital = typed[0].isupper() and not sentence.shouting
    if len(sentence.words) == 1:
        return capital or not everyday
    has_article = before == "the"
    needs_article = written[:4].lower() == "the "
    if (
        is_given
        and not needs_article
        and not kind
        and not is_plain(word.text, foreign=sentence.foreign or is_foreign(written))
    ):
        return not speech.is_one(before) or (sentence.foreign and before == "a")  # "the hochofen", but "an otter"
    if needs_article and not has_article:
        return False
    is_open = speech.ends(text, start, end)
    if has_article and is_open[1] and (word.text in BODIES or (is_given and (kind or needs_article))):
        return True  # "the board", when there is but one
    someone = speech.is_someone(text, start, end)
    if not is_given and not sentence.placing and not someone:
        return False
    alone = sentence.placing and all(is_open)
    at_start = not text[:start].strip(_LIST_MARKS)
    if everyday or kind:
        named = capital or before in _PLACED or (has_article and (kind or needs_article)) or written.islower()
        return (capital and not at_start) or (named and alone) or (someone and word.text not in _PRONOUNS)
    if capital and not at_start and _FORENAME.search(text, max(0, start - 20), start):
        return False  # "who is Sara Parks"
    if capital or alone or someone:
        return True
    if is_nickname and word.plural and (at_start or has_article) and after not in _BEING:
        return True  # "the plumbers" of a team, but not "are plumbers"
    return speech.is_somewhere(text, start, end)


def _is_plural(written: str) -> bool:
    return any(word.plural for word in words(written)[-1:])


def _whole(text: str, word: Word, written: str) -> tuple[int, int]:
    """Where the name stands, with what in it is no word of its own: "On Call". A "the" before it is left to others."""
    written = written.lower().removeprefix("the ")
    first = max(0, word.start - len(written))
    start = first + text[first : word.end + len(written)].lower().find(written)
    end = start + len(written)
    return (start, end) if first <= start <= word.start and word.end <= end else (word.start, word.end)


def is_address(sentence: Sentence, first: int) -> bool:
    """Whether the word at `first` is where a house stands: "northgate street"."""
    following = sentence.words[first + 1 : first + 2]
    return bool(following) and following[0].text in _STREETS


def is_core(sentence: Sentence, first: int, last: int) -> bool:
    """Whether the words, a name without its kind, are typed as the name: not part of something longer, and not what
    something is about."""
    start, end = sentence.words[first].start, sentence.words[last - 1].end
    text = sentence.text
    is_open = all(speech.ends(text, start, end))
    if (is_open and sentence.placing) or speech.is_someone(text, start, end):
        return True
    if last - first > 1:
        if not text[:start].strip(_LIST_MARKS) and speech.TOPICS.isdisjoint(text[start:end].lower().split()):
            return True  # "baggage systems night number", but "data protection rules"
        return (is_open and not speech.is_matter(text, start, end)) or text[start:end].isupper()
    return speech.is_somewhere(text, start, end)


def is_category(sentence: Sentence, first: int, last: int, written: str) -> bool:
    """Whether a name that ends in a kind of unit, in the plural here alone, means all such units: "which audit
    committees". Before a noun it is a possessive without its apostrophe: "the finance divisions budget"."""
    start, end = sentence.words[first].start, sentence.words[last - 1].end
    before, after = speech.neighbours(sentence.text, start, end)
    if not sentence.words[last - 1].plural or _is_plural(written):
        return False
    return before in _OF_A_KIND or not after or after in speech.COMMON


def is_defined(sentence: Sentence, first: int) -> bool:
    """Whether it is asked what a thing is: "what is a field office"."""
    start = sentence.words[first].start
    return bool(_WHAT_IS.search(sentence.text, max(0, start - 16), start))


def is_placing(text: str) -> bool:
    """Whether a text talks of where units sit."""
    return bool(_PLACING.search(text))
