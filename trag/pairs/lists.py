"""A list with the line that leads it in -> the question that the whole list answers.

Knows nothing about headings.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from trag.pairs.asked import LEANING
from trag.pairs.clauses import MARK, Clause, clauses
from trag.pairs.english import is_somebody
from trag.words import sentences

_CASES = re.compile(r"\n(?:[-•*]|\(?\w{1,3}[.)]) (?:if|when|where|in case)\b")
_CASE_FOLLOWS = re.compile(r"(.+?),? (when|if|where)$")
_FOLLOWING = re.compile(
    r"the following (\w+ )?(?:(?:who|that|which) )?(is|are|must|may|shall|can|need|have|has) (.+)$", re.I
)
_ENDS_IN_AUXILIARY = re.compile(r"(?P<subject>[^,]+) (?P<auxiliary>shall|must|may|can|should|will|is|are)(?: also)?$")
_NO_SUBJECT = re.compile(r"(?:this|these|it|they|there|that)\b", re.I)
_ENDS_IN_AIR = re.compile(
    r"(?:include|contain|comprise|cover|name|state|show|need|require|have|give)$|"
    r"(?:be )?(?:\w+ )?\w+ (?:for|of|to|on|by|with|from)$"
)


def of_list(lead_in: str, items: str, names: Collection[str]) -> str:
    """The question that a list answers; "" where its `lead_in` asks none. `items` are its lines."""
    text = MARK.sub("", sentences(lead_in)[-1]).rstrip(" :,–-")
    asked = _of_cases(text, names, told_by_items=bool(_CASES.search(f"\n{items}")) and not lead_in.endswith(":"))
    asked = asked or _of_following(text) or _of_auxiliary(text) or _of_open_end(text, names)
    points_elsewhere = LEANING.search(asked.removesuffix(" do"))
    return f"{asked[0].upper()}{asked[1:]}?" if asked and not points_elsewhere else ""


def _of_cases(text: str, names: Collection[str], *, told_by_items: bool) -> str:
    """ "You can be given commit rights when": when can I be given commit rights?"""
    follows = _CASE_FOLLOWS.match(text)
    if not follows and not told_by_items:
        return ""
    found = clauses(follows[1] if follows else text, names)
    word = "when" if follows and follows[2] == "when" else "in which case"
    return f"{word} {_turned(found[0])}" if found and not found[0].tail else ""


def _of_following(text: str) -> str:
    match = _FOLLOWING.match(text)
    if not match:
        return ""
    return f"which {match[1]}{match[2]} {match[3]}" if match[1] else f"what {match[2]} {match[3]}"


def _of_auxiliary(text: str) -> str:
    """ "The committee shall": what shall the committee do?"""
    match = _ENDS_IN_AUXILIARY.match(text)
    if not match or len(match["subject"].split()) > 8 or _NO_SUBJECT.match(match["subject"]):
        return ""
    subject, auxiliary = match["subject"], match["auxiliary"]
    small = subject.split()[0].lower() in ("the", "a", "an", "each", "every", "you")
    clause = Clause("", subject[0].lower() + subject[1:] if small else subject, auxiliary, False, "")
    if auxiliary in ("is", "are"):
        return f"{'who' if is_somebody(subject) else 'what'} {_turned(clause)}"
    return f"what {_turned(clause)} do"


def _of_open_end(text: str, names: Collection[str]) -> str:
    """ "A report must name": what must a report name?"""
    clause = next(iter(clauses(text, names, lead_in=True)), None)
    if not clause or clause.setting or clause.negative or clause.tail or not _ENDS_IN_AIR.match(clause.rest):
        return ""
    return f"what {_turned(clause)}"


def _turned(clause: Clause) -> str:
    rest = f"not {clause.rest}" if clause.negative else clause.rest
    if clause.subject.lower() == "you":
        auxiliary = "am" if clause.auxiliary == "are" else clause.auxiliary
        mine = re.sub(r"\byour\b", "my", rest)
        return f"{auxiliary} I {mine}".strip()
    return f"{clause.auxiliary} {clause.subject} {rest}".strip()
