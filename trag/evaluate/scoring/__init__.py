"""Whether an answer is right, by the gold of its case and without a judge model (T-RAG, section 6.1).

case, answer record, organization -> Score.  Knows nothing about how answers are made or kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from prompts import CANNOT_ANSWER
from trag.asking import Organization
from trag.evaluate.cases import COMPLEX, SIMPLE, Case
from trag.evaluate.scoring import counting, items, lists, polarity, refusal, verbosity
from trag.evaluate.scoring.findings import Findings
from trag.evaluate.scoring.reading import Reading, evidence, read
from trag.evaluate.scoring.refusal import Reply
from trag.evaluate.scoring.wording import plain
from trag.record import AnswerRecord, Verdict
from trag.verify import support

__all__ = ["Score", "declines", "score"]

_NOTHING = re.compile(r"(?:no|none|nobody|nothing)\b", re.IGNORECASE)
"""Begins an item of gold that says that there is none."""


@dataclass(frozen=True, slots=True)
class Score:
    """What is thought of an answer: None where the gold does not allow a decision, so that people label it.

    `reasons` say in words what was missing, wrong, or not asked for. `precision` and `recall` in [0, 1] are those of
    the units named, None where no list was asked for.
    """

    verdict: Verdict | None
    reasons: tuple[str, ...] = ()
    precision: float | None = None
    recall: float | None = None


def score(case: Case, record: AnswerRecord, organization: Organization) -> Score:
    """The score of an answer. Without a chart units are compared by their names alone."""
    if case.refuse:
        return _refused(case, record)
    reading = read(case, record, organization)
    listed = lists.compare(reading)
    found = _found(reading, listed.findings, organization)
    if declines(case, record):
        return Score("Incorrect", ("declines to answer",), listed.precision, listed.recall)
    if found.wrong:
        return Score("Incorrect", found.wrong, listed.precision, listed.recall)
    found += verbosity.beyond(reading, found.places)
    if found.open:
        return Score(None, found.open, listed.precision, listed.recall)
    return Score("Correct-Verbose" if found.besides else "Correct", found.besides, listed.precision, listed.recall)


def declines(case: Case, record: AnswerRecord) -> bool:
    """Whether an answer says that it cannot answer the question of a case, and nothing else."""
    return record.answer.strip() == CANNOT_ANSWER or _reply(case, record).declines


def _reply(case: Case, record: AnswerRecord) -> Reply:
    return refusal.read(plain(record.answer), _right(case))


def _right(case: Case) -> refusal.Right:
    """What sort of reply is right."""
    if case.refuse:
        return "refusal"
    of_nothing = any(_NOTHING.match(alternative) for item in case.gold for alternative in item)
    return "denial" if case.polarity == "no" or case.count == 0 or of_nothing else "answer"


def _refused(case: Case, record: AnswerRecord) -> Score:
    """The score of an answer to a question that can only be refused."""
    if declines(case, record):
        return Score("Correct")
    reply = _reply(case, record)
    if not reply.declining:
        return Score("Incorrect", ("answers what nothing answers",))
    if not record.sources:
        return Score(None, tuple(f"declines, and says besides: {one}" for one in reply.telling))
    baseless = [one for one in reply.telling if not support.checked(one, evidence(record)).supported]
    if baseless:
        return Score("Incorrect", tuple(f"declines, and yet says: {one}" for one in baseless))
    return Score("Correct-Verbose", tuple(f"not asked for: {one}" for one in reply.telling))


def _found(reading: Reading, listed: Findings, organization: Organization) -> Findings:
    """What all checks of what is right find together."""
    case, gold = reading.case, items.items(reading)
    if gold.wrong and polarity.is_bare(reading):
        # A plain "No." is all that such a question asks for; how much more another is meant to get, people can tell.
        gold = Findings() if case.polarity else Findings(open=gold.wrong)
    counted = counting.count(reading, organization)
    found = gold + listed + counted + polarity.polarity(reading, has_gold=not gold.wrong)
    found += lists.placed(reading, (*gold.places, *counted.places)) + items.forbidden(reading, gold)
    has_gold = bool(case.gold or case.units or case.some or case.polarity or case.count is not None)
    if not has_gold:
        found += Findings(open=("the case has no gold to decide by",))
    # What a document says of units may differ from the chart.
    of_chart = has_gold and not case.document and (case.kind in SIMPLE + COMPLEX or reading.gold() or not case.gold)
    if of_chart and reading.named and reading.named.against:
        found += Findings(wrong=(f"against the chart: {reading.named.against}",))
    return found
