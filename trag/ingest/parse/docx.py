"""Word documents: headings by style, lists and tables in document order, numbers as Word counts them. Knows no other
format.

Follows no link out of the file. Headers, footers, comments, footnotes and deleted text are left out.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn

from trag.errors import TragError
from trag.ingest.blocks import Block, Reading
from trag.ingest.parse.docx_numbers import Numbers, value
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.tables import with_header

ENTRIES = 5_000
BYTES = 400_000_000
RATIO = 200
"""What the container may hold: entries, bytes unpacked, and bytes unpacked for each packed one in a large entry."""

_DECLARATION = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)", re.IGNORECASE)
_BOLD = 10
"""The level of a paragraph that is bold from end to end: a heading below Word's nine."""
_AROUND = {qn(name) for name in ("w:sdt", "w:sdtContent", "w:customXml")}
_CHARACTERS = {qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:tab"): " ", qn("w:noBreakHyphen"): "-"}
_LEFT_OUT = {qn(name) for name in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:instrText", "w:delText")} | {
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}


def parse(content: bytes) -> Reading:
    """A .docx file. Raises TragError for a container that is damaged, unpacks to too much, or declares entities."""
    _screen(content)
    try:
        document = docx.Document(io.BytesIO(content))
    except (PackageNotFoundError, KeyError, ValueError, SyntaxError, zipfile.BadZipFile) as error:
        raise TragError(
            f"is a damaged Word document ({error}).", "Open it in Word, save it again and ingest that."
        ) from error
    found = list(_Body(document).blocks())
    styled = any(block.kind == "heading" and 0 < block.level < _BOLD for block in found)
    return Reading("Word", tuple(found) if styled else promote(found))


def _screen(content: bytes) -> None:
    """Refuses before anything is unpacked what would unpack to too much, and XML that could grow or reach out."""
    try:
        container = zipfile.ZipFile(io.BytesIO(content))
        entries = container.infolist()
        size = sum(entry.file_size for entry in entries)
        swollen = [
            entry
            for entry in entries
            if entry.file_size > 10_000_000 and entry.file_size > RATIO * max(entry.compress_size, 1)
        ]
        if len(entries) > ENTRIES or size > BYTES or swollen:
            raise TragError(
                f"unpacks to {size:,} bytes in {len(entries)} parts: it looks like a ZIP bomb.",
                f"At most {BYTES:,} bytes in {ENTRIES} parts are read, none packed more than {RATIO} to 1.",
            )
        for entry in entries:
            if entry.filename.endswith((".xml", ".rels")) and _DECLARATION.search(container.read(entry)):
                raise TragError(
                    "declares XML entities, which no Word document needs.", "Do not open it; ask where it comes from."
                )
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        raise TragError(
            f"is a damaged Word document ({error}).", "Open it in Word, save it again and ingest that."
        ) from error


class _Body:
    """The walk over one document, in whose course its numbered paragraphs are counted."""

    def __init__(self, document: Document) -> None:
        self._root = document.element.body
        self._styles = {style.style_id: style.element for style in document.styles}
        numbering = [part for part in document.part.related_parts.values() if part.partname.endswith("/numbering.xml")]
        self._numbers = Numbers(numbering[0].element if numbering else None, self._styles)

    def blocks(self) -> Iterator[Block]:
        """Paragraphs, items, headings and tables, in order."""
        return self._inside(self._root)

    def _inside(self, parent: Any) -> Iterator[Block]:
        for element in parent:
            if element.tag == qn("w:p"):
                yield from self._paragraph(element)
            elif element.tag == qn("w:tbl"):
                yield Block("table", rows=_rows(element))
            elif element.tag in _AROUND:
                yield from self._inside(element)

    def _paragraph(self, paragraph: Any) -> Iterator[Block]:
        mark, depth = self._numbers.mark(paragraph)
        text = _text(paragraph)
        style = value(paragraph, "w:pPr/w:pStyle")
        names = [value(self._styles[id_], "w:name").lower() for id_ in self._ancestry(style)]
        if not text or any(name.startswith("toc ") for name in names):
            return
        level = self._heading_level(paragraph, style, names)
        if level is not None:
            yield Block("heading", f"{mark} {text}".strip().replace("\n", " "), level)
        elif mark:
            yield Block("item", f"{mark} {text}".replace("\n", " "), depth)
        elif any(name.startswith("list ") for name in names):
            yield Block("item", f"- {text}".replace("\n", " "), 1)
        elif len(text) <= LONGEST and text[-1] not in ".,;:" and _is_bold(paragraph):
            yield Block("heading", text.replace("\n", " "), _BOLD)
        else:
            yield Block("paragraph", text)

    def _heading_level(self, paragraph: Any, style: str, names: list[str]) -> int | None:
        """0 for the title, 1 to 9 for a heading by the name of its style or by its outline level, None for neither."""
        if "title" in names:
            return 0
        for name in names:
            if match := re.fullmatch(r"heading (\d)", name):
                return int(match[1])
        outlines = [value(paragraph, "w:pPr/w:outlineLvl")]
        outlines += [value(self._styles[id_], "w:pPr/w:outlineLvl") for id_ in self._ancestry(style)]
        outline = next((value for value in outlines if value.isdecimal()), "9")
        return int(outline) + 1 if int(outline) < 9 else None

    def _ancestry(self, style: str) -> list[str]:
        """A style and those it is based on, nearest first."""
        found: list[str] = []
        while style in self._styles and style not in found:
            found.append(style)
            style = value(self._styles[style], "w:basedOn")
        return found


def _text(element: Any) -> str:
    return "".join(_pieces(element)).strip()


def _pieces(element: Any) -> Iterator[str]:
    """The text that shows: insertions with the rest, without what is deleted, hidden, or repeated for older Words."""
    for child in element:
        if child.tag == qn("w:t"):
            yield child.text or ""
        elif child.tag in _CHARACTERS:
            yield _CHARACTERS[child.tag]
        elif child.tag == qn("w:r") and child.find(f"{qn('w:rPr')}/{qn('w:vanish')}") is not None:
            continue
        elif child.tag not in _LEFT_OUT:
            if child.tag == qn("w:p"):  # of a cell or a text box
                yield "\n"
            yield from _pieces(child)


def _is_bold(paragraph: Any) -> bool:
    runs = [run for run in paragraph.iter(qn("w:r")) if _text(run)]
    bolds = [run.find(f"{qn('w:rPr')}/{qn('w:b')}") for run in runs]
    return bool(runs) and all(bold is not None and bold.get(qn("w:val"), "1") not in ("0", "false") for bold in bolds)


def _rows(table: Any) -> tuple[tuple[str, ...], ...]:
    """The cells of a table, merged ones filled in where they reach to."""
    rows: list[list[str]] = []
    marked = False
    for row in table.iter(qn("w:tr")):
        if row.getparent() is not table:
            continue
        cells: list[str] = []
        for cell in row.iter(qn("w:tc")):
            if cell.getparent() is not row and cell.getparent().tag != qn("w:sdtContent"):
                continue
            span = value(cell, "w:tcPr/w:gridSpan")
            merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            goes_on = merge is not None and merge.get(qn("w:val")) != "restart"
            above = rows[-1][len(cells)] if goes_on and rows and len(cells) < len(rows[-1]) else ""
            cells += [above if goes_on else _text(cell)] * (min(int(span), 100) if span.isdecimal() else 1)
        marked = marked or (not rows and row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None)
        rows.append(cells)
    first = [run for run in table.iterfind(f"{qn('w:tr')}[1]//{qn('w:p')}") if _text(run)]
    return with_header(rows, marked=marked or (len(rows) > 1 and bool(first) and all(map(_is_bold, first))))
