"""The units of a type, against a walk of the whole tree."""

from __future__ import annotations

import pytest

from org.answering import kinds
from org.chart import Chart, load

AGENCY = b"""name,parent,type
River Agency,,agency
Director,River Agency,deputy director
Audit Office,Director,office
Africa,Director,bureau
Kenya,Africa,country office
Ghana,Africa,country office
Jo Lee,Africa,head of department
"""


@pytest.mark.parametrize("noun", ["office", "offices", "working group", "team", "Committee", "no such type"])
def test_the_index_gives_what_a_walk_gives(noun: str, chart: Chart) -> None:
    for unit in chart.units.values():
        walked = [one for one in chart.descendants(unit.id) if kinds.is_of_type(one, noun)]
        assert kinds.of_type(noun, unit.id, chart) == walked, unit.name


def test_a_country_office_is_an_office_and_is_listed_where_there_is_no_other() -> None:
    agency = load(AGENCY, "chart.csv")
    found = {
        unit.name: [one.name for one in kinds.of_type("office", unit.id, agency)] for unit in agency.units.values()
    }
    assert found["River Agency"] == ["Audit Office"]
    assert found["Africa"] == ["Kenya", "Ghana"]
    assert found["Kenya"] == []
    assert [one.name for one in kinds.of_type("country office", agency.root.id, agency)] == ["Kenya", "Ghana"]
    assert kinds.is_of_type(agency.named("Kenya")[0], "Offices")
    assert not kinds.is_of_type(agency.named("Audit Office")[0], "country office")
    assert not kinds.is_of_type(agency.named("Director")[0], "director")
    assert not kinds.is_of_type(agency.named("Jo Lee")[0], "department")
