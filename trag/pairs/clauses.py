"""A sentence -> its main clauses: subject, auxiliary, and the rest, so that a question can turn them round.

Rules written for organizations are written plainly, with a modal or a present tense. What is not, gives nothing: a
clause that is found must be right, and half of all sentences is enough. Knows nothing about questions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from trag.pairs.english import (
    AMBIGUOUS,
    BASE_OF_PARTICIPLE,
    BASE_OF_THIRD,
    BASES,
    BE,
    HAVE,
    MODALS,
    is_plural,
    is_somebody,
)

LONGEST = 60
"""Words of a sentence that is still looked into."""

_RELATIVE = frozenset("who which that whose where when if unless because while whom what how whether whatever".split())
_DETERMINERS = frozenset(
    "the a an each every no any all some this that these those its their his her your our my".split()
)
_PREPOSITIONS = frozenset(
    """about above after against among at before behind below between beyond by during for from in inside into like near
    of off on onto out outside over per since through throughout to under until upon with within without""".split()
)
_LOWERED = (
    _DETERMINERS
    | _PREPOSITIONS
    | frozenset(
        "you we they it he she i there both either neither one two three four five six seven eight nine ten".split()
    )
)
MARK = re.compile(r"^\s*(?:[-•*·–]|\(?(?:\d+(?:\.\d+)*|[a-z]|[ivx]+)[.)]|\d+(?:\.\d+)+)\s+")
"""What an item of a list or a numbered paragraph begins with."""
_MARKS = ",\"'“”"
"""What may stand around a word without being part of it."""
_PRONOUNS = frozenset("i you he she it we they there one".split())
_OBJECTS = _DETERMINERS | _PREPOSITIONS | frozenset("nothing it them him her me you so as".split())
_MOSTLY_VERBS = frozenset("need hold deal end run lead bind meet set help".split())
_SETTING = re.compile(
    r"(?:if|when|where|whenever|once|after|before|during|for|in|on|at|until|unless|within|without|under|from|"
    r"as soon as|while|upon|as from|outside|between|with|subject to|by)\b",
    re.I,
)
_NOT = re.compile(r"(?<=\w)n['’]t\b")
_AND_VERB = re.compile(r"(?:(?P<comma>,)|,? (?:and|or))(?: then| also)? (?P<word>\w+)(?: (?P<after>\w+)|$)")
_AND_AGAIN = re.compile(
    r",? (?:and|but|or) ((?:may|must|shall|can|is|are|has|have|need|do|does|will|should) (?:not )?)"
)
_TAIL = re.compile(
    r"(?:, | [-–—] )(do not|nor|never|but|and|or|which|who|whom|whose|whether|so|unless|except|"
    r"save|less|not|even|as|with|without|where|when|if|by|at|on|in|for|provided|including|such|then|although|because|since|while|of|to|one|none|all|each|until|"
    r"after|before|however|whichever|only|from|also)\b"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """ "[setting,] subject auxiliary [not] rest": "During probation | the notice | is | two weeks on either side".

    Where the sentence has no auxiliary, `verb` is the base of its verb, `auxiliary` do or does, and `rest` starts with
    the base. The first letter of `subject` is small unless it is a name. `tail` is what was cut off the rest: a second
    thought, a condition after a comma.
    """

    setting: str
    subject: str
    auxiliary: str
    negative: bool
    rest: str
    verb: str = ""
    tail: str = ""


def clauses(sentence: str, names: Collection[str], *, lead_in: bool = False) -> tuple[Clause, ...]:
    """The main clause of a sentence, and those that share its subject; none where it is not clear.

    `names` are words that are written large. A `lead_in` of a list may end in the air: "A report must name".
    """
    text = re.sub(r"\s*\([^()]*\)", "", MARK.sub("", sentence))
    text = re.split(r"[;:]\s| [–—] ", text)[0].rstrip(" .;:!*")
    text = _NOT.sub(
        " not", re.sub(r"\bcannot\b", "can not", text.replace("can't", "can not").replace("can’t", "can not"))
    )
    if (
        not 3 <= len(text.split()) <= LONGEST
        or text.endswith("?")
        or (not lead_in and text.split()[-1] in _RELATIVE | _PREPOSITIONS | {"and", "or"})
        or text.count('"') % 2
        or re.search(r"[\[\]|=<>]", text)
    ):
        return ()
    found = next((clause for clause in _readings(text, names) if clause), None) or _order(text)
    return tuple(_with_second(found)) if found else ()


def objects(clause: Clause) -> Iterator[str]:
    """What the verbs of a clause act on, where it stands right behind them: "adopts the budget" -> "the budget"."""
    words = f"{clause.rest}{clause.tail}".split()
    for at, (before, word) in enumerate(zip(["", *words], words, strict=False), start=1):
        if (word in BASES or word in BASE_OF_THIRD) and before not in _DETERMINERS:
            phrase = itertools.takewhile(lambda each: each not in _PREPOSITIONS | _RELATIVE, words[at:])
            found = " ".join(phrase).split(",")[0]
            if found and words[at] not in ("and", "or"):
                yield found


def _order(text: str) -> Clause | None:
    """What the reader is told to do, or not to do."""
    told = re.match(r"(?:please )?(?:(do not|never) )?(\w+) (?=(\w+))", text, re.I)
    if not told or told[2].lower() not in BASES | {"bring", "use"} or (told[3].lower() in BE | MODALS | HAVE):
        return None
    rest = text[told.start(2)].lower() + text[told.start(2) + 1 :]
    noun = told[2].lower() in AMBIGUOUS and told[3].lower() not in _DETERMINERS | _PREPOSITIONS
    return None if noun and not told[1] else Clause("", "I", "may" if told[1] else "should", bool(told[1]), rest)


def _readings(text: str, names: Collection[str]) -> Iterator[Clause | None]:
    """What the sentence can be read as, the likeliest first."""
    if not _SETTING.match(text):
        yield _clause("", text, names)
        return
    for comma in re.finditer(r", ", text):
        clause = _clause(text[: comma.start()], text[comma.end() :], names)
        if clause and "," not in clause.subject:
            yield clause
    if _RELATIVE.isdisjoint(re.findall(r"\w+", text.lower())):
        for inner in re.finditer(r" (?=(?:the|a|an|each|every|no|nobody|all) )", text):
            clause = _clause(text[: inner.start()], text[inner.end() :], names)
            if (
                clause
                and not set(clause.subject.lower().split()) & (_PREPOSITIONS - {"of"})
                and len(text[: inner.start()].split()) > 1
            ):
                yield clause


def _clause(setting: str, text: str, names: Collection[str]) -> Clause | None:
    words = text.split()
    at = _verb(words)
    if at is None or words[at] != words[at].strip(_MARKS):  # its clause ends with it, or a quotation begins
        return None
    subject, verb, after = " ".join(words[:at]), words[at].lower(), words[at + 1 :]
    if not _is_subject(subject):
        return None
    last = setting.rsplit(" ", 1)[-1]
    if last.lower() in _PREPOSITIONS | _DETERMINERS or last in MODALS | BE:  # "under no circumstances may"
        return None
    subject = _small(subject, names)
    setting = _small(setting, names)
    following = after[0].lower() if after else ""
    if [word.lower() for word in after[:2]] == ["not", "only"]:  # denies nothing
        return None
    if verb in ("do", "does", "need") and following == "not":
        return _made(setting, subject, verb, True, after[1:], "")
    if verb in MODALS | BE or (verb in HAVE and (following in BASE_OF_PARTICIPLE or (following == "not"))):
        negative = following == "not"
        return _made(setting, subject, verb, negative, after[negative:], "")
    base = verb if verb in BASES else BASE_OF_THIRD[verb]
    return _made(setting, subject, "do" if is_plural(subject) else "does", False, [base, *after], base)


def _made(setting: str, subject: str, auxiliary: str, negative: bool, rest: Sequence[str], verb: str) -> Clause | None:
    text = " ".join(rest)
    return Clause(setting, subject, auxiliary, negative, text, verb) if text else None


def _verb(words: Sequence[str]) -> int | None:
    """Where the main verb stands; None where none is found for sure."""
    plain = [word.strip(_MARKS).lower() for word in words]
    open_relatives = int(bool(plain) and plain[0] in ("whoever", "what", "who", "whatever"))
    for at, word in enumerate(plain):
        if at and word in _RELATIVE:
            open_relatives += 1
        elif at and _is_finite(words, plain, at, inside=bool(open_relatives)):
            if plain[at - 1] in ("and", "or", "but"):
                continue
            if not open_relatives:
                return at if not words[at - 1].endswith(",") or plain[0] in ("whoever", "what", "who") else None
            open_relatives -= 1
    return None


def _is_finite(words: Sequence[str], plain: Sequence[str], at: int, *, inside: bool) -> bool:
    """Whether the word at `at` is a verb that a sentence can stand on; `inside` a relative clause any will do."""
    word, before = plain[at], plain[at - 1]
    if words[at] == "May" or before in MODALS or before in ("to", "not"):
        return False
    if word in MODALS | BE or word in HAVE or (word in ("do", "does", "need") and plain[at + 1 : at + 2] == ["not"]):
        return True
    if inside and before in ("who", "which", "that"):
        return not (word in _DETERMINERS | _PRONOUNS | _PREPOSITIONS or word.endswith("ly") or word in ("also", "then"))
    if words[at][0].isupper() or before in _DETERMINERS | _PREPOSITIONS or before in BE or before in HAVE:
        return False
    plural = is_plural(" ".join(words[:at]))
    if inside:
        return word in BASE_OF_THIRD or (word in BASES and word not in AMBIGUOUS)
    if word in BASE_OF_THIRD and not plural:
        base = BASE_OF_THIRD[word]
    elif (
        word in BASES
        and plural
        and (
            before.endswith("s")
            or is_somebody(" ".join(words[:at]))
            or before in _PRONOUNS
            or _PREPOSITIONS & set(plain[:at])
        )
    ):
        base = word
    else:
        return False
    if base not in AMBIGUOUS:
        return True
    if (
        not plural
        and plain[0] not in _DETERMINERS | _PRONOUNS
        and base not in _MOSTLY_VERBS
        and not is_somebody(" ".join(words[:at]))
    ):
        return False
    # "reports", "plan": a noun, if another verb follows before the clause ends.
    later = ["" if word == "May" else small for word, small in zip(words[at + 1 :], plain[at + 1 :], strict=True)]
    stop = next(
        (place for place, other in enumerate(later) if other in _RELATIVE or words[at + 1 + place].endswith(",")),
        len(later),
    )
    return bool(later) and not any(
        other in MODALS | BE | HAVE | {"do", "does"} or other in BASE_OF_THIRD for other in later[:stop]
    )


def _is_subject(subject: str) -> bool:
    words = subject.split()
    first = words[0].lower()
    if (
        len(words) > 18
        or first == "please"
        or first in _PREPOSITIONS
        or first in ("and", "or", "but", "so", "then", "not", "only", "how", *_RELATIVE - {"what", "whatever"})
    ):
        return False
    if (len(words) > 1 and words[-1].lower() in _PRONOUNS | {"never"}) or "following" in words:
        return False
    if "," in subject and not re.search(r", .*\b(?:and|or)\b", subject):
        return False
    return not re.search(r"[;:?!]|\d\.$", subject) and subject.count("“") == subject.count("”")


def _small(text: str, names: Collection[str]) -> str:
    """`text` as it stands within a sentence."""
    words = text.split()
    if not words:
        return ""
    first = words[0].strip(_MARKS)
    large = (
        first in names
        or any(letter.isupper() for letter in first[1:])
        or any(c.isdigit() for c in first)
        or first == "I"
    )
    if first.lower() in _LOWERED or not (large or (len(words) > 1 and words[1][0].isupper())):
        return text[0].lower() + text[1:]
    return text


def _with_second(clause: Clause) -> Iterator[Clause]:
    """The clause without what trails after it, and the one that a second auxiliary makes with the same subject."""
    again = _AND_AGAIN.search(clause.rest)
    rest = clause.rest[: again.start()] if again else clause.rest
    second = next((match for match in _AND_VERB.finditer(rest) if _is_second(match, clause)), None)
    rest = rest[: second.start()] if second else rest
    rest = rest.removeprefix("also ")
    kept = re.sub(r"(?:,| or| and)+$", "", _without_tail(rest).rstrip(" ,"))
    verb_alone = len(kept.split()) == 1 and len(clause.rest.split()) > 1 and clause.auxiliary not in BE
    if kept and not verb_alone:
        yield replace(clause, rest=kept, tail=clause.rest.removeprefix("also ")[len(kept) :])
    if again and _RELATIVE.isdisjoint(re.findall(r"\w+", rest.lower())):
        auxiliary, *negative = again[1].split()
        after = _without_tail(clause.rest[again.end() :]).rstrip(" ,")
        plain = auxiliary not in HAVE and after and not _AND_AGAIN.search(after)
        if plain and (auxiliary not in ("need", "do", "does") or negative):
            yield replace(clause, auxiliary=auxiliary, negative=bool(negative), rest=after, verb="")


def _without_tail(rest: str) -> str:
    """`rest` up to the comma that begins a second thought; the ", or" before the last thing of a list begins none."""
    for match in _TAIL.finditer(rest):
        last_of_list = match[1] in ("and", "or") and "," in rest[: match.start()]
        if not last_of_list:
            return rest[: match.start()]
    return rest


def _is_second(match: re.Match[str], clause: Clause) -> bool:
    """Whether a word after "and" is a verb, not one more thing: "and ends on", ", may stop", not "and reports"."""
    word, after = match["word"], match["after"] or ""
    plural = bool(clause.verb) and clause.auxiliary == "do"
    base = BASE_OF_THIRD.get(word, word if plural and word in BASES else "")
    if match["comma"] and not plural and clause.verb and (base or word in MODALS):
        return True
    return bool(base) and ((base not in AMBIGUOUS and not plural) or after in _OBJECTS or after.isdigit())
