"""Questions being answered. Each runs in a thread of its own and outlives the page that asked it.

events of Assistant.ask -> Draft, the latest state -> every page that follows

A reload, a phone that locks or a second window finds the same answer still being written.
Knows nothing about Gradio, HTML or who may see a conversation.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

from trag.condense import Turn
from trag.errors import SHOWN
from trag.events import Answer, Event, Found, Retry, Token, Waiting
from trag.llm.queue import QueueFull
from trag.progress import BY_READER, CancelToken
from trag.record import AnswerRecord

if TYPE_CHECKING:
    from store.records import Records

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


@dataclass(frozen=True, slots=True)
class Draft:
    """How far one question has come.

    `waiting` is the place in line, 0 when its turn has come; `sources` is None until they are found; `record` is the
    answer, None while it is written and when it failed, which `problem` and `hint` explain then.
    """

    question: str
    waiting: int = 0
    sources: int | None = None
    text: str = ""
    retry: str = ""
    record: AnswerRecord | None = None
    problem: str = ""
    hint: str = ""
    over: bool = False

    def after(self, event: Event) -> Draft:
        """The state after one more event."""
        match event:
            case Waiting(position):
                return replace(self, waiting=position)
            case Found(sources=sources):
                return replace(self, waiting=0, sources=len(sources))
            case Token(text):
                return replace(self, text=self.text + text)
            case Retry(reason):
                return replace(self, text="", retry=reason)
            case Answer(record):
                return replace(self, record=record, over=True)


def history(records: Records, conversation: str) -> tuple[Turn, ...]:
    """What was asked and answered in a conversation so far."""
    given = (AnswerRecord.from_json(stored.record_json) for stored in records.answers(conversation))
    return tuple(Turn(record.standalone, record.answer) for record in given)


class Drafting:
    """One question that is being answered, asked `by` somebody; `draft` is its latest state. `stop` ends it early: what
    is written by then is kept."""

    def __init__(self, question: str, events: Iterator[Event], stop: CancelToken, by: str = "") -> None:
        self.by = by
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

    def end(self) -> None:
        """Stop, and wait a little for what is written to be kept."""
        self.stop.set()
        self.join(PATIENCE)

    def join(self, seconds: float) -> None:
        """Wait until nothing more is written, `seconds` at most."""
        self._thread.join(seconds)

    def _run(self, events: Iterator[Event]) -> None:
        try:
            for event in events:
                self.draft = self.draft.after(event)
                if self.stop.is_set() and isinstance(event, Waiting):
                    self._fail(*LEFT[self.stop.reason])
                    return
        except SHOWN as error:
            self._fail(error.message, error.hint)
        finally:
            # Whatever else is raised is a bug: its traceback goes to the log, and the asker must not wait for ever.
            if not self.draft.over:
                self._fail("The answer broke off because of a fault in the program.", "Its log says more.")

    def _fail(self, problem: str, hint: str) -> None:
        self.draft = replace(self.draft, waiting=0, problem=problem, hint=hint, over=True)


class ActiveRuns:
    """What is being asked in which conversation: one question at a time. A failed one stays until the next question."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._draftings: dict[str, Drafting] = {}
        self._under_way: list[Drafting] = []  # also those that are forgotten here, and go on by themselves

    def find(self, conversation: str) -> Drafting | None:
        """The question that is being answered in `conversation`, or the last one if it failed."""
        with self._lock:
            drafting = self._draftings.get(conversation)
            if drafting is not None and drafting.draft.record is not None:
                del self._draftings[conversation]
                return None
            return drafting

    def busy(self) -> bool:
        """Whether anything is being answered, or waits to be."""
        with self._lock:
            return any(not drafting.draft.over for drafting in self._draftings.values())

    def check(self, by: str) -> None:
        """Raises LineFull while that person has as many questions under way as one person may."""
        with self._lock:
            self._check(by)

    def begin(
        self, conversation: str, question: str, ask: Callable[[CancelToken], Iterator[Event]], *, by: str = ""
    ) -> bool:
        """Ask `question` in `conversation`; False, and nothing is asked, while another one is being answered there.

        `by` is the id of who asks, "" for nobody in particular. Raises what `check` raises.
        """
        with self._lock:
            running = self._draftings.get(conversation)
            if running is not None and not running.draft.over:
                return False
            self._check(by)
            self._clear_away()
            stop = CancelToken()
            drafting = Drafting(question, ask(stop), stop, by)
            self._draftings[conversation] = drafting
            self._under_way.append(drafting)
            return True

    def end(self, conversation: str) -> None:
        """Stop what is being asked in `conversation` and forget it."""
        with self._lock:
            drafting = self._draftings.pop(conversation, None)
        if drafting is not None:
            drafting.end()

    def forget(self, conversation: str, stop: threading.Event) -> None:
        """Forget the question in `conversation` that `stop` ends, and no other; it goes on by itself."""
        with self._lock:
            drafting = self._draftings.get(conversation)
            if drafting is not None and drafting.stop is stop:
                del self._draftings[conversation]

    def _check(self, by: str) -> None:
        self._under_way = [drafting for drafting in self._under_way if not drafting.draft.over]
        own = sum(drafting.by == by for drafting in self._under_way)
        if by and own >= AT_ONCE:
            raise QueueFull(f"{own} of your questions are being answered or wait.", "Wait for one of them, or stop it.")

    def _clear_away(self) -> None:
        """Forget answers, which are in the records, and failures that many others came after."""
        over = [(place, each.draft) for place, each in self._draftings.items() if each.draft.over]
        failed = [place for place, draft in over if draft.record is None]
        for place in [place for place, draft in over if draft.record] + failed[:-KEPT]:
            del self._draftings[place]

    def end_all(self) -> None:
        """Stop everything that is being asked, and wait until it has stopped: the app is about to close, and Python
        aborts when it ends around a thread that is deep in torch."""
        with self._lock:
            draftings = tuple(self._under_way)
        for drafting in draftings:
            drafting.stop.set(BY_CLOSING)
        by = monotonic() + CLOSING
        for drafting in draftings:
            drafting.join(max(0.0, by - monotonic()))
