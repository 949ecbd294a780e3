"""Word documents: headings by style, lists and tables in document order, numbers as Word counts them, equations on one
line. Knows no other format.

Follows no link out of the file. A footnote or endnote is read after the paragraph or table that refers to it. Headers,
footers, comments, hidden and deleted text are left out. What pictures, charts and diagrams show is not read, and the
notes of the reading say where they are.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from trag.ingest.blocks import Block, Reading
from trag.ingest.parse.captions import belongs_to_table
from trag.ingest.parse.characters import counted
from trag.ingest.parse.container import damaged, screen
from trag.ingest.parse.docx_equations import PARTS, on_one_line
from trag.ingest.parse.docx_numbers import Numbers, value
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.pictures import among, is_told, is_told_in_office, unread
from trag.ingest.parse.tables import with_header

_WHAT = "Word document"
_BOLD = 10
"""The level of a paragraph that is bold from end to end: a heading below Word's nine."""
_AROUND = {qn(name) for name in ("w:sdt", "w:sdtContent", "w:customXml")}
_FOOTNOTES = {kind: qn(f"w:{kind}Reference") for kind in ("footnote", "endnote")}
_RUNS = {qn("w:r"), qn("m:r")}
_TEXTS = {qn("w:t"), qn("m:t")}
_CHARACTERS = {qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:tab"): " ", qn("w:noBreakHyphen"): "-"}
_LEFT_OUT = {qn(name) for name in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:instrText", "w:delText")} | {
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
}
_DRAWINGS = {qn("wp:inline"), qn("wp:anchor")}
_SHOWN = (qn("pic:pic"), qn("c:chart"), "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds")
_OLD = "{urn:schemas-microsoft-com:vml}"
_OLD_SIZE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([\d.]+)pt")


def parse(content: bytes) -> Reading:
    """A .docx file. Raises TragError for a container that is damaged, unpacks to too much, or declares entities."""
    notes = screen(content, _WHAT)
    try:
        document = docx.Document(io.BytesIO(content))
        body = _Body(document)
        found = list(body.blocks())
    except (PackageNotFoundError, KeyError, ValueError, SyntaxError, AttributeError, zipfile.BadZipFile) as error:
        raise damaged(_WHAT, error) from error
    if comments := sum(1 for _ in document.comments):
        notes = (*notes, f"{counted(comments, 'comment')} left out")
    notes = (*notes, *unread(len(body.pictures), among("section", body.pictures)))
    styled = any(block.kind == "heading" and 0 < block.level < _BOLD for block in found)
    return Reading("Word", tuple(found) if styled else promote(found), notes=notes)


class _Body:
    """The walk over one document, in whose course its numbered paragraphs are counted. `pictures` has the heading over
    each picture so far, "" where none is above it."""

    def __init__(self, document: Document) -> None:
        self._root = document.element.body
        self._styles = {style.style_id: style.element for style in document.styles}
        numbering = [part for part in document.part.related_parts.values() if part.partname.endswith("/numbering.xml")]
        self._numbers = Numbers(numbering[0].element if numbering else None, self._styles)
        self._footnotes = _footnotes(document)
        self._told = 0  # footnotes, so far
        self._heading = ""
        self.pictures: list[str] = []

    def blocks(self) -> Iterator[Block]:
        """Paragraphs, items, headings and tables, in order."""
        for block in self._inside(self._root):
            if block.kind == "heading":
                self._heading = block.text
            yield block

    def _inside(self, parent: Any) -> Iterator[Block]:
        for element in parent:
            if element.tag == qn("w:p"):
                yield from self._paragraph(element)
                yield from self._referred(element)
                self.pictures += [self._heading] * _pictures(element)
            elif element.tag == qn("w:tbl"):
                if _is_layout(element):
                    for cell in element.iterfind(f"{qn('w:tr')}/{qn('w:tc')}"):
                        yield from self._inside(cell)
                else:
                    yield Block("table", rows=_rows(element))
                    yield from self._referred(element)
                    self.pictures += [self._heading] * _pictures(element)
            elif element.tag in _AROUND:
                yield from self._inside(element)

    def _referred(self, element: Any) -> Iterator[Block]:
        """The footnotes and endnotes that an element refers to."""
        for reference in element.iter(*_FOOTNOTES.values()):
            if text := self._footnotes.get((reference.tag, reference.get(qn("w:id")))):
                self._told += 1
                yield Block("paragraph", f"Note {self._told}: {text}")

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
        elif len(text) <= LONGEST and text[-1] not in ".,;:" and not belongs_to_table(text) and _is_bold(paragraph):
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


def _footnotes(document: Document) -> dict[tuple[str, str | None], str]:
    """The texts of footnotes and endnotes by the tag of what refers to them, and their id."""
    found: dict[tuple[str, str | None], str] = {}
    for part in document.part.related_parts.values():
        for kind, tag in _FOOTNOTES.items():
            if part.partname.endswith(f"/{kind}s.xml"):
                for note in parse_xml(part.blob).iterfind(qn(f"w:{kind}")):
                    if note.get(qn("w:type")) is None:  # else it is the line that parts footnotes from the text
                        found[tag, note.get(qn("w:id"))] = " ".join(_text(note).split())
    return found


def _is_layout(table: Any) -> bool:
    """Whether a table only sets things side by side: it is one cell, or holds headings or another table."""
    nested = table.find(f".//{qn('w:tbl')}") is not None
    styles = (style.get(qn("w:val"), "") for style in table.iter(qn("w:pStyle")))
    return nested or len(list(table.iter(qn("w:tc")))) == 1 or any(style.startswith("Heading") for style in styles)


def _text(element: Any) -> str:
    return "".join(_pieces(element)).strip()


def _pieces(element: Any) -> Iterator[str]:
    """The text that shows: insertions with the rest, without what is deleted, hidden, or repeated for older Words."""
    for child in element:
        if child.tag in _TEXTS:
            yield child.text or ""
        elif child.tag in _CHARACTERS:
            yield _CHARACTERS[child.tag]
        elif child.tag in PARTS:
            yield on_one_line(child, _text(child))
        elif not _is_left_out(child):
            if child.tag == qn("w:p"):  # of a cell or a text box
                yield "\n"
            yield from _pieces(child)


def _is_left_out(element: Any) -> bool:
    hidden = element.tag in _RUNS and element.find(f"{qn('w:rPr')}/{qn('w:vanish')}") is not None
    return hidden or element.tag in _LEFT_OUT


def _pictures(element: Any) -> int:
    """How many pictures, charts and diagrams an element shows."""
    count = 0
    for child in element:
        if child.tag in _DRAWINGS:
            extent = child.find(qn("wp:extent"))
            sizes = (None, None) if extent is None else (int(extent.get("cx", 0)), int(extent.get("cy", 0)))
            count += next(child.iter(*_SHOWN), None) is not None and is_told_in_office(child, *sizes)
        elif child.tag == f"{_OLD}shape":
            old = dict(_OLD_SIZE.findall(child.get("style", "")))
            width, height = (float(old[side]) if side in old else None for side in ("width", "height"))
            count += child.find(f"{_OLD}imagedata") is not None and is_told(width, height)
        elif child.tag != qn("w:object") and not _is_left_out(child):
            count += _pictures(child)
    return count


def _is_bold(paragraph: Any) -> bool:
    runs = [run for run in paragraph.iter(qn("w:r")) if _text(run)]
    bolds = [run.find(f"{qn('w:rPr')}/{qn('w:b')}") for run in runs]
    return bool(runs) and all(bold is not None and bold.get(qn("w:val"), "1") not in ("0", "false") for bold in bolds)


def _rows(table: Any) -> tuple[tuple[str, ...], ...]:
    """The cells of a table, merged ones filled in where they reach to."""
    rows: list[list[str]] = []
    marked = 0
    for row in table.iterfind(qn("w:tr")):
        cells: list[str] = []
        for cell in row.iter(qn("w:tc")):
            if cell.getparent() is not row and cell.getparent().tag != qn("w:sdtContent"):
                continue
            span = value(cell, "w:tcPr/w:gridSpan")
            merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            goes_on = merge is not None and merge.get(qn("w:val")) != "restart"
            above = rows[-1][len(cells)] if goes_on and rows and len(cells) < len(rows[-1]) else ""
            cells += [above if goes_on else _text(cell)] * (min(int(span), 100) if span.isdecimal() else 1)
        is_header = row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None
        marked += is_header and marked == len(rows)
        rows.append(cells)
    first = [run for run in table.iterfind(f"{qn('w:tr')}[1]//{qn('w:p')}") if _text(run)]
    return with_header(rows, marked=marked or (len(rows) > 1 and bool(first) and all(map(_is_bold, first))))
