"""True answers in words that are easily read as false ones."""

from __future__ import annotations

import pytest

from org.chart import Chart, load
from org.entities import EntityFinder
from trag.verify import examine

CSV = b"""name,parent,type
Acme Foundation,,foundation
Legal Division,Acme Foundation,division
Finance Division,Acme Foundation,division
Ethics Office,Legal Division,office
Data Protection Office,Legal Division,office
Payroll Unit,Finance Division,unit
Treasury Unit,Finance Division,unit
Cash Desk,Treasury Unit,desk
"""


@pytest.fixture(scope="module")
def chart() -> Chart:
    return load(CSV, "chart.csv")


@pytest.fixture(scope="module")
def finder(chart: Chart) -> EntityFinder:
    return EntityFinder(chart)


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("Beside the Ethics Office, 1 other unit is directly under the Legal Division.", True),
        ("1 unit is directly under the Legal Division.", False),
        ("There they are: Ethics Office, Payroll Unit, Cash Desk (under Treasury Unit).", True),
        ("There they are: Cash Desk, Treasury Unit, Payroll Unit (under Legal Division).", False),
        (f"The Finance Division closed {'9' * 5_000} cases.", True),
        (f"The Finance Division has {'9' * 5_000} units.", False),
    ],
    ids=["the others", "all", "bracket of the last name", "wrong bracket", "digits without end", "units without end"],
)
def test_only_what_is_said_is_judged(answer: str, is_right: bool, chart: Chart, finder: EntityFinder) -> None:
    found = examine("", answer, (), chart, finder).finding
    assert (found == "") == is_right, found[:200]
