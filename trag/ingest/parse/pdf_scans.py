"""What was read of scanned pages, as words on a page of a PDF."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from trag.ingest.parse.pdf_page import Page, Word
from trag.ingest.scans import ScannedPage

_LETTERS = 0.8
"""Of the height of a line's box its letters take this, from the top of a b to the foot of a p, at the size of their font."""
_BELOW = 0.2  # of the height of the box lies below the baseline
_ALIKE = 0.2  # sizes that differ by less from that of most of the page are the same: boxes are as high as their letters


def with_scan(page: Page, scan: ScannedPage, width: float, height: float) -> Page:
    """A page with the words that were read of it in place of its own; `width` and `height` are its points as it is
    shown. Where it was not legible it has no words."""
    if not scan.is_legible:
        return replace(page, words=())
    if scan.turn % 2:
        width, height = height, width
    boxes = [((word.bottom - word.top) * height, word) for word in scan.words]
    most = median(size for size, word in boxes for _ in word.text) * _LETTERS if boxes else 0.0
    words = []
    for box, word in boxes:
        size = box * _LETTERS
        # Lines that fall to the right are level once each word is raised by how far it stands along them.
        y = (1 - word.bottom) * height + _BELOW * box + scan.slope * word.left * width
        alike = abs(size - most) <= _ALIKE * most
        words.append(
            Word(
                word.left * width,
                y,
                word.right * width,
                round(2 * (most if alike else size)) / 2,
                False,
                word.text,
                False,
            )
        )
    return replace(page, words=tuple(words))
