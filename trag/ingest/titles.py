"""What a document calls itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from trag.ingest.reading import Block, Reading

LONGEST = 160
"""Characters of a title."""
NUMBERED = re.compile(
    r"\d+(?:\.\d+)*[.):]?\s|(?:[IVXL]+|[A-Z])[.):]\s|§|(?i:part|chapter|article|section|rule|clause|title)\s+(?:\d|[IVXL]+\b|[A-Z]\b)"
)
"""How a heading begins that is one of many."""
_SHEETS = ("xlsx", "csv")


def title_of(reading: Reading) -> str:
    """What the format has as the title, which knows a letterhead from it, else the heading above all others, else the
    heading that it begins with; "" where there is none of them, as in a workbook, whose headings name its sheets."""
    blocks = () if reading.format in _SHEETS else [block for block in reading.blocks if not block.ocr]
    above = title_heading(blocks)
    opening = blocks[0] if blocks and blocks[0].kind == "heading" and not NUMBERED.match(blocks[0].text) else None
    found = (reading.title, above.text if above else "", opening.text if opening else "")
    return next((title for each in found if 0 < len(title := " ".join(each.split())) <= LONGEST), "")


def title_heading(blocks: Sequence[Block]) -> Block | None:
    """The one heading that stands above all others, with no text above it: a cover may set a smaller line there."""
    headings = [block for block in blocks if block.kind == "heading"]
    top = min((block.level for block in headings), default=0)
    highest = [block for block in headings if block.level == top]
    first = takewhile(lambda block: block.kind == "heading", blocks)
    return highest[0] if len(highest) == 1 and highest[0] in first else None
