"""Briefings: what is known of a subject, in paragraphs under the headings of the documents, every sentence with its
source (Godbole and others 2024, plan-based retrieval, in the parts that a small reader keeps).

subject -> unit, sections, questions of pairs -> their lines (quotations, at once) -> the reader's further questions
        -> a second search: answered, or open -> each line as a sentence, checked -> BriefRecord so far...

The plan is the documents' own: their headings are the paragraphs, and the questions of the pairs that were made of them
what these answer. The reader asks what is left; what nothing answers is said at the end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

import prompts
from org.query.sentences import described, kind, label, parent, sentence, several
from trag.brief import writing
from trag.brief.gathering import Fact, Gathering, chosen
from trag.brief.record import BriefQuestion, BriefRecord, BriefSentence, BriefStatus, Length, Part
from trag.brief.writing import bare
from trag.events import Waiting
from trag.llm.model import text_of
from trag.people.permissions import Readers
from trag.record import ModelUsed, Source

if TYPE_CHECKING:
    from org.chart import Chart
    from store.passage import Passage
    from trag.ask import Assistant

WORDS: dict[Length, int] = {"short": 120, "standard": 250, "full": 500}
"""About how long the paragraphs are together."""
_ENOUGH = 3
"""Facts below which too little is known for a briefing."""
_FURTHER = 5
"""Questions that the reader adds."""
_WORDS_A_PAIR = 12
"""Words of a briefing for which the question of one more pair is looked up."""
_FIRST = 0.8
"""What share of the words is for what is found before the reader asks."""
_QUESTIONS = 'root ::= question{1,5}\nquestion ::= [^\\n?]{8,140} ("?" | "？" | "؟") "\\n"'

Turn = Callable[[], AbstractContextManager[Iterable[int]]]
"""The line for the model, taken for one paragraph at a time: it gives the positions until it is one's turn."""


def _at_once() -> AbstractContextManager[Iterable[int]]:
    return nullcontext(())


