"""Cases made from charts: even, in many phrasings, the same for a seed, and sound whatever the chart."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time

import pytest

from org.chart import Chart, Unit
from org.reading.charts import load
from trag.evaluate.cases import read, write
from trag.evaluate.chart_cases import KINDS, make
from trag.evaluate.chart_cases.generation import drawn
from trag.evaluate.chart_cases.phrasing import phrasings

ORGANIZATIONS = Path(__file__).parents[4] / "bench" / "organizations"


def made(names: list[str], parents: list[int], types: list[str] | None = None) -> Chart:
    rows = zip(names, parents, types or ["office"] * len(names), strict=True)
    return Chart(
        [Unit(str(at), name, noun, None if at == 0 else str(parent)) for at, (name, parent, noun) in enumerate(rows)]
    )


HARD = {
    "one unit": made(["Otter Trust"], [0]),
    "a chain": made([f"Link {at} Office" for at in range(64)], [max(0, at - 1) for at in range(64)]),
    "400 children": made(["Otter Trust", *(f"Berth {at}" for at in range(400))], [0] * 401),
    "no types": made(["Otter Trust", "Docks", "Cranes", "Ropes", "Sails"], [0, 0, 1, 1, 1], [""] * 5),
    "own types": made([f"Place {at}" for at in range(9)], [max(0, at // 2) for at in range(9)], list("abcdefghi")),
    "no Latin": made(["東京本社", "人事部", "採用課", "給与課"], [0, 0, 1, 1], ["社", "部", "課", "課"]),
    "signs": made(["<Trust> & Co", 'The "Box"', "O'Neill's {unit}", "</script>", "***"], [0, 0, 1, 1, 1]),
    "one name for all": made(["Team"] * 30, [max(0, at // 3) for at in range(30)], ["team"] * 30),
    "everyday names": made(["Us", "It", "Who", "What", "Where", "The"], [0, 0, 1, 1, 2, 2]),
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_a_hard_chart_gives_sound_cases_and_no_more_than_it_has(name: str) -> None:
    cases = make(HARD[name], seed=5, number=60)
    assert 1 <= len(cases) <= 60
    assert len({case.id for case in cases}) == len({case.question for case in cases}) == len(cases)
    assert read(write(cases), "made.jsonl") == cases
    if name == "one unit":
        assert len([case for case in cases if not case.refuse]) <= 6


@pytest.mark.parametrize("organization", ["kestrel", "brackwater-hospital"])
def test_kinds_come_evenly_and_every_level_and_most_types_are_asked_about(organization: str) -> None:
    chart = load((ORGANIZATIONS / organization / "chart.csv").read_bytes(), "chart.csv")
    facts = list(drawn(chart, seed=3, number=80))
    kinds = Counter(fact.case.kind for fact in facts)
    assert kinds == dict.fromkeys(KINDS, 10)
    assert [fact.case for fact in facts] == list(make(chart, seed=3, number=80))
    depths = Counter(chart.depth(fact.unit.id) for fact in facts if fact.unit)
    assert set(depths) == {chart.depth(unit) for unit in chart.units}
    assert {fact.unit.type for fact in facts if fact.unit} >= {*chart.types} - {"charity", "trust", "foundation"}
    texts = {re.sub(r"\W", "", fact.case.question.casefold()) for fact in facts}
    assert len(texts) == len(facts)


def test_the_same_seed_gives_the_same_cases_and_another_seed_others() -> None:
    chart = load((ORGANIZATIONS / "kestrel" / "chart.csv").read_bytes(), "chart.csv")
    assert make(chart, seed=1, number=40) == make(chart, seed=1, number=40) != make(chart, seed=2, number=40)
    assert make(chart, seed=1, number=0) == ()


def test_a_shared_name_is_told_by_its_parent_in_the_question_and_in_the_gold() -> None:
    divisions = ["Otter Trust", "Docks Division", "People Division"]
    offices = ["Secretariat", "Secretariat", "Rope Desk", "Pay Desk", "Hire Desk"]
    types = ["trust", "division", "division", "office", "office", "desk", "desk", "desk"]
    chart = made(divisions + offices, [0, 0, 0, 1, 2, 3, 4, 4], types)
    facts = list(drawn(chart, seed=2, number=300))
    shared = [fact for fact in facts if fact.unit and fact.unit.name == "Secretariat" and not fact.other]
    assert {fact.form for fact in shared} >= {"list: children", "count: children", "siblings: nothing"}
    for fact in shared:
        assert fact.unit
        assert chart.unit(str(fact.unit.parent)).name.casefold() in fact.case.question.casefold()
    listed = {label for fact in facts for label in fact.case.units if "Secretariat" in label}
    assert listed == {"Docks Division > Secretariat", "People Division > Secretariat"}


@pytest.mark.parametrize(
    ("types", "names", "asked"),
    [
        (["trust", "group", "working group", "group"], ["T", "Rope", "Sail", "Tar"], {"working group"}),
        (["trust", "unit", "desk", "desk"], ["T", "Rope", "Sail", "Tar"], {"desk"}),
        (["trust", "team", "squad", "team"], ["T", "Rope", "Sail Team", "Tar"], {"squad"}),
        (["trust", "Desk", "desks", "desk"], ["T", "Rope", "Sail", "Tar"], {"Desk"}),
    ],
    ids=["a type within a type", "a word for any unit", "a name that says another type", "one type in three spellings"],
)
def test_a_type_is_not_asked_for_where_people_could_count_otherwise(
    types: list[str], names: list[str], asked: set[str]
) -> None:
    facts = drawn(made(["Otter Trust", *names[1:]], [0] * 4, types), seed=1, number=200)
    assert {fact.noun for fact in facts if fact.noun and fact.form.startswith(("list", "count"))} - {"trust"} == asked


def test_a_column_of_the_chart_is_not_asked_for_as_something_it_cannot_tell() -> None:
    units = [Unit("0", "Otter Trust", "trust", None, attributes=(("Mobile", "0171"), ("Salary", "1")))]
    asked = " ".join(
        case.question for seed in range(8) for case in make(Chart(units), seed=seed, number=30) if case.refuse
    )
    assert "Otter Trust" in asked
    assert not re.search("mobile|salary", asked)


def test_every_kind_has_at_least_25_phrasings_with_the_slots_of_their_form() -> None:
    by_kind = Counter(form.partition(":")[0] for form in phrasings() for _ in phrasings()[form])
    assert {kind: by_kind[kind] for kind in KINDS if by_kind[kind] < 25} == {}
    assert all(len(set(lines)) == len(lines) for lines in phrasings().values())
    for form, lines in phrasings().items():
        slots = {frozenset(re.findall(r"\{(\w+)\}", line.replace("{types}", "{type}"))) for line in lines}
        assert form.startswith("around") or len(slots) == 1, form


@pytest.mark.slow
def test_200_cases_of_100_000_units_take_seconds() -> None:
    chance = Random(7)
    units = [Unit("0", "Otter Trust", "trust", None)]
    for at in range(1, 100_000):
        parent = "0" if at <= 400 else str(chance.randrange(1, at))
        name = f"Berth {chance.randrange(60_000)} Office"
        units.append(Unit(str(at), name, chance.choice(("office", "desk")), parent))
    chart = Chart(units)
    began = process_time()
    cases = make(chart, seed=1, number=200)
    assert len(cases) == 200
    assert process_time() - began < 15
