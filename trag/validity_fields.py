"""The validity of documents as people type it, in a form or a table: every field read, every problem told at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from org.reading.table import read as read_table
from store.standing import STATUSES, Found, Validity, problems
from trag.dates import days
from trag.errors import TragError

if TYPE_CHECKING:
    from org.chart import Chart
    from store.people import People
    from store.records import Records

FIELDS = ("status", "owner", "valid_from", "valid_to", "review", "language", "supersedes")
"""The names of the fields, in forms, tables, front matter and properties. In `supersedes` documents are parted by line
ends, or by ";" in a cell."""
DATES = ("valid_from", "valid_to", "review")
LONGEST = 200
"""Characters of an owner."""
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


def read_fields(
    cells: Mapping[str, str], before: Validity, chart: Chart | None, people: People
) -> tuple[Validity, tuple[str, ...]]:
    """What `before` is with these fields, and all that is wrong with them. An empty field is taken out, one that is not
    there stays as it was."""
    wrong: list[str] = []
    cells = {name: " ".join(text.split()) if name != "supersedes" else text for name, text in cells.items()}

    def day(name: str, kept: date | None) -> date | None:
        text = cells.get(name)
        if text is None or not text:
            return kept if text is None else None
        found = days(text, end=name == "valid_to")
        if len(found) == 1:
            return found[0]
        told = f"may be {' or '.join(map(str, found))}" if found else "is no date of this calendar"
        wrong.append(f"{name}: {text[:LONGEST]} {told}. Write it as 2026-11-30.")
        return kept

    status = next((each for each in STATUSES if each == cells.get("status", before.status).casefold()), None)
    if cells.get("status") == "":
        status = "in force"
    if status is None:
        wrong.append(f"status: {cells['status'][:LONGEST]} is none of {', '.join(STATUSES)}.")
    unit, person = before.unit, before.person
    if (owner := cells.get("owner")) is not None:
        try:
            unit, person = owner_of(owner, chart, people)
        except TragError as error:
            wrong.append(f"owner: {error.message} {error.hint}")
    language = cells.get("language", before.language)
    if language and not LANGUAGE.fullmatch(language):
        wrong.append(f"language: {language[:LONGEST]} is no language tag, such as en, de or pt-BR.")
    supersedes = before.supersedes
    if (listed := cells.get("supersedes")) is not None:
        supersedes = tuple(dict.fromkeys(filter(None, map(str.strip, listed.splitlines()))))
    made = replace(
        before,
        status=status or before.status,
        valid_from=day("valid_from", before.valid_from),
        valid_to=day("valid_to", before.valid_to),
        review=day("review", before.review),
        unit=unit,
        person=person,
        language=language,
        supersedes=tuple(sorted(supersedes)),
    )
    return made, tuple(wrong)


def owner_of(words: str, chart: Chart | None, people: People) -> tuple[str, str]:
    """The unit of the chart that is meant, by its id or its name, or the person: as they sign in, or as it stands there
    where nobody is called so. Raises TragError where several units are called so, or it is too long."""
    if not words:
        return "", ""
    if len(words) > LONGEST:
        raise TragError(f"An owner may have {LONGEST} characters, this one has {len(words):,}.", "Shorten it.")
    if chart and words in chart.units:
        return words, ""
    found = chart.named(words) if chart else ()
    if len(found) > 1:
        raise TragError(f"{len(found)} units of the chart are called {words}.", "Give the id of one.")
    if found:
        return found[0].id, ""
    known = people.find(words)
    return "", known.name if known else words


def typed(one: Validity) -> dict[str, str]:
    """The fields as they would be typed."""
    dates = {name: str(getattr(one, name) or "") for name in DATES}
    owner = one.unit or one.person
    return {
        "status": one.status,
        "owner": owner,
        "language": one.language,
        "supersedes": "\n".join(one.supersedes),
    } | dates


def merged(before: Validity, found: Sequence[Found]) -> Validity:
    """What a newer reading of its file makes of a validity: where nobody has set it, and in the fields that are as the
    file had them, it is as the file has it now. What it says it supersedes is for somebody to confirm."""
    old = {one.field: one.value for one in before.found if one.value}
    new = {one.field: one.value for one in found if one.value}
    values = typed(before) | {"unit": before.unit, "person": before.person}
    empty = typed(Validity()) | {"unit": "", "person": ""}
    kept = {
        name: values[name] if before.by and values[name] != old.get(name) else new.get(name, empty[name])
        for name in _READ
    }
    day = {name: date.fromisoformat(kept[name]) if kept[name] else None for name in DATES}
    status = next(each for each in STATUSES if each == kept["status"])
    whose = {name: kept[name] for name in ("unit", "person", "language")}
    changed: dict[str, Any] = {"status": status, "found": tuple(found), **whose, **day}
    made = replace(before, **changed)
    if made.valid_from and made.valid_to and made.valid_to < made.valid_from:
        return replace(before, found=tuple(replace(one, value="") for one in found))
    return made


_READ = tuple(field.name for field in fields(Validity) if field.name not in ("supersedes", "found", "by"))


def open_questions(one: Validity) -> tuple[Found, ...]:
    """What the file says and nobody has settled: what it means is not plain, or something else was set."""
    held = typed(one) | {"unit": one.unit, "person": one.person}

    def settled(each: Found) -> bool:
        if each.field == "person" and one.by and (one.unit or one.person):
            return True  # whose words a file has; which unit or person that is, somebody has said
        return bool(each.value) and each.value in held[each.field].splitlines()

    return tuple(each for each in one.found if not settled(each))


@dataclass(frozen=True, slots=True)
class Import:
    """What a table changes: the validity of documents, by name, and before; and all that is wrong, in words with its
    row, where nothing may be changed."""

    changes: Mapping[str, Validity]
    before: Mapping[str, Validity]
    problems: tuple[str, ...] = ()


def read_import(content: bytes, records: Records, chart: Chart | None, *, by: str) -> Import:
    """The validity of documents in a CSV file with a column "document" and some of FIELDS; other columns are left
    alone. An empty cell empties its field."""
    table = read_table(content, "validity.csv")
    wrong = [_at(each.row, each.message) for each in table.problems if each.severity == "error"]
    header = [cell.strip().casefold() for cell in table.lines[0].cells] if table.lines else []
    if not wrong and "document" not in header:
        wrong.append('There is no column "document" in the first row.')
    if not wrong and not set(header) & set(FIELDS):
        wrong.append(f"No column is one of {', '.join(FIELDS)}.")
    if twice := sorted({name for name in header if header.count(name) > 1 and name in ("document", *FIELDS)}):
        wrong.append(f"Several columns are called {', '.join(twice)}.")
    known = records.validity.all()
    names = {document.name for document in records.library.documents()}
    changes: dict[str, Validity] = {}
    rows: dict[str, int] = {}
    for line in table.lines[1:] if not wrong else ():
        held = dict(zip(header, line.cells, strict=False))
        name = held.get("document", "").strip()
        if not name:
            wrong.append(_at(line.number, "no document is named."))
        elif name in rows:
            wrong.append(_at(line.number, f"{name} stands in row {rows[name]} already."))
        else:
            rows[name] = line.number
            cells = {field: held[field] for field in FIELDS if field in held}
            if "supersedes" in cells:
                cells["supersedes"] = cells["supersedes"].replace(";", "\n")
            read, told = read_fields(cells, known.get(name, Validity()), chart, records.people)
            wrong += [_at(line.number, f"{name}: {one}") for one in told]
            changes[name] = replace(read, by=by)
    found = problems(changes, known, names)
    wrong += [_at(rows[name], f"{name}: {message}") for name, message in found]
    before = {name: known.get(name, Validity()) for name in changes if name in names}
    changed = {name: one for name, one in changes.items() if name in names and _differs(one, before[name])}
    return Import({} if wrong else changed, before, tuple(wrong))


def _differs(one: Validity, other: Validity) -> bool:
    return typed(one) != typed(other) or not other.by


def _at(row: int, message: str) -> str:
    return f"row {row}: {message}" if row else message


def changed_fields(one: Validity, before: Validity) -> tuple[tuple[str, str, str], ...]:
    """The fields in which a validity differs from the one before: the name, what it was and what it is."""
    now, was = typed(one), typed(before)
    return tuple((name, was[name], now[name]) for name in FIELDS if now[name] != was[name])
