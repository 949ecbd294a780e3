import datetime
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.table import Table

from tests.trag.ingest.made import picture, workbook
from trag.ingest import reading
from trag.ingest.parse import parse
from trag.ingest.parse.sheets import ROWS
from trag.ingest.passages import sections
from trag.ingest.reading import Block, Reading
from trag.sandbox import Limits


def filled(sheet: Any, *rows: tuple[Any, ...]) -> Any:
    for row in rows:
        sheet.append(row)
    return sheet


def read(build: Callable[[Any], Any]) -> Reading:
    return parse(workbook(build), ".xlsx")


def edited(content: bytes, entry: str, old: str, new: str) -> bytes:
    """The same workbook with a piece of one entry's XML replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
        for each in before.infolist():
            data = before.read(each)
            if each.filename == entry:
                assert re.search(old, data.decode()), data
                data = re.sub(old, new, data.decode()).encode()
            after.writestr(each, data)
    return file.getvalue()


LIMITS = (("Post", "Limit"), ("Director", 50000), ("Head", 10000))


def test_each_sheet_is_a_section_and_each_row_a_sentence() -> None:
    def build(book: Any) -> None:
        filled(book.active, *LIMITS).title = "Limits"
        filled(book.create_sheet("Fees"), ("Class", "Fee"), ("Child", 2.5))

    found = sections(read(build).blocks, "book")
    assert [(section.path, section.text) for section in found] == [
        ("Limits", "Limits – Post: Director; Limit: 50000.\nLimits – Post: Head; Limit: 10000."),
        ("Fees", "Fees – Class: Child; Fee: 2.5."),
    ]


def test_values_are_written_as_they_show() -> None:
    values = (
        (50000, "#,##0", "50,000"),
        (50000.5, '#,##0.00 "EUR"', "50,000.50 EUR"),
        (1234, "#,##0 [$LMD-409]", "1,234 LMD"),
        (0.125, "0.0%", "12.5%"),
        (0.1 + 0.2, "General", "0.3"),
        (3.0, "General", "3"),
        (datetime.date(2026, 3, 1), "yyyy-mm-dd", "2026-03-01"),
        (datetime.datetime(2026, 3, 1, 9, 30), "yyyy-mm-dd hh:mm", "2026-03-01 09:30"),
        (True, "General", "yes"),
        (" text ", "General", "text"),
    )

    def build(book: Any) -> None:
        filled(book.active, ("What", "Value"))
        for number, (value, form, _) in enumerate(values, 2):
            book.active.cell(number, 1, f"row {number}")
            book.active.cell(number, 2, value).number_format = form

    assert [row[1] for row in read(build).blocks[0].rows[1:]] == [shown for *_, shown in values]


def test_titles_merged_cells_and_bold_headers_are_understood() -> None:
    def build(book: Any) -> None:
        rows = (
            ("Limits in LMD", None, None),
            ("Post", "Limit", None),
            (None, 2025, 2026),
            ("Director", 50, 60),
            ("Field", None, None),
            ("Head", 10, 12),
        )
        sheet = filled(book.active, *rows)
        for area in ("A1:C1", "B2:C2", "A2:A3", "A5:C5"):
            sheet.merge_cells(area)
        for cell in (*sheet[2], *sheet[3]):
            cell.font = Font(bold=True)

    assert read(build).blocks == (
        Block(
            "table",
            "Limits in LMD",
            rows=(
                ("", "Post", "Limit 2025", "Limit 2026"),
                ("", "Director", "50", "60"),
                ("Field", "Head", "10", "12"),
            ),
        ),
    )


def test_what_is_hidden_is_left_out_and_said() -> None:
    def build(book: Any) -> None:
        sheet = filled(book.active, ("Post", "Salary", "Limit"), ("Head", 7, 10), ("Ghost", 8, 9))
        sheet.title = "Limits"
        sheet.column_dimensions["B"].hidden = True
        sheet.row_dimensions[3].hidden = True
        for name, state in (("Salaries", "hidden"), ("Secret", "veryHidden")):
            filled(book.create_sheet(name), ("Name", "Pay"), ("Ana", 1)).sheet_state = state

    reading = read(build)
    assert reading.blocks[1:] == (Block("table", rows=(("Post", "Limit"), ("Head", "10"))),)
    assert reading.notes == (
        "1 hidden row in sheet Limits left out",
        "1 hidden column in sheet Limits left out",
        "hidden sheets Salaries, Secret left out",
    )


def test_a_note_is_no_way_to_deceive() -> None:
    def build(book: Any) -> None:
        filled(book.active, *LIMITS)
        book.create_sheet("a\u202eb\nc").sheet_state = "hidden"

    assert read(build).notes == ("hidden sheet ab c left out",)


def test_a_formula_is_read_by_the_value_stored_with_it_and_missed_without() -> None:
    content = workbook(
        lambda book: filled(book.active, ("Post", "Limit", "Sum"), ("Head", 10, "=B2*2"), ("Clerk", 5, "=B3"))
    )
    stored = edited(content, "xl/worksheets/sheet1.xml", r"<f>B2\*2</f><v ?/?>(</v>)?", "<f>B2*2</f><v>20</v>")
    reading = parse(stored, ".xlsx")
    assert reading.blocks[0].rows[1:] == (("Head", "10", "20"), ("Clerk", "5", ""))
    assert reading.notes == ("1 formula in sheet Sheet without a stored value: save the file once in Excel",)


def test_errors_are_left_out_and_said() -> None:
    reading = read(lambda book: filled(book.active, ("Post", "Limit"), ("Head", "#REF!"), ("Clerk", 5)))
    assert reading.blocks[0].rows[1:] == (("Head", ""), ("Clerk", "5"))
    assert reading.notes == ("1 cell with an error in sheet Sheet left out",)


def test_a_cell_far_away_costs_nothing() -> None:
    def build(book: Any) -> None:
        filled(book.active, *LIMITS)
        book.active["XFD1048576"] = "far"

    reading = read(build)
    assert reading.blocks[0].rows[1] == ("Director", "50000")
    assert reading.notes == (f"only the first {ROWS:,} rows of sheet Sheet read",)


def test_pictures_are_said_with_their_sheets() -> None:
    def build(book: Any) -> None:
        first, other, last = book.active, book.create_sheet("Travel"), book.create_sheet("Old")
        for sheet in (first, other, last):
            filled(sheet, *LIMITS)
            sheet.add_image(Image(picture()), "E1")
        first.title = "Limits"
        for _ in range(2):
            other.add_image(Image(picture(300)), "F5")
        last.add_image(Image(picture(300)), "F5")
        last.sheet_state = "hidden"

    assert read(build).notes == ("2 pictures could not be read (sheet Travel)", "hidden sheet Old left out")


@pytest.mark.parametrize(("side", "count"), [(95 * 9525, 0), (96 * 9525, 1)])
def test_a_picture_that_moves_with_its_cells_has_a_size_of_its_own(side: int, count: int) -> None:
    def build(book: Any) -> None:
        filled(book.active, *LIMITS).add_image(Image(picture(300)), "E1")

    space = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    content = workbook(build)
    for old, new in (
        ("oneCellAnchor", "twoCellAnchor"),
        ("<ext cx[^>]*/>", ""),
        ("(<cNvPr [^>]*?)/>", rf'\1><a:extLst {space}><a:ext uri="x"/></a:extLst></cNvPr>'),
        ("<spPr>", f'<spPr><a:xfrm {space}><a:ext cx="{side}" cy="{side}"/></a:xfrm>'),
    ):
        content = edited(content, "xl/drawings/drawing1.xml", old, new)
    assert len(parse(content, ".xlsx").notes) == count


def texts(reading: Reading) -> list[str]:
    return [line for section in sections(reading.blocks, "book") for line in section.text.split("\n") if line]


def test_figures_are_read_as_the_sheet_shows_them() -> None:
    formats = ('0.0,,"M"', '#,##0,"k"', "00000", '"Grade "0', "[$£-809]#,##0.00", "# ?/?", "[h]:mm", "mmmm yyyy", ";;;")
    values = (1_500_000, 250_000, 712, 7, 1234.5, 1.5, 1.5, datetime.date(2026, 3, 1), 5)

    def build(book: Any) -> None:
        filled(book.active, tuple("ABCDEFGHI"), values, values)
        for row in book.active.iter_rows(min_row=2):
            for cell, form in zip(row, formats, strict=True):
                cell.number_format = form

    reading = read(build)
    shown = ("1.5M", "250k", "00712", "Grade 7", "£1,234.50", "1 1/2", "36:00", "March 2026")
    assert reading.blocks[0].rows[1][:8] == shown
    assert reading.notes == ("2 cells in sheet Sheet left out, since the format shows nothing",)


def test_days_of_a_book_that_counts_from_1904() -> None:
    def build(book: Any) -> None:
        book.epoch = CALENDAR_MAC_1904
        filled(book.active, ("What", "When", "Note"), ("Start", datetime.date(2026, 3, 1), "x"))

    assert texts(read(build)) == ["book – What: Start; When: 2026-03-01; Note: x."]


def test_struck_out_text_is_left_out_and_said() -> None:
    def build(book: Any) -> None:
        struck = TextBlock(InlineFont(strike=True), "30 ")
        sheet = filled(book.active, ("Item", "Fee", "Due"), ("Dog", CellRichText("EUR ", struck, "45"), "May"))
        filled(sheet, ("Cat", 5, "June"))["B3"].font = Font(strike=True)

    reading = read(build)
    assert texts(reading) == ["book – Item: Dog; Fee: EUR 45; Due: May.", "book – Item: Cat; Due: June."]
    assert reading.notes == ("2 cells with struck-out text in sheet Sheet, which was left out",)


def test_tables_beside_each_other_are_tables_of_their_own() -> None:
    def build(book: Any) -> None:
        filled(
            book.active,
            ("Desks", None, None, "Rooms", None),
            ("Desk", "Extension", None, "Room", "Seats"),
            ("Reception", "410", None, "Oak", "12"),
            ("Pay office", "422", None, "Elm", "30"),
        )
        for row in (1, 2):
            for cell in book.active[row]:
                cell.font = Font(bold=True)

    assert texts(read(build)) == [
        "Desks – Desk: Reception; Extension: 410.",
        "Desks – Desk: Pay office; Extension: 422.",
        "Rooms – Room: Oak; Seats: 12.",
        "Rooms – Room: Elm; Seats: 30.",
    ]


def test_a_note_on_a_cell_stands_behind_it() -> None:
    def build(book: Any) -> None:
        sheet = filled(book.active, ("Leave", "Days", "Who"), ("Annual", 25, "All"), ("Study", 5, "All"))
        sheet["B3"].comment = Comment("HR:\nOnly after one year; not for contractors.", "HR")
        sheet["B1"].comment = Comment("Working days.", "HR")

    assert texts(read(build)) == [
        "book – Leave: Annual; Days: 25; Who: All.",
        "book – Leave: Study; Days: 5 (Only after one year; not for contractors); Who: All.",
        "Days: Working days",
    ]


def test_a_threaded_comment_is_counted_and_its_copy_for_older_programs_is_not_read() -> None:
    content = workbook(lambda book: filled(book.active, *LIMITS))
    kinds = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    threaded = (
        '<ThreadedComments xmlns="x"><threadedComment ref="B2"><text>Why?</text></threadedComment></ThreadedComments>'
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{kinds}" Target="../threadedComments/t1.xml"/></Relationships>'
    )
    file = io.BytesIO(content)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("xl/worksheets/_rels/sheet1.xml.rels", rels)
        archive.writestr("xl/threadedComments/t1.xml", threaded)
    reading = parse(file.getvalue(), ".xlsx")
    assert reading.notes == ("1 threaded comment in sheet Sheet not read",)
    assert reading.blocks[0].rows[1] == ("Director", "50000")


def test_a_text_box_is_read() -> None:
    content = (Path(__file__).parent / "workbooks" / "limits.xlsx").read_bytes()
    assert texts(parse(content, ".xlsx"))[-1] == "These limits do not apply to board members; they claim actual cost."


def test_the_names_of_a_table_are_its_header() -> None:
    def build(book: Any) -> None:
        filled(book.active, ("Code", "Text"), ("A1", "open"), ("A2", "shut"))
        book.active.add_table(Table(displayName="T", ref="A1:B3"))

    assert texts(read(build)) == ["book – Code: A1; Text: open.", "book – Code: A2; Text: shut."]


@pytest.mark.parametrize(
    ("entry", "old", "new"),
    [
        ("xl/styles.xml", r"<fill><patternFill\s*/></fill>", "<fill/>"),
        ("xl/styles.xml", 'rgb="00FF0000"', 'rgb="red"'),
        ("xl/styles.xml", 'xfId="0"', 'xfId="7"'),
        ("xl/worksheets/sheet1.xml", 'operator="greaterThan"', 'operator="greater"'),
    ],
)
def test_what_is_only_for_the_looks_keeps_no_cell_from_being_read(entry: str, old: str, new: str) -> None:
    def build(book: Any) -> None:
        filled(book.active, ("Post", "Since", "Share"), ("Head", datetime.date(2026, 5, 1), 0.25))
        book.active["A1"].font = Font(color="FF0000", bold=True)
        book.active["C2"].number_format = "0.0%"
        book.active["B2"].number_format = "d mmmm yyyy"
        book.active["A3"] = "struck"
        book.active["A3"].font = Font(strike=True)
        book.active.conditional_formatting.add("C2", CellIsRule(operator="greaterThan", formula=["1"]))

    whole = workbook(build)
    broken = edited(whole, entry, old, new)
    assert zipfile.ZipFile(io.BytesIO(broken)).read(entry) != zipfile.ZipFile(io.BytesIO(whole)).read(entry)
    found = parse(broken, ".xlsx")
    assert found == parse(whole, ".xlsx")
    assert found.blocks[0].rows[-1] == ("Head", "2026-05-01", "25.0%")


def test_the_text_of_a_formula_is_read_from_whichever_place_has_it() -> None:
    whole = workbook(lambda book: filled(book.active, ("Post", "Limit", "Note"), ("Head", 10, "yearly")))
    cell = '<c r="C2" t="inlineStr"><f>A9</f><v>each year</v></c>'
    content = edited(whole, "xl/worksheets/sheet1.xml", r'<c r="C2".*?</c>', cell)
    assert parse(content, ".xlsx").blocks[0].rows[-1] == ("Head", "10", "each year")


def test_a_sheet_that_the_file_leads_nowhere_is_said() -> None:
    def build(book: Any) -> None:
        filled(book.active, ("Post", "Limit", "Note"), ("Head", 10, "yearly"))
        book.create_sheet("Old")

    content = edited(workbook(build), "xl/workbook.xml", 'r:id="rId2"', "")
    assert parse(content, ".xlsx").notes == ("sheet Old not read: the file does not say where it is",)


def test_what_a_library_prints_of_a_file_is_not_taken_for_its_reading(capsys: pytest.CaptureFixture[str]) -> None:
    whole = workbook(lambda book: filled(book.active, ("Post", "Limit", "Note"), ("Head", 10, "yearly")))
    broken = edited(whole, "xl/styles.xml", 'xfId="0"', 'xfId="7"')
    parse(broken, ".xlsx")
    assert capsys.readouterr().out
    assert reading.read(broken, "a.xlsx", Limits()) == parse(whole, ".xlsx")
