"""What documents call themselves."""

import io

import pytest
from docx import Document as Word
from openpyxl import Workbook
from reportlab.pdfgen.canvas import Canvas

from trag.ingest.parse.formats import parse
from trag.ingest.titles import LONGEST, title_of


def pdf(title: str, *lines: str) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.setTitle(title)
    for number, line in enumerate(lines):
        canvas.drawString(72, 770 - 30 * number, line)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def word(title: str, *lines: str, heading: str = "") -> bytes:
    document, file = Word(), io.BytesIO()
    document.core_properties.title = title
    if heading:
        document.add_heading(heading, 0)
    for line in lines:
        document.add_paragraph(line)
    document.save(file)
    return file.getvalue()


def workbook(title: str, *lines: str) -> bytes:
    book, file = Workbook(), io.BytesIO()
    book.properties.title = title
    for row in (*([line] for line in lines), [], ["Space", "Price"], ["Car", 40], ["Bicycle", 5]):
        book.active.append(row)
    book.save(file)
    return file.getvalue()


LINES = ("Parking and bicycles", "A space costs 40 a month and is paid in advance.")


@pytest.mark.parametrize(
    ("content", "suffix", "title"),
    [
        pytest.param(b"# Parking\n\nA space costs 40.\n\n## Fees\n\n40.", ".md", "Parking", id="the one heading above"),
        pytest.param(b"Intro.\n\n# Fees\n\n40.\n\n# Rules\n\nNone.", ".md", "", id="text before the first heading"),
        pytest.param(b"# Fees\n\n40.\n\n# Rules\n\nNone.", ".md", "Fees", id="the heading that it begins with"),
        pytest.param(b"# 1. Fees\n\n40.\n\n# 2. Rules\n\nNone.", ".md", "", id="begins with one of many"),
        pytest.param(f"# {'x' * LONGEST}x\n\n40.".encode(), ".md", "", id="too long"),
        pytest.param(pdf("Parking and Bicycles", *LINES), ".pdf", "Parking and Bicycles", id="PDF"),
        pytest.param(pdf("untitled", LINES[1]), ".pdf", "", id="PDF by a program"),
        pytest.param(pdf("Microsoft Word - parking.doc", *LINES), ".pdf", LINES[0], id="PDF printed by Word"),
        pytest.param(pdf("A", LINES[1]), ".pdf", "", id="one word that begins a line"),
        pytest.param(word("Parking and bicycles", *LINES), ".docx", "Parking and bicycles", id="Word"),
        pytest.param(word("Template for letters", *LINES, heading="Parking"), ".docx", "Parking", id="of a template"),
        pytest.param(workbook("Parking and bicycles", *LINES), ".xlsx", "Parking and bicycles", id="Excel"),
        pytest.param(workbook("", *LINES), ".xlsx", "", id="a sheet has a name of its own"),
        pytest.param(
            b"<html><head><title>Parking \xe2\x80\x93 charter</title></head><body><h3>City of Ely</h3><h3>Parking</h3>"
            b"<h3>Charter</h3><p>A space costs 40.</p></body></html>",
            ".html",
            "Parking – charter",
            id="HTML, over a letterhead",
        ),
        pytest.param(b"<title>Home</title><h1>Parking</h1><p>A space costs 40.</p>", ".html", "Parking", id="HTML"),
    ],
)
def test_a_document_is_called_what_it_calls_itself(content: bytes, suffix: str, title: str) -> None:
    assert title_of(parse(content, suffix)) == title
