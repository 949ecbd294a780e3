"""Briefings for people: written when it is their turn, kept before they are shown, shared sentence by sentence, brought
up to date where their sources changed; and which questions a document answers by now.

subject -> the line for the model, a paragraph at a time -> writer -> saved record -> BriefRecord so far..., Briefed
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, get_args

from org.linking.disambiguation import called
from prompts import CANNOT_ANSWER
from trag.brief import writer
from trag.brief.record import BriefRecord, BriefSentence, Length, Part
from trag.brief.writing import bare
from trag.errors import SHOWN, TragError, in_one_line, told
from trag.events import Waiting
from trag.llm.model import ModelAway, ModelDied
from trag.people.permissions import opened, readers
from trag.progress import BY_READER, Cancelled, CancelToken
from trag.question import cleaned
from trag.record import AnswerRecord, Source

if TYPE_CHECKING:
    from org.chart import Chart
    from trag.ask import Assistant
    from trag.home import Home
    from trag.people import CurrentUser

LONGEST_SUBJECT = 200
"""Characters that a subject may have."""
LENGTHS: tuple[Length, ...] = get_args(Length)
_ABOUT = re.compile(r"about\(u(\d+)\)")


@dataclass(frozen=True, slots=True)
class Briefed:
    """The end: the record, already saved. `away` says why the model could not be asked, where it could not."""

    record: BriefRecord
    away: ModelAway | None = None


BriefEvent = Waiting | BriefRecord | Briefed
"""What is told of one briefing on its way: Waiting..., the record so far after each step, Briefed."""


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """What somebody wants a briefing on, how long; or the briefing that is brought up to date."""

    subject: str
    length: Length = "standard"
    previous: BriefRecord | None = None


def brief_request(home: Home, subject: str, length: str = "standard") -> BriefRequest:
    """A subject that can be written about. Raises TragError for one that is empty or too long, for a length that there
    is none of, and where there is nothing to write from."""
    asked = " ".join(cleaned(subject).split())
    if len(asked) > LONGEST_SUBJECT:
        raise TragError(
            f"The subject has {len(asked):,} characters; at most {LONGEST_SUBJECT} are read.",
            "Name a unit, or a topic in a few words.",
        )
    if length not in LENGTHS:
        raise TragError(f"There is no length {length!r}.", f"Say one of {', '.join(LENGTHS)}.")
    if home.state().empty:
        raise TragError("There are no documents yet to write from.", "An admin adds them on the page Documents.")
    return BriefRequest(asked, length)


def update_request(home: Home, caller: CurrentUser, id: str) -> BriefRequest:
    """The request to bring a briefing of a caller up to date. Raises TragError where there is none."""
    record = owned(home, caller, id)
    if record is None:
        raise TragError("There is no such briefing.", "It may have been forgotten meanwhile.")
    return BriefRequest(record.subject, record.length, record)


def make(
    home: Home, assistant: Assistant, asked: BriefRequest, caller: CurrentUser, *, id: str, stop: threading.Event
) -> Iterator[BriefEvent]:
    """The briefing of a caller under an id, saved before its end is told; between its paragraphs others are answered. A
    model that dies, or a set `stop`, ends in a Briefed that is `interrupted`, with quotations where prose was to come.
    One that brings another up to date is shared with whom that is.

    Raises TragError when the line is full, and when the model cannot be started.
    """
    held = readers(caller, home.organization.chart)
    record = BriefRecord(id, asked.subject, "cannot_answer", asked.length)
    away, reason = None, ""

    @contextmanager
    def turn() -> Iterator[Iterator[int]]:
        with assistant.line.place() as positions:
            yield _until_turn(positions, stop)

    with assistant.leases.hold(assistant.model):
        try:
            if asked.previous:
                changed = changes(home, asked.previous)
                steps = writer.update(assistant, asked.previous, changed, readers=held, stop=stop, turn=turn, id=id)
            else:
                steps = writer.write(
                    assistant, asked.subject, length=asked.length, readers=held, stop=stop, turn=turn, id=id
                )
            for step in steps:
                if isinstance(step, BriefRecord):
                    record = step
                yield step
            if stop.is_set():
                raise Cancelled
        except (ModelDied, ModelAway) as error:
            away = error if isinstance(error, ModelAway) else None
            reason = in_one_line(told(error))
        except Cancelled:
            reason = stop.reason if isinstance(stop, CancelToken) else BY_READER
        record = replace(record, interrupted=reason)
        home.records.save_answer(
            id, None, record.subject, record.text, record.to_json(), asker=caller.person, kind="brief"
        )
        for person in home.records.shares.people(asked.previous.id) if asked.previous else ():
            home.records.shares.put(id, person)
    yield Briefed(record, away)


def _until_turn(positions: Iterator[int], stop: threading.Event) -> Iterator[int]:
    """Positions in the line, and 0 once whoever had one has their turn. Raises Cancelled where a stop is set."""
    position = 0
    for position in positions:
        if stop.is_set():
            raise Cancelled
        yield position
    if position:
        yield 0


def owned(home: Home, caller: CurrentUser, id: str) -> BriefRecord | None:
    """The briefing of that id, if it was written for the caller, without what is closed to them by now."""
    stored, review = home.records.answer(id), home.records.reviews.review(id)
    if stored is None or stored.kind != "brief" or review is None or review.asker != caller.person:
        return None
    return open_part(home, caller, BriefRecord.from_json(stored.record_json))


def lost(home: Home, caller: CurrentUser, id: str) -> int:
    """How many sentences of a briefing stand on documents that were closed to its asker or deleted since they read
    them; 0 to anybody else, who may never have been allowed to."""
    stored, own = home.records.answer(id), owned(home, caller, id)
    if stored is None or own is None:
        return 0
    whole = BriefRecord.from_json(stored.record_json)
    return sum(len(part.sentences) for part in whole.parts) - sum(len(part.sentences) for part in own.parts)


def kept(home: Home, caller: CurrentUser, id: str) -> BriefRecord | None:
    """The briefing of that id, if it was written for the caller or is shared with them, sentence by sentence as far as
    they may read the sources; who wrote it may have read more, and nothing tells."""
    if own := owned(home, caller, id):
        return own
    stored = home.records.answer(id)
    if stored is None or stored.kind != "brief" or caller.person not in home.records.shares.people(id):
        return None
    return open_part(home, caller, BriefRecord.from_json(stored.record_json))


def open_part(home: Home, caller: CurrentUser, record: BriefRecord) -> BriefRecord:
    """What of a briefing stands on documents that are open to a caller; of one that stands on others too the open
    questions are left out, since they were asked in sight of those."""
    documents = opened(caller, record.documents, home.records.library, home.organization.chart)
    closed = {name for name, title in documents.items() if not title}
    if not closed:
        return record
    hidden = {one.id for one in record.sources if one.document in closed}
    parts = [part for each in record.parts if (part := _open_part(each, hidden)).sentences]
    sources = tuple(one for one in record.sources if one.id not in hidden)
    status = record.status if parts else "cannot_answer"
    return replace(
        record, status=status, parts=tuple(parts), sources=sources, open=(), choices=(), changed=(), previous=""
    )


def _open_part(part: Part, hidden: Collection[str]) -> Part:
    """A paragraph without the sentences of hidden sources. The reader asked in sight of what those say: its questions
    are left out, and sentences that may have words of them are the documents' own."""
    sentences = tuple(one for one in part.sentences if one.source not in hidden)
    asked = tuple(one for one in part.questions if one.by == "documents")
    if asked != part.questions:
        sentences = tuple(
            replace(one, text=bare(one.evidence), how="quotation") if one.how == "model" else one for one in sentences
        )
    return replace(part, sentences=sentences, questions=asked if len(sentences) == len(part.sentences) else ())


