"""Every expression over a large chart ends soon, and says how much it leaves out."""

from __future__ import annotations

from time import process_time

import pytest

from org.chart import Chart, Unit
from org.query.expression import run
from org.query.grammar import grammar

UNITS = 20_000


@pytest.fixture(scope="module")
def large() -> Chart:
    kinds = ("team", "desk", "office")
    return Chart(
        [
            Unit("0", "Top", "agency", None),
            *(
                Unit(
                    str(place),
                    f"Unit {place}",
                    kinds[place % 3],
                    str((place - 1) // 7),
                    description=f"Handles parcels {place}",
                    attributes=(("Site", f"Town {place % 50}"),),
                )
                for place in range(1, UNITS)
            ),
        ]
    )


@pytest.mark.parametrize(
    "expression",
    [
        "descendants(u1)",
        "descendants(descendants(units()))",
        "siblings(children(units()))",
        "path(units())",
        "parent(units(), 'desk')",
        "common(units())",
        "named('unit')",
        "described('parcels')",
        "where('Site', 'town')",
        "most(units(), 'desk')",
        "about(units())",
        "attribute(units(), 'Site')",
        "is_under(units(), units())",
        "same(units(), children(units()))",
    ],
)
def test_an_expression_over_all_units_ends_soon(expression: str, large: Chart) -> None:
    run("named('unit')", ["0"], large)  # what is kept for a chart is made
    start = process_time()
    reply = run(expression, ["0"], large)
    assert process_time() - start < 2
    assert reply
    assert len(reply.text) < 8_000
    assert len(reply.statements) <= 20


def test_a_long_list_says_how_many_more_there_are(large: Chart) -> None:
    reply = run("descendants(u1)", ["0"], large)
    assert reply
    assert reply.text.startswith(f"{UNITS - 1:,} units are under Top: Unit 1 (desk), ")
    assert reply.text.endswith(f" and {UNITS - 61:,} more.")


def test_the_grammar_of_a_large_chart_is_small(large: Chart) -> None:
    assert len(grammar(6, large, "which of the desks is it? " * 150)) < 20_000
