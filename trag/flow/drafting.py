"""Drafts of procedures, found in what an organization has written: the numbered lists of its sections.

passages of a document -> the lines of its sections -> lists numbered in order -> procedures whose steps take no action

What a list looks like tells, in any language; nothing drafted is used before an admin has looked at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import NamedTuple
from unicodedata import east_asian_width

from org.procedures.actions import Source
from org.procedures.flows import Book, Procedure, Step
from org.procedures.reading import MAX_TEXT, MAX_TITLE, is_section
from store.passage import Passage
from trag.ingest.passages import lines_of

FEWEST, MOST = 3, 30
"""Steps of a procedure."""
_LENGTH = 120
"""Characters of a step in the mean, above which a list holds clauses of a regulation. Chosen on six organizations of
bench/flows/drafts.jsonl: of 21 procedures 20 are left, of 60 other lists 11. No model does better (docs/RESULTS.md). A
wide character says as much as three others."""
_LINES = 20
"""Lines of one step at most, with those of a list inside it."""


def _numerals(tens: Sequence[str], ones: Sequence[str]) -> dict[str, int]:
    """The numbers from 1 to 39 by what they look like."""
    return {ten + one: 10 * at + of for at, ten in enumerate(tens) for of, one in enumerate(ones) if ten + one}


_NUMERALS = (
    _numerals(("", "x", "xx", "xxx"), ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")),
    _numerals(("", "十", "二十", "三十"), ("", *"一二三四五六七八九")),
    *(
        {letter: place for place, letter in enumerate(letters, 1)}
        for letters in (
            *("abcdefghijklmnopqrstuvwxyz", "αβγδεζηθικλμνξοπρστυφχψω", "абвгдежзиклмнопрстуфхцчшщэюя"),
            *("אבגדהוזחטיכלמנסעפצקרשת", "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ", "甲乙丙丁戊己庚辛壬癸"),
            "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
        )
    ),
)
_MARK = re.compile(
    r"(?P<indent>\s*)(?:(?P<open>[(\[（【]?)(?P<number>\w{1,5})(?P<close>[.)\]](?=\s)|[、．）】])"
    r"|(?P<circled>[①-⑳])|-(?=\s))\s*(?P<text>\S.*)"
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？؟।])\s*")
_NUMBER = re.compile(r"^(?:§\s*)?\d+(?:\.\d+)*[.):]?\s+")
_NOT_OF_AN_ID = re.compile(r"[^\w.-]+")
_LONGEST_ID = 70


@dataclass(frozen=True, slots=True)
class Draft:
    """A procedure as a document has it, and the id of the passage in which it begins."""

    procedure: Procedure
    passage: str


class _Line(NamedTuple):
    """A line of a section: its words, whether it is an item and how far indented, and the number that it begins with,
    by each way of numbering that this may be ("i." is the first of one and the ninth of another)."""

    text: str
    item: bool
    indent: int
    numbers: dict[str, int]


def drafts(document: str, passages: Iterable[Passage]) -> Iterator[Draft]:
    """The procedures that the sections of a document seem to hold, in its order. Their ids are of their titles, and
    may come twice."""
    written = (passage for passage in passages if passage.kind == "section")
    for path, group in groupby(written, key=lambda passage: passage.section):
        of = [*group]
        heading = path.split(" > ")[-1]
        named = _NUMBER.sub("", heading) if any(map(str.isalpha, heading)) else ""
        for above, steps in _lists(lines_of(of)):
            if not _are_steps(steps):
                continue
            title = (named or above or steps[0])[:MAX_TITLE]
            procedure = Procedure(
                id=_NOT_OF_AN_ID.sub("-", title.casefold()).strip("-")[:_LONGEST_ID] or "procedure",
                title=title,
                when=above[:MAX_TEXT],
                steps=tuple(map(Step, steps)),
                source=Source(document, heading),
            )
            begins = next((passage for passage in of if steps[0][:_LENGTH] in passage.text), of[0])
            yield Draft(procedure, begins.id)


def unwritten(found: Iterable[Draft], book: Book | None) -> Iterator[Draft]:
    """Those drafts in whose section no procedure of the book stands."""
    sources = [one.source for one in book.procedures.values()] if book else []
    for draft in found:
        document, heading = draft.procedure.source.document, draft.procedure.source.section
        if not any(each.document == document and is_section(each.section, heading) for each in sources):
            yield draft


def with_drafts(book: Book | None, chosen: Iterable[Procedure]) -> Book:
    """The book with these procedures behind its own, each with an id that no other has."""
    procedures = [*book.procedures.values()] if book else []
    ids = {one.id.casefold() for one in procedures}
    for one in chosen:
        id, number = one.id, 1
        while id.casefold() in ids:
            number += 1
            id = f"{one.id}-{number}"
        ids.add(id.casefold())
        procedures.append(replace(one, id=id))
    if book is None:
        return Book.of((), procedures)
    return Book.of(book.actions.values(), procedures, book.tables.values(), book.triggers.values())


def _are_steps(steps: Sequence[str]) -> bool:
    """Whether the items of a list can be steps: no clauses, none too long for a step, and not mostly ending in a figure
    as a table of contents or a list of prices does."""
    size = sum(3 if east_asian_width(sign) in "WF" else 1 for step in steps for sign in step)
    figures = sum(step[-1].isdigit() for step in steps)
    return size <= _LENGTH * len(steps) and 2 * figures < len(steps) and max(map(len, steps)) <= MAX_TEXT


def _lists(texts: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The numbered lists among lines, each with the sentence above it, "" where that is no paragraph of one line."""
    lines = [*map(_line, texts)]
    at = 0
    while at < len(lines):
        steps, end = _list(lines, at)
        if FEWEST <= len(steps) <= MOST:
            yield _above(lines[:at]), steps
        at = end if len(steps) >= FEWEST else at + 1


