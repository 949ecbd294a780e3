"""What questions ask, in the many ways in which people ask it: each wording has the answer that it should have."""

from __future__ import annotations

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from org.statements import answer

LEGAL = "the Legal Affairs & Ethics Division"
DOCKS = "the Deputy Director for Docks"
SAME_ANSWER = {
    f"The Ethics Office is under {LEGAL}, which is under the Chief Executive.": (
        "What does the parent of the Ethics Office report to?",
        "what is two levels up from the ethics office",
        "2 levels above the ethics office, what is there",
        "whats above the unit above the ethics office",
        "the ethics office reports to something, and what does that report to",
        "grandparent of the ethics office?",
    ),
    f"3 units are directly under {LEGAL}.": (
        "how many are one level below the legal division",
        "how many does the legal division have directly under it",
        "just the number: how much is directly under the legal division",
        "how many units does the legal division have on the level right below it",
    ),
    f"In all, 4 units are under {LEGAL}, 3 of them directly.": (
        "how many units are under the legal division, directly and indirectly",
        "count everything below the legal division, all the way down",
        "total number of units under the legal division, every level",
    ),
    f"The Ethics Office reports to {LEGAL}. 1 unit is under the Ethics Office.": (
        "what does the ethics office report to and how many are directly under it",
        "who does the ethics office report to, and how many report to it itself thx",
    ),
    f"Yes: Speak-Up Line is under the Ethics Office, which is under {LEGAL}.": (
        "is the legal division above the speak-up line at some level",
        "does the speak-up line belong to the legal division or not",
        "yes or no: the speak-up line is part of the legal division",
        "is it true that the speak-up line is under the legal division",
        "Going up from the speak-up line, do you reach the legal division?",
        "tell me if the speak-up line ends up under the legal division (asking for a colleague)",
    ),
    f"Yes: {LEGAL} has more units under it (4) than the Board of Governors (2).": (
        "does the legal division have more below it than the board of governors",
        "is the board of governors smaller than the legal division",
        "has the legal division got more under it than the board of governors has",
        "more units under the legal division than under the board of governors?",
    ),
    f"No: {LEGAL} has more units under it (4) than the Board of Governors (2).": (
        "is the board of governors larger than the legal division",
    ),
    f"Yes: the Ethics Office and the Data Protection Office are both directly under {LEGAL}.": (
        "are the ethics office and the dpo sister units",
        "same parent for the ethics office and the dpo, yes or no",
        "is the unit directly above the ethics office also directly above the dpo",
    ),
    f"Yes: the Secretariat (Legal Affairs & Ethics Division) and the Ethics Office are both directly under {LEGAL}.": (
        "is the secretariat (legal affairs & ethics division) a sibling of the ethics office",
        "do the Secretariat of the Legal Division and the Ethics Office have the same parent",
    ),
    f"The Ethics Office reports to {LEGAL}. The Ethics Office is an office.": (
        "what does the ethics office report to and what type is it",
    ),
    f"The Ethics Office is directly under {LEGAL}. The Otter is directly under {DOCKS}.": (
        "What is the ethics office directly under, and what is the otter directly under?",
        "parents of the ethics office and of the otter?",
    ),
    "The Ethics Office is an office.": (
        "the ethics office is what type of thing",
        "what type does the chart give the ethics office",
        "How is the ethics office classified in the chart?",
    ),
    f"Yes: directly under {LEGAL} there are 3 units: the Data Protection Office, the Ethics Office and "
    f"the Secretariat (Legal Affairs & Ethics Division) (office). In all, 4 units are under {LEGAL}.": (
        "has the legal division got anything below it",
        "the legal division: anything under it, yes or no",
    ),
    f"Beside the Ethics Office, 2 other units are directly under {LEGAL}: the Data Protection Office and "
    "the Secretariat (Legal Affairs & Ethics Division) (office).": (
        "Who are the sisters of the Ethics Office?",
        "What else reports to whatever the Ethics Office reports to?",
        "does anything sit beside the ethics office, and if so what: i mean under the same parent",
    ),
    "No unit is under The Otter.": ("what does the otter have under it",),
    "The closest unit above both the Ethics Office and The Otter is the Chief Executive.": (
        "where do the lines of the ethics office and the otter come together",
    ),
    "No unit is 2 levels above the Chief Executive. The Chief Executive is under The Harbour Trust.": (
        "what is two levels above the chief executive",
    ),
    "The Harbour Trust is at the top of the organization.": ("at what level is the harbour trust",),
    "The Ethics Office: Advises on conduct.": (
        "what is the ethics office for?",
        "what's the purpose of the ethics office",
        "the ethics office: what is it for? thanks",
        "what is the ethics office for, please",
    ),
    "The Data Protection Office is also called DPO.": ("what does DPO mean", "whats the meaning of DPO?"),
}
QUESTIONS = [(question, text) for text, questions in SAME_ANSWER.items() for question in questions]


