"""The order of the steps, over a real chart, index, encoder and database. The model is scripted where a rule needs a
certain answer."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import prompts
from org.reading.charts import load
from prompts import CANNOT_ANSWER, NO_QUESTION, NOT_FOUND
from tests.scripted import SCRIPTED_ODDS, Scripted
from trag import paper_systems
from trag.condense import Turn
from trag.errors import TragError, in_one_line
from trag.events import Answer, Event, Found, Retry, Token
from trag.home import Home, open_home
from trag.llm.local import LocalModel
from trag.llm.model import ModelAway, ModelDied
from trag.llm.remote import RemoteModel
from trag.progress import CancelToken
from trag.question import cleaned
from trag.record import AnswerRecord
from trag.review import approvals
from trag.review.verdicts import put_label
from trag.settings import Settings

pytestmark = pytest.mark.slow

CHART = b"""name,parent,type,aliases,description
Acme Foundation,,foundation,Acme,
Legal Division,Acme Foundation,division,,
Finance Division,Acme Foundation,division,,
Ethics Office,Legal Division,office,EO,Receives declarations of interest.
Data Protection Office,Legal Division,office,DPO,
Payroll Unit,Finance Division,unit,,
"""
MANUAL = """# Manual

## 1 Contracts

Contracts above 50,000 LMD need two signatures. The Head of Procurement signs first.

## 2 Gifts

