"""The words that `trag.ingest.scans` read off pictures: files of them, whose frames are pages, and those in Office
documents and pages (HTML), where the words stand in the place of the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trag.errors import TragError
from trag.ingest.parse.frames import BROKEN, PIXELS, TOO_LARGE, count, held, pixels, size
from trag.ingest.parse.pdf import of_pages, words
from trag.ingest.parse.pdf_page import Page
from trag.ingest.parse.pdf_shapes import Picture
from trag.ingest.parse.pictures import LEAST, MOST, SIDE
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

FRAMES = 1_000
"""Pages that a TIFF may have."""


def parse(content: bytes, scans: Sequence[ScannedPage] = ()) -> Reading:
    """A picture file; `scans` are what was read of its frames. Raises TragError when it is damaged, has more than
    FRAMES, or one is too large."""
    pages: list[Page | None] = []
    sizes: list[tuple[float, float]] = []
    try:
        if (frames := count(content)) > FRAMES:
            raise TragError(f"has {frames:,} pages; up to {FRAMES:,} are read.", "Split it into smaller files.")
        for number in range(1, frames + 1):
            found = _size(content, number)
            pages.append(Page(pictures=(Picture(),)) if found else None)
            sizes.append(found or (SIDE, SIDE))
    except TOO_LARGE as error:
        raise TragError(f"has more than {PIXELS:,} pixels.", "Save it smaller: 300 dots an inch are enough.") from error
    except BROKEN as error:
        raise TragError(f"is a damaged picture ({error}).", "Open it in a viewer and save it again.") from error
    return of_pages("picture", pages, sizes, scans, {})


class Pictures:
    """The pictures of one Office document or page, in the course of the walk over it; they are known by their numbers
    in `frames.held`, from 1. `unread` has the place of each that was not read, `wanted` the numbers of those that
    nobody has looked at yet."""

    def __init__(self, content: bytes, kind: str, scans: Sequence[ScannedPage]) -> None:
        names, self._read = held(content, kind)
        self._numbers = {name: number for number, name in enumerate(names, 1)}
        self._scans = {scan.number: scan for scan in scans}
        self._seen: set[int] = set()
        self.unread: list[Any] = []
        self.wanted: list[int] = []

    def related(self, relations: Mapping[str, Any], id: str, place: Any, page: int | None = None) -> tuple[Block, ...]:
        """The same by the relations of what shows a picture and its id there, "" for what is no picture."""
        relation = relations.get(id)
        name = "" if relation is None or relation.is_external else str(relation.target_part.partname)[1:]
        return self.blocks(name, place, page)

    def blocks(self, name: str, place: Any, page: int | None = None) -> tuple[Block, ...]:
        """The words of the picture of a name, at a place; nothing where they are not legible, or stood elsewhere
        already."""
        number = self._numbers.get(name)
        if number is None:
            self.unread.append(place)
            return ()
        is_new, scan = number not in self._seen, self._scans.get(number)
        self._seen.add(number)
        if is_new and scan is None and len(self.wanted) + len(self._scans) < MOST:
            self.wanted += [number] * (min(size(self._read(name)) or (0, 0)) >= LEAST)
        if scan is None or not scan.is_legible:
            self.unread.append(place)
            return ()
        return words(scan, _size(self._read(name), 1) or (SIDE, SIDE), page) if is_new else ()


def _size(content: bytes, number: int) -> tuple[float, float] | None:
    """The width and height of a picture as a page, upright, in points; None where it is damaged. Raises TOO_LARGE."""
    try:
        height, width, _ = pixels(content, number, SIDE).shape
    except TOO_LARGE:
        raise
    except BROKEN:
        return None
    return width * SIDE / max(width, height), height * SIDE / max(width, height)
