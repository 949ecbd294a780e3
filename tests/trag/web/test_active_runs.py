"""Questions on their way: what a page sees of one, that it outlives the page, and one at a time in a conversation."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from trag.errors import TragError
from trag.events import Answer, Event, Found, Retry, Token, Waiting
from trag.llm.queue import QueueFull
from trag.progress import BY_READER, CancelToken
from trag.record import AnswerRecord, ModelUsed
from trag.web import active_runs
from trag.web.active_runs import AT_ONCE, BY_CLOSING, ActiveRuns, Draft, Drafting

RECORD = AnswerRecord("a1", "Q?", "Q?", "Done.", "answered", ModelUsed("small", "0", ""))
FOUND = Found("Q?", (), (), ())


def states(*events: Event) -> Draft:
    draft = Draft("Q?")
    for event in events:
        draft = draft.after(event)
    return draft


@pytest.mark.parametrize(
    ("events", "draft"),
    [
        ((Waiting(2), Waiting(1)), Draft("Q?", waiting=1)),
        ((Waiting(1), FOUND), Draft("Q?", sources=0)),
        ((FOUND, Token("A "), Token("b")), Draft("Q?", sources=0, text="A b")),
        ((FOUND, Token("A"), Retry("no"), Token("B")), Draft("Q?", sources=0, text="B", retry="no")),
        ((FOUND, Token("A"), Answer(RECORD)), Draft("Q?", sources=0, text="A", record=RECORD, over=True)),
    ],
    ids=["waits", "found", "tokens", "retry", "answer"],
)
def test_each_event_moves_the_draft(events: tuple[Event, ...], draft: Draft) -> None:
    assert states(*events) == draft


def last(drafting: Drafting) -> Draft:
    """The state that ends a question."""

    async def follow() -> Draft:
        return [draft async for draft in drafting.follow()][-1]

    return asyncio.run(follow())


def begun(askings: ActiveRuns, conversation: str) -> Drafting:
    """The question that is there."""
    drafting = askings.find(conversation)
    assert drafting is not None
    return drafting


class Script:
    """Events that are let out one by one."""

    def __init__(self, *events: Event | Exception) -> None:
        self.events = events
        self.gate = threading.Semaphore(0)
        self.stop: CancelToken | None = None

    def __call__(self, stop: CancelToken) -> Iterator[Event]:
        self.stop = stop
        for event in self.events:
            if not self.gate.acquire(timeout=5):
                return
            if isinstance(event, Exception):
                raise event
            yield event


def test_every_follower_sees_it_to_the_end() -> None:
    script = Script(FOUND, Token("A"), Answer(RECORD))
    askings = ActiveRuns()
    assert askings.begin("c", "Q?", script)
    drafting = askings.find("c")
    assert drafting is not None

    async def follow() -> Draft:
        assert await anext(drafting.follow()) == Draft("Q?")  # and this page is gone: the answer is still written
        script.gate.release(2)
        async for draft in drafting.follow():
            if draft.text == "A":
                script.gate.release()
        return draft

    assert asyncio.run(follow()) == states(*script.events)  # type: ignore[arg-type]
    assert askings.find("c") is None, "an answered question is in the records"


def test_one_question_at_a_time_in_each_conversation() -> None:
    script, other = Script(Answer(RECORD)), Script(Answer(RECORD))
    askings = ActiveRuns()
    assert askings.begin("c", "Q?", script)
    assert not askings.begin("c", "again", script)
    assert askings.begin("d", "elsewhere", other)
    script.gate.release()
    other.gate.release()
    drafting = askings.find("c")
    assert drafting is None or last(drafting).record == RECORD
    assert askings.begin("c", "again", Script(Answer(RECORD)))


def test_a_question_that_is_over_forgets_no_newer_one() -> None:
    first, second = Script(Answer(RECORD)), Script(Answer(RECORD))
    askings = ActiveRuns()
    assert askings.begin("c", "Q?", first)
    over = begun(askings, "c")
    first.gate.release()
    last(over)
    assert askings.begin("c", "Newer?", second)
    askings.forget("c", over.stop)
    newer = begun(askings, "c")
    assert newer.draft.question == "Newer?"
    askings.forget("c", newer.stop)
    assert askings.find("c") is None
    second.gate.release()


def test_what_is_refused_is_said_and_stays_until_the_next_question() -> None:
    script = Script(FOUND, Token("Half"), TragError("No model.", "Set one."))
    askings = ActiveRuns()
    askings.begin("c", "Q?", script)
    script.gate.release(3)
    drafting = askings.find("c")
    assert drafting is not None
    end = last(drafting)
    assert (end.text, end.problem, end.hint, end.over) == ("Half", "No model.", "Set one.", True)
    assert askings.find("c") is drafting
    assert askings.begin("c", "Q?", Script())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("script", [lambda: Script(ZeroDivisionError()), Script], ids=["bug", "no-answer"])
def test_a_fault_ends_the_wait_too(script: Callable[[], Script]) -> None:
    events = script()
    events.gate.release()
    drafting = Drafting("Q?", events(CancelToken()), CancelToken())
    end = last(drafting)
    drafting.end()  # the thread is over, so that pytest counts its exception to this test and not to a later one
    assert end.over
    assert "fault in the program" in end.problem


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (lambda askings: askings.find("c").stop.set(), "You left the line."),
        (lambda askings: askings.end_all(), "The assistant was stopped before it was your turn."),
    ],
    ids=["its asker", "the end of the app"],
)
def test_who_stops_in_the_line_leaves_it(by: Callable[[ActiveRuns], None], said: str) -> None:
    script = Script(Waiting(2), Waiting(2), Answer(RECORD))
    askings = ActiveRuns()
    askings.begin("c", "Q?", script)
    drafting = begun(askings, "c")
    script.gate.release()
    stopping = threading.Thread(target=by, args=(askings,))
    stopping.start()
    assert drafting.stop.wait(5)
    script.gate.release()
    end = last(drafting)
    stopping.join()
    assert (end.problem, end.record, end.over) == (said, None, True)


def test_ending_stops_and_forgets() -> None:
    script = Script(FOUND, Answer(RECORD))
    askings = ActiveRuns()
    askings.begin("c", "Q?", script)
    script.gate.release(2)
    askings.end("c")
    assert script.stop is not None
    assert script.stop.is_set()
    assert askings.find("c") is None
    askings.end("c")
    askings.end_all()


def test_an_answer_that_the_end_of_the_app_breaks_off_is_not_laid_at_its_readers_door() -> None:
    scripts = {name: Script(FOUND, Answer(RECORD)) for name in "cd"}
    askings = ActiveRuns()
    for name, script in scripts.items():
        askings.begin(name, "Q?", script)
    begun(askings, "d").stop.set()
    for script in scripts.values():
        script.gate.release(2)
    askings.end_all()
    assert [script.stop.reason for script in scripts.values()] == [BY_CLOSING, BY_READER]  # type: ignore[union-attr]


def test_it_is_known_whether_anybody_is_being_answered() -> None:
    script = Script(FOUND, Answer(RECORD))
    askings = ActiveRuns()
    assert not askings.busy()
    askings.begin("c", "Q?", script)
    drafting = askings.find("c")
    assert drafting is not None
    assert askings.busy()
    script.gate.release(2)
    last(drafting)
    assert not askings.busy()


def test_nobody_fills_the_line_alone_not_even_with_what_was_deleted_meanwhile() -> None:
    askings = ActiveRuns()
    scripts = [Script(FOUND, Answer(RECORD)) for _ in range(AT_ONCE)]
    for number, script in enumerate(scripts):
        assert askings.begin(f"c{number}", "Q?", script, by="ada")
        askings.forget(f"c{number}", begun(askings, f"c{number}").stop)
    with pytest.raises(QueueFull, match=f"{AT_ONCE} of your questions"):
        askings.begin("more", "Q?", Script(), by="ada")
    other = Script(Answer(RECORD))
    assert askings.begin("other", "Q?", other, by="bob")
    scripts[0].gate.release(2)
    for _ in range(500):
        try:
            askings.check("ada")
        except QueueFull:
            time.sleep(0.01)
    askings.check("ada")
    for script in (*scripts[1:], other):
        script.gate.release(2)


def test_what_nobody_comes_back_for_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(active_runs, "KEPT", 20)
    askings = ActiveRuns()

    def refused(stop: threading.Event) -> Iterator[Event]:
        raise TragError("No.", "")
        yield FOUND

    def answered(stop: threading.Event) -> Iterator[Event]:
        yield Answer(RECORD)

    for number in range(60):
        assert askings.begin(f"c{number}", "Q?", refused if number % 2 else answered, by=f"p{number}")
        while askings.busy():
            time.sleep(0.001)
    assert askings.begin("last", "Q?", refused, by="last")
    kept = [number for number in range(60) if askings.find(f"c{number}")]
    assert kept == list(range(21, 60, 2))
