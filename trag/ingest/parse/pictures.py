"""Pictures in documents: which of them count, and the note that says where those are whose words were not read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trag.ingest.parse.characters import counted

SMALLEST = 72
"""Points (an inch) that a picture has both ways at least; a smaller one is a logo, an icon or a line."""
EMU = 12_700
"""Office's units in a point."""

MOST = 100
"""Pictures of one document that are looked at."""
SIDE = 842
"""Points of the longer side of a picture as a page: that of A4. What files say of their own size is often wrong."""
LEAST = 64
"""Pixels both ways of a picture that may hold words."""

_PLACES = 10
_LONGEST = 80
"""Places that a note names, and the characters of each."""
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"


def is_counted(width: float | None, height: float | None) -> bool:
    """Whether a picture of so many points is counted; None is a side that is not known."""
    return all(side is None or side >= SMALLEST for side in (width, height))


def is_counted_in_office(element: Any, width: int | None, height: int | None) -> bool:
    """The same of an element of an Office file and its size in EMU; one marked as decorative is not counted."""
    sizes = (None if side is None else side / EMU for side in (width, height))
    return is_counted(*sizes) and not any(mark.get("val") in ("1", "true") for mark in element.iter(_DECORATIVE))


def embedded(picture: Any) -> str:
    """The id of the file that an element of an Office file shows, "" where it shows none."""
    blip = next(picture.iter(_BLIP), None)
    return "" if blip is None else str(blip.get(_EMBEDDED, ""))


def unread(count: int, where: str = "") -> tuple[str, ...]:
    """The note on so many pictures, none for none; `where` says where they are ("slides 2, 4")."""
    return (f"{counted(count, 'picture')} could not be read{where and f' ({where})'}",) if count else ()


def among(what: str, places: Iterable[str]) -> str:
    """Gives "sections Money, Meetings", "" where no place has a name."""
    short = (place if len(place) <= _LONGEST else f"{place[: _LONGEST - 1].rstrip()}…" for place in places if place)
    names = list(dict.fromkeys(short))
    more = f" and {len(names) - _PLACES:,} more" if len(names) > _PLACES else ""
    return f"{what}{'s' * (len(names) > 1)} {', '.join(names[:_PLACES])}{more}" if names else ""
