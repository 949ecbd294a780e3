"""People from a table: CSV -> newcomers, or every problem at once. Who is there already it is told.

The columns are name (to sign in with), and where they are wanted shown, role and unit (the id or the name of a unit of
the chart).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from org.chart import Chart
from org.reading.table import Line, read
from store.person import Newcomer
from trag.errors import TragError
from trag.people import ROLES
from trag.people.names import accepted, accepted_shown

MOST = 5_000
LARGEST = 2_000_000
"""Bytes of such a file."""
COLUMNS = {
    "name": ("name", "user", "username", "sign-in name", "login", "account"),
    "shown": ("shown", "shown name", "full name", "display name"),
    "role": ("role",),
    "unit": ("unit", "department"),
}
"""What each column may be called, in any case."""
_TOLD = 20
"""Problems that are told one by one; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Somebody in a table, and the row, the first being 1."""

    row: int
    newcomer: Newcomer


def read_roster(content: bytes, chart: Chart | None) -> tuple[Listed, ...]:
    """The people in a CSV file. Raises TragError that tells every row that is wrong."""
    if content[:2] == b"PK":
        raise TragError("This is a workbook.", "Save the sheet as CSV, and import that.")
    table = read(content, "people.csv")
    problems = [
        f"row {each.row}: {each.message}" if each.row else each.message
        for each in table.problems
        if each.severity == "error"
    ]
    places = _places(table.lines[0]) if table.lines else {}
    if not problems and "name" not in places:
        problems.append('there is no column "name" in the first row')
    if len(table.lines) > MOST + 1:
        problems.append(f"{len(table.lines) - 1:,} people are too many for one file, {MOST:,} are the most")
    listed: list[Listed] = []
    first: dict[str, int] = {}
    for line in table.lines[1:] if not problems else ():
        try:
            newcomer = _newcomer(line, places, chart)
        except TragError as error:
            problems.append(f"row {line.number}: {error.message}")
            continue
        before = first.setdefault(newcomer.name.casefold(), line.number)
        if before != line.number:
            problems.append(f"row {line.number}: {newcomer.name} stands in row {before} already")
        listed.append(Listed(line.number, newcomer))
    if problems:
        told = "; ".join(problems[:_TOLD]) + (f"; and {len(problems) - _TOLD:,} more" * (len(problems) > _TOLD))
        raise TragError(f"Nobody was added: {told}.", "Correct the file and import it again.")
    return tuple(listed)


def without(listed: Sequence[Listed], there: Collection[str], *, leave: bool) -> tuple[Newcomer, ...]:
    """Those whose names are not among those who are `there`. Raises TragError that tells every row with such a name,
    unless they are to be left as they are."""
    if there and not leave:
        taken = [f"row {each.row}: {each.newcomer.name}" for each in listed if each.newcomer.name in there]
        raise TragError(
            f"Nobody was added. These names are taken: {'; '.join(taken)}.",
            "Take these rows out of the file, or tick that those who are here already are left as they are.",
        )
    return tuple(each.newcomer for each in listed if each.newcomer.name not in there)


def _places(header: Line) -> dict[str, int]:
    """Where each column stands, the first of those that are called so."""
    cells = [cell.strip().casefold() for cell in header.cells]
    return {
        column: cells.index(found)
        for column, names in COLUMNS.items()
        if (found := next((cell for cell in cells if cell in names), None)) is not None
    }


def _newcomer(line: Line, places: dict[str, int], chart: Chart | None) -> Newcomer:
    def cell(column: str) -> str:
        place = places.get(column, len(line.cells))
        return line.cells[place].strip() if place < len(line.cells) else ""

    name, wanted = accepted(cell("name")), cell("role").casefold() or "employee"
    role = next((each for each in ROLES if each == wanted), None)
    if role is None:
        raise TragError(f"{cell('role')!r} is no role, which are {', '.join(ROLES)}")
    unit = unit_of(cell("unit"), chart)
    return Newcomer(name, accepted_shown(cell("shown"), name), role, state="active", unit=unit)


def unit_of(wanted: str, chart: Chart | None) -> str:
    """The id of a unit that is named by its id or its name, "" for none. Raises TragError when there is none or several
    are called so."""
    if not wanted:
        return ""
    if chart is None:
        raise TragError(f"there is no chart to find the unit {wanted!r} in")
    if wanted in chart.units:
        return wanted
    found = chart.named(wanted)
    if len(found) != 1:
        several = f"{len(found)} units of the chart are called {wanted!r}: give the id of one"
        raise TragError(several if found else f"the chart has no unit {wanted!r}")
    return found[0].id
