"""What each press on the Ask page does, on real records and with a scripted assistant."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock
from uuid import uuid4

import gradio as gr
import pytest
from bs4 import BeautifulSoup

from org.chart import Chart
from org.reading.charts import load
from store.library import Pair
from store.passage import EVERYONE, Passage
from store.person import Newcomer, Role
from store.records import Records
from tests.scripted import ScriptedAssistant
from trag.condense import Turn
from trag.errors import TragError
from trag.events import Answer, Event, Found, Token
from trag.people import CurrentUser
from trag.question import LONGEST_QUESTION
from trag.record import AnswerRecord, Entity, ModelUsed, Source
from trag.settings import Settings
from trag.web import active_runs, ask
from trag.web.active_runs import AT_ONCE, AssistantLoader
from trag.web.ask import AskPage, Shown, examples

CHART = load(b"name,parent,type\nLarkmoor,,root\nBoard,Larkmoor,body\nBar,Larkmoor,team\n", "chart.csv")


class Scripted(ScriptedAssistant):
    """Answers every question alike, once it may, and keeps the answer."""

    def __init__(self, records: Records) -> None:
        super().__init__(self.events)
        self.records, self.free = records, threading.Event()
        self.free.set()
        self.refusal: Exception | None = None
        self.sources: tuple[Source, ...] = ()

    def events(self, stop: threading.Event) -> Iterator[Event]:
        question, more = self.asked[-1]
        if self.refusal:
            raise self.refusal
        yield Found(question, (), (), ())
        yield Token("The ")
        while not (self.free.wait(0.01) or stop.is_set()):
            pass
        model = ModelUsed("small", "0", "")
        record = AnswerRecord(uuid4().hex, question, question, "The Board.", "answered", model, sources=self.sources)
        if stop.is_set():
            record = replace(record, answer="The", interrupted="stopped by the reader")
        self.records.save_answer(record.id, more["conversation"], question, record.answer, record.to_json())
        yield Answer(record)


UNITS = {"anna": "Board", "bert": "Bar"}
"""The units of the visitors, by their names; others have none."""
NOTHING = ("", gr.skip())
"""No conversation is chosen, or what is chosen already stays: who types fast has begun one before the page is whole."""


@pytest.fixture
def page(records: Records, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskPage]:
    """A page whose visitors are told apart by the request's user name; ada is an admin."""

    def caller(request: Any) -> CurrentUser:
        name = request.username
        return CurrentUser(name, name, name, "admin" if name == "ada" else "employee", unit(UNITS.get(name, "")))

    monkeypatch.setattr(ask, "caller", caller)
    monkeypatch.setattr(ask, "where", lambda _: "10.0.0.7")
    filled, chart = SimpleNamespace(empty=False), SimpleNamespace(chart=CHART)
    home: Any = SimpleNamespace(records=records, organization=chart, state=lambda: filled, settings=Settings())
    home.procedures = SimpleNamespace(in_use=None)
    assistant = Scripted(records)
    page = AskPage(home, opened(lambda: assistant))
    page.assistant.result()
    yield page
    page.runs.end_all()


def opened(give: Callable[[], Any]) -> AssistantLoader:
    """What `give` gives, in place of an assistant."""
    return AssistantLoader(ThreadPoolExecutor(max_workers=1), give, lambda: None)


def scripted(page: AskPage) -> Scripted:
    return cast(Scripted, page.assistant.result())


def late(page: AskPage) -> tuple[AssistantLoader, threading.Event]:
    """The same assistant, which is open once the event is set."""
    assistant, up = page.assistant.result(), threading.Event()
    return opened(lambda: assistant if up.wait(10) else pytest.fail("the test left it closed")), up


def unit(name: str) -> str:
    """The id of a unit of the chart."""
    return next((each.id for each in CHART.named(name)), "")


def by(name: str, **query: str) -> gr.Request:
    return SimpleNamespace(username=name, query_params=query)  # type: ignore[return-value]


def press(**data: str) -> gr.EventData:
    return gr.EventData(None, data)


def named(shown: Shown) -> dict[str, Any]:
    """What a handler changes on the page."""
    return {name: value for name, value in shown._asdict().items() if value != gr.skip()}


