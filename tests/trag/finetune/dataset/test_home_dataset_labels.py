"""What reviewers' labels of a home teach, and the gold that an answer tells."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from org.linking.entities import EntityFinder, Organization
from org.reading.charts import load
from prompts import CANNOT_ANSWER, NOT_FOUND
from store.records import StoredAnswer
from store.reviews import Label
from trag.finetune.dataset import home_dataset
from trag.finetune.dataset.home_dataset import agreed_labels, label_example
from trag.record import AnswerRecord, Checks, ModelUsed, Source

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def stored(answer: str, *sources: tuple[str, str]) -> StoredAnswer:
    """An answer that stands on these, each a kind and a document."""
    told = tuple(
        Source(str(place), kind, document, "", None, "5", 0.5) for place, (kind, document) in enumerate(sources)
    )
    used = ModelUsed("", "", "")
    record = AnswerRecord("1", "and the fee?", "what is the fee", answer, "answered", used, sources=told)
    return StoredAnswer("1", None, record.question, answer, record.to_json(), NOW)


def label(verdict: str, corrected: str = "", reviewer: str = "ann", *, settles: bool = False) -> Label:
    return Label("1", reviewer, verdict, "", corrected, NOW, settles=settles)


@pytest.mark.parametrize(
    ("labels", "answer", "expected"),
    [
        ([label("Correct")], "5 euros.", "5 euros."),
        ([label("Correct-Verbose", "5 euros.")], "It is 5 euros, and besides ...", "5 euros."),
        ([label("Correct-Verbose")], "It is 5 euros, and besides ...", None),
        ([label("Incorrect", "6 euros.")], "5 euros.", "6 euros."),
        ([label("Incorrect")], "5 euros.", None),
        ([label("Incorrect", CANNOT_ANSWER)], "5 euros.", NOT_FOUND),
        ([label("Correct")], CANNOT_ANSWER, NOT_FOUND),
        ([label("Correct"), label("Incorrect", "6 euros.", "bob")], "5 euros.", None),
        ([label("Incorrect", "6 euros.", settles=True), label("Correct", "", "bob")], "5 euros.", "6 euros."),
        ([label("Correct"), label("Correct-Verbose", "5.", "bob")], "5 euros.", "5."),
        ([label("Incorrect", " "), label("Incorrect", "6 euros.", "bob")], "5 euros.", "6 euros."),
    ],
    ids=[
        "right", "shorter", "verbose", "corrected", "wrong", "to refuse", "refused rightly", "disputed", "settled",
        "both right", "one corrects",
    ],
)  # fmt: skip
def test_what_reviewers_want(labels: list[Label], answer: str, expected: str | None) -> None:
    found = agreed_labels(labels, lambda id: stored(answer), ())
    assert [(one.question, one.answer) for one in found] == ([("what is the fee", expected)] if expected else [])


@pytest.mark.parametrize(
    ("sources", "learned"),
    [
        ([("chart", "Organization chart 1"), ("section", "open.md"), ("qa", "open.md")], True),
        ([("section", "open.md"), ("section", "secret.md")], False),
        ([("qa", "secret.md")], False),
        ([("approved", "secret.md")], False),
    ],
    ids=["open", "one of them is not", "a pair", "approved"],
)
def test_an_answer_teaches_only_where_all_it_stands_on_may_be_learned_from(
    sources: list[tuple[str, str]], learned: bool
) -> None:
    found = agreed_labels([label("Correct")], lambda id: stored("5 euros.", *sources), {"open.md"})
    assert bool(found) is learned
    assert not agreed_labels([label("Correct")], lambda id: None, {"open.md"}), "an answer that is gone"
    plan = replace(stored("5 euros.", *sources), kind="plan")
    assert not agreed_labels([label("Correct")], lambda id: plan, {"open.md"}), "a plan"


CHART = load(b"name,parent,type\nTollen Council,,\nHarbour Division,Tollen Council,division\n", "chart.csv")
ORGANIZATION = Organization("Tollen Council", CHART, EntityFinder(CHART))


def test_an_answer_is_learned_over_the_excerpts_that_were_shown() -> None:
    record = AnswerRecord("1", "fee?", "what is the fee", "5 euros.", "answered", ModelUsed("", "", ""))
    source = Source("a", "section", "fees.md", "Fees", None, "The fee is 5 euros a day.", 0.5)
    given = StoredAnswer("1", None, "fee?", "5 euros.", replace(record, sources=(source,)).to_json(), NOW)
    (right,) = agreed_labels([label("Correct")], lambda id: given, {"fees.md"})
    found = label_example(right, ORGANIZATION)
    assert (found.source, found.kind, found.answer) == ("label 1", "label", "5 euros.")
    assert "[1] Fees: The fee is 5 euros a day." in found.messages[-1].content
    (wrong,) = agreed_labels([label("Incorrect", "9 crowns.")], lambda id: given, {"fees.md"})
    assert label_example(wrong, ORGANIZATION) is None, "nothing that was shown bears it out"
    (refusal,) = agreed_labels([label("Incorrect", CANNOT_ANSWER)], lambda id: given, {"fees.md"})
    found = label_example(refusal, ORGANIZATION)
    assert found.answer == NOT_FOUND


def test_a_right_answer_of_the_chart_is_learned_as_its_query() -> None:
    question = "who is above the harbour division"
    text = "The Harbour Division is directly under Tollen Council."
    record = AnswerRecord("1", question, question, text, "answered", ModelUsed("", "", ""))
    record = replace(record, chart_query="parent(u1)", checks=Checks(replaced="chart"))
    given = StoredAnswer("1", None, question, text, record.to_json(), NOW)
    (right,) = agreed_labels([label("Correct")], lambda id: given, ())
    found = label_example(right, ORGANIZATION)
    assert found.answer == "parent(u1)"
    assert "u1 = Harbour Division" in found.messages[-1].content
    (corrected,) = agreed_labels([label("Incorrect", "The Board.")], lambda id: given, ())
    assert label_example(corrected, ORGANIZATION) is None, "nobody says how it should have been read"


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("how long", "Within 30 days after the journey.", {"gold": (("30 days",),)}),
        ("what is the fee", "EUR 1,200, or 5% of the rent.", {"gold": (("EUR 1,200",), ("5%",))}),
        ("what about 30 days", "After 30 days the fee is 5 euros.", {"gold": (("5 euros",),)}),
        ("may i", "No. Only members may.", {"polarity": "no"}),
        ("may i", "Yes, within 5 days.", {"polarity": "yes"}),
        ("who is it", "The Ethics Officer.", {"gold": (("The Ethics Officer",),)}),
        ("who is it", CANNOT_ANSWER, {"refuse": True}),
        ("what does it do", "It looks after the archives and answers whoever writes to it about them.", None),
        ("is VR-02 extended", "It is not extended, as the supervisor decided for all of them some time ago.", None),
    ],
    ids=[
        "figure", "two figures", "not that of the question", "no", "yes", "short", "refusal", "nothing to hold on to",
        "only a name with a figure",
    ],
)  # fmt: skip
def test_gold_is_read_off_an_answer(question: str, answer: str, expected: dict[str, object] | None) -> None:
    case = home_dataset.case_of_answer("1", question, answer, "document", Organization("Desk"))
    found = case and {"gold": case.gold, "polarity": case.polarity, "refuse": case.refuse}
    assert (found and {key: value for key, value in found.items() if value}) == expected
