"""Which units a question is about, where a name is shared and a place tells which is meant."""

from __future__ import annotations

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from org.statements import answer

CLINICS = b"""name,parent,type,aliases
Alder Health,,group,
Royal Infirmary,Alder Health,hospital,RI
Queen's Hospital,Alder Health,hospital,QH
Medicine,Royal Infirmary,directorate,
Medicine,Queen's Hospital,directorate,
Cardiology,Royal Infirmary > Medicine,department,
Cardiology,Queen's Hospital > Medicine,department,
Stroke Unit,Royal Infirmary > Medicine,unit,
Pharmacy,Queen's Hospital,department,
"""


@pytest.fixture(scope="module")
def clinics() -> Chart:
    return load(CLINICS, "clinics.csv")


@pytest.fixture(scope="module")
def porter(clinics: Chart) -> EntityFinder:
    return EntityFinder(clinics)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "who does cardiology at QH report to",
            "Cardiology (Queen's Hospital) reports to Medicine (Queen's Hospital).",
        ),
        (
            "how many departments are in medicine at RI",
            "There is 1 department under Medicine (Royal Infirmary).",
        ),
        ("does QH have a pharmacy?", "Yes, Pharmacy is directly under the Queen's Hospital."),
        ("is there a pharmacy at QH", "Yes, Pharmacy is directly under the Queen's Hospital."),
        (
            "is there a stroke unit at the royal infirmary",
            "Yes: the Stroke Unit is under Medicine (Royal Infirmary), which is under Royal Infirmary.",
        ),
        (
            "does QH have a stroke unit",
            "No, the Stroke Unit is not under the Queen's Hospital. The Stroke Unit is under Medicine (Royal Infirmary)"
            ", which is under Royal Infirmary, which is under Alder Health.",
        ),
        # a common noun: to say that there is none takes more than the chart
        ("does RI have a pharmacy", None),
        ("does QH have a stroke unit that is open", None),
    ],
)
def test_a_place_tells_which_unit_is_meant(
    question: str, expected: str | None, clinics: Chart, porter: EntityFinder
) -> None:
    found = answer(question, porter.find(question), porter.find_types(question), clinics)
    assert (found and found.text) == expected
