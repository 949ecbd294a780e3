"""What is told of a file that a reader is tried on."""

from pathlib import Path
from typing import Any

import pytest

from bench.conformance.__main__ import judged
from tests.trag.ingest.made import drawn, locked, slides, word, workbook

WORDS = "The committee meets every month in Oslo."


def struck(document: Any) -> None:
    document.add_paragraph("Leave.")
    document.add_paragraph().add_run("Formerly everybody could choose.").font.strike = True


@pytest.mark.parametrize(
    ("name", "content", "result"),
    [
        ("a.docx", word(lambda document: document.add_paragraph(WORDS)), "read"),
        (
            "a.pptx",
            slides(lambda show: setattr(show.slides.add_slide(show.slide_layouts[5]).shapes.title, "text", WORDS)),
            "read",
        ),
        ("a.xlsx", workbook(lambda book: book.active.append((WORDS,))), "read"),
        ("a.pdf", drawn(lambda canvas: canvas.drawString(72, 700, WORDS)), "read"),
        ("a.csv", WORDS.encode("utf-16"), "read"),
        ("a.md", f"[{WORDS}](http://example.org/elsewhere)".encode(), "read"),
        ("a.pdf", locked(drawn(lambda canvas: canvas.drawString(72, 700, WORDS))), "refused"),
        ("a.docx", word(struck), "short, told"),
        ("a.html", f"<body><p>Leave.</p><canvas>{WORDS}</canvas></body>".encode(), "short, silent"),
    ],
    ids=["word", "slides", "workbook", "pdf", "csv", "markdown", "locked", "struck out", "lost"],
)
def test_a_file_is_read_refused_or_short_of_its_words(name: str, content: bytes, result: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert judged(path)[0] == result
