"""Words with a place on the page -> the boxes that are drawn around them: one a line, or a cell of a table.

Knows nothing about PDF, and nothing of which words they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trag.view.records import Box

_BESIDE = 1.2
"""How far apart words of one box may stand, in heights of the line: less than cells of a table do."""


def boxes(characters: Sequence[Sequence[Box]], shape: float) -> tuple[Box, ...]:
    """The boxes of words in reading order, each given by the boxes of its characters; `shape` is width by height.

    A word that goes on in the next line gets two.
    """
    found: list[Box] = []
    for word in characters:
        for part in _parts(word, shape):
            if found and _is_beside(found[-1], part, shape):
                found[-1] = _around(found[-1], part)
            else:
                found.append(part)
    return tuple(sorted(found, key=lambda box: (box.top, box.left)))


def _parts(characters: Sequence[Box], shape: float) -> Iterator[Box]:
    """A word's box, or one for each line that it is on."""
    part: Box | None = None
    for box in characters:
        if part and not _is_beside(part, box, shape):
            yield part
            part = None
        part = _around(part, box) if part else box
    if part:
        yield part


def _is_beside(first: Box, second: Box, shape: float) -> bool:
    """Whether two boxes are of one line: at about the same height, with little between them."""
    height = min(first.bottom - first.top, second.bottom - second.top)
    level = min(first.bottom, second.bottom) - max(first.top, second.top)
    apart = max(first.left, second.left) - min(first.right, second.right)
    return level > 0.5 * height and apart * shape < _BESIDE * max(first.bottom - first.top, second.bottom - second.top)


def _around(first: Box, second: Box) -> Box:
    return Box(
        min(first.left, second.left),
        min(first.top, second.top),
        max(first.right, second.right),
        max(first.bottom, second.bottom),
    )
