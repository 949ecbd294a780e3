import pytest

from org.linking.entities import Organization
from prompts import CANNOT_ANSWER
from trag.evaluate.cases import Case
from trag.finetune.dataset import gold


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("how long", "Within 30 days after the journey.", {"gold": (("30 days",),)}),
        ("what is the fee", "EUR 1,200, or 5% of the rent.", {"gold": (("EUR 1,200",), ("5%",))}),
        ("may i", "No. Only members may.", {"polarity": "no"}),
        ("may i", "Yes, within 5 days.", {"polarity": "yes"}),
        ("who is it", "The Ethics Officer.", {"gold": (("The Ethics Officer",),)}),
        ("who is it", CANNOT_ANSWER, {"refuse": True}),
    ],
    ids=["figure", "two figures", "no", "yes", "short", "refusal"],
)
def test_gold_is_read_off_an_answer(question: str, answer: str, expected: dict[str, object]) -> None:
    case = gold.case("1", question, answer, "document", Organization("Desk"))
    assert case is not None
    found = {"gold": case.gold, "polarity": case.polarity, "refuse": case.refuse}
    assert {key: value for key, value in found.items() if value} == expected


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what does it do", "It looks after the archives and answers whoever writes to it about them."),
        ("is VR-02 extended", "It is not extended, as the supervisor decided for all of them some time ago."),
    ],
    ids=["nothing to hold on to", "only a name with a figure"],
)
def test_no_case_where_nothing_tells_right_from_wrong(question: str, answer: str) -> None:
    assert gold.case("1", question, answer, "document", Organization("Desk")) is None


def test_a_figure_of_the_question_is_no_gold() -> None:
    case = gold.case("1", "what about 30 days", "After 30 days the fee is 5 euros.", "document", Organization("Desk"))
    assert isinstance(case, Case)
    assert case.gold == (("5 euros",),)
