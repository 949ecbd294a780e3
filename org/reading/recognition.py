"""Which column of a chart is which, told by what stands in it: parents are values of another column.

Headings in a language, or of a system, that nobody has written down are no hindrance: the parent is the column whose
values are nearly all those of a column in which nearly every value is another, and that makes a tree; the name is the
most worded one of such columns. Where several would do, a heading that is known decides, then the order of the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from org.reading.cells import clean, given_and_family, known_headers, meant_in_path, name_rank
from org.reading.references import MAIL, NOTHING, bare, spellings, turned_round

_FOUND = 0.7
_HINTED = 0.4
"""The share of the parents that must be found among a column's values, without and with a known heading. Some managers
have left, and are in no row."""
_UNIQUE = 0.6
"""The share of different values in a column that parents may be told by; names may be there twice."""
_REPEATED = 0.05
_SAMPLE = 300
"""Values by which most columns are ruled out."""
_JOINED = 8
"""Columns of words that are looked at for the two parts of a name."""
_ADDRESS = re.compile(r"[@=\\]|://")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Found:
    """What columns are, by their place: `places` of ours by name, and the one that the parents are told by.

    `joined` are the two columns whose values, one after the other, are the names, where no single one has them: they
    stand for one more column behind the last.
    """

    places: Mapping[str, int]
    key: int
    joined: tuple[int, int] | None = None


@dataclass
class _Column:
    place: int
    header: str
    values: list[str]

    @cached_property
    def filled(self) -> list[str]:
        return [value for value in self.values if value]

    @cached_property
    def distinct(self) -> dict[str, None]:
        return dict.fromkeys(self.filled)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The first row of each value, folded, and of a name turned round."""
        found: dict[str, int] = {}
        for row, value in enumerate(self.values):
            if value:
                folded = value.casefold()
                found.setdefault(folded, row)
                if "," in folded and (turned := turned_round(folded)):
                    found.setdefault(turned, row)
        return found

    @cached_property
    def uniqueness(self) -> float:
        return len(self.distinct) / len(self.values) if self.values else 0.0

    @cached_property
    def wordedness(self) -> float:
        """The share of the values that are words as names are."""
        sample = list(self.distinct)[:_SAMPLE]
        return sum(map(_wordedness, sample)) / len(sample) if sample else 0.0


def _wordedness(value: str) -> float:
    """1.0 for words as names are, less for what may as well be a key: with figures, or of one word in small letters."""
    value = bare(value)
    if not _WORD.search(value) or _ADDRESS.search(value):
        return 0.0
    is_key = any(map(str.isdigit, value)) or (" " not in value and value == value.lower() != value.upper())
    return 0.5 if is_key else 1.0


def recognise(
    header: Sequence[str], rows: Sequence[Sequence[str]], settled: Mapping[str, int], guessed: Mapping[str, int]
) -> Found | None:
    """The columns of a table by the values of its rows, None where no column has parents in it. `settled` are the
    places of columns that are told already, -1 for one that is to be left out, `guessed` those by their headings."""
    width, columns = len(header), _columns(header, rows)
    relation = _relation(columns, settled)
    joined = None
    if relation is None and "name" not in settled:
        relation, joined = _joined_relation(columns, settled)
    if relation is None:
        return None
    parent, key = relation
    if "name" not in settled and joined is None:
        joined = given_and_family(header)
    places = {column: place for column, place in settled.items() if place >= 0}
    taken = {*settled.values(), parent.place}
    places["parent"] = parent.place
    if "name" not in settled:
        name = width if joined else _name(columns, key, taken)
        if name is None:
            return None
        places["name"] = name
        taken.add(name)
    for column, place in guessed.items():
        is_free = column not in places and column not in settled and place not in taken
        if is_free and columns[place].filled and not (column == "head" and _same(columns[place], parent, key)):
            places[column] = place
            taken.add(place)
    if "id" not in {*settled, *places} and key.place not in taken:
        places["id"] = key.place
    if "email" not in {*settled, *places}:
        mails = [each.place for each in columns if each.filled and _are_addresses(each) and each is not parent]
        free = [place for place in mails if place not in taken]
        if free:
            places["email"] = free[0]
    return Found(places, key.place, joined)


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[_Column]:
    width = len(header)
    padded = ([*row[:width], *[""] * (width - len(row))] for row in rows)
    cells = zip(*([clean(cell) for cell in row] for row in padded), strict=True)
    return [_Column(place, name, list(values)) for place, (name, values) in enumerate(zip(header, cells, strict=False))]


