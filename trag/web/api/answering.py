"""A program's question: read from the JSON it sends, asked in a thread, heard in the event loop, and stopped when the
program leaves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, cast
from uuid import uuid4

from fastapi.concurrency import run_in_threadpool
from pydantic import ConfigDict, Field, ValidationError
from pydantic_core import from_json

from trag import briefs, plans, workflows
from trag.ask import Assistant
from trag.brief.record import BriefRecord, Length
from trag.briefs import LONGEST_SUBJECT, Briefed, BriefEvent
from trag.condense import Turn
from trag.errors import SHOWN, TragError
from trag.events import Answer, Found
from trag.flow.record import PlannedStep, PlanRecord
from trag.json_lines import in_words, of
from trag.people.permissions import readers
from trag.plans import Plan, PlanEvent
from trag.question import LONGEST_QUESTION, cleaned
from trag.record import AnswerRecord, Source
from trag.web.active_runs import ActiveRuns, RunEvent, history
from trag.web.api.responses import Refused
from trag.web.visitors import Visit
from trag.workflow.record import WorkflowRecord
from trag.workflows import Drafted, WorkflowEvent

if TYPE_CHECKING:
    from trag.home import Home
    from trag.people import CurrentUser

Sent = TypeVar("Sent")
Kept = TypeVar("Kept", AnswerRecord, PlanRecord, WorkflowRecord, BriefRecord)
Id = Annotated[str, Field(min_length=1, max_length=200)]
MOST_TURNS = 10
"""Turns of a history that are looked at, the latest ones."""
MOST_PROBLEMS = 5
MOST_VALUES = 10_000
"""Names and values that a body may have: a thousand messages have fewer."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier question of the program's, and the answer it got; of each the first 4,000 characters are read."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """What POST /api/ask takes. `conversation` is the id of a conversation of one's own: what was said in it is the
    history, and the answer is kept in it. Without one the program tells the `history`, the oldest turn first."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    conversation: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    history: tuple[Earlier, ...] = ()


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question that can be asked; `conversation` is None outside of one, and `history` empty inside."""

    question: str
    conversation: str | None = None
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """What POST /api/plan takes. `procedure` is the id of the one to plan by, where that is known; `done` are the ids
    of actions that were done already: the plan is of what is left."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    request: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    procedure: Id | None = None
    done: Annotated[tuple[Id, ...], Field(max_length=1_000)] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """What POST /api/workflow takes: what is to be done when, in words."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    request: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]


