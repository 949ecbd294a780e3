"""The answer against the chart and the sources: each sentence borne out or not, each claim about units right or not.

question, answer -> Verdict.  Deterministic: the finder that reads questions reads the answer, a grammar reads what it
says of the units (reading, claims), and the chart judges that (judging, asked); lexical overlap decides support
(support), and the finder whether a source is about what was asked (concern). It catches the paper's misalignment
(T-RAG, table 5: real units under a wrong parent) and its hallucination (units that do not exist).  Knows nothing about
models, prompts or retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from org.answering import facts, particulars, subjects
from org.chart import Chart
from org.entities import EntityFinder
from trag.record import CheckedSentence, Checks
from trag.verify import asked, claims, judging, naming, reading, support
from trag.verify.concern import asked_about, concerns
from trag.verify.judging import Fault
from trag.verify.lookalikes import as_seen
from trag.verify.support import Evidence, supported
from trag.words import sentences

__all__ = [
    "Evidence",
    "Verdict",
    "asked_about",
    "borne_out",
    "concerns",
    "examine",
    "misplaces",
    "recites",
    "supported",
]

_EMPHASIS = re.compile(r"\*\*|__|[`\"“”]")
_COPIED = re.compile(r"\W*\[[^\]]{3,}\]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found: for the record, for the model to mend its answer by, and on which units (ids).

    `finding` is "" when the chart has nothing against the answer.
    """

    checks: Checks
    finding: str = ""
    units: tuple[str, ...] = ()


def examine(
    question: str,
    answer: str,
    evidence: Sequence[Evidence],
    chart: Chart | None,
    finder: EntityFinder | None,
    *,
    reply: str = "",
) -> Verdict:
    """Every sentence of the answer with the evidence that bears it out, and what the chart says against it.

    `reply` is the chart's own answer to a plain question about it: what counts when the answer says something else.
    """
    checked = borne_out(answer, evidence)
    if chart is None or finder is None:
        return Verdict(Checks(sentences=checked))
    text = _EMPHASIS.sub("", as_seen(answer))
    about, types = finder.find(question), finder.find_types(question)
    cells = particulars.asked(question, about, chart) if reply else ()
    wanted = facts.expected(subjects.read(question, about, types, chart), chart) if reply and not cells else ()
    mentions = naming.mentions(text, about, wanted, chart, finder)
    row = reading.read(text, mentions, finder.find_types(text))
    subject = tuple(dict.fromkeys(unit for mention in about for unit in mention.units)) if len(about) == 1 else ()
    claimed = claims.read(row, mentions, subject)
    against = [claim for claim in claimed if not judging.holds(claim, chart)]
    if against:
        said = _said(evidence, chart, finder)
        against = [claim for claim in against if claim not in said]
    faults = judging.faults(against, chart)
    unknown = naming.unknown(text, mentions, wanted, evidence, chart, finder)
    finding = _finding(faults, unknown)
    answered = asked.Answered(text, mentions, row, claimed)
    told = asked.tells(answer, cells) and all(asked.agrees(question, answered, one, chart) for one in wanted)
    right = told or text == reply  # of a comparison no claim can be read
    finding = finding or ("" if right else reply)
    checks = Checks(
        sentences=checked,
        misplaced=tuple(fault.misplaced for fault in faults if fault.misplaced),
        unknown_units=unknown,
        chart=chart.version,
    )
    return Verdict(checks, finding, tuple(dict.fromkeys(fault.unit for fault in faults)))


def misplaces(text: str, chart: Chart, finder: EntityFinder) -> bool:
    """Whether words of a document put a unit where the chart does not have it. Who reports to whom is theirs to say."""
    return bool(examine("", text, (Evidence("", text),), chart, finder).checks.misplaced)


def borne_out(answer: str, evidence: Sequence[Evidence]) -> tuple[CheckedSentence, ...]:
    """Every sentence of the answer, with the evidence that bears it out."""
    return tuple(support.checked(sentence, evidence) for sentence in sentences(answer))


def recites(answer: str) -> bool:
    """Whether the answer reads lines of the prompt back, their headings in brackets and all, instead of answering."""
    return any(_COPIED.match(sentence) for sentence in sentences(answer))


def _said(evidence: Sequence[Evidence], chart: Chart, finder: EntityFinder) -> frozenset[claims.Claim]:
    """What the documents themselves say that is no plain word about the chart: who reports to whom, how many there are.

    An answer is not wrong for repeating it.
    """
    found = set[claims.Claim]()
    for source in evidence:
        if not source.id.startswith("chart-"):
            mentions = naming.mentions(source.text, (), (), chart, finder)
            row = reading.read(source.text, mentions, finder.find_types(source.text))
            found.update(one for one in claims.read(row, mentions) if isinstance(one, claims.Count) or _is_loose(one))
    return frozenset(found)


def _is_loose(claim: claims.Claim) -> bool:
    return isinstance(claim, claims.Under) and claim.loosely


def _finding(faults: Sequence[Fault], unknown: Sequence[str]) -> str:
    """What the chart says against the answer, in one sentence for the model to mend it by."""
    text = "; ".join([fault.text for fault in faults] + [f"there is no {name}" for name in unknown])
    return text[:1].upper() + text[1:] + "." if text else ""
