"""The rows of a table, each said in a sentence by trag/ingest/sections.py -> questions about its cells.

Knows nothing about sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trag.pairs.asked import Asked
from trag.pairs.english import BASE_OF_PARTICIPLE, is_plural, is_somebody
from trag.pairs.headings import plain

_ROW = re.compile(r"^(?P<caption>[^–]{2,100}) – (?P<cells>[^:;]{1,60}: .+)\.$", re.S)
_CELL = re.compile(r"(?:^|; )([^\W\d_][^:;.?]{0,50}|[£$€%][^:;]{0,20}): ")
MOST_COLUMNS = 4
"""Columns of a row that are asked about; a wider table is one for looking things up."""
_WH = re.compile(r"(?:how|when|who|where|what|which|why)\b", re.I)
_TIME = re.compile(r"\b(?:minute|hour|day|week|month|quarter|year)s?\b", re.I)
_ENDS = {"by": "whom", "until": "when", "within": "how long", "for": "", "after": "", "before": "", "at": "", "to": ""}
"""What is asked after a header's last word: "decided by whom"; "" where it is a time or a thing."""
_BARE = re.compile(r"[\d,.–-]+|[A-Z]\d?|[IVX]+")
_ORDINAL = re.compile(r"(?:first|second|third|fourth|fifth|last|next|final)", re.I)
_LARGE = re.compile(r"[A-Z]{2}|[A-Z]\.|[A-Z]\w*[A-Z\d]|.* [A-Z]|\w+day\b")
"""A key that begins with a name: its first letter stays large."""
_NOT_FOR = re.compile(
    r"(?:from|up|above|below|under|over|less|more|until|after|before|within|at|on|in|outside|elsewhere|abroad|for|with|"
    r"without|by)\b|\d|[£$€]",
    re.I,
)
_SAYS_NOTHING = re.compile(r"contents?|rules?|values?|details?|descriptions?|remarks?|notes?|entry|points?", re.I)
_HAPPENS = re.compile(r"(?:step|stage|event|phase|milestone)s?$", re.I)
"""A first column whose cells are no nouns: "Peer review ends"."""
LONGEST_KEY = 80


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the sentence, the caption it begins with, and its cells as (header, cell)."""

    sentence: str
    caption: str
    cells: tuple[tuple[str, str], ...]


def rows(lines: Sequence[str]) -> tuple[Row, ...]:
    """The rows at the end of `lines`, where all of them share one caption and their first header."""
    found: list[Row] = []
    for line in reversed(lines):
        match = _ROW.match(line.strip())
        cells = _cells(match["cells"]) if match else ()
        if (
            match is None
            or len(cells) < 2
            or (found and (match["caption"], cells[0][0]) != (found[0].caption, found[0].cells[0][0]))
        ):
            break
        found.insert(0, Row(line.strip(), match["caption"].strip(), cells))
    return tuple(found)


def _cells(text: str) -> tuple[tuple[str, str], ...]:
    heads = list(_CELL.finditer(text))
    if not heads or heads[0].start():
        return ()
    ends = [match.start() for match in heads[1:]] + [len(text)]
    return tuple((match[1].strip(), text[match.end() : end].strip()) for match, end in zip(heads, ends, strict=True))


def of_rows(table: Sequence[Row]) -> Iterator[tuple[Asked, str]]:
    """A question for each cell beside the first, with the whole row as its answer."""
    for row in table:
        (name, key), *others = row.cells
        if not 0 < len(key) <= LONGEST_KEY or len(others) > MOST_COLUMNS:
            continue
        caption = plain(row.caption.rstrip("?"))
        what = _key(name, key)
        by_itself = bool(_NOT_FOR.match(what) or _HAPPENS.match(name))
        found = [
            asked
            for header, cell in others
            if re.search(r"\w", cell)
            and (asked := _asked("" if _WH.match(caption) else caption, what, header, cell, by_itself=by_itself))
        ]
        for question in found or [f"{caption}: what applies to {what}?"]:
            yield Asked(question), row.sentence


def _key(name: str, key: str) -> str:
    """What a row is about, as it stands within a sentence: "measles", "grade 3", "first instalment"."""
    small = name if name.isupper() else name.lower()
    if _BARE.fullmatch(key):
        return f"{key} {small}" if is_plural(f"the {small}") else f"{small} {key}"
    if _ORDINAL.fullmatch(key):
        return f"{key.lower()} {small}"
    return key if _LARGE.match(key) else key[0].lower() + key[1:]


def _asked(caption: str, what: str, header: str, cell: str, *, by_itself: bool) -> str:
    """One cell asked for: "Shifts: what is the allowance for night?". `by_itself`: "for" does not go before `what`."""
    said = header if header.isupper() else header[0].lower() + header[1:]
    first, last = said.split()[0], said.split()[-1]
    place = f"{caption}, {what}" if caption else f"{what[0].upper()}{what[1:]}"
    time = _TIME.search(cell) is not None
    if last in _ENDS:
        return f"{place}: {said} {_ENDS[last] or ('how long' if time else 'what')}?"
    if _WH.match(said) or said == "by whom":
        return f"{place}: {said}{' happens' if said == 'what' else ''}?"
    if said in BASE_OF_PARTICIPLE:
        return f"{place}: {said} {'how long' if time or said == 'kept' else 'how'}?"
    if last == "if" or first in ("you", "it", "if", "must", "may"):
        return ""
    if is_somebody(said) and not by_itself and " " not in said:
        return f"{place}: who is the {said}?"
    if is_somebody(said):
        return f"{place}: what applies to {header if re.search('[A-Z]', header[1:]) else said}?"
    if _SAYS_NOTHING.fullmatch(said):
        return f"{place}: what applies?"
    verb = "are" if is_plural(f"the {re.sub(r' an? .*', '', said)}") else "is"
    if by_itself:
        return f"{place}: what {verb} the {said}?"
    return f"{caption}: what {verb} the {said} for {what}?" if caption else f"What {verb} the {said} for {what}?"
