"""People from a table: CSV -> newcomers, or every problem at once. Who is there already it is told.

The columns are name (to sign in with), and where they are wanted shown, role and unit (the id or the name of a unit of
the chart).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from org.chart import Chart
from org.reading.table import Line, read
from store.person import Newcomer, folded
from trag.errors import TragError
from trag.people import ROLES, role_of
from trag.people.names import LONGEST, accepted, accepted_shown

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
_Read = TypeVar("_Read")


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
    problems = [_at(each.row, each.message) for each in table.problems if each.severity == "error"]
    hints: list[str] = []  # those of the table are about charts
    places = _places(table.lines[0]) if table.lines else {}
    if not problems and "name" not in places:
        problems.append('there is no column "name" in the first row')
    if len(table.lines) > MOST + 1:
        problems.append(f"{len(table.lines) - 1:,} people are too many for one file, {MOST:,} are the most")
    listed: list[Listed] = []
    first: dict[str, int] = {}
    for line in table.lines[1:] if not problems else ():
        cells = _cells(line, places)
        newcomer = _newcomer(cells, chart)
        if isinstance(newcomer, Newcomer):
            listed.append(Listed(line.number, newcomer))
        else:
            problems += [_at(line.number, each.message) for each in newcomer]
            hints += [each.hint for each in newcomer if each.hint]
        before = first.setdefault(folded(cells["name"]), line.number)
        if before != line.number and cells["name"]:
            problems.append(_at(line.number, f"{cells['name'][:LONGEST]} stands in row {before} already"))
    if problems:
        hint = " ".join(dict.fromkeys((*hints, "Correct the file and import it again.")))
        raise TragError(f"Nobody was added: {_sentence(problems)}", hint)
    return tuple(listed)


def without(listed: Sequence[Listed], there: Collection[str], *, leave: bool) -> tuple[Newcomer, ...]:
    """Those whose names are not among those who are `there`. Raises TragError that tells every row with such a name,
    unless they are to be left as they are."""
    if there and not leave:
        taken = [_at(each.row, each.newcomer.name) for each in listed if each.newcomer.name in there]
        raise TragError(
            f"Nobody was added. These names are taken: {_sentence(taken)}",
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


def _cells(line: Line, places: Mapping[str, int]) -> dict[str, str]:
    """What a row has in each column, "" where it has none."""
    held = {column: line.cells[place].strip() for column, place in places.items() if place < len(line.cells)}
    return dict.fromkeys(COLUMNS, "") | held


def _newcomer(cells: Mapping[str, str], chart: Chart | None) -> Newcomer | list[TragError]:
    """Somebody in a row, or all that is wrong with it."""
    problems: list[TragError] = []

    def tried(read: Callable[[], _Read], otherwise: _Read) -> _Read:
        try:
            return read()
        except TragError as error:
            problems.append(error)
            return otherwise

    name = tried(lambda: accepted(cells["name"]), "")
    shown = tried(lambda: accepted_shown(cells["shown"], name), "")
    role = role_of(cells["role"].casefold() or "employee")
    if role is None:
        problems.append(TragError(f"{cells['role']!r} is no role, which are {', '.join(ROLES)}"))
    unit = tried(lambda: unit_of(cells["unit"], chart), "")
    if problems or role is None:
        return problems
    return Newcomer(name, shown, role, state="active", unit=unit)


def _at(row: int, message: str) -> str:
    """A problem with its row, 0 for none, as a part of a sentence."""
    told = message.removesuffix(".")
    return f"row {row}: {told}" if row else told


def _sentence(problems: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = [f"and {len(problems) - _TOLD:,} more"] if len(problems) > _TOLD else []
    return "; ".join([*problems[:_TOLD], *more]) + "."


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
