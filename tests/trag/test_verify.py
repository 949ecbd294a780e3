"""Verification on a small chart, with the real finder reading the answers."""

from time import process_time

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from org.statements import answer as from_chart
from trag.verify import Evidence, examine, misplaces, supported

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


def finding(question: str, answer: str, chart: Chart, finder: EntityFinder) -> str:
    """What the chart says against the answer to a question about it."""
    stated = from_chart(question, finder.find(question), finder.find_types(question), chart)
    return examine(question, answer, (), chart, finder, reply=stated.text if stated else "").finding


@pytest.mark.parametrize("answer", RIGHT)
def test_a_right_placement_is_left_alone(answer: str, chart: Chart, finder: EntityFinder) -> None:
    assert examine("", answer, (), chart, finder).checks.misplaced == ()


@pytest.mark.parametrize(("answer", "expected"), WRONG, ids=[answer for answer, _ in WRONG])
def test_a_wrong_placement_is_found(
    answer: str, expected: tuple[str, str, str], chart: Chart, finder: EntityFinder
) -> None:
    found = [
        (wrong.unit, wrong.claimed, wrong.actual) for wrong in examine("", answer, (), chart, finder).checks.misplaced
    ]
    assert found == [expected]


PLAIN = [
    wrong for wrong, _ in WRONG if any(said in wrong for said in (" is under", "parent of", " directly ", "belong"))
]


@pytest.mark.parametrize("text", PLAIN)
def test_words_of_a_document_that_put_a_unit_elsewhere_are_known(text: str, chart: Chart, finder: EntityFinder) -> None:
    assert misplaces(text, chart, finder)
    assert misplaces(f"Gifts are declared within ten days. {text}", chart, finder)


@pytest.mark.parametrize("text", [*RIGHT, "The Ethics Office reports to the Legal Division and the Payroll Unit."])
def test_other_words_of_a_document_are_its_own(text: str, chart: Chart, finder: EntityFinder) -> None:
    assert not misplaces(text, chart, finder)


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
    assert examine("", answer, evidence, chart, finder).checks.unknown_units == unknown


def test_of_two_compared_only_the_charts_own_words_stand(chart: Chart, finder: EntityFinder) -> None:
    question = "which has more units, the Finance Division or the Legal Division?"
    stated = from_chart(question, finder.find(question), finder.find_types(question), chart)
    assert stated
    assert finding(question, stated.text, chart, finder) == ""
    first, second = "Finance Division", "Legal Division"
    swapped = stated.text.replace(first, "#").replace(second, first).replace("#", second)
    assert finding(question, swapped, chart, finder) == stated.text


SOURCE = (
    "Contracts above 50,000 LMD need two signatures. The Head of Procurement signs first, the Treasurer second. "
    "Members serve for three years and may be re-elected once. Gifts are not allowed. "
    "The daily allowance on the peninsula is 95 LMD. The daily allowance abroad is 140 LMD. "
    "Video is kept for three weeks, and nobody may copy it; a tape of more than 1,000 hours is not kept. "
    "No charter runs for more than two years."
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
        ("No, gifts are not allowed.", True),
        ("No, the daily allowance abroad is 140 LMD.", True),
        ("Three weeks.", True),
        ("Video is not kept for three weeks.", False),
        ("Tapes of more than 1,000 hours are kept.", False),
        ("Two years.", True),
        ("Charters run for more than two years.", False),
    ],
)
def test_support(sentence: str, is_supported: bool) -> None:
    (checked,) = examine("", sentence, (Evidence("source", SOURCE),), None, None).checks.sentences
    assert checked.supported is is_supported, supported(sentence, SOURCE)


def test_each_sentence_names_the_source_that_bears_it_out() -> None:
    evidence = (Evidence("a", "The quorum is nine."), Evidence("b", SOURCE))
    checks = examine(
        "", "The quorum is nine. Members serve for three years. Lunch is free.", evidence, None, None
    ).checks
    assert [(sentence.supported, sentence.source) for sentence in checks.sentences] == [
        (True, "a"),
        (True, "b"),
        (False, ""),
    ]


def test_without_a_chart_nothing_is_said_about_places() -> None:
    checks = examine("", "The Ethics Office is under the Finance Division.", (), None, None).checks
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
    question = "which unit holds both infra-mail and infra-ci"
    assert (finding(question, answer, chart, EntityFinder(chart)) == "") is agrees


