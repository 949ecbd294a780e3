"""What reading a file gives: its blocks in reading order, in the shape in which the child that parses answers its
parent.

Knows no format and no section.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, one item of a list, or a table.

    `level` orders headings (0 is the document's title, a deeper heading has a larger one, gaps mean nothing) and
    counts the depth of an item from 1, whose text begins with its mark ("- ", "2. "). `rows` are a table's cells: the
    first row is the header, all empty where the table has none. `page` counts from 1, None where a format has no
    pages.
    """

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str = ""
    level: int = 0
    page: int | None = None
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole file, read. `notes` say what a person should know of how it was read, such as pages without text."""

    format: str
    blocks: tuple[Block, ...]
    pages: int | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        """One line of ASCII, so that no encoding can spoil it on its way."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Reading:
        """The reading that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
        values: dict[str, Any] = json.loads(text)
        blocks = tuple(
            Block(row["kind"], str(row["text"]), int(row["level"]), row["page"], tuple(map(tuple, row["rows"])))
            for row in values["blocks"]
        )
        return cls(str(values["format"]), blocks, values["pages"], tuple(map(str, values["notes"])))