def changes(home: Home, record: BriefRecord) -> tuple[int, ...]:
    """The places of the parts of a briefing that do not stand as they are any more: a source says something else, is
    gone, or the chart does."""
    return tuple(dict.fromkeys(place for place, _ in _fallen(home, record)))


def changed_sources(home: Home, record: BriefRecord) -> frozenset[str]:
    """The ids of the sources of a briefing that do not say any more what it says they do."""
    return frozenset(source for _, source in _fallen(home, record))


def _fallen(home: Home, record: BriefRecord) -> Iterator[tuple[int, str]]:
    """The place of a part and the id of a source, for each sentence that does not stand any more."""
    library, chart = home.records.library, home.organization.chart
    texts: dict[str, str] = {}

    def stands(sentence: BriefSentence, source: Source) -> bool:
        if source.document not in texts:
            passages = library.passages(source.document) if library.document(source.document) else ()
            texts[source.document] = "\n".join(one.text for one in passages if one.kind == "section")
        return sentence.evidence in texts[source.document]

    sources = {one.id: one for one in record.sources}
    for place, part in enumerate(record.parts):
        if any(one.how == "chart" for one in part.sentences):
            if chart is None or record.unit not in chart.units or writer.of_chart(record.unit, chart) != part:
                yield place, part.sentences[0].source
        else:
            yield from ((place, one.source) for one in part.sentences if not stands(one, sources[one.source]))


