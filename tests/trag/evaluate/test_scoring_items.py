"""Items that an answer must hold, and what it must not say: each rule by small answers judged by hand."""

from collections.abc import Callable

import pytest

from prompts import CANNOT_ANSWER
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases.facts import NOTHING
from trag.evaluate.scoring import Score

Scored = Callable[..., Score]
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them

DAYS = Case(
    id="days",
    question="how long do i have to appeal",
    kind="document",
    answer="21 days from being told.",
    gold=(("21 days", "three weeks"),),
    forbidden=("30 days",),
    document="rules.md",
)
SIGNS = Case(
    id="signs",
    question="whose signature is needed",
    kind="document",
    answer="That of the chair and of the secretary.",
    gold=(("chair", "chairperson"), ("secretary",)),
    document="rules.md",
)
NIGHTS = Case(
    id="nights",
    question="how many nights in a row",
    kind="document",
    answer="Not more than four.",
    gold=(("four", "4"),),
    document="rules.md",
)
OBJECTS = Case(
    id="objects",
    question="when may she see it",
    kind="document",
    answer="If the child does not object.",
    gold=(("object",),),
    document="rules.md",
)
FLOWERS = Case(
    id="flowers",
    question="where are flowers not allowed",
    kind="document",
    answer="On Ward 5.",
    gold=(("Ward 5",),),
    document="rules.md",
)
AMONG = Case(
    id="among",
    question="who gets a copy",
    kind="document",
    answer="The Audit Committee and the Legal Office.",
    gold=(("Audit Committee",), ("Legal Office",)),
    document="rules.md",
)
BARRED = Case(
    id="barred",
    question="we are behind with our fees. what cant our delegates vote on now",
    kind="document",
    answer="The budget and loans.",
    gold=(("budget",), ("loans",)),
    document="rules.md",
)
DRAFT = Case(
    id="draft",
    question="what if i never return my draft bill",
    kind="document",
    answer="A draft not returned is issued as it stands.",
    gold=(("issued as it stands",),),
    document="rules.md",
)
AUDITOR = Case(
    id="auditor",
    question="how long is the auditor hired for and can it be stretched",
    kind="document",
    answer="Four years, which may be prolonged by two.",
    gold=(("four years",), ("two",)),
    document="rules.md",
)
GIFT = Case(
    id="gift",
    question="may i keep a bottle for 40 pounds",
    kind="document",
    answer="No, gifts may be worth up to £30.",
    gold=(("£30",),),
    document="rules.md",
)

SIGNATURES = Case(id="signatures", question="who signs above 50,000", kind="document", gold=(("two signatures",),))


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


WHERE = Case(id="where", question="where is the claims desk", kind="simple", gold=(("Legal Office",),))
PARENT = Case(
    id="parent",
    question="what is the payroll team under",
    kind="simple",
    answer="Payroll Team is under Finance Division.",
    gold=(("Finance Division",),),
    forbidden=("Legal Office",),
)
EMPTY = Case(
    id="empty",
    question="what is under the payroll team",
    kind="list",
    answer="No unit is under Payroll Team.",
    gold=(("no", "none", "nothing"),),
)
ALONE = Case(
    id="alone",
    question="what are the siblings of the board of trustees",
    kind="siblings",
    answer="No other unit is directly under Harbour Trust.",
    gold=(NOTHING,),
)
COMMON = Case(
    id="common",
    question="which unit is above both the claims desk and the payroll team",
    kind="common parent",
    gold=(("Director General",),),
)


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