def are_labels(
    header: Sequence[str], line: Sequence[str], rows: Sequence[Sequence[str]], parent: int, key: int
) -> bool:
    """Whether the row below a header only names its columns once more, as exports do that have keys and labels: its
    parent is nobody, and it is worded as headings are, or other than all that stands below it."""
    cells = [clean(cell) for cell in line[: len(header)]]
    if parent >= len(cells) or key >= len(cells) or not cells[parent] or not cells[key] or len(rows) < 2:
        return False
    below = [clean(row[key]) for row in rows if key < len(row)]
    known = {form for value in below for form in spellings(value)}
    if not known.isdisjoint(spellings(cells[parent])) or any(map(str.isdigit, "".join(cells))):
        return False
    named = [cell for cell, name in zip(cells, header, strict=False) if cell and name]
    if len(set(named)) < len(named) or 2 * len(named) < len(header):
        return False
    with_figures = sum(any(map(str.isdigit, value)) for value in below)
    return known_headers(cells) >= 2 or with_figures == len(below)


def most_worded(header: Sequence[str], rows: Sequence[Sequence[str]], taken: Sequence[int]) -> int | None:
    """The place of the column whose values are names by the looks of them, None for none."""
    columns = _columns(header, rows)
    return _name(columns, columns[0], {*taken}) if columns else None


def share_found(parents: Sequence[str], names: Sequence[Sequence[str]]) -> float:
    """The share of the parents, as far as some hundred tell, that are in one of some columns; 1.0 where no row has
    one."""
    filled = list(dict.fromkeys(parent for parent in parents if parent))[:_SAMPLE]
    known = {
        form
        for column in names
        for value in column
        if value
        for form in (value.casefold(), turned_round(value.casefold()))
    }
    found = sum(">" in parent or not known.isdisjoint(spellings(parent)) for parent in filled)
    return found / len(filled) if filled else 1.0


def _relation(columns: Sequence[_Column], settled: Mapping[str, int]) -> tuple[_Column, _Column] | None:
    """The column of the parents, and that of what they are told by: the pair that makes the best tree."""
    parents = [columns[settled["parent"]]] if settled.get("parent", -1) >= 0 else list(columns)
    others = {place for column, place in settled.items() if column != "parent"}
    pairs: list[tuple[tuple[float, ...], _Column, _Column]] = []
    for key in columns:
        if key.uniqueness < _UNIQUE or len(key.distinct) < 2 or key.place == settled.get("parent"):
            continue
        for parent in parents:
            if parent is key or not parent.filled or parent.place in others:
                continue
            meant = meant_in_path(parent.header)
            hint = 2 if meant == "parent" else 1 if meant == "head" else 0
            least = _HINTED if hint else _FOUND
            if _hits(list(parent.distinct)[:_SAMPLE], key) < min(least, 0.5):
                continue
            quality = _tree_quality(parent, key, least)
            if quality is not None:
                pairs.append(((hint, *quality), parent, key))
    best = max(pairs, key=lambda pair: pair[0], default=None)
    return best and (best[1], best[2])


def _hits(values: Sequence[str], key: _Column) -> float:
    return sum(_row(value, key) >= 0 for value in values) / max(len(values), 1)


def _row(value: str, key: _Column) -> int:
    """The row that a value of another column means by this one, -1 for none."""
    found = key.rows.get(value.casefold(), -1)
    return found if found >= 0 else next((key.rows[form] for form in spellings(value) if form in key.rows), -1)