def followed(page: AskPage, chosen: str, name: str = "anna") -> list[Shown]:
    """All that a page sees of a question until it is answered."""

    async def all_of_it() -> list[Shown]:
        return [shown async for shown in page.follow(chosen, by(name))]

    return asyncio.run(all_of_it())


def asked(page: AskPage, question: str, chosen: str = "", name: str = "anna") -> str:
    """A question asked and answered; its conversation."""
    begun = page.ask(question, chosen, by(name))
    followed(page, begun.chosen, name)
    return str(begun.chosen)


@pytest.mark.parametrize(
    ("query", "named", "subjects"),
    [
        ("about(u1)", ["Board"], ["Board"]),
        ("documents()", ["Board"], ["Board"]),
        ("", ["Board", "Larkmoor"], ["Board"]),
        ("about(u2)", ["Board", "Bar"], ["Bar"]),
        ("about(u1)", ["Larkmoor"], ["Larkmoor"]),
        ("documents()", ["Larkmoor"], []),
        ("parent(u1)", ["Board", "Bar"], []),
        ("about(u9)", [], []),
    ],
)
def test_an_answer_about_a_unit_leads_to_a_briefing_on_it(
    page: AskPage, query: str, named: list[str], subjects: list[str]
) -> None:
    conversation = page.home.records.start_conversation("anna", "q").id
    entities = tuple(Entity(unit(name), name, name, 0, 1) for name in named)
    record = AnswerRecord("a1", "q", "q", "So.", "answered", ModelUsed("m", "0", ""), entities, chart_query=query)
    page.home.records.save_answer("a1", conversation, "q", "So.", record.to_json())
    anna = CurrentUser("anna", "anna", "anna", "employee", unit("Board"))
    links = [each["href"] for each in BeautifulSoup(page._log(anna, conversation), "html.parser").select(".do a")]
    assert links == [f"/briefings?subject={name}" for name in subjects]


def answered(page: AskPage, name: str = "anna") -> tuple[str, str]:
    """A conversation with one answer, and that."""
    conversation = asked(page, "Who decides?", name=name)
    return conversation, page.home.records.answers(conversation)[0].id


def test_a_question_starts_a_conversation_and_the_next_one_knows_it(page: AskPage) -> None:
    conversation = asked(page, "Who decides?")
    assert asked(page, "And when?", conversation) == conversation
    assert [kept.question for kept in page.home.records.answers(conversation)] == ["Who decides?", "And when?"]
    question, more = scripted(page).asked[1]
    assert (question, more["history"]) == ("And when?", (Turn("Who decides?", "The Board."),))
    assert [kept.title for kept in page.home.records.conversations("anna")] == ["Who decides?"]


@pytest.mark.parametrize(
    ("question", "said"),
    [(" \n", "Type a question first."), ("x" * (LONGEST_QUESTION + 1), "this one has 4,001")],
    ids=["blank", "long"],
)
def test_what_cannot_be_asked_stays_in_the_box(page: AskPage, question: str, said: str) -> None:
    shown = named(page.ask(question, "", by("anna")))
    assert list(shown) == ["notice"]
    assert said in shown["notice"]
    assert not page.home.records.conversations("anna")


def test_a_second_question_waits_for_the_first(page: AskPage) -> None:
    scripted(page).free.clear()
    begun = page.ask("Who decides?", "", by("anna"))
    assert "One question at a time" in named(page.ask("And when?", begun.chosen, by("anna")))["notice"]
    page.stop(begun.chosen, by("bert"))
    assert (page.runs.find(begun.chosen) or pytest.fail("bert ended it")).stop.is_set() is False
    page.stop(begun.chosen, by("anna"))
    *_, last = followed(page, begun.chosen)
    assert "You stopped this." in last.log


def test_a_second_press_on_a_page_asks_nothing_while_the_first_is_under_way(page: AskPage) -> None:
    async def built() -> gr.Blocks:
        return page.build()  # Gradio looks for the loop that it is to run in

    asking = [each for each in asyncio.run(built()).fns.values() if each.name in ("ask", "ask_this")]
    assert [(len(each.targets), each.trigger_mode) for each in asking] == [(2, "once"), (1, "once"), (1, "once")]
    assert {each.concurrency_limit for each in asking} == {None}, "several visitors ask at once all the same"


