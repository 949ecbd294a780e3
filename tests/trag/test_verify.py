"""Verification on a small chart, with the real finder reading the answers."""

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from trag.verify import Evidence, check, disagreement, supported

CSV = b"""name,parent,type,aliases,description
Acme Foundation,,foundation,Acme,
Legal Division,Acme Foundation,division,,
Finance Division,Acme Foundation,division,,
Ethics Office,Legal Division,office,EO,
Data Protection Office,Legal Division,office,DPO,
Audit & Risk Committee,Acme Foundation,committee,ARC,
Payroll Unit,Finance Division,unit,,
Treasury Unit,Finance Division,unit,,
Cash Desk,Treasury Unit,desk,,
"""


@pytest.fixture(scope="module")
def chart() -> Chart:
    return load(CSV, "chart.csv")


@pytest.fixture(scope="module")
def finder(chart: Chart) -> EntityFinder:
    return EntityFinder(chart)


RIGHT = [
    "The Ethics Office is under the Legal Division.",
    "The Ethics Office sits in the Legal Division, which is under the Acme Foundation.",
    "The EO reports to the Legal Division.",
    "The Legal Division includes the Ethics Office and the Data Protection Office.",
    "The Ethics Office and the Data Protection Office are under the Legal Division.",
    "Under the Finance Division there are 2 units: Payroll Unit and Treasury Unit.",
    "The units under the Finance Division are:\n- Payroll Unit\n- Treasury Unit",
    "The parent of the Ethics Office is the Legal Division.",
    "The Cash Desk is part of the Finance Division.",
    "The Ethics Office is not under the Finance Division.",
    "Both the Ethics Office and the Payroll Unit work on contracts.",
    "The Payroll Unit is directly under the Finance Division. The Ethics Office advises on gifts.",
    "Under the Legal Division: Ethics Office. Under the Finance Division: Payroll Unit, Treasury Unit.",
]
WRONG = [
    ("The Ethics Office is under the Finance Division.", ("Ethics Office", "Finance Division", "Legal Division")),
    (
        "The Ethics Office reports to the Audit & Risk Committee.",
        ("Ethics Office", "Audit & Risk Committee", "Legal Division"),
    ),
    ("The Legal Division is under the Ethics Office.", ("Legal Division", "Ethics Office", "Acme Foundation")),
    (
        "The Legal Division includes the Ethics Office and the Payroll Unit.",
        ("Payroll Unit", "Legal Division", "Finance Division"),
    ),
    (
        "Under the Legal Division: Ethics Office, Treasury Unit.",
        ("Treasury Unit", "Legal Division", "Finance Division"),
    ),
    (
        "The units under the Legal Division are:\n1. Ethics Office\n2. Payroll Unit",
        ("Payroll Unit", "Legal Division", "Finance Division"),
    ),
    ("The parent of the Payroll Unit is the Legal Division.", ("Payroll Unit", "Legal Division", "Finance Division")),
    ("The Cash Desk is directly under the Finance Division.", ("Cash Desk", "Finance Division", "Treasury Unit")),
    (
        "The Ethics Office and the Cash Desk belong to the Legal Division.",
        ("Cash Desk", "Legal Division", "Treasury Unit"),
    ),
    (
        "Under the Legal Division: Ethics Office. Under the Finance Division: Data Protection Office.",
        ("Data Protection Office", "Finance Division", "Legal Division"),
    ),
]


@pytest.mark.parametrize("answer", RIGHT)
def test_a_right_placement_is_left_alone(answer: str, chart: Chart, finder: EntityFinder) -> None:
    assert check(answer, (), chart, finder).misplaced == ()


@pytest.mark.parametrize(("answer", "expected"), WRONG, ids=[answer for answer, _ in WRONG])
def test_a_wrong_placement_is_found(
    answer: str, expected: tuple[str, str, str], chart: Chart, finder: EntityFinder
) -> None:
    found = [(wrong.unit, wrong.claimed, wrong.actual) for wrong in check(answer, (), chart, finder).misplaced]
    assert found == [expected]


@pytest.mark.parametrize(
    ("answer", "unknown"),
    [
        ("Ask the Digital Affairs Office.", ("Digital Affairs Office",)),
        ("The Office of Weather and Tides decides.", ("Office of Weather and Tides",)),
        ("Ask the Ethics Office.", ()),
        ("The External Review Panel decides.", ()),
        ("Each Division reports monthly.", ()),
    ],
    ids=["made up", "office of", "known", "in a source", "a kind"],
)
def test_units_that_do_not_exist_are_named(
    answer: str, unknown: tuple[str, ...], chart: Chart, finder: EntityFinder
) -> None:
    evidence = (Evidence("1", "The External Review Panel has five members."),)
    assert check(answer, evidence, chart, finder).unknown_units == unknown


SOURCE = (
    "Contracts above 50,000 LMD need two signatures. The Head of Procurement signs first, the Treasurer second. "
    "Members serve for three years and may be re-elected once. Gifts are not allowed. "
    "The daily allowance on the peninsula is 95 LMD. The daily allowance abroad is 140 LMD."
)


@pytest.mark.parametrize(
    ("sentence", "is_supported"),
    [
        ("Contracts above LMD 50,000 need two signatures.", True),
        ("Contracts over 50k need 2 signatures.", True),
        ("Contracts above 60,000 LMD need two signatures.", False),
        ("The Treasurer signs, second.", True),
        ("Members serve for 3 years.", True),
        ("Members serve for five years.", False),
        ("Gifts are allowed.", False),
        ("Gifts are not allowed.", True),
        ("The daily allowance abroad is LMD 140.", True),
        ("The daily allowance abroad is LMD 95.", False),
        ("The canteen opens at noon.", False),
        ("Yes.", False),
    ],
)
def test_support(sentence: str, is_supported: bool) -> None:
    (checked,) = check(sentence, (Evidence("source", SOURCE),), None, None).sentences
    assert checked.supported is is_supported, supported(sentence, SOURCE)


def test_each_sentence_names_the_source_that_bears_it_out() -> None:
    evidence = (Evidence("a", "The quorum is nine."), Evidence("b", SOURCE))
    checks = check("The quorum is nine. Members serve for three years. Lunch is free.", evidence, None, None)
    assert [(sentence.supported, sentence.source) for sentence in checks.sentences] == [
        (True, "a"),
        (True, "b"),
        (False, ""),
    ]


def test_without_a_chart_nothing_is_said_about_places() -> None:
    checks = check("The Ethics Office is under the Finance Division.", (), None, None)
    assert (checks.misplaced, checks.unknown_units, checks.chart) == ((), (), "")


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [
        ("Both are under board.", True),
        ("The unit above both is board.", True),
        ("The unit above both is Project.", False),
        ("I think so.", False),
    ],
)
def test_a_unit_with_the_name_of_a_plain_word_is_compared_to_the_letter(answer: str, agrees: bool) -> None:
    chart = load(b"name,parent\nProject,\nboard,Project\ninfra-mail,board\ninfra-ci,board\n", "chart.csv")
    reply = "The closest unit above both infra-mail and infra-ci is board."
    found = disagreement("which unit holds both infra-mail and infra-ci", answer, reply, chart, EntityFinder(chart))
    assert (found == "") is agrees
