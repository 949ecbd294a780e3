"""The answer against the chart and the sources: each sentence borne out or not, each unit placed rightly or not.

answer -> Checks.  Deterministic: the same finder that reads questions reads the answer, and lexical overlap decides
support. It catches the paper's misalignment (T-RAG, table 5: real units under a wrong parent) and its hallucination
(units that do not exist).  Knows nothing about models, prompts or retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from org.chart import Chart
from org.entities import EntityFinder, Mention
from trag.record import CheckedSentence, Checks, Misplaced
from trag.words import negated, numbers, sentences, stems

COVERAGE = 0.7
"""Share of a sentence's content words that one place in a source must hold for the sentence to count as borne out."""
EXACT = 0.8
"""The same for a sentence that holds a number: the wrong amount mostly stands right beside the right one."""
WINDOW = 2
"""Sentences of a source that may bear out one sentence of the answer together; one alone where it holds a number."""

_TYPE = (
    r"(?:Office|Division|Department|Committee|Council|Board|Unit|Centre|Center|Institute|Bureau|Service|Section|Panel|"
    r"Commission|Directorate|Secretariat|Agency)"
)
_PLAIN = (
    r"(?:The|A|An|In|Under|Within|Its|Their|This|That|These|Each|Every|Any|All|Both|No|Yes|Directly|If|When|For|By|To|"
    r"Of|And)"
)
_NAME = rf"(?!{_PLAIN}\b)[A-Z][\w&'’-]*"
_AND_NAME = rf"(?:\s+(?:(?:&|and|of|for|,)\s+(?:the\s+)?)?{_NAME})"
_UNKNOWN = re.compile(
    rf"\b{_TYPE}\s+(?:of|for)\s+(?:the\s+)?{_NAME}{_AND_NAME}{{0,5}}"
    rf"|\b(?!{_TYPE}\b){_NAME}{_AND_NAME}{{0,5}}?\s+{_TYPE}\b(?!\s+(?:of|for)\s+[A-Z])"
)

# What stands between two names, read from the first to the second. `_ARTICLE` is what may come right before a name.
_ARTICLE = r"(?:\s+(?:the|its|parent|called|named))*[\s\"'“‘*_(]*$"
_UNDER = re.compile(
    r"\b(?:under|beneath|below|within|inside|part\s+of|belong(?:s|ing)?\s+to|report(?:s|ing)?\s+(?:directly\s+)?to|"
    r"(?:is|are|sits?|located|housed|placed|found|situated)\s+in|(?:is|are)\b[^.;:]{0,50}\b(?:of|in))" + _ARTICLE,
    re.I,
)
_OVER = re.compile(
    r"\b(?:includes?|including|contains?|consists?\s+of|comprises?|composed\s+of|made\s+up\s+of|oversees?|supervises?|holds?|has|have|parent\s+of|above|over)\b[^.;]*$",
    re.I,
)
_LISTS = re.compile(r"(?:\b(?:is|are|includes?|there\s+(?:is|are))\b|:)[^.;]*$", re.I)
_ONLY_SEPARATORS = re.compile(
    r"^(?:[\s,;&/*•·–\-\"'“”‘’]|\b(?:and|or|the|as\s+well\s+as|both)\b|\d+[.)]|\([^()]*\))*$", re.I
)
_AFTER_PLACE = re.compile(r"\b(?:under|in|within|of|below|beneath|inside)" + _ARTICLE, re.I)
_AFTER_PARENT = re.compile(r"\b(?:parent(?:\s+unit)?\s+of|above)" + _ARTICLE, re.I)
_NUMBERING = re.compile(r"\n\s*(?:\d+[.)]|[-*•])\s+")
_NEW_SENTENCE = re.compile(r"[.!?]\s+(?!(?:it|they|this|these|both|which)\b)", re.I)
_COPIED = re.compile(r"\W*\[[^\]]{3,}\]")
_YES_NO = re.compile(r"\W*(yes|no)\b", re.I)
_COUNTS = re.compile(r"\b(?:how\s+many|number\s+of|count)\b", re.I)
_SOME = re.compile(r"\b(?:some|examples?|(?:a|any)\s+(?:few|couple|two|three))\b", re.I)
_AND_MORE = re.compile(r"\band [\d,]+ more\b")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that may bear out a sentence: a passage or a statement from the chart, under its id in the record."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer says that `unit` is under `holder` (ids; several where a name is shared), directly under it or at any
    depth."""

    unit: tuple[str, ...]
    holder: tuple[str, ...]
    directly: bool = False


def check(answer: str, evidence: Sequence[Evidence], chart: Chart | None, finder: EntityFinder | None) -> Checks:
    """Every sentence of `answer` with the evidence that bears it out; units put in a wrong place; units that do not
    exist."""
    checked = tuple(_checked(sentence, evidence) for sentence in sentences(answer))
    if chart is None or finder is None:
        return Checks(sentences=checked)
    mentions = finder.find(answer)
    return Checks(
        sentences=checked,
        misplaced=misplaced(claims(answer, mentions), chart),
        unknown_units=unknown_units(answer, mentions, evidence),
        chart=chart.version,
    )


def supported(sentence: str, text: str) -> float:
    """How well the best `WINDOW` sentences of `text` bear out `sentence`: the share of its content words found there,
    in [0, 1].

    0 when a number of the sentence is missing there, or one side denies what the other says.
    """
    wanted, figures, denies = stems(sentence), numbers(sentence), negated(sentence)
    if not wanted and not figures:
        return 0.0
    parts = sentences(text)
    best = 0.0
    for first in range(len(parts)):
        for last in range(first + 1, min(first + (1 if figures else WINDOW), len(parts)) + 1):
            window = " ".join(parts[first:last])
            if not figures <= numbers(window) or denies != negated(window):
                continue
            best = max(best, len(wanted & stems(window)) / len(wanted) if wanted else 1.0)
    return best


def claims(answer: str, mentions: Sequence[Mention]) -> tuple[Claim, ...]:
    """What the answer says about which unit is under which, read from the words between the names of units.

    "A and B are under C, which is under D" and "Under C: A, B" are understood; a sentence that denies is left alone.
    """
    found: list[Claim] = []
    group: list[Mention] = []  # names joined by commas, of which the next words may say something
    holder: Mention | None = None  # the unit whose list is being read
    for mention in mentions:
        start = group[-1].end if group else 0
        between = _NUMBERING.sub("\n", answer[start : mention.start])
        if not group or _NEW_SENTENCE.search(between):
            group, holder = [mention], None
            continue
        if negated(between):
            group, holder = [mention], None
            continue
        directly = "direct" in between.lower()
        before = answer[: group[0].start]
        if _ONLY_SEPARATORS.match(between):
            if holder:
                found.append(Claim(mention.units, holder.units))
            group.append(mention)
        elif _AFTER_PARENT.search(before) or _UNDER.search(between):
            found += [Claim(unit.units, mention.units, directly) for unit in group]
            group, holder = [mention], None
        elif _OVER.search(between) or (_AFTER_PLACE.search(before) and _LISTS.search(between)):
            holder = group[-1]
            found.append(Claim(mention.units, holder.units, directly))
            group = [mention]
        else:
            group, holder = [mention], None
    return tuple(found)


def misplaced(claimed: Sequence[Claim], chart: Chart) -> tuple[Misplaced, ...]:
    """The claims that the chart contradicts, whichever unit a shared name may mean."""
    found = []
    for claim in claimed:
        if set(claim.unit) & set(claim.holder) or any(
            chart.unit(unit).parent == holder if claim.directly else chart.is_under(unit, holder)
            for unit in claim.unit
            for holder in claim.holder
        ):
            continue
        unit = chart.unit(claim.unit[0])
        actual = chart.unit(unit.parent).name if unit.parent else ""
        found.append(Misplaced(unit.name, chart.unit(claim.holder[0]).name, actual))
    return tuple(dict.fromkeys(found))


def unknown_units(answer: str, mentions: Sequence[Mention], evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """What looks like a unit's name in the answer, while neither the chart nor any source has it."""
    texts = [" ".join(item.text.lower().split()) for item in evidence]
    found = []
    for match in _UNKNOWN.finditer(answer):
        name = match.group()
        if any(m.start < match.end() and match.start() < m.end for m in mentions):
            continue
        if not any(" ".join(name.lower().split()) in text for text in texts):
            found.append(name)
    return tuple(dict.fromkeys(found))


