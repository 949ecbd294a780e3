"""The order of the steps, over a real chart, index, encoder and database. The model is scripted where a rule needs a
certain answer."""

import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from org.chart import load
from prompts import CANNOT_ANSWER, Message
from trag.ask import cleaned
from trag.errors import TragError
from trag.events import Answer, Event, Found, Retry, Token
from trag.follow_up import Turn
from trag.home import Home, open_home
from trag.llm import LanguageModel, ModelDied, ModelIdentity, Usage
from trag.record import AnswerRecord, Checks
from trag.settings import Settings
from trag.stop import Stop

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


class Scripted:
    """Answers from a script, remembers what it was asked, and fails when the script runs out."""

    identity = ModelIdentity("scripted")
    context = 4096
    slots = 1

    def __init__(self, *answers: str | Exception) -> None:
        self.script = list(answers)
        self.asked: list[Sequence[Message]] = []

    def count(self, messages: Sequence[Message]) -> int:
        return sum(self.count_text(message.content) for message in messages)

    def count_text(self, text: str) -> int:
        return len(text) // 3

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, stop: threading.Event | None = None
    ) -> Generator[str | Usage, None, None]:
        self.asked.append(messages)
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            yield "Half an "
            raise answer
        for word in answer.split(" "):
            if stop and stop.is_set():
                return
            yield f"{word} "
        yield Usage(self.count(messages), 10, len(answer.split()))

    def close(self) -> None:
        pass


def activate(home: Home, content: bytes) -> None:
    home.activate_chart(load(content, "chart.csv"), "chart.csv", content, by="ada")


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
    return list(assistant.ask(question, system=system, history=history))


def record(events: Sequence[Event]) -> AnswerRecord:
    assert isinstance(events[-1], Answer)
    return events[-1].record


def test_a_right_answer_stands_with_the_sources_it_rests_on(home: Home) -> None:
    events = ask(
        home, "how many signatures does a contract of 60,000 need?", "Contracts above 50,000 LMD need two signatures."
    )
    assert [type(event) for event in events[:2]] == [Found, Token]
    answer = record(events)
    assert (answer.answer.strip(), answer.status, answer.checks.replaced) == (
        "Contracts above 50,000 LMD need two signatures.",
        "answered",
        "false",
    )
    (sentence,) = answer.checks.sentences
    source = next(source for source in answer.sources if source.id == sentence.source)
    assert (source.document, source.section) == ("manual.md", "1 Contracts")
    assert AnswerRecord.from_json(answer.to_json()) == answer


@pytest.mark.parametrize(
    ("question", "status", "answer"),
    [
        (
            "does the payroll unit need two signatures for a contract above 60,000",
            "answered",
            "Contracts above 50,000 LMD need two signatures.",
        ),
        ("how many signatures does the payroll unit collect a year", "cannot_answer", CANNOT_ANSWER),
    ],
    ids=["surely", "hardly"],
)
def test_what_names_none_of_the_units_asked_about_answers_only_surely(
    home: Home, question: str, status: str, answer: str
) -> None:
    found = record(ask(home, question, "Contracts above 50,000 LMD need two signatures."))
    assert (found.status, found.answer.strip()) == (status, answer)


def test_the_answer_is_saved_before_it_is_given(home: Home) -> None:
    answer = record(ask(home, "what about gifts?", "Gifts worth more than 40 LMD are declared within ten days."))
    stored = home.records.answer(answer.id)
    assert stored is not None
    assert AnswerRecord.from_json(stored.record_json) == answer


def test_a_wrong_placement_is_written_again_with_the_finding(home: Home) -> None:
    assistant = replace(
        home.assistant,
        model=Scripted(
            "The Ethics Office is under the Finance Division.", "The Ethics Office is under the Legal Division."
        ),
    )
    events = list(assistant.ask("Where does the Ethics Office sit?"))
    (retry,) = [event for event in events if isinstance(event, Retry)]
    assert "Legal Division, not under Finance Division" in retry.reason
    assert isinstance(assistant.model, Scripted)
    assert "not under Finance Division" in assistant.model.asked[1][-1].content
    answer = record(events)
    assert (answer.answer.strip(), answer.checks.replaced, answer.checks.attempts) == (
        "The Ethics Office is under the Legal Division.",
        "false",
        2,
    )
    assert answer.checks.chart == home.organization.version