def test_a_refusal_is_shown_with_the_question(page: AskPage) -> None:
    scripted(page).refusal = TragError("20 people are waiting.", "Ask later.")
    begun = page.ask("Who <decides>?", "", by("anna"))
    *_, last = followed(page, begun.chosen)
    assert "Who &lt;decides&gt;?" in last.live
    assert "20 people are waiting." in last.live


def test_labels_are_kept_changed_and_commented(page: AskPage) -> None:
    conversation, answer = answered(page)
    page.remark(conversation, by("anna"), press(answer=answer, comment="early", corrected=""))
    assert page.home.records.label(answer, "anna") is None, "a comment needs a verdict"
    page.judge(conversation, by("anna"), press(answer=answer, verdict="Correct"))
    page.remark(conversation, by("anna"), press(answer=answer, comment=" fine ", corrected="The Board."))
    shown = page.judge(conversation, by("anna"), press(answer=answer, verdict="Correct-Verbose"))
    label = page.home.records.label(answer, "anna")
    assert label
    assert (label.verdict, label.comment, label.corrected) == ("Correct-Verbose", "fine", "The Board.")
    assert (
        'data-verdict="Correct-Verbose" title="Right, but it says more than was asked" aria-pressed="true"' in shown.log
    )


@pytest.mark.parametrize("field", ["comment", "corrected"])
def test_a_remark_that_is_too_long_is_refused_and_not_cut(page: AskPage, field: str) -> None:
    conversation, answer = answered(page)
    page.judge(conversation, by("anna"), press(answer=answer, verdict="Correct"))
    said = {"answer": answer, "comment": "", "corrected": ""}
    page.remark(conversation, by("anna"), press(**said | {field: "x" * 4_000}))
    with pytest.raises(gr.Error, match="may have 4,000 characters, this one has 4,001"):
        page.remark(conversation, by("anna"), press(**said | {field: "y" * 4_001}))
    label = page.home.records.label(answer, "anna")
    assert label
    assert getattr(label, field) == "x" * 4_000


def judged_wrong(page: AskPage, name: str) -> tuple[str, bool, str, str]:
    """What is kept once somebody judges an answer to themselves: the comment, whether as its asker, and its state."""
    conversation, answer = answered(page, name)
    page.judge(conversation, by(name), press(answer=answer, verdict="Incorrect"))
    page.remark(conversation, by(name), press(answer=answer, comment="why", corrected=""))
    kept, review = page.home.records.label(answer, name), page.home.records.reviews.review(answer)
    assert kept
    assert review
    return kept.comment, kept.asker, review.review_status, review.flag


def test_an_employee_flags_an_answer_and_a_reviewer_judges_it(page: AskPage) -> None:
    records = page.home.records
    for name, standing, flag in (("anna", "open", "Incorrect"), ("ada", "Incorrect", "")):
        assert judged_wrong(page, name) == ("why", name == "anna", standing, flag)
        told = "remarked" if name == "anna" else "judged"
        assert {(each.what, each.where) for each in records.audit.page(who=name)} == {(told, "10.0.0.7")}
    assert [label.reviewer for label in records.labels()] == ["ada"]


def test_what_a_reviewer_says_of_their_own_question_is_a_flag_while_somebody_else_may_judge(page: AskPage) -> None:
    others: tuple[tuple[Role, str, str], ...] = (("employee", "Incorrect", ""), ("reviewer", "open", "Incorrect"))
    for role, standing, flag in others:
        page.home.records.people.add(Newcomer(f"another {role}", role=role, state="active"), by="test")
        assert judged_wrong(page, "ada") == ("why", bool(flag), standing, flag)


def test_one_person_asks_a_few_questions_at_once_and_the_next_stays_in_the_box(page: AskPage) -> None:
    scripted(page).free.clear()
    for _ in range(AT_ONCE):
        assert page.ask("Who decides?", "", by("anna")).chosen
    shown = named(page.ask("And when?", "", by("anna")))
    assert list(shown) == ["notice"]
    assert f"{AT_ONCE} of your questions" in shown["notice"]
    assert len(page.home.records.conversations("anna")) == AT_ONCE
    assert page.ask("Who decides?", "", by("bert")).chosen


