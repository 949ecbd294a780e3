"""PDFs as browsers and offices print them: clauses with their numbers in the margin, figures drawn one by one, numbers
of lines, columns, and letters from the right."""

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.trag.ingest.made import drawn
from trag.ingest.parse import parse
from trag.ingest.reading import Block

FOLDER = Path(__file__).parent / "pdfs"


def blocks(name: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse((FOLDER / name).read_bytes(), ".pdf").blocks]


def text(found: tuple[Block, ...]) -> str:
    return " ".join(block.text for block in found)


def test_clauses_whose_numbers_hang_in_the_margin_keep_them() -> None:
    found = blocks("by-law-2.pdf")
    assert [block for kind, block in found if kind == "heading"] == [
        "Chapter 2 - General meetings",
        "2.1. Calling",
        "2.2. Notice",
        "2.3. Voting",
        "2.4. Quorum",
    ]
    assert ("item", "2.2.1. Notice is given at least eighteen days before any general meeting.") in found
    assert ("item", "2.4.1. Quorum is thirty-five members, present or by proxy.") in found
    assert not [kind for kind, _ in found if kind == "table"]


def test_figures_drawn_one_by_one_are_whole() -> None:
    reading = parse((FOLDER / "rates.pdf").read_bytes(), ".pdf")
    table = next(block for block in reading.blocks if block.kind == "table")
    assert table.rows[1] == ("Yacht", "1.50 EUR", "01.03.2026")
    for figure in ("1.5 hours", "2.5 %", "1.200 EUR", "U.S. ships", "3.25 EUR on Sundays"):
        assert figure in text(reading.blocks)


def test_every_fifth_line_may_have_its_number_in_the_margin() -> None:
    found = blocks("standing-orders.pdf")
    clerk = "The clerk tells the member in writing after the third meeting, and the mayor reads names of those absent"
    assert ("paragraph", f"{clerk} at each meeting.") in found
    assert ("item", "1. banners larger than a sheet of paper;") in found


SENTENCE = "the council of the harbour meets in the town hall and hears what the members of the quay have to say"


@pytest.mark.parametrize("x", [50, 530], ids=["left", "right"])
def test_the_numbers_of_all_lines_are_left_out(x: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for number in range(1, 16):
            canvas.drawRightString(x, 760 - 20 * number, str(number))
            canvas.drawString(80, 760 - 20 * number, f"In matter {'abcdefghijklmno'[number - 1]} {SENTENCE[:80]}")

    found = text(parse(drawn(draw), ".pdf").blocks)
    assert "In matter a" in found
    assert not any(map(str.isdigit, found))


def test_the_numbers_of_a_table_stay() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, 780, "The posts of the harbour are these, and no others are there.")
        for number in range(1, 11):
            for place, cell in (
                (50, str(number)),
                (90, f"Post {'abcdefghij'[number - 1]}"),
                (250, f"{number * 10} EUR"),
            ):
                canvas.drawString(place, 760 - 14 * number, cell)

    found = [block for block in parse(drawn(draw), ".pdf").blocks if block.kind == "table"]
    assert [row[0] for row in found[0].rows if row[0]] == [str(number) for number in range(1, 11)]


def test_three_columns_are_read_each_from_its_top_to_its_end() -> None:
    found = [block for _, block in blocks("harbour-news.pdf")]
    assert found[0] == "Harbour news"
    assert [block.split(".")[0] for block in found[1:]] == [
        "The harbour pool opens on 3 June",
        "The canteen changes its hours",
        "The new crane is called Berta after a vote of all staff",
        "The summer party is on the second Saturday of July in hall B",
    ]
    assert "Lunch is served from half past eleven until two. Breakfast ends at ten. On Fridays" in found[2]


def test_letters_from_the_right_are_those_that_are_typed_and_latin_words_keep_their_order() -> None:
    found = " ".join(block for _, block in blocks("leave-ar.pdf"))
    for words in ("لائحة الإجازات", "الإجازة السنوية", "للمتعاقدين", "قبل 21 يوما", "نظام HR Portal قبل نهاية الشهر."):
        assert words in found


def test_text_of_another_colour_stands_where_it_stands_on_the_page() -> None:
    """As a link in a paper of two columns, which is drawn after the rest of its line."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        for column, x in enumerate((60, 320)):
            for line in range(12):
                y = 700 - 12 * line + 5 * column
                before, after = f"{'LR'[column]}{line} as it was shown by", "and by others before us"
                canvas.drawString(x, y, before)
                width = canvas.stringWidth(f"{before} Berg (2019) ", "Times-Roman", 10)
                canvas.drawString(x + width, y, after)
        for column, x in enumerate((60, 320)):
            for line in range(12):
                before = f"{'LR'[column]}{line} as it was shown by "
                canvas.setFillColorRGB(0, 0, 1)
                width = canvas.stringWidth(before, "Times-Roman", 10)
                canvas.drawString(x + width, 700 - 12 * line + 5 * column, "Berg (2019)")

    lines = [
        f"{side}{line} as it was shown by Berg (2019) and by others before us" for side in "LR" for line in range(12)
    ]
    assert text(parse(drawn(draw), ".pdf").blocks) == " ".join(lines)
