import io
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from tests.trag.ingest.made import drawn
from trag.ingest.parse import parse
from trag.ingest.reading import Block

STYLES = getSampleStyleSheet()
GRID = ("GRID", (0, 0), (-1, -1), 0.5, "black")
LIMITS = [["Post", "Limit", "Remark"], ["Director", "50,000 LMD", "with the Treasurer"], ["Head", "10,000 LMD", ""]]


def built(*parts: Any) -> bytes:
    """A PDF of paragraphs and tables; a text is a paragraph of the body."""
    file = io.BytesIO()
    story = [Paragraph(part, STYLES["BodyText"]) if isinstance(part, str) else part for part in parts]
    SimpleDocTemplate(file).build(story)
    return file.getvalue()


def tables(content: bytes) -> list[Block]:
    return [block for block in parse(content, ".pdf").blocks if block.kind == "table"]


def rows(content: bytes) -> list[list[list[str]]]:
    return [[list(row) for row in block.rows] for block in tables(content)]


LEAD = "The limits of each post are set out here, and they bind everyone. " * 4


EVERY = ((0, 0), (-1, -1), 1, "black")


@pytest.mark.parametrize(
    "style",
    [
        [GRID],
        [("INNERGRID", (0, 0), (-1, -1), 0.5, "black")],
        [("BOX", (0, 0), (-1, -1), 1, "black"), ("LINEBELOW", (0, 0), (-1, 0), 1, "black")],
        [("LINEABOVE", (0, 0), (-1, 0), 1, "black"), ("LINEBELOW", (0, 0), (-1, 0), 1, "black")],
        [("BOX", (0, 0), (-1, -1), 1, "black"), ("LINEBELOW", (0, 0), (-1, 0), 1, "black"), ("LINEBEFORE", *EVERY)],
        [],
    ],
    ids=["a grid", "open sides", "a box", "rules across", "rules down", "no rule"],
)
def test_a_table_is_rows_of_cells_however_it_is_ruled(style: list[Any]) -> None:
    assert rows(built(LEAD, Table(LIMITS, style=style, colWidths=130), LEAD)) == [LIMITS]


@pytest.mark.parametrize(
    ("widths", "cells"),
    [
        (
            [70, 55, 140],
            [
                ["Body", "Members", "Task"],
                ["Council", "12", "adopts the budget and the rules of the house, and hears the auditors every spring"],
                ["Committee on Grants", "5", "prepares"],
                ["Jury", "", "selects the laureate and says why, in writing"],
            ],
        ),
        (
            [120, 120, 110],
            [
                ["Body", "Task", "Seat"],
                [
                    *("Committee on Grants and Prizes", "prepares what the council decides"),
                    "Oslo, in the new main building",
                ],
            ],
        ),
    ],
    ids=["some cells wrapped, some touching", "all cells of a row wrapped"],
)
def test_rules_tell_cells_apart_that_touch_or_are_wrapped(widths: list[int], cells: list[list[str]]) -> None:
    wrapped = [[Paragraph(cell, STYLES["BodyText"]) for cell in row] for row in cells]
    assert rows(built(LEAD, Table(wrapped, style=[GRID], colWidths=widths))) == [cells]


@pytest.mark.parametrize("below", ["paragraph", "heading"])
def test_a_table_without_rules_ends_above_what_stands_below_it(below: str) -> None:
    pay = [["Item", "2025", "2026"], ["Hotel", "120", "130"], ["Taxi", "30", "35"]]
    leave = [["Grade", "2025", "2026"], ["Clerk", "25", "26"], ["Head", "28", "30"]]
    words = ["Costs that are not listed here are not paid by the house, and", "the Director decides on all exceptions."]

    def table(canvas: Canvas, cells: list[list[str]], top: float) -> None:
        canvas.setFont("Helvetica", 10)
        for number, row in enumerate(cells):
            for x, cell in zip((72, 300, 400), row, strict=True):
                canvas.drawString(x, top - 14 * number, cell)

    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 750, "The house pays for the journeys of its staff, as the table below says.")
        table(canvas, pay, 700)
        for number, line in enumerate(words if below == "paragraph" else []):
            canvas.drawString(72, 652 - 14 * number, line)
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(72, 652 - 40 * (below == "paragraph"), "2 Leave")
        table(canvas, leave, 632 - 40 * (below == "paragraph"))

    found = parse(drawn(draw), ".pdf").blocks
    paragraph = [("paragraph", " ".join(words))] * (below == "paragraph")
    assert [(block.kind, block.text) for block in found][1:] == [
        ("table", ""),
        *paragraph,
        ("heading", "2 Leave"),
        ("table", ""),
    ]
    assert rows(drawn(draw)) == [pay, leave]