def differences(old: Part, new: Part) -> tuple[tuple[str, str], ...]:
    """The sentences of two states of a paragraph in one line: ("same" | "gone" | "new", sentence)."""
    before, after = ([one.text for one in part.sentences] for part in (old, new))
    told: list[tuple[str, str]] = []
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            told += (("same", text) for text in before[first:last])
        else:
            told += [*(("gone", text) for text in before[first:last]), *(("new", text) for text in after[start:end])]
    return tuple(told)


def revised(old: BriefRecord, new: BriefRecord) -> tuple[dict[int, tuple[tuple[str, str], ...]], tuple[Part, ...]]:
    """What a briefing that was brought up to date has in place of an older one: by their places the `differences` of
    the parts that were written anew from those of the same heading, and the parts that are gone."""
    left = [part for part in old.parts if part not in new.parts]
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    for place in new.changed:
        part = new.parts[place]
        before = next((one for one in left if one.title == part.title), Part(part.title, ()))
        left = [one for one in left if one is not before]
        found[place] = differences(before, part)
    return found, tuple(left)


def answered_since(assistant: Assistant, questions: Sequence[str]) -> dict[str, Source]:
    """Which of some questions a document answers by now, and where. Raises QueueFull when the line is full, and what
    the model raises."""
    with assistant.line.place() as positions:
        for _ in positions:
            """Others are answered first."""
        return writer.answered(assistant, questions)


def offered(home: Home, caller: CurrentUser) -> bool:
    """Whether there is anything to write of; an admin may add it."""
    try:
        return caller.may("admin") or not home.state().empty
    except SHOWN:  # a page that says what is wrong is drawn all the same
        return False


def subject_of(record: AnswerRecord, chart: Chart | None) -> str:
    """The name of the unit that a briefing is offered on under an answer, "" for none: the one that the reader took the
    question to ask all about (`about(u1)`), else the only one that it names beside the organization itself."""
    if chart is None:
        return ""
    named = [unit for unit in dict.fromkeys(entity.unit for entity in record.entities) if unit in chart.units]
    about = _ABOUT.fullmatch(record.chart_query)
    if about and int(about[1]) <= len(named):
        return called(chart.unit(named[int(about[1]) - 1]), chart)
    below = [unit for unit in named if unit != chart.root.id]
    return called(chart.unit(below[0]), chart) if len(below) == 1 else ""


def brief_as_text(record: BriefRecord) -> str:
    """A briefing as Markdown: paragraphs under their headings with numbers for the sources, and what is open."""
    if record.status == "ask_which":
        return "\n".join(["Which do you mean?", *(f"- {name}" for name in record.choices)])
    if not record.parts:
        near = [f"- {name}" for name in record.choices]
        return "\n".join([CANNOT_ANSWER, *(["", "The nearest headings:", *near] if near else [])])
    number = {one.id: place for place, one in enumerate(record.sources, 1)}
    lines = [f"# {record.subject}"]
    if record.interrupted:
        lines += ["", f"({record.interrupted})"]
    for part in record.parts:
        lines += ["", f"## {part.title}"] if part.title else []
        said = (f"{one.text} [{number[one.source]}]" for one in part.sentences)
        lines += ["", " ".join(said)]
    if record.open:
        lines += ["", "## What the documents do not say", "", *(f"- {one.text}" for one in record.open)]
    lines += ["", "## Sources", ""]
    lines += [f"{number[one.id]}. {one.document}{f', {one.section}' if one.section else ''}" for one in record.sources]
    return "\n".join(lines)
