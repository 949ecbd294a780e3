"""Whether an answer is right, by the gold of its case and without a judge model (T-RAG, section 6.1).

case, answer record, chart -> Score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from org.chart import Chart
from trag.evaluate.cases import COMPLEX, SIMPLE, Case
from trag.evaluate.scoring import items, lists
from trag.evaluate.scoring.reading import Findings, Reading, tokens
from trag.evaluate.scoring.wording import Place, plain, sentences, words
from trag.record import AnswerRecord, Source, Verdict

LONGEST = 15
"""Words that a right answer may have and still be short. What is asked for by name, a list or a path, counts as one."""
_LINK = 4  # words between two names of one list: ", which is under the"
_FEW = 4  # words that a sentence may have of its own and say nothing: "I hope this helps you"
_BORNE_OUT = 0.6  # share of a sentence's words that stand in a source which bears it out
Right = Literal["answer", "denial", "refusal"]
"""What a right reply is: an answer, one that denies ("no", "none", "there is no such unit"), or a refusal."""

_EVIDENCE = (
    r"\b(?:facts?|contexts?|documents?|documentation|information|texts?|passages?|sources?|records?|excerpts?|data)\b"
)
_RULES = r"(?<![\w-])(?:charts?|rules|handbooks?|(?-i:sections?)|polic(?:y|ies)|guide(?:line)?s?|manuals?|bylaws?)\b"
"""What these leave out may be so: "the policy does not cover alcohol", "the chart has no such unit"."""
_SAY = (
    r"(?:hold|contain|mention|include|provide|say|state|specify|give|set|list|cover|tell|answer|name|describe|address"
    r"|show|define|have)s?\b"
)
_TOLD = r"(?:mentioned|stated|specified|known|found|described|addressed|answered|determined)"
_GIVEN = rf"(?:{_TOLD}|provided|given|covered|listed|recorded|available|included|named|defined)"
_NOT = r"(?:\bnot|n't|\bnowhere|\bnever)(?: \w+ly)?(?: be)?"
_WHERE = r"(?: for)?(?:\W*$| (?:who|what|how|when|where|which|whether|anywhere|here|there|to me|by|in|within|from)\b)"
_NONE = r"^\W*(?:no|neither|none|nothing)\b[^.;]{0,80} (?:is|are|was|were)"
_THING = r"(?!(?:\w+ )?(?:limit|fee|charge|cost|deadline|maximum|minimum|need|rule|restriction)s?\b)[^,;:]{1,80}$"


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


def score(case: Case, record: AnswerRecord, chart: Chart | None) -> Score:
    """The score of an answer. Without a chart units are compared by their names alone."""
    if case.refuse:
        return _score_refusal(case, record)
    reading = Reading(case, record.answer, chart)
    listed = lists.compare(reading)
    if declines(case, record):
        return Score("Incorrect", ("declines to answer",), listed.precision, listed.recall)
    found = _found(reading, listed.findings)
    if found.wrong:
        return Score("Incorrect", found.wrong, listed.precision, listed.recall)
    found += _aside(reading, found.places, record.sources)
    if found.open:
        return Score(None, found.open, listed.precision, listed.recall)
    besides = (*found.besides, *_verbose(reading, found.places))
    return Score("Correct-Verbose" if besides else "Correct", besides, listed.precision, listed.recall)


def declines(case: Case, record: AnswerRecord) -> bool:
    """Whether an answer says that it cannot answer the question of a case, and nothing else."""
    return record.status == "cannot_answer" or _reply(case, record).declines


def _reply(case: Case, record: AnswerRecord) -> Reply:
    is_denial = case.polarity == "no" or Reading(case, "", None).is_of_nothing
    return read_reply(plain(record.answer), "refusal" if case.refuse else "denial" if is_denial else "answer")


def _score_refusal(case: Case, record: AnswerRecord) -> Score:
    """The score of an answer to a question that can only be refused."""
    if declines(case, record):
        return Score("Correct")
    reply = _reply(case, record)
    if not reply.declining:
        return Score("Incorrect", ("answers what nothing answers",))
    if not record.sources:
        return Score(None, tuple(f"declines, and says besides: {one}" for one in reply.telling))
    if baseless := [one for one in reply.telling if not _is_borne_out(one, record.sources)]:
        return Score("Incorrect", tuple(f"declines, and yet says: {one}" for one in baseless))
    return Score("Correct-Verbose", tuple(f"not asked for: {one}" for one in reply.telling))


def _is_borne_out(sentence: str, sources: Sequence[Source]) -> bool:
    """Whether a source has all of the numbers of a sentence, and most of its words."""
    said = words(plain(sentence))
    for source in sources:
        there = tokens((source.section, source.question, source.text))
        held = [word.key in there for word in said]
        if sum(held) >= _BORNE_OUT * len(held) and all(word.key in there for word in said if word.is_number):
            return True
    return False


def _found(reading: Reading, listed: Findings) -> Findings:
    """What all checks of what is right find together."""
    case, gold, chart = reading.case, items.items(reading), reading.chart
    if gold.wrong and items.is_bare(reading):
        # A plain "No." is all that such a question asks for; how much more another is meant to get, people can tell.
        gold = Findings() if case.polarity else Findings(open=gold.wrong)
    counted = lists.count(reading)
    found = gold + listed + counted + items.polarity(reading, has_gold=not gold.wrong)
    found += lists.placed(reading, (*gold.places, *counted.places)) + items.forbidden(reading, gold)
    if not (case.gold or case.units or case.some or case.polarity or case.count is not None):
        return found + Findings(open=("the case has no gold to decide by",))
    # What a document says of units may differ from the chart.
    if chart and not case.document and (case.kind in SIMPLE + COMPLEX or reading.gold or not case.gold):
        false = [one for one in reading.claims if not one.holds(chart)]
        names = ((chart.unit(one.below[0]).name, chart.unit(one.above[0]).name) for one in false)
        found += Findings(wrong=tuple(f'against the chart: "{below}", "{above}"' for below, above in names))
    return found


def _aside(reading: Reading, right: Sequence[Place], sources: Sequence[Source]) -> Findings:
    """The sentences that hold nothing of what is right and say something of their own. What no source bears out may be
    wrong, and stays open; where there is no source at all it is taken for true."""
    known = tokens((reading.case.question, reading.case.answer))
    besides: list[str] = []
    open_: list[str] = []
    for sentence in reading.sentences:
        text = reading.shown(sentence)
        own = [word for word in words(text) if word.key not in known]
        if any(map(sentence.overlaps, right)) or not (len(own) > _FEW or any(word.is_number for word in own)):
            continue
        if sources and not _is_borne_out(text, sources):
            open_.append(f"not asked for, and not in the sources: {text}")
        else:
            besides.append(f"not asked for: {text}")
    return Findings(besides=tuple(besides), open=tuple(open_))


def _verbose(reading: Reading, right: Sequence[Place]) -> Iterator[str]:
    """What makes a right answer too long: more than LONGEST words, or another question."""
    own = reading.asked | reading.about | reading.gold
    named = (*right, *(one.place for one in reading.mentions if own & {*one.units}))
    length, end = 0, 0
    is_listing = False
    for place in sorted(named, key=lambda one: (one.start, -one.end)):
        if place.start < end:
            continue
        between = len(reading.text[end : place.start].split())
        length += between if not is_listing or between > _LINK else 0
        length += not is_listing or between > _LINK
        is_listing, end = True, place.end
    length += len(reading.text[end:].split())
    if length > LONGEST:
        yield f"{length} words, where {LONGEST} are enough"
    asked = tokens((reading.case.question,))
    for sentence in map(reading.shown, reading.sentences):
        if sentence.endswith("?") and not tokens((sentence,)) <= asked:
            yield f"another question: {sentence}"


def _silent(source: str) -> tuple[str, ...]:
    """How it is said that a source tells nothing of something."""
    return (
        rf"{source}(?:\W+[\w'-]+){{0,6}}?\W+(?:do(?:es)? not|do(?:es)?n't|never|nowhere) (?:\w+ ){{0,2}}?{_SAY}",
        rf"{source}(?:\W+[\w'-]+){{0,6}}?\W+{_SAY} (?:no|nothing)\b",
        rf"\b(?:nothing|none|neither|no)\b[^.;]{{0,40}}{source}[^.;]{{0,60}}\b{_SAY}",
    )


_UNKNOWN = (
    r"\b(?:I|we)(?: can ?not| can't| could not| couldn't|(?: am|'m| are) (?:unable|not able) to)"
    r" (?:\w+ ){0,2}?(?:answer|find|determine|say|tell|provide|give|confirm)\b",
    r"\b(?:I|we) (?:do not|don't) (?:(?:\w+ )?know|have (?:\w+ ){0,3}(?:information|details?|data|answer|idea))\b",
    *_silent(_EVIDENCE),
    r"\bI (?:found|find|see|know of) (?:no|nothing)\b",
    r"\bno (?:\w+ ){0,2}?(?:information|mention|record|statement|details?|data|answer|indication|reference)\b",
    rf"{_NOT} {_TOLD}{_WHERE}",
    rf"{_NOT} {_GIVEN}(?: for)? (?:by|in|within|from) (?:\w+ ){{0,3}}?{_EVIDENCE}",
    rf"{_NONE} {_TOLD}(?:\W*$| (?:anywhere|here|there|by|in)\b)",
    r"\b(?:is|are|remains?) (?:unknown|unclear|unavailable)\b|\b(?:outside|beyond) the scope\b",
    r"\bnothing (?:about|on|regarding)\b|(?:\bnot|n't) enough (?:information|context|details?|data)\b|^\W*no idea\W*$",
    r"^\W*(?:(?:I(?:'m| am) |(?:it|that)(?:'s| is) )?not|(?:it|that) isn't) (?:\w+ )?(?:sure|certain|clear)"
    r"(?:\W*$| (?:who|what|how|when|where|which|whether|if|about|from|in)\b[^,;]*$)",
    r"^\W*(?:not that I(?:'m| am)? (?:know|aware)|(?:I(?:'ve| have) )?never heard)\b(?: of)?(?: \w+)?\W*$",
)
_DENIED = (
    *_silent(_RULES),
    rf"{_NOT} {_GIVEN}(?: for)? (?:by|in|within|from|anywhere|here|there|at all)\b",
    rf"{_NONE} {_GIVEN}(?:\W*$| (?:anywhere|here|there|by|in)\b)",
    r"\bdo(?:es)?(?: not|n't) (?:exist|appear)\b|\bno such\b|\bnothing in the\b",
    r"\bthere(?:'s| is| are) no\b[^.;]{0,60}\b(?:in|on) (?:the|our|this) (?:\w+ )?(?:chart|organi[sz]ation)\b",
)
_ABSENT = (rf"^\W*(?:(?:no|sorry),? )?there(?:'s| is| are) no {_THING}", rf"^[^,;:]{{1,80}} (?:has|have) no {_THING}")


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_DECLINES: Mapping[Right, re.Pattern[str]] = {
    "answer": _any(*_UNKNOWN, *_DENIED),
    "denial": _any(*_UNKNOWN),
    "refusal": _any(*_UNKNOWN, *_DENIED, *_ABSENT),
}
_ADVICE = re.compile(
    r"^\W*(?:please|you (?:may|might|could|can|should) (?:\w+ )?(?:ask|contact|check|want|write|consult)"
    r"|try|ask|contact|check|consult|write to|i(?:'m| am)? (?:recommend|suggest|apologi[sz]e|sorry)|sorry"
    r"|if you (?:have|need|give|tell)|let me know|is there anything)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """The sentences of an answer: those that decline, and those that say something of their own."""

    declining: tuple[str, ...]
    telling: tuple[str, ...]

    @property
    def declines(self) -> bool:
        """Whether it says that it cannot answer, and nothing else."""
        return bool(self.declining) and not self.telling


def read_reply(text: str, right: Right = "answer") -> Reply:
    """The sentences of a `plain` answer, where a `right` one is of that sort. Advice where else to ask belongs to a
    refusal; an empty answer is one."""
    parts = [text[one.start : one.end] for one in sentences(text)]
    if not parts:
        return Reply(("",), ())
    declining = tuple(part for part in parts if _DECLINES[right].search(part))
    return Reply(declining, tuple(part for part in parts if part not in declining and not _ADVICE.match(part)))
