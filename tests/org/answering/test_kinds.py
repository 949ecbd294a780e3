"""The units of a type, against a walk of the whole tree."""

from __future__ import annotations

import pytest

from org.answering import kinds
from org.chart import Chart


@pytest.mark.parametrize("noun", ["office", "offices", "working group", "team", "Committee", "no such type"])
def test_the_index_gives_what_a_walk_gives(noun: str, chart: Chart) -> None:
    for unit in chart.units.values():
        walked = [one for one in chart.descendants(unit.id) if kinds.is_of_type(one, noun)]
        assert kinds.of_type(noun, unit.id, chart) == walked, unit.name
