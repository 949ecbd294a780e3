"""What is on a PDF page as it is shown, as PDFium tells it: its words, the rules drawn on it, and its pictures.
Coordinates are points, `y` upwards."""

from __future__ import annotations

import ctypes
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from pypdfium2 import raw

from trag.ingest.parse.characters import is_from_right
from trag.ingest.parse.pdf_shapes import OBJECTS, Box, Matrix, Picture, Rule, picture_of, shapes_of

_CHARACTERS = 200_000  # of one page that are looked at
_LEVEL = 6  # degrees that text may be off the edges of the page, which a scanner may have turned a little
_SMALLEST = 1.0  # points of text that anybody can see
_HEIGHT = 0.8  # sizes of a font in the height of its boxes
_INVISIBLE = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)  # as behind a scanned page
_SPACE = 0.12
SPACED = 0.03
_CURSIVE = 0.2
"""Ems between letters from which on they are of two words; where there is a space, which an "f" may reach over; and
between the letters of Arabic, which reach over one another."""
_TWICE = 0.05  # ems between two prints of one letter
_TRACKED = 0.5  # ems by which the letters of a title may be set apart
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|-bd\b", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_UNREADABLE = re.compile("[\0\ue000-\uefff\uf100-\uf8ff\ufffd-\uffff]")  # Word's symbols, at U+F000, are pictures
_SYMBOLS = {
    # A hyphen as PDFium marks it; bullets as reportlab and Word encode them.
    **{"\x02": "-", "\x7f": "•", "\uf0b7": "•", "\uf0a7": "•"},
    # Ligatures by their places in TeX's own encoding (OT1), where a font's map is wrong, as in what macOS saves.
    **{"\x0b": "ff", "\x0c": "fi", "\x0e": "ffi", "\x0f": "ffl", "\u21b5": "ff"},
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word from `x` to `end` on a baseline at `y`, its characters as they stand from left to right, whichever way it
    is read. What runs up, down or across the page, by `angle` degrees, is one word, spaces and all. `spaced` is True
    where a space follows, by the file or by PDFium. `painted` is False for text that lies behind a scan."""

    x: float
    y: float
    end: float
    size: float
    bold: bool
    text: str
    spaced: bool = False
    painted: bool = True
    angle: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """What is on a page. `covered` is the share of it that its pictures take, at most 1; `unread` characters are drawn
    in fonts that do not say which they are; `hidden` ones cannot be seen: they lie outside the page, are too small, or
    are not painted though there is no picture above them; `fields` are those of a form."""

    words: tuple[Word, ...] = ()
    rules: tuple[Rule, ...] = ()
    pictures: tuple[Picture, ...] = ()
    covered: float = 0
    unread: int = 0
    hidden: int = 0
    fields: int = 0


class _Style(NamedTuple):
    """What the letters of one text object have in common."""

    size: float
    bold: bool
    painted: bool
    angle: int


class _Glyph(NamedTuple):
    """A character, "" where its font does not tell which, from `x` to `end`."""

    text: str
    x: float
    y: float
    end: float
    style: _Style
    spaced: bool


class _Drawn(NamedTuple):
    """A character, its box, and its place on its line, before the page is turned; `spaced` where a space follows."""

    text: str
    box: Box
    x: float
    y: float
    style: _Style
    spaced: bool = False


def read_page(page: pdfium.PdfPage) -> Page:
    """What a page shows. Raises pdfium.PdfiumError where PDFium cannot read it."""
    text_page = page.get_textpage()
    count = raw.FPDFText_CountChars(text_page)
    if count > _CHARACTERS:
        raise pdfium.PdfiumError("more text than a page can show")
    drawn = _drawn(text_page, count)
    angles = Counter(each.style.angle for each in drawn)
    most = angles.most_common(1)[0][0] if angles else 0
    # As most of the text is read, else as the page itself says.
    turns = most // 90 if most and most % 90 == 0 else page.get_rotation() // 90
    left, bottom, right, top = (
        page.get_bbox()
    )  # with what PDFium takes where the file gives no box, or none with a size
    glyphs = [_turned(each, turns, (left, bottom, right, top)) for each in drawn]
    words = [word for stretch in _stretches(glyphs) for word in _words(stretch)]
    turn: Matrix = (
        (1, 0, 0, 1, -left, -bottom),
        (0, -1, 1, 0, -bottom, right),
        (-1, 0, 0, -1, right, top),
        (0, 1, -1, 0, top, -left),
    )[turns]
    shapes = shapes_of(page, turn)
    width, height = (right - left, top - bottom) if turns % 2 == 0 else (top - bottom, right - left)

    def is_seen(word: Word) -> bool:
        inside = word.end >= -1 and word.x <= width + 1 and -1 <= word.y <= height + 1
        return inside and word.size >= _SMALLEST and (word.painted or bool(shapes.pictures))

    seen = tuple(filter(is_seen, words))
    pictures = tuple(picture_of(page, item, box, width, height) for item, box in shapes.pictures)
    covered = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in (each.box for each in pictures))
    return Page(
        words=seen,
        rules=tuple(shapes.rules),
        pictures=pictures,
        covered=min(1.0, covered / (width * height or 1)),
        unread=sum(not glyph.text for glyph in glyphs),
        hidden=sum(len(word.text) for word in words) - sum(len(word.text) for word in seen),
        fields=sum(_is_field(page, at) for at in range(min(raw.FPDFPage_GetAnnotCount(page), OBJECTS))),
    )


def _drawn(text_page: pdfium.PdfTextPage, count: int) -> list[_Drawn]:
    """The characters that a page draws, but for what the file marks as a header or a footer."""
    box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    known: dict[int, _Style | None] = {}
    found: list[_Drawn] = []
    half = ""
    for at in range(count):
        code = raw.FPDFText_GetUnicode(text_page, at)
        text = chr(code) if code <= sys.maxunicode else "\ufffd"
        if half:
            text, half = (half + text).encode("utf-16", "surrogatepass").decode("utf-16", "replace"), ""
        elif 0xD800 <= code < 0xDC00:  # a character beyond the first plane comes in two halves
            half = text
            continue
        if text.isspace():
            if found and not is_from_right(found[-1].text):  # else PDFium may have turned the letters round
                found[-1] = found[-1]._replace(spaced=True)
            continue
        if raw.FPDFText_IsGenerated(text_page, at) == 1 or not (drawn := raw.FPDFText_GetTextObject(text_page, at)):
            continue
        key = ctypes.addressof(drawn.contents)
        if key not in known:
            known[key] = None if _is_furniture(drawn) else _style(text_page, at, drawn)
        if (style := known[key]) is None or not raw.FPDFText_GetLooseCharBox(text_page, at, box):
            continue
        raw.FPDFText_GetCharOrigin(text_page, at, x, y)
        text = _SYMBOLS.get(text, text)
        if _UNREADABLE.search(text) or raw.FPDFText_HasUnicodeMapError(text_page, at) == 1:
            text = ""
        # A letter may reach out before its own place; one of a ligature has a place within it.
        left = box.left if style.angle else max(box.left, x.value)
        found.append(_Drawn(text, (left, box.bottom, box.right, box.top), x.value, y.value, style))
    return found


def _style(text_page: pdfium.PdfTextPage, at: int, drawn: Any) -> _Style:
    """How a text object is set, one of whose characters has a number."""
    matrix, name = raw.FS_MATRIX(), ctypes.create_string_buffer(256)
    raw.FPDFText_GetMatrix(text_page, at, matrix)
    size = raw.FPDFText_GetFontSize(text_page, at) * math.hypot(matrix.c, matrix.d)
    slope = round(math.degrees(math.atan2(matrix.b, matrix.a)))
    straight = 90 * round(slope / 90)
    if size < _SMALLEST:  # the glyphs of a Type 3 font have units of their own
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(text_page, at, box)
        size = _HEIGHT * (box.right - box.left if straight % 180 else box.top - box.bottom)
    font, mode = raw.FPDFTextObj_GetFont(drawn), raw.FPDFTextObj_GetTextRenderMode(drawn)
    raw.FPDFFont_GetBaseFontName(font, name, len(name))
    bold = (
        _BOLD.search(name.value.decode("utf-8", "replace")) is not None
        or bool(max(raw.FPDFFont_GetFlags(font), 0) & _FORCE_BOLD)
        or mode == raw.FPDF_TEXTRENDERMODE_FILL_STROKE
    )
    angle = (straight if abs(slope - straight) <= _LEVEL else slope) % 360
    return _Style(round(2 * size) / 2, bold, mode not in _INVISIBLE, angle)


def _is_furniture(drawn: Any) -> bool:
    """Whether a text object is marked as a header, a footer or a page number."""
    name, value = ((raw.FPDF_WCHAR * 32)() for _ in range(2))
    for at in range(raw.FPDFPageObj_CountMarks(drawn)):
        mark, size = raw.FPDFPageObj_GetMark(drawn, at), ctypes.c_ulong()
        raw.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), size)
        raw.FPDFPageObjMark_GetParamStringValue(mark, b"Type", value, ctypes.sizeof(value), size)
        if [bytes(each).decode("utf-16-le").split("\0")[0] for each in (name, value)] == ["Artifact", "Pagination"]:
            return True
    return False


def _turned(drawn: _Drawn, turns: int, page: Box) -> _Glyph:
    """A character where it stands on a page of these edges once that is turned so many times by 90 degrees."""
    text, (x0, y0, x1, y1), x, y, style, spaced = drawn
    left, bottom, right, top = page
    if turns == 0:
        return _Glyph(text, x0 - left, y - bottom, x1 - left, style, spaced)
    style = style._replace(angle=(style.angle - 90 * turns) % 360)
    if turns == 1:
        return _Glyph(text, y0 - bottom, right - x, y1 - bottom, style, spaced)
    if turns == 2:
        return _Glyph(text, right - x1, top - y, right - x0, style, spaced)
    return _Glyph(text, top - y1, x - left, top - y0, style, spaced)


def _stretches(glyphs: Sequence[_Glyph]) -> Iterator[list[_Glyph]]:
    """Characters that follow one another in one style: on a baseline, or in one direction."""
    stretch: list[_Glyph] = []
    for glyph in glyphs:
        if stretch and (
            glyph.style != stretch[-1].style
            or (not glyph.style.angle and abs(glyph.y - stretch[-1].y) > 0.05 * glyph.style.size)
        ):
            yield stretch
            stretch = []
        stretch.append(glyph)
    if stretch:
        yield stretch


def _words(stretch: Sequence[_Glyph]) -> Iterator[Word]:
    """The words of a stretch. Letters that are set wide apart, as in titles, are of one word all the same."""
    size, bold, painted, angle = stretch[0].style
    if angle:
        text = "".join(glyph.text + " " * glyph.spaced for glyph in stretch)
        left, right = min(glyph.x for glyph in stretch), max(glyph.end for glyph in stretch)
        if text.strip():
            yield Word(left, stretch[0].y, right, size, bold, text, False, painted, angle)
        return
    letters: list[_Glyph] = []
    from_right = is_from_right("".join(glyph.text for glyph in stretch))
    for glyph in _from_left(stretch) if from_right else sorted(stretch, key=lambda glyph: glyph.x):
        last = next((each for each in reversed(letters[-2:]) if each.text == glyph.text), None)
        if last is not None and 0 < glyph.x - last.x < _TWICE * size:
            bold = True  # drawn twice to look so
        elif glyph.text:
            letters.append(glyph)
    gaps = [after.x - before.end for before, after in pairwise(letters) if not before.spaced]
    wide = max(sorted(gaps)[len(gaps) // 5], 0.0) if len(gaps) > 2 else 0.0
    wide = (wide if wide < _TRACKED * size else 0) + (_CURSIVE if from_right else _SPACE) * size
    word: list[_Glyph] = []
    for glyph, after in zip_longest(letters, letters[1:]):
        word.append(glyph)
        if after is None or after.x - glyph.end > (min(SPACED * size, wide) if glyph.spaced else wide):
            text, end = "".join(each.text for each in word), max(each.end for each in word)
            yield Word(word[0].x, word[0].y, end, size, bold, text, glyph.spaced, painted)
            word = []


def _from_left(stretch: Sequence[_Glyph]) -> list[_Glyph]:
    """The characters of a text that is read from the right, by their places. Those of one ligature, which share theirs,
    stand as PDFium gives them, which turns round what is written from the right; where it does not, they are turned
    here."""
    turned = stretch[0].x > stretch[-1].x or len(stretch) == 1
    return sorted(stretch if turned else stretch[::-1], key=lambda glyph: glyph.x)


def _is_field(page: pdfium.PdfPage, at: int) -> bool:
    annotation = raw.FPDFPage_GetAnnot(page, at)
    found = raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET
    raw.FPDFPage_CloseAnnot(annotation)
    return bool(found)
