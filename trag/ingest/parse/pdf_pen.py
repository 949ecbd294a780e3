"""The operators of a PDF page's program, and what they draw: stretches of text, rules, pictures.

Knows nothing of lines or tables, or of which text can be seen. Coordinates are points on the page as it is shown, `y`
upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from pypdf.errors import PyPdfError
from pypdf.generic import ContentStream

from trag.ingest.parse.pdf_font import Font, Glyph
from trag.ingest.parse.pdf_path import IDENTITY, Box, Matrix, Path, apply, box_of, matrix_of, product

_FORMS = 500
_DEPTH = 12
"""Forms, and forms within forms, of one page that are followed."""
_APART = 1.0  # ems between glyphs of one text from which on they are two stretches
_LEVEL = 0.1  # how steep text may be that runs along the page, which a scanner may have turned a little
_INVISIBLE = (3, 7)  # modes of text that is not painted, as behind a scanned page


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stretch of text from `x` to `end` on a baseline at `y`. It is slanted where it runs neither along nor up or
    down the page, as the stamp over a draft does."""

    x: float
    y: float
    end: float
    size: float
    bold: bool
    text: str
    painted: bool = True
    slanted: bool = False


@dataclass(slots=True)
class _State:
    """What q saves and Q restores."""

    matrix: Matrix
    font: Font | None = None
    size: float = 0.0
    character_space: float = 0.0
    word_space: float = 0.0
    scale: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    mode: int = 0


class Pen:
    """Runs the operators of a page, its forms included, and keeps what they draw."""

    def __init__(self, pdf: Any, matrix: Matrix, fonts: dict[int, Font]) -> None:
        self.fragments: list[Fragment] = []
        self.path = Path()
        self.pictures: list[Box] = []
        self.unread = 0
        self._pdf = pdf
        self._fonts = fonts
        self.state = _State(matrix)
        self._saved: list[_State] = []
        self._text = self._line = IDENTITY
        self._forms = 0
        self._depth = 0
        self._marks: list[bool] = []  # whether each open mark is for a header, a footer, a page number

    def run(self, program: Any, resources: Any) -> None:
        """Runs a page's or a form's program. An operator with operands that make no sense does nothing."""
        for operands, operator in ContentStream(program, self._pdf, "bytes").operations:
            action = _ACTIONS.get(operator)
            if action is not None:
                try:
                    action(self, operands, resources)
                except (TypeError, ValueError, IndexError, KeyError, AttributeError, PyPdfError):
                    continue

    def save(self, _: Any, __: Any) -> None:
        """q"""
        if len(self._saved) < 1_000:
            self._saved.append(copy(self.state))

    def restore(self, _: Any, __: Any) -> None:
        """Q"""
        if self._saved:
            self.state = self._saved.pop()

    def transform(self, operands: Any, _: Any) -> None:
        """cm"""
        self.state.matrix = product(matrix_of(operands), self.state.matrix)

    def begin_text(self, _: Any, __: Any) -> None:
        """BT"""
        self._text = self._line = IDENTITY

    def set_font(self, operands: Any, resources: Any) -> None:
        """Tf"""
        self.state.size = float(operands[1])
        self.state.font = None  # as long as the next line does not find it
        reference = resources["/Font"].get_object().raw_get(operands[0]) if resources else None
        if reference is not None:
            key = getattr(reference, "idnum", None) or id(reference)
            if key not in self._fonts:
                self._fonts[key] = Font(reference.get_object())
            self.state.font = self._fonts[key]

    def set_value(self, name: str, value: float) -> None:
        """Tc, Tw, Tz, TL, Ts, Tr"""
        setattr(self.state, name, value)

    def move(self, operands: Any, _: Any) -> None:
        """Td"""
        x, y = float(operands[0]), float(operands[1])
        self._text = self._line = product((1, 0, 0, 1, x, y), self._line)

    def move_and_lead(self, operands: Any, resources: Any) -> None:
        """TD"""
        self.state.leading = -float(operands[1])
        self.move(operands, resources)

    def place(self, operands: Any, _: Any) -> None:
        """Tm"""
        self._text = self._line = matrix_of(operands)

    def next_line(self, _: Any, resources: Any) -> None:
        """T*"""
        self.move((0, -self.state.leading), resources)

    def show(self, operands: Any, _: Any) -> None:
        """Tj and TJ"""
        self._show(operands[0] if isinstance(operands[0], list) else [operands[0]])

    def show_on_next_line(self, operands: Any, resources: Any) -> None:
        """' and \""""
        if len(operands) > 2:
            self.state.word_space, self.state.character_space = float(operands[0]), float(operands[1])
        self.next_line(operands, resources)
        self._show([operands[-1]])

    def _show(self, parts: Sequence[Any]) -> None:
        """Text and the moves within it, in one stretch or, where a move is wide, in several."""
        state = self.state
        if state.font is None or not state.size:
            return
        glyphs: list[Glyph] = []
        start = self._text
        for part in parts:
            if isinstance(part, int | float):
                gap = -float(part) / 1000
                if gap > _APART:
                    self._keep(glyphs, start)
                    glyphs = []
                elif 1000 * gap >= 0.5 * state.font.space and glyphs and not glyphs[-1].is_space:
                    glyphs.append(Glyph(" ", 0, True))
                self._advance(gap * state.size)
                start = start if glyphs else self._text
            else:
                data = part if isinstance(part, bytes) else str(part).encode("latin-1", "replace")
                shown = list(state.font.glyphs(data))
                glyphs += shown
                spaces = len(shown) * state.character_space + sum(glyph.is_space for glyph in shown) * state.word_space
                self._advance(sum(glyph.width for glyph in shown) / 1000 * state.size + spaces)
        self._keep(glyphs, start)

    def _advance(self, width: float) -> None:
        a, b, c, d, e, f = self._text
        width *= self.state.scale
        self._text = (a, b, c, d, e + width * a, f + width * b)

    def _keep(self, glyphs: Sequence[Glyph], start: Matrix) -> None:
        """Adds glyphs that begin where the text matrix was `start` and end where it is now."""
        state = self.state
        unread = sum(not glyph.text for glyph in glyphs)
        self.unread += unread
        text = "".join(glyph.text for glyph in glyphs)
        if not text or any(self._marks):
            return
        whole = product(start, state.matrix)
        x, y = apply(whole, 0, state.rise)
        end, _ = apply(product(self._text, state.matrix), 0, state.rise)
        size = round(2 * abs(state.size) * (whole[2] ** 2 + whole[3] ** 2) ** 0.5) / 2
        bold = state.font is not None and (state.font.bold or state.mode == 2)
        painted = state.mode not in _INVISIBLE
        slanted = min(abs(whole[0]), abs(whole[1])) > _LEVEL * max(abs(whole[0]), abs(whole[1]))
        self.fragments.append(Fragment(min(x, end), y, max(x, end), size, bold, text, painted, slanted))

    def paint(self, operands: Any, resources: Any) -> None:
        """Do"""
        if resources is None:
            return
        item = resources["/XObject"].get_object()[operands[0]].get_object()
        if item.get("/Subtype") == "/Image":
            self.pictures.append(box_of(self.state.matrix, (0, 0, 1, 1)))
        elif item.get("/Subtype") == "/Form" and self._depth < _DEPTH and self._forms < _FORMS:
            self._forms += 1
            self._depth += 1
            state, text, saved = copy(self.state), (self._text, self._line), self._saved
            self._saved = []
            if matrix := item.get("/Matrix"):
                self.state.matrix = product(matrix_of(matrix), self.state.matrix)
            own = item.get("/Resources")
            self.run(item, own.get_object() if own else resources)
            self.state, (self._text, self._line), self._saved = state, text, saved
            self._depth -= 1

    def paint_inline(self, _: Any, __: Any) -> None:
        """BI: a picture in the program itself"""
        self.pictures.append(box_of(self.state.matrix, (0, 0, 1, 1)))

    def begin_mark(self, operands: Any, _: Any) -> None:
        """BMC and BDC"""
        properties = operands[1] if len(operands) > 1 and isinstance(operands[1], dict) else {}
        self._marks.append(operands[0] == "/Artifact" and properties.get("/Type") == "/Pagination")

    def end_mark(self, _: Any, __: Any) -> None:
        """EMC"""
        if self._marks:
            self._marks.pop()