@pytest.mark.parametrize("tokens", [0, 700])
def test_the_charts_own_answer_cites_a_source_that_holds_it(tokens: int, home: Home) -> None:
    assistant = replace(
        home.assistant,
        model=Scripted("I do not know."),
        settings=replace(home.assistant.settings, statement_tokens=tokens),
    )
    answer = record(list(assistant.ask("Which units are directly under the Legal Division?")))
    assert answer.checks.replaced == "chart"
    sources = {source.id: source.text for source in answer.sources}
    assert [one.text for one in answer.checks.sentences if one.text not in sources[one.source]] == []


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Where does the Ethics Office sit?", "The Ethics Office is under the Finance Division."),
        ("Which units are directly under the Legal Division?", "The Ethics Office."),
        (
            "Which units are directly under the Legal Division?",
            "The Ethics Office, the Data Protection Office and the Payroll Unit.",
        ),
        ("How many units are directly under the Legal Division?", "There are five units."),
        ("Is the Payroll Unit under the Legal Division?", "Yes, it is."),
        ("Where does the Ethics Office sit?", CANNOT_ANSWER),
    ],
    ids=["place", "left out", "added", "count", "yes", "refusal"],
)
def test_what_stays_wrong_is_replaced_by_the_charts_own_words(home: Home, question: str, wrong: str) -> None:
    answer = record(ask(home, question, wrong, wrong))
    assert answer.checks.replaced == "chart", answer
    assert wrong not in answer.answer
    assert answer.status == "answered"


def test_words_that_no_source_bears_out_give_way_to_a_quotation(home: Home) -> None:
    answer = record(ask(home, "when must gifts be declared?", "Gifts are declared within ninety days to the Ministry."))
    assert answer.checks.replaced == "quotation"
    assert "within ten days" in answer.answer
    assert all(sentence.text in MANUAL for sentence in answer.checks.sentences)


def test_words_of_a_document_that_contradict_the_chart_or_refuse_are_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(
        "# Register\n\nThe register of gifts is kept by the Ethics Office, which is under the Finance Division. "
        f"What is the register of gifts? {CANNOT_ANSWER} The register of gifts lies open in the hall.\n"
    )
    with open_home(Settings(home=tmp_path / "home")) as home:
        activate(home, CHART)
        home.ingest([tmp_path / "notes.md"], replace=False, progress=lambda step, done, total: None)
        wrong = "The Ethics Office is under the Finance Division and keeps the register of gifts."
        for said in (wrong, CANNOT_ANSWER):
            answer = record(ask(home, "who keeps the register of gifts?", said, said))
            assert "Finance Division" not in answer.answer
            assert (CANNOT_ANSWER in answer.answer) == (answer.status == "cannot_answer")


def test_a_correction_about_a_unit_that_no_statement_is_about_brings_its_own_source(home: Home) -> None:
    wrong = "The Payroll Unit is under the Legal Division."
    answer = record(ask(home, "xylophone quartz of the Ethics Office?", wrong, wrong))
    assert answer.checks.replaced == "chart"
    assert "The Payroll Unit is under the Finance Division" in answer.answer
    sources = {source.id: source for source in answer.sources}
    assert len(sources) == len(answer.sources)
    for sentence in answer.checks.sentences:
        assert sentence.text in sources[sentence.source].text
    (source,) = {sentence.source for sentence in answer.checks.sentences}
    assert sources[source].section.endswith("Finance Division > Payroll Unit")
    assert not any("Payroll Unit" in statement.text for statement in answer.statements)


def test_words_beside_those_that_answer_give_way_to_a_quotation(home: Home) -> None:
    beside = "The Head of Procurement signs first."
    answer = record(ask(home, "how many signatures does a contract of 60,000 need?", beside))
    assert answer.checks.replaced == "quotation"
    assert answer.answer.startswith("Contracts above 50,000 LMD need two signatures.")


def test_words_that_leave_out_what_else_may_be_meant_give_way_to_the_whole_sentence(home: Home) -> None:
    answer = record(ask(home, "Within how many days are gifts declared to the Ethics Office?", "Within ten days."))
    assert answer.checks.replaced == "quotation"
    assert answer.answer.startswith("Gifts worth more than 40 LMD are declared")