WHICH = "Which units are under the Finance Division?"
HOW_MANY = "How many units are under the Finance Division?"
WHERE = "Where is the Ethics Office?"
IS_IT = "Is the Cash Desk under the Finance Division?"
SIBLINGS = "What are the siblings of the Ethics Office?"
COMMON = "What is the common parent of the Ethics Office and the Cash Desk?"
PATH = "what is above the cash desk, all the way up"
HELP = "How do I register a gift?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (WHICH, "Payroll and Treasury."),
        (WHICH, "- **Payroll Unit**: pays salaries\n- **Treasury Unit**: keeps the cash"),
        (WHICH, "The Finance Division has the Payroll Unit and the Treasury Unit, which includes the Cash Desk."),
        (HOW_MANY, "Two directly, three in all."),
        (HOW_MANY, "There are 3 units in total."),
        (WHERE, "It's in the Legal Division."),
        (WHERE, "Acme Foundation > Legal Division > Ethics Office"),
        (WHERE, "I believe the EO is part of Legal, but please check."),
        (IS_IT, "Yes."),
        (IS_IT, "It is: the Cash Desk belongs to the Treasury Unit, which is in the Finance Division."),
        (SIBLINGS, "The DPO."),
        (COMMON, "Acme."),
        (PATH, "The Treasury Unit, then the Finance Division, then Acme."),
        (PATH, "Acme Foundation > Finance Division > Treasury Unit > Cash Desk"),
        (HELP, "Ask the Ethics Office, a unit of the Legal Division, which has two units."),
        (HELP, "The Ethics Office informs the Finance Division and keeps five copies."),
        (HELP, "The Ethics Office was under the Finance Division until 2019."),
        (HELP, "If the Ethics Office is under the Finance Division, ask there."),
        (HELP, "The Ethics Office is under the Legal Division, not under the Finance Division."),
    ],
)
def test_a_right_answer_in_other_words_is_left_alone(
    question: str, answer: str, chart: Chart, finder: EntityFinder
) -> None:
    assert finding(question, answer, chart, finder) == ""


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (WHICH, "Payroll Unit.", "2 units: the Payroll Unit and the Treasury Unit"),
        (WHICH, "Payroll Unit, Treasury Unit and Ethics Office.", "2 units: the Payroll Unit and the Treasury Unit"),
        (WHICH, "Payroll Unit, Treasury Unit and Budget Unit.", "There is no Budget Unit."),
        (HOW_MANY, "Five.", "2 units are directly under the Finance Division, and 3"),
        (HOW_MANY, "It has 3 units directly under it.", "2 units are directly under Finance Division, 3 in all."),
        ("where does the cash desk sit", "It is in the Finance Division.", "The Cash Desk is under the Treasury Unit"),
        (WHERE, "The Finance Division.", "The Ethics Office is under the Legal Division"),
        (WHERE, "Acme Foundation > Finance Division > Ethics Office", "Ethics Office is under Legal Division, not"),
        (
            WHERE,
            "- Acme Foundation\n  - Finance Division\n    - Ethics Office",
            "Ethics Office is under Legal Division",
        ),
        (IS_IT, "No.", "Yes: the Cash Desk is under the Treasury Unit"),
        (IS_IT, "The Cash Desk is not part of the Finance Division.", "Cash Desk is under Finance Division."),
        (SIBLINGS, "The Payroll Unit.", "Beside the Ethics Office, 1 other unit is directly under the Legal Division"),
        (COMMON, "The Legal Division.", "The closest unit above both"),
        (PATH, "The Cash Desk is under the Treasury Unit, which is under Acme.", "which is under the Finance Division"),
        (HELP, "Ask the Ethics Office, which has five units.", "0 units are directly under Ethics Office, 0 in all."),
        (HELP, "Ask the EO (under the Finance Division).", "Ethics Office is under Legal Division, not under Finance"),
        (HELP, "The Legal Division, with its three units, decides.", "2 units are directly under Legal Division"),
        (HELP, "Ethics and Data Protection are under Finance.", "not under Finance Division; Data Protection Office"),
    ],
)
def test_a_wrong_answer_is_found(question: str, answer: str, expected: str, chart: Chart, finder: EntityFinder) -> None:
    assert expected in finding(question, answer, chart, finder)


def test_the_misalignment_of_the_paper_is_found() -> None:
    rows = """name,parent,type
High Commissioner,,position
Executive Office,High Commissioner,office
Inspector General Office,Executive Office,office
Deputy High Commissioner,High Commissioner,position
Innovation Service,Deputy High Commissioner,service
External Relations,Deputy High Commissioner,division
Governance & Partnership,External Relations,section
Strategic Communications,External Relations,section
"""
    chart = load(rows.encode(), "chart.csv")
    question = "Name some entities under Deputy High Commissioner and some under External Relations"
    answer = (
        "Based on the provided context, the entities under the Deputy High Commissioner include: 1. Innovation Service "
        "2. Inspector General Office And the entities under External Relations include: 1. Governance & Partnership "
        "2. Strategic Communications"
    )
    found = examine(question, answer, (), chart, EntityFinder(chart)).checks.misplaced
    assert [(wrong.unit, wrong.claimed) for wrong in found] == [
        ("Inspector General Office", "Deputy High Commissioner")
    ]


def test_a_shared_name_is_right_when_one_of_its_units_fits() -> None:
    rows = (
        b"name,parent\nAcme,\nHealth Division,Acme\nLegal Division,Acme\nPress Desk,Health Division\nPress Desk,Acme\n"
    )
    chart = load(rows, "chart.csv")
    finder = EntityFinder(chart)
    assert finding("", "The Press Desk is under the Health Division.", chart, finder) == ""
    assert "not under Legal Division" in finding("", "The Press Desk is under the Legal Division.", chart, finder)


def test_what_the_documents_say_in_another_sense_is_no_fault(chart: Chart, finder: EntityFinder) -> None:
    said = "The Ethics Office reports to the Finance Division."
    evidence = (Evidence("rules-3", "Every spring the books are read. " + said),)
    assert examine(HELP, said, (), chart, finder).finding
    assert examine(HELP, said, evidence, chart, finder).finding == ""
    placed = "The Ethics Office is part of the Finance Division."
    assert examine(HELP, placed, (Evidence("rules-3", placed),), chart, finder).finding


def test_a_long_answer_is_read_in_bounded_time(chart: Chart, finder: EntityFinder) -> None:
    names = "Payroll Unit, Treasury Unit and the Cash Desk of the "
    for text in (names * 60, "1. " * 500, "(" * 2000, "under the " * 400, "Unit of " * 300):
        began = process_time()
        examine(WHICH, text, (), chart, finder)
        assert process_time() - began < 2, text[:40]
