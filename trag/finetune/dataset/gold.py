"""The gold that can be read off an answer: yes or no, its figures, or the whole of a short one.

question, answer -> Case, None where nothing could tell a right answer from a wrong one.  Knows nothing about where the
answer comes from.
"""

from __future__ import annotations

import re

from org.linking.entities import Organization
from prompts import CANNOT_ANSWER
from trag.evaluate.cases import Case
from trag.evaluate.scoring import Score, score
from trag.record import AnswerRecord, ModelUsed

RIGHT = ("Correct", "Correct-Verbose")
"""Verdicts on an answer that says what is right."""
_SHORT = 5  # words of an answer that is its own gold
_FIGURE = re.compile(
    r"(?<![\w-])(?:[A-Z]{3} |[€$£] ?)?\d[\d,.:]*\d?(?: ?%| (?:million|thousand|per cent))?(?: [a-z]{3,})?"
)
_POLARITY = re.compile(r"(yes|no)\b[,.:;]?", re.IGNORECASE)


def case(id: str, question: str, answer: str, kind: str, organization: Organization) -> Case | None:
    """A case whose gold is what the answer says for sure, and which takes that answer for right."""
    if answer == CANNOT_ANSWER:
        return Case(id, question, kind, refuse=True)
    yes_or_no = _POLARITY.match(answer)
    figures = dict.fromkeys(found.strip(" .,:") for found in _FIGURE.findall(answer))
    items = tuple((figure,) for figure in figures if figure not in question)
    whole = answer.rstrip(".")
    if yes_or_no:
        made = Case(id, question, kind, answer, polarity=yes_or_no[1].lower())
    elif items or len(whole.split()) <= _SHORT:
        made = Case(id, question, kind, answer, gold=items or ((whole,),))
    else:
        return None
    return made if scored(made, answer, organization).verdict in RIGHT else None


def scored(case: Case, answer: str, organization: Organization) -> Score:
    """What is thought of an answer to a case that no model gave."""
    record = AnswerRecord("", case.question, case.question, answer, "answered", ModelUsed("", "", ""))
    return score(case, record, organization.chart)
