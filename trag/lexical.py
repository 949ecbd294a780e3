"""What lexical comparison sees of a text: its sentences, its content words as stems, its numbers."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from store.language import ENGLISH, stemmer

# Words that say nothing about what a sentence is about. Negations are kept: they turn a sentence round.
_STOPWORDS = frozenset(
    """a about above after again all also am an and any are as at be been being below between both but by can could did
    do does doing down during each either for from further get gets had has have having he her here hers him his how
    i if in into is it its itself just let many may me might more most much must my of off on once one only or other
    our out over own per please same shall she should so some such tell than that the their them then there these
    they this those through to too under until up us very was we were what when where which while who whom whose why
    will with would you your according based context document documents following s t ll re ve d
    """.split()
)
_NEGATIONS = frozenset({"not", "no", "never", "nor", "neither", "none", "without", "cannot", "except"})

_UNITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
""".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: value for value, word in enumerate(_UNITS)} | {word: 10 * value for value, word in enumerate(_TENS, 2)}
_SCALES = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}
_TENS_UNIT = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_UNITS[1:10])})\b")
# "30,000", "1,50,000", "12 000", also right behind the letters of a currency; without such groups letters make a code
# ("C1"), but for an abbreviation ("Rs.500") and in scripts that put no spaces between words (Thai to Burmese, Khmer,
# kana, Han).
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_FIGURE = re.compile(
    r"((?<!\d)(?<!\d[,.])\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)"
    rf"|(?:(?<!\w)|(?<=[{_UNSPACED}]))"
    r"(?:(?<!\.)|(?<=[^\W\d_]\.))(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+))"
    r"(\.\d+)?(?:\s?(k|m|thousand|million)\b)?"
)
_MARK = re.compile(r"(?<=\d)[.,](?=\d)")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# A full stop ends a sentence when it does not follow an initial or one of these, and the next word does not start
# small. Titles are such words only in capitals.
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|no|nos|art|sec|para|dr|mr|mrs|ms|prof|st|approx|incl|dept)|\b[A-Z]|"
    r"(?-i:\b(?:Adm|Adv|Capt|Cdr|Cmdr|Col|Cpl|Fr|Gen|Gov|Hon|Lt|Maj|Messrs|Mme|Mlle|Rev|Sen|Sgt|Supt)))\.$",
    re.I,
)
# Before a figure any short word in capitals is one: "Rs. 500", "Nr. 3".
_BEFORE_FIGURE = re.compile(r"\b(?:(?!Yes|May)[A-Z][^\W\d_A-Z]{1,2}|ext|fig|kr|pp?|rs|tel|vol)\.$")
_BREAK = re.compile(r"(?<=[.!?؟。])[\"'”’)\]]*\s+(?=[^\sa-z])|\n+\s*(?:[-*•·–]\s+)?")


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order, list items as sentences of their own, none empty."""
    found: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        piece = text[start : match.start()].strip()
        if "\n" not in match.group() and (
            _ABBREVIATION.search(piece)
            or re.fullmatch(r"\W*\d+[.)]", piece)
            or (text[match.end()].isdigit() and _BEFORE_FIGURE.search(piece))
        ):
            continue
        if piece:
            found.append(piece)
        start = match.end()
    last = text[start:].strip()
    return (*found, last) if last else tuple(found)


def stems(text: str, language: str = ENGLISH) -> frozenset[str]:
    """The content words of `text`, lower case, without accents, as stems of a language; figures are left to
    `numbers`."""
    return frozenset(stem(word, language) for word in words(text) if word not in _STOPWORDS and word not in _NEGATIONS)


def words(text: str) -> list[str]:
    """Every word of `text` in order, lower case and without accents, possessive endings cut; figures left out."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    found = (re.sub(r"['’]s?$", "", word) for word in _WORD.findall(plain))
    return [word for word in found if word and not any(c.isdigit() for c in word) and word not in _VALUES]


def negated(text: str) -> bool:
    """Whether the sentence denies something."""
    lower = text.lower()
    return bool(_NEGATIONS & set(re.findall(r"[a-z]+", lower))) or "n't" in lower or "n’t" in lower


def numbers(text: str, language: str = ENGLISH) -> frozenset[float]:
    """The numbers in `text`, written as figures ("30,000", "40k") or as words up to ninety-nine ("twenty-one"). In a
    language that writes "30.000,50" points and commas are read so."""
    lower = text.lower()
    if has_decimal_comma(language):
        lower = _MARK.sub(lambda mark: "." if mark[0] == "," else ",", lower)
    found: set[float] = set()
    for match in _FIGURE.finditer(lower):
        value = float(re.sub(r"[ ,\u00a0\u202f]", "", match[1]) + (match[2] or ""))
        found.add(value * _SCALES.get(match[3] or "", 1))
    for match in _TENS_UNIT.finditer(lower):
        found.add(_VALUES[match[1]] + _VALUES[match[2]])
    lower = _TENS_UNIT.sub(" ", lower)
    # "one" is a pronoun far more often than a number.
    found |= {float(_VALUES[word]) for word in re.findall(r"[a-z]+", lower) if word in _VALUES and word != "one"}
    return frozenset(found)


@cache
def has_decimal_comma(language: str) -> bool:
    """Whether figures have a comma before their decimals in a language, by its ISO 639-1 code."""
    if language == ENGLISH:
        return False
    from babel import Locale, UnknownLocaleError

    try:
        return bool(Locale(language).number_symbols["latn"]["decimal"] == ",")
    except (UnknownLocaleError, ValueError):
        return False


def stem(word: str, language: str = ENGLISH) -> str:
    """The stem of one word."""
    return str(_stemmer(language).stemWord(word))


_stemmer = cache(stemmer)
