"""What is on a PDF page as it is shown: the operators of its program run, and the stretches of text that can be seen,
the rules, and how much of it pictures cover. Coordinates are points, `y` upwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from pypdf import PageObject
from pypdf.errors import PyPdfError
from pypdf.generic import ContentStream

from trag.ingest.parse.pdf_graphics import (
    IDENTITY,
    Box,
    Font,
    Glyph,
    Matrix,
    Rule,
    Shapes,
    apply,
    box_of,
    matrix_of,
    product,
)

_FORMS = 500
_DEPTH = 12
"""Forms, and forms within forms, of one page that are followed."""
_SAVED = 1_000  # states that are kept at a time
_APART = 1.0  # ems between glyphs of one text from which on they are two stretches
_LEVEL = 0.1  # how steep text may be that runs along the page, which a scanner may have turned a little
_SMALLEST = 1.0  # points of text that anybody can see
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


@dataclass(frozen=True, slots=True)
class PageContent:
    """What is on a page. `covered` is the share of it that its pictures take, at most 1; `unread` characters are drawn
    in fonts that do not say which they are; `hidden` ones cannot be seen: they lie outside the page, are too small, or
    are not painted though there is no picture above them."""

    fragments: tuple[Fragment, ...] = ()
    rules: tuple[Rule, ...] = ()
    pictures: int = 0
    covered: float = 0
    unread: int = 0
    hidden: int = 0


def page_content(page: PageObject, fonts: dict[int, Font]) -> PageContent:
    """What a page draws; `fonts` are those met so far, by the number of their object, and are added to."""
    left, bottom, right, top = (float(value) for value in page.cropbox)
    turn: Matrix = {
        90: (0, -1, 1, 0, -bottom, right),
        180: (-1, 0, 0, -1, right, top),
        270: (0, 1, -1, 0, top, -left),
    }.get(int(page.get("/Rotate", 0) or 0) % 360, IDENTITY)  # fmt: skip
    left, bottom, right, top = box_of(turn, (left, bottom, right, top))
    drawn = _Interpreter(page.pdf, turn, fonts)
    resources = page.get("/Resources")
    if (contents := page.get("/Contents")) is not None:
        drawn.run(contents.get_object(), resources.get_object() if resources else None)

    def is_seen(fragment: Fragment) -> bool:
        inside = fragment.end >= left - 1 and fragment.x <= right + 1 and bottom - 1 <= fragment.y <= top + 1
        return inside and fragment.size >= _SMALLEST and (fragment.painted or bool(drawn.pictures))

    seen = tuple(filter(is_seen, drawn.fragments))
    hidden = sum(len(fragment.text) for fragment in drawn.fragments) - sum(len(fragment.text) for fragment in seen)
    width, height = (right - left) or 1, (top - bottom) or 1
    covered = sum(
        max(0, min(x1, right) - max(x0, left)) / width * (max(0, min(y1, top) - max(y0, bottom)) / height)
        for x0, y0, x1, y1 in drawn.pictures
    )
    rules, pictures = tuple(drawn.shapes.rules), len(drawn.pictures)
    return PageContent(seen, rules, pictures, min(1.0, covered), drawn.unread, hidden)


def without_stamps(pages: Sequence[PageContent]) -> list[PageContent]:
    """The pages without slanted text that comes again on most of them: DRAFT, CONFIDENTIAL."""
    on_pages = Counter(text for page in pages for text in {each.text for each in page.fragments if each.slanted})
    stamps = {text for text, count in on_pages.items() if count > 1 and 2 * count >= len(pages)}
    return [
        replace(page, fragments=tuple(each for each in page.fragments if not (each.slanted and each.text in stamps)))
        for page in pages
    ]


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
    mode: float = 0


class _Interpreter:
    """Runs the operators of a page, its forms included, and keeps what they draw."""

    def __init__(self, pdf: Any, matrix: Matrix, fonts: dict[int, Font]) -> None:
        self.fragments: list[Fragment] = []
        self.shapes = Shapes()
        self.pictures: list[Box] = []
        self.unread = 0
        self._pdf = pdf
        self._fonts = fonts
        self._state = _State(matrix)
        self._saved: list[_State] = []
        self._text = self._line = IDENTITY
        self._forms = 0
        self._depth = 0
        self._marks: list[bool] = []  # whether each open mark is for a header, a footer, a page number

    def run(self, program: Any, resources: Any) -> None:
        """Runs a page's or a form's program. An operator with operands that make no sense does nothing."""
        for operands, operator in ContentStream(program, self._pdf, "bytes").operations:
            try:
                if operator[:1] in b"T'\"":
                    self._write(operator, operands, resources)
                else:
                    self._draw(operator, operands, resources)
            except (TypeError, ValueError, IndexError, KeyError, AttributeError, PyPdfError):
                continue

    def _write(self, operator: bytes, operands: Any, resources: Any) -> None:  # noqa: C901  a table
        """The operators of text: its font, its place, itself."""
        state = self._state
        match operator:
            case b"Tj" | b"TJ":
                self._show(operands[0] if isinstance(operands[0], list) else [operands[0]])
            case b"'" | b'"':
                if len(operands) > 2:
                    state.word_space, state.character_space = float(operands[0]), float(operands[1])
                self._move(0, -state.leading)
                self._show([operands[-1]])
            case b"Td":
                self._move(float(operands[0]), float(operands[1]))
            case b"TD":
                state.leading = -float(operands[1])
                self._move(float(operands[0]), float(operands[1]))
            case b"T*":
                self._move(0, -state.leading)
            case b"Tm":
                self._text = self._line = matrix_of(operands)
            case b"Tf":
                state.size = float(operands[1])
                state.font = None  # as long as the next line does not find it
                reference = resources["/Font"].get_object().raw_get(operands[0]) if resources else None
                if reference is not None:
                    key = getattr(reference, "idnum", None) or id(reference)
                    if key not in self._fonts:
                        self._fonts[key] = Font(reference.get_object())
                    state.font = self._fonts[key]
            case b"Tc":
                state.character_space = float(operands[0])
            case b"Tw":
                state.word_space = float(operands[0])
            case b"Tz":
                state.scale = 0.01 * float(operands[0])
            case b"TL":
                state.leading = float(operands[0])
            case b"Ts":
                state.rise = float(operands[0])
            case b"Tr":
                state.mode = float(operands[0])

    def _draw(self, operator: bytes, operands: Any, resources: Any) -> None:  # noqa: C901  a table
        """The operators of states, shapes, pictures and marks."""
        match operator:
            case b"q":
                if len(self._saved) < _SAVED:
                    self._saved.append(copy(self._state))
            case b"Q":
                if self._saved:
                    self._state = self._saved.pop()
            case b"cm":
                self._state.matrix = product(matrix_of(operands), self._state.matrix)
            case b"BT":
                self._text = self._line = IDENTITY
            case b"m":
                self.shapes.begin(self._state.matrix, *map(float, operands))
            case b"c" | b"v" | b"y":
                # A curve is nothing that a table is ruled with: only its end is kept, where a line may go on.
                self.shapes.begin(self._state.matrix, *map(float, operands[-2:]))
            case b"l":
                self.shapes.line(self._state.matrix, *map(float, operands))
            case b"re":
                self.shapes.rectangle(self._state.matrix, *map(float, operands))
            case b"h":
                self.shapes.close()
            case b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*":
                self.shapes.stroke()
            case b"f" | b"F" | b"f*":
                self.shapes.fill()
            case b"n":
                self.shapes.drop()
            case b"Do":
                if resources is not None:
                    self._paint(resources["/XObject"].get_object()[operands[0]].get_object(), resources)
            case b"INLINE IMAGE":
                self.pictures.append(box_of(self._state.matrix, (0, 0, 1, 1)))
            case b"BMC" | b"BDC":
                properties = operands[1] if len(operands) > 1 and isinstance(operands[1], dict) else {}
                self._marks.append(operands[0] == "/Artifact" and properties.get("/Type") == "/Pagination")
            case b"EMC":
                if self._marks:
                    self._marks.pop()

    def _paint(self, item: Any, resources: Any) -> None:
        """A picture, or a form, which is a program of its own."""
        if item.get("/Subtype") == "/Image":
            self.pictures.append(box_of(self._state.matrix, (0, 0, 1, 1)))
        elif item.get("/Subtype") == "/Form" and self._depth < _DEPTH and self._forms < _FORMS:
            self._forms += 1
            self._depth += 1
            state, text, saved = copy(self._state), (self._text, self._line), self._saved
            self._saved = []
            if matrix := item.get("/Matrix"):
                self._state.matrix = product(matrix_of(matrix), self._state.matrix)
            own = item.get("/Resources")
            self.run(item, own.get_object() if own else resources)
            self._state, (self._text, self._line), self._saved = state, text, saved
            self._depth -= 1

    def _move(self, x: float, y: float) -> None:
        self._text = self._line = product((1, 0, 0, 1, x, y), self._line)

    def _show(self, parts: Sequence[Any]) -> None:
        """Text and the moves within it, in one stretch or, where a move is wide, in several."""
        state = self._state
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
        width *= self._state.scale
        self._text = (a, b, c, d, e + width * a, f + width * b)

    def _keep(self, glyphs: Sequence[Glyph], start: Matrix) -> None:
        """Adds glyphs that begin where the text matrix was `start` and end where it is now."""
        state = self._state
        self.unread += sum(not glyph.text for glyph in glyphs)
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