def test_only_the_three_verdicts_are_kept(page: AskPage) -> None:
    conversation, answer = answered(page)
    for verdict in ("", "correct", "<b>", "Correct "):
        page.judge(conversation, by("anna"), press(answer=answer, verdict=verdict))
        assert page.home.records.label(answer, "anna") is None


def test_nobody_reaches_another_ones_conversation(page: AskPage) -> None:
    conversation, answer = answered(page)
    bert = by("bert")
    for shown in (page.open(by("bert", c=conversation)), page.choose(bert, press(conversation=conversation))):
        assert shown.chosen in NOTHING
        assert "Who decides?" not in "".join(map(str, shown))
    assert all("Who decides?" not in str(shown) for shown in followed(page, conversation, "bert"))
    page.judge(conversation, bert, press(answer=answer, verdict="Incorrect"))
    assert page.home.records.label(answer, "bert") is None
    with pytest.raises(gr.Error, match="conversation"):
        page.rename("", bert, press(conversation=conversation, title="mine"))
    with pytest.raises(gr.Error, match="conversation"):
        page.remove("", bert, press(conversation=conversation))
    assert asked(page, "And I?", conversation, name="bert") != conversation
    assert [kept.question for kept in page.home.records.answers(conversation)] == ["Who decides?"]


def test_conversations_are_renamed_and_removed(page: AskPage) -> None:
    first, second = asked(page, "Who decides?"), asked(page, "Who pays?")
    assert "Who <b> it" not in page.rename(second, by("anna"), press(conversation=first, title=" Who <b> it ")).side
    assert [kept.title for kept in page.home.records.conversations("anna")] == ["Who pays?", "Who <b> it"]
    shown = page.remove(second, by("anna"), press(conversation=second))
    assert shown.chosen == ""
    assert [kept.id for kept in page.home.records.conversations("anna")] == [first]


def test_an_address_of_a_conversation_opens_it(page: AskPage) -> None:
    conversation = asked(page, "Who decides?")
    opened = page.open(by("anna", c=conversation))
    assert (opened.chosen, "The Board." in opened.log) == (conversation, True)
    assert page.open(by("anna")).chosen in NOTHING
    assert page.open(by("anna", c="nonsense")).chosen in NOTHING


def test_the_page_is_there_before_the_model(page: AskPage) -> None:
    page.assistant, up = late(page)
    assert "starting" in page.open(by("anna")).state
    begun = page.ask("Who decides?", "", by("anna"))
    assert begun.question == ""
    threading.Timer(0.2, up.set).start()
    *drafts, last = followed(page, begun.chosen)
    assert "Starting the model" in drafts[0].live
    assert all("Who decides?" in draft.live for draft in drafts)
    assert (last.live, "The Board." in last.log) == ("", True)
    assert (last.ask["visible"], last.stop["visible"]) == (True, False)


def test_a_page_that_waits_for_the_model_changes_nothing_but_the_notice(page: AskPage) -> None:
    page.assistant, up = late(page)
    threading.Timer(0.2, up.set).start()
    first, *later = map(named, followed(page, ""))
    assert "chosen" not in first
    assert later == [{"state": ""}]


@pytest.mark.parametrize(
    ("error", "said"), [(TragError("No model.", "Set it."), "No model. Set it."), (ZeroDivisionError(), "fault")]
)
def test_the_page_says_why_nothing_can_be_answered(page: AskPage, error: Exception, said: str) -> None:
    page.assistant = opened(Mock(side_effect=error))
    with pytest.raises(type(error)):
        page.assistant.result()
    assert said in page.open(by("anna")).state


