"""The ways in which an answer puts a unit under another one, on charts of several kinds of organizations."""

from __future__ import annotations

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from trag.verify import Evidence, examine

COURT = load(
    b"""name,parent,type,aliases
Court,,court,
Civil Division,Court,division,
Chamber 1,Civil Division,chamber,
Chamber 2,Civil Division,chamber,
Civil Registry,Civil Division,registry,
Chief Clerk,Civil Registry,post,
Criminal Division,Court,division,
Chamber 3,Criminal Division,chamber,
Registrar General,Court,registrar,
Finance,Registrar General,unit,
HR,Registrar General,unit,Human Resources
Bailiffs,Registrar General,unit,
Court Library,Registrar General,library,
""",
    "chart.csv",
)
HOSPITAL = load(
    b"""name,parent,type
St. Luke's,,hospital
Medical Directorate,St. Luke's,directorate
Surgery,Medical Directorate,department
Cardiology,Medical Directorate,department
Ward 5,Surgery,ward
Ward 7,Cardiology,ward
Children's Ward,Cardiology,ward
Nursing Directorate,St. Luke's,directorate
Infection Control Team,Nursing Directorate,team
""",
    "chart.csv",
)
PORT = load(
    b"""name,parent,type,aliases
Port Authority of Velm,,authority,PAV
Harbour Master's Office,Port Authority of Velm,office,
Vessel Traffic Service,Harbour Master's Office,service,VTS
Pilotage,Harbour Master's Office,service,
Commercial Division,Port Authority of Velm,division,
Terminals Department,Commercial Division,department,
Security Department,Port Authority of Velm,department,
""",
    "chart.csv",
)
PROJECT = load(
    b"""name,parent,type
Foundation,,foundation
board,Foundation,board
infra,board,committee
infra-mail,infra,team
infra-ci,infra,team
security,board,committee
security-response,security,team
""",
    "chart.csv",
)
VEREIN = load(
    """name,parent,type
Turnverein Auen,,Verein
Vorstand,Turnverein Auen,Organ
Abteilung Handball,Vorstand,Abteilung
Abteilung Fußball,Vorstand,Abteilung
Jugendausschuss,Abteilung Fußball,Ausschuss
""".encode(),
    "chart.csv",
)
FINDERS = {id(chart): EntityFinder(chart) for chart in (COURT, HOSPITAL, PORT, PROJECT, VEREIN)}


def found(answer: str, chart: Chart, source: str = "") -> str:
    evidence = (Evidence("s1", source),) if source else ()
    return examine("Who decides?", answer, evidence, chart, FINDERS[id(chart)]).finding


@pytest.mark.parametrize(
    ("answer", "chart", "unit"),
    [
        ("Finance's parent unit is the Court Library.", COURT, "Finance"),
        ("Finance’s direct parent is the Court Library.", COURT, "Finance"),
        ("Bailiffs' parent unit is the Court Library.", COURT, "Bailiffs"),
        ("The Civil Division is HR's parent.", COURT, "HR"),
        ("The Civil Division's units are Chamber 1 and Chamber 3.", COURT, "Chamber 3"),
        ("The Civil Division's Chamber 3 decides.", COURT, "Chamber 3"),
        ("Finance is one of the Civil Division's units.", COURT, "Finance"),
        ("Finance has the Civil Division as its parent.", COURT, "Finance"),
        ("Finance works under the Court Library.", COURT, "Finance"),
        ("Finance is led by the Court Library.", COURT, "Finance"),
        ("Finance is under the authority of the Court Library.", COURT, "Finance"),
        ("Finance falls under the remit of the Civil Division.", COURT, "Finance"),
        ("Finance belongs to the Court Library's structure.", COURT, "Finance"),
        ("Finance is two levels below the Civil Division.", COURT, "Finance"),
        ("Finance is a Civil Division unit.", COURT, "Finance"),
        ("The Civil Division is in charge of Finance.", COURT, "Finance"),
        ("The Registrar General is led by the Court Library.", COURT, "Registrar General"),
        ("Surgery is a Nursing Directorate department.", HOSPITAL, "Surgery"),
        ("Cardiology's wards are Ward 5 and Ward 7.", HOSPITAL, "Ward 5"),
        ("The Children's Ward's parent is Surgery.", HOSPITAL, "Children's Ward"),
        ("The Infection Control Team has been transferred to Cardiology.", HOSPITAL, "Infection Control Team"),
        ("The Infection Control Team is a sub-unit of Surgery.", HOSPITAL, "Infection Control Team"),
        ("The Harbour Master's Office's parent is the Commercial Division.", PORT, "Harbour Master's Office"),
        ("The Commercial Division, with Pilotage under it, decides.", PORT, "Pilotage"),
        ("The VTS, which the Commercial Division oversees, decides.", PORT, "Vessel Traffic Service"),
        ("As a unit of the Commercial Division, the Security Department decides.", PORT, "Security Department"),
        ("The Security Department is now integrated into the Commercial Division.", PORT, "Security Department"),
        ("infra-ci's parent is security.", PROJECT, "infra-ci"),
        ("security's teams are infra-ci and security-response.", PROJECT, "infra-ci"),
        ("The Jugendausschuss's parent is the Abteilung Handball.", VEREIN, "Jugendausschuss"),
    ],
)
def test_a_wrong_place_is_seen_however_it_is_said(answer: str, chart: Chart, unit: str) -> None:
    assert found(answer, chart).lower().startswith(f"{unit.lower()} is under ")