def _tree_quality(parent: _Column, key: _Column, least: float) -> tuple[float, ...] | None:
    """How well the values of one column, as those of another, make a tree; None where they make none."""
    above = _above(parent, key)
    none = sum(value.casefold() in NOTHING and value.casefold() not in key.rows for value in parent.filled)
    count, filled = len(above), len(parent.filled) - none
    itself = sum(place == row for row, place in enumerate(above))
    found = sum(place >= 0 for place in above)
    if found < least * filled or found - itself < 1 or itself > max(1, _REPEATED * count):
        return None
    if filled < 0.5 * (count - 1):  # most have one above them
        return None
    looped = _looped(above)
    roots = sum(place < 0 or place == row for row, place in enumerate(above))
    tops = count - filled + itself
    if looped > (0.5 * count if least == _HINTED else 0):
        return None
    # One row proves nothing, and figures may happen to be the numbers of others.
    if least == _FOUND and (found < 2 or not tops or filled - found > 0.1 * filled):
        return None
    return (-float(looped > 0), float(roots == 1), found / filled, key.uniqueness, -parent.place, -key.place)


def _above(parent: _Column, key: _Column) -> list[int]:
    """For each row the one that it is under, -1 for none."""
    return [_row(value, key) if value else -1 for value in parent.values]


def _looped(above: Sequence[int]) -> int:
    """How many rows are in a loop, or under one; a row that is above itself alone is in none."""
    state = [0] * len(above)  # 1 on the way, 2 ends at a root, 3 in a loop
    for start in range(len(above)):
        trail = []
        row = start
        while row >= 0 and not state[row]:
            state[row] = 1
            trail.append(row)
            row = -1 if above[row] == row else above[row]
        end = 2 if row < 0 or state[row] == 2 else 3
        for each in trail:
            state[each] = end
    return state.count(3)


def _name(columns: Sequence[_Column], key: _Column, taken: set[int]) -> int | None:
    """The column of the names: what the parents are told by where that is worded, else the most worded of those whose
    values differ."""

    def fitness(column: _Column) -> tuple[float, ...]:
        rank = name_rank(column.header)
        whole = float(column.wordedness > 0.7 and column.uniqueness > _UNIQUE)
        return whole, float(column is key), -float(rank), round(column.uniqueness * column.wordedness, 1), -column.place

    fit = [column for column in columns if column.place not in taken and column.wordedness > 0 and column.filled]
    return max(fit, key=fitness).place if fit else None


def _joined_relation(
    columns: Sequence[_Column], settled: Mapping[str, int]
) -> tuple[tuple[_Column, _Column] | None, tuple[int, int] | None]:
    """The parents, where they are told by the values of two columns, one after the other: first and last names."""
    worded = [each for each in columns if each.wordedness > 0.7 and len(each.filled) == len(each.values)][:_JOINED]
    for parent in columns:
        values = list(parent.distinct)[:_SAMPLE]
        if not values or parent.place in settled.values():
            continue
        for first, last in permutations([each for each in worded if each is not parent], 2):
            if _hits_joined(values, first, last) < _FOUND:
                continue
            names = [f"{one} {other}" for one, other in zip(first.values, last.values, strict=True)]
            key = _Column(len(columns), f"{first.header} + {last.header}", names)
            if _hits(values, key) >= _FOUND and _tree_quality(parent, key, _FOUND) is not None:
                return (parent, key), (first.place, last.place)
    return None, None


def _hits_joined(values: Sequence[str], first: _Column, last: _Column) -> float:
    """The share of the values that begin with one of the one column and end with one of the other."""

    def is_joined(form: str) -> bool:
        words = form.split(" ")
        return any(
            " ".join(words[:cut]) in first.rows and " ".join(words[cut:]) in last.rows for cut in range(1, len(words))
        )

    return sum(any(map(is_joined, spellings(value))) for value in values) / len(values)


def _same(column: _Column, parent: _Column, key: _Column) -> bool:
    """Whether a column names, one way or another, those that are the parents."""
    above, others = _above(parent, key), _above(column, key)
    found = [(one, other) for one, other in zip(above, others, strict=True) if other >= 0]
    return len(found) > 0.5 * len(column.filled) and sum(one == other for one, other in found) > 0.8 * len(found)


def _are_addresses(column: _Column) -> bool:
    sample = list(column.distinct)[:_SAMPLE]
    return sum(MAIL.fullmatch(value) is not None for value in sample) > 0.9 * len(sample)
