"""The relational database about the organization: its chart, and the facts in its documents' tables (appendix F).

chart, passages -> SQLite with the tables unit, alias, detail and fact, which the shipped templates ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store.source import Column, Link, Table, make
from trag.errors import TragError
from trag.evaluate.grammar.templates import Template, read
from trag.table_rows import read_row

if TYPE_CHECKING:
    from org.chart import Chart, Unit
    from store.passage import Passage

TABLES = (
    Table(
        "unit",
        (
            Column("id", is_key=True),
            *map(Column, ("name", "type", "parent_id", "branch_id", "head", "email", "code")),
            Column("units_below", "INTEGER"),
        ),
        (Link("parent_id", "unit", "id"), Link("branch_id", "unit", "id")),
    ),
    Table("alias", (Column("unit_id"), Column("alias")), (Link("unit_id", "unit", "id"),)),
    Table("detail", (Column("unit_id"), Column("label"), Column("value")), (Link("unit_id", "unit", "id"),)),
    Table("fact", tuple(map(Column, ("document", "topic", "kind", "subject", "property", "value")))),
)
"""`branch_id` is the unit right below the top that a unit is under; `units_below` counts those at any depth. A fact is
a cell of a table in a document: the table's topic, the header and the cell that name its row, its own header, itself.
"""
_FACT_WORDS = 5
"""A longer cell is no fact to ask for: an answer in other words could not be told from a wrong one."""
_ASKS = re.compile(r"(?:who|what|when|where|which|why|how|if)\b", re.I)
"""A header that is a question itself cannot be asked for."""
_NOTHING = re.compile(r"\W*(?:none|no|yes|n/?a|see\b.*)?\W*", re.I)
_SHIPPED = Path(__file__).with_name("organization.txt")


def shipped() -> tuple[Template, ...]:
    """The templates for these tables."""
    return read(_SHIPPED.read_bytes(), _SHIPPED.name)


def build(path: Path, chart: Chart | None, passages: Iterable[Passage]) -> None:
    """Write the database to `path`, in place of an earlier one. Raises TragError when there is nothing to put in it."""
    units = chart.units.values() if chart else ()
    rows: Mapping[str, Sequence[Sequence[object]]] = {
        "unit": [_unit(unit, chart) for unit in units] if chart else [],
        "alias": [(unit.id, alias) for unit in units for alias in unit.aliases],
        "detail": [(unit.id, *one) for unit in units for one in unit.attributes],
        "fact": list(dict.fromkeys(fact for passage in passages for fact in _facts(passage))),
    }
    if not any(rows.values()):
        raise TragError(
            "There is nothing to audit: this home has no chart, and its documents have no tables.",
            "Activate a chart, or name a database: python -m trag audit --database sqlite:///FILE",
        )
    make(path, TABLES, rows)


def texts(chart: Chart | None) -> Iterator[str]:
    """What the chart says, a text for each unit: where it sits, what it has, what is right below it."""
    if chart is None:
        return
    for unit in chart.units.values():
        path, below = chart.path(unit.id), chart.children(unit.id)
        near = path[-2:]
        yield " ; ".join(
            [
                *(above.name for above in path),
                *(above.type for above in near),
                *(above.head for above in near),
                *unit.aliases,
                unit.email,
                unit.code,
                *(f"{label}: {value}" for label, value in unit.attributes),
                *(child.name for child in below),
                str(len(below)),
                str(chart.total(unit.id)),
            ]
        )


def _unit(unit: Unit, chart: Chart) -> tuple[object, ...]:
    path = chart.path(unit.id)
    branch = path[1].id if len(path) > 2 else None
    known = (unit.head or None, unit.email or None, unit.code or None, chart.total(unit.id) or None)
    return (unit.id, unit.name, unit.type or None, unit.parent, branch, *known)


def _facts(passage: Passage) -> Iterator[tuple[str, ...]]:
    """The cells of the tables in a passage, in which each row is a line of its own."""
    if passage.kind != "section":
        return
    for line in passage.text.splitlines():
        if (row := read_row(line)) is None:
            continue
        (kind, subject), *cells = row.cells
        for header, cell in cells:
            asks = not kind or not header or _ASKS.match(kind) or _ASKS.match(header)
            if len(cell.split()) <= _FACT_WORDS and not asks and not _NOTHING.fullmatch(cell):
                yield passage.document, row.caption, kind, subject, header, cell
