"""The chart's own answers to employees' questions, and the statements that a model is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from org.answering.replies import MOST_SHARING
from org.chart import Chart, check
from org.entities import EntityFinder
from org.statements import Statement, answer, describe, placement

EXAMPLE = Path(__file__).parents[2] / "examples" / "larkmoor" / "chart.csv"
LEGAL = "the Legal Affairs & Ethics Division, which is under the Chief Executive, which is under The Harbour Trust"


def reply(chart: Chart, finder: EntityFinder, question: str) -> str | None:
    statement = answer(question, finder.find(question), finder.find_types(question), chart)
    return statement.text if statement else None


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is the Ethics Office in the organisation?", f"The Ethics Office is under {LEGAL}."),
        ("where does wg-data-policy sit", "wg-data-policy is under the Information Technology Department, which is"),
        ("full path of the ethics office", f"The Ethics Office is under {LEGAL}."),
        ("what is above the ethics office", f"The Ethics Office is under {LEGAL}."),
        ("who does the dpo report to", "The Data Protection Office reports to the Legal Affairs & Ethics Division."),
        ("to which body does the ARC answer?", "The Audit & Risk Committee reports to the Board of Governors."),
        ("what's the parent of HR", "The Human Resources Department is directly under the Deputy Director for People."),
        ("which division does the speak-up line belong to", "Speak-Up Line is under the Ethics Office, which is under"),
        ("who does the otter report to", "The Otter reports to the Deputy Director for Docks."),
        (
            "what is under the ethics office",
            "Directly under the Ethics Office there is 1 unit: Speak-Up Line (team).",
        ),
        (
            "list the units in the board",
            "Directly under the Board of Governors there are 2 units: the Audit & Risk Committee and "
            "the Secretariat (Board of Governors) (office).",
        ),
        ("what is under speak-up line", "No unit is under Speak-Up Line."),
        (
            "which working groups are under the harbour trust",
            "There are 2 working groups in the organization: wg-data-policy and the Water/Sanitation Working Group.",
        ),
        ("which committees are there", "There is 1 committee in the organization: the Audit & Risk Committee."),
        (
            "which teams are in legal affairs and ethics division?",
            "There is 1 team under the Legal Affairs & Ethics Division: Speak-Up Line (under the Ethics Office).",
        ),
        (
            "which teams are under HR",
            "No team is under the Human Resources Department.",
        ),
        (
            "how many units are in the legal division",
            "3 units are directly under the Legal Affairs & Ethics Division, and 4 are under it in all.",
        ),
        ("how many offices are there under the legal division", "There are 3 offices under the Legal Affairs & Ethics"),
        ("how many units are there?", "The chart has 32 units."),
        (
            "what's the common parent of the DPO and the speak-up line?",
            "The closest unit above both the Data Protection Office and Speak-Up Line is "
            "the Legal Affairs & Ethics Division.",
        ),
        (
            "do HR and the Health Division report to the same unit",
            "Yes: the Human Resources Department and the Health Division are both directly under",
        ),
        (
            "Is the Speak-Up Line part of the legal division?",
            "Yes: Speak-Up Line is under the Ethics Office, which is under the Legal Affairs & Ethics Division.",
        ),
        (
            "is hr under the legal division",
            "No, the Human Resources Department is not under the Legal Affairs & Ethics",
        ),
        ("does the ethics office report directly to the CEO", "Not directly: the Ethics Office is under"),
        ("does the ethics office include the speak-up line", "Yes, Speak-Up Line is directly under the Ethics Office."),
        ("is the CEO under HR", "No, it is the other way round: the Human Resources Department is under"),
        ("is HR part of the health division or of people's deputy director", None),
        ("is the ethics office a team", "No, the Ethics Office is an office."),
        ("does the ethics office have any teams", "Yes: there is 1 team under the Ethics Office: Speak-Up Line."),
        (
            "name some entities under the board of governors and some under the ethics office",
            "Directly under the Ethics Office there is 1 unit",
        ),
        ("what are the siblings of the DPO", "Beside the Data Protection Office, 2 other units are directly under"),
        ("what type of unit is HR", "The Human Resources Department is a department."),
        ("what is the top of the organization", "The Harbour Trust is at the top of the organization."),
        ("what does WASH stand for", "The Water/Sanitation Working Group is also called WASH."),
        ("what is the dpo?", "The Data Protection Office: Handles personal data."),
        ("how is the speak-up line related to the legal division", "Speak-Up Line is under the Ethics Office, which"),
        ("which has more units, HR or the health division", "The Health Division has more units under it (5) than"),
        ("at what level is the ethics office", "The Ethics Office is 3 levels below The Harbour Trust."),
        ("what is between the speak-up line and the CEO", "there are 2 units."),
        ("who does hr report to and what is under it?", "No unit is under the Human Resources Department."),
        ("where does communications sit in the Health Division", "Communications (Health Division) is under the"),
        (
            "where is the speak-up line of the legal division",
            "Speak-Up Line is under the Ethics Office, which is under",
        ),
        ("where is the secretariat", "There are 2 units called Secretariat."),
        ("who does the deputy director report to", "The Deputy Director for People reports to the Chief Executive."),
    ],
)
def test_a_chart_question_is_answered_in_a_sentence(
    chart: Chart, finder: EntityFinder, question: str, expected: str | None
) -> None:
    text = reply(chart, finder, question)
    assert text is None if expected is None else text is not None and expected in text, text


@pytest.mark.parametrize(
    "question",
    [
        "I am new here, so could you please tell me to which higher unit in the structure the Ethics Office reports?",
        "A supplier asked me about the Ethics Office; who does it report to?",
        "before I send this off I must copy the boss of the ethics office, which unit does that office report to",
        "Hello! Quick question - who does the ethics office report to? Thanks",
        "do you know who the ethics office reports to, i cannot find it",
    ],
)
def test_a_question_in_many_words_is_still_understood(chart: Chart, finder: EntityFinder, question: str) -> None:
    assert reply(chart, finder, question) == "The Ethics Office reports to the Legal Affairs & Ethics Division."


@pytest.mark.parametrize(
    "question",
    [
        "what does the ethics office do?",
        "how long does the Ethics Office take to approve a gift?",
        "who approves purchases in HR",
        "which committee approves major grants?",
        "how many people work in HR?",
        "how many members does the audit committee have",
        "who sits on the Audit & Risk Committee",
        "what is the composition of the Audit & Risk Committee",
        "when does the board of governors meet and where does it sit",
        "which floor is HR on",
        "which units are not under the CEO",
        "what is the difference between HR and the DPO",
        "is it under HR?",
        "where do I hand in my claim",
        "Ethics Office",
        "who is the CEO",
        "",
        "where is the ethics office " * 60,
    ],
)
def test_a_question_that_is_not_purely_about_the_chart_has_no_chart_answer(
    chart: Chart, finder: EntityFinder, question: str
) -> None:
    assert reply(chart, finder, question) is None


def test_placement_is_one_sentence_about_its_unit(chart: Chart) -> None:
    (ethics,) = chart.named("Ethics Office")
    assert placement(ethics.id, chart) == Statement(ethics.id, f"The Ethics Office is under {LEGAL}.", chart.version)
    assert placement(chart.root.id, chart).text == "The Harbour Trust is at the top of the organization."


def test_the_answer_comes_first_and_each_statement_has_its_unit(chart: Chart, finder: EntityFinder) -> None:
    question = "which teams are in the health division and where is the DPO"
    mentions, types = finder.find(question), finder.find_types(question)
    statements = describe(question, mentions, types, chart, budget=300, count=words)
    direct = answer(question, mentions, types, chart)
    assert statements[0] == direct
    assert {chart.unit(statement.unit).name for statement in statements} == {
        "Health Division",
        "Data Protection Office",
    }
    assert "The Data Protection Office: Handles personal data." in [statement.text for statement in statements]
    assert len({statement.text for statement in statements}) == len(statements)


def test_a_question_about_work_gets_place_and_description_but_no_lists(chart: Chart, finder: EntityFinder) -> None:
    question = "How long does the Legal Division take to advise?"
    statements = describe(question, finder.find(question), (), chart, budget=300, count=words)
    assert [statement.text for statement in statements] == [
        "The Legal Affairs & Ethics Division is under the Chief Executive, which is under The Harbour Trust.",
        "Legal Division is another name of the Legal Affairs & Ethics Division.",
        "The Legal Affairs & Ethics Division: Gives legal advice.",
    ]


def test_nothing_named_gives_no_statement(chart: Chart) -> None:
    assert describe("how do I claim my taxi?", (), (), chart, budget=300, count=words) == ()


@pytest.mark.parametrize("budget", [0, 5, 12, 30, 60, 150, 2000])
def test_a_long_list_keeps_to_the_budget_and_says_what_it_leaves_out(budget: int) -> None:
    rows = "\n".join(f"Desk {number} of Many,Top Office,desk" for number in range(400))
    chart = check(f"name,parent,type\nTop Office,,office\n{rows}".encode(), "chart.csv").chart
    assert chart is not None
    question = "which units are under the Top Office"
    mentions = EntityFinder(chart).find(question)
    texts = [one.text for one in describe(question, mentions, (), chart, budget=budget, count=words)]
    assert sum(map(words, texts)) <= budget
    lists = [text for text in texts if text.startswith("Directly")]
    assert all("400 units" in text for text in lists), texts
    assert all(text.endswith(" more.") for text in lists if ":" in text), texts
    assert bool(lists) == (budget >= 10), texts


def test_a_name_that_many_share_is_told_apart_for_six_and_counted_for_the_rest() -> None:
    rows = "".join(f"House {number},Top,house\nFront Desk,House {number},desk\n" for number in range(9))
    chart = check(f"name,parent,type\nTop,,\n{rows}".encode(), "chart.csv").chart
    assert chart is not None
    finder = EntityFinder(chart)
    text = reply(chart, finder, "Where is the Front Desk?") or ""
    assert text.startswith("There are 9 units called Front Desk."), text
    assert text.count("which is under") == MOST_SHARING, text
    assert text.endswith("3 more units are called Front Desk."), text
    one = reply(chart, finder, "Where is the Front Desk (House 4)?")
    assert one == "The Front Desk (House 4) is under House 4, which is under Top."


def test_the_sample_chart_loads_without_problems() -> None:
    report = check(EXAMPLE.read_bytes(), EXAMPLE.name)
    assert report.problems == ()
    assert report.chart is not None
    finder = EntityFinder(report.chart)
    for unit in report.chart.units.values():
        assert any(unit.id in mention.units for mention in finder.find(f"Where does {unit.name} sit?")), unit
