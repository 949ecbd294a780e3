"""One page of a PDF or of a picture file as a picture, and its characters with their places. Run only in the child
process.

PDFium draws the page as it stands: no script is run, no form is filled, no link is followed,
and of the other pages only the text of those beside it is read.
"""

from __future__ import annotations

import ctypes
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from pypdfium2 import raw

from trag.errors import TragError
from trag.ingest.parse.frames import BROKEN, count, pixels
from trag.ingest.parse.pdf_shapes import shapes_of
from trag.ingest.scans import BESIDE, ScannedPage, ScannedWord
from trag.view.views import Box

_PIXELS = 8_000_000
_SIDE = 8_000
"""What a picture may have, whatever the size of its page."""
_CHARACTERS = 100_000
"""Characters that are read of a page."""
_PDF, _BEGINNING = re.compile(b"%PDF-"), 1_024
"""What a PDF begins with, and how late."""
_FINE = 1_000_000
"""Steps along a page in which PDFium is asked for places."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The page of a `number` as it is shown, of `pages`. `places[i]` is where `text[i]` stands, None for the spaces and
    line ends that nobody drew; what stands outside the page is not in the text. `before` and `after` are the texts of
    its neighbours.
    """

    number: int
    pages: int
    image: bytes
    width: int
    height: int
    text: str
    places: tuple[Box | None, ...]
    before: str
    after: str


def picture(content: bytes, size: int, number: int, width: int, scans: Mapping[int, ScannedPage]) -> Picture:
    """The page of a number, from 1, in a PDF or picture that is the first `size` bytes of the content; about `width`
    pixels wide. Where there is no such page it is the nearest one. `scans` are the pages that are pictures, and
    pictures on others, by number, as read.

    Raises TragError when it is encrypted or damaged.
    """
    if not _PDF.search(content, 0, _BEGINNING):
        return _frame(content[:size], number, width, scans)
    document = raw.FPDF_LoadMemDocument64(content, size, None)
    pages = raw.FPDF_GetPageCount(document)
    if pages < 1 and raw.FPDF_GetLastError() in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        raise TragError("is encrypted with a password.", "Save a copy without a password and ingest that.")
    if pages < 1:
        raise TragError("is no PDF that can be shown.", "Open it in a PDF viewer, print it to a new PDF and use that.")
    number = min(max(number, 1), pages)
    try:
        opened = pdfium.PdfDocument(document)
        page = opened[number - 1]
        across, down = page.get_size()
        if not (0 < across < math.inf and 0 < down < math.inf):
            raise TragError("has a page without a size.", "Open it in a PDF viewer, print it to a new PDF.")
        scale = min(width / across, math.sqrt(_PIXELS / across / down), _SIDE / max(across, down))
        bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
        image = png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)
        text, places = _scanned(scans[number]) if number in scans else _characters(page, page.get_textpage())
        for scan in scans.values():
            if scan.number % BESIDE == number != scan.number and scan.is_legible:
                words, boxes = _beside(page, scan)
                text, places = f"{text}\n{words}", (*places, None, *boxes)
    except pdfium.PdfiumError as error:
        raise TragError(f"has a damaged page {number:,}.", "Open it in a PDF viewer, print it to a new PDF.") from error
    before, after = (
        _scanned(scans[other])[0] if other in scans else _text(opened, other) for other in (number - 1, number + 1)
    )
    return Picture(number, pages, image, bitmap.width, bitmap.height, text, places, before, after)


