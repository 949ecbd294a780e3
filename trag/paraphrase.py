"""The signature of a question: what two wordings must have in common to ask the same.

question, the units it names -> kinds of thing asked for, numbers, words that count

Made for certainty: of two wordings that ask the same it often says that they may not, and hardly ever that two
questions are one. So every word counts but the everyday ones, and each as it stands: "we charge" is not "we are
charged", "who may" not "who must". English. Knows nothing about vectors or answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from org.linking.entities import Mention
from trag.words import numbers

# Other words for the same, and words that people put around a question; read in this order.
_WORDINGS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"[\u2018\u2019\u02bc]", "'"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(who|what|where|when|how|why|which)(?:'s|s)\b", r"\1 is"),
        (r"'(?:s|d|m|ll|re|ve)\b", " "),
        (r"\b(?:can|could|would|will) (?:you|u|someone|somebody) (?:please |pls )?(?:tell|show) (?:me|us)\b", " "),
        (r"\b(?:please|pls|plz|thanks|thank you|hello|hi|tell (?:me|us)|(?:do you|does anyone) know)\b", " "),
        (r"\bi(?: would)? (?:want|like|love) to know\b|\bi was wondering\b", " "),
        (r"\b(?:have|has|had|need|needs|needed) to\b|\bshould\b|\bshall\b", " must "),
        (r"\b(?:(?:is|are|am|be) )?(?:allowed|permitted) to\b|\bmay\b|\bmight\b|\bcould\b", " can "),
        (r"\b(how|where)(?: (?:i|we|one))? can\b|\b(how|where) to\b", r"\1\2"),
        (r"\bmaximum\b|\bmax\b|\bat most\b|\b(?:big|large|high|long)g?est\b", " most "),
        (r"\bminimum\b|\bmin\b|\bat least\b|\b(?:small|low|short)est\b", " least "),
        (r"\b(how long .*) last\W*$", r"\1"),
        (r"\btill\b", "until"),
        (r"\b(?:ok|okay)\b", "approve"),
        (r"\bdeals? with\b|\b(?:(?:is|are) )?responsible for\b", " handle "),
        (r"\bwhat (?:(?:do|does|must) )+(?:i|we|one) (?:must )?do to\b", "how"),
    )
)
# What a question asks for; of two that fit in one place the first.
_KINDS = (
    ("how often", r"how (?:often|frequently|many times)"),
    ("how early", r"how (?:early|far (?:ahead|in advance))"),
    ("how late", r"how late"),
    ("how long", r"(?:for )?how (?:long|soon|quick(?:ly)?)|(?:the )?(?:length|duration) of"),
    ("how long", r"(?:for|within) how many (?:minutes|hours|days|weeks|months|years)"),
    ("how many", r"how many|(?:the )?number of"),
    ("how much", r"how much(?: (?:is|are))?|(?:the )?(?:amount|price|cost|fee)s? (?:of|for|to)|costs?"),
    ("when", r"(?:by )?when|(?:by |on |at )?(?:what|which) (?:time|date|day)|(?:the )?(?:deadline|closing date)"),
    ("where", r"where(?:abouts)?"),
    (
        "whom",
        r"whom? (?:do|does|did)|whom?(?= (?:can|must|will|would) (?:i|we|one)\b)|(?:to|by|with|for|from) whom",
    ),
    ("who", r"who|whom|whose|(?:which|what) (?:person|people)"),
    ("why", r"why|how come"),
    ("how", r"how"),
    ("whether", r"(?:(?<=[.?!,;:] )|^)(?:is|are|do|does|did|was|were|will|would|has|have|(?=(?:can|must)\b))"),
)
_KIND = re.compile("|".join(rf"(?P<k{place}>\b(?:{words})\b)" for place, (_, words) in enumerate(_KINDS)))
_EVERYDAY = frozenset(
    """a an the this that these those there here it its of in on at as and so if is are am be being do
    does what which i me my mine we us our ours have has get gets some any one will would""".split()
)
# A word that is everyday by chance: the department IT, grade A, Senate I.
_LABEL = re.compile(
    r"\b(?:[A-Z]{2,}|(?<=\w )A)\b|"
    r"(?<=\b(?:part|type|tier|band|form|ward|wing|zone|plan) )[aiAI]\b|"
    r"(?<=\b(?:class|grade|group|level|block|stage) )[aiAI]\b|"
    r"\b[aAI](?=\W*$)"
)
_LOOSE = frozenset({"off", "out", "down", "up", "away", "back", "can", "must"})
_OF = re.compile("([^\\W_]+) of (?:(?:the|a|an|my|our|this) )?(\ue000.*?\ue001|[^\\W_]+)")
_WORD = re.compile("\ue000.*?\ue001|[^\\W_]+[+#]*")


@dataclass(frozen=True, slots=True)
class QuestionSignature:
    """What a question asks for, its numbers, and its words in their order, but for those that move about: "turn the
    water off", "is he allowed to". A unit stands as its id, whatever it is called."""

    kinds: frozenset[str]
    numbers: frozenset[float]
    words: tuple[str, ...]
    loose: tuple[str, ...]


def signature(question: str, mentions: Sequence[Mention] = ()) -> QuestionSignature:
    """The signature of a question, in which `mentions` are the units that it names.

    >>> safe = signature("How do I open the safe?")
    >>> safe == signature("how can I open a safe") != signature("How do I close the safe?")
    True
    """
    text, units = question, [mention.units for mention in mentions]
    for place, mention in reversed(tuple(enumerate(mentions))):
        text = f"{text[: mention.start]}\ue000{place}\ue001{text[mention.end :]}"
    shouted = text.isupper()
    text = _LABEL.sub(lambda label: label[0] if shouted or label[0].lower() not in _EVERYDAY else f"{label[0]}+", text)
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    for pattern, instead in _WORDINGS:
        plain = " ".join(pattern.sub(instead, plain).split())
    kinds = frozenset(_KINDS[int(each.lastgroup[1:])][0] for each in _KIND.finditer(plain) if each.lastgroup)
    found = [
        "/".join(sorted(units[int(word[1:-1])])) if word[0] == "\ue000" else _singular(word)
        for word in _WORD.findall(_OF.sub(r"\2 \1", _KIND.sub(" ", plain)))
        if word not in _EVERYDAY and (word[0] == "\ue000" or not numbers(word))
    ]
    return QuestionSignature(
        kinds,
        numbers(re.sub("\ue000.*?\ue001", " ", plain)),
        tuple(word for word in found if word not in _LOOSE),
        tuple(sorted(word for word in found if word in _LOOSE)),
    )


def _singular(word: str) -> str:
    """A word without the s of a plural, or of a verb."""
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
