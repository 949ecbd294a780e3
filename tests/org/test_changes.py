"""What a person is told before a chart takes another's place, and that it is all that makes the difference."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from org.changes import Changes, compare
from org.chart import Chart, Unit
from org.reading.charts import load

BEFORE = """\
name,parent,type,aliases
Club,,club,
Board,Club,board,
Bar,Club,team,Pub
Pool,Club,team,
Desk,Bar,desk,
Desk,Pool,desk,
"""


def chart(text: str) -> Chart:
    return load(text.encode(), "chart.csv")


def told(changes: Changes) -> dict[str, list[str]]:
    """The changes in words, without the kinds that did not happen."""
    kinds = {
        "added": [unit.name for unit in changes.added],
        "removed": [unit.name for unit in changes.removed],
        "moved": [f"{one.after.name}: {one.before.parent} -> {one.after.parent}" for one in changes.moved],
        "renamed": [f"{one.before.name} -> {one.after.name}" for one in changes.renamed],
        "edited": [f"{one.after.name}: {', '.join(one.edited)}" for one in changes.edited],
    }
    return {kind: found for kind, found in kinds.items() if found}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", {}),
        ("Board,Club,board,\n", "Board,Club,board,\nSauna,Club,team,\n", {"added": ["Sauna"]}),
        ("Board,Club,board,\n", "", {"removed": ["Board"]}),
        ("Board,Club,board,", "Board,Bar,board,", {"moved": ["Board: Club -> Club > Bar"]}),
        ("Bar,Club,team,Pub", "Bar,Club,group,Pub|Inn", {"edited": ["Bar: type, aliases"]}),
        ("Club,,club,\n", "Club Royal,,club,\n", {"renamed": ["Club -> Club Royal"]}),
        # without ids another name is another unit, and what was under it has moved
        ("Bar,Club", "Inn,Club", {"added": ["Inn"], "removed": ["Bar"], "moved": ["Desk: Club > Bar -> Club > Inn"]}),
        ("Desk,Pool,desk,\n", "", {"removed": ["Desk"]}),
        ("Pool,Club,team,", "Pool,Bar,team,", {"moved": ["Pool: Club -> Club > Bar"]}),  # what is under it has not
    ],
    ids=[
        "nothing",
        "added",
        "removed",
        "moved",
        "edited",
        "root renamed",
        "without an id",
        "one of a name",
        "a branch",
    ],
)
def test_changes_are_told_as_a_person_would(old: str, new: str, expected: dict[str, list[str]]) -> None:
    after = BEFORE.replace(old, new)
    for former, latter in (("Club,", "Club Royal,"), ("Bar,", "Inn,")):
        if f"{latter}" in new:
            after = after.replace(f",{former}", f",{latter}")
    assert told(compare(chart(BEFORE), chart(after))) == expected


def test_units_are_the_same_by_id_whatever_they_are_called_and_wherever_they_are() -> None:
    before = chart("id,name,parent\n1,Club,\n2,Bar,1\n3,Pool,1\n4,Desk,2\n")
    after = chart("id,name,parent\n1,Club,\n2,Inn,1\n3,Pool,1\n4,Front Desk,3\n")
    changes = compare(before, after)
    assert told(changes) == {"moved": ["Front Desk: 2 -> 3"], "renamed": ["Bar -> Inn", "Desk -> Front Desk"]}


def test_a_chart_that_gives_ids_later_is_matched_by_place_and_name() -> None:
    rows = "1,Club,,club,\n2,Board,1,board,\n3,Bar,1,team,Pub\n4,Pool,1,team,\n5,Desk,3,desk,\n6,Desk,4,desk,\n"
    after = f"id,name,parent,type,aliases\n{rows}"
    assert told(compare(chart(BEFORE), chart(after))) == {}


@pytest.mark.slow
def test_a_flat_chart_of_20_000_units_with_every_name_changed_is_compared() -> None:
    def flat(word: str) -> Chart:
        under = (Unit(f"Club > {word} {number}", f"{word} {number}", "", "Club") for number in range(20_000))
        return Chart([Unit("Club", "Club", "club", None), *under])

    before, after = flat("Desk"), flat("Table")
    started = time.process_time()
    changes = compare(before, after)
    assert time.process_time() - started < 5  # each with each would take a minute
    assert (len(changes.added), len(changes.removed), len(changes.changed)) == (20_000, 20_000, 0)


def test_a_branch_that_moved_brings_the_names_below_it_along_at_any_depth() -> None:
    before = chart("name,parent\nClub,\nNorth,Club\nSouth,Club\nPool,North\nDesk,Pool\nBar,South\nDesk,Bar\n")
    after = chart("name,parent\nClub,\nEast,Club\nWest,Club\nPool,East\nDesk,Pool\nBar,West\nDesk,Bar\n")
    assert told(compare(before, after)) == {
        "added": ["East", "West"],
        "removed": ["North", "South"],
        "moved": ["Pool: Club > North -> Club > East", "Bar: Club > South -> Club > West"],
    }


NAMES = st.sampled_from(["Bar", "bar", "Board", "Desk", "Pool", "Inn", "École", "مكتب", "=1+1"])


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    """Small charts over few names and ids, so that two of them share much."""
    units = [Unit(draw(st.sampled_from(["r", "1", "Club"])), draw(st.sampled_from(["Club", "Inn"])), "club", None)]
    seen: set[tuple[str | None, str]] = set()
    for _ in range(draw(st.integers(0, 9))):
        parent = draw(st.sampled_from(units))
        name = draw(NAMES)
        id = draw(st.one_of(st.just(f"{parent.id} > {name}"), st.sampled_from("abcdefgh")))
        if (parent.id, name.casefold()) in seen or any(unit.id == id for unit in units):
            continue
        seen.add((parent.id, name.casefold()))
        units.append(
            Unit(id, name, draw(st.sampled_from(["", "team"])), parent.id, description=draw(st.sampled_from(["", "x"])))
        )
    return Chart(_shuffled(draw, units))


def _shuffled(draw: st.DrawFn, units: Sequence[Unit]) -> Sequence[Unit]:
    return draw(st.permutations(units))


def applied(changes: Changes, chart: Chart) -> Chart:
    """The chart that the changes lead to from the one that they were told from."""
    after = {change.before.id: change.after for change in changes.changed}
    stay = [after.get(unit.id, unit) for unit in chart.units.values() if unit not in changes.removed]
    units = {unit.id: unit for unit in (*stay, *changes.added)}
    return Chart([units[unit] for unit in changes.order] if changes.order else units.values())


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(charts(), charts())
def test_the_changes_applied_to_the_first_chart_give_the_second(before: Chart, after: Chart) -> None:
    assert not compare(before, before)
    changes = compare(before, after)
    result = applied(changes, before)
    assert list(result.units.values()) == list(after.units.values())
    assert result.version == after.version
    assert bool(changes) == (before.version != after.version)
    told_units = {unit.id for unit in changes.added} | {change.after.id for change in changes.changed}
    assert all(unit in before.units.values() for unit in after.units.values() if unit.id not in told_units)