def _line(text: str) -> _Line:
    mark = _MARK.fullmatch(text)
    number = (mark["circled"] or mark["number"] or "") if mark else ""
    numbers = {"1": int(number)} if number.isdecimal() else {}  # of any script
    for names in _NUMERALS:
        if number.casefold() in names:
            numbers[f"{next(iter(names))}{number.isupper()}"] = names[number.casefold()]
    if not mark or (number and not numbers):
        return _Line(text.strip(), False, 0, {})
    signs = f"{mark['open'] or ''}{mark['close'] or ''}"
    return _Line(mark["text"].strip(), True, len(mark["indent"]), {kind + signs: at for kind, at in numbers.items()})


def _list(lines: Sequence[_Line], at: int) -> tuple[tuple[str, ...], int]:
    """The items of the list that begins at a line, () where none does, and the line behind it. What stands between two
    items is part of the first, and ends the list where it is a table."""
    first = lines[at]
    styles = {style for style, number in first.numbers.items() if number == 1}
    if not styles:
        return (), at
    steps, more, end = [[first]], list[_Line](), at + 1
    for place in range(at + 1, len(lines)):
        line = lines[place]
        beside = styles & line.numbers.keys() if line.indent == first.indent else set()
        fitting = {style for style in beside if line.numbers[style] == len(steps) + 1}
        table = all(each.text and not each.item for each in lines[place : place + 2]) and place + 1 < len(lines)
        if fitting:
            steps[-1] += more
            steps.append([line])
            styles, more, end = fitting, [], place + 1
        elif beside or table or len(steps[-1]) + len(more) >= _LINES:
            break
        elif line.text:
            more.append(line)
    inside = [*takewhile(lambda each: each.item and (each.indent > first.indent or not each.numbers), lines[end:])]
    steps[-1] += inside[:_LINES]
    return tuple(map(_words, steps)), end + len(inside)


def _words(lines: Sequence[_Line]) -> str:
    text = lines[0].text
    for line in lines[1:]:
        text += f"{';' if line.item and text[-1].isalnum() else ''} {line.text}"
    return text


def _above(lines: Sequence[_Line]) -> str:
    above = [*takewhile(lambda line: line.text, reversed(lines[:-1] if lines and not lines[-1].text else lines))]
    alone = len(above) == 1 and not above[0].item
    return _SENTENCES.split(above[0].text)[-1].rstrip(":：") if alone else ""
