"""XLSX workbooks: as people make them, and as nobody should."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from org.reading.charts import Report, check
from org.reading.table import read
from org.reading.workbook import pack

Make = Callable[[Worksheet], None]
Changes = dict[str, Callable[[str], str] | bytes]


def book(make: Make, name: str = "Units") -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = name
    make(sheet)
    return saved(workbook)


def saved(workbook: openpyxl.Workbook) -> bytes:
    content = io.BytesIO()
    workbook.save(content)
    return content.getvalue()


def rows(*table: tuple[object, ...]) -> Make:
    def make(sheet: Worksheet) -> None:
        for row in table:
            sheet.append(row)

    return make


def changed(content: bytes, changes: Changes) -> bytes:
    """The workbook with some parts changed or added."""
    packed = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as old, ZipFile(packed, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            change = changes.get(name)
            part = old.read(name)
            new.writestr(name, change(part.decode()).encode() if callable(change) else change or part)
        for name in changes.keys() - set(old.namelist()):
            part = changes[name]
            assert isinstance(part, bytes)
            new.writestr(name, part)
    return packed.getvalue()


def report_on(content: bytes, sheet: str = "") -> Report:
    return check(content, "chart.xlsx", sheet=sheet)


def names(report: Report) -> list[str]:
    assert report.chart is not None, report.problems
    return [unit.name for unit in report.chart.units.values()]


SHEET = "xl/worksheets/sheet1.xml"
PLAIN = book(rows(("name", "parent"), ("Top", None), ("Low", "Top")))


def test_cells_read_as_a_person_sees_them() -> None:
    cells: dict[str, tuple[object, str]] = {
        "count": (12, "12"),
        "share": (0.1 + 0.2, "0.3"),
        "large": (1e21, "1e+21"),
        "since": (date(2024, 5, 1), "2024-05-01"),
        "at": (datetime(2024, 5, 1, 9, 30), "2024-05-01 09:30"),
        "open": (True, "TRUE"),
        "note": ("two\nlines", "two lines"),
        "left": ("  spaced  ", "spaced"),
    }
    values = (value for value, _ in cells.values())
    report = report_on(book(rows(("name", "parent", "code", *cells), (2024, None, 7.0, *values))))
    assert report.chart is not None, report.problems
    root = report.chart.root
    assert (root.name, root.code) == ("2024", "7")
    assert dict(root.attributes) == {name: shown for name, (_, shown) in cells.items()}


@pytest.mark.parametrize(
    ("number", "form", "shown"), [(7, "0000", "0007"), (12345, "0000", "12345"), (7, "0", "7"), (7.5, "0000", "7.5")]
)
def test_a_number_that_is_filled_up_with_zeros_keeps_them(number: float, form: str, shown: str) -> None:
    def make(sheet: Worksheet) -> None:
        rows(("name", "parent", "code"), ("Top", None, number))(sheet)
        sheet["C2"].number_format = form

    report = report_on(book(make))
    assert report.chart is not None, report.problems
    assert report.chart.root.code == shown


def test_shared_strings_rich_text_and_escapes() -> None:
    strings = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>name</t></si><si><t>parent</t></si>'
        "<si><r><t>Health </t></r><r><t>Division</t></r><rPh><t>ヘルス</t></rPh></si>"
        "<si><t>a_x000D_b_x005F_x0041_</t></si></sst>"
    )
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c t="s"><v>2</v></c></row>'
        '<row r="9"><c r="A9" t="s"><v>3</v></c><c r="B9" t="s"><v>2</v></c></row></sheetData></worksheet>'
    )
    relation = '<Relationship Id="rId9" Type="http://x/relationships/sharedStrings" Target="sharedStrings.xml"/>'
    parts: Changes = {
        "xl/sharedStrings.xml": strings.encode(),
        "xl/_rels/workbook.xml.rels": lambda xml: xml.replace("</Relationships>", f"{relation}</Relationships>"),
        SHEET: sheet.encode(),
    }
    report = report_on(changed(PLAIN, parts))
    assert names(report) == ["Health Division", "a b_x0041_"]


def test_a_sheet_is_chosen_by_its_headers_or_by_name() -> None:
    workbook = openpyxl.Workbook()
    cover = workbook.active
    assert cover is not None
    cover.title = "Cover"
    cover.append(("Our chart",))
    units = workbook.create_sheet("Units 2026")
    rows(("Unit", "Reports to"), ("Top", None))(units)
    rows(("name", "parent"), ("Old", None))(workbook.create_sheet("Units 2025"))
    hidden = workbook.create_sheet("Lists")
    rows(("name", "parent"), ("Hidden", None))(hidden)
    hidden.sheet_state = "hidden"
    content = saved(workbook)
    report = report_on(content)
    assert (report.sheet, report.sheets, names(report)) == (
        "Units 2026",
        ("Cover", "Units 2026", "Units 2025"),
        ["Top"],
    )
    assert 'Hidden sheets were left aside: "Lists".' in [problem.message for problem in report.problems]
    assert names(report_on(content, "Units 2025")) == ["Old"]
    assert names(report_on(content, "Lists")) == ["Hidden"]
    refused = report_on(content, "Units 2024")
    assert refused.problems[0].message == 'The workbook has no sheet "Units 2024".'
    assert refused.sheets == report.sheets


def test_merged_cells_count_for_each_of_their_rows() -> None:
    def make(sheet: Worksheet) -> None:
        rows(("Chart of 2026",), ("name", "parent"), ("Top", None), ("A", "Top"), ("B", None), ("C", None))(sheet)
        sheet.merge_cells("A1:B1")
        sheet.merge_cells("B4:B6")

    report = report_on(book(make))
    assert report.chart is not None, report.problems
    assert [unit.name for unit in report.chart.children(report.chart.root.id)] == ["A", "B", "C"]
    assert any(problem.row == 4 and "1 merged areas" in problem.message for problem in report.problems)


def test_formulas_give_their_results_and_are_told() -> None:
    content = book(rows(("name", "parent"), ("Top", None), ('="A"&1', "=A2")))
    unknown = report_on(content)
    assert [(problem.row, problem.message) for problem in unknown.problems if problem.severity == "error"][:2] == [
        (3, "The formula in A3 has no result in the file."),
        (3, "The formula in B3 has no result in the file."),
    ]
    no_value = changed(content, {SHEET: lambda xml: xml.replace("<v/>", "").replace("<v></v>", "")})
    assert report_on(no_value).problems == unknown.problems
    known = changed(
        content,
        {
            SHEET: lambda xml: (
                re.sub('r="[AB]3"', r'\g<0> t="str"', xml.replace("<v></v>", "<v/>"))
                .replace('A"&amp;1</f><v/>', 'A"&amp;1</f><v>A1</v>')
                .replace("A2</f><v/>", "A2</f><v>Top</v>")
            )
        },
    )
    report = report_on(known)
    assert names(report) == ["Top", "A1"]
    assert report.problems[0].message == "2 cells hold formulas (A3, B3); their results were read."


def test_a_failed_formula_is_an_error_where_it_matters() -> None:
    report = report_on(book(rows(("name", "parent", "n"), ("Top", None, "#N/A"), ("A", "#REF!", None))))
    assert [(problem.row, problem.severity) for problem in report.problems if "failed" in problem.message] == [
        (3, "error"),
        (2, "warning"),
    ]


def test_macros_and_links_to_elsewhere_are_left_aside() -> None:
    elsewhere = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" TargetMode="External" '
        'Target="http://example.org/sheet.xml"/>'
    )
    content = changed(
        PLAIN,
        {
            "xl/vbaProject.bin": b"\0macro",
            "xl/externalLinks/externalLink1.xml": b"<!DOCTYPE x>",
            "xl/_rels/workbook.xml.rels": lambda xml: elsewhere + xml.partition('relationships">')[2],
        },
    )
    report = check(content, "chart.xlsm")
    assert names(report) == ["Top", "Low"]
    assert [problem.message for problem in report.problems] == ["The macros in the workbook were left aside."]


def bomb(part: bytes, copies: int = 1) -> bytes:
    """A workbook whose parts unpack to much more than they are."""
    return changed(PLAIN, {f"xl/media/{copy}.xml": part for copy in range(copies)})


def lying(content: bytes, told: int) -> bytes:
    """The workbook with another size of its first sheet told, in both places."""
    with ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo(SHEET).file_size
    return content.replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"))


def in_ebcdic(xml: str) -> str:
    return xml.replace("<worksheet", "<?xml version='1.0' encoding='cp037'?><worksheet", 1)


def entities(xml: str) -> str:
    head, _, body = xml.partition("<worksheet")
    return f'{head}<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet{body}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda: bomb(bytes(30_000_000)), "packed"),
        (lambda: bomb(b"x", 6_000), "parts; 5,000 are the most"),
        (lambda: lying(PLAIN, 700_000_000), "would unpack to 700 MB"),
        (lambda: lying(PLAIN, 10), "damaged"),
        (lambda: changed(PLAIN, {SHEET: entities}), "declares XML entities"),
        (lambda: changed(PLAIN, {"xl/workbook.xml": lambda xml: f"<!DOCTYPE a>{xml}"}), "XML"),
        (lambda: changed(PLAIN, {SHEET: in_ebcdic}), "no XML in UTF-8"),
        (lambda: changed(PLAIN, {SHEET: PLAIN}), "XML"),
        (lambda: changed(PLAIN, {SHEET: "<worksheet/>".encode("utf-16")}), "no XML in UTF-8"),
        (lambda: changed(PLAIN, {SHEET: lambda xml: xml[:-20]}), "damaged"),
        (lambda: changed(PLAIN, {"xl/workbook.xml": b"<workbook/>"}), "no sheet with cells"),
        (lambda: changed(PLAIN, {"xl/_rels/workbook.xml.rels": b"<a/>"}), "does not say where its sheets are"),
        (lambda: PLAIN[:-30], "damaged"),
        (lambda: PLAIN[: len(PLAIN) // 2], "damaged"),
        (lambda: zipped({"word/document.xml": b"<a/>"}), "an archive without an XLSX workbook"),
        (lambda: zipped({"[Content_Types].xml": b"<a/>", "xl/workbook.bin": b"x"}), ".xlsb"),
        (lambda: encrypted({"xl/workbook.xml": b"<a/>"}), "password"),
    ],
    ids=[
        "ratio", "parts", "size", "lying", "entities", "doctype", "encoding", "zip in zip", "utf-16", "cut xml",
        "no sheets", "no relations", "no directory", "half", "word", "binary", "encrypted",
    ],
)  # fmt: skip
def test_a_workbook_that_nobody_should_make_is_refused(content: Callable[[], bytes], message: str) -> None:
    made = content()
    started = time.process_time()
    report = report_on(made)
    assert time.process_time() - started < 1
    assert report.chart is None
    assert message in report.problems[0].message, report.problems
    assert report.problems[0].hint


def zipped(parts: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return packed.getvalue()


def encrypted(parts: dict[str, bytes]) -> bytes:
    content = bytearray(zipped(parts))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("row", ['<row r="{0}"/>', '<row r="{0}"><c r="A{0}" s="1"/><c r="B{0}" s="1"/></row>'])
def test_a_million_empty_rows_are_no_units(row: str) -> None:
    empty = "".join(row.format(number) for number in range(4, 1_048_577))
    content = changed(PLAIN, {SHEET: lambda xml: xml.replace("</sheetData>", f"{empty}</sheetData>")})
    started = time.process_time()
    assert names(report_on(content)) == ["Top", "Low"]
    assert time.process_time() - started < 30


@pytest.mark.slow
def test_a_large_sheet_reads_as_openpyxl_reads_it() -> None:
    table = [[f"cell {row} {column}" if (row + column) % 3 else "" for column in range(30)] for row in range(2_000)]
    content = pack({"Units": [["name", "parent", *map(str, range(28))], *table]})
    sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0]
    theirs = [tuple(cell or "" for cell in row) for row in sheet.iter_rows(values_only=True)]
    assert [" ".join(line.cells).rstrip() for line in read(content, "a.xlsx").lines] == [
        " ".join(row).rstrip() for row in theirs
    ]
