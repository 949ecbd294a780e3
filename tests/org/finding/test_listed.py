"""Units of a list found by the words that their names share, said once; and no unit where nothing is shared."""

from __future__ import annotations

import pytest

from org.chart import load
from org.entities import EntityFinder

ROWS = (
    "Council,,council,", "Finance,Council,service,", "Planning,Council,service,", "Area North,Council,area,",
    "Finance Committee,Council,committee,", "Planning Committee,Council,committee,", "Ward 1,Council,ward,",
    "Ward 2,Council,ward,", "Ward 9,Council,ward,", "North Depot,Council,depot,", "South Depot,Council,depot,",
    "School of History,Council,school,", "School of Law,Council,school,", "Law,Council,team,",
    "A Division,Council,division,", "B Division,Council,division,", "Watch A,Council,watch,", "Watch B,Council,watch,",
    "Reader Team,Council,team,Meter Team", "Pay and Leave Team,Council,team,", "Leave Team,Council,team,",
    "Pay Team,Council,team,",
)  # fmt: skip
FINDER = EntityFinder(load("\n".join(("name,parent,type,aliases", *ROWS)).encode(), "chart.csv"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where are wards 1 and 2", ["Ward 1", "Ward 2"]),
        ("where are wards 1, 2, and 9", ["Ward 1", "Ward 2", "Ward 9"]),
        ("is it in ward 1 or 9", ["Ward 1", "Ward 9"]),
        ("who do the finance and planning committees report to", ["Finance Committee", "Planning Committee"]),
        ("are the north and south depots in finance", ["North Depot", "South Depot", "Finance"]),
        ("who do the schools of history and law report to", ["School of History", "School of Law"]),
        ("are A and B Division in finance", ["A Division", "B Division", "Finance"]),
        ("are watches A and B both under finance", ["Watch A", "Watch B", "Finance"]),
        # what is a unit by itself stays that, unless there are said to be several
        ("who do finance and the planning committee report to", ["Finance", "Planning Committee"]),
        ("the school of history and law: who is above them", ["School of History", "Law"]),
        # a name in full says more than the list
        ("where is the pay and leave team", ["Pay and Leave Team"]),
        # two names of one unit share nothing
        ("who reads a meter, the meter team", ["Reader Team"]),
        ("which finance committees and wards are there", []),
    ],
)
def test_names_in_a_list_share_what_is_said_once(text: str, expected: list[str]) -> None:
    found = FINDER.find(text)
    assert [unit.rpartition(" > ")[2] for mention in found for unit in mention.units] == expected


def test_each_unit_of_a_list_has_its_own_words() -> None:
    assert [mention.text for mention in FINDER.find("who do wards 1 and 2 report to")] == ["wards 1", "2"]
