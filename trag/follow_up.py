"""A follow-up made into a question that stands alone, by rules: what a pronoun, "what about X" or a bare "how many?"
points back to.

The rules are sure of themselves or leave the question as it is; no model is asked, so a follow-up costs nothing.
Knows nothing about documents, prompts or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from org.entities import EntityFinder, Mention


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the same conversation, as it stood alone, and its answer."""

    question: str
    answer: str


_KIND = (
    r"(?:unit|office|division|department|committee|council|board|body|team|group|institute|centre|center|programme|"
    r"program|section)"
)
_ASKING = r"who|whom|whose|what|which|where|when|why|how|(?:who|what|where)['’]?s"
_BEING = (
    r"(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)(?:n['’]?t)?|be|been|"
    r"needs?|wants?"
)
_PLACE = r"about|above|at|below|beneath|by|for|from|in|inside|into|of|on|over|since|to|under|until|up|with|within"
# An "and" before a question of its own puts nothing in place of anything.
_INSTEAD = re.compile(
    rf"\W*(?:(?:(?:(?:and|ok|so|but|then)\W+)?(?:what|how)\s+about|(?:and|or)(?=(?:\s+\S+){{1,8}}\W*$)"
    rf"(?!\s+(?:{_ASKING}|{_BEING})\b))\s+)(?P<place>(?:{_PLACE})\s+)?",
    re.I,
)
# What points to something said before; "is it true that ..." points to nothing.
_POINTER = re.compile(
    rf"\b(?:(?P<kind>(?:this|that|the\s+same|these|those)\s+{_KIND}s?)|(?P<its>its|theirs?)"
    r"|(?P<there>(?<!is )(?<!are )(?<!was )there(?!\s+(?:is|are|was|were|any|a|an)\b))"
    r"|(?P<it>(?:it|they|them|(?:this|that)\s+one)"
    r"(?!\s+(?:true|possible|allowed|ok|okay|necessary|required|mandatory|correct|fine|enough)\b)))\b",
    re.I,
)
_LITTLE = (
    rf"{_ASKING}|{_BEING}|{_PLACE}|i|we|you|one|me|us|many|much|long|often|soon|also|currently|directly|else|"
    r"exactly|just|more|not|now|really|still|there"
)
# Any other word: a noun or a verb, for all that is known.
_OWN = (
    rf"(?!(?:{_LITTLE}|a|an|the|my|our|your|any|every|each|some|this|that|these|those|its|their|and|or|but|if|when|"
    r"whether|because|unless|while|as)\b)[\w'’-]+\s+"
)
# The words before a pronoun that points to an earlier question: none of them may be what it points to. That can be
# neither what is asked for ("how many teams are under it") nor a verb ("who chairs it", "can I visit it") nor what is
# said to be of it, in it, under it ("the head of it").
_NOTHING_YET = re.compile(
    rf"""
    \W* (?:(?:and|but|or|so|then|ok|okay|please|tell\ me|if|when)\b\W*)*
    (?: (?P<asked> (?:which|what|whose|how\s+(?:many|much))\s+(?:{_OWN}){{1,3}}
                 | whos?\s+(?:(?:{_BEING}|to)\s+)*{_OWN} )
      | (?:i|we|you|one)\s+(?:(?:{_BEING}|to)\s+)*{_OWN}
      | (?:{_LITTLE})\s+
    )*
    (?P<near> (?:(?:a|an|any|the)\s+)?(?:{_OWN}){{1,3}}(?:{_PLACE})\s+ )?
    """,
    re.I | re.VERBOSE,
)
_LEANS = re.compile(r"^\W*(?:and|but|so|then|also|why|how\s+(?:many|much|long|often)|who|when|where|which)\b", re.I)
_WHOSE = re.compile(r"['’]s?\s+|\s+of\s+(?:the\s+|our\s+)?", re.I)
_OWNING = re.compile(r"['’]s$")
_SAID_AGAIN = frozenset(("and", "but", "or", "so", "then", "the"))


