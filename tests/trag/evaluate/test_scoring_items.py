"""Items that an answer must hold, what it must not say, yes and no: each rule by small answers judged by hand."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from prompts import CANNOT_ANSWER
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases.facts import NOTHING
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them


def document(question: str, answer: str, *gold: tuple[str, ...], forbidden: tuple[str, ...] = ()) -> Case:
    """A case whose answer is in a document."""
    return Case("case", question, "document", answer, gold, forbidden, document="rules.md")


DAYS = document(
    "how long do i have to appeal", "21 days from being told.", ("21 days", "three weeks"), forbidden=("30 days",)
)
SIGNS = document(
    "whose signature is needed",
    "That of the chair and of the secretary.",
    ("chair", "chairperson"),
    ("secretary",),
)
NIGHTS = document("how many nights in a row", "Not more than four.", ("four", "4"))
OBJECTS = document("when may she see it", "If the child does not object.", ("object",))
FLOWERS = document("where are flowers not allowed", "On Ward 5.", ("Ward 5",))
COPIES = ("Audit Committee",), ("Legal Office",)
AMONG = document("who gets a copy", "The Audit Committee and the Legal Office.", *COPIES)
FEES = "we are behind with our fees. what cant our delegates vote on now"
BARRED = document(FEES, "The budget and loans.", ("budget",), ("loans",))
STANDS = "A draft not returned is issued as it stands."
DRAFT = document("what if i never return my draft bill", STANDS, ("issued as it stands",))
HIRED = "how long is the auditor hired for and can it be stretched"
AUDITOR = document(HIRED, "Four years, which may be prolonged by two.", ("four years",), ("two",))
GIFT = document("may i keep a bottle for 40 pounds", "No, gifts may be worth up to £30.", ("£30",))
SIGNATURES = Case("signatures", "who signs above 50,000", "document", gold=(("two signatures",),))


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        pytest.param(SIGNATURES, "At least two signatures are needed.", C, id="a limit of which the case says nothing"),
        pytest.param(DAYS, "You can appeal within 21 days.", C, id="in other words"),
        pytest.param(DAYS, "Twenty-one days.", C, id="in words"),
        pytest.param(DAYS, "There is a 21-day period.", C, id="with a hyphen"),
        pytest.param(DAYS, "Within three weeks.", C, id="another alternative"),
        pytest.param(DAYS, "121 days.", I, id="part of another number"),
        pytest.param(DAYS, "21 hours.", I, id="another measure"),
        pytest.param(DAYS, "Soon.", I, id="missing"),
        pytest.param(DAYS, "Not 21 days but fourteen.", I, id="denied"),
        pytest.param(DAYS, "It isn't 21 days.", I, id="denied by contraction"),
        pytest.param(DAYS, "14 days rather than 21 days.", I, id="denied by a contrast"),
        pytest.param(DAYS, "It is not true that you have 21 days.", I, id="denied as a whole"),
        pytest.param(DAYS, "It used to be 21 days.", I, id="past"),
        pytest.param(DAYS, "You may appeal no later than 21 days after being told.", C, id="a limit is no denial"),
        pytest.param(DAYS, "No, 21 days.", C, id="a no that answers is no denial"),
        pytest.param(DAYS, "14 or 21 days.", I, id="a choice"),
        pytest.param(DAYS, "Either 21 days or 14 days.", I, id="a choice, the right one first"),
        pytest.param(DAYS, "Between 14 and 21 days.", I, id="a range"),
        pytest.param(DAYS, "It might be 21 days. It might be 14 days.", I, id="a guess each"),
        pytest.param(DAYS, "I am not sure, perhaps 21 days, perhaps 40 days.", I, id="unsure"),
        pytest.param(DAYS, "21 days, and 30 days for staff.", I, id="forbidden in the same breath"),
        pytest.param(DAYS, "21 days, not 30 days.", C, id="forbidden, and denied"),
        pytest.param(DAYS, "Within 21 days. A finding is due after 30 days.", V, id="forbidden of something else"),
        pytest.param(DAYS, "Within 21 days. The appeal goes to a panel of three members.", V, id="a sentence more"),
        pytest.param(
            DAYS, "Within 21 days, but the panel of experts sits monthly.", C, id="a clause more, still short"
        ),
        pytest.param(DAYS, "Within 21 days, " + "as the rules say, " * 4 + "at most.", V, id="more than 15 words"),
        pytest.param(DAYS, "Based on the rules, you have 21 days to appeal.", C, id="an opening is nothing more"),
        pytest.param(DAYS, "You have 21 days. So you have 21 days to appeal.", C, id="said twice is nothing more"),
        pytest.param(SIGNS, "The chairperson's and the secretaries'.", C, id="plural, possessive"),
        pytest.param(SIGNS, "The chair signs.", I, id="one item of two"),
        pytest.param(SIGNS, "The chair does not sign, only the secretary does.", I, id="denied behind the name"),
        pytest.param(SIGNS, "Neither the chair nor the secretary.", I, id="neither"),
        pytest.param(SIGNS, "Nobody but the chair and the secretary.", C, id="nobody but"),
        pytest.param(SIGNS, "The chairman and the secretary.", I, id="no whole word"),
        pytest.param(DAYS, "Never, whatever you say of 21 days.", I, id="set aside"),
        pytest.param(DAYS, "21 days or perhaps a month.", I, id="or another sort of amount"),
        pytest.param(DAYS, "Nothing, the 21 days are for staff.", I, id="says that there is nothing"),
        pytest.param(DAYS, "An appeal must not be sent in by a member within 21 days.", I, id="barred"),
        pytest.param(SIGNS, "The chair or the secretary.", I, id="a choice where both are needed"),
        pytest.param(SIGNS, "No payment is made without the chair or the secretary.", C, id="or, denied, is and"),
        pytest.param(NIGHTS, "No more than 4 in a row.", C, id="an upper limit"),
        pytest.param(NIGHTS, "At least four.", I, id="a lower limit for an upper one"),
        pytest.param(NIGHTS, "You may work more than four.", I, id="above the limit"),
        pytest.param(NIGHTS, "1. early\n2. late\n3. long\n4. night", I, id="the numbers of a list"),
        pytest.param(OBJECTS, "If the child doesn't object.", C, id="denied as it is meant"),
        pytest.param(OBJECTS, "She may, unless the child objects.", C, id="an exception denies"),
        pytest.param(OBJECTS, "Whether or not the child objects.", I, id="whether or not"),
        pytest.param(OBJECTS, "If the child objects.", I, id="stated where it is to be denied"),
        pytest.param(FLOWERS, "Flowers are not allowed on Ward 5.", C, id="the question's own denial"),
        pytest.param(BARRED, "Its delegates do not vote on the budget or on loans.", C, id="somebody between"),
        pytest.param(BARRED, "They may vote, but loans are not touched, only the budget.", I, id="another denial"),
        pytest.param(DRAFT, "A draft not returned is issued as it stands.", C, id="the case's own words"),
        pytest.param(DRAFT, "It is not issued as it stands.", I, id="denied in answer to a denial"),
        pytest.param(AUDITOR, "It runs for four years and may be prolonged by two.", C, id="may be, as the case says"),
        pytest.param(AMONG, "The AC and the Legal Office.", C, id="a unit by its alias"),
        pytest.param(AMONG, "The Audit Committee, the Legal Office and the Payroll Team.", I, id="a unit among them"),
        pytest.param(AMONG, "The Audit Committee. The Legal Office of the Chair.", C, id="no other unit"),
        pytest.param(GIFT, "No, only up to 30 pounds.", C, id="currency behind"),
        pytest.param(GIFT, "Yes, as it is below £30.", I, id="yes for no"),
        pytest.param(GIFT, "No.", None, id="a bare no, of which the gold says more"),
        pytest.param(DAYS, CANNOT_ANSWER, I, id="refuses what has an answer"),
        pytest.param(DAYS, "The documents do not mention any time limit.", I, id="refuses in words"),
        pytest.param(DAYS, "", I, id="empty"),
    ],
)
def test_gold_of_documents(scored: Scored, case: Case, answer: str, verdict: str | None) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons
    assert bool(found.reasons) == (verdict != C)


WHERE = Case("where", "where is the claims desk", "simple", gold=(("Legal Office",),))
UNDER = "Payroll Team is under Finance Division."
GOLD = (("Finance Division",),)
PARENT = Case("parent", "what is the payroll team under", "simple", UNDER, GOLD, forbidden=("Legal Office",))
NO_UNIT = "No unit is under Payroll Team."
EMPTY = Case("empty", "what is under the payroll team", "list", NO_UNIT, gold=(("no", "none", "nothing"),))
SIBLINGS = "what are the siblings of the board of trustees"
ALONE = Case("alone", SIBLINGS, "siblings", "No other unit is directly under Harbour Trust.", gold=(NOTHING,))
BOTH = "which unit is above both the claims desk and the payroll team"
COMMON = Case("common", BOTH, "common parent", gold=(("Director General",),))


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        pytest.param(WHERE, "The Claims Desk is part of the Legal Office.", C, id="right"),
        pytest.param(WHERE, "Legal Office", C, id="the name alone"),
        pytest.param(
            WHERE, "It is in the Legal Office, which is under the Director General.", C, id="with those above"
        ),
        pytest.param(WHERE, "In the Legal Office. The Contracts Desk is there as well.", V, id="with one beside it"),
        pytest.param(WHERE, "In the Legal Office or the Finance Division.", I, id="a choice of units"),
        pytest.param(WHERE, "The Claims Desk is not in the Legal Office.", I, id="denied"),
        pytest.param(WHERE, "The Legal Office is under the Claims Desk.", I, id="turned round"),
        pytest.param(WHERE, "It is under the Audit Committee, as the Legal Office is.", I, id="against the chart"),
        pytest.param(WHERE, "The Contracts Desk is under the Legal Office.", I, id="another unit's place"),
        pytest.param(PARENT, "The Money People.", C, id="by an alias that the gold does not list"),
        pytest.param(PARENT, "It is under the Legal Office.", I, id="a forbidden unit"),
        pytest.param(PARENT, "Under the Finance Division, not the Legal Office.", C, id="a forbidden unit denied"),
        pytest.param(WHERE, "In the Legal Office or with the neighbours.", I, id="or something that is no unit"),
        pytest.param(EMPTY, "Nothing.", C, id="nothing, rightly"),
        pytest.param(EMPTY, "There are no units under the Payroll Team.", C, id="no units"),
        pytest.param(EMPTY, "There are no units under the Payroll Team in the chart.", C, id="no units in the chart"),
        pytest.param(EMPTY, "The Claims Desk.", I, id="something for nothing"),
        pytest.param(COMMON, "The DG.", C, id="common parent"),
        pytest.param(ALONE, "The Board of Trustees has no siblings.", C, id="no siblings"),
        pytest.param(ALONE, "It is the only unit under the Harbour Trust.", C, id="the only one"),
        pytest.param(ALONE, "Only the Payroll Team is beside the Board of Trustees.", I, id="only a stranger"),
        pytest.param(
            ALONE, "The Board of Trustees has no head. Beside it are the Payroll Team and the AC.", I, id="no head"
        ),
        pytest.param(ALONE, "Only the Volcano Team.", I, id="only an invented one"),
        pytest.param(COMMON, "The Claims Desk is in the Legal Office.", I, id="only one of two"),
    ],
)
def test_gold_of_the_chart(scored: Scored, case: Case, answer: str, verdict: str) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons


PLACED = "Yes, Claims Desk is under Legal Office."
YES = Case("yes", "is the claims desk somewhere under the director general", "complex", PLACED, polarity="yes")
ELSEWHERE = ("is the claims desk under the finance division", "complex", "No, Claims Desk is under Legal Office.")
NO = Case("no", *ELSEWHERE, gold=(("Legal Office",),), polarity="no")
ALCOHOL = Case("alcohol", "does the travel policy cover alcohol", "document", polarity="no")


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
        pytest.param(ALCOHOL, "Meals are covered, and alcohol is none: no.", C, id="behind a colon"),
        pytest.param(ALCOHOL, "Drinks of up to 20 EUR are never refused: yes.", I, id="the other one behind a colon"),
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
