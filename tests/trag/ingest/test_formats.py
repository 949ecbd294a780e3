"""Every format through the limited child, where a library that opens what it must not would be stopped."""

import io
import time
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from trag.errors import TragError
from trag.ingest.parse.formats import FORMATS
from trag.ingest.passages import sections
from trag.ingest.reading import read
from trag.sandbox import Limits

TEXT = "The committee meets every month in Oslo."


def pdf(pages: int = 1) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    for number in range(1, pages + 1):
        canvas.drawString(
            72, 700, TEXT if pages == 1 else f"{TEXT} {chr(97 + number % 26)}{chr(97 + number // 26 % 26)}"
        )
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def encrypted_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf())))
    writer.encrypt("", owner_password="owner", algorithm="AES-256")
    return saved(writer.write)


def saved(save: Callable[[Any], Any]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_paragraph(TEXT)
    return saved(document.save)


def excel() -> bytes:
    book = openpyxl.Workbook()
    book.active.append((TEXT,))
    return saved(book.save)


def powerpoint() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    slide.shapes.add_textbox(0, 0, 1, 1).text_frame.text = TEXT
    return saved(presentation.save)


CONTENTS = {
    ".docx": word(),
    ".pptx": powerpoint(),
    ".xlsx": excel(),
    ".pdf": pdf(),
    ".csv": f'"{TEXT}","",""\n'.encode(),
    ".tsv": f"{TEXT}\t\n".encode(),
    ".html": f"<html><script src='http://127.0.0.1:9/x.js'></script><p>{TEXT}</p></html>".encode(),
    ".htm": f"<html><link rel=stylesheet href='http://127.0.0.1:9/x.css'><p>{TEXT}</p></html>".encode(),
    **{suffix: TEXT.encode() for suffix in (".md", ".markdown", ".txt", ".text")},
}
PACKED = (".pdf", ".docx", ".pptx", ".xlsx")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_is_read_in_the_child(suffix: str) -> None:
    reading = read(CONTENTS[suffix], f"rules{suffix}", Limits())
    assert [section.text for section in sections(reading.blocks, "rules")] == [TEXT]
    assert reading.notes == ()


@pytest.mark.slow
def test_an_encrypted_pdf_that_everybody_may_open_is_read_in_the_child() -> None:
    assert read(encrypted_pdf(), "rules.pdf", Limits()).blocks[0].text == TEXT


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "other"), [*permutations(PACKED, 2), *((suffix, ".html") for suffix in PACKED)])
def test_a_mislabelled_file_is_known_by_its_content(suffix: str, other: str) -> None:
    with pytest.raises(TragError) as caught:
        read(CONTENTS[other], f"rules{suffix}", Limits())
    assert caught.value.message.startswith(f"rules{suffix} is n"), caught.value.message
    assert caught.value.hint


@pytest.mark.slow
def test_a_pdf_of_2_000_pages_is_read_whole_in_little_memory() -> None:
    started = time.monotonic()
    reading = read(pdf(2_000), "long.pdf", Limits(memory_bytes=600 << 20))
    assert (reading.pages, len(reading.blocks)) == (2_000, 2_000)
    assert time.monotonic() - started < 60


@pytest.mark.slow
def test_a_pdf_of_too_many_pages_is_refused() -> None:
    with pytest.raises(TragError) as caught:
        read(pdf(5_001), "endless.pdf", Limits())
    assert caught.value.message == "endless.pdf has 5,001 pages; from 1 to 5,000 are read."


@pytest.mark.slow
def test_a_workbook_that_swells_costs_no_more_than_its_limits(tmp_path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Big")
    for _ in range(3_000):
        sheet.append(["x" * 20] * 150)
    content = saved(book.save)
    with pytest.raises(TragError) as caught:
        read(content, "big.xlsx", Limits(processor_seconds=1))
    assert caught.value.message.startswith("big.xlsx takes more than 1 second")
