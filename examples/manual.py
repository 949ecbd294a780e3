"""The governance manual of the sample organization, read from its Markdown parts into blocks ready to be set.

Knows nothing of PDF or Word, nor of the assistant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

LARKMOOR = Path(__file__).parent / "larkmoor"
ORGANIZATION, TITLE = "Larkmoor Foundation", "Governance Manual"
EDITION, IN_FORCE = "7th edition", datetime(2025, 2, 1, tzinfo=UTC)
SUBTITLE = f"{EDITION}, in force from 1 February 2025"
FICTIONAL = "Larkmoor is fictional: its name, its people and its rules were invented for this sample."

DEEP, RIVER, SAND, PALE = "12414D", "2E7C8A", "C39A53", "EDF3F3"
"""The colours of the house, as hex digits of red, green and blue."""

Rich = tuple[tuple[str, bool], ...]
"""Text as runs of (characters, whether bold)."""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, list or table. Only the rows of a table hold more than one cell."""

    kind: Literal["heading", "paragraph", "bullet_list", "ordered_list", "table"]
    rows: tuple[tuple[Rich, ...], ...]
    level: int = 0


def parts() -> list[str]:
    """The Markdown of the parts, in order."""
    return [path.read_text(encoding="utf-8") for path in sorted((LARKMOOR / "documents").glob("part-*.md"))]


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a part, in order. ValueError names the line of Markdown that the manual has no form for."""
    for node in SyntaxTreeNode(MarkdownIt("js-default").parse(markdown)).children:
        match node.type:
            case "heading":
                yield Block("heading", ((rich(node),),), int(node.tag[1:]))
            case "paragraph":
                yield Block("paragraph", ((rich(node),),))
            case "bullet_list" | "ordered_list" as kind:
                yield Block(kind, tuple((rich(item),) for item in node.children))
            case "table":
                rows = (row for row in node.walk() if row.type == "tr")
                yield Block("table", tuple(tuple(rich(cell) for cell in row.children) for row in rows))
            case other:
                raise ValueError(f"line {node.map[0] + 1 if node.map else '?'}: the manual has no form for {other}")


def rich(node: SyntaxTreeNode) -> Rich:
    leaves = (leaf for leaf in node.walk() if leaf.type == "softbreak" or (leaf.type == "text" and leaf.content))
    return tuple((leaf.content or " ", leaf.parent is not None and leaf.parent.type == "strong") for leaf in leaves)


def plain(text: Rich) -> str:
    return "".join(run for run, _ in text)


def part_title(heading: str) -> tuple[str, str]:
    """("Part 1", "Foundations and governing bodies") from the first heading of a part."""
    number, title = heading.split(", ", 1)[1].split(": ", 1)
    return number, title
