"""A book as a workbook that reads back as the same book, and a small one to begin with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from org.procedures.actions import Action
from org.procedures.entries import COLUMNS
from org.procedures.flows import Book, Procedure, Step
from org.reading.workbook import pack

SAMPLE = Book.of(
    [
        Action("ReportLoss", "Report the loss", "Tell the desk", (("employee number",),), ("loss report",)),
        Action("BlockBadge", "Block the badge", "The old badge opens no door", (("loss report",),), ("blocked badge",)),
        Action("TakePhoto", "Take a photo", "", (), ("photo",)),
        Action(
            "PrintBadge", "Print a badge", "", (("blocked badge",), ("photo", "photo of last year")), ("new badge",)
        ),
    ],
    [
        Procedure(
            "lost-badge",
            "Replace a lost badge",
            "A badge is lost or stolen",
            steps=(
                Step("Report the loss at once", ("ReportLoss",)),
                Step("The lost badge is blocked", ("BlockBadge",)),
                Step("Have a new badge printed", ("PrintBadge",)),
            ),
        )
    ],
)
"""A procedure as it may be written down."""


def workbook(book: Book) -> bytes:
    """The book as an XLSX workbook, with a sheet for each kind that it has any of."""
    rows: dict[str, Sequence[tuple[str | tuple[str, ...], ...]]] = {
        "actions": [_action(action) for action in book.actions.values()],
        "procedures": [row for procedure in book.procedures.values() for row in _rows(procedure)],
        "tables": [(one.id, one.title, one.description, one.fields, one.audience) for one in book.tables.values()],
        "triggers": [
            (one.id, one.title, one.description, "yes" if one.table else "no") for one in book.triggers.values()
        ],
    }
    sheets = {kind: [[*COLUMNS[kind]], *([*map(_cell, row)] for row in of)] for kind, of in rows.items() if of}
    return pack({kind.capitalize(): sheet for kind, sheet in sheets.items()})


def _action(action: Action) -> tuple[str | tuple[str, ...], ...]:
    needs = tuple("|".join(need) for need in action.needs)
    source = action.source
    return (
        *(action.id, action.title, action.description, needs, action.gives, action.unit, action.audience),
        *(source.document, source.section, action.runs),
    )


def _rows(procedure: Procedure) -> Iterator[tuple[str | tuple[str, ...], ...]]:
    """A row for each step, what is said of the procedure in the first."""
    source = procedure.source
    said = (
        *(procedure.id, procedure.title, procedure.when, procedure.audience),
        *(source.document, source.section),
    )
    for number, step in enumerate(procedure.steps):
        yield *(said if number == 0 else ("",) * len(said)), step.text, step.actions


def _cell(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else "; ".join(value)
