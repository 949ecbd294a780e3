"""Accounts as they are made: names that may be used, the first admin of a home, and people imported from a table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from org.chart import Chart
from org.reading.table import read
from store.person import Newcomer, Person, folded
from trag.errors import TragError, later
from trag.people import passwords
from trag.people.permissions import ROLES, CurrentUser, role_of

if TYPE_CHECKING:
    from store.records import Records

LONGEST = 100
"""Characters of a name."""
_NAME = re.compile(rf"[\w.+@'-]{{1,{LONGEST}}}")
_READ = 1_000
"""Characters that are read of what is typed, too long already: the time that marks take to be composed grows with the
square of their number."""
_JOINERS = "\u200c\u200d"
"""Marks that nobody sees, without which Persian and the Indic scripts are misspelt."""

FIRST_LINK_LASTS = timedelta(hours=24)

MOST_IMPORTED = 5_000
LARGEST_IMPORT = 2_000_000
"""Bytes of a table of people."""
COLUMNS = {
    "name": ("name", "user", "username", "sign-in name", "login", "account"),
    "shown": ("shown", "shown name", "full name", "display name"),
    "role": ("role",),
    "unit": ("unit", "department"),
}
"""What each column of it may be called, in any case."""
_LISTED = 20
"""Problems that are told one by one; the rest is counted."""


def accepted(typed: str) -> str:
    """A name to sign in with, in its composed form. Raises TragError where nobody may be called so."""
    name = unicodedata.normalize("NFKC", typed.strip()[:_READ])
    if not _NAME.fullmatch(name):
        raise TragError(
            later("'%(name)s' cannot be a name to sign in with.", name=name[:LONGEST])
            if name
            else later("A name to sign in with is missing."),
            later("It may have 1 to %(most)s letters, digits and any of . _ - + @ ', and no spaces.", most=LONGEST),
        )
    return name


def accepted_shown(typed: str, name: str) -> str:
    """A name to be shown, without marks that nobody sees, turn text round or make two names look the same; the one to
    sign in with where nothing is left. Raises TragError for one that is too long."""
    spaced = " ".join(unicodedata.normalize("NFC", typed[:_READ]).split())
    shown = "".join(c for c in spaced if c in _JOINERS or unicodedata.category(c)[0] != "C").strip(_JOINERS) or name
    if len(shown) > LONGEST:
        raise TragError(
            later("'%(name)s' cannot be shown as a name.", name=shown[:LONGEST]),
            later("It may have %(most)s characters.", most=LONGEST),
        )
    return shown


def first_link(records: Records) -> str:
    """The secret of a link that makes the first admin, once: no password ships with the program. An earlier link works
    no more. "" where there are accounts."""
    if records.people.exist():
        return ""
    secret, _ = records.links.make("first admin", None, FIRST_LINK_LASTS, by="the program")
    return secret


def make_admin(
    records: Records,
    name: str,
    shown: str,
    password: str,
    *,
    organization: str,
    by: str,
    where: str = "",
    link: str = "",
    first: bool,
) -> Person:
    """An admin, at once; the first one takes over what was asked and judged here before there were accounts.
    `organization` is its name, "" without a chart.

    Raises TragError for a name or password that may not be used, and when there are people though this was to be the
    `first`; StoreError for a name that is taken or a link that is over.
    """
    alone = not records.people.exist()
    if first and not alone:
        raise TragError(later("There is an admin already."), later("Sign in, or ask an admin for an account."))
    name = accepted(name)
    shown = accepted_shown(shown, name)
    passwords.check(password, (name, shown, organization))
    newcomer = Newcomer(name, shown, "admin", "active", secret=passwords.hashed(password))
    heir_of = CurrentUser.local.person if alone else ""
    return records.people.add(newcomer, by=by or name, where=where, link=link, heir_of=heir_of)


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """Somebody in a table, and the row, the first being 1."""

    row: int
    newcomer: Newcomer


def read_people(content: bytes, chart: Chart | None) -> tuple[ImportedRow, ...]:
    """The people in a CSV file with the column name (to sign in with), and where they are wanted shown, role and unit
    (by its id or name). Raises TragError that tells every row that is wrong."""
    if content[:2] == b"PK":
        raise TragError(later("This is a workbook."), later("Save the sheet as CSV, and import that."))
    table = read(content, "people.csv")
    problems = [_at(each.row, each.message) for each in table.problems if each.severity == "error"]
    hints: list[str] = []  # those of the table are about charts
    header = [cell.strip().casefold() for cell in table.lines[0].cells] if table.lines else []
    found = {column: next((cell for cell in header if cell in names), None) for column, names in COLUMNS.items()}
    places = {column: header.index(cell) for column, cell in found.items() if cell is not None}
    if not problems and "name" not in places:
        problems.append('there is no column "name" in the first row')
    if len(table.lines) > MOST_IMPORTED + 1:
        problems.append(f"{len(table.lines) - 1:,} people are too many for one file, {MOST_IMPORTED:,} are the most")
    rows: list[ImportedRow] = []
    first: dict[str, int] = {}
    for line in table.lines[1:] if not problems else ():
        held = {column: line.cells[place].strip() for column, place in places.items() if place < len(line.cells)}
        cells = dict.fromkeys(COLUMNS, "") | held
        newcomer = _newcomer(cells, chart)
        if isinstance(newcomer, Newcomer):
            rows.append(ImportedRow(line.number, newcomer))
        else:
            problems += [_at(line.number, each.message) for each in newcomer]
            hints += [each.hint for each in newcomer if each.hint]
        before = first.setdefault(folded(cells["name"]), line.number)
        if before != line.number and cells["name"]:
            problems.append(_at(line.number, f"{cells['name'][:LONGEST]} stands in row {before} already"))
    if problems:
        hint = " ".join(dict.fromkeys((*hints, "Correct the file and import it again.")))
        raise TragError(later("Nobody was added: %(why)s", why=_sentence(problems)), hint)
    return tuple(rows)


def newcomers(rows: Sequence[ImportedRow], present: Collection[str], *, leave: bool) -> tuple[Newcomer, ...]:
    """Those whose names are not `present`. Raises TragError that tells every row with such a name, unless they are to
    be left as they are."""
    if present and not leave:
        taken = [_at(each.row, each.newcomer.name) for each in rows if each.newcomer.name in present]
        raise TragError(
            later("Nobody was added. These names are taken: %(names)s", names=_sentence(taken)),
            later("Take these rows out of the file, or tick that those who are here already are left as they are."),
        )
    return tuple(each.newcomer for each in rows if each.newcomer.name not in present)


def unit_of(named: str, chart: Chart | None) -> str:
    """The id of a unit that is named by its id or its name, "" for none. Raises TragError when there is none or several
    are called so."""
    if not named:
        return ""
    if chart is None:
        raise TragError(f"there is no chart to find the unit {named!r} in")
    if named in chart.units:
        return named
    found = chart.named(named)
    if len(found) != 1:
        several = f"{len(found)} units of the chart are called {named!r}: give the id of one"
        raise TragError(several if found else f"the chart has no unit {named!r}")
    return found[0].id


def _newcomer(cells: Mapping[str, str], chart: Chart | None) -> Newcomer | list[TragError]:
    """Somebody in a row, or all that is wrong with it."""
    problems: list[TragError] = []

    def cell(read: Callable[[str], str], column: str) -> str:
        try:
            return read(cells[column])
        except TragError as error:
            problems.append(error)
            return ""

    name = cell(accepted, "name")
    shown = cell(lambda typed: accepted_shown(typed, name), "shown")
    role = role_of(cells["role"].casefold() or "employee")
    if role is None:
        problems.append(TragError(f"{cells['role']!r} is no role, which are {', '.join(ROLES)}"))
    unit = cell(lambda named: unit_of(named, chart), "unit")
    if problems or role is None:
        return problems
    return Newcomer(name, shown, role, state="active", unit=unit)


def _at(row: int, message: str) -> str:
    """A problem with its row, 0 for none, as a part of a sentence."""
    message = message.removesuffix(".")
    return f"row {row}: {message}" if row else message


def _sentence(problems: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = [f"and {len(problems) - _LISTED:,} more"] if len(problems) > _LISTED else []
    return "; ".join([*problems[:_LISTED], *more]) + "."