def test_figures_that_end_at_one_place_are_a_column() -> None:
    pay = [
        ["Unit", "2024", "2025", "2026"],
        ["Legal", "1,200", "", "950"],
        ["Press", "", "13,000", ""],
        ["IT", "1", "2", "3"],
    ]

    def draw(canvas: Canvas) -> None:
        for number, row in enumerate(pay):
            canvas.drawString(72, 700 - 14 * number, row[0])
            for x, cell in zip((260, 340, 420), row[1:], strict=True):
                canvas.drawRightString(x, 700 - 14 * number, cell)

    assert rows(drawn(draw)) == [pay]


@pytest.mark.parametrize("rise", [3.3, 3.6, 5])
def test_the_mark_of_a_note_changes_no_number(rise: float) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for line in range(4):
            canvas.drawString(72, 700 - 14 * line, f"Other rules of the house bind all of its staff {line}.")
        x = 72.0
        for text, size, above in (
            ("Gifts are limited to EUR 500", 11, 0.0),
            ("1", 7, rise),
            (" a year, CO", 11, 0.0),
            ("2", 7, -rise / 2),
            (" to 9 g/m", 11, 0.0),
            ("2", 7, rise),
            (".", 11, 0.0),
        ):
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, 600 + above, text)
            x += canvas.stringWidth(text, "Helvetica", size)
        canvas.setFont("Helvetica", 5)
        canvas.drawString(72, 100 + rise / 2, "1")
        canvas.setFont("Helvetica", 8)
        canvas.drawString(75, 100, "In doubt ask the Ethics Office.")

    text = [block.text for block in parse(drawn(draw), ".pdf").blocks]
    assert text[1:] == ["Gifts are limited to EUR 500¹ a year, CO2 to 9 g/m².", "1 In doubt ask the Ethics Office."]


