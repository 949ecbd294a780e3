"""A clause -> the questions about who: who does it, whom it goes to, whose consent it needs, who the members are.

Knows nothing about the other questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trag.pairs.amounts import MODIFIER, NUMBER
from trag.pairs.asked import Asked, turned
from trag.pairs.clauses import Clause
from trag.pairs.english import BASE_OF_PARTICIPLE, BE, is_body, is_plural, is_somebody, third

_BY = re.compile(r"(be )?(\w+) by (?:the |a |an |its |two |three )?(.+)$")
_TO = re.compile(
    r"(?:be )?(?:also )?(sent|reported|handed in|handed back|handed|taken|addressed|submitted|copied|given|passed|"
    r"referred|made|returned|forwarded) (?:[\w ]{1,30} )?to (?P<to>.+)$"
)
_GOES_TO = re.compile(r"(?P<verb>go|report|apply|belong|answer) to (?P<to>.+)$")
CONSENT = re.compile(
    r"need (?:the )?(?:prior |written |express )*(consent|approval|permission|signature|agreement|vote) of (?:the )?.+$"
)
_NUMBERED = re.compile(rf"(?:{MODIFIER} )?(?:{NUMBER}|half)\b")
_ENDS = re.compile(r",| (?:within|by|in|at|on|for|before|after|and|or)\b")
_TELLING = re.compile(
    r"(?:responsible for|in charge of|told|asked|informed|entitled|eligible|allowed|permitted|required|exempt|paid)\b"
)
# What would ask too little ("who meets?") or with a pronoun for the one that is asked for.
_NOT_ASKED = re.compile(
    r"^(?:\w+ )?have\b|^be (?:an?|the|\w+s)\b|\b(?:their|its|his or her|his|her)\b|^meet\b|"
    r"^\w+ (?:once|twice|every|each|within|until|daily|monthly|weekly|yearly|no)\b"
)


def about_others(clause: Clause) -> Iterator[Asked]:
    """By whom it is done, to whom it goes, whose consent it needs."""
    subject, rest = clause.subject, clause.rest
    be = "be" if rest.startswith("be ") else ""
    passive = clause.auxiliary in BE or be
    if passive and (by := _BY.match(rest)) and by[2] in BASE_OF_PARTICIPLE and somebody_first(by[3]):
        base = BASE_OF_PARTICIPLE[by[2]]
        yield Asked(f"who {f'{clause.auxiliary} {base}' if be else third(base)} {subject} {clause.setting}")
    if passive and (to := _TO.match(rest)) and somebody_first(to["to"]):
        yield turned("who", clause, f"{be} {to[1]} to")
    if clause.verb and (to := _GOES_TO.match(rest)) and somebody_first(to["to"]):
        yield turned("who", clause, f"{to['verb']} to")
    if consent := CONSENT.match(rest):
        yield turned(f"whose {consent[1]}", clause, "need")
        if not clause.setting:
            yield Asked(f"do I need anybody's {consent[1]} for {subject}", "yes no", "Yes")


def about_members(clause: Clause) -> Iterator[Asked]:
    """What something is made of; of a body, who its members are."""
    made = re.match(r"(comprise|consist of|include|contain|cover|made up of|composed of)\b", clause.rest)
    if made:
        yield turned("what", clause, made[1], "list")
        if is_body(clause.subject) and made[1] not in ("include", "contain", "cover"):
            yield Asked(f"who are the members of {clause.subject}", "list")


def about_somebody(clause: Clause) -> Iterator[Asked]:
    """Who does it, who may, who has to; what somebody answers for."""
    subject, rest = clause.subject, clause.rest
    if not is_somebody(subject) or subject == "I" or _NUMBERED.match(subject):
        return
    if re.match(r"(?:be )?responsible for\b", rest) and not clause.negative:
        yield turned("what", clause, "responsible for" if clause.auxiliary in BE else "be responsible for", "list")
    nobody = re.match(r"(?:somebody|someone)\b|an? (?:person|body|unit|member|department)$", subject) and clause.verb
    if nobody or subject.startswith("the same") or _NOT_ASKED.search(rest):
        return
    if clause.verb and not clause.negative:
        yield Asked(f"who {third(clause.verb)} {rest.removeprefix(clause.verb)} {clause.setting}")
    elif clause.auxiliary in BE and not clause.negative and _TELLING.match(rest):
        yield Asked(f"who is {rest} {clause.setting}")
    elif clause.auxiliary not in (*BE, "do", "does", "need", "has", "have"):
        yield Asked(f"who {clause.auxiliary} {'not' if clause.negative else ''} {rest} {clause.setting}")


def about_what_it_is(clause: Clause) -> Iterator[Asked]:
    """What something means or is; who somebody is."""
    subject, rest, auxiliary = clause.subject, clause.rest, clause.auxiliary
    if clause.verb == "mean":
        yield turned("what", clause, "mean", "definition")
    if auxiliary not in ("is", "are"):
        return
    if (called := re.match(r"called (.+)$", rest)) and called[1][0].isupper():
        yield turned("what", clause, "called")
    told = re.match(
        r"(?:an?|the) (?!(?:same|exception|only|one|matter|reason|case|condition|offence|breach)\b)(\w.*)$", rest
    )
    thin = (subject.startswith("the ") and rest.startswith("a")) or (not is_plural(subject) and len(rest.split()) < 4)
    if not told or thin or clause.setting or subject.split()[0].endswith("ing"):
        return
    first = _ENDS.split(told[1])[0]
    people = is_somebody(first) and not is_body(first)
    if people or not is_somebody(subject):
        yield turned("who" if people else "what", clause, "", "list" if people and " and " in rest else "definition")


def somebody_first(text: str) -> bool:
    """Whether `text` begins with somebody: "the Security Desk the same day"."""
    words = _ENDS.split(text)[0].split()
    return any(is_somebody(" ".join(words[:end])) for end in range(1, len(words) + 1))