@pytest.mark.parametrize(
    ("answer", "chart"),
    [
        ("Finance's parent unit is the Registrar General, and the Registrar General is HR's parent.", COURT),
        ("Bailiffs' parent unit is the Registrar General.", COURT),
        ("Ask the 'Bailiffs', who are under the 'Registrar General' now.", COURT),
        ("The Court's Civil Division's chambers are Chamber 1 and Chamber 2.", COURT),
        ("Finance is one of the Registrar General's four units.", COURT),
        ("Finance's budget is approved by the Court Library, and its forms are kept in HR's room.", COURT),
        ("Finance is under the Registrar General's authority.", COURT),
        ("Finance has the Registrar General as its parent and the Court above it.", COURT),
        ("Finance is led by the Registrar General, and not led by the Court Library.", COURT),
        ("Finance is led by Anna Berg, who is under the authority of the Registrar General.", COURT),
        ("HR keeps the till under the supervision of Finance.", COURT),
        ("HR is responsible for Finance's staff. The staff of HR is under the direction of Finance.", COURT),
        (
            "HR is one of four units under the Registrar General, and one of the 4 units of the Registrar General.",
            COURT,
        ),
        ("HR's clients are in the Court Library.", COURT),
        ("HR acts as the secretariat of the Civil Division.", COURT),
        ("Chamber 1 works in the Court Library on Mondays.", COURT),
        ("The staff of Finance have been transferred to HR.", COURT),
        ("The contact for Chamber 1 is the Court Library unit.", COURT),
        ("Chamber 1 is a Civil Division chamber.", COURT),
        ("Surgery is part of St. Luke's, and St. Luke's Surgery has beds.", HOSPITAL),
        ("Surgery's Ward 5 has 20 beds. Ward 7's nurses call the Infection Control Team.", HOSPITAL),
        ("The Harbour Master's Office's services are Pilotage and the VTS.", PORT),
        ("infra-mail is one of infra's teams.", PROJECT),
    ],
)
def test_a_right_place_and_what_is_none_are_left_alone(answer: str, chart: Chart) -> None:
    assert found(answer, chart) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "The Civil Registry is led by the Chief Clerk.",
        "The Civil Registry is under the direction of the Chief Clerk.",
        "The Chief Clerk heads the Civil Registry.",
    ],
)
def test_a_unit_may_be_led_by_its_own_head_and_by_no_other(answer: str) -> None:
    assert found(answer, COURT) == ""
    assert found(answer.replace("Chief Clerk", "Court Library"), COURT).startswith("Civil Registry is under ")


def test_what_belongs_to_whom_is_the_documents_to_say() -> None:
    said = "The Civil Division's Bailiffs are led by Finance."
    assert found(said, COURT)
    assert found(said, COURT, source=f"On Mondays all meet. {said}") == ""