def _frame(content: bytes, number: int, width: int, scans: Mapping[int, ScannedPage]) -> Picture:
    try:
        pages = count(content)
        number = min(max(number, 1), pages)
        frame = pixels(content, number, width * 3 // 2)
    except BROKEN as error:
        raise TragError("is no page that can be shown.", "Open it in a viewer and save it again.") from error
    down, across = frame.shape[:2]
    image = png(frame.tobytes(), across, down, 3 * across)
    (before, _), (text, places), (after, _) = (
        _scanned(scans[each]) if each in scans else ("", ()) for each in (number - 1, number, number + 1)
    )
    return Picture(number, pages, image, across, down, text, places, before, after)


def png(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """A PNG of pixels in RGB, whose rows begin `stride` bytes apart. (ISO/IEC 15948; no row is filtered.)"""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    rows = b"".join(b"\0" + pixels[at : at + 3 * width] for at in range(0, height * stride, stride))
    data = zlib.compress(rows, 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _characters(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage) -> tuple[str, tuple[Box | None, ...]]:
    text: list[str] = []
    places: list[Box | None] = []
    rectangle = raw.FS_RECTF()
    for at in range(_count(text_page)):
        character = chr(raw.FPDFText_GetUnicode(text_page, at))
        place = None
        if raw.FPDFText_IsGenerated(text_page, at) != 1 and raw.FPDFText_GetLooseCharBox(text_page, at, rectangle):
            place = _place(page, rectangle.left, rectangle.top, rectangle.right, rectangle.bottom)
            if place is None:
                continue
        text.append(character)
        places.append(place)
    return "".join(text), tuple(places)


def _place(page: pdfium.PdfPage, left: float, top: float, right: float, bottom: float) -> Box | None:
    """Where something is shown, however the page is turned and cropped; None where it is not."""
    x, y, corners = ctypes.c_int(), ctypes.c_int(), []
    for corner in ((left, top), (right, bottom)):
        raw.FPDF_PageToDevice(page, 0, 0, _FINE, _FINE, 0, *corner, x, y)
        corners.append((x.value / _FINE, y.value / _FINE))
    (left, right), (top, bottom) = (sorted(axis) for axis in zip(*corners, strict=True))
    if left >= 1 or right <= 0 or top >= 1 or bottom <= 0:
        return None
    return Box(*(min(max(side, 0.0), 1.0) for side in (left, top, right, bottom)))


def _beside(page: pdfium.PdfPage, scan: ScannedPage) -> tuple[str, tuple[Box | None, ...]]:
    """The characters of a picture on a page with text, and their places on the page."""
    text, boxes = _scanned(scan)
    _, (left, bottom, right, top) = shapes_of(page).pictures[scan.number // BESIDE - 1]
    x, y = right - left, bottom - top
    sides = (
        box and (left + box.left * x, top + box.top * y, left + box.right * x, top + box.bottom * y) for box in boxes
    )
    return text, tuple(each and _place(page, *each) for each in sides)


def _scanned(scan: ScannedPage) -> tuple[str, tuple[Box | None, ...]]:
    """The characters of a page that was read as a picture, each in the place of its word; a line begins where a
    word stands further left than the one before."""
    text: list[str] = []
    places: list[Box | None] = []
    before = 0.0
    for word in scan.words:
        text += ["\n" if word.left < before else " ", *word.text]
        places += [None, *[_as_shown(word, scan.turn)] * len(word.text)]
        before = word.left
    return "".join(text), tuple(places)


def _as_shown(word: ScannedWord, turn: int) -> Box:
    """Where a word of a page that is upright once turned clockwise so often stands before it is turned."""
    left, top, right, bottom = word.left, word.top, word.right, word.bottom
    for _ in range(turn):
        left, top, right, bottom = top, 1 - right, bottom, 1 - left
    return Box(left, top, right, bottom)


def _text(document: pdfium.PdfDocument, number: int) -> str:
    """The text of another page; one that is damaged or not there has none."""
    if not 1 <= number <= len(document):
        return ""
    try:
        text_page = document[number - 1].get_textpage()
    except pdfium.PdfiumError:
        return ""
    return "".join(chr(raw.FPDFText_GetUnicode(text_page, each)) for each in range(_count(text_page)))


def _count(text_page: pdfium.PdfTextPage) -> int:
    return min(int(raw.FPDFText_CountChars(text_page)), _CHARACTERS)