def _setter(name: str, factor: float = 1.0) -> Any:
    return lambda pen, operands, _: pen.set_value(name, factor * float(operands[0]))


def _drawer(draw_part: Callable[..., None]) -> Any:
    return lambda pen, operands, _: draw_part(pen.path, pen.state.matrix, *map(float, operands))


_ACTIONS: dict[bytes, Any] = {
    b"q": Pen.save,
    b"Q": Pen.restore,
    b"cm": Pen.transform,
    b"BT": Pen.begin_text,
    b"Tf": Pen.set_font,
    b"Tc": _setter("character_space"),
    b"Tw": _setter("word_space"),
    b"Tz": _setter("scale", 0.01),
    b"TL": _setter("leading"),
    b"Ts": _setter("rise"),
    b"Tr": _setter("mode"),
    b"Td": Pen.move,
    b"TD": Pen.move_and_lead,
    b"Tm": Pen.place,
    b"T*": Pen.next_line,
    b"Tj": Pen.show,
    b"TJ": Pen.show,
    b"'": Pen.show_on_next_line,
    b'"': Pen.show_on_next_line,
    b"m": _drawer(Path.begin),
    b"l": _drawer(Path.line),
    b"re": _drawer(Path.rectangle),
    b"h": lambda pen, operands, resources: pen.path.close(),
    # A curve is nothing that a table is ruled with: only its end is kept, where a line may go on.
    **dict.fromkeys((b"c", b"v", b"y"), lambda pen, operands, resources: _drawer(Path.begin)(pen, operands[-2:], None)),
    **dict.fromkeys((b"S", b"s", b"B", b"B*", b"b", b"b*"), lambda pen, operands, resources: pen.path.stroke()),
    **dict.fromkeys((b"f", b"F", b"f*"), lambda pen, operands, resources: pen.path.fill()),
    b"n": lambda pen, operands, resources: pen.path.drop(),
    b"Do": Pen.paint,
    b"INLINE IMAGE": Pen.paint_inline,
    **dict.fromkeys((b"BMC", b"BDC"), Pen.begin_mark),
    b"EMC": Pen.end_mark,
}