def standalone(question: str, history: Sequence[Turn], finder: EntityFinder | None) -> str:
    """`question` with what it leaves unsaid filled in from the last turn of `history`, or as it is when it stands
    alone."""
    if not history:
        return question
    last = history[-1]
    own = _find(question, finder)
    before = _find(last.question, finder)

    if instead := _INSTEAD.match(question):
        if own and before and finder:
            old = before[-1] if instead["place"] else _alike(last.question, before, own[0], finder)
            return last.question[: old.start] + own[0].text + last.question[old.end :]
        if not own:
            return f"{last.question.rstrip(' ?.')}, {question[instead.end() :].lstrip()}"
    pointers = [one for one in _POINTER.finditer(question) if one[0] != "IT" or question.isupper()]
    names = _names(last, before, finder)
    if not names:
        points = not own and any(one.lastgroup != "there" for one in pointers)
        return f"{last.question.rstrip(' ?.')}? {question}" if points else question
    if pointer := next((one for one in pointers if _points_back(one, own)), None):
        filled = [_filled(pointer, name) for name in names]
        # nobody asks the same again: "and who does that report to?" is about the unit that was the answer
        return next((one for one in filled if _said(one) != _said(last.question)), filled[0])
    if not own and not pointers and len(question.split()) <= 5 and _LEANS.match(question):
        return f"{question.rstrip(' ?.')} ({names[0]})?"
    return question


def _find(text: str, finder: EntityFinder | None) -> list[Mention]:
    """The units that a text names, without the ending of a possessive."""
    found = finder.find(text) if finder else ()
    bare = [(one, _OWNING.sub("", one.text)) for one in found]
    return [replace(one, text=name, end=one.start + len(name)) for one, name in bare]


def _names(last: Turn, before: Sequence[Mention], finder: EntityFinder | None) -> list[str]:
    """What the last turn was about, the likeliest first: the subject of its question, and the unit that its answer
    adds where that is only one."""
    asked = {one.units for one in before}
    added = [one for one in _find(last.answer, finder) if one.units not in asked]
    names = [_subject(last.question, before).text] if before else []
    return [*names, added[0].text] if len({one.units for one in added}) == 1 else names


def _subject(text: str, mentions: Sequence[Mention]) -> Mention:
    """The first unit of a text with those that tell which it is: "the registry of the Civil Division"."""
    first, *others = mentions
    end = first.end
    for one in others:
        if not _WHOSE.fullmatch(text, end, one.start):
            break
        end = one.end
    return replace(first, text=text[first.start : end], end=end)


def _alike(text: str, mentions: Sequence[Mention], new: Mention, finder: EntityFinder) -> Mention:
    """What a new unit takes the place of: a unit of its type, else the subject."""

    def type_of(mention: Mention) -> str:
        return finder.index.chart.unit(mention.units[0]).type

    first = mentions[0]
    alike = next((one for one in mentions if type_of(one) == type_of(new)), first)
    owns = text[first.end : first.end + 1] in ("'", "’")
    return _subject(text, mentions) if alike is first and not (owns and type_of(first) == type_of(new)) else alike


def _points_back(pointer: re.Match[str], own: Sequence[Mention]) -> bool:
    """Whether a pronoun points to an earlier question, and not to a unit or another noun that stands before it."""
    if pointer.lastgroup == "kind":
        return True
    before = _NOTHING_YET.fullmatch(pointer.string, 0, pointer.start())
    if not before or (own and own[0].start < pointer.start()):
        return False
    # "which drivers wash their car", "who signs for their team"
    return not pointer[0].lower().startswith("their") or not (before["asked"] or before["near"])


def _filled(pointer: re.Match[str], name: str) -> str:
    """The question of a pronoun with a name in its place."""
    name = name if name.lower().startswith("the ") else f"the {name}"
    instead = {"its": f"{name}'s", "there": f"in {name}"}.get(pointer.lastgroup or "", name)
    return pointer.string[: pointer.start()] + instead + pointer.string[pointer.end() :]


def _said(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in _SAID_AGAIN]
