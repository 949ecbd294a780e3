import pytest

from store.passage import Passage
from trag.evaluate.cases import Case
from trag.finetune.dataset.evidence import bearing

CLAIMS = Passage(
    "claims", "section", "travel.md", "Travel > Claims", None, "Hand it in within 30 days. Late ones are refused."
)
LIMITS_1 = Passage(
    "limits 1", "section", "travel.md", "Travel > Limits", None, "A hotel costs at most 90 euros a night."
)
LIMITS_2 = Passage(
    "limits 2", "section", "travel.md", "Travel > Limits", None, "A meal costs at most 25 euros, wine excluded."
)
SHOPS = Passage("shops", "section", "shops.md", "Shops > Limits", None, "A clerk may give back 25 euros.")
PAIR = Passage(
    "pair", "qa", "travel.md", "Travel > Claims", None, "Hand it in within 30 days.", "How soon is a claim due?"
)
OTHER = Passage("other", "qa", "travel.md", "Travel > Claims", None, "Late ones are refused.", "What of late ones?")
FEE_1 = Passage("fee 1", "section", "fees.md", "Fees", None, "The fee for a claim is due within 15 days.")
FEE_2 = Passage("fee 2", "section", "fees.md", "Fees", None, "That of a late one must come in 5 days.")
ALL = (CLAIMS, LIMITS_1, LIMITS_2, SHOPS, PAIR, OTHER, FEE_1, FEE_2)


def document(answer: str, section: str, *gold: tuple[str, ...], file: str = "travel.md", question: str = "") -> Case:
    return Case("1", question or "what", "document", answer, gold=gold, document=file, section=section)


DUE = document("Within 30 days.", "Claims", ("30 days",))
MEAL = document("At most 25 euros.", "Travel > Limits", ("25 euros",), question="how much for a meal")
BOTH = document("90 euros for a hotel, 25 for a meal.", "Travel > Limits", ("90 euros",), ("25 euros",))
WINE = document("No, wine is excluded from the meal.", "Travel > Limits")
FEE = document("The fee for a late claim is due within 5 days.", "Fees", ("5 days",), file="fees.md")
REFUSED = Case("2", "who refuses", "unanswerable", refuse=True, document="travel.md", section="Claims")


@pytest.mark.parametrize(
    ("case", "needed"),
    [
        (DUE, {"claims"}),
        (MEAL, {"limits 2"}),
        (BOTH, {"limits 1", "limits 2"}),
        (WINE, {"limits 2"}),
        (FEE, {"fee 2"}),
        (REFUSED, set()),
        (document("x", "Elsewhere", ("x",)), set()),
    ],
    ids=[
        "section in one piece",
        "piece with the gold",
        "gold in two pieces",
        "nearest piece",
        "gold in whole words",
        "to refuse",
        "no section",
    ],
)
def test_the_passages_that_bear_an_answer_out(case: Case, needed: set[str]) -> None:
    assert bearing(case, ALL).needed == needed


@pytest.mark.parametrize(
    ("case", "passages", "is_in", "is_absent"),
    [
        (DUE, (SHOPS, CLAIMS), True, False),
        (DUE, (PAIR,), True, False),
        (DUE, (OTHER,), False, False),  # of its section: a reader might guess
        (DUE, (SHOPS, LIMITS_1), False, True),
        (DUE, (), False, True),
        (MEAL, (LIMITS_1,), False, False),
        (MEAL, (SHOPS,), False, False),  # the same words elsewhere
        (BOTH, (LIMITS_1, SHOPS), False, False),
        (BOTH, (LIMITS_1, SHOPS, LIMITS_2), True, False),
        (REFUSED, (CLAIMS, PAIR), False, True),
    ],
    ids=[
        "there", "in a pair", "another pair of it", "elsewhere only", "nothing", "half of its section",
        "gold elsewhere", "half of the gold", "all of the gold", "to refuse",
    ],
)  # fmt: skip
def test_there_or_absent_or_not_sure(case: Case, passages: tuple[Passage, ...], is_in: bool, is_absent: bool) -> None:
    one = bearing(case, ALL)
    assert (one.is_in(passages), one.is_absent(passages)) == (is_in, is_absent)


def test_a_statement_of_the_chart_may_hold_the_answer_too() -> None:
    assert bearing(DUE, ALL).is_absent((SHOPS,), ["The Desk is under the Board."])
    assert not bearing(DUE, ALL).is_absent((SHOPS,), ["The Desk: takes claims within 30 days."])
    assert not bearing(DUE, ALL).is_absent((SHOPS,), ["The Desk: to it what is claimed goes, thirty days at most."])


def test_gold_is_absent_where_it_is_but_a_part_of_a_word() -> None:
    statement = "The Vault: keeps receipts for 130 days."
    assert bearing(DUE, ALL).is_absent((SHOPS,), [statement])
