"""What a PDF page is drawn with: places and the matrices that move them, painted shapes and the straight rules among
them, and fonts, which say what the bytes of a text mean and how wide they are.

Built on pypdf's own Font, which is not among its public names: pypdf is pinned, and the tests hold what is used of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font as _PdfFont

Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)

_RULES = 5_000  # of one page that are kept
_THIN = 3.0  # points; a filled shape as thin as this is a rule
_HIGHEST = 150.0  # points of a coloured cell; higher ones are the ground of something
_SHORTEST = 4.0
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|-bd\b", re.IGNORECASE)
_FORCE_BOLD = 1 << 18
_UNREADABLE = re.compile("[\ufffd\ue000-\uefff\uf100-\uf8ff]|^/\\w")  # Word's symbols, at U+F000, are pictures
_SYMBOLS = {"\x7f": "•", "\uf0b7": "•", "\uf0a7": "•"}  # as reportlab and Word encode bullets


@dataclass(frozen=True, slots=True)
class Rule:
    """A line from left to right, or from bottom to top. In points."""

    x0: float
    y0: float
    x1: float
    y1: float


def matrix_of(values: Sequence[Any]) -> Matrix:
    """Six numbers as a matrix. Raises ValueError or TypeError for anything else."""
    a, b, c, d, e, f = map(float, values)
    return a, b, c, d, e, f


def product(first: Matrix, second: Matrix) -> Matrix:
    """The matrix that does `first`, then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Where a matrix puts a place."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def box_of(matrix: Matrix, box: Box) -> Box:
    """The edges of what a matrix makes of a box."""
    left, bottom, right, top = box
    corners = [apply(matrix, x, y) for x in (left, right) for y in (bottom, top)]
    (x0, *_, x1), (y0, *_, y1) = (sorted(axis) for axis in zip(*corners, strict=True))
    return x0, y0, x1, y1


class Shapes:
    """The shape in the making, and the rules that were painted so far."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self._parts: list[list[tuple[float, float]]] = []

    def begin(self, matrix: Matrix, x: float, y: float) -> None:
        """A part that begins at a place, or goes on there after a curve."""
        self._parts.append([apply(matrix, x, y)])

    def line(self, matrix: Matrix, x: float, y: float) -> None:
        """A straight line to a place."""
        self._parts[-1].append(apply(matrix, x, y))

    def rectangle(self, matrix: Matrix, x: float, y: float, width: float, height: float) -> None:
        """A part of four sides."""
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
        self._parts.append([apply(matrix, *corner) for corner in corners])

    def close(self) -> None:
        """A line back to where the part began."""
        self._parts[-1].append(self._parts[-1][0])

    def stroke(self) -> None:
        """Paints every line."""
        for points in self._parts:
            for (x0, y0), (x1, y1) in pairwise(points):
                self._rule(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), thin=1.0)
        self._parts = []

    def fill(self) -> None:
        """Paints what the parts enclose. Many programs draw a rule as a thin rectangle; the edges of a coloured cell
        are as good as rules."""
        for points in self._parts:
            xs, ys = zip(*points, strict=True)
            left, bottom, right, top = min(xs), min(ys), max(xs), max(ys)
            if _THIN < top - bottom < _HIGHEST and right - left > _THIN:
                for y in (bottom, top):
                    self._rule(left, y, right, y, thin=_THIN)
                for x in (left, right):
                    self._rule(x, bottom, x, top, thin=_THIN)
            else:
                self._rule(left, bottom, right, top, thin=_THIN)
        self._parts = []

    def drop(self) -> None:
        """Paints nothing."""
        self._parts = []

    def _rule(self, x0: float, y0: float, x1: float, y1: float, *, thin: float) -> None:
        width, height = x1 - x0, y1 - y0
        if len(self.rules) >= _RULES or min(width, height) > thin or max(width, height) < _SHORTEST:
            return
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        self.rules.append(Rule(x0, y, x1, y) if width > height else Rule(x, y0, x, y1))


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character as drawn: its text, "" where the font does not say which it is, and its width in thousandths."""

    text: str
    width: float
    is_space: bool


class Font:
    """A font; it keeps the glyphs that it has met."""

    def __init__(self, resource: DictionaryObject) -> None:
        """`resource` is the font's dictionary in the PDF."""
        self._font = _PdfFont.from_font_resource(resource)
        descriptor = self._font.font_descriptor
        self.bold = bool(_BOLD.search(self._font.name)) or bool(int(descriptor.flags or 0) & _FORCE_BOLD)
        # The glyphs of a font such as this have numbers of their own, which mean nothing without a map.
        blind = resource.get("/Encoding") in ("/Identity-H", "/Identity-V") and "/ToUnicode" not in resource
        self._readable = self._font.interpretable and not blind
        self.space = self._font.space_width or 250
        matrix = resource.get("/FontMatrix")
        self._scale = 1000 * abs(float(matrix[0])) if matrix and resource.get("/Subtype") == "/Type3" else 1.0
        self._known: dict[str, Glyph] = {}

    def glyphs(self, data: bytes) -> Iterator[Glyph]:
        """The glyphs that `data` shows."""
        encoding = self._font.encoding
        if isinstance(encoding, str):
            codes = data.decode(
                encoding, "surrogatepass" if encoding.startswith("utf-16") and not len(data) % 2 else "replace"
            )
            for code in codes:
                yield self._known.get(code) or self._glyph(code, code)
        else:
            for byte in data:
                code = chr(byte)
                yield self._known.get(code) or self._glyph(code, encoding.get(byte, code))

    def _glyph(self, code: str, character: str) -> Glyph:
        text = str(self._font.character_map.get(character, character))
        text = _SYMBOLS.get(text, text)
        readable = self._readable and not _UNREADABLE.search(text)
        width = self._font.space_width if code == self._font.space_char else self._font.get_text_width(code)
        glyph = Glyph(text if readable else "", float(width) * self._scale, text == " ")
        self._known[code] = glyph
        return glyph
