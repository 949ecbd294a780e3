"""What workflows tell people and ask of them: notices to a person or a unit, and tasks that a run waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from org.procedures.actions import units
from store.notices import Notice
from store.person import folded
from trag.errors import TragError
from trag.people.permissions import CurrentUser
from trag.workflow.running import Paused, StepFailed

if TYPE_CHECKING:
    from org.chart import Chart, Unit
    from store.people import People
    from store.records import Records
    from trag.home import Home

LONGEST = 10_000
"""Characters of a notice, and of what is filled in for one thing."""
_SHOWN = 100
"""Notices on a page."""


def units_of(caller: CurrentUser, chart: Chart | None) -> frozenset[str]:
    """The ids of the units that somebody is in, all where there are no accounts."""
    if chart is None:
        return frozenset()
    if caller.person == CurrentUser.local.person:
        return frozenset(chart.units)
    return frozenset(unit.id for unit in chart.path(caller.unit)) if caller.unit in chart.units else frozenset()


def notices_of(home: Home, caller: CurrentUser) -> tuple[Notice, ...]:
    """What somebody was told and is asked, what is open first."""
    return home.records.notices.of(caller.person, units_of(caller, home.organization.chart), most=_SHOWN)


def count_open(home: Home, caller: CurrentUser) -> int:
    """How many notices ask something of somebody."""
    return home.records.notices.count_open(caller.person, units_of(caller, home.organization.chart))


def finish(home: Home, caller: CurrentUser, id: str, answer: Mapping[str, str], *, where: str = "") -> None:
    """Keep that somebody did what a notice asks, with what they filled in; the run goes on. Raises TragError for what
    is missing or none of the choices, and StoreError where it is no longer asked of them."""
    own = units_of(caller, home.organization.chart)
    notice = home.records.notices.find(id, caller.person, own)
    if notice is None:
        raise TragError("This is not asked of you.", "It may have been taken back: reload the page.")
    values = {name: answer.get(name, "").strip() for name in notice.gives}
    for name, choices in notice.gives.items():
        shown = name.replace("_", " ")
        if not values[name]:
            raise TragError(f"Nothing is filled in for {shown}.", "Fill it in, and press Done again.")
        if choices and values[name] not in choices:
            raise TragError(f"{shown} must be one of {', '.join(choices)}.", "Choose one of them.")
        if len(values[name]) > LONGEST:
            raise TragError(f"{shown} may have {LONGEST:,} characters.", "Shorten it.")
    home.records.notices.finish(id, values, person=caller.person, units=own, by=caller.name, where=where)


def asked(records: Records, asking: Notice, of: str) -> Mapping[str, object]:
    """What somebody filled in for what a run asks at a place of its. Raises Paused until somebody has; `of` says who
    they are."""
    there = records.notices.asked(asking.run, asking.place)
    if there is None:
        records.notices.add(asking)
    elif there.answer is not None:
        return there.answer
    raise Paused(f"Waits for {of}.")


def unit_called(name: str, chart: Chart | None) -> Unit:
    """The one unit of a name. Raises StepFailed where there is none, or several."""
    found = units(name, chart) if chart and name else ()
    if len(found) != 1:
        raise StepFailed(f"The chart in use has {'several units' if found else 'no unit'} {name!r}.")
    return found[0]


def person_called(name: str, people: People) -> str:
    """The id of the one active person with an account who is called so; without accounts, of who sits here. Raises
    StepFailed where there is none, or several."""
    if not people.exist():
        return CurrentUser.local.person
    wanted = folded(name)
    found = [each for each in people.all(search=name) if each.state == "active"] if wanted else []
    ids = [each.id for each in found if wanted in (folded(each.name), folded(each.shown))]
    by_name = [each.id for each in found if folded(each.name) == wanted]
    if len(by_name or ids) != 1:
        raise StepFailed(
            f"{'Several people with an account are' if ids else 'Nobody with an account is'} called {name!r}."
        )
    return (by_name or ids)[0]