@pytest.mark.parametrize(("question", "expected"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_every_wording_has_the_answer_of_its_question(
    question: str, expected: str, chart: Chart, finder: EntityFinder
) -> None:
    found = answer(question, finder.find(question), finder.find_types(question), chart)
    assert found is not None
    assert found.text == expected


@pytest.mark.parametrize(
    "question",
    [
        "how many levels are under the legal division",
        "what is two levels below the legal division",
        "does the parent of the ethics office report to the chief executive",
        "how much does the ethics office spend",
        "how many teams report to a department",
        "what is the phone number of the ethics office",
        "which offices have more than three teams",
        "our division got 4000 for a symposium (still running) and now wants another grant, is having both allowed",
        "i owe 2400 since march, can i stand for the board of governors",
        "my brother wants me to drive for him, would the division let me do that?",
    ],
)
def test_what_only_looks_like_such_a_question_is_left_alone(question: str, chart: Chart, finder: EntityFinder) -> None:
    assert answer(question, finder.find(question), finder.find_types(question), chart) is None


COURT = b"""name,parent,type,head
Regional Court,,court,
Civil Division,Regional Court,division,Ann Roe
Chamber 1,Civil Division,chamber,
Chamber 2,Civil Division,chamber,
Civil Registry,Civil Division,registry,
Criminal Division,Regional Court,division,Bo Lee
Chamber 3,Criminal Division,chamber,
Criminal Registry,Criminal Division,registry,
Registrar General,Regional Court,office,
Finance,Registrar General,department,Joe Doe
Human Resources,Registrar General,department,
Bailiffs Service,Registrar General,department,
Court Library,Registrar General,library,
"""
NOT_UNDERSTOOD_WHOLE = (
    # a number, "only", "all" or a time in a question for yes or no
    "does the registrar general have more than five departments",
    "does the registrar general have 7 departments?",
    "does the registrar general have only one department",
    "does the registrar general have one department",
    "does the registrar general have several libraries",
    "is chamber 4 in the civil division",
    "is there a chamber 4",
    "are all chambers in the civil division?",
    "does the civil division have all chambers",
    "is chamber 1 the only chamber in the civil division",
    "is chamber 1 only in the civil division",
    "was chamber 1 originally in the criminal division",
    "where was chamber 1 originally",
    "does nothing report to finance?",
    # two questions in one, of which the chart answers one
    "how many chambers are there and who heads the Civil Division?",
    "how many chambers are there, who heads the Civil Division?",
    "how many chambers are there and then who heads the Civil Division?",
    "where is finance and who leads it",
    "who leads finance and where is it",
    "where is finance? who leads it?",
    "are chamber 1 and chamber 3 siblings, and what is above them",
    "is finance under the registrar general, and who is on call there",
    "does the court library open on sundays, and where is it",
    # what is above or beside is not what is under
    "how many departments are there besides finance",
    "how many units are there apart from the registrar general",
    "how many units are above human resources",
    "how many units oversee chamber 1",
    # what a comparison says of others
    "is chamber 1 in a bigger division than chamber 3",
    "is the registrar general bigger than the civil division and the criminal division",
    "does the registrar general have more departments and libraries than the civil division",
    "does the registrar general have more departments than libraries",
    "is finance a library under the registrar general",
    "chamber 1 keeps the keys of the registrar general, doesn't it",
    # what is asked of something that the chart lacks is not asked of the organization
    "appeals bench: which division",
    "chambers 1-3, which division",
    "i work in chamber 1, which division is that",
    "regarding the appeals bench, which division",
    "which division: chamber 3",
    "how many units - finance",
    # that is asked of one unit alone, and "are there" and "is that" are the same here
    "civil division: are there chambers",
    "civil division: is that a chamber",
    "chamber 1: registry?",
    # a kind of unit that the chart lacks, where no other will do
    "are there any committees under the civil division",
    "how many boards are there",
    # what units are for, what they do and what they are called
    "what is the civil registry for",
    "who is finance for",
    "what does finance mean",
    "what does a chamber do",
    "what do chambers do?",
    "what is a chamber?",
    "what's a registry",
    "which chamber do i need",
    # a number of each, and no total
    "how many chambers does each division have",
    "how many chambers are in each of the divisions",
    "how many chambers are in every division",
    "each division has how many chambers",
    "what do we have to do with finance",
)
WHOLE = {
    "name 2 that are directly under the Civil Division and 2 that are directly under the Criminal Division": (
        "Directly under the Civil Division there are 3 units: Chamber 1, Chamber 2 and the Civil Registry. Directly "
        "under the Criminal Division there are 2 units: Chamber 3 and the Criminal Registry."
    ),
    "where are chambers 1 and 3": (
        "Chamber 1 is under the Civil Division, which is under the Regional Court. Chamber 3 is under the Criminal "
        "Division, which is under the Regional Court."
    ),
    "are chamber 1 and 3 under the civil division": (
        "Yes, Chamber 1 is directly under the Civil Division. No, Chamber 3 is not under the Civil Division. Chamber 3 "
        "is under the Criminal Division, which is under the Regional Court."
    ),
    "which has the most units, the civil division, the criminal division or the registrar general?": (
        "The Registrar General has the most units under it (4), before the Civil Division (3) and the Criminal "
        "Division (2)."
    ),
    "which has the most chambers, the civil division, the criminal division or the registrar general?": (
        "The Civil Division has the most chambers under it (2), before the Criminal Division (1) and the Registrar "
        "General (0)."
    ),
    "which is bigger, chamber 1, chamber 2 or chamber 3": (
        "Chamber 1, Chamber 2 and Chamber 3 each have 0 units under them."
    ),
    "which division has more chambers, civil or criminal": (
        "The Civil Division has more chambers under it (2) than the Criminal Division (1)."
    ),
    "how many chambers are there and what is under the civil division": (
        "There are 3 chambers in the organization. Directly under the Civil Division there are 3 units: Chamber 1, "
        "Chamber 2 and the Civil Registry."
    ),
    "is chamber 1 under the civil division and is chamber 3 under it": (
        "Yes, Chamber 1 is directly under the Civil Division. No, Chamber 3 is not under the Civil Division. "
        "Chamber 3 is under the Criminal Division, which is under the Regional Court."
    ),
    "are chamber 1 and chamber 3 both in the civil division": (
        "Yes, Chamber 1 is directly under the Civil Division. No, Chamber 3 is not under the Civil Division. "
        "Chamber 3 is under the Criminal Division, which is under the Regional Court."
    ),
    "which of chamber 1 and chamber 3 is under the civil division": (
        "Yes, Chamber 1 is directly under the Civil Division. No, Chamber 3 is not under the Civil Division. "
        "Chamber 3 is under the Criminal Division, which is under the Regional Court."
    ),
    "which two chambers are in the civil division": (
        "There are 2 chambers under the Civil Division: Chamber 1 and Chamber 2."
    ),
    "how many chambers has the civil division": "There are 2 chambers under the Civil Division.",
    "how many units are next to chamber 1": (
        "Beside Chamber 1, 2 other units are directly under the Civil Division: Chamber 2 and the Civil Registry."
    ),
    "is chamber 1 currently under the civil division": "Yes, Chamber 1 is directly under the Civil Division.",
    "chamber 1 isn't under the civil division, is it?": "Yes, Chamber 1 is directly under the Civil Division.",
    "chamber 1 is not under the civil division, or is it?": "Yes, Chamber 1 is directly under the Civil Division.",
    "chamber 1 belongs to the civil division, doesn't it?": "Yes, Chamber 1 is directly under the Civil Division.",
    "chamber 3: which division?": "Chamber 3 is under the Criminal Division.",
    "chamber 3 - what division is that": "Chamber 3 is under the Criminal Division.",
    "chamber 3, which division": "Chamber 3 is under the Criminal Division.",
    "chamber 3 which division": "Chamber 3 is under the Criminal Division.",
    "chamber 1 and chamber 3: which division?": (
        "Chamber 1 is under the Civil Division. Chamber 3 is under the Criminal Division."
    ),
    "civil division: which chambers?": "There are 2 chambers under the Civil Division: Chamber 1 and Chamber 2.",
    "civil division - list the chambers": "There are 2 chambers under the Civil Division: Chamber 1 and Chamber 2.",
    "civil division, how many units?": "3 units are under the Civil Division, all of them directly.",
    "chamber 3: which division? and how many chambers are there in the organization?": (
        "Chamber 3 is under the Criminal Division. There are 3 chambers in the organization."
    ),
    "finance and human resources. are they under the same unit?": (
        "Yes: Finance and Human Resources are both directly under the Registrar General."
    ),
    "civil division: chambers?": "There are 2 chambers under the Civil Division: Chamber 1 and Chamber 2.",
    "in the civil division: how many chambers?": "There are 2 chambers under the Civil Division.",
    "good morning: how many chambers are there": "There are 3 chambers in the organization.",
    "finance and the civil registry, who do they report to": (
        "Finance reports to the Registrar General. The Civil Registry reports to the Civil Division."
    ),
    "finance, human resources and the civil registry. who do they report to?": (
        "Finance reports to the Registrar General. Human Resources reports to the Registrar General. The Civil "
        "Registry reports to the Civil Division."
    ),
    "finance and the civil registry: do they share a parent": (
        "No. Finance is directly under the Registrar General. The Civil Registry is directly under the Civil Division. "
        "The closest unit above both Finance and the Civil Registry is the Regional Court."
    ),
    "which chambers do we have in the civil division": (
        "There are 2 chambers under the Civil Division: Chamber 1 and Chamber 2."
    ),
    "what have we got in the civil division": (
        "Directly under the Civil Division there are 3 units: Chamber 1, Chamber 2 and the Civil Registry."
    ),
    "how many chambers do we have in the civil division": "There are 2 chambers under the Civil Division.",
    "do we have any chambers in the civil division": (
        "Yes: there are 2 chambers under the Civil Division: Chamber 1 and Chamber 2."
    ),
    # units of other kinds make no "yes"
    "does the civil division have any teams": (
        "Directly under the Civil Division there are 3 units: Chamber 1, Chamber 2 and the Civil Registry."
    ),
    "does finance have any teams": "No: no unit is under Finance.",
    "list each chamber in the civil division": (
        "There are 2 chambers under the Civil Division: Chamber 1 and Chamber 2."
    ),
    "is there a court library": "The Court Library is under the Registrar General, which is under the Regional Court.",
    "do we have a bailiffs service here?": (
        "The Bailiffs Service is under the Registrar General, which is under the Regional Court."
    ),
}


@pytest.fixture(scope="module")
def court() -> Chart:
    return load(COURT, "court.csv")


@pytest.fixture(scope="module")
def clerk(court: Chart) -> EntityFinder:
    return EntityFinder(court)


def told(question: str, chart: Chart, finder: EntityFinder) -> str | None:
    found = answer(question, finder.find(question), finder.find_types(question), chart)
    return found.text if found else None


@pytest.mark.parametrize("question", NOT_UNDERSTOOD_WHOLE)
def test_a_question_that_is_not_understood_whole_is_answered_with_nothing(
    question: str, court: Chart, clerk: EntityFinder
) -> None:
    assert told(question, court, clerk) is None


@pytest.mark.parametrize(("question", "expected"), WHOLE.items(), ids=WHOLE)
def test_every_part_of_a_question_is_answered(question: str, expected: str, court: Chart, clerk: EntityFinder) -> None:
    assert told(question, court, clerk) == expected


@pytest.mark.parametrize("verb", ["is part of", "sits in", "belongs to", "makes up"])
def test_who_is_in_a_unit_without_units_asks_for_its_members(verb: str, court: Chart, clerk: EntityFinder) -> None:
    assert told(f"who {verb} the bailiffs service", court, clerk) is None
    assert told("who reports to the bailiffs service", court, clerk) == "No unit is under the Bailiffs Service."
