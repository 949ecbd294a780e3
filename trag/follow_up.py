"""A follow-up made into a question that stands alone, by rules: what a pronoun, "what about X" or a bare "how many?"
points back to.

The rules are sure of themselves or leave the question as it is; no model is asked, so a follow-up costs nothing.
Knows nothing about documents, prompts or models.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from org.entities import EntityFinder, Mention


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the same conversation, as it stood alone, and its answer."""

    question: str
    answer: str


_INSTEAD = re.compile(
    r"^\W*(?:and|ok|so|but|then)?\W*(?:what|how)\s+about\s+|^\W*(?:and|or)\s+(?:for\s+|in\s+)?(?=\S+(?:\s+\S+){0,7}\W*$)",
    re.I,
)
_KIND = (
    r"(?:unit|office|division|department|committee|council|board|body|team|group|institute|centre|center|programme|"
    r"program|section)"
)
# "is it true that ..." points to nothing.
_IT = re.compile(
    r"\b(?:it|they|them)\b(?!\s+(?:true|possible|allowed|ok|okay|necessary|required|mandatory|correct|fine|enough)\b)",
    re.I,
)
_ITS = re.compile(r"\b(?:its|their|theirs)\b", re.I)
_THERE = re.compile(r"(?<!is )(?<!are )(?<!was )\bthere\b(?!\s+(?:is|are|was|were|any|a|an)\b)", re.I)
_THAT_KIND = re.compile(rf"\b(?:this|that|the\s+same|these|those)\s+{_KIND}s?\b", re.I)
_LEANS = re.compile(r"^\W*(?:and|but|so|then|also|why|how\s+(?:many|much|long|often)|who|when|where|which)\b", re.I)


def standalone(question: str, history: Sequence[Turn], finder: EntityFinder | None) -> str:
    """`question` with what it leaves unsaid filled in from the last turn of `history`, or as it is when it stands
    alone."""
    if not history:
        return question
    last = history[-1]
    own = finder.find(question) if finder else ()
    topic = _topic(last, finder)

    if instead := _INSTEAD.match(question):
        before = finder.find(last.question) if finder else ()
        if own and before:
            return _swap(last.question, before[-1], own[0])
        if not own:
            return f"{last.question.rstrip(' ?.')}, {question[instead.end() :].lstrip()}"
    if topic:
        name = topic if topic.lower().startswith("the ") else f"the {topic}"
        filled = _THAT_KIND.sub(name, question)
        if not own:
            filled = _ITS.sub(f"{name}'s", filled)
            filled = _THERE.sub(f"in {name}", filled)
        filled = _IT.sub(name, filled, count=1) if not own or _before(filled, own[0]) else filled
        if filled != question:
            return filled
        if not own and len(question.split()) <= 5 and _LEANS.match(question):
            return f"{question.rstrip(' ?.')} ({topic})?"
        return question
    if not own and (_IT.search(question) or _ITS.search(question) or _THAT_KIND.search(question)):
        return f"{last.question.rstrip(' ?.')}? {question}"
    return question


def _topic(last: Turn, finder: EntityFinder | None) -> str:
    """The name that the last turn was about: the last one in its question, else the only one in its answer."""
    if finder is None:
        return ""
    asked = finder.find(last.question)
    if asked:
        return asked[-1].text
    answered = finder.find(last.answer)
    return answered[0].text if len({mention.units for mention in answered}) == 1 else ""


def _swap(text: str, old: Mention, new: Mention) -> str:
    return text[: old.start] + new.text + text[old.end :]


def _before(question: str, mention: Mention) -> bool:
    """Whether a pronoun stands before the unit that the question names itself ("is it under the Legal Division?")."""
    match = _IT.search(question)
    return match is not None and match.start() < mention.start
