"""What is on a PDF page as it is shown: text that can be seen, rules, and how much of it pictures cover.

Knows nothing of lines or tables. Coordinates are points on the page as it is shown, `y` upwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pypdf import PageObject

from trag.ingest.parse.pdf_font import Font
from trag.ingest.parse.pdf_path import IDENTITY, Box, Matrix, Rule, box_of
from trag.ingest.parse.pdf_pen import Fragment, Pen

_SMALLEST = 1.0  # points of text that anybody can see


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is on a page. `covered` is the share of it that its pictures take, at most 1; `unread` characters are drawn
    in fonts that do not say which they are; `hidden` ones cannot be seen: they lie outside the page, are too small, or
    are not painted though there is no picture above them."""

    fragments: tuple[Fragment, ...]
    rules: tuple[Rule, ...]
    pictures: int
    covered: float
    unread: int
    hidden: int


def draw(page: PageObject, fonts: dict[int, Font]) -> Drawn:
    """What a page draws; `fonts` are those met so far, by the number of their object, and are added to."""
    turn, box = _upright(page)
    pen = Pen(page.pdf, turn, fonts)
    resources = page.get("/Resources")
    if (contents := page.get("/Contents")) is not None:
        pen.run(contents.get_object(), resources.get_object() if resources else None)
    shown = [fragment for fragment in pen.fragments if _is_seen(fragment, box, len(pen.pictures))]
    hidden = sum(len(fragment.text) for fragment in pen.fragments) - sum(len(fragment.text) for fragment in shown)
    covered = min(1.0, sum(_share(picture, box) for picture in pen.pictures))
    return Drawn(tuple(shown), tuple(pen.path.rules), len(pen.pictures), covered, pen.unread, hidden)


def without_stamps(pages: Sequence[Drawn]) -> list[Drawn]:
    """The pages without slanted text that comes again on most of them: DRAFT, CONFIDENTIAL."""
    on_pages = Counter(text for page in pages for text in {each.text for each in page.fragments if each.slanted})
    stamps = {text for text, count in on_pages.items() if count > 1 and 2 * count >= len(pages)}
    return [
        replace(page, fragments=tuple(each for each in page.fragments if not (each.slanted and each.text in stamps)))
        for page in pages
    ]


def _upright(page: PageObject) -> tuple[Matrix, Box]:
    """The matrix that turns a page as it is shown, and its edges: left, bottom, right, top."""
    left, bottom, right, top = (float(value) for value in page.cropbox)
    turn: Matrix = {
        90: (0, -1, 1, 0, -bottom, right),
        180: (-1, 0, 0, -1, right, top),
        270: (0, 1, -1, 0, top, -left),
    }.get(int(page.get("/Rotate", 0) or 0) % 360, IDENTITY)  # fmt: skip
    return turn, box_of(turn, (left, bottom, right, top))


def _share(picture: Box, page: Box) -> float:
    """How much of a page a picture covers."""
    sides = zip(picture[:2], picture[2:], page[:2], page[2:], strict=True)
    shares = [max(0, min(end, edge) - max(start, first)) / ((edge - first) or 1) for start, end, first, edge in sides]
    return shares[0] * shares[1]


def _is_seen(fragment: Fragment, box: Box, pictures: int) -> bool:
    left, bottom, right, top = box
    inside = fragment.end >= left - 1 and fragment.x <= right + 1 and bottom - 1 <= fragment.y <= top + 1
    return inside and fragment.size >= _SMALLEST and (fragment.painted or pictures > 0)
