"""Scores of whole answers, each rule by small answers judged by hand."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from org import chart
from org.entities import EntityFinder
from prompts import CANNOT_ANSWER
from trag.asking import Organization
from trag.evaluate.cases import Case, Some
from trag.evaluate.scoring import Score, score
from trag.record import AnswerRecord, ModelUsed, Source

CHART = b"""name,parent,type,aliases
Harbour Trust,,trust,HT
Board of Trustees,Harbour Trust,board,Trustees
Director General,Board of Trustees,position,DG
Legal Office,Director General,office,
Contracts Desk,Legal Office,desk,
Claims Desk,Legal Office,desk,
Finance Division,Director General,division,Money People
Payroll Team,Finance Division,team,
Treasury Team,Finance Division,team,
Registry,Finance Division,team,
Audit Committee,Board of Trustees,committee,AC
Registry,Legal Office,team,
"""
C, V, I = "Correct", "Correct-Verbose", "Incorrect"  # noqa: E741, as the paper writes them


@cache
def organization() -> Organization:
    made = chart.load(CHART, "chart.csv")
    return Organization("Harbour Trust", made, EntityFinder(made))


def scored(case: Case, answer: str, *sources: str, of: Organization | None = None) -> Score:
    record = AnswerRecord(
        id="1",
        question=case.question,
        standalone=case.question,
        answer=answer,
        status="answered",
        model=ModelUsed("", "", ""),
        sources=tuple(Source(f"s{n}", "section", "d", "", None, text, 1.0) for n, text in enumerate(sources)),
    )
    return score(case, record, of or organization())


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
GIFT = Case(
    id="gift",
    question="may i keep a bottle for 40 pounds",
    kind="document",
    answer="No, gifts may be worth up to £30.",
    gold=(("£30",),),
    document="rules.md",
)


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
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
        pytest.param(DAYS, "Within 21 days. A finding is due after 30 days.", None, id="forbidden of something else"),
        pytest.param(DAYS, "Within 21 days. The appeal goes to a panel of three members.", V, id="a sentence more"),
        pytest.param(DAYS, "Within 21 days, but the panel of experts sits monthly.", V, id="a clause more"),
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
        pytest.param(NIGHTS, "See section 4 of the rules.", I, id="the number of a section"),
        pytest.param(NIGHTS, "1. early\n2. late\n3. long\n4. night", I, id="the numbers of a list"),
        pytest.param(OBJECTS, "If the child doesn't object.", C, id="denied as it is meant"),
        pytest.param(OBJECTS, "She may, unless the child objects.", C, id="an exception denies"),
        pytest.param(OBJECTS, "Whether or not the child objects.", I, id="whether or not"),
        pytest.param(OBJECTS, "If the child objects.", I, id="stated where it is to be denied"),
        pytest.param(FLOWERS, "Flowers are not allowed on Ward 5.", C, id="the question's own denial"),
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
def test_gold_of_documents(case: Case, answer: str, verdict: str | None) -> None:
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
        pytest.param(EMPTY, "The Claims Desk.", I, id="something for nothing"),
        pytest.param(COMMON, "The DG.", C, id="common parent"),
        pytest.param(COMMON, "The Claims Desk is in the Legal Office.", I, id="only one of two"),
    ],
)
def test_gold_of_the_chart(case: Case, answer: str, verdict: str) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons


TEAMS = Case(
    id="teams",
    question="which teams are under the finance division",
    kind="list",
    units=("Payroll Team", "Treasury Team", "Finance Division > Registry"),
)
DESKS = Case(
    id="desks", question="list what is under the legal office", kind="list", units=("Contracts Desk", "Claims Desk")
)


@pytest.mark.parametrize(
    ("case", "answer", "verdict", "precision", "recall"),
    [
        pytest.param(TEAMS, "Payroll Team, Treasury Team and the Registry.", C, 1, 1, id="whole"),
        pytest.param(TEAMS, "- Registry\n- Payroll Team\n- Treasury Team", C, 1, 1, id="in bullets, another order"),
        pytest.param(
            TEAMS, "Under the Finance Division of HT: Payroll Team, Treasury Team, Registry.", C, 1, 1, id="head"
        ),
        pytest.param(TEAMS, "Payroll Team and Treasury Team.", I, 1, 2 / 3, id="one left out"),
        pytest.param(TEAMS, "Payroll, Treasury Team, Registry, Claims Desk.", I, 3 / 4, 1, id="one too many"),
        pytest.param(TEAMS, "Payroll Team, Treasury Team, Registry, Volcano Team.", I, 3 / 4, 1, id="one invented"),
        pytest.param(TEAMS, "Payroll Team, Treasury Team but not the Registry.", I, 1, 2 / 3, id="one denied"),
        pytest.param(TEAMS, "None.", I, None, 0, id="none at all"),
        pytest.param(TEAMS, CANNOT_ANSWER, I, None, 0, id="refused"),
        pytest.param(DESKS, "Contracts Desk and Claims Desk.", C, 1, 1, id="two"),
        pytest.param(
            DESKS,
            "Contracts Desk and Claims Desk. The office also has the Registry.",
            V,
            1,
            1,
            id="one more told apart",
        ),
        pytest.param(
            DESKS,
            "Contracts Desk and Claims Desk. The Payroll Team is under the Finance Division.",
            V,
            1,
            1,
            id="another rightly placed",
        ),
        pytest.param(
            DESKS, "Contracts Desk, Claims Desk. The Payroll Team is under the Board.", V, 1, 1, id="placed high up"
        ),
        pytest.param(
            DESKS,
            "Contracts Desk, Claims Desk. The Payroll Team is under the Audit Committee.",
            I,
            2 / 4,
            1,
            id="misplaced",
        ),
    ],
)
def test_lists_are_sets_of_units(case: Case, answer: str, verdict: str, precision: float | None, recall: float) -> None:
    found = scored(case, answer)
    assert (found.verdict, found.precision, found.recall) == (
        verdict,
        precision if precision is None else pytest.approx(precision),
        pytest.approx(recall),
    ), found.reasons


SOME = Case(
    id="some",
    question="name two teams of the finance division and one desk of the legal office",
    kind="compound",
    some=(
        Some(("Payroll Team", "Treasury Team", "Finance Division > Registry"), 2),
        Some(("Contracts Desk", "Claims Desk"), 1),
    ),
)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        pytest.param("Payroll Team and Treasury Team; Claims Desk.", C, id="enough of each"),
        pytest.param(
            "Finance Division: Payroll Team, Treasury Team\nLegal Office: Claims Desk", C, id="under headings"
        ),
        pytest.param("Payroll Team; Claims Desk.", I, id="too few"),
        pytest.param("Finance Division: Payroll Team, Claims Desk\nLegal Office: Treasury Team", I, id="misaligned"),
        pytest.param("Payroll Team, Treasury Team, Claims Desk, Audit Committee.", I, id="a stranger"),
    ],
)
def test_some_of_several_groups(answer: str, verdict: str) -> None:
    found = scored(SOME, answer)
    assert found.verdict == verdict, found.reasons


UNITS = Case(id="units", question="how many units are directly under the director general", kind="count", count=2)
BOTH_WAYS = Case(
    id="ways", question="how many units are under the director general, directly and indirectly", kind="count", count=8
)
DEEP = Case(id="deep", question="how many units are under the director general in all", kind="count", count=8)
TYPED = Case(id="typed", question="how many teams are there under the director general", kind="count", count=4)
NONE = Case(id="none", question="how many teams has the audit committee", kind="count", count=0)


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        pytest.param(UNITS, "2", C, id="a figure"),
        pytest.param(UNITS, "There are two units directly under it.", C, id="a word"),
        pytest.param(UNITS, "There are three.", I, id="another number"),
        pytest.param(UNITS, "2 or 3.", I, id="two numbers"),
        pytest.param(UNITS, "About two.", I, id="vague"),
        pytest.param(UNITS, "2 units are directly under it, and 8 in all.", C, id="and those of all levels"),
        pytest.param(BOTH_WAYS, "2 units are directly under it, and 8 in all.", C, id="directly and indirectly"),
        pytest.param(UNITS, "There are 2 teams directly under it.", I, id="of the wrong thing"),
        pytest.param(UNITS, "Two: the Legal Office and the Finance Division.", V, id="with the units"),
        pytest.param(UNITS, "The Legal Office and the Finance Division.", V, id="the units alone"),
        pytest.param(UNITS, "1. Legal Office\n2. Finance Division", V, id="numbers of a list"),
        pytest.param(DEEP, "2 directly and 8 in total.", C, id="the total"),
        pytest.param(DEEP, "2 units are directly under it.", I, id="only those right below"),
        pytest.param(TYPED, "Four teams, and two desks besides.", C, id="another type beside"),
        pytest.param(TYPED, "Not four teams.", I, id="denied"),
        pytest.param(TYPED, "The Finance Division has 3 teams.", I, id="of another unit"),
        pytest.param(NONE, "It has none.", C, id="none"),
        pytest.param(NONE, "There are no teams under it.", C, id="no teams"),
        pytest.param(NONE, "One.", I, id="one for none"),
    ],
)
def test_counts_are_of_the_thing_asked(case: Case, answer: str, verdict: str) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons


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


@pytest.mark.parametrize(
    ("case", "answer", "verdict"),
    [
        pytest.param(YES, "Yes.", C, id="yes"),
        pytest.param(YES, "Indeed it is.", C, id="indeed"),
        pytest.param(YES, "That is correct.", C, id="that is correct"),
        pytest.param(YES, "The Claims Desk belongs to the Director General.", C, id="stated"),
        pytest.param(YES, "The Claims Desk is under the Legal Office, so yes.", C, id="at the end"),
        pytest.param(YES, "No.", I, id="no for yes"),
        pytest.param(YES, "It isn't.", I, id="it is not"),
        pytest.param(YES, "The Claims Desk does not belong to the Director General.", I, id="denied in a statement"),
        pytest.param(YES, "Yes and no.", I, id="both"),
        pytest.param(YES, "The Claims Desk handles claims.", I, id="neither"),
        pytest.param(NO, "No, it is under the Legal Office.", C, id="no, and where"),
        pytest.param(NO, "No.", C, id="a bare no is all that was asked"),
        pytest.param(NO, "The Claims Desk is under the Legal Office.", C, id="where it is instead"),
        pytest.param(NO, "The Claims Desk is not under the Finance Division but the Legal Office.", C, id="not but"),
        pytest.param(NO, "No, it is under the Audit Committee.", I, id="no, but wrongly placed"),
        pytest.param(NO, "Yes, it is under the Finance Division.", I, id="yes for no"),
    ],
)
def test_yes_and_no(case: Case, answer: str, verdict: str) -> None:
    found = scored(case, answer)
    assert found.verdict == verdict, found.reasons


REFUSE = Case(id="refuse", question="what does the DG earn", kind="unanswerable", refuse=True)


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        pytest.param(CANNOT_ANSWER, C, id="the product's words"),
        pytest.param("The documents don’t say what the DG earns.", C, id="the model's words"),
        pytest.param("I could not find that in the documents. Please ask the Legal Office.", C, id="with advice"),
        pytest.param("The pay is not mentioned. The board meets monthly.", V, id="and a fact of the sources"),
        pytest.param("The pay is not mentioned. The DG earns a million.", I, id="and an invention"),
        pytest.param("The DG earns 100,000 a year.", I, id="an invention"),
        pytest.param("", C, id="nothing at all"),
    ],
)
def test_questions_that_nothing_answers(answer: str, verdict: str) -> None:
    found = scored(REFUSE, answer, "The board meets monthly.")
    assert found.verdict == verdict, found.reasons


def test_what_is_said_besides_a_refusal_cannot_be_judged_without_sources() -> None:
    assert scored(REFUSE, "The pay is not mentioned. The board meets monthly.").verdict is None


def test_a_case_without_gold_is_left_to_people_unless_the_answer_refuses() -> None:
    case = Case(id="open", question="how do i feel", kind="document", answer="Well.")
    assert scored(case, "Well.").verdict is None
    assert scored(case, CANNOT_ANSWER).verdict == I


def test_without_a_chart_units_are_compared_by_name() -> None:
    none = Organization("Harbour Trust")
    assert scored(DESKS, "Contracts Desk and Claims Desk", of=none) == Score(C, (), None, 1.0)
    assert scored(DESKS, "Contracts Desk", of=none) == Score(I, ('lacks "Claims Desk"',), None, 0.5)


@settings(max_examples=20)
@given(st.text(max_size=80))
def test_any_answer_gets_a_score(answer: str) -> None:
    for case in (DAYS, TEAMS, UNITS, YES, REFUSE, SOME):
        found = scored(case, answer)
        assert found.verdict in (C, V, I, None)
        assert found.precision is None or 0 <= found.precision <= 1


@pytest.mark.parametrize(
    "answer", ["1" * 5000, "not " + "-" * 5000 + " 21 days", "'" * 5000, "\n" * 3000], ids=lambda text: repr(text[:8])
)
def test_runaway_answers_are_scored(answer: str) -> None:
    assert scored(UNITS, answer).verdict == I
    assert scored(REFUSE, answer).verdict in (C, I)


units = st.sampled_from(["Payroll Team", "Treasury Team", "Claims Desk", "Contracts Desk", "Audit Committee"])


@settings(max_examples=20)
@given(st.lists(units, unique=True, min_size=1))
def test_precision_and_recall_are_those_of_the_sets(named: list[str]) -> None:
    found = scored(DESKS, "; ".join(named))
    right = {*named} & {*DESKS.units}
    assert found.recall == pytest.approx(len(right) / 2)
    assert found.precision == pytest.approx(len(right) / len(named))
    assert (found.verdict == C) == ({*named} == {*DESKS.units})