def test_a_value_beside_another_that_may_be_meant_gives_way_to_both(tmp_path: Path) -> None:
    (tmp_path / "complaints.md").write_text(
        "# Complaints\n\nThe desk answers a complaint within 8 days.\n\nThe board answers a complaint within 30 days.\n"
    )
    with open_home(Settings(home=tmp_path / "home")) as home:
        home.ingest([tmp_path / "complaints.md"], replace=False, progress=lambda step, done, total: None)
        answer = record(ask(home, "within how many days is a complaint answered?", "Within 30 days."))
        assert answer.checks.replaced == "quotation"
        assert answer.answer.startswith("The board answers a complaint within 30 days.")
        assert "8 days" in answer.answer


def test_what_is_said_of_one_unit_is_no_answer_about_another(home: Home) -> None:
    said = "Gifts worth more than 40 LMD are declared within ten days."
    asked = record(ask(home, "Within how many days are gifts declared to the Ethics Office?", said))
    assert (asked.answer.strip(), asked.status) == (said, "answered")
    other = record(ask(home, "Within how many days does the Payroll Unit declare gifts?", said))
    assert (other.answer, other.status) == (CANNOT_ANSWER, "cannot_answer")


def test_lines_of_the_prompt_read_back_are_no_answer(home: Home) -> None:
    recited = "The manual says:\n- [2 Gifts] Gifts worth more than 40 LMD are declared within ten days."
    answer = record(ask(home, "what has to be declared to the Ethics Office?", recited))
    assert answer.checks.replaced == "quotation"
    assert "[" not in answer.answer


def test_where_a_unit_sits_is_no_answer_to_another_question(home: Home) -> None:
    answer = record(
        ask(home, "what has to be declared to the Ethics Office?", "The Ethics Office is under the Legal Division.")
    )
    assert answer.checks.replaced == "quotation"
    assert "Gifts worth more than 40 LMD" in answer.answer


def test_without_evidence_no_token_is_spent(home: Home) -> None:
    events = ask(home, "xylophone zebra quartz?")
    answer = record(events)
    assert (answer.answer, answer.status, answer.tokens.prompt) == (CANNOT_ANSWER, "cannot_answer", 0)
    assert not any(isinstance(event, Token) for event in events)


def test_other_systems_show_the_model_as_it_is(home: Home) -> None:
    wrong = "The Ethics Office is under the Finance Division."
    for system in ("rag", "trag-no-tree", "finetuned", "finetuned-tree"):
        answer = record(ask(home, "Where does the Ethics Office sit?", wrong, system=system))
        assert (answer.answer.strip(), answer.checks.replaced) == (wrong, "false"), system
        assert bool(answer.statements) == (system == "finetuned-tree"), system
        assert any(source.kind == "section" for source in answer.sources) == (system in ("rag", "trag-no-tree")), system


def test_a_model_that_dies_leaves_what_it_wrote(home: Home) -> None:
    answer = record(ask(home, "what about gifts?", ModelDied("The model's process ended.", "Ask again.")))
    assert answer.answer == "Half an "
    assert answer.interrupted == "The model's process ended. Ask again."
    assert home.records.answer(answer.id) is not None


@pytest.mark.parametrize(("stop", "why"), [(threading.Event(), ()), (Stop(), ()), (Stop(), ("the app was closed",))])
def test_a_reader_who_stops_or_leaves_finds_what_was_written(
    home: Home, stop: threading.Event, why: tuple[str, ...]
) -> None:
    assistant = replace(home.assistant, model=Scripted("One two three four", "One two three four"))
    seen = 0
    for event in assistant.ask("what about gifts?", stop=stop):
        seen += isinstance(event, Token)
        if seen == 2:
            stop.set(*why)
    assert isinstance(event, Answer)
    assert (event.record.answer, event.record.interrupted) == ("One two ", *(why or ("stopped by the reader",)))

    conversation = home.records.start_conversation("local", "gifts")
    asking = assistant.ask("what about gifts?", conversation=conversation.id)
    while not isinstance(next(asking), Token):
        pass
    asking.close()
    (stored,) = home.records.answers(conversation.id)
    assert AnswerRecord.from_json(stored.record_json).interrupted == "the reader left"


