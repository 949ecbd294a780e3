"""What was read of scanned pages, as words on a page of a PDF."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from unicodedata import east_asian_width

from trag.ingest.parse.pdf_page import Page, Word
from trag.ingest.scans import ScannedPage

_LETTERS, _BELOW = 0.8, 0.2
"""The size of a font in heights of the box around its line, and what of the box lies below the baseline."""
_ALIKE = 0.2  # sizes that differ by less from that of most of the page are the same: a line may have no p and no b
_TOUCHING = 0.1  # sizes that are taken off the end of a word: boxes touch, whatever the space between them


def with_scan(page: Page, scan: ScannedPage, width: float, height: float) -> Page:
    """A page with the words that were read of it in place of its own, which it keeps where those are not legible;
    `width` and `height` are its points as it is shown."""
    if not scan.is_legible:
        return page
    if scan.turn % 2:
        width, height = height, width
    boxes = [((word.bottom - word.top) * height, word) for word in scan.words]
    most = median(size for size, word in boxes for _ in word.text) * _LETTERS if boxes else 0.0
    words = []
    for box, word in boxes:
        size = box * _LETTERS
        # Lines that fall to the right are level once each word is raised by how far it stands along them.
        y = (1 - word.bottom) * height + _BELOW * box + scan.slope * word.left * width
        size = round(2 * (most if abs(size - most) <= _ALIKE * most else size)) / 2
        spaced = east_asian_width(word.text[-1]) not in "WF"  # each character of those is a word
        end = word.right * width - spaced * _TOUCHING * size
        words.append(Word(word.left * width, y, end, size, False, word.text, spaced, painted=False))
    return replace(page, words=tuple(words))