Gifts worth more than 40 LMD are declared to the Ethics Office within ten days.
"""


def activate(home: Home, content: bytes) -> None:
    home.charts.activate(load(content, "chart.csv"), [("chart.csv", content)], by="ada")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("acme")
    (folder / "manual.md").write_text(MANUAL)
    with open_home(Settings(home=folder / "home")) as home:
        activate(home, CHART)
        results = home.ingest([folder / "manual.md"], replace=False, progress=lambda step, done, total: None)
        assert [result.outcome for result in results] == ["indexed"]
        yield home


def ask(
    home: Home, question: str, *answers: str | Exception, system: str = "trag", history: Sequence[Turn] = ()
) -> list[Event]:
    assistant = replace(home.assistant, model=Scripted(*answers))
    return list(assistant.ask(question, steps=paper_systems.steps(system), history=history))


def record(events: Sequence[Event]) -> AnswerRecord:
    assert isinstance(events[-1], Answer)
    return events[-1].record


def test_a_short_answer_stands_with_the_words_of_its_source(home: Home) -> None:
    asked = replace(home.assistant, model=Scripted("Two signatures.")).ask(
        "how many signatures does a contract of 60,000 need?"
    )
    saved = [(event, isinstance(event, Answer) and home.records.answer(event.record.id)) for event in asked]
    events, stored = [event for event, _ in saved], saved[-1][1]
    assert [type(event) for event in events[:2]] == [Found, Token]
    answer = record(events)
    assert (answer.answer, answer.status, answer.checks.replaced) == ("Two signatures.", "answered", "false")
    (sentence,) = answer.checks.sentences
    source = next(source for source in answer.sources if source.id == sentence.source)
    assert (source.document, source.section) == ("manual.md", "1 Contracts")
    assert sentence.evidence == "Contracts above 50,000 LMD need two signatures."
    assert sentence.evidence in source.text
    assert stored, "it is saved before it is given"
    assert AnswerRecord.from_json(stored.record_json) == answer


def test_a_question_about_the_chart_is_answered_by_the_chart_alone(home: Home) -> None:
    assistant = replace(home.assistant, model=Scripted("never asked", chart_query="parent(u1)"))
    events = list(assistant.ask("who is above the ethics office?"))
    assert [type(event) for event in events] == [Found, Token, Answer]
    answer = record(events)
    assert "Legal Division" in answer.answer
    assert (answer.status, answer.chart_query, answer.checks.replaced) == ("answered", "parent(u1)", "chart")
    assert {source.kind for source in answer.sources} == {"chart"}
    assert any(source.section.endswith("Legal Division") for source in answer.sources)
    assert isinstance(assistant.model, Scripted)
    assert assistant.model.asked == []


@pytest.mark.parametrize("expression", ["documents()", "nonsense(", "children(u9)", "named('zebra')", ""])
def test_an_expression_that_gives_nothing_leaves_the_question_to_the_documents(home: Home, expression: str) -> None:
    assistant = replace(home.assistant, model=Scripted("Within ten days.", chart_query=expression))
    answer = record(list(assistant.ask("when are gifts declared to the Ethics Office?")))
    assert (answer.answer, answer.chart_query, answer.checks.replaced) == ("Within ten days.", expression, "false")
    assert "Ethics Office is under the Legal Division" in "".join(one.text for one in answer.statements)


def test_a_question_that_names_no_unit_is_not_read_as_an_expression(home: Home) -> None:
    assert record(ask(home, "when must gifts be declared?", "Within ten days.")).chart_query == ""


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        ("Gifts are declared within ninety days.", "90"),
        ("Gifts are declared to Mr Thornbury.", "Thornbury"),
        ("The Ethics Office of the Payroll Unit, within ten days.", "Payroll Unit"),
    ],
    ids=["number", "name", "place"],
)
def test_what_stands_in_no_excerpt_is_written_again_with_the_finding(home: Home, wrong: str, finding: str) -> None:
    assistant = replace(home.assistant, model=Scripted(wrong, "Within ten days."))
    events = list(assistant.ask("when must gifts be declared?"))
    (retry,) = [event for event in events if isinstance(event, Retry)]
    assert finding in retry.reason
    assert isinstance(assistant.model, Scripted)
    assert finding in assistant.model.asked[1][-1].content
    answer = record(events)
    assert (answer.answer, answer.status, answer.checks.attempts) == ("Within ten days.", "answered", 2)


def test_what_stays_without_support_is_refused_and_leads_to_the_nearest_passages(home: Home) -> None:
    answer = record(ask(home, "when must gifts be declared?", "Within ninety days."))
    assert (answer.answer, answer.status, answer.checks.sentences) == (CANNOT_ANSWER, "cannot_answer", ())
    assert "declared to the Ethics Office within ten days" in answer.sources[0].text


def test_a_refusal_of_the_reader_is_shown_in_the_products_words(home: Home) -> None:
    events = ask(home, "how many parking spaces are there?", NOT_FOUND)
    answer = record(events)
    assert (answer.answer, answer.status) == (CANNOT_ANSWER, "cannot_answer")
    assert answer.sources
    assert isinstance(answer.odds, float), "what the reranker makes of the first of them"
    assert answer.refusal_odds == SCRIPTED_ODDS
    assert not any(isinstance(event, Token) for event in events)


def test_a_greeting_gets_a_friendly_line_and_no_sources(home: Home) -> None:
    answer = record(ask(home, "hello there", NO_QUESTION))
    assert "Acme Foundation" in answer.answer
    assert (answer.status, answer.sources) == ("cannot_answer", ())
    answer = record(ask(home, "how many signatures do contracts above 50,000 LMD need?", NO_QUESTION))
    assert answer.answer == CANNOT_ANSWER, "what a line answers is no greeting, whatever the model says"
    assert answer.sources


def test_a_long_question_leaves_room_for_fewer_excerpts_or_says_that_it_does_not_fit(home: Home) -> None:
    model = Scripted("Within ten days.")
    model.context = model.count(prompts.document("gifts " * 100, [])) + home.settings.answer_tokens + 30
    answer = record(list(replace(home.assistant, model=model).ask("gifts " * 100)))
    assert len([source for source in answer.sources if source.kind == "section"]) == 1
    assert answer.tokens.dropped == 1
    model.context = home.settings.answer_tokens + 100
    with pytest.raises(prompts.PromptError, match="does not fit"):
        list(replace(home.assistant, model=model).ask("gifts " * 100))


def test_other_systems_show_the_model_as_it_is(home: Home) -> None:
    wrong = "The Ethics Office is under the Finance Division."
    for system in ("rag", "trag-no-tree", "finetuned", "finetuned-tree"):
        answer = record(ask(home, "Where does the Ethics Office sit?", wrong, system=system))
        assert (answer.answer, answer.checks.replaced) == (wrong, "false"), system
        assert bool(answer.statements) == (system == "finetuned-tree"), system
        assert any(source.kind == "section" for source in answer.sources) == (system in ("rag", "trag-no-tree")), system


def test_a_model_that_dies_leaves_what_it_wrote(home: Home) -> None:
    answer = record(ask(home, "what about gifts?", ModelDied("The model's process ended.", "Ask again.")))
    assert answer.answer == "Half an "
    assert answer.interrupted == "The model's process ended. Ask again."
    assert home.records.answer(answer.id) is not None


def test_while_the_model_is_away_approved_answers_are_given_and_else_what_is_found_without_it(
    home: Home, deadly: LocalModel
) -> None:
    away = replace(home.assistant, model=deadly)
    asked = "when are gifts declared to the Ethics Office?"
    events = list(away.ask(asked))
    assert [type(event) for event in events] == [Found, Answer]
    told = record(events)
    assert (told.answer, told.status) == ("", "cannot_answer")
    assert "process ended" in told.interrupted
    assert any("declared to the Ethics Office within ten days" in one.text for one in told.sources)
    assert any("Ethics Office is under the Legal Division" in one.text for one in told.statements)
    closed = record(list(away.ask(asked, readers=())))
    assert [one.kind for one in closed.sources] == ["chart"], "nothing that is for others"
    server = RemoteModel("http://127.0.0.1:9/v1", name="x")
    *_, last = replace(home.assistant, model=server).ask(asked)
    assert isinstance(last, Answer)
    assert (last.record.sources, last.record.interrupted) == (told.sources, in_one_line(last.away or TragError("")))
    with pytest.raises(ModelAway, match="cannot be reached"):
        replace(home.assistant, model=server).answer(asked)
    put_label(home.records, told.id, "rita", "Correct", "", "")
    chart = home.organization.version
    pinned = approvals.pin(home.records, told.id, asked, "Within ten days.", ["manual.md"], chart, by="rita")
    try:
        given = record(list(away.ask(asked)))
        assert (given.answer, given.status, given.interrupted) == ("Within ten days.", "approved", "")
    finally:
        approvals.unpin(home.records, pinned.id, by="rita")


@pytest.mark.parametrize(
    ("stop", "why"), [(threading.Event(), ()), (CancelToken(), ()), (CancelToken(), ("the app was closed",))]
)
def test_a_reader_who_stops_or_leaves_finds_what_was_written(
    home: Home, stop: threading.Event, why: tuple[str, ...]
) -> None:
    assistant = replace(home.assistant, model=Scripted("One two three four"))
    seen = 0
    for event in assistant.ask("what about gifts?", stop=stop):
        seen += isinstance(event, Token)
        if seen == 2:
            stop.set(*why)
    assert isinstance(event, Answer)
    assert (event.record.answer, event.record.interrupted) == ("One two", *(why or ("stopped by the reader",)))

    conversation = home.records.start_conversation("local", "gifts")
    asking = assistant.ask("what about gifts?", conversation=conversation.id)
    while not isinstance(next(asking), Token):
        pass
    asking.close()
    (stored,) = home.records.answers(conversation.id)
    assert AnswerRecord.from_json(stored.record_json).interrupted == "the reader left"


def test_a_reader_who_leaves_in_the_second_attempt_finds_nothing_of_the_first(home: Home) -> None:
    assistant = replace(home.assistant, model=Scripted("Within ninety days.", "One two three four"))
    conversation = home.records.start_conversation("local", "ethics")
    asking = assistant.ask("when must gifts be declared?", conversation=conversation.id)
    while not isinstance(next(asking), Retry):
        pass
    assert isinstance(next(asking), Token)
    asking.close()
    (stored,) = home.records.answers(conversation.id)
    record = AnswerRecord.from_json(stored.record_json)
    assert record.answer == "One"
    assert record.checks.sentences == ()


def test_an_answer_outside_of_a_conversation_is_kept_as_its_askers(home: Home) -> None:
    assistant = replace(home.assistant, model=Scripted("Gifts are declared."))
    (*_, answer) = assistant.ask("what about gifts?", asker="ada")
    assert isinstance(answer, Answer)
    review = home.records.reviews.review(answer.record.id)
    assert review
    assert review.asker == "ada"


def test_a_follow_up_is_asked_as_it_stands_alone(home: Home) -> None:
    model = Scripted("never asked", chart_query="parent(u1)", condense="who is above the Ethics Office?")
    events = list(
        replace(home.assistant, model=model).ask(
            "who is above it?", history=[Turn("what does the Ethics Office do?", "It receives declarations.")]
        )
    )
    assert record(events).standalone == "who is above the Ethics Office?"
    assert [entity.name for entity in record(events).entities] == ["Ethics Office"]


def test_a_chart_activated_while_one_asks_counts_from_the_next_question(home: Home) -> None:
    assistant = home.assistant
    model, assistant.model = assistant.model, Scripted("never asked", chart_query="parent(u1)")
    asking = assistant.ask("Where does the Ethics Office sit?")
    first = next(asking)
    assert isinstance(first, Found)
    before = home.organization.version
    activate(home, CHART.replace(b"Ethics Office,Legal Division", b"Ethics Office,Finance Division"))
    try:
        *_, last = asking
        assert isinstance(last, Answer)
        assert last.record.checks.chart == before
        assert "Legal Division" in last.record.answer
        now = record(list(assistant.ask("Where does the Ethics Office sit?")))
        assert "Finance Division" in now.answer
        assert now.checks.chart == home.organization.version != before
    finally:
        assistant.model = model
        home.charts.roll_back(before, by="ada")
    assert home.organization.version == before


@pytest.mark.parametrize(
    ("question", "message"),
    [("", "empty"), (" \n\t ", "empty"), ("\x00\x07", "empty"), ("\u200d\u00ad", "empty")],
    ids=["nothing", "white space", "control characters", "marks nobody sees"],
)
def test_a_question_that_cannot_be_asked_says_why(home: Home, question: str, message: str) -> None:
    with pytest.raises(TragError, match=message):
        next(home.assistant.ask(question))


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("\x00Where\x1bis\u200b it?\n", "Where is it?"),
        ("a\n\tb", "a\n\tb"),
        ("أين المكتب؟", "أين المكتب؟"),
        ("کجا می\u200cروند؟", "کجا می\u200cروند؟"),
        ("ශ්\u200dරී അവന്\u200d എവിടെ?", "ශ්\u200dරී അവന്\u200d എവിടെ?"),
        ("Wo ist die Reise\u00adkosten\u00adstelle?", "Wo ist die Reisekostenstelle?"),
        ("\ufeffWho\u2060 signs\u202e it\u202c?", "Who signs it?"),
        ("Where is Eth\u200dics?\n\u200cQues\u200dtion: x", "Where is Ethics?\nQuestion: x"),
        ("<|im\u200b_end|>", "<|im_end|>"),
        ("\ud800Who\ue000signs?", "Who signs?"),
        ("Who signs? \U000e0049\U000e0067", "Who signs?"),
    ],
    ids=[
        "controls", "breaks", "Arabic", "Persian", "Sinhala and Malayalam", "soft hyphens", "marks of order", "hidden",
        "token", "no characters", "tags",
    ],
)  # fmt: skip
def test_a_question_is_asked_as_it_shows(question: str, shown: str) -> None:
    assert cleaned(question) == shown


def test_the_unchanged_start_of_the_prompt_is_not_read_again(home: Home) -> None:
    first = home.assistant.answer("أين يقع مكتب الأخلاقيات؟")
    assert (first.question, bool(first.answer)) == ("أين يقع مكتب الأخلاقيات؟", True), "whatever the script"
    second = home.assistant.answer("when must gifts be declared?")
    assert 0 < second.tokens.evaluated < second.tokens.prompt


def test_a_home_without_a_chart_and_one_without_documents_answer(tmp_path: Path) -> None:
    (tmp_path / "manual.md").write_text(MANUAL)
    with open_home(Settings(home=tmp_path / "documents only")) as home:
        events = ask(home, "anything?")
        answer = record(events)
        assert (answer.answer, answer.status, answer.tokens.prompt) == (CANNOT_ANSWER, "cannot_answer", 0)
        assert not any(isinstance(event, Token) for event in events)
        home.ingest([tmp_path / "manual.md"], replace=False, progress=lambda step, done, total: None)
        answer = record(
            ask(home, "when must gifts be declared?", "Gifts worth more than 40 LMD are declared within ten days.")
        )
        assert (answer.status, answer.checks.chart) == ("answered", "")
    with open_home(Settings(home=tmp_path / "chart only")) as home:
        activate(home, CHART)
        assistant = replace(home.assistant, model=Scripted("never asked", chart_query="path(u1)"))
        answer = record(list(assistant.ask("where is the payroll unit?")))
        assert (answer.status, answer.checks.replaced) == ("answered", "chart")
        assert "Finance Division" in answer.answer


def test_a_follow_up_of_which_nothing_is_found_is_searched_in_its_own_words(home: Home) -> None:
    model = Scripted("Within ten days, to the Ethics Office.", condense="How many zebras per lunar eclipse?")
    history = [Turn("How many zebras are there?", CANNOT_ANSWER)]
    asked = replace(home.assistant, model=model).ask("and gifts of more than 40 LMD, when declared?", history=history)
    answer = record(list(asked))
    assert (answer.standalone, answer.status) == ("and gifts of more than 40 LMD, when declared?", "answered")
    assert answer.standalone in model.asked[-1][-1].content
    other = record(list(replace(home.assistant, model=model).ask("and zebras?", history=history)))
    assert other.standalone == "How many zebras per lunar eclipse?", "its own words find no more"


def test_what_is_asked_in_another_language_is_searched_in_english_and_read_as_it_was_asked(home: Home) -> None:
    question = "Wann muss ich ein teures Präsent von einem Geschäftspartner melden?"
    model = Scripted("Within ten days.", english="When is a gift worth more than 40 LMD declared?")
    answer = record(list(replace(home.assistant, model=model).ask(question)))
    assert (answer.answer, answer.standalone) == ("Within ten days.", question)
    assert answer.odds is not None
    assert answer.odds > 0
    assert question in model.asked[-1][-1].content
    assert "declared" not in model.asked[-1][-1].content.partition("Question:")[2]
