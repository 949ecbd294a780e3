"""The gold of cases made from charts: what a slow and separate walk of the chart finds, whatever the chart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from org.chart import Chart, Unit
from org.reading.charts import load
from tests.trag.evaluate.chart_cases.test_phrasing import drawn_chart
from trag.evaluate.chart_cases.facts import NOTHING, Fact
from trag.evaluate.chart_cases.generation import drawn

KESTREL = Path(__file__).parents[4] / "bench" / "organizations" / "kestrel" / "chart.csv"
PLURALS = {"teams": "team", "companies": "company", "laboratories": "laboratory"}


class Oracle:
    """What is true of a chart, found the slow way: by walking up from each unit."""

    def __init__(self, chart: Chart) -> None:
        self.units = in_order(list(chart.units.values()))
        self.by_id = dict(chart.units)

    def above(self, unit: Unit) -> list[Unit]:
        return [] if unit.parent is None else [self.by_id[unit.parent], *self.above(self.by_id[unit.parent])]

    def below(self, unit: Unit) -> list[Unit]:
        return [one for one in self.units if unit in self.above(one)]

    def kids(self, unit: Unit) -> list[Unit]:
        return [one for one in self.units if one.parent == unit.id]

    def typed(self, units: list[Unit], noun: str) -> list[Unit]:
        return [one for one in units if kind(one.type) == kind(noun)]

    def beside(self, unit: Unit) -> list[Unit]:
        return [one for one in self.units if one.parent == unit.parent and one is not unit and unit.parent is not None]

    def lowest(self, unit: Unit, other: Unit) -> Unit:
        return next(one for one in self.above(unit) if one in self.above(other))

    def called(self, label: str) -> list[Unit]:
        """The units that a label of the gold can mean."""
        return [
            one
            for one in self.units
            if label in (one.name, *(f"{above.name} > {one.name}" for above in self.above(one)[:1]))
        ]


def kind(noun: str) -> str:
    return PLURALS.get(noun.casefold(), noun.casefold())


def polarity(value: bool) -> dict[str, object]:
    return {"polarity": "yes" if value else "no"}


def expected(fact: Fact, oracle: Oracle) -> dict[str, object]:
    """The gold of a fact by the oracle, keyed as a case; items and lists as units."""
    form, noun, number = fact.form.partition(": ")[2], fact.noun, fact.number
    unit, other = fact.unit or oracle.units[0], fact.other or oracle.units[0]
    above, below, kids = oracle.above(unit), oracle.below(unit), oracle.kids(unit)
    typed = oracle.typed(below, noun)
    makers: dict[str, Callable[[], dict[str, object]]] = {
        "where": lambda: {"gold": above[:1]},
        "above": lambda: {"gold": above[:1]},
        "whether": lambda: polarity(other in (oracle.beside(unit) if fact.case.kind == "siblings" else above)),
        "far whether": lambda: polarity(other in above),
        "type": lambda: {"gold": [unit.type]},
        "anything": lambda: polarity(bool(below)),
        "path": lambda: {"gold": above},
        "second": lambda: {"gold": above[1:2]},
        "kind above": lambda: {"gold": oracle.typed(above, noun)},
        "more": lambda: polarity(len(below) > len(oracle.below(other))),
        "children": lambda: {"count": len(kids)} if fact.case.kind == "count" else {"units": kids},
        "flat": lambda: {"units": kids if kids == below else None},
        "below": lambda: {"count": len(below)} if fact.case.kind == "count" else {"units": below},
        "of type": lambda: {"count": len(typed)} if fact.case.kind == "count" else {"units": typed},
        "of type below": lambda: {"units": typed},
        "of type everywhere": lambda: {"count": len(oracle.typed(oracle.units, noun))},
        "some": lambda: {"some": [(kids, number)]},
        "some of type": lambda: {"some": [(typed, number)]},
        "nothing": lambda: (
            {"count": len(below)} if fact.case.kind == "list" else {} if oracle.beside(unit) else {"gold": ["nothing"]}
        ),
        "none": lambda: {"count": len(below)},
        "none of type": lambda: {"count": len(typed)},
        "two": lambda: {"gold": [oracle.lowest(unit, other)]},
        "others": lambda: {"units": oracle.beside(unit)},
        "parent and type": lambda: {"gold": [above[0], unit.type]},
        "parent and children": lambda: {"gold": above[:1], "units": kids},
        "parent and count": lambda: {"gold": above[:1], "count": len(kids)},
        "two parents": lambda: {"gold": [above[0], oracle.above(other)[0]]},
        "two lists": lambda: {"units": in_order(kids + oracle.kids(other))},
        "some and some": lambda: {"some": [(kids, 2), (oracle.kids(other), 2)]},
        "private": lambda: {"refuse": True},
        "invented": lambda: {"refuse": True},
    }
    return makers[form]()


def told(fact: Fact, oracle: Oracle) -> dict[str, object]:
    """The gold of a fact, its words turned back into the units they mean, but for a type that is asked for."""
    case, is_of_type = fact.case, fact.form.partition(": ")[2] in ("type", "parent and type")

    def unit(label: str) -> Unit:
        (found,) = oracle.called(label)
        return found

    def item(forms: tuple[str, ...]) -> Unit | str:
        if {*NOTHING} <= {*forms}:
            return "nothing"
        fitting = [one for one in oracle.units if {*forms} & {one.name, *one.aliases}]
        is_whole = len(fitting) == 1 and forms[0] == fitting[0].name and {*forms} <= {forms[0], *fitting[0].aliases}
        return fitting[0] if is_whole else " | ".join(forms)

    units, types = (case.gold[:-1], case.gold[-1:]) if is_of_type else (case.gold, ())
    found: dict[str, object] = {
        "gold": [*map(item, units), *(" | ".join(forms) for forms in types)],
        "units": in_order([unit(label) for label in case.units]),
        "some": [(in_order([unit(label) for label in some.units]), some.at_least) for some in case.some],
        "count": case.count,
        "polarity": case.polarity,
        "refuse": case.refuse,
    }
    return {key: value for key, value in found.items() if value or (value == 0 and value is not False)}


def in_order(units: list[Unit]) -> list[Unit]:
    """Units in one order, whatever the order of the tree."""
    return sorted(units, key=lambda unit: (len(unit.id), unit.id))


def wrong(chart: Chart, seed: int) -> list[Fact]:
    """The facts whose gold is another than the slow walk finds."""
    oracle = Oracle(chart)
    return [fact for fact in drawn(chart, seed=seed, number=80) if told(fact, oracle) != expected(fact, oracle)]


@pytest.mark.slow
@given(st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_the_gold_is_what_a_slow_walk_of_the_chart_finds(seed: int) -> None:
    assert wrong(drawn_chart(Random(seed)), seed) == []


def test_the_gold_of_an_organization_is_what_a_slow_walk_of_its_chart_finds() -> None:
    chart = load(KESTREL.read_bytes(), "chart.csv")
    assert len(list(drawn(chart, seed=1, number=80))) == 80
    assert wrong(chart, seed=1) == []
