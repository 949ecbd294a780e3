"""A clause -> the questions that it answers, in the words in which people ask them.

The answer is always the sentence that the clause was read from. Knows nothing about sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trag.pairs.amounts import DATE, MODIFIER, MONTH, NUMBER, PERIOD, SPAN, UNIT, about_amounts, about_time
from trag.pairs.asked import LEANING, RELATIVE, Asked, stands, turned
from trag.pairs.clauses import Clause
from trag.pairs.english import BE, is_plural, is_somebody
from trag.pairs.people import CONSENT, about_members, about_others, about_somebody, about_what_it_is

_NOT_MORE = re.compile(r"(?:no|not) more than \w+ (.+)$")
_NO_SUBJECT = re.compile(
    r"there$|what |one that |(?:all |any |every )?other |(?:its|their|his|her) |"
    r"(?:one|ones|others?|another|some|both|neither|either|none)$|hardly |(?:nobody|no one) else\b|"
    rf"(?!(?:no|not) more than){MODIFIER} ",
    re.I,
)
_COUNTED_SUBJECT = re.compile(rf"(?:{MODIFIER} )?{NUMBER} (?!{UNIT}\b)(\w+s\b.*|people\b.*)$")
_AND_NUMBER = re.compile(rf" and {NUMBER}\b")
_HAS_NUMBER = re.compile(rf"have (?:{MODIFIER} )?{NUMBER}")
_PLACED = re.compile(
    r"(?:be )?(held|kept|worn|stored|published|shown|put up|displayed|registered|located|filed|posted|recorded|"
    r"archived|entered|parked|announced) (?:in|at|on|under) (?P<place>.+)$"
)
_NO_PLACE = re.compile(
    rf"(?:each|every) (?:{PERIOD}|{MONTH})\b|line\b|file\b|writing\b|time\b|\d|the first (?!floor)|{DATE}|{SPAN}"
)
_REFERENCE = re.compile(r"\b(?:section|article|rule|chapter|clause|annex|part|paragraph) \d", re.I)
_CONSENT_OF_ANOTHER = re.compile(r"\bwith(?:out)? (?:its|their) (?:\w+ )?(?:agreement|consent|approval|permission)\b")
_AT_A_PLACE = re.compile(rf"(?:in|at) (?!{MONTH})(?:the )?[A-Z][a-z]+\b")
_RESERVE = r"(?:only|if|unless|except|until|provided|when|where|with the)"
_HEDGED = re.compile(rf"\b(?:{_RESERVE}|alone)\b")
_FROM_RESERVE = re.compile(rf" {_RESERVE}\b")
_SEEN = re.compile(r"be (?:found|seen|expressed|described|considered|understood|viewed|regarded)\b|have (?:had|been)\b")
# What denies, and the word in its place in a question that "No" answers.
_DENYING_ADVERBS = (
    (r"never|hardly|(?:under|in|at|on|by) no (?:circumstances?|conditions?|case|time|account|event|means)", "ever"),
    (r"no longer(?! than)", "still"),
    (r"neither", "either"),
)
_DENYING_NOUNS = ((r"nobody|no one", "anyone"), (r"nothing", "anything"), (r"none|no", "any"), (r"neither", "either"))
_DENIED_OBJECT = re.compile(
    r"(?P<verb>(?:(?!(?:and|or|but)\b)\w+ ){1,4}?)"
    r"(?P<object>(?:nobody|nothing|none|neither|no time|(?:(?<=deal with )|(?<!with )(?<!for )(?<!at ))no"
    r"(?! (?:more|less|fewer|later|earlier|sooner|longer|older|younger|higher|lower|larger|smaller|better|worse)\b))"
    r"\b.*)$"
)
"""Not in "park at no cost" and "carry no more than two": these are allowed."""
# "You may see your record" is asked as "can I see my record".
_BY_READER = tuple(
    (re.compile(pattern, re.I), said)
    for pattern, said in (
        (r"\byourself\b", "myself"),
        (r"\byours\b", "mine"),
        (r"\byour\b", "my"),
        (r"\byou are\b", "I am"),
        (
            r"(?:^|(?<=\bif )|(?<=\bwhen )|(?<=\bthat )|(?<=\bwhat )|(?<=\bwhich )|(?<=\bwhere )|(?<=\buntil )|"
            r"(?<=\bunless )|(?<=\bbefore )|(?<=\bafter )|(?<=\bas )|(?<=\bhow )|(?<=\band )|(?<=\bor )|"
            r"(?<=\bwhether ))you\b",
            "I",
        ),
        (r"\byou\b", "me"),
    )
)


def questions(clause: Clause) -> tuple[Asked, ...]:
    """The questions that the sentence of `clause` answers, the plainest first; none that does not stand by itself."""
    refers = clause.verb == "apply" and _REFERENCE.search(clause.subject)
    if refers or LEANING.search(clause.subject) or _NO_SUBJECT.match(clause.subject):
        return ()
    found: dict[str, Asked] = {}
    for asked in _questions(_by_reader(clause)):
        question = re.sub(r"\s+", " ", asked.question).strip(" ,")
        if stands(question) and not _means_another(clause, question):
            found.setdefault(question, replace(asked, question=f"{question[0].upper()}{question[1:]}?"))
    return tuple(found.values())


def _questions(clause: Clause) -> Iterator[Asked]:
    subject = clause.subject
    if re.match(r"(?:if|when|where|whenever) ", clause.setting):
        yield Asked(f"what happens {clause.setting}")
    if limit := _NOT_MORE.match(subject):
        yield Asked(f"how many {limit[1]} {clause.auxiliary} {clause.rest} {clause.setting}")
        return
    if whom := _affirmed(subject, _DENYING_NOUNS):
        yield from _about_nobody(clause, whom)
        return
    if number := _COUNTED_SUBJECT.match(subject):
        if not clause.negative and clause.auxiliary in BE and not _AND_NUMBER.search(clause.rest):
            yield Asked(f"how many {number[1]} {clause.auxiliary} {clause.rest} {clause.setting}")
    elif not clause.negative:
        yield from about_time(clause)
        yield from about_amounts(clause)
        yield from about_others(clause)
        yield from _about_place(clause)
        yield from about_members(clause)
        yield from about_what_it_is(clause)
    yield from about_somebody(clause)
    yield from _yes_or_no(clause)


def _means_another(clause: Clause, question: str) -> bool:
    """Whether "its" or "their" in a question means somebody who is not in it."""
    if is_plural(clause.subject):
        other = re.search(r"\bits\b", question) is not None
    else:
        other = re.search(r"\btheir\b(?! own)", question) is not None and not is_somebody(clause.subject)
    return other or _CONSENT_OF_ANOTHER.search(question) is not None


def _about_nobody(clause: Clause, whom: str) -> Iterator[Asked]:
    """ "No device comes into use" is asked as "can any device come into use"."""
    if (
        clause.negative
        or re.match(r"(?:have|be) no\b", clause.rest)
        or re.match(r"any (?:part|more|less|fewer)\b", whom)
    ):
        return
    auxiliary = "can" if clause.auxiliary in ("do", "does") else clause.auxiliary
    yield Asked(f"{auxiliary} {whom} {clause.rest} {clause.setting}", "yes no", "No")


def _affirmed(text: str, denials: Sequence[tuple[str, str]]) -> str:
    """`text` without the denial that it begins with: "no device" is "any device"; "" where it begins with none."""
    for denial, said in denials:
        if match := re.match(rf"(?:{denial})\b", text):
            after = text[match.end() :]
            return said + (re.sub(r"\bnor\b", "or", after) if said == "either" else after)
    return ""


def _about_place(clause: Clause) -> Iterator[Asked]:
    be = "be" if clause.rest.startswith("be ") else ""
    if (clause.auxiliary in BE or be) and (placed := _PLACED.match(clause.rest)):
        if _NO_PLACE.match(placed["place"]):
            return
        yield turned("where", clause, f"{be} {placed[1]}")
    elif clause.auxiliary in BE and _AT_A_PLACE.match(clause.rest):
        yield turned("where", clause, "")


def _yes_or_no(clause: Clause) -> Iterator[Asked]:
    auxiliary, subject, rest = clause.auxiliary, clause.subject, clause.rest
    do = "do" if is_plural(subject) or subject == "I" else "does"
    if _SEEN.match(rest):
        return
    if denied := _denied(clause):
        asked = clause if auxiliary in BE else replace(clause, auxiliary="can")
        yield turned("", asked, denied, "yes no", "No")
    elif auxiliary in ("may", "can"):
        yield from _may(clause)
    elif auxiliary in ("must", "shall") and clause.negative:
        yield turned("", replace(clause, auxiliary="can"), rest, "yes no", "No")
    elif auxiliary in ("must", "shall") and not rest.startswith("only "):
        yield turned("", replace(clause, auxiliary=do), f"have to {rest}", "yes no", "Yes")
    elif auxiliary == "need":
        yield turned("", replace(clause, auxiliary=do), f"need to {rest}", "yes no", "No")
    elif clause.negative and auxiliary in (*BE, "do", "does"):
        may = subject == "I" and not rest.startswith(("have to", "need"))
        yield turned("", replace(clause, auxiliary="can") if may else clause, rest, "yes no", "No")
    elif rest.startswith("need no "):
        yield turned("", clause, f"need {rest.removeprefix('need no ')}", "yes no", "No")
    elif clause.verb == "need" and not CONSENT.match(rest):
        yield turned("what", clause, "need")


def _denied(clause: Clause) -> str:
    """The rest of a clause without its denial: "never be lent" is "ever be lent"; "" where it denies nothing."""
    if clause.negative or clause.auxiliary not in ("may", "can", "must", "shall", *BE):
        return ""
    denied = _affirmed(clause.rest, _DENYING_ADVERBS)
    if denied or clause.auxiliary in BE:
        return denied
    told = _DENIED_OBJECT.match(clause.rest)
    nothing = _affirmed(told["object"], _DENYING_NOUNS) if told and not RELATIVE.search(told["verb"]) else ""
    return f"{told['verb']}{nothing}" if told and nothing else ""


def _may(clause: Clause) -> Iterator[Asked]:
    """What is allowed, or not. The answer says "Yes" only where it is allowed without reserve."""
    asked = replace(clause, auxiliary="can")
    if _HAS_NUMBER.match(clause.rest) or len(clause.subject.split()) > 8:
        return
    if clause.negative:
        yield turned("", asked, clause.rest, "yes no", "No")
    elif not _HEDGED.search(f"{clause.rest} {clause.setting} {clause.subject} {clause.tail}"):
        yield turned("", asked, clause.rest, "yes no", "Yes")
    else:
        plain = _FROM_RESERVE.split(clause.rest.removeprefix("only "))[0]
        if not RELATIVE.search(plain) and len(plain.split()) > 1:
            yield turned("", asked, plain, "yes no")


def _by_reader(clause: Clause) -> Clause:
    """The clause as the reader says it."""

    def said(text: str) -> str:
        for pattern, word in _BY_READER:
            text = pattern.sub(word, text)
        return text

    auxiliary = "am" if clause.auxiliary == "are" and clause.subject.lower() == "you" else clause.auxiliary
    return replace(
        clause, setting=said(clause.setting), subject=said(clause.subject), auxiliary=auxiliary, rest=said(clause.rest)
    )
