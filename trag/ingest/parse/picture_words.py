"""The words that `trag.ingest.scans` read off pictures: files of them, whose frames are pages, and those in Office
documents, where the words stand in the place of the picture."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trag.errors import TragError
from trag.ingest.parse.frames import BROKEN, PIXELS, TOO_LARGE, count, pixels, size
from trag.ingest.parse.pdf import of_pages
from trag.ingest.parse.pdf_page import Page
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

FRAMES = 1_000
"""Pages that a TIFF may have."""
MOST = 100
"""Pictures of one Office document that are looked at."""

_SIDE = 842
"""Points of the longer side of a picture as a page: that of A4. What files say of their own size is often wrong."""
_SMALLEST = 64  # pixels both ways of a picture that may hold words


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
            pages.append(Page(pictures=1) if found else None)
            sizes.append(found or (_SIDE, _SIDE))
    except TOO_LARGE as error:
        raise TragError(f"has more than {PIXELS:,} pixels.", "Save it smaller: 300 dots an inch are enough.") from error
    except BROKEN as error:
        raise TragError(f"is a damaged picture ({error}).", "Open it in a viewer and save it again.") from error
    return of_pages("picture", pages, sizes, scans, {})


class OfficePictures:
    """The pictures of one Office document, in the course of the walk over it; they are known by the number of their
    entry in its container, from 1. `unread` has the place of each that was not read, `wanted` the numbers of those that
    nobody has looked at yet."""

    def __init__(self, content: bytes, scans: Sequence[ScannedPage]) -> None:
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
        self._numbers = {f"/{name}": number for number, name in enumerate(names, 1)}
        self._scans = {scan.number: scan for scan in scans}
        self._seen: set[int] = set()
        self.unread: list[Any] = []
        self.wanted: list[int] = []

    def blocks(self, relations: Mapping[str, Any], id: str, place: Any, page: int | None = None) -> tuple[Block, ...]:
        """The words of a picture at a place, by the relations of what shows it and its id there, "" for what is no
        picture; nothing where they are not legible, or stood elsewhere already."""
        relation = relations.get(id)
        part = None if relation is None or relation.is_external else relation.target_part
        number = self._numbers.get(str(part.partname)) if part is not None else None
        if part is None or number is None:
            self.unread.append(place)
            return ()
        is_new, scan = number not in self._seen, self._scans.get(number)
        self._seen.add(number)
        if is_new and scan is None and len(self.wanted) + len(self._scans) < MOST:
            self.wanted += [number] * (min(size(part.blob) or (0, 0)) >= _SMALLEST)
        if scan is None or not scan.is_legible:
            self.unread.append(place)
            return ()
        return tuple(_words(scan, part.blob, page)) if is_new else ()


def _words(scan: ScannedPage, content: bytes, page: int | None) -> Iterator[Block]:
    """The blocks of a picture. Its headings are none of the document's."""
    shape = _size(content, 1) or (_SIDE, _SIDE)
    for block in of_pages("picture", [Page(pictures=1)], [shape], [replace(scan, number=1)], {}).blocks:
        if block.kind == "heading":
            block = Block("paragraph", block.text)
        yield replace(block, page=page, ocr=True)


def _size(content: bytes, number: int) -> tuple[float, float] | None:
    """The width and height of a picture as a page, upright, in points; None where it is damaged. Raises TOO_LARGE."""
    try:
        height, width, _ = pixels(content, number, _SIDE).shape
    except TOO_LARGE:
        raise
    except BROKEN:
        return None
    return width * _SIDE / max(width, height), height * _SIDE / max(width, height)
