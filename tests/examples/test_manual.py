"""The PDF and the Word file hold the whole manual, are what the parts make today, and come out the same each time."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from docx.table import Table
from pypdf import PdfReader
from pypdf.generic import Destination

from examples.manual import blocks, parts
from examples.manual_pdf import english_names, pdf
from examples.manual_word import word

LARKMOOR = Path(__file__).parents[2] / "examples" / "larkmoor"
PDF = LARKMOOR / "exports" / "larkmoor-governance-manual.pdf"
WORD = LARKMOOR / "exports" / "larkmoor-governance-manual.docx"
FOOTER = re.compile(r"Larkmoor Foundation Governance Manual, 7th edition\s*(\d+)\s*$")


def manual_sections() -> list[tuple[str, str]]:
    """(heading, Markdown) of every section, in order."""
    found = (re.split(r"^### ", re.sub(r"(?m)^## .*$", "", part), flags=re.MULTILINE)[1:] for part in parts())
    return [(title, body) for title, body in (text.split("\n", 1) for text in chain.from_iterable(found))]


def letters(text: str) -> str:
    """The text without what a layout may change: marks, spaces, and the names that the PDF gives in English."""
    with (LARKMOOR / "chart.csv").open(encoding="utf-8", newline="") as file:
        for unit in csv.DictReader(file):
            if any(ord(character) > 0x5FF for character in unit["name"]):
                text = text.replace(unit["name"], "").replace(unit["aliases"].split("|")[0], "")
    return re.sub(r"[\W_]+", "", text)


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return [page.extract_text() for page in PdfReader(PDF).pages]


@pytest.fixture(scope="module")
def document() -> Any:
    return Document(str(WORD))


def test_the_pdf_holds_every_word_of_every_section(pages: list[str]) -> None:
    whole = letters(" ".join(FOOTER.sub("", page).replace("\n", " ") for page in pages))
    assert len(manual_sections()) == 50
    assert [title for title, body in manual_sections() if letters(f"{title} {body}") not in whole] == []


def test_the_pdf_says_on_which_page_each_section_begins(pages: list[str]) -> None:
    listed = {title: int(page) for page, title in re.findall(r"(\d+)\n(\d+\.\d .*)", "\n".join(pages[1:3]))}
    begins = {title: n for title, _ in manual_sections() for n, page in enumerate(pages[3:], 4) if f"{title}\n" in page}
    assert len(listed) == 50
    assert listed == begins


def test_the_pages_of_the_pdf_are_numbered_outlined_and_carry_their_fonts(pages: list[str]) -> None:
    def depths(entries: object, depth: int = 1) -> Iterator[int]:
        for entry in entries if isinstance(entries, list) else ():
            yield from [depth] if isinstance(entry, Destination) else depths(entry, depth + 1)

    printed = [FOOTER.search(page) for page in pages[1:]]
    assert [match and int(match[1]) for match in printed] == list(range(2, len(pages) + 1))
    reader: Any = PdfReader(PDF)
    found = list(depths(reader.outline))
    assert [found.count(depth) for depth in (1, 2, 3)] == [5, 10, 50]
    fonts = [font.get_object() for page in reader.pages for font in page["/Resources"]["/Font"].values()]
    assert fonts
    assert all("/FontFile2" in font["/FontDescriptor"] for font in fonts)


def test_the_word_file_holds_every_word_of_every_section(document: Any) -> None:
    text: list[str] = []
    for item in document.iter_inner_content():
        cells = (cell.text for row in item.rows for cell in row.cells) if isinstance(item, Table) else (item.text,)
        text.extend(cells)
    whole = letters(" ".join(text))
    unnumbered = [(title, re.sub(r"(?m)^\d+\. ", "", body)) for title, body in manual_sections()]
    assert [title for title, body in unnumbered if letters(f"{title} {body}") not in whole] == []


def test_the_word_file_has_real_headings_header_rows_and_lists_that_start_at_one(document: Any) -> None:
    styles = [paragraph.style.name for paragraph in document.paragraphs if paragraph.style]
    wanted = [block for part in parts() for block in blocks(part)]
    bullets, ordered = ([one for one in wanted if one.kind == kind] for kind in ("bullet_list", "ordered_list"))
    assert [styles.count(f"Heading {level}") for level in (1, 2, 3)] == [5, 10, 50]
    assert styles.count("List Bullet") == sum(len(block.rows) for block in bullets)
    assert styles.count("List Number") == sum(len(block.rows) for block in ordered)
    assert len(document.tables) == sum(block.kind == "table" for block in wanted)
    assert all(table.rows[0]._tr.xpath("./w:trPr/w:tblHeader") for table in document.tables)
    numbered = [paragraph._p for paragraph in document.paragraphs if paragraph.style.name == "List Number"]
    assert len({one.pPr.numPr.numId.val for one in numbered}) == len(ordered), "each list has its own number"


@pytest.mark.slow
def test_the_same_parts_give_the_same_bytes_and_the_files_in_the_repository_are_up_to_date(pages: list[str]) -> None:
    made = pdf(parts())
    assert made == pdf(parts())
    assert [page.extract_text() for page in PdfReader(io.BytesIO(made)).pages] == pages
    made = word(parts())
    assert made == word(parts())
    with zipfile.ZipFile(io.BytesIO(made)) as fresh, zipfile.ZipFile(WORD) as kept:
        assert [name for name in fresh.namelist() if fresh.read(name) != kept.read(name)] == []


def test_what_the_manual_has_no_form_or_letter_for_is_refused() -> None:
    with pytest.raises(ValueError, match="line 3: the manual has no form for blockquote"):
        list(blocks("A paragraph.\n\n> A quotation.\n"))
    with pytest.raises(ValueError, match="can not draw 鳥"):
        english_names("The 鳥 is a lark.")
