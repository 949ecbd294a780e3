"""Answers from documents to learn: right over what is shown, and refused only where nothing there tells."""

from collections import Counter
from random import Random

import pytest

from org.linking.entities import Organization
from prompts import NO_QUESTION, NOT_FOUND
from trag.evaluate.cases import Case
from trag.evaluate.scoring.wording import says_all
from trag.finetune.dataset import documents
from trag.finetune.dataset.corpus import Written
from trag.finetune.dataset.documents import short
from trag.lexical import numbers
from trag.retrieve import WINDOW


@pytest.mark.slow
def test_an_answer_stands_in_its_excerpts_and_a_refusal_does_not(written: Written) -> None:
    made = list(documents.examples(written.cases, written.passages, written.organization, chance=Random(2)))
    kinds = Counter(example.kind for _, example in made)
    assert kinds["document"] > 70
    assert kinds["question"] > 60
    assert kinds["absent"] > 5
    assert kinds["unanswerable"] > 5
    for case, example in made:
        shown = example.messages[-1].content
        if example.kind == "question":
            assert example.answer == example.question == case.question
            assert case.polarity or says_all(shown, case.gold), shown
            assert len(shown) < 2 * WINDOW
            continue
        assert example.question in shown
        assert shown.count("\n[") <= documents.EXCERPTS + 1, "with the place of a unit"
        assert len(example.answer.split()) <= documents.LONGEST_ANSWER
        if example.answer == NOT_FOUND:
            assert case.refuse or case.polarity or not says_all(shown.partition("\n\nQuestion:")[0], case.gold), shown
        elif example.kind == "two parts":
            assert example.answer.startswith(short(case).rstrip(". "))
        else:
            assert example.answer == short(case)
            assert case.polarity or says_all(shown, case.gold), shown


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.2, 0.4])
def test_the_share_of_refusals_is_as_asked_for(written: Written, share: float) -> None:
    made = list(
        documents.examples(written.cases, written.passages, written.organization, chance=Random(2), refused=share)
    )
    asked = [one for _, one in made if one.kind != "question"]
    refused = sum(one.answer == NOT_FOUND for one in asked) / len(asked)
    assert refused == pytest.approx(share, abs=0.07)


def test_every_number_of_what_somebody_wrote_stands_before_it() -> None:
    made = list(documents.written(Random(1)))
    kinds = Counter(example.kind for example in made)
    assert kinds["comparison"] > 100
    assert kinds["absent"] > 15
    for example in made:
        assert numbers(example.answer) <= numbers(example.messages[-1].content), example
        assert len(example.answer.split()) <= documents.LONGEST_ANSWER


@pytest.mark.slow
def test_what_is_no_question_is_answered_as_that_over_any_excerpts(written: Written) -> None:
    made = list(documents.no_questions("a", written.passages, chance=Random(1), number=20))
    assert len({example.question for example in made}) == 20
    for example in made:
        assert example.answer == NO_QUESTION
        assert example.messages[-1].content.count("[") >= 2


@pytest.mark.parametrize(
    ("answer", "polarity", "expected"),
    [
        ("No, they serve without pay.", "no", "They serve without pay: no."),
        ("Yes: within 30 days", "yes", "Within 30 days: yes."),
        ("No.", "no", "No."),
        ("Nobody may.", "", "Nobody may."),
    ],
)
def test_a_yes_or_no_comes_after_its_reason(answer: str, polarity: str, expected: str) -> None:
    assert short(Case("1", "may i", "document", answer, polarity=polarity)) == expected


def test_words_and_numbers_bear_an_answer_out() -> None:
    text = "Claims: A claim is sent within 30 days of the journey."
    assert documents.bears(text, "how long for a claim", "Within 30 days of the journey.")
    assert not documents.bears(text, "how long for a claim", "Within 60 days of the journey.")
    assert not documents.bears(text, "who pays", "The treasurer pays it in May.")
    assert documents.places("where is the Audit Board", Organization("Desk")) == [], "without a chart no place is told"
