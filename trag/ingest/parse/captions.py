"""The caption of a table, told from the paragraph beside it: "Table 3: Budget", "(in thousand EUR)".

Knows no format: it looks at finished blocks, so that every row of a table can be said with its caption and its unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from trag.ingest.blocks import Block
from trag.ingest.parse.tables import same_header

_LONGEST = 200
_CAPTION = re.compile(
    r"(?:[Tt]able|TABLE|Tab\.|Tabelle|Tableau|Tabla|Tabella)\s*"
    r"(?:[A-Z]?\d[\w.]*\s*(?:[.:–—-]|\(|$|\s[A-Z])|(?:[A-Z]|[IVX]{1,5})\s*[.:–—]\s+\S)"
)
_NUMBER = re.compile(r"[\d.]+\s+")
_UNIT = re.compile(
    r"\(?(?:all\s+)?(?:(?:amounts|figures|values|numbers|sums)\s+)?(?:are\s+)?in\s[^.;]{2,60}\)?\.?", re.IGNORECASE
)


def belongs_to_table(line: str) -> bool:
    """Whether a line that stands alone is a caption or a unit in brackets, however much it looks like a heading."""
    return _CAPTION.match(line) is not None or (line.startswith("(") and _UNIT.fullmatch(line) is not None)


def with_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks, where a caption, and a unit that stands alone, have become the text of their table.

    A caption stands above its table or, where none does, below. The part of a table on the next page, under the same
    header, has the caption of the first.
    """
    found: list[Block] = []
    waiting = iter(range(len(blocks)))
    for at in waiting:
        block = blocks[at]
        if block.kind != "table":
            found.append(block)
            continue
        caption = block.text or _taken_from(found)
        below = blocks[at + 1] if at + 1 < len(blocks) else None
        of_next = at + 2 < len(blocks) and blocks[at + 2].kind == "table"
        if not caption and below is not None and not of_next and _is_caption(below):
            caption = below.text
            next(waiting)
        before = found[-1] if found else None
        if not caption and before is not None and before.kind == "table" and before.page != block.page:
            caption = before.text if same_header(before.rows[0], block.rows[0]) else ""
        found.append(replace(block, text=caption.rstrip(".").replace("\n", " ")))
    return tuple(found)


def _taken_from(found: list[Block]) -> str:
    """The caption above a table, and the unit beside it; both are taken off `found`."""
    unit = found.pop().text if found and _is_short(found[-1]) and _UNIT.fullmatch(found[-1].text) else ""
    if found and _is_caption(found[-1]):
        return f"{found.pop().text} {unit}".strip()
    if unit and found and found[-1].kind == "heading":
        return f"{_NUMBER.sub('', found[-1].text, count=1)} {unit}"
    return unit


def _is_caption(block: Block) -> bool:
    return _is_short(block) and _CAPTION.match(block.text) is not None


def _is_short(block: Block) -> bool:
    return block.kind == "paragraph" and len(block.text) <= _LONGEST
