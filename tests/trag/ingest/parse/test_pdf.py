import io
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.trag.ingest.made import locked
from trag.errors import TragError
from trag.ingest.parse import parse


def test_headings_tables_lists_and_pages_are_found_and_running_lines_are_not(manual: bytes) -> None:
    reading = parse(manual, ".pdf")
    assert reading.pages == 3
    assert reading.notes == ()
    levels = sorted({block.level for block in reading.blocks if block.kind == "heading"})
    headings = [
        (levels.index(block.level), block.text, block.page) for block in reading.blocks if block.kind == "heading"
    ]
    assert headings == [
        (0, "Governance Manual", 1),
        (1, "4 Finance", 1),
        (2, "4.2 Approval limits", 1),
        (1, "5 Meetings", 3),
    ]
    table = next(block for block in reading.blocks if block.kind == "table")
    assert table.rows == (
        ("Post", "Limit", "Remark"),
        ("Director", "50,000 LMD", "with the Treasurer"),
        ("Head", "10,000 LMD", ""),
    )
    assert [block.text for block in reading.blocks if block.kind == "item"] == ["- to members;", "- to guests."]
    text = " ".join(block.text for block in reading.blocks)
    assert "Confidential" not in text
    assert "3rd edition" not in text
    assert "re-use of funds" in text


def test_wrapped_cells_stay_in_their_row(pdf: Callable[..., bytes]) -> None:
    rows = [
        ["Body", "Task", "Reports"],
        [
            "Sub-Committee on Reserves and Fund 500",
            "watches over the operating reserve and the fund, and proposes drawings on it",
            "yearly",
        ],
        ["Jury", "selects the laureate", "every second year, in writing, to the council that appointed it"],
    ]
    reading = parse(pdf([("Title", "Bodies"), ("BodyText", "The bodies are these. " * 20), rows]), ".pdf")
    assert [list(row) for row in next(block for block in reading.blocks if block.kind == "table").rows] == rows


def test_a_paragraph_goes_on_over_the_page_and_keeps_where_it_begins(pdf: Callable[..., bytes]) -> None:
    reading = parse(pdf([("Title", "Long"), ("BodyText", "the committee meets and " * 400 + "adjourns.")]), ".pdf")
    assert [(block.kind, block.page) for block in reading.blocks] == [("heading", 1), ("paragraph", 1)]
    assert reading.blocks[1].text.count("committee") == 400


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (
            "The co-<br/>operation of all coop-<br/>eratives needs co-operation.",
            "The co-operation of all cooperatives needs co-operation.",
        ),
        ("This binds short-<br/>and long-term staff on land.", "This binds short- and long-term staff on land."),
        (
            "(2) They apply to all, but not to (a) guests,<br/>(b) apprentices, and (c) staff on loan.",
            "(2) They apply to all, but not to (a) guests, (b) apprentices, and (c) staff on loan.",
        ),
    ],
    ids=["a hyphen", "a hyphen before and", "a letter within a sentence"],
)
def test_lines_are_joined_and_words_made_whole(pdf: Callable[..., bytes], lines: str, text: str) -> None:
    assert [block.text for block in parse(pdf([("BodyText", lines)]), ".pdf").blocks] == [text]


def test_a_table_of_contents_is_left_out(pdf: Callable[..., bytes]) -> None:
    contents = [("BodyText", f"{number} Chapter " + ". " * 40 + str(number)) for number in range(1, 7)]
    reading = parse(
        pdf([("Title", "Manual")], [("Heading1", "Contents"), *contents], [("BodyText", "The text. " * 30)]), ".pdf"
    )
    assert "Chapter" not in " ".join(block.text for block in reading.blocks)
    assert reading.blocks[-1].page == 3


def test_dots_in_a_form_or_before_a_price_leave_out_nothing_else(pdf: Callable[..., bytes]) -> None:
    names = ("Scope", "Fees", "Gifts", "Leave")
    contents = [("BodyText", f"{number} {name} {'.' * 40} {number + 1}") for number, name in enumerate(names, 1)]
    chapters = [
        [("Heading1", f"{number} {name}"), ("BodyText", f"The rules on {name} bind everyone. " * 20)]
        for number, name in enumerate(names, 1)
    ]
    prices = [("BodyText", f"{room} .......... {price}") for room, price in (("Bed", 12), ("Room", 80), ("Suite", 90))]
    more = [("BodyText", "Boat .......... EUR 95"), ("BodyText", "House .......... 110")]
    form = [("Heading1", "Annex"), *prices, *more, ("BodyText", "Name: .........."), ("BodyText", "Thank you.")]
    blocks = parse(pdf([("Heading1", "Contents"), *contents], *chapters, form), ".pdf").blocks
    headings = [(block.text, block.page) for block in blocks if block.kind == "heading"]
    assert headings == [("1 Scope", 2), ("2 Fees", 3), ("3 Gifts", 4), ("4 Leave", 5), ("Annex", 6)]
    annex = " ".join(" ".join((block.text, *sum(block.rows, ()))) for block in blocks if block.page == 6).split()
    assert annex == "Annex Bed 12 Room 80 Suite 90 Boat EUR 95 House 110 Name: Thank you.".split()


def test_lines_that_differ_in_figures_are_running_lines_only_where_these_count_with_the_pages() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    for page, body in enumerate(("board", "jury", "council", "bureau"), 1):
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 800, f"Rules of 2019, edition 3, page {page + 6} of 10")
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(72, 760, f"Article {page}")
        canvas.setFont("Helvetica", 11)
        for line in range(8):
            canvas.drawString(
                72, 740 - 14 * line, f"In matter {'abcdefgh'[line]} the {body} decides by a simple majority."
            )
        canvas.drawString(72, 628, f"The yearly budget of this body is EUR {page}500.")
        canvas.drawString(72, 100, str(page * 500))
        canvas.drawString(290, 60, f"- {page + 6} -")
        canvas.saveState()
        canvas.translate(300, 420)
        canvas.rotate(45)
        canvas.setFont("Helvetica-Bold", 80)
        canvas.drawCentredString(0, 0, "DRAFT")
        canvas.restoreState()
        canvas.showPage()
    canvas.save()
    found = [block for block in parse(file.getvalue(), ".pdf").blocks if block.page == 2]
    assert [(block.kind, block.text) for block in found if block.kind == "heading"] == [("heading", "Article 2")]
    text = " ".join(block.text for block in found)
    assert text.endswith("The yearly budget of this body is EUR 2500. 1000")
    assert "edition" not in text


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
@pytest.mark.parametrize("password", ["secret", ""], ids=["a user's password", "an owner's only"])
def test_an_encrypted_pdf_is_read_only_where_everybody_may(manual: bytes, password: str, algorithm: str) -> None:
    content = locked(manual, password, algorithm)
    if password:
        with pytest.raises(TragError, match="encrypted with a password"):
            parse(content, ".pdf")
    else:
        assert parse(content, ".pdf").blocks == parse(manual, ".pdf").blocks


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF"], ids=["a mark alone", "no pages"]
)
def test_a_damaged_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(TragError) as caught:
        parse(content, ".pdf")
    assert "PDF" in caught.value.message


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_truncated_pdf_is_refused(manual: bytes, share: float) -> None:
    with pytest.raises(TragError) as caught:
        parse(manual[: int(len(manual) * share)], ".pdf")
    assert caught.value.hint
