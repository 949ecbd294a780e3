"""The rows of a table as sentences that keep header and cells together, and such sentences as rows again.

"Approval limits – Post: Director; Limit: 50,000 LMD."  (by hand in T-RAG, section 5.1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LONGEST = 800  # characters of a sentence
_CAPTION = re.compile(r".*? – (?:(?:(?!: |; ).)* – )?")  # it may hold a dash; the name of a first cell holds none


@dataclass(frozen=True, slots=True)
class Row:
    """What the sentence of a row says: the table's caption, and each cell under its name, "" where it has none."""

    caption: str
    cells: tuple[tuple[str, str], ...]


def row_sentences(rows: Sequence[Sequence[str]], caption: str) -> tuple[str, ...]:
    """One sentence a row, under the caption of its table.

    The first row is the header; where it is empty, the first cell of each row names the rest of it. A row too long to
    be found as one passage is several sentences, each with the caption and the row's first cell.
    """
    header, *body = rows
    return tuple(f"{caption} – {words}." for row in body if any(row) for words in row_words(header, row))


def row_words(header: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    """What the sentences of a row say behind its caption, without the full stop."""
    cells = [cell.replace("\n", ", ").rstrip(".") for cell in row]
    if any(header):
        named = zip((name.rstrip(":") for name in header), cells, strict=True)
        parts, mark = [f"{name}: {cell}" if name else cell for name, cell in named if cell], "; "
    else:
        parts, mark = [cells[0].rstrip(":"), *filter(None, cells[1:])], ": "
    first, *others = [part for part in parts if part] or [""]
    if len(parts) > len(others) + 1:
        mark = "; "  # no name, only values
    while True:
        count = 0
        length = len(first)
        while count < len(others) and (not count or length + len(others[count]) < _LONGEST):
            length += len(others[count]) + 2
            count += 1
        yield first + (mark + "; ".join(others[:count]) if count else "")
        others = others[count:]
        if not others:
            return


def read_row(sentence: str) -> Row | None:
    """The row that a sentence says, None where it says none of at least two cells with names."""
    sentence = sentence.strip()
    caption = _CAPTION.match(sentence)
    if caption is None or "\n" in sentence:
        return None
    cells: list[tuple[str, str]] = []
    for part in sentence[caption.end() :].removesuffix(".").split("; "):
        name, named, cell = part.partition(": ")
        if named:
            cells.append((name, cell))
        elif cells and cells[-1][0]:  # its value holds a semicolon
            cells[-1] = (cells[-1][0], f"{cells[-1][1]}; {part}")
        else:
            cells.append(("", part))
    return Row(caption[0].removesuffix(" – "), tuple(cells)) if sum(bool(name) for name, _ in cells) > 1 else None
