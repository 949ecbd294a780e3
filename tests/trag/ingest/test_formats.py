"""Every format through the limited child, where a library that opens what it must not would be stopped."""

import re
import zipfile
from io import BytesIO
from typing import Any

import pytest

from tests.trag.ingest.made import drawn, locked, slides, word, workbook
from trag.errors import TragError
from trag.ingest.parse import parse
from trag.ingest.parse.formats import FORMATS, PICTURES
from trag.ingest.passages import sections
from trag.ingest.reading import read
from trag.sandbox import Limits

TEXT = "The committee meets every month in Oslo."


def pdf(pages: int = 1) -> bytes:
    def draw(canvas: Any) -> None:
        across, down = divmod(canvas.getPageNumber(), 26)
        canvas.drawString(72, 700, TEXT if pages == 1 else f"{TEXT} {chr(97 + down)}{chr(97 + across % 26)}")

    return drawn(*[draw] * pages)


def titled(presentation: Any) -> None:
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    slide.shapes.add_textbox(0, 0, 1, 1).text_frame.text = TEXT


CONTENTS = {
    ".docx": word(lambda document: document.add_paragraph(TEXT)),
    ".pptx": slides(titled),
    ".xlsx": workbook(lambda book: book.active.append((TEXT,))),
    ".pdf": pdf(),
    ".csv": f'"{TEXT}","",""\n'.encode(),
    ".html": f"<html><script src='http://127.0.0.1:9/x.js'></script><link href='http://127.0.0.1:9/x.css'><p>{TEXT}</p></html>".encode(),
    ".md": TEXT.encode(),
    ".txt": TEXT.encode(),
}
"""A file of each format but pictures."""


@pytest.mark.slow
@pytest.mark.parametrize("suffix", CONTENTS)
def test_every_format_is_read_in_the_child(suffix: str) -> None:
    assert {FORMATS[suffix] for suffix in CONTENTS} == {*FORMATS.values()} - PICTURES
    content = locked(CONTENTS[suffix], "") if suffix == ".pdf" else CONTENTS[suffix]
    reading = read(content, f"rules{suffix}", Limits())
    assert [section.text for section in sections(reading.blocks, "rules")] == [TEXT]
    assert reading.notes == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "other"), [(".pdf", ".docx"), (".docx", ".pdf"), (".xlsx", ".pptx"), (".pptx", ".html")]
)
def test_a_mislabelled_file_is_known_by_its_content(suffix: str, other: str) -> None:
    with pytest.raises(TragError) as caught:
        read(CONTENTS[other], f"rules{suffix}", Limits())
    assert caught.value.message.startswith(f"rules{suffix} is n"), caught.value.message
    assert caught.value.hint


@pytest.mark.slow
def test_a_pdf_of_2_000_pages_is_read_whole_in_little_memory() -> None:
    reading = read(pdf(2_000), "long.pdf", Limits(memory_bytes=240 << 20, processor_seconds=15))
    assert (reading.pages, len(reading.blocks)) == (2_000, 2_000)


def test_a_pdf_of_too_many_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trag.ingest.parse.pdf.PAGES", 5)
    with pytest.raises(TragError) as caught:
        parse(pdf(6), ".pdf")
    assert caught.value.message == "has 6 pages; from 1 to 5 are read."


@pytest.mark.slow
def test_a_workbook_that_swells_costs_no_more_than_its_limits() -> None:
    small, swollen = BytesIO(workbook(lambda book: book.active.append(["x" * 20] * 150))), BytesIO()
    with zipfile.ZipFile(small) as before, zipfile.ZipFile(swollen, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.namelist():
            after.writestr(entry, re.sub(b"<row.*</row>", lambda row: row[0] * 3_000, before.read(entry)))
    with pytest.raises(TragError) as caught:
        read(swollen.getvalue(), "big.xlsx", Limits(processor_seconds=1))
    assert caught.value.message.startswith("big.xlsx takes more than 1 second")
