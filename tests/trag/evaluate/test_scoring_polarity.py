"""Yes and no: each rule by small answers judged by hand."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from trag.evaluate.cases import Case
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

YES = Case(
    id="yes",
    question="is the claims desk somewhere under the director general",
    kind="complex",
    answer="Yes, Claims Desk is under Legal Office.",
    polarity="yes",
)
NO = Case(
    id="no",
    question="is the claims desk under the finance division",
    kind="complex",
    answer="No, Claims Desk is under Legal Office.",
    gold=(("Legal Office",),),
    polarity="no",
)


ALCOHOL = Case(id="alcohol", question="does the travel policy cover alcohol", kind="document", polarity="no")


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        pytest.param(ALCOHOL, "No, the travel policy does not cover alcohol.", C, id="what the policy leaves out"),
        pytest.param(ALCOHOL, "It is not stated in the travel policy.", I, id="not stated"),
        pytest.param(YES, "Yes.", C, id="yes"),
        pytest.param(YES, "Indeed it is.", C, id="indeed"),
        pytest.param(YES, "That is correct.", C, id="that is correct"),
        pytest.param(YES, "The Claims Desk belongs to the Director General.", C, id="stated"),
        pytest.param(YES, "The Claims Desk is under the Legal Office, so yes.", C, id="at the end"),
        pytest.param(YES, "No.", I, id="no for yes"),
        pytest.param(YES, "It isn't.", I, id="it is not"),
        pytest.param(YES, "The Claims Desk does not belong to the Director General.", I, id="denied in a statement"),
        pytest.param(YES, "The Claims Desk handles claims.", I, id="neither"),
        pytest.param(NO, "No, it is under the Legal Office.", C, id="no, and where"),
        pytest.param(NO, "No.", C, id="a bare no is all that was asked"),
        pytest.param(NO, "The Claims Desk is under the Legal Office.", C, id="where it is instead"),
        pytest.param(NO, "The Claims Desk is not under the Finance Division but the Legal Office.", C, id="not but"),
        pytest.param(NO, "No, it is under the Audit Committee.", I, id="no, but wrongly placed"),
        pytest.param(NO, "Yes, it is under the Finance Division.", I, id="yes for no"),
        pytest.param(NO, "Not at all.", C, id="not at all"),
        pytest.param(NO, "Not sure.", I, id="not sure"),
        pytest.param(NO, "It is not clear.", I, id="not clear"),
        pytest.param(NO, "Not enough information is given.", I, id="not enough information"),
        pytest.param(NO, "Never heard of it.", I, id="never heard of"),
        pytest.param(NO, "No idea.", I, id="no idea"),
        pytest.param(NO, "Not that I know of.", I, id="not that I know of"),
        pytest.param(NO, "Not sure. Desks are furniture.", I, id="not sure, and something else"),
        pytest.param(NO, "It is not quite certain, but desks are furniture.", I, id="not certain, but something else"),
    ],
)
def test_yes_and_no(scored: Scored, case: Case, answer: str, verdict: str) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons


def test_the_own_answer_of_a_case_may_be_typed_with_any_apostrophe(scored: Scored) -> None:
    typed = Case("typed", "is the claims desk under the board", "document", answer="It isn’t under the Board.")
    assert "says yes for no" in scored(typed, "Yes.").reasons
    with_gold = replace(typed, gold=(("not under the Board",),))
    assert scored(with_gold, "No.").verdict is None, "a bare no that is right is for people to judge"
