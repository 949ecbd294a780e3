"""Small files of every format, made by other libraries than those that read them (but for Word)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pptx
from PIL import Image
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

Build = Callable[[Any], Any]


def saved(save: Build) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


def word(build: Build) -> bytes:
    document = docx.Document()
    build(document)
    return saved(document.save)


def workbook(build: Build) -> bytes:
    book = openpyxl.Workbook()
    build(book)
    return saved(book.save)


def slides(build: Build) -> bytes:
    presentation = pptx.Presentation()
    build(presentation)
    return saved(presentation.save)


def drawn(*draws: Build) -> bytes:
    """A PDF of one page for each function, which draws it."""
    file = io.BytesIO()
    canvas = Canvas(file)
    for draw in draws:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def changed(content: bytes, change: Build) -> bytes:
    """A PDF after what pypdf's writer of it was told."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    change(writer)
    return saved(writer.write)


def locked(content: bytes, password: str = "secret", algorithm: str = "AES-256") -> bytes:
    """A PDF that opens with a password, "" for none."""
    return changed(content, lambda writer: writer.encrypt(password, "owner", algorithm=algorithm))


def picture(side: int = 20) -> io.BytesIO:
    file = io.BytesIO()
    Image.new("L", (side, side)).save(file, "PNG", dpi=(72, 72))
    file.seek(0)
    return file
