"""Approved answers: which question gets which, whom it is given to, and what stands in its record. Real records, and a
real encoder where it says slow; a model that is asked for an approved answer fails the test."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from org.linking.entities import EntityFinder
from org.reading.charts import load
from store.approved import Approved
from store.person import Newcomer
from store.records import Records
from tests.scripted import Scripted
from trag import paper_systems
from trag.approved import Given, Pins, answer
from trag.ask import Assistant
from trag.condense import Turn
from trag.events import Answer, Found
from trag.home import Home, open_home
from trag.people import CurrentUser
from trag.people.permissions import readers
from trag.record import AnswerRecord, Approval, CheckedSentence, Checks, ModelUsed, Source, StatementUsed
from trag.review import approvals
from trag.review.verdicts import put_label
from trag.settings import Settings

CHART = b"id,name,parent,type\na,Acme,,firm\nl,Legal Division,Acme,division\ne,Ethics Office,Legal Division,office\n"
OTHER_CHART = CHART + b"p,Press Desk,Acme,desk\n"
OPEN_SAFE, CLOSE_SAFE = "How do I open the safe?", "How do I close the safe?"
Pin, Find = Callable[..., Approved], Callable[..., Given | None]
REPLY = "Turn the wheel twice. Then call the desk."
SOURCES = (
    Source("s1", "section", "safe.md", "1 Opening", None, "Turn the wheel twice.", 0.8),
    Source("s2", "section", "other.md", "1 Lunch", None, "Lunch is at noon.", 0.3),
    Source("chart-1", "chart", "Organization chart v1", "Acme", None, "Acme has a safe.", 1.0),
)
RECORD = AnswerRecord(
    "a",
    OPEN_SAFE,
    OPEN_SAFE,
    "Turn the wheel twice. Lunch is at noon.",
    "answered",
    ModelUsed("small", "0", ""),
    statements=(StatementUsed("a", "Acme has a safe."),),
    sources=SOURCES,
    checks=Checks(
        (CheckedSentence("Turn the wheel twice.", True, "s1"), CheckedSentence("Lunch is at noon.", True, "s2"))
    ),
)


@pytest.fixture
def records(empty_database: Path, tmp_path: Path) -> Iterator[Records]:
    """Two documents, a chart, and an answer that stands on them."""
    with closing(Records(f"sqlite:///{shutil.copy(empty_database, tmp_path)}")) as records:
        records.library.put("safe.md", "1" * 64, None, ())
        records.library.put("other.md", "2" * 64, None, ())
        records.chart_versions.activate("v1", "chart.csv", "3" * 64, by="ada")
        records.save_answer("a", None, OPEN_SAFE, RECORD.answer, RECORD.to_json())
        put_label(records, "a", "rita", "Correct")
        yield records


@pytest.fixture
def pin(records: Records) -> Pin:
    def pin(question: str = OPEN_SAFE, documents: Sequence[str] = ("safe.md",), chart: str = "") -> Approved:
        return approvals.pin(records, "a", question, REPLY, documents, chart, by="rita")

    return pin


@pytest.fixture
def found(records: Records) -> Find:
    """What a question gets, from an encoder that takes every question for the same: the rules decide alone."""
    finder, pins = EntityFinder(load(CHART, "chart.csv")), Pins()

    def found(question: str, readers: frozenset[str] | None = None, near: float = 1.0) -> Given | None:
        def embed(texts: Sequence[str]) -> np.ndarray:
            asked = texts[:1]
            return np.array([[1.0, 0.0] if each in asked else [near, (1 - near**2) ** 0.5] for each in texts])

        return answer(question, records, pins, readers=readers, finder=finder, embed=embed)

    return found


@pytest.mark.parametrize("asked", [OPEN_SAFE, " how do i OPEN the safe", "How can I open a safe?"])
def test_an_approved_answer_is_given_for_its_question_in_other_words(pin: Pin, found: Find, asked: str) -> None:
    assert found(asked) is None
    pin()
    given = found(asked)
    assert given is not None
    assert (given.text, given.approval.by, given.approval.question) == (REPLY, "rita", OPEN_SAFE)


def test_another_question_gets_nothing_however_near_it_is(pin: Pin, found: Find) -> None:
    pin()
    pin("What does the Legal Division do?")
    others = (CLOSE_SAFE, "Why do I open the safe?", "How do I open 2 safes?", "What does the Ethics Office do?")
    assert [found(asked) for asked in others] == [None] * len(others)


def test_a_question_that_is_not_near_gets_nothing_though_its_words_are_the_same(pin: Pin, found: Find) -> None:
    pin()
    assert found("How can I open a safe?", near=0.79) is None
    assert found("How can I open a safe?", near=0.81) is not None


def test_of_two_that_fit_the_spelling_counts_first(pin: Pin, found: Find) -> None:
    pin("How can I open a safe?")
    pin()
    given = found(OPEN_SAFE)
    assert given is not None
    assert given.approval.question == OPEN_SAFE


@pytest.mark.parametrize("asked", [OPEN_SAFE, "How can I open a safe?"], ids=["exact", "near"])
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda records, pinned: records.library.put("safe.md", "9" * 64, None, ()), id="replaced"),
        pytest.param(lambda records, pinned: records.library.delete("safe.md"), id="deleted"),
        pytest.param(
            lambda records, pinned: records.chart_versions.activate("v2", "chart.csv", "4" * 64, by="ada"),
            id="another chart",
        ),
        pytest.param(lambda records, pinned: approvals.unpin(records, pinned.id, by="rita"), id="taken back"),
    ],
)
def test_what_stands_on_something_that_changed_is_not_given(
    records: Records, pin: Pin, found: Find, asked: str, change: Callable[[Records, Approved], object]
) -> None:
    pinned = pin(chart="v1")
    assert found(asked) is not None
    change(records, pinned)
    assert found(asked) is None


def test_it_is_given_to_those_alone_who_may_read_every_document_that_it_stands_on(
    records: Records, pin: Pin, found: Find
) -> None:
    pin(documents=("safe.md", "other.md"))
    records.library.set_audience("other.md", frozenset({"l"}))
    everyone, legal = frozenset({"everyone"}), frozenset({"everyone", "l"})
    assert [found(OPEN_SAFE, held) is not None for held in (everyone, legal, None)] == [False, True, True]
    pin("How can I open a safe?")  # which stands on what everyone may read
    given = found(OPEN_SAFE, everyone)
    assert given is not None
    assert [source.document for source in given.sources] == ["safe.md"]


def test_its_sources_are_those_that_the_reviewer_left_it(records: Records, pin: Pin, found: Find) -> None:
    pin()
    given = found(OPEN_SAFE)
    assert given is not None
    assert [source.id for source in given.sources] == ["s1"]
    assert (given.statements, given.checks.chart) == ((), "")
    assert [(each.text, each.source) for each in given.checks.sentences] == [("Turn the wheel twice.", "s1")]

    records.library.put("new.md", "5" * 64, None, ())
    pin(documents=("new.md",), chart="v1")
    given = found(OPEN_SAFE)
    assert given is not None
    assert [(source.kind, source.document) for source in given.sources] == [
        ("chart", "Organization chart v1"),
        ("approved", "new.md"),
    ]
    assert (given.statements, given.checks.chart, given.checks.sentences) == (RECORD.statements, "v1", ())


def test_the_reviewer_is_called_as_everybody_knows_them(records: Records, pin: Pin, found: Find) -> None:
    pin()
    records.people.add(Newcomer("rita", shown="Rita Moor", role="reviewer", state="active"), by="test")
    given = found(OPEN_SAFE)
    assert given is not None
    assert given.approval.by == "Rita Moor"


# The whole of it


MANUAL = "# Safe\n\n## Opening\n\nTo open the safe, turn the wheel twice and call the desk.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("acme")
    (folder / "safe.md").write_text(MANUAL)
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        results = home.ingest([folder / "safe.md"], replace=False, progress=lambda *_: None)
        assert [each.outcome for each in results] == ["indexed"]
        yield home


@pytest.fixture
def assistant(home: Home) -> Assistant:
    """Whose model must not be asked."""
    return replace(home.assistant, model=Scripted(AssertionError("the model was asked")))


def pinned(home: Home, question: str = OPEN_SAFE, chart: str = "") -> str:
    """The id of an answer that was pinned to a question."""
    id = f"{len(home.records.newest_answers(1000)):032}"
    record = replace(RECORD, id=id, sources=SOURCES[:1])
    home.records.save_answer(id, None, question, record.answer, record.to_json())
    put_label(home.records, id, "rita", "Correct")
    approvals.pin(home.records, id, question, REPLY, ["safe.md"], chart, by="rita")
    return id


def waiting(home: Home, id: str) -> bool:
    """Whether an answer waits for a verdict."""
    review = home.records.reviews.review(id)
    assert review is not None
    return review.review_status == "open"


@pytest.mark.slow
@pytest.mark.parametrize("asked", [OPEN_SAFE, "hi, could you tell me how I can open the safe please"])
def test_it_comes_at_once_and_is_kept_like_any_answer(home: Home, assistant: Assistant, asked: str) -> None:
    pinned(home)
    conversation = home.records.start_conversation("anna", "Safe").id
    found, given = assistant.ask(asked, conversation=conversation)
    assert isinstance(found, Found)
    assert isinstance(given, Answer)
    record = given.record
    assert (record.question, record.answer, record.status) == (asked, REPLY, "approved")
    assert record.model == ModelUsed("", "", "")
    assert isinstance(record.approved, Approval)
    assert (record.approved.by, record.approved.question) == ("rita", OPEN_SAFE)
    assert (
        [source.document for source in record.sources] == [source.document for source in found.sources] == ["safe.md"]
    )
    (kept,) = home.records.answers(conversation)
    assert AnswerRecord.from_json(kept.record_json) == record
    assert waiting(home, record.id)


@pytest.mark.slow
def test_it_waits_in_no_line(home: Home, assistant: Assistant) -> None:
    pinned(home)
    places = [assistant.line.place() for _ in range(home.settings.waiting + assistant.model.slots)]
    for place in places:
        place.__enter__()
    try:
        assert assistant.answer(OPEN_SAFE).status == "approved"
    finally:
        for place in places:
            place.__exit__(None, None, None)


@pytest.mark.slow
def test_another_question_another_system_and_an_evaluation_ask_the_model(home: Home, assistant: Assistant) -> None:
    pinned(home)
    evaluated = replace(assistant, records=None)
    for asked, question, system in (
        (assistant, CLOSE_SAFE, "trag"),
        (assistant, OPEN_SAFE, "rag"),
        (evaluated, OPEN_SAFE, "trag"),
    ):
        with pytest.raises(AssertionError, match="the model was asked"):
            asked.answer(question, steps=paper_systems.steps(system))


@pytest.mark.slow
def test_a_follow_up_is_asked_as_it_stands_alone(home: Home, assistant: Assistant) -> None:
    pinned(home, "Where does the Ethics Office sit?")
    before = Turn("What does the Ethics Office do?", "It hears people.")
    assistant.model = Scripted("never asked", condense="Where does the Ethics Office sit?")
    *_, last = assistant.ask("And where does it sit?", history=[before])
    assert isinstance(last, Answer)
    assert (last.record.status, last.record.question) == ("approved", "And where does it sit?")


@pytest.mark.slow
def test_who_may_not_read_its_document_is_not_given_it(home: Home, assistant: Assistant) -> None:
    pinned(home)
    home.set_audience("safe.md", frozenset({"l"}))
    try:
        chart = home.organization.chart
        inside = readers(CurrentUser("1", "anna", "Anna", "employee", "e"), chart)
        outside = readers(CurrentUser("2", "bert", "Bert", "employee"), chart)
        assert assistant.answer(OPEN_SAFE, readers=inside).status == "approved"
        assert assistant.answer(OPEN_SAFE, readers=outside).status == "cannot_answer"
    finally:
        home.set_audience("safe.md", frozenset({"everyone"}))


@pytest.mark.slow
def test_it_returns_to_the_queue_when_the_chart_or_its_document_changes(home: Home, tmp_path: Path) -> None:
    chart = home.organization.version
    on_chart, on_document = pinned(home, OPEN_SAFE, chart), pinned(home, "Who opens the safe?")
    home.charts.activate(load(OTHER_CHART, "chart.csv"), [("chart.csv", OTHER_CHART)], by="ada")
    assert (waiting(home, on_chart), waiting(home, on_document)) == (True, False)
    (tmp_path / "safe.md").write_text(MANUAL.replace("twice", "three times"))
    home.ingest([tmp_path / "safe.md"], replace=True, progress=lambda *_: None)
    assert waiting(home, on_document)
    gone = pinned(home, "Who opens the safe?")
    home.forget("safe.md")
    assert waiting(home, gone)
    assert home.records.approved.all("pinned") == ()
