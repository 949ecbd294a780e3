"""Questions being answered, and the assistant that answers them, opened beside the pages.

events of Assistant.ask -> Draft, the latest state -> every page that follows

Each question runs in a thread of its own and outlives the page that asked it: a reload, a phone that locks or a second
window finds the same answer still being written.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Literal

from trag.brief.record import BriefRecord
from trag.briefs import Briefed, BriefEvent
from trag.condense import Turn
from trag.errors import SHOWN, in_one_line, told
from trag.events import Answer, Event, Found, Retry, Token, Waiting
from trag.flow.record import PlanRecord
from trag.llm.queue import QueueFull
from trag.plans import Plan, PlanEvent
from trag.progress import BY_READER, CancelToken
from trag.record import AnswerRecord
from trag.workflow.record import Workflow, WorkflowRecord
from trag.workflows import Drafted, WorkflowEvent

if TYPE_CHECKING:
    from store.records import Records
    from trag.ask import Assistant

log = logging.getLogger(__name__)

RunEvent = Event | PlanEvent | WorkflowEvent | BriefEvent
"""What is told of what is asked, on its way."""

PACE = 0.06
"""Seconds between two states that a follower sees: a page need not be drawn for every token."""
PATIENCE = 1.0
"""Seconds that ending one question waits for what is written to be kept."""
CLOSING = 20.0
"""Seconds that closing the app waits for all questions: what is found for one is sorted without hearing of a stop."""
AT_ONCE = 4
"""Questions that one person may have under way, in the line or before the model is up: nobody fills the line alone."""
BY_CLOSING = "the assistant was stopped meanwhile"
LEFT = {
    BY_READER: ("You left the line.", ""),
    BY_CLOSING: ("The assistant was stopped before it was your turn.", "Ask again when it is back."),
}
"""What somebody in the line is told, by why it ends for them."""
KEPT = 500
"""Failed questions that are remembered, the latest ones, until somebody comes back for them."""
PAUSE = 5.0
"""Seconds between a failure to open the assistant and the next try."""


@dataclass(frozen=True, slots=True)
class Draft:
    """How far one question has come.

    `waiting` is the place in line, 0 when its turn has come; `sources` is None until they are found; `record` is the
    answer, the plan, the workflow or the briefing, None while it is written and when it `failed`: the line was full,
    the asker left it, or something else, as `problem` and `hint` explain then; `workflow` and `brief` are what is
    written of one so far, and `states` how many states of a briefing there were.
    """

    question: str
    waiting: int = 0
    sources: int | None = None
    text: str = ""
    retry: str = ""
    workflow: Workflow | None = None
    brief: BriefRecord | None = None
    states: int = 0
    record: AnswerRecord | PlanRecord | WorkflowRecord | BriefRecord | None = None
    failed: Literal["", "full", "left", "fault"] = ""
    problem: str = ""
    hint: str = ""
    over: bool = False

    def after(self, event: RunEvent) -> Draft:
        match event:
            case Waiting(position):
                return replace(self, waiting=position)
            case Found(sources=sources):
                return replace(self, waiting=0, sources=len(sources))
            case Token(text):
                return replace(self, text=self.text + text)
            case Retry(reason):
                return replace(self, text="", retry=reason)
            case Workflow():
                return replace(self, waiting=0, workflow=event)
            case BriefRecord():
                return replace(self, waiting=0, brief=event, states=self.states + 1)
            case Answer(record) | Plan(record) | Drafted(record) | Briefed(record):
                return replace(self, record=record, over=True)
            case _:  # a plan is shown whole
                return self


def history(records: Records, conversation: str) -> tuple[Turn, ...]:
    """What was asked and answered in a conversation so far."""
    given = (AnswerRecord.from_json(stored.record_json) for stored in records.answers(conversation))
    return tuple(Turn(record.standalone, record.answer) for record in given)


class ActiveRun:
    """One question that is being answered, asked `by` somebody; `draft` is its latest state. `stop` ends it early: what
    is written by then is kept. `over` is told of the last state."""

    def __init__(
        self,
        question: str,
        events: Iterator[RunEvent],
        stop: CancelToken,
        by: str = "",
        over: Callable[[Draft], None] | None = None,
    ) -> None:
        self.by = by
        self._over = over
        self.stop = stop
        self.draft = Draft(question)
        self._thread = threading.Thread(target=self._run, args=(events,), name="asking", daemon=True)
        self._thread.start()

    async def follow(self) -> AsyncIterator[Draft]:
        """The latest state, then each newer one, the last one `over`. Many tokens at once make one state."""
        shown: Draft | None = None
        while shown is None or not shown.over:
            if self.draft is shown:
                await asyncio.sleep(PACE)
                continue
            shown = self.draft
            yield shown

    def join(self, seconds: float) -> None:
        """Wait until nothing more is written, `seconds` at most."""
        self._thread.join(seconds)

    def _run(self, events: Iterator[RunEvent]) -> None:
        try:
            for event in events:
                self.draft = self.draft.after(event)
                if self.stop.is_set() and isinstance(event, Waiting) and self.draft.brief is None:
                    self._fail(*LEFT[self.stop.reason], "left")
                    return
        except SHOWN as error:
            shown = told(error)
            self._fail(shown.message, shown.hint, "full" if isinstance(error, QueueFull) else "fault")
        finally:
            # Whatever else is raised is a bug: its traceback goes to the log, and the asker must not wait for ever.
            if not self.draft.over:
                self._fail("The answer broke off because of a fault in the program.", "Its log says more.")
            if self._over:
                self._over(self.draft)

    def _fail(self, problem: str, hint: str, failed: Literal["full", "left", "fault"] = "fault") -> None:
        self.draft = replace(self.draft, waiting=0, failed=failed, problem=problem, hint=hint, over=True)


class ActiveRuns:
    """What is being asked in which conversation: one question at a time. A failed one stays until the next question.
    `over` is told of each that has ended."""

    def __init__(self, over: Callable[[Draft], None] | None = None) -> None:
        self._over = over
        self._lock = threading.RLock()
        self._runs: dict[str, ActiveRun] = {}
        self._under_way: list[ActiveRun] = []  # also those that are forgotten here, and go on by themselves

    def find(self, conversation: str) -> ActiveRun | None:
        """The question that is being answered in `conversation`, or the last one if it failed."""
        with self._lock:
            run = self._runs.get(conversation)
            if run is not None and run.draft.record is not None:
                del self._runs[conversation]
                return None
            return run

    def busy(self) -> bool:
        with self._lock:
            return any(not run.draft.over for run in self._runs.values())

    def under_way(self) -> tuple[Draft, ...]:
        """How far each has come that is being asked."""
        with self._lock:
            drafts = [run.draft for run in self._under_way]
        return tuple(draft for draft in drafts if not draft.over)

    def check(self, by: str) -> None:
        """Raises QueueFull while that person has as many questions under way as one person may."""
        with self._lock:
            self._under_way = [run for run in self._under_way if not run.draft.over]
            own = sum(run.by == by for run in self._under_way)
        if by and own >= AT_ONCE:
            raise QueueFull(f"{own} of your questions are being answered or wait.", "Wait for one of them, or stop it.")

    def begin(
        self,
        conversation: str,
        question: str,
        ask: Callable[[CancelToken], Iterator[RunEvent]],
        *,
        by: str = "",
    ) -> bool:
        """Ask `question` in `conversation`, or plan or draft under an id; False, and nothing is asked, while another
        one is being answered there.

        `by` is the id of who asks, "" for nobody in particular. Raises what `check` raises.
        """
        with self._lock:
            running = self._runs.get(conversation)
            if running is not None and not running.draft.over:
                return False
            self.check(by)
            # Answers are in the records; of failures those are forgotten that many others came after.
            over = [(place, each.draft) for place, each in self._runs.items() if each.draft.over]
            failed = [place for place, draft in over if draft.record is None]
            for place in [place for place, draft in over if draft.record] + failed[:-KEPT]:
                del self._runs[place]
            stop = CancelToken()
            run = ActiveRun(question, ask(stop), stop, by, self._over)
            self._runs[conversation] = run
            self._under_way.append(run)
            return True

    def end(self, conversation: str) -> None:
        """Stop what is being asked in `conversation` and forget it, once what is written is kept."""
        with self._lock:
            run = self._runs.pop(conversation, None)
        if run is not None:
            run.stop.set()
            run.join(PATIENCE)

    def forget(self, conversation: str, stop: threading.Event) -> None:
        """Forget the question in `conversation` that `stop` ends, and no other; it goes on by itself."""
        with self._lock:
            run = self._runs.get(conversation)
            if run is not None and run.stop is stop:
                del self._runs[conversation]

    def end_all(self) -> None:
        """Stop everything that is being asked, and wait until it has stopped: the app is about to close, and Python
        aborts when it ends around a thread that is deep in torch."""
        with self._lock:
            runs = tuple(self._under_way)
        for run in runs:
            run.stop.set(BY_CLOSING)
        by = monotonic() + CLOSING
        for run in runs:
            run.join(max(0.0, by - monotonic()))


class AssistantLoader:
    """The assistant that `open` gives, called in `threads`, then `warm`: at once, and again while that fails with what
    people can put right, for what it needs may be there a moment later: a Chroma server, a model file."""

    def __init__(self, threads: Executor, open: Callable[[], Assistant], warm: Callable[[], None]) -> None:
        self._threads = threads
        self._open = open
        self._warm = warm
        self._lock = threading.Lock()
        self._again = math.inf  # when to try again (monotonic)
        self._latest = threads.submit(self._opened)

    def latest(self) -> Future[Assistant]:
        """The latest try, a new one where the one before failed a while ago."""
        with self._lock:
            if monotonic() >= self._again:
                self._again = math.inf
                self._latest = self._threads.submit(self._opened)
            return self._latest

    def result(self) -> Assistant:
        """The assistant, as soon as it is open. Raises why it cannot be opened."""
        return self.latest().result()

    def _opened(self) -> Assistant:
        try:
            assistant = self._open()
        except SHOWN as error:
            log.error("the assistant cannot be opened: %s", in_one_line(error))
            self._again = monotonic() + PAUSE
            raise
        except Exception:
            log.exception("a fault in the program: the assistant cannot be opened")
            raise
        # In a thread that nobody waits for: closing the model ends it.
        threading.Thread(target=self._warmed, name="warming", daemon=True).start()
        return assistant

    def _warmed(self) -> None:
        try:
            self._warm()
        except SHOWN as error:
            log.warning("the model is not warm yet: %s", in_one_line(error))
