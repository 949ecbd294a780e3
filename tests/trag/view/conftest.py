"""PDF pages drawn word for word where a test wants them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest


@pytest.fixture
def drawn() -> Callable[..., bytes]:
    """Makes a PDF of pages, each a list of (x, y, text), y upwards in points, all in one font."""
    from reportlab.pdfgen.canvas import Canvas

    def make(*pages: Sequence[tuple[float, float, str]], font: str = "Helvetica", **options: Any) -> bytes:
        file = io.BytesIO()
        canvas = Canvas(file, **options)
        for page in pages:
            canvas.setFont(font, 12)
            for x, y, text in page:
                canvas.drawString(x, y, text)
            canvas.showPage()
        canvas.save()
        return file.getvalue()

    return make


@pytest.fixture
def changed() -> Callable[..., bytes]:
    """A PDF with entries of its first page set to what a test wants."""
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import ArrayObject, FloatObject, NameObject, NumberObject

    def change(content: bytes, **entries: Any) -> bytes:
        writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
        for key, value in entries.items():
            made = ArrayObject(map(FloatObject, value)) if isinstance(value, list) else NumberObject(value)
            writer.pages[0][NameObject(f"/{key}")] = made
        file = io.BytesIO()
        writer.write(file)
        return file.getvalue()

    return change
