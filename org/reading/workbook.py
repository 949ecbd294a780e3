"""The bytes of an XLSX workbook -> the rows of one of its sheets, and rows -> such bytes.

Only the parts that hold cells are opened: macros, links to elsewhere, pictures and everything else stay shut. openpyxl
reads a sheet of 100,000 rows in 11 to 15 seconds, builds an object for every cell, and gives either the formulas or
their results; this reads what a chart needs in one pass.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from io import BytesIO
from itertools import islice
from posixpath import join, normpath
from xml.etree.ElementTree import Element, ParseError, fromstring, iterparse
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from org.chart import ChartError
from org.reading.cells import known_headers
from org.reading.problems import Problem, error, listing, quoted, warning

MAX_PARTS = 5_000
MAX_UNPACKED = 600_000_000
"""Bytes. A sheet of 200,000 full rows has about 120 MB."""
MAX_RATIO = 150
"""Unpacked to packed, in what has more than 20 MB. A million rows without a cell come to about 30."""

_SAVE_AGAIN = "Open it in its spreadsheet program, save it again as .xlsx and upload that."
_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']""")
_DAMAGE = (BadZipFile, zlib.error, struct.error, ParseError, EOFError, OSError, ValueError, LookupError, RuntimeError)
"""What the archive and the XML of a damaged file raise; NotImplementedError is a RuntimeError."""
_BUILT_IN_DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
_LITERAL = re.compile(r'"[^"]*"|\\.|[_*].|\[[^\]]*\]')  # what stands in a number format as it is
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_DAYS_1900 = datetime(1899, 12, 30)
_DAYS_1904 = datetime(1904, 1, 1)
_BEGINNING = 20  # rows that tell a sheet with units from another


@dataclass(frozen=True, slots=True)
class _Listed:
    """One sheet as the workbook lists it."""

    name: str
    is_hidden: bool
    part: str


@dataclass(slots=True)
class _Sheet:
    """What was met on the way through a sheet; whole when its rows have been."""

    formulas: list[str] = field(default_factory=list)
    """The cells whose formula has a result, such as "B7"."""
    unknown: list[str] = field(default_factory=list)
    """The cells whose formula has none."""
    merged: list[tuple[int, int, int]] = field(default_factory=list)
    """Areas of more than one row: first column, first row, last row."""


def read(
    content: bytes, sheet: str, most: int, problems: list[Problem]
) -> tuple[Iterator[tuple[int, list[str]]], tuple[str, ...], str]:
    """The first rows of a sheet with their numbers, the names of the visible sheets, and that of the one read.

    Without a name it is the first visible sheet whose beginning has well-known headers, else the first visible one.
    """
    names: tuple[str, ...] = ()
    try:
        archive = _open(content)
        listed, shared, formats, since_1904 = _contents(archive)
        names = tuple(one.name for one in listed if not one.is_hidden)
        chosen = _choose(archive, listed, sheet, shared)
        found = _Sheet()
        cells = _rows(_part(archive, chosen.part), shared, formats, since_1904, found)
        table = list(islice(cells, most))
    except ChartError as refusal:
        problems.append(error(0, refusal.message, refusal.hint))
        return iter(()), names, ""
    except _DAMAGE as failure:
        message = f"The workbook is damaged and cannot be read ({type(failure).__name__}: {str(failure)[:120]})."
        problems.append(error(0, message, _SAVE_AGAIN))
        return iter(()), names, ""
    by_number = dict(table) if found.merged else {}
    for column, first, last in found.merged:  # the file has the value of an area in its first row only
        value = by_number.get(first, {}).get(column, "")
        for number in range(first + 1, last + 1 if value else 0):
            if number in by_number:
                by_number[number].setdefault(column, value)
    problems += _remarks(archive, listed, chosen, found)
    return ((number, _aligned(row)) for number, row in table), names, chosen.name


