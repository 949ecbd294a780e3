"""The audit log as files for people: a table that a spreadsheet runs nothing of, and lines of JSON.

Knows nothing about what the events mean, or where they are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trag.json_lines import as_line
from trag.web.responses import csv_line

if TYPE_CHECKING:
    from store.audit import Event

FIELDS = ("number", "at", "who", "what", "about", "where", "result", "chain")


def as_csv(events: Iterable[Event]) -> Iterator[str]:
    """A header, then a line for each event."""
    yield csv_line(FIELDS)
    for event in events:
        yield csv_line(_values(event))


def as_json(events: Iterable[Event]) -> Iterator[str]:
    """A line for each event."""
    for event in events:
        values = dict(zip(FIELDS, _values(event), strict=True)) | {"number": event.number}
        yield as_line(values) + "\n"


def _values(event: Event) -> list[str]:
    return [event.at.isoformat() if field == "at" else str(getattr(event, field)) for field in FIELDS]
