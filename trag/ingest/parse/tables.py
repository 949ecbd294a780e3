"""Tables as rows of cells, whatever the format: whether the first row is a header, and rows of one length."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_NAME = 60


def with_header(rows: Sequence[Sequence[str]], *, marked: bool) -> tuple[tuple[str, ...], ...]:
    """The rows that hold anything, all equally long, below a header: their own where it is `marked` or looks like
    one, else an empty one.

    Two columns without a mark are taken for names and values, one pair a row.
    """
    width = max(map(len, rows), default=0)
    filled = [(*row, *[""] * (width - len(row))) for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        return ()
    if marked or (width > 2 and len(filled) > 1 and _is_header(filled[0])):
        return tuple(filled)
    return (("",) * width, *filled)


def _is_header(cells: Sequence[str]) -> bool:
    """Short names, each there and each once, without figures."""
    names = [cell.strip() for cell in cells]
    short = all(0 < len(name) <= _LONGEST_NAME and not any(map(str.isdigit, name)) for name in names[1:])
    return short and len(names[0]) <= _LONGEST_NAME and len(set(names)) == len(names)