@dataclass(frozen=True, slots=True)
class Subject:
    """What POST /api/brief takes: a unit or a topic, and how long the briefing is to be (about 120, 250 or 500
    words)."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    subject: Annotated[str, Field(min_length=1, max_length=LONGEST_SUBJECT)]
    length: Length = "standard"


def ask_request(body: bytes) -> AskRequest:
    """The question in the body of a request. Raises Refused for one that cannot be asked."""
    sent = read(Question, body)
    if sent.conversation and sent.history:
        raise Refused(422, "conversation, history: only one of them can be what was said before.")
    said = latest_turns((each.question, each.answer) for each in sent.history)
    return AskRequest(askable(sent.question), sent.conversation, said)


def read(kind: type[Sent], body: bytes) -> Sent:
    """The record of that kind in a body of JSON. Raises Refused with all that is wrong with it."""
    # Each value that may not stand there makes an error of its own: a hundred thousand of them take half a second.
    with suppress(ValueError):
        waiting, number = [from_json(body)], 0
        while waiting and number <= MOST_VALUES:
            value = waiting.pop()
            inside = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
            number += len(inside)
            waiting += inside[:MOST_VALUES]
        if number > MOST_VALUES:
            raise Refused(422, f"the body: it may have {MOST_VALUES:,} names and values.")
    try:
        return cast(Sent, of(cast(Any, kind)).validate_json(body, strict=True))
    except ValidationError as error:
        problems = "; ".join(islice(in_words(error), MOST_PROBLEMS))
        raise Refused(422, f"What was sent cannot be used: {problems}.") from None


def askable(question: str) -> str:
    """The question as it will be asked. Raises Refused when it is empty or too long."""
    try:
        return cleaned(question)
    except TragError as error:
        raise Refused(422, error.message, error.hint) from error


def latest_turns(turns: Iterable[tuple[str, str]]) -> tuple[Turn, ...]:
    """The latest turns of a history, each with what can be read of it."""

    def readable(text: str) -> str:
        try:
            return cleaned(text[:LONGEST_QUESTION])
        except TragError:  # nothing is left of it
            return ""

    return tuple(Turn(readable(question), readable(answer)) for question, answer in tuple(turns)[-MOST_TURNS:])


def without_passages(event: RunEvent) -> RunEvent:
    """An event for who may ask and not read: it says where the answer stands, and not in which words; of a plan whose
    each action is and where it is written; of a briefing what the documents do not word."""

    def named(sources: tuple[Source, ...]) -> tuple[Source, ...]:
        return tuple(replace(source, text="", question="") for source in sources)

    if isinstance(event, Found):
        return replace(event, sources=named(event.sources))
    if isinstance(event, Answer):
        record = event.record
        sentences = tuple(replace(each, evidence="") for each in record.checks.sentences)
        checks = replace(record.checks, sentences=sentences)
        conflicts = tuple(replace(each, evidence="", other_evidence="") for each in record.conflicts)
        changed = replace(record, sources=named(record.sources), checks=checks, conflicts=conflicts)
        return replace(event, record=changed)
    if isinstance(event, PlannedStep):
        return replace(event, step="", description="")
    if isinstance(event, Plan):
        steps = tuple(replace(step, step="", description="") for step in event.record.steps)
        return replace(event, record=replace(event.record, steps=steps))
    if isinstance(event, BriefRecord):
        parts = (
            replace(
                part,
                sentences=tuple(
                    replace(one, text="" if one.how == "quotation" else one.text, evidence="") for one in part.sentences
                ),
            )
            for part in event.parts
        )
        return replace(event, parts=tuple(parts), sources=named(event.sources))
    if isinstance(event, Briefed):
        return replace(event, record=cast(BriefRecord, without_passages(event.record)))
    return event


class AnswerStream(Generic[Kept]):
    """The events of what a program asked for, an answer or what else, as it hears them. Iterate over it once;
    `leave` stops what is written.

    Iterating raises one of SHOWN when there is no answer.
    """

    def __init__(self, *, passages: bool) -> None:
        """`passages`: whether it tells the words of what the answer stands on, or only where they stand."""
        self._passages = passages
        self._stop = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[RunEvent | Exception | None] = asyncio.Queue()

    def copied(self, events: Iterator[RunEvent], stop: threading.Event) -> Iterator[RunEvent]:
        """`events`, each put into the stream once whoever iterates has taken it in: a program that hears its answer may
        ask the next question at once. `stop` ends them."""
        self._stop = stop
        return self._copied(events)

    def leave(self) -> None:
        """Nobody listens any more: what is written by now is kept."""
        self._stop.set()

    async def __aiter__(self) -> AsyncIterator[RunEvent]:
        over = False
        while (heard := await self._heard.get()) is not None:
            if isinstance(heard, Exception):
                raise heard
            over = isinstance(heard, Answer | Plan | Drafted | Briefed)
            yield heard if self._passages else without_passages(heard)
        if not over:
            raise Refused(500, "The answer broke off because of a fault in the program. Its log says more.")

    async def record(self) -> Kept:
        """What was asked for, for those who do not watch it being written. Raises ModelAway where the model was."""
        async for event in self:
            if isinstance(event, Answer | Plan | Drafted | Briefed):
                if event.away:
                    raise event.away
                return cast(Kept, event.record)
        raise AssertionError("iterating ends with an answer, or raises")

    def _copied(self, events: Iterator[RunEvent]) -> Iterator[RunEvent]:
        try:
            for event in events:
                yield event
                self._put(event)
        except SHOWN as error:
            self._put(error)
            raise
        finally:
            self._put(None)

    def _put(self, heard: RunEvent | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: the app has ended, and nobody listens
            self._loop.call_soon_threadsafe(self._heard.put_nowait, heard)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers programs. They wait in the same line as people, and in a conversation there is one question at a time,
    whoever asks it. `ready` gives the assistant as soon as it is open."""

    home: Home
    runs: ActiveRuns
    ready: Callable[[], Assistant]

    async def begin(self, asked: AskRequest, visit: Visit) -> AnswerStream[AnswerRecord]:
        """Ask for whoever came, within the scope of their token. Raises Refused for a conversation that is not theirs
        or that the token may not read, or in which something is being answered, and QueueFull when they have as many
        questions under way as one person may."""
        caller, reads = visit.caller, visit.scope == "read"
        if asked.conversation and not reads:
            raise Refused(403, "This token may only ask.", "Make one that may also read for a conversation of yours.")

        def said(conversation: str) -> tuple[Turn, ...]:
            if not self.home.records.owns(caller.person, conversation):
                raise Refused(404, "There is no such conversation of yours.")
            return history(self.home.records, conversation)

        before = await run_in_threadpool(said, asked.conversation) if asked.conversation else asked.history
        stream = AnswerStream[AnswerRecord](passages=reads)

        def ask(stop: threading.Event) -> Iterator[RunEvent]:
            yield from self.ready().ask(
                asked.question,
                history=before,
                conversation=asked.conversation,
                stop=stop,
                readers=readers(caller, self.home.organization.chart),
                asker=caller.person,
                owned=self.home.records.validity.owned(caller.unit, caller.name),
                page=visit.language,
            )

        if not self._began(asked.conversation or uuid4().hex, asked.question, ask, stream, caller):
            raise Refused(409, "Another question is being answered in this conversation.", "Wait for its answer.")
        return stream

    async def plan(self, goal: Goal, visit: Visit) -> AnswerStream[PlanRecord]:
        """Plan for whoever came, within the scope of their token. Raises Refused for what cannot be planned, and
        QueueFull as `begin` does."""
        caller, id, stream = visit.caller, uuid4().hex, AnswerStream[PlanRecord](passages=visit.scope == "read")
        try:
            asked = await run_in_threadpool(
                plans.plan_request, self.home, caller, goal.request, goal.procedure or "", goal.done
            )
        except TragError as error:
            raise Refused(422, error.message, error.hint) from error

        def make(stop: threading.Event) -> Iterator[PlanEvent]:
            yield from plans.make(self.home, self.ready(), asked, caller, id=id, stop=stop)

        self._began(id, asked.request, make, stream, caller)
        return stream

    async def draft(self, wish: Wish, visit: Visit) -> AnswerStream[WorkflowRecord]:
        """Draft a workflow for whoever came. Raises Refused for what cannot be drafted, and QueueFull as `begin`
        does."""
        caller, id, stream = visit.caller, uuid4().hex, AnswerStream[WorkflowRecord](passages=visit.scope == "read")
        try:
            asked = await run_in_threadpool(workflows.workflow_request, self.home, caller, wish.request)
        except TragError as error:
            raise Refused(422, error.message, error.hint) from error

        def make(stop: threading.Event) -> Iterator[WorkflowEvent]:
            yield from workflows.make(self.home, self.ready(), asked, caller, id=id, stop=stop)

        self._began(id, asked, make, stream, caller)
        return stream

    async def brief(self, subject: Subject, visit: Visit) -> AnswerStream[BriefRecord]:
        """Write a briefing for whoever came, within the scope of their token. Raises Refused for a subject that cannot
        be written about, and QueueFull as `begin` does."""
        caller, id, stream = visit.caller, uuid4().hex, AnswerStream[BriefRecord](passages=visit.scope == "read")
        try:
            asked = await run_in_threadpool(briefs.brief_request, self.home, subject.subject, subject.length)
        except TragError as error:
            raise Refused(422, error.message, error.hint) from error

        def make(stop: threading.Event) -> Iterator[BriefEvent]:
            yield from briefs.make(self.home, self.ready(), asked, caller, id=id, stop=stop)

        self._began(id, asked.subject, make, stream, caller)
        return stream

    def _began(
        self,
        place: str,
        asked: str,
        events: Callable[[threading.Event], Iterator[RunEvent]],
        stream: AnswerStream[Any],
        caller: CurrentUser,
    ) -> bool:
        """Whether what gives these events began at a place; it is forgotten there once it has ended."""

        def told(stop: threading.Event) -> Iterator[RunEvent]:
            try:
                yield from events(stop)
            finally:
                self.runs.forget(place, stop)

        return self.runs.begin(place, asked, lambda stop: stream.copied(told(stop), stop), by=caller.person)