def test_merged_cells_stand_in_every_place_they_reach_over() -> None:
    cells = [
        ["Post", "Limit", "", "Remark"],
        ["", "2025", "2026", ""],
        ["Director", "50", "60", "both years"],
        ["Head", "10", "12", ""],
    ]
    spans = [("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (3, 2), (3, 3))]
    assert rows(built(LEAD, Table(cells, style=[GRID, *spans], colWidths=100))) == [
        [
            ["Post", "Limit 2025", "Limit 2026", "Remark"],
            ["Director", "50", "60", "both years"],
            ["Head", "10", "12", "both years"],
        ]
    ]


def test_thin_rectangles_are_rules_and_cells_of_one_text_object_are_told_apart() -> None:
    def draw(canvas: Canvas) -> None:
        for at in range(4):
            canvas.rect(72, 600 + 20 * at, 300, 0.6, stroke=0, fill=1)
            canvas.rect(72 + 100 * at, 600, 0.6, 60, stroke=0, fill=1)
        text = canvas.beginText()
        text.setFont("Helvetica", 10)
        for at, row in enumerate(LIMITS):
            for column, cell in enumerate(row):
                text.setTextOrigin(75 + 100 * column, 646 - 20 * at)
                text.textOut(cell)
        canvas.drawText(text)

    assert rows(drawn(draw)) == [LIMITS]


def test_coloured_cells_and_rows_without_a_rule_between_their_cells_are_cells_all_the_same() -> None:
    """As LibreOffice draws a table: its header coloured and not ruled, the rule down in every second row only."""
    cells = [*LIMITS, ["Clerk", "5,000 LMD", ""], ["Guard", "4,000 LMD", "at night"]]

    def draw(canvas: Canvas) -> None:
        for at in range(6):
            canvas.line(72, 560 + 20 * at, 372, 560 + 20 * at)
        for column in range(3):
            canvas.setFillGray(0.3)
            canvas.rect(72 + 100 * column, 640, 100, 20, stroke=0, fill=1)
            canvas.line(72 + 100 * column, 620, 72 + 100 * column, 640)
            canvas.line(72 + 100 * column, 580, 72 + 100 * column, 600)
        for x in (72, 372):
            canvas.line(x, 560, x, 660)
        canvas.setFillGray(0)
        for at, row in enumerate(cells):
            for column, cell in enumerate(row):
                canvas.drawString(75 + 100 * column, 646 - 20 * at, cell)

    assert rows(drawn(draw)) == [cells]


def test_a_long_table_keeps_its_header_and_its_caption_on_every_page() -> None:
    body = [[f"Post {number}", f"{number},000 LMD", "yearly"] for number in range(1, 91)]
    for repeated in (1, 0):
        long = Table([LIMITS[0], *body], style=[GRID], colWidths=130, repeatRows=repeated)
        found = tables(built(LEAD, "Table 3: Limits (in LMD)", long))
        assert [block.page for block in found] == [1, 2, 3], repeated
        assert {block.rows[0] for block in found} == {tuple(LIMITS[0])}
        assert {block.text for block in found} == {"Table 3: Limits (in LMD)"}
        assert [list(row) for block in found for row in block.rows[1:]] == body


COLUMN = "the committee meets in every month and hears what the members of the house have to say to it ".split()


def column_lines(word: str) -> list[str]:
    """Ten lines of about 44 characters; `word` marks the column and the line."""
    return [f"{word}{number} " + " ".join(COLUMN[number : number + 7]) for number in range(10)]


@pytest.mark.parametrize("by_row", [False, True], ids=["column by column", "line by line across"])
def test_two_columns_are_read_one_after_the_other(by_row: bool) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        places = [(column, line) for column in (0, 1) for line in range(10)]
        for column, line in sorted(places, key=lambda place: place[::-1]) if by_row else places:
            canvas.drawString(60 + 250 * column, 700 - 12 * line, column_lines("LR"[column])[line])

    text = " ".join(block.text for block in parse(drawn(draw), ".pdf").blocks)
    marks = [word for word in text.split() if word[0] in "LR" and word[1:].isdigit()]
    assert marks == [f"L{line}" for line in range(10)] + [f"R{line}" for line in range(10)]
    assert tables(drawn(draw)) == []


def test_letters_drawn_one_by_one_or_twice_are_words() -> None:
    def draw(canvas: Canvas) -> None:
        x = 72.0
        for letter in "The Board meets.":
            canvas.drawString(x, 700, letter)
            x += canvas.stringWidth(letter, "Helvetica", 12)
        for part, at in (("Quorum of", 72), ("the board", 75 + canvas.stringWidth("Quorum of", "Helvetica", 12))):
            for shift in (0, 0.3):
                canvas.drawString(at + shift, 650, part)
        canvas.drawString(72, 630, "Five members are a quorum.")

    text = " ".join(block.text for block in parse(drawn(draw), ".pdf").blocks)
    assert text == "The Board meets. Quorum of the board Five members are a quorum."


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_read_as_it_is_shown(turn: int) -> None:
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import NameObject, NumberObject

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(built(LEAD, Table(LIMITS, style=[GRID], colWidths=130)))))
    page = writer.pages[0]
    width, height = A4
    back = {90: (0, 1, -1, 0, height, 0), 180: (-1, 0, 0, -1, width, height), 270: (0, -1, 1, 0, 0, width)}[turn]
    page.add_transformation(back)
    page.mediabox.upper_right = (width, height) if turn == 180 else (height, width)
    page.cropbox.upper_right = page.mediabox.upper_right
    page[NameObject("/Rotate")] = NumberObject(turn)
    file = io.BytesIO()
    writer.write(file)
    assert rows(file.getvalue()) == [LIMITS]


def test_a_drawing_of_boxes_is_no_table() -> None:
    def draw(canvas: Canvas) -> None:
        for number, (x, y) in enumerate(((200, 700), (80, 600), (320, 600))):
            canvas.rect(x, y, 120, 40)
            canvas.drawString(x + 10, y + 15, ("Council", "Finance", "Personnel")[number])
        canvas.line(260, 700, 140, 640)
        canvas.line(260, 700, 380, 640)

    assert rows(drawn(draw)) == []
    assert [block.text for block in parse(drawn(draw), ".pdf").blocks] == ["Council", "Finance Personnel"]