def write(
    assistant: Assistant,
    subject: str,
    *,
    length: Length = "standard",
    readers: Readers,
    stop: threading.Event | None = None,
    turn: Turn = _at_once,
    id: str = "",
) -> Iterator[Waiting | BriefRecord]:
    """The record of a briefing as it grows: with quotations first, then with a paragraph of prose more at a time, the
    last one whole; between them the places in the line of `turn`. A set `stop` ends it with what is there. Raises what
    the model raises; the last record is good."""
    began, stop = monotonic(), stop or threading.Event()
    chart, finder = assistant.organization.chart, assistant.organization.finder
    mentions = finder.find(subject) if finder else ()
    record = BriefRecord(id or uuid4().hex, subject, "cannot_answer", length, chart=assistant.organization.version)
    if chart and mentions and len(mentions[0].units) > 1:
        names = (" > ".join(one.name for one in chart.path(unit)) for unit in mentions[0].units)
        yield replace(record, status="ask_which", choices=tuple(names))
        return
    unit = mentions[0].units[0] if mentions else ""
    gathering = Gathering(assistant, subject, unit, readers)
    record = replace(record, unit=unit, status="written")
    if chart and unit:
        record = replace(record, parts=(of_chart(unit, chart),))
    room = WORDS[length] - len(record.text.split())
    found = [*gathering.answered(room // _WORDS_A_PAIR), *gathering.lines()]
    facts = chosen(found, int(_FIRST * room))
    if len(facts) < _ENOUGH:
        status: BriefStatus = "too_little" if facts or record.parts else "cannot_answer"
        choices = () if facts or record.parts else gathering.nearest
        record = replace(record, status=status, choices=choices)
    record = _settled(_with(record, facts), assistant, facts, began)
    record = replace(record, first=record.seconds)
    yield record
    if record.status != "written" or stop.is_set():
        return
    with turn() as positions:
        yield from map(Waiting, positions)
        asked = _further(assistant, record, facts, stop)
        answers = list(gathering.answers(asked))
    facts = _added(facts, [*filter(None, answers)])
    used = ModelUsed(assistant.model.identity.name, assistant.model.identity.sha256, "")
    told = [one.text for part in record.parts for one in part.sentences if one.how == "chart"]
    unanswered = [
        question
        for question, fact in zip(asked, answers, strict=True)
        if fact is None and not gathering.says(question, told)
    ]
    record = replace(record, open=tuple(BriefQuestion(one, "reader") for one in unanswered), model=used)
    record = _settled(_with(record, facts, reader=frozenset(asked)), assistant, facts, began)
    yield record
    yield from _worded(record, range(len(record.parts)), facts, assistant, stop, turn, began)


def _worded(
    record: BriefRecord,
    places: Iterable[int],
    facts: Sequence[Fact],
    assistant: Assistant,
    stop: threading.Event,
    turn: Turn,
    began: float,
) -> Iterator[Waiting | BriefRecord]:
    """The record with the quotations of the parts at some places in the reader's words, a part more at a time."""
    for place in places:
        with turn() as positions:
            yield from map(Waiting, positions)
            part, again, quoted = prose(record.parts[place], facts, record, assistant, stop)
        parts = (*record.parts[:place], part, *record.parts[place + 1 :])
        record = replace(record, parts=parts, rewritten=record.rewritten + again, quoted=record.quoted + quoted)
        record = replace(record, seconds=monotonic() - began)
        yield record
        if stop.is_set():
            return


def prose(
    part: Part, facts: Sequence[Fact], record: BriefRecord, assistant: Assistant, stop: threading.Event
) -> tuple[Part, int, int]:
    """A paragraph of quotations in the reader's words, and how many of its sentences were written again and how many
    stay quotations."""
    by_line = {(fact.passage.id, fact.line): fact for fact in facts}
    sentences: list[BriefSentence] = []
    again = quoted = 0
    for one in part.sentences:
        fact = by_line.get((one.source, one.evidence))
        if one.how == "chart" or fact is None or stop.is_set():
            sentences.append(one)
            continue
        said, tries = writing.sentence(fact, record.subject, record.unit, assistant.model, assistant.organization, stop)
        sentences.append(said)
        again += tries > 0
        quoted += tries > 1
    return replace(part, sentences=tuple(sentences)), again, quoted


def _further(assistant: Assistant, record: BriefRecord, facts: Sequence[Fact], stop: threading.Event) -> list[str]:
    """What the reader asks beside what is answered."""
    headings = list(dict.fromkeys(part.title for part in record.parts if part.title))
    answered = list(dict.fromkeys(fact.question for fact in facts if fact.question))
    asked = prompts.brief_questions(record.subject, headings[:8], answered[:16])
    stream = assistant.model.stream(asked, max_tokens=200, stop=stop, task="brief_questions", grammar=_QUESTIONS)
    known = {one.casefold() for one in answered}
    lines = dict.fromkeys(line.strip() for line in text_of(stream)[0].splitlines() if line.strip())
    return [line for line in lines if line.casefold() not in known][:_FURTHER]


def _added(facts: Sequence[Fact], more: Sequence[Fact]) -> list[Fact]:
    lines = {fact.line for fact in facts}
    return [*facts, *({fact.line: fact for fact in more if fact.line not in lines}.values())]


def update(
    assistant: Assistant,
    record: BriefRecord,
    changed: Sequence[int],
    *,
    readers: Readers,
    stop: threading.Event | None = None,
    turn: Turn = _at_once,
    id: str = "",
) -> Iterator[Waiting | BriefRecord]:
    """A briefing in which the parts at the places that are `changed` are written anew, from the same questions, and all
    others are the same to the last sign; a question that was open and is answered by now has a part of its own at the
    end. Else as `write`."""
    began, stop = monotonic(), stop or threading.Event()
    chart = assistant.organization.chart
    gathering = Gathering(assistant, record.subject, record.unit, readers)
    parts: list[Part] = []
    renewed: list[int] = []
    facts: list[Fact] = []
    for place, part in enumerate(record.parts):
        if place not in changed:
            parts.append(part)
            continue
        if any(one.how == "chart" for one in part.sentences):
            made = [of_chart(record.unit, chart)] if chart and record.unit in chart.units else []
        else:
            with turn() as positions:
                yield from map(Waiting, positions)
                found = [*filter(None, gathering.answers([one.text for one in part.questions]))]
            ids = {one.source for one in part.sentences}
            places = {(one.document, one.section) for one in record.sources if one.id in ids}
            found += [one for one in gathering.lines() if (one.passage.document, one.passage.section) in places]
            found = chosen(found, len(part.text.split()))
            facts += found
            made = _parts(found, _by_reader(part))  # under the headings of what they stand on now
        renewed += range(len(parts), len(parts) + len(made))
        parts += made
    was_open = [one.text for one in record.open]
    with turn() as positions:
        yield from map(Waiting, positions)
        answers = list(gathering.answers(was_open))
    new = [*filter(None, answers)]
    facts += new
    more = _parts(new, frozenset(was_open))
    renewed += range(len(parts), len(parts) + len(more))
    left = tuple(one for one, fact in zip(record.open, answers, strict=True) if fact is None)
    version = assistant.organization.version
    made_of = replace(
        record, id=id or uuid4().hex, parts=(*parts, *more), open=left, chart=version, previous=record.id,
        changed=tuple(renewed), rewritten=0, quoted=0, interrupted="",
    )  # fmt: skip
    new_record = _settled(made_of, assistant, facts, began, record.sources)
    yield new_record
    yield from _worded(new_record, renewed, facts, assistant, stop, turn, began)


def answered(assistant: Assistant, questions: Sequence[str]) -> dict[str, Source]:
    """Which of some questions a document answers, and where."""
    found = Gathering(assistant, "", "", None).answers(questions)
    return {fact.question: _source(fact.passage) for fact in found if fact}


def of_chart(unit: str, chart: Chart) -> Part:
    """What the chart says of a unit, in its own words."""
    one = chart.unit(unit)
    said = [kind(one, chart) if one.type else parent(one, chart), described(one, chart)]
    if below := several(chart.children(unit), chart, 20):
        said.append(sentence(f"Directly under {label(one, chart)}: {below}"))
    return Part("", tuple(BriefSentence(text, "chart-1", text, "chart") for text in said if text))


def _with(record: BriefRecord, facts: Sequence[Fact], reader: frozenset[str] = frozenset()) -> BriefRecord:
    """The record with what facts say, behind what the chart says."""
    parts = [part for part in record.parts if any(one.how == "chart" for one in part.sentences)]
    return replace(record, parts=(*parts, *_parts(facts, reader)))


def _by_reader(part: Part) -> frozenset[str]:
    return frozenset(one.text for one in part.questions if one.by == "reader")


def _parts(facts: Sequence[Fact], reader: frozenset[str]) -> list[Part]:
    """A paragraph of quotations for each section that facts are from: that of the first fact, which is the most about
    the subject, then those with most facts; `reader` are the questions that the reader asked."""
    parts: list[Part] = []
    sections: dict[str, list[Fact]] = {}
    for fact in facts:
        sections.setdefault(fact.passage.section, []).append(fact)
    for section in [*sections][:1] + sorted([*sections][1:], key=lambda one: -len(sections[one])):
        found = sections[section]
        found.sort(key=lambda fact: (fact.passage.id, fact.passage.text.find(fact.line)))
        sentences = tuple(BriefSentence(bare(fact.line), fact.passage.id, fact.line, "quotation") for fact in found)
        asked = dict.fromkeys(fact.question for fact in found if fact.question)
        questions = tuple(BriefQuestion(one, "reader" if one in reader else "documents") for one in asked)
        parts.append(Part(section.split(" > ")[-1], sentences, questions))
    return parts


def _settled(
    record: BriefRecord, assistant: Assistant, facts: Sequence[Fact], began: float, before: Sequence[Source] = ()
) -> BriefRecord:
    """The record with the sources that its sentences name, in the order in which they do; those of `before` are known
    already."""
    known = {one.id: one for one in before} | {fact.passage.id: _source(fact.passage) for fact in facts}
    chart = assistant.organization.chart
    sources: dict[str, Source] = {}
    for part in record.parts:
        for one in part.sentences:
            if one.source in sources:
                continue
            if one.how == "chart":
                path = chart.path(record.unit) if chart else ()
                document = f"Organization chart {record.chart}"
                where = " > ".join(each.name for each in path)
                text = " ".join(each.text for each in part.sentences)
                sources[one.source] = Source(one.source, "chart", document, where, None, text, 1.0)
            else:
                sources[one.source] = known[one.source]
    return replace(record, sources=tuple(sources.values()), seconds=monotonic() - began)


def _source(one: Passage) -> Source:
    return Source(one.id, one.kind, one.document, one.section, one.page, one.text, round(one.score, 4))
