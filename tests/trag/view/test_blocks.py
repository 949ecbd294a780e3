"""Documents shown as one reads them: real files of each kind, read, cut into passages, and these found again."""

import io
from collections.abc import Callable

import pytest
from openpyxl import Workbook

from store.passage import Passage
from trag import view
from trag.ingest.passages import section_passages, sections
from trag.ingest.reading import Block, read
from trag.sandbox import Limits
from trag.view.blocks import DocumentView, Part

ROOMS = [("Room", "Seats", "Fee"), ("Heron", "12", "40 LMD"), ("Tern", "8", "25 LMD"), ("Gull", "12", "30 LMD")]


def markdown() -> bytes:
    table = "\n".join(f"| {' | '.join(row)} |" for row in (ROOMS[0], ("---",) * 3, *ROOMS[1:]))
    return f"# Rooms\n\nRooms are booked at the desk.\n\n{table}\n\n## Rules\n\n- no food\n- lights out\n".encode()


def comma_separated() -> bytes:
    return "\n".join(",".join(row) for row in ROOMS).encode()


def web_page() -> bytes:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROOMS[1:])
    head = "".join(f"<th>{name}</th>" for name in ROOMS[0])
    return f"<!doctype html><html><body><h1>Rooms</h1><table><tr>{head}</tr>{rows}</table></body></html>".encode()


def workbook() -> bytes:
    book, file = Workbook(), io.BytesIO()
    assert book.active
    for row in ROOMS:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def word() -> bytes:
    from docx import Document

    document, file = Document(), io.BytesIO()
    document.add_heading("Rooms", 1)
    table = document.add_table(rows=0, cols=3)
    for row in ROOMS:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(file)
    return file.getvalue()


def blocks_of(content: bytes, name: str) -> tuple[tuple[Block, ...], tuple[Passage, ...]]:
    blocks = read(content, name, Limits()).blocks
    return blocks, section_passages(name, sections(blocks, name))


def marked(found: DocumentView | None) -> list[str]:
    assert found
    cells = (cell for part in found.parts for line in part.lines for cell in line.cells)
    return [piece.text for cell in cells for piece in cell if piece.mark]


def said(part: Part) -> list[list[str]]:
    return [["".join(piece.text for piece in cell) for cell in line.cells] for line in part.lines]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "name"),
    [(markdown, "r.md"), (comma_separated, "r.csv"), (web_page, "r.html"), (workbook, "r.xlsx"), (word, "r.docx")],
)
def test_a_table_is_a_table_with_its_header_and_the_words_that_were_used_are_marked_in_their_row(
    make: Callable[[], bytes], name: str
) -> None:
    blocks, passages = blocks_of(make(), name)
    [passage] = [each for each in passages if "Tern" in each.text]
    found = view.document(blocks, passage, ["The Tern room has 8 seats."])
    assert found
    [table] = [part for part in found.parts if part.kind == "table"]
    assert table.header == ROOMS[0]
    assert said(table) == [[*row] for row in ROOMS[1:]]
    assert {"Tern", "8"} <= {*marked(found)}
    assert not {"Heron", "Gull", "12", "40 LMD"} & {*marked(found)}
    assert found.place in table.lines
    assert found.place
    assert said(Part("table", (found.place,))) == [["Tern", "8", "25 LMD"]]


TEXT = [
    Block("heading", "Handbook", 0),
    Block("heading", "1 Leave", 1),
    Block("paragraph", "Leave is given by the head of the unit."),
    Block("item", "- ask a week before", 1),
    Block("item", "- say who stands in", 1),
    Block("heading", "2 Travel", 1),
    Block("paragraph", "Leave is given by the head of the unit."),
    Block("table", rows=(("", ""), ("Car", "LMD 0.30 a mile\nwith a driver"), ("Train", "second class"))),
]


def test_headings_have_their_rank_lists_stay_together_and_a_table_may_have_no_header() -> None:
    found = view.document(TEXT)
    assert found
    assert [part.kind for part in found.parts] == [
        *("heading", "heading", "paragraph", "item"),
        *("heading", "paragraph", "table"),
    ]
    assert [part.lines[0].level for part in found.parts if part.kind == "heading"] == [1, 2, 2]
    assert said(found.parts[3]) == [["- ask a week before"], ["- say who stands in"]]
    assert (found.parts[-1].header, said(found.parts[-1])[0]) == ((), ["Car", "LMD 0.30 a mile\nwith a driver"])
    assert (found.place, found.before, found.after, marked(found)) == (None, 0, 0, [])


def passages() -> tuple[Passage, ...]:
    return section_passages("h.md", sections(TEXT, "h.md"))


def test_words_that_stand_in_two_sections_are_marked_in_the_one_that_was_asked_for() -> None:
    leave, travel = passages()
    for passage, at in ((leave, 2), (travel, 5)):
        found = view.document(TEXT, passage, ["Leave is given by the head of the unit."])
        assert found
        assert found.place is found.parts[at].lines[0], passage.section
        assert marked(found) == ["Leave is given by the head of the unit."]
    found = view.document(TEXT, travel, ["A car is paid LMD 0.30 a mile."])
    assert found
    assert found.place is found.parts[-1].lines[0]
    assert not [part for part in found.parts[:5] for line in part.lines if line.here]


def test_a_passage_within_a_long_paragraph_is_found_and_one_that_is_not_there_is_not() -> None:
    sentences = [f"Rule {number} says that the door {number} is shut at {number} o'clock." for number in range(60)]
    blocks = [Block("paragraph", " ".join(sentences))]
    every = section_passages("d.md", sections(blocks, "d.md"))
    assert len(every) > 2
    passage = next(each for each in every if sentences[30] in each.text)
    assert marked(view.document(blocks, passage, [sentences[30]])) == [sentences[30]]
    gone = Passage("x", "section", "d.md", "", None, "The roof is painted every third year, in spring.")
    assert view.document(blocks, gone) is None


def test_of_a_long_document_only_what_is_around_the_passage_is_shown() -> None:
    rows = (("Key", "Value"), *((f"key {number}", f"value {number}") for number in range(5_000)))
    blocks = [Block("heading", "Keys", 1), Block("table", rows=rows)]
    passage = Passage("x", "section", "k.csv", "Keys", None, "Keys – Key: key 2500; Value: value 2500.")
    found = view.document(blocks, passage, ["value 2500"], around=3)
    assert found
    [table] = found.parts
    assert (table.header, len(table.lines), found.before, found.after) == (("Key", "Value"), 7, 2_498, 2_496)
    assert marked(found) == ["value 2500"]
