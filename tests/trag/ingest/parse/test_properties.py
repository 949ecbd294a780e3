"""What files say of their own validity, in made files of each format: where it stands, and in which words."""

import io
import zipfile

import pytest

from store.standing import Found
from trag.ingest.parse import parse
from trag.ingest.reading import Reading, Stated
from trag.ingest.validity import found

CUSTOM = """<?xml version="1.0" encoding="UTF-8"?><Properties
xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"
xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes">
<property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="2" name="Effective date"><vt:filetime>2025-03-01T00:00:00Z
</vt:filetime></property><property fmtid="{D5CDD505-2E9C-101B-9397-08002B2CF9AE}" pid="3" name="Document owner">
<vt:lpwstr>Human Resources</vt:lpwstr></property></Properties>"""


def word() -> bytes:
    import docx

    document = docx.Document()
    document.core_properties.content_status = "Draft"
    document.core_properties.language = "de-DE"
    document.add_heading("Leave", 1)
    document.add_heading("Document control", 2)
    table = document.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, (("Review date", "1. März 2027"), ("Supersedes", "Leave 2020")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.add_paragraph("Ask two weeks before.")
    document.save(made := io.BytesIO())
    with zipfile.ZipFile(made, "a") as container:
        container.writestr("docProps/custom.xml", CUSTOM)
    return made.getvalue()


def title_page() -> bytes:
    import docx

    document = docx.Document()
    document.core_properties.language = ""
    document.add_heading("Leave", 0)
    for line in ("Status: Draft", "Supersedes: B 2", "Owner - nobody", ""):
        document.add_paragraph(line)
    document.add_paragraph("Ask two weeks before.")
    document.save(made := io.BytesIO())
    return made.getvalue()


def pdf() -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(made := io.BytesIO())
    for at, line in enumerate(("Ask two weeks before.", "Document owner: HR", "Supersedes: Leave 2020")):
        canvas.drawString(72, 700 - 14 * at, line)
    canvas.save()
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(PdfReader(made))
    writer.add_metadata({"/ValidFrom": "x", "/Valid from": "March 2025", "/Author": "Ann"})
    writer.write(changed := io.BytesIO())
    return changed.getvalue()


MARKDOWN = b"""---
title: Leave
status: draft
owner: "Human Resources"
valid_from: 2025-03-01
supersedes:
  - leave-2020.md
  - leave-2018.md
tags: [a, b]
---
# Leave

Ask two weeks before.
"""
HTML = b"""<html lang="fr"><head><meta name="DC.replaces" content="leave-2020">
<meta name="valid-to" content="31/12/2026">
<meta name="description" content="valid from 2020"></head><body><h1>Leave</h1><p>Ask two weeks before.</p>
<table><tr><td>Status</td><td>Draft</td></tr><tr><td>Owner</td><td>HR</td></tr></table></body></html>"""
TABLE = (
    b"# Leave\n\n| Version | Owner | Valid from |\n|---|---|---|\n| 3 | HR | 03/04/2025 |\n\nAsk two weeks before.\n"
)
TITLE = b"""Leave of absence

Document owner: Human Resources
Effective from: 1 March 2025
Time: 10:30

1 Asking

Ask two weeks before.
"""
PLAIN = (
    b"# Owner: nobody\n\nThe status of the owner is valid from 2020.\n\n| Grade | Days |\n|---|---|\n| Owner | 3 |\n"
)


@pytest.mark.parametrize(
    ("content", "suffix", "said"),
    [
        (
            MARKDOWN,
            ".md",
            [
                Stated("status", "draft", "front matter"),
                Stated("owner", "Human Resources", "front matter"),
                Stated("valid_from", "2025-03-01", "front matter"),
                Stated("supersedes", "leave-2020.md; leave-2018.md", "front matter"),
            ],
        ),
        (
            HTML,
            ".html",
            [
                Stated("language", "fr", "<html lang>"),
                Stated("supersedes", "leave-2020", "meta tag"),
                Stated("valid_to", "31/12/2026", "meta tag"),
                Stated("status", "Draft", "Leave"),
                Stated("owner", "HR", "Leave"),
            ],
        ),
        (
            word(),
            ".docx",
            [
                Stated("valid_from", "2025-03-01", "custom properties"),
                Stated("owner", "Human Resources", "custom properties"),
                Stated("language", "de-DE", "properties"),
                Stated("status", "Draft", "properties"),
                Stated("review", "1. März 2027", "Document control"),
                Stated("supersedes", "Leave 2020", "Document control"),
            ],
        ),
        (
            pdf(),
            ".pdf",
            [
                Stated("valid_from", "March 2025", "PDF properties"),
                Stated("owner", "HR", "first page"),
                Stated("supersedes", "Leave 2020", "first page"),
            ],
        ),
        (
            TITLE,
            ".txt",
            [Stated("owner", "Human Resources", "first page"), Stated("valid_from", "1 March 2025", "first page")],
        ),
        (title_page(), ".docx", [Stated("status", "Draft", "first page"), Stated("supersedes", "B 2", "first page")]),
        (TABLE, ".md", [Stated("owner", "HR", "Leave"), Stated("valid_from", "03/04/2025", "Leave")]),
    ],
    ids=["markdown", "html", "word", "pdf", "title page", "title page in word", "table"],
)
def test_what_a_file_says(content: bytes, suffix: str, said: list[Stated]) -> None:
    reading = parse(content, suffix)
    assert sorted(reading.stated, key=str) == sorted(said, key=str)
    assert Reading.from_json(reading.to_json()) == reading


def test_words_of_the_text_say_nothing() -> None:
    assert parse(PLAIN, ".md").stated == ()


def test_what_is_plain_is_read_and_the_rest_is_asked() -> None:
    stated = [
        Stated("status", "Draft", "a"),
        Stated("owner", "HR", "a"),
        Stated("supersedes", "leave-2020; Leave-2018", "a"),
        Stated("language", "German", "a"),
        Stated("review", "2027-01-01", "a"),
        Stated("review", "2028-01-01", "b"),
        Stated("status", "Final", "b"),
    ]
    documents = ["leave-2020.md", "old/leave-2018.md", "Leave-2018.md"]
    assert found(stated, "leave.md", documents) == (
        Found("status", "Draft / Final", "a, b"),
        Found("person", "HR", "a", "HR"),
        Found("supersedes", "leave-2020; Leave-2018", "a", ""),
        Found("language", "German", "a"),
        Found("review", "2027-01-01 / 2028-01-01", "a, b"),
    )
    (one,) = found([Stated("supersedes", "leave-2020", "a")], "leave.md", documents)
    assert one.value == "leave-2020.md"
