import io
from collections.abc import Callable

import pytest
from pypdf import PdfReader, PdfWriter

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


def test_words_are_not_broken_at_line_ends(pdf: Callable[..., bytes]) -> None:
    broken = "<br/>".join(("The co-", "operation of all coop-", "eratives needs co-operation."))
    reading = parse(pdf([("Title", "Words"), ("BodyText", broken)]), ".pdf")
    assert reading.blocks[1].text == "The co-operation of all cooperatives needs co-operation."


def test_a_table_of_contents_is_left_out(pdf: Callable[..., bytes]) -> None:
    contents = [("BodyText", f"{number} Chapter " + ". " * 40 + str(number)) for number in range(1, 7)]
    reading = parse(
        pdf([("Title", "Manual")], [("Heading1", "Contents"), *contents], [("BodyText", "The text. " * 30)]), ".pdf"
    )
    assert "Chapter" not in " ".join(block.text for block in reading.blocks)
    assert reading.blocks[-1].page == 3


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
@pytest.mark.parametrize("password", ["secret", ""], ids=["a user's password", "an owner's only"])
def test_an_encrypted_pdf_is_read_only_where_everybody_may(manual: bytes, password: str, algorithm: str) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(manual)))
    writer.encrypt(user_password=password, owner_password="owner", algorithm=algorithm)
    file = io.BytesIO()
    writer.write(file)
    if password:
        with pytest.raises(TragError, match="encrypted with a password"):
            parse(file.getvalue(), ".pdf")
    else:
        assert parse(file.getvalue(), ".pdf").blocks == parse(manual, ".pdf").blocks


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
