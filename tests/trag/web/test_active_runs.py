"""Questions on their way: what a page sees of one, that it outlives the page, and one at a time in a conversation; and
when an assistant that could not be opened is opened again."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest

from trag.errors import TragError
from trag.events import Answer, Event, Found, Retry, Token, Waiting
from trag.llm.queue import QueueFull
from trag.progress import BY_READER, CancelToken
from trag.record import AnswerRecord, ModelUsed
from trag.web import active_runs
from trag.web.active_runs import AT_ONCE, BY_CLOSING, PAUSE, ActiveRun, ActiveRuns, AssistantLoader, Draft

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


class Script:
    """Events that are let out one by one."""

    def __init__(self, *events: Event | Exception) -> None:
        self.events = events
        self.gate = threading.Semaphore(0)

    def __call__(self, stop: CancelToken) -> Iterator[Event]:
        for event in self.events:
            if not self.gate.acquire(timeout=5):
                return
            if isinstance(event, Exception):
                raise event
            yield event


def begun(runs: ActiveRuns, script: Script, conversation: str = "c", *, by: str = "") -> ActiveRun:
    """A question that is begun, as it is found there."""
    assert runs.begin(conversation, "Q?", script, by=by)
    run = runs.find(conversation)
    assert run is not None
    return run


def last(run: ActiveRun) -> Draft:
    """The state that ends a question."""

    async def follow() -> Draft:
        return [draft async for draft in run.follow()][-1]

    return asyncio.run(follow())


def test_every_follower_sees_it_to_the_end() -> None:
    script, runs = Script(FOUND, Token("A"), Answer(RECORD)), ActiveRuns()
    run = begun(runs, script)

    async def follow() -> Draft:
        assert await anext(run.follow()) == Draft("Q?")  # and this page is gone: the answer is still written
        script.gate.release(2)
        async for draft in run.follow():
            if draft.text == "A":
                script.gate.release()
        return draft

    assert asyncio.run(follow()) == states(*script.events)  # type: ignore[arg-type]
    assert runs.find("c") is None, "an answered question is in the records"


def test_one_question_at_a_time_in_each_conversation_and_it_is_known_whether_there_is_any() -> None:
    script, other, runs = Script(Answer(RECORD)), Script(Answer(RECORD)), ActiveRuns()
    assert not runs.busy()
    run = begun(runs, script)
    assert not runs.begin("c", "again", script)
    elsewhere = begun(runs, other, "d")
    script.gate.release()
    assert last(run).record == RECORD
    assert runs.busy(), "the other one goes on"
    newer = begun(runs, Script(Answer(RECORD)))
    runs.forget("c", run.stop)
    assert runs.find("c") is newer, "a question that is over forgets no newer one"
    runs.forget("c", newer.stop)
    assert runs.find("c") is None
    other.gate.release()
    last(elsewhere)
    assert not runs.busy()


def test_what_is_refused_is_said_and_stays_until_the_next_question() -> None:
    script, runs = Script(FOUND, Token("Half"), TragError("No model.", "Set one.")), ActiveRuns()
    run = begun(runs, script)
    script.gate.release(3)
    end = last(run)
    assert (end.text, end.problem, end.hint, end.over) == ("Half", "No model.", "Set one.", True)
    assert runs.find("c") is run
    assert runs.begin("c", "Q?", Script())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("script", [lambda: Script(ZeroDivisionError()), Script], ids=["bug", "no-answer"])
def test_a_fault_ends_the_wait_too(script: Callable[[], Script]) -> None:
    events = script()
    events.gate.release()
    run = ActiveRun("Q?", events(CancelToken()), CancelToken())
    end = last(run)
    run.join(5)  # the thread is over, so that pytest counts its exception to this test and not to a later one
    assert end.over
    assert "fault in the program" in end.problem


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (lambda runs: runs.find("c").stop.set(), "You left the line."),
        (lambda runs: runs.end_all(), "The assistant was stopped before it was your turn."),
    ],
    ids=["its asker", "the end of the app"],
)
def test_who_stops_in_the_line_leaves_it(by: Callable[[ActiveRuns], None], said: str) -> None:
    script, runs = Script(Waiting(2), Waiting(2), Answer(RECORD)), ActiveRuns()
    run = begun(runs, script)
    script.gate.release()
    stopping = threading.Thread(target=by, args=(runs,))
    stopping.start()
    assert run.stop.wait(5)
    script.gate.release()
    end = last(run)
    stopping.join()
    assert (end.problem, end.record, end.over) == (said, None, True)


def test_ending_stops_and_forgets() -> None:
    script, runs = Script(FOUND, Answer(RECORD)), ActiveRuns()
    run = begun(runs, script)
    script.gate.release(2)
    for _ in range(2):
        runs.end("c")
        assert (run.stop.is_set(), runs.find("c")) == (True, None)
    runs.end_all()


def test_an_answer_that_the_end_of_the_app_breaks_off_is_not_laid_at_its_readers_door() -> None:
    scripts, runs = {name: Script(FOUND, Answer(RECORD)) for name in "cd"}, ActiveRuns()
    of_app, of_reader = (begun(runs, script, name) for name, script in scripts.items())
    of_reader.stop.set()
    for script in scripts.values():
        script.gate.release(2)
    runs.end_all()
    assert (of_app.stop.reason, of_reader.stop.reason) == (BY_CLOSING, BY_READER)


def test_nobody_fills_the_line_alone_not_even_with_what_was_deleted_meanwhile() -> None:
    scripts, other, runs = [Script(FOUND, Answer(RECORD)) for _ in range(AT_ONCE)], Script(Answer(RECORD)), ActiveRuns()
    for number, script in enumerate(scripts):
        run = begun(runs, script, f"c{number}", by="ada")
        runs.forget(f"c{number}", run.stop)
    with pytest.raises(QueueFull, match=f"{AT_ONCE} of your questions"):
        runs.begin("more", "Q?", Script(), by="ada")
    assert runs.begin("other", "Q?", other, by="bob")
    for script in (*scripts, other):
        script.gate.release(2)
    run.join(5)
    runs.check("ada")


def test_what_nobody_comes_back_for_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(active_runs, "KEPT", 3)
    runs = ActiveRuns()
    for number in range(12):
        script = Script(TragError("No.", "") if number % 2 else Answer(RECORD))
        run = begun(runs, script, f"c{number}", by=f"p{number}")
        script.gate.release()
        run.join(5)
    assert runs.begin("last", "Q?", Script(), by="last")
    assert [number for number in range(12) if runs.find(f"c{number}")] == [7, 9, 11]


@pytest.mark.parametrize("fault", [False, True], ids=["refused", "a fault"])
def test_what_was_put_right_opens_the_assistant_and_a_fault_is_not_tried_again_and_both_are_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: bool
) -> None:
    clock = Mock(return_value=0.0)
    monkeypatch.setattr(active_runs, "monotonic", clock)
    refused = ZeroDivisionError("by zero") if fault else TragError("The server cannot be reached.", "Start it.")
    with ThreadPoolExecutor(max_workers=1) as threads:
        opened = AssistantLoader(threads, Mock(side_effect=[refused, "assistant"]), Mock())
        for clock.return_value in (0.0, 10 * PAUSE) if fault else (0.0, PAUSE - 1):
            with pytest.raises(type(refused)):
                opened.result()
        clock.return_value = PAUSE
        assert fault or opened.result() == "assistant"
    (record,) = caplog.records
    assert bool(record.exc_info) is fault
    assert fault or record.message == "the assistant cannot be opened: The server cannot be reached. Start it."