def test_a_reader_who_leaves_in_the_second_attempt_finds_nothing_of_the_first(home: Home) -> None:
    wrong = "The Ethics Office is under the Finance Division."
    assistant = replace(home.assistant, model=Scripted(wrong, "One two three four"))
    conversation = home.records.start_conversation("local", "ethics")
    asking = assistant.ask("tell me about the Ethics Office and gifts", conversation=conversation.id)
    while not isinstance(next(asking), Retry):
        pass
    assert isinstance(next(asking), Token)
    asking.close()
    (stored,) = home.records.answers(conversation.id)
    record = AnswerRecord.from_json(stored.record_json)
    assert record.answer == "One "
    assert record.checks == Checks(attempts=2, chart=record.checks.chart)


def test_an_answer_outside_of_a_conversation_is_kept_as_its_askers(home: Home) -> None:
    assistant = replace(home.assistant, model=Scripted("Gifts are declared."))
    (*_, answer) = assistant.ask("what about gifts?", asker="ada")
    assert isinstance(answer, Answer)
    review = home.records.reviewing.review(answer.record.id)
    assert review
    assert review.asker == "ada"


def test_a_follow_up_is_asked_with_what_it_leaves_unsaid(home: Home) -> None:
    events = ask(
        home,
        "who is above it?",
        "The Ethics Office is under the Legal Division.",
        history=[Turn("what does the Ethics Office do?", "It receives declarations.")],
    )
    assert record(events).standalone == "who is above the Ethics Office?"
    assert [entity.name for entity in record(events).entities] == ["Ethics Office"]


def test_a_chart_activated_while_one_asks_counts_from_the_next_question(home: Home) -> None:
    asking = home.assistant.ask("Where does the Ethics Office sit?")
    first = next(asking)
    assert isinstance(first, Found)
    before = home.organization.version
    activate(home, CHART.replace(b"Ethics Office,Legal Division", b"Ethics Office,Finance Division"))
    try:
        *_, last = asking
        assert isinstance(last, Answer)
        assert last.record.checks.chart == before
        assert "Legal Division" in last.record.answer
        now = record(ask(home, "Where does the Ethics Office sit?", CANNOT_ANSWER))
        assert "Finance Division" in now.answer
        assert now.checks.chart == home.organization.version != before
    finally:
        home.roll_back_chart(before, by="ada")
    assert home.organization.version == before


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        ("\x00\x07", "empty"),
        ("\u200d\u00ad", "empty"),
        ("a" * 20_000, "20,000 characters"),
    ],
    ids=["nothing", "white space", "control characters", "marks nobody sees", "20,000 characters"],
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


@pytest.mark.parametrize("question", ["أين يقع مكتب الأخلاقيات؟", "倫理室はどこですか", "Où est l’Ethics Office ?"])
def test_questions_in_other_scripts_are_answered_or_refused(home: Home, question: str) -> None:
    answer = home.assistant.answer(question)
    assert answer.answer
    assert answer.question == question


def test_the_real_model_never_puts_a_unit_under_a_wrong_parent_unmarked(home: Home) -> None:
    answer = home.assistant.answer("Where does the Payroll Unit sit?")
    assert "Finance Division" in answer.answer
    assert answer.checks.misplaced == ()
    assert answer.tokens.prompt > 0
    assert answer.seconds.total >= answer.seconds.first_token > 0


def test_the_unchanged_start_of_the_prompt_is_not_read_again(home: Home) -> None:
    home.assistant.answer("how many signatures does a contract need?")
    second = home.assistant.answer("when must gifts be declared?")
    assert 0 < second.tokens.evaluated < second.tokens.prompt


def test_a_scripted_model_has_what_a_model_has() -> None:
    methods = {name for name in vars(LanguageModel) if not name.startswith("_")}
    assert methods <= set(dir(Scripted))


def test_a_home_without_a_chart_and_one_without_documents_answer(tmp_path: Path) -> None:
    (tmp_path / "manual.md").write_text(MANUAL)
    with open_home(Settings(home=tmp_path / "documents only")) as home:
        assert record(ask(home, "anything?")).status == "cannot_answer"
        home.ingest([tmp_path / "manual.md"], replace=False, progress=lambda step, done, total: None)
        answer = record(
            ask(home, "when must gifts be declared?", "Gifts worth more than 40 LMD are declared within ten days.")
        )
        assert (answer.status, answer.checks.chart) == ("answered", "")
    with open_home(Settings(home=tmp_path / "chart only")) as home:
        activate(home, CHART)
        answer = record(ask(home, "where is the payroll unit?", "The Payroll Unit is under the Finance Division."))
        assert (answer.status, answer.checks.replaced) == ("answered", "false")
