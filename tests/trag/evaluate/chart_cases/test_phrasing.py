"""What employees call a unit in a made question: words that a person who knows the chart takes for that unit alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest

from org.chart import Chart, Unit
from trag.evaluate.chart_cases.facts import material
from trag.evaluate.chart_cases.index import words
from trag.evaluate.chart_cases.phrasing import call

NAMES = (
    "Board", "Board of Directors", "Finance", "Finance Office", "Finance Committee", "Department of Medicine", "IT",
    "it", "Data Protection Office", "Who", "Secretariat", "Team", "wg-data-policy", "Office of Jane O'Neill", "A > B",
    '<b>Bold</b> & "Quoted" Desk', "東アジア連絡室", "المكتب الإقليمي", "École de l'eau", "Toplum Sağlığı Ekibi",
    "Ward 6", "{unit}", "Standing Working Group on Reporting", "Cardiology Laboratory", "Kardiology Laboratory", "R",
    "Two", "!!!", "Communications",
)  # fmt: skip


TYPES = ("team", "Team", "teams", "group", "working group", "unit", "laboratory", "Amt für Wasser", "board", "")


def drawn_chart(chance: Random) -> Chart:
    """A small chart in which most names are shared, contained in one another, everyday words or mere signs."""
    return Chart(
        Unit(
            str(at),
            chance.choice(NAMES),
            chance.choice(TYPES),
            str(chance.randrange(max(0, at - 4), at)) if at else None,
            tuple(chance.sample((*NAMES, "DPO", "WHO", "Boss"), chance.randint(0, 2))),
        )
        for at in range(chance.randint(1, 14))
    )


@pytest.mark.parametrize("seed", range(12))
def test_what_a_unit_is_called_means_no_other_unit(seed: int) -> None:
    chance = Random(seed)
    chart = drawn_chart(chance)
    drawn_from = material(chart, seed)
    for unit in chart.units.values():
        for hurried in (False, True) * 4:
            called = call(unit, drawn_from.names, chance, hurried=hurried)
            assert not called or meant(called, chart) == [unit], (called, unit)


def meant(called: str, chart: Chart) -> list[Unit]:
    """The units that a person who knows the chart would think of: of this name, else this one of that, else so
    abbreviated, else with these words in a name, else nearly of this name."""
    quoted = re.fullmatch(r'the one called "(.*)"', called)
    text = quoted[1] if quoted else called
    readings: tuple[Callable[[Unit, str], bool], ...] = (
        lambda unit, name: key(name) == key(text),
        lambda unit, name: any(
            is_of(text, name, one) for above in chart.path(unit.id)[:-1][-1:] for one in names_of(above)
        ),
        lambda unit, name: "".join(w[0] for w in name.split() if w not in ("of", "on")).casefold() == key(text),
        lambda unit, name: {*key(text).split()} <= {*key(name).split()},
        lambda unit, name: is_slip(key(text), key(name)),
    )
    for reading in readings:
        if found := [unit for unit in chart.units.values() if any(reading(unit, name) for name in names_of(unit))]:
            return found
    return []


def names_of(unit: Unit) -> tuple[str, ...]:
    return (unit.name, *unit.aliases)


def key(text: str) -> str:
    found = words(text)
    return (
        " ".join(word for word in found if word not in ("the", "of", "and", "on", "in", "l", "de")) or text.casefold()
    )


def is_of(text: str, name: str, parent: str) -> bool:
    return bool(words(name)) and key(text) == key(f"{name} {parent}")


def is_slip(text: str, name: str) -> bool:
    """Whether one is the other with a letter more, less, or two the wrong way round."""
    shorter, longer = sorted((text, name), key=len)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer))) or any(
        text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :] == name for at in range(len(text))
    )


@pytest.mark.parametrize(
    ("name", "seen", "never"),
    [
        ("Chief Executive's Office", "chief executive's office", r"executive's$"),
        ("WHO Liaison Office", "WHO liaison office", r"\bwho\b"),
        ("Ethics & Audit Office", "ethics and audit office", r"&$|\band$"),
        ("Department of Medicine", "medicine", r"^of\b"),
        ("Data Protection Office", "DPO", r"\bdpo\b"),
        ("École de l'eau", "ecole de l'eau", r"^the\b"),
        ("wg-data-policy", "wg data policy", r"^the\b"),
    ],
)
def test_people_shorten_and_lower_a_name_only_as_far_as_it_can_be_read(name: str, seen: str, never: str) -> None:
    units = [
        Unit("0", "Otter Trust", "trust", None),
        Unit("1", "Chief Executive", "post", "0"),
        Unit("2", name, "body", "0"),
    ]
    chart = Chart(units)
    drawn_from, chance = material(chart, 1), Random(1)
    called = {call(chart.unit("2"), drawn_from.names, chance, hurried=True) for _ in range(150)}
    assert seen in {one.removeprefix("the ") for one in called}, called
    assert not [one for one in called if re.search(never, one)]