def contradiction(checks: Checks) -> str:
    """What the chart says against the answer, in one sentence for the model to mend it by; "" when it has nothing
    against it."""
    found = [
        f"{wrong.unit} is under {wrong.actual}, not under {wrong.claimed}"
        if wrong.actual
        else f"nothing is above {wrong.unit}"
        for wrong in checks.misplaced
    ]
    found += [f"there is no {name}" for name in checks.unknown_units]
    text = "; ".join(found)
    return text[:1].upper() + text[1:] + "." if text else ""


def disagreement(question: str, answer: str, reply: str, chart: Chart, finder: EntityFinder) -> str:
    """`reply`, the chart's own words on a plain question about it, when `answer` says something else; "" when they
    agree.

    A yes must be a yes, a count the same number, a list neither leave out nor add units, and a place must name the
    unit right above.
    """
    verdict = _YES_NO.match(reply)
    if verdict and not ((own := _YES_NO.match(answer)) and own[1].lower() == verdict[1].lower()):
        return reply
    if _COUNTS.search(question) and not (numbers(answer) and numbers(answer) <= numbers(reply)):
        return reply
    asked = {unit for mention in finder.find(question) for unit in mention.units}
    above = {unit.name for one in asked for unit in chart.path(one)}
    near = above | {unit.name for one in asked for unit in chart.children(one)}
    named = {chart.unit(unit).name for unit in asked}
    told = [name for name in _names(reply, chart, finder, near) if name not in named]
    said = _names(answer, chart, finder, near)
    if not told or verdict or _COUNTS.search(question):
        return ""
    if set(told) <= above:
        return "" if told[0] in said else reply
    extra = [name for name in said if name not in told and name not in above]
    if _SOME.search(question):
        return "" if not extra and len(set(said) & set(told)) >= min(2, len(told)) else reply
    left_out = () if _AND_MORE.search(reply) else set(told) - set(said)
    return reply if extra or left_out else ""


def _names(text: str, chart: Chart, finder: EntityFinder, near: Collection[str]) -> list[str]:
    """The names of the units in `text`, in order; units that share a name count once.

    A unit called "board" is no mention to the finder, which reads it as a plain word: of the `near` names, what stands
    there to the letter counts as well.
    """
    found = {chart.unit(unit).name: mention.start for mention in finder.find(text) for unit in mention.units}
    for name in near:
        if name not in found and (match := re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)):
            found[name] = match.start()
    return sorted(found, key=found.__getitem__)


def recites(answer: str) -> bool:
    """Whether the answer reads lines of the prompt back, their headings in brackets and all, instead of answering."""
    return any(_COPIED.match(sentence) for sentence in sentences(answer))


def _checked(sentence: str, evidence: Sequence[Evidence]) -> CheckedSentence:
    scores = [supported(sentence, item.text) for item in evidence]
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    if best is None or scores[best] < (EXACT if numbers(sentence) else COVERAGE):
        return CheckedSentence(sentence, False)
    return CheckedSentence(sentence, True, evidence[best].id)