def test_a_question_is_answered_once_what_kept_the_assistant_from_opening_is_put_right(
    page: AskPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.assistant = opened(Mock(side_effect=[TragError("No model.", "Set it."), page.assistant.result()]))
    with pytest.raises(TragError, match="No model"):
        page.assistant.result()
    monkeypatch.setattr(active_runs, "monotonic", lambda: 1e12)
    conversation = asked(page, "Who decides?")
    assert "The Board." in page.open(by("anna", c=conversation)).log
    assert page.open(by("anna")).state == ""


MINUTES = Passage("p1", "section", "minutes.pdf", "2 Bonus", 3, "The canary of the Board sings.")
"""What only the Board may read."""


@pytest.fixture
def minutes(page: AskPage) -> AskPage:
    """The page over a document of the Board's, which the assistant quotes."""
    pair = Pair("1" * 32, "minutes.pdf", "2 Bonus", 3, "Does the canary sing?", "It does.", "short answer", "rule")
    library = page.home.records.library
    library.put("minutes.pdf", "0" * 64, 3, [MINUTES], [pair])
    library.set_audience("minutes.pdf", frozenset({unit("Board")}))
    quoted = Source(MINUTES.id, MINUTES.kind, MINUTES.document, MINUTES.section, 3, MINUTES.text, 0.8, "Does it sing?")
    scripted(page).sources = (quoted,)
    return page


@pytest.mark.parametrize(
    ("name", "readers"),
    [("anna", {EVERYONE, "Larkmoor", "Board"}), ("cleo", {EVERYONE}), ("ada", None)],
    ids=["their unit and those above", "without a unit", "an admin"],
)
def test_the_assistant_is_told_what_the_asker_may_read(page: AskPage, name: str, readers: set[str] | None) -> None:
    asked(page, "Who decides?", name=name)
    held = scripted(page).asked[-1][1]["readers"]
    names = {EVERYONE: EVERYONE} | {each.id: each.name for each in CHART.units.values()}
    assert (None if held is None else {names[key] for key in held}) == readers


@pytest.mark.parametrize(("name", "offered"), [("anna", True), ("ada", True), ("bert", False), ("cleo", False)])
def test_no_question_is_offered_about_what_the_visitor_may_not_read(minutes: AskPage, name: str, offered: bool) -> None:
    assert ("Does the canary sing?" in minutes.open(by(name)).log) is offered


def test_a_source_is_withdrawn_from_who_may_no_longer_read_it(minutes: AskPage) -> None:
    conversation, of_admin = (asked(minutes, "Who decides?", name=name) for name in ("anna", "ada"))
    before = minutes.open(by("anna", c=conversation)).log
    assert all(words in before for words in (MINUTES.text, MINUTES.section, "Does it sing?", "/view?passage=p1"))
    library = minutes.home.records.library
    library.set_audience("minutes.pdf", frozenset({unit("Bar")}))
    assert "/view?passage=p1" in minutes.open(by("ada", c=of_admin)).log
    taken = minutes.open(by("anna", c=conversation)).log
    assert "The Board." in taken, "the answer was given, and stays"
    assert "is for others now" in taken
    for words in (MINUTES.text, MINUTES.section, "Does it sing?", "/view?passage", "page 3", "80%"):
        assert words not in taken
    library.delete("minutes.pdf")
    assert minutes.open(by("anna", c=conversation)).log == taken, "whether it is still there shows"
    log = minutes.open(by("ada", c=of_admin)).log
    assert (MINUTES.text in log, "deleted since" in log) == (True, True)


HALLS = load(b"name,parent,type\nRoot,,x\nHall,Root,x\nA,Hall,x\nB,Hall,x\nC,Hall,x\nDeep,A,x\n", "chart.csv")
OF_CHART = ("Which units are under Hall?",)
PAIRS = [Passage(str(n), "qa", "m.md", f"section {n // 2}", None, "x", f"Question {n}?") for n in range(12)]
NONE = [Passage("1", "section", "m.md", "s", None, "x"), Passage("2", "qa", "m.md", "s", None, "x", "long " * 40)]


@pytest.mark.parametrize(
    ("chart", "passages", "found"),
    [
        (HALLS, PAIRS, (*OF_CHART, "Question 1?", "Question 5?", "Question 9?")),
        (None, PAIRS, ("Question 1?", "Question 3?", "Question 5?", "Question 7?")),
        (None, NONE, ()),
        (load(b"name,parent,type\nAlone,,x\n", "c.csv"), [], ()),
    ],
    ids=["both", "documents alone", "sections and long questions", "a chart of one unit"],
)
def test_what_is_offered_is_of_the_chart_and_of_different_sections(
    chart: Chart | None, passages: list[Passage], found: tuple[str, ...]
) -> None:
    assert examples(chart, passages) == found