def pack(sheets: Mapping[str, Iterable[Sequence[str]]]) -> bytes:
    """A workbook of these sheets, every cell typed as text, so that none is ever run as a formula."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    for title, table in sheets.items():
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for row in table:
            cells = []
            for text in row:
                cell = WriteOnlyCell(sheet, value=re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text) or None)
                if text:
                    cell.data_type = "s"
                cells.append(cell)
            sheet.append(cells)
    packed = BytesIO()
    book.save(packed)
    return packed.getvalue()


def _open(content: bytes) -> ZipFile:
    """The archive, when what it holds is bearable: checked before anything is unpacked."""
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise ChartError("The workbook is in the old .xls format, or has a password.", _SAVE_AGAIN)
    if not content.startswith(b"PK"):
        raise ChartError("The file is named as a workbook but is none.", _SAVE_AGAIN)
    archive = ZipFile(BytesIO(content))
    parts = archive.infolist()
    size = sum(part.file_size for part in parts)
    hint = f"Keep only the sheet with the units. {_SAVE_AGAIN}"
    if len(parts) > MAX_PARTS:
        raise ChartError(f"The workbook has {len(parts):,} parts; {MAX_PARTS:,} are the most.", hint)
    if size > MAX_UNPACKED or sum(part.compress_size for part in parts) > len(content):
        raise ChartError(f"The workbook would unpack to {size / 1e6:,.0f} MB.", hint)
    for part in parts:
        if part.file_size > 20_000_000 and part.file_size > MAX_RATIO * part.compress_size:
            ratio = part.file_size // max(part.compress_size, 1)
            message = f"The workbook is packed {ratio:,} times over, as no sheet is; it was not opened."
            raise ChartError(message, hint)
        if part.flag_bits & 1:
            raise ChartError("The workbook has a password.", "Save it without one and upload that.")
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ChartError("The workbook is packed in an unusual way.", _SAVE_AGAIN)
    if len({part.filename for part in parts}) < len(parts):
        raise ChartError("The workbook has two parts of the same name.", _SAVE_AGAIN)
    return archive


def _part(archive: ZipFile, name: str) -> bytes:
    """A part that is plain XML: in UTF-8, which makes the look for declarations complete, and without any of them."""
    content = archive.read(name)
    declared = _DECLARED.match(content.removeprefix(b"\xef\xbb\xbf"))
    if (declared and declared[1].lower() not in (b"utf-8", b"us-ascii")) or b"\0" in content[:1000]:
        raise ChartError("The workbook has a part that is no XML in UTF-8.", _SAVE_AGAIN)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ChartError("The workbook declares XML entities, which no spreadsheet does; it was not read.", _SAVE_AGAIN)
    return content


def _tree(xml: bytes) -> Element:
    return fromstring(xml)  # noqa: S314 - `_part` lets through what declares nothing


def _contents(archive: ZipFile) -> tuple[list[_Listed], list[str], dict[int, int], bool]:
    """The sheets in their order, the shared strings, the formats of numbers, and whether days count from 1904."""
    names = set(archive.namelist())
    if "[Content_Types].xml" not in names or not any(name.endswith("workbook.xml") for name in names):
        if any(name.endswith("workbook.bin") for name in names):
            raise ChartError("The workbook is in the binary .xlsb format.", _SAVE_AGAIN)
        raise ChartError("The file is an archive without an XLSX workbook in it.", _SAVE_AGAIN)
    main = next(iter(_related(archive, "").values()))
    book = _tree(_part(archive, main))
    related = _related(archive, main)
    properties = book.find("{*}workbookPr")
    since_1904 = properties is not None and properties.get("date1904", "0") in ("1", "true")
    listed = []
    for sheet in book.iterfind("{*}sheets/{*}sheet"):
        key = next((value for name, value in sheet.items() if name.endswith("}id")), "")
        if key in related and related[key] in names:
            listed.append(_Listed(sheet.get("name", ""), sheet.get("state", "visible") != "visible", related[key]))
    if not listed:
        raise ChartError("The workbook has no sheet with cells.", _SAVE_AGAIN)
    at = {part.rpartition("/")[2].lower(): part for part in related.values() if part in names}
    shared = _strings(_part(archive, at["sharedstrings.xml"])) if "sharedstrings.xml" in at else []
    formats = _formats(_tree(_part(archive, at["styles.xml"]))) if "styles.xml" in at else {}
    return listed, shared, formats, since_1904


def _related(archive: ZipFile, part: str) -> Mapping[str, str]:
    """The parts inside the workbook that a part refers to, by the key of the reference; the main one for ""."""
    folder, _, name = part.rpartition("/")
    found = {}
    for reference in _tree(_part(archive, join(folder, "_rels", f"{name}.rels"))):
        target, kind = reference.get("Target", ""), reference.get("Type", "").rpartition("/")[2]
        wanted = ("worksheet", "sharedStrings", "styles") if part else ("officeDocument",)
        if kind in wanted and reference.get("TargetMode") != "External":
            found[reference.get("Id", "")] = normpath(join(folder, target) if target[:1] != "/" else target[1:])
    if not found:
        raise ChartError("The workbook does not say where its sheets are.", _SAVE_AGAIN)
    return found


def _formats(styles: Element) -> dict[int, int]:
    """The places among the cell styles of those that show a number as a date or a time, with 0, and of those that fill
    it up with zeros ("0000"), with how many digits it then has at least.
    """
    codes = {
        int(custom.get("numFmtId", 0)): _LITERAL.sub("", custom.get("formatCode", "").split(";")[0])
        for custom in styles.iterfind("{*}numFmts/{*}numFmt")
    }
    formats = {number: len(code) for number, code in codes.items() if re.fullmatch("00+", code)}
    formats |= {number: 0 for number, code in codes.items() if re.search("[dmyhsDMYHS]", code)}
    formats |= dict.fromkeys(_BUILT_IN_DATES, 0)
    shown = [int(style.get("numFmtId", 0)) for style in styles.iterfind("{*}cellXfs/{*}xf")]
    return {place: formats[number] for place, number in enumerate(shown) if number in formats}


def _choose(archive: ZipFile, listed: list[_Listed], name: str, shared: Sequence[str]) -> _Listed:
    if name:
        chosen = next((one for one in listed if one.name == name), None)
        if chosen is None:
            there = listing([quoted(one.name, 40) for one in listed])
            raise ChartError(f"The workbook has no sheet {quoted(name)}.", f"It has {there}.")
        return chosen
    visible = [one for one in listed if not one.is_hidden] or listed
    if len(visible) == 1:
        return visible[0]

    def has_units(one: _Listed) -> bool:
        beginning = islice(_rows(_part(archive, one.part), shared, {}, False, _Sheet()), _BEGINNING)
        return any(known_headers(_aligned(cells)) > 10 for _, cells in beginning)

    return max(visible[:20], key=has_units)


def _aligned(cells: Mapping[int, str]) -> list[str]:
    width = max(cells) + 1
    return [cells.get(column, "") for column in range(width)]


def _remarks(archive: ZipFile, listed: list[_Listed], chosen: _Listed, sheet: _Sheet) -> Iterator[Problem]:
    """What a person should know about how the workbook was read."""
    for cell in sheet.unknown:
        message = f"The formula in {cell} has no result in the file."
        hint = "Open the workbook in its spreadsheet program and save it, or put a text in place of the formula."
        yield error(_row(cell), message, hint)
    if sheet.formulas:
        message = f"{len(sheet.formulas):,} cells hold formulas ({listing(sheet.formulas)}); their results were read."
        yield warning(_row(sheet.formulas[0]), message, "Check that the workbook was saved after its last change.")
    if sheet.merged:
        message = f"{len(sheet.merged):,} merged areas: the value of each was read in every one of its rows."
        yield warning(sheet.merged[0][1], message, "Check that it belongs to all of them.")
    hidden = [one.name for one in listed if one.is_hidden and one is not chosen]
    if hidden:
        names = listing([quoted(name, 40) for name in hidden])
        yield warning(0, f"Hidden sheets were left aside: {names}.", "Show the sheet if the units are in it.")
    elif chosen.is_hidden:
        yield warning(0, f"The sheet {quoted(chosen.name, 40)} is hidden.", "Check that it is the one to read.")
    if any(name.lower().endswith("vbaproject.bin") for name in archive.namelist()):
        yield warning(0, "The macros in the workbook were left aside.", "Nothing to do; no macro is ever run.")


def _row(cell: str) -> int:
    return int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def _strings(xml: bytes) -> list[str]:
    """The shared strings of a workbook in their order."""
    found = []
    for _, element in iterparse(BytesIO(xml)):  # noqa: S314
        if element.tag[-3:] == "}si":
            found.append(_text(element))
            element.clear()
    return found


def _rows(
    xml: bytes, shared: Sequence[str], formats: Mapping[int, int], since_1904: bool, sheet: _Sheet
) -> Iterator[tuple[int, dict[int, str]]]:
    """Each row that has a cell which is not empty: its number, and the cells by their column from 0. `formats` has the
    styles of the cells that show a number as something else: 0 for a date, else how many digits it is filled up to.

    Whoever calls has seen to it that the XML declares nothing. The ends of tags are compared, for the namespace
    differs between the two kinds of the format; a million tags go by here, so they are not cut first.
    """
    number = 0
    for _, element in iterparse(BytesIO(xml)):  # noqa: S314
        tag = element.tag
        if tag[-4:] == "}row":
            number = int(element.get("r", number + 1))
            cells: dict[int, str] = {}
            column = -1
            for cell in element:
                reference = _REFERENCE.match(cell.get("r", ""))
                column = _column(reference[1]) if reference else column + 1
                value = _value(cell, shared, formats, since_1904)
                if value:
                    cells[column] = value
                if (len(cell) > 1 or not value) and any(child.tag[-2:] == "}f" for child in cell):
                    is_known = value or cell.get("t") == "str"
                    (sheet.formulas if is_known else sheet.unknown).append(f"{_letters(column)}{number}")
            element.clear()
            if cells:
                yield number, cells
        elif tag[-10:] == "}mergeCell" and (area := _RANGE.fullmatch(element.get("ref", ""))):
            first, last = int(area[2]), int(area[4])
            if first < last:
                sheet.merged.append((_column(area[1]), first, last))


def _value(cell: Element, shared: Sequence[str], formats: Mapping[int, int], since_1904: bool) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _text(cell[0]) if len(cell) == 1 else _text(cell)
    value = next((child.text for child in cell if child.tag[-2:] == "}v"), None)
    if not value:
        return ""
    if kind == "s":
        return shared[int(value)]
    if kind == "b":
        return "TRUE" if value == "1" else "FALSE"
    if kind == "n":
        digits = formats.get(int(cell.get("s", 0)))
        if digits == 0:
            return _date(float(value), since_1904)
        if not value.isdecimal() or len(value) > 15:  # as a cell shows it: 7.0 is 7, and 0.1 + 0.2 is 0.3
            number = float(value)
            value = str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.15g}"
        return value.zfill(digits) if digits and value.isdecimal() else value
    if kind == "d":
        return value.removesuffix("T00:00:00")
    return _unescaped(value)


def _text(element: Element) -> str:
    """The text of a string with its runs joined, without the reading aid that some scripts carry above the line."""
    if len(element) == 1 and element[0].tag[-2:] == "}t":
        return _unescaped(element[0].text or "")
    texts = []
    for child in element:
        if child.tag[-2:] == "}t":
            texts.append(child.text or "")
        elif child.tag[-2:] == "}r" or child.tag[-3:] == "}is":
            texts.append(_text(child))
    return _unescaped("".join(texts))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


def _date(days: float, since_1904: bool) -> str:
    """A day as 2026-11-20, with the time of day when there is one; the number itself when it is no day."""
    try:
        moment = (_DAYS_1904 if since_1904 else _DAYS_1900) + timedelta(seconds=round(days * 86_400))
    except (OverflowError, ValueError):
        return f"{days:.15g}"
    if 0 <= days < 1:
        return moment.strftime("%H:%M")
    return moment.strftime("%Y-%m-%d" if days.is_integer() else "%Y-%m-%d %H:%M")


@cache
def _column(letters: str) -> int:
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - 64
    return place - 1


def _letters(column: int) -> str:
    return _letters(column // 26 - 1) + chr(65 + column % 26) if column >= 0 else ""
