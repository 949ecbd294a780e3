"""The rules drawn on a PDF page, and its pictures. Coordinates are points, `y` upwards."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from pypdfium2 import raw

from trag.ingest.parse.pictures import is_counted

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

OBJECTS = 50_000
_DEPTH = 12
"""What is looked at of one page: objects, forms within forms."""
_RULES = 5_000  # of one page that are kept
_THIN = 3.0  # points; a filled shape as thin as this is a rule
_HIGHEST = 150.0  # points of a coloured cell; higher ones are the ground of something
_SHORTEST = 4.0


@dataclass(frozen=True, slots=True)
class Rule:
    """A line from left to right, or from bottom to top."""

    x0: float
    y0: float
    x1: float
    y1: float


class Picture(NamedTuple):
    """A picture on a page: the part of its `box` that lies on the page, its width and height as it is drawn before the
    page is turned, its pixels both ways, and a sum over its data, by which it is known again, 0 for a small one."""

    box: Box = (0, 0, 0, 0)
    size: tuple[float, float] = (0, 0)
    pixels: tuple[int, int] = (0, 0)
    sum: int = 0


def picture_of(page: pdfium.PdfPage, item: Any, box: Box, width: float, height: float) -> Picture:
    """A picture of a box, on a page of this width and height."""
    x0, y0, x1, y1 = (min(max(side, 0), most) for side, most in zip(box, (width, height) * 2, strict=True))
    if is_counted(x1 - x0, y1 - y0):
        with suppress(pdfium.PdfiumError):  # of a broken one
            drawn = pdfium.PdfImage(item, page=page)
            left, bottom, right, top = drawn.get_bounds()
            size = right - left, top - bottom
            return Picture((x0, y0, x1, y1), size, drawn.get_px_size(), zlib.crc32(drawn.get_data()))
    return Picture((x0, y0, x1, y1))


def shapes_of(page: pdfium.PdfPage, turn: Matrix = (1, 0, 0, 1, 0, 0)) -> Shapes:
    """The shapes on a page, each in the place to which `turn` moves it."""
    shapes = Shapes()
    shapes.read([raw.FPDFPage_GetObject(page, at) for at in range(raw.FPDFPage_CountObjects(page))], turn)
    return shapes


class Shapes:
    """The rules and the pictures among the objects of a page; of a picture PDFium's object, which goes with the page,
    and its box."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.pictures: list[tuple[Any, Box]] = []
        self._left = OBJECTS

    def read(self, objects: Sequence[Any], turn: Matrix, depth: int = 0) -> None:
        """Keeps what is drawn by objects, in the place to which `turn` moves it."""
        held = raw.FS_MATRIX()
        for item in objects[: self._left]:
            self._left -= 1
            kind = raw.FPDFPageObj_GetType(item)
            if kind not in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_FORM):
                continue
            raw.FPDFPageObj_GetMatrix(item, held)
            matrix = _product((held.a, held.b, held.c, held.d, held.e, held.f), turn)
            if kind == raw.FPDF_PAGEOBJ_PATH:
                self._path(item, matrix)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE:
                corners = [_apply(matrix, x, y) for x in (0, 1) for y in (0, 1)]
                (x0, *_, x1), (y0, *_, y1) = (sorted(axis) for axis in zip(*corners, strict=True))
                self.pictures.append((item, (x0, y0, x1, y1)))
            elif depth < _DEPTH:
                inner = range(max(raw.FPDFFormObj_CountObjects(item), 0))
                self.read([raw.FPDFFormObj_GetObject(item, at) for at in inner], matrix, depth + 1)

    def _path(self, item: Any, matrix: Matrix) -> None:
        """Many programs draw a rule as a thin rectangle; the edges of a coloured cell are as good as rules."""
        fill, stroked, x, y = ctypes.c_int(), raw.FPDF_BOOL(), ctypes.c_float(), ctypes.c_float()
        raw.FPDFPath_GetDrawMode(item, fill, stroked)
        if not (fill.value or stroked.value) or len(self.rules) >= _RULES:
            return
        parts: list[list[tuple[float, float]]] = []
        for at in range(min(raw.FPDFPath_CountSegments(item), OBJECTS)):
            segment = raw.FPDFPath_GetPathSegment(item, at)
            raw.FPDFPathSegment_GetPoint(segment, x, y)
            # A curve is nothing that a table is ruled with: only its end is kept, where a line may go on.
            if raw.FPDFPathSegment_GetType(segment) != raw.FPDF_SEGMENT_LINETO or not parts:
                parts.append([])
            parts[-1].append(_apply(matrix, x.value, y.value))
            if raw.FPDFPathSegment_GetClose(segment):
                parts[-1].append(parts[-1][0])
        for points in parts:
            left, right = min(x for x, _ in points), max(x for x, _ in points)
            bottom, top = min(y for _, y in points), max(y for _, y in points)
            if stroked.value:
                for (x0, y0), (x1, y1) in pairwise(points):
                    self._rule(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), thin=1.0)
            elif _THIN < top - bottom < _HIGHEST and right - left > _THIN:
                for level in (bottom, top):
                    self._rule(left, level, right, level, thin=_THIN)
                for place in (left, right):
                    self._rule(place, bottom, place, top, thin=_THIN)
            else:
                self._rule(left, bottom, right, top, thin=_THIN)

    def _rule(self, x0: float, y0: float, x1: float, y1: float, *, thin: float) -> None:
        width, height = x1 - x0, y1 - y0
        if len(self.rules) >= _RULES or min(width, height) > thin or max(width, height) < _SHORTEST:
            return
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        self.rules.append(Rule(x0, y, x1, y) if width > height else Rule(x, y0, x, y1))


def _product(first: Matrix, second: Matrix) -> Matrix:
    """The matrix that does `first`, then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
