"""Word documents: headings by style, lists and tables in document order, numbers as Word counts them, equations on one
line.

Follows no link out of the file. A footnote or endnote is read after the paragraph or table that refers to it. Headers,
footers, comments, hidden and deleted text are left out. What was read off a picture stands after the paragraph or table
that shows it; the notes of the reading say where pictures, charts and diagrams are that were not read.
"""

from __future__ import annotations

import email
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from trag.ingest.parse.characters import counted
from trag.ingest.parse.container import ERRORS, damaged, readable, screen
from trag.ingest.parse.docx_contents import contents, without_contents
from trag.ingest.parse.docx_numbers import Numbers, ancestry, value
from trag.ingest.parse.docx_text import Text, cells, table_rows, write_boxes
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.marks import left_out, settled
from trag.ingest.parse.picture_words import Pictures
from trag.ingest.parse.pictures import among, embedded, is_counted, is_counted_in_office, unread
from trag.ingest.parse.tables import belongs_to_table, is_layout, with_header
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

_WHAT = "Word document"
_BOLD = 10
"""The level of a paragraph that is bold from end to end: a heading below Word's nine."""
_AROUND = {qn(name) for name in ("w:sdt", "w:sdtContent", "w:customXml")}
_FOOTNOTES = {kind: qn(f"w:{kind}Reference") for kind in ("footnote", "endnote")}
_DRAWINGS = {qn("wp:inline"), qn("wp:anchor")}
_SHOWN = (qn("pic:pic"), qn("c:chart"), "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds")
_OLD = "{urn:schemas-microsoft-com:vml}"
_OLD_SIZE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([\d.]+)pt")
_HEADING = re.compile(r"heading \d")
_FURNITURE = re.compile(r"/(header|footer)\d*\.xml$")
_LETTERS = re.compile(r"[^\W\d_]+")
_WIDEST = 100
"""Columns that a cell reaches over at most."""


def parse(content: bytes, scans: Sequence[ScannedPage] = ()) -> Reading:
    """A .docx file; `scans` are what was read of its pictures. Raises TragError for a container that is damaged,
    unpacks to too much, or declares entities."""
    notes = screen(content, _WHAT)
    try:
        document = docx.Document(io.BytesIO(readable(content)))
        body = _Body(document, Pictures(content, "docx", scans))
        write_boxes(document.element.body)
        found = list(body.blocks(document.element.body))
        lost = body.text.count_left_out(document.element.body)
    except (PackageNotFoundError, *ERRORS) as error:
        raise damaged(_WHAT, error) from error
    if comments := sum(1 for _ in document.comments):
        notes = (*notes, f"{counted(comments, 'comment')} left out")
    found, entries = without_contents(found)
    lost["contents line"] = body.entries + entries
    lost["embedded document"] = body.unread
    lost |= _furniture(document, found)
    places = body.pictures.unread
    notes = (*notes, *unread(len(places), among("section", places)), *left_out(lost))
    blocks = settled(found)
    styled = any(block.kind == "heading" and 0 < block.level < _BOLD for block in blocks)
    scanned = tuple(body.pictures.wanted)
    return Reading("Word", blocks if styled else promote(blocks), notes=notes, scanned=scanned)


class _Body:
    """The walk over one document, in whose course its numbered paragraphs are counted. The place of a picture is the
    heading over it, "" where there is none; `entries` counts the lines of tables of contents, `unread` what is embedded
    in the text of other formats."""

    def __init__(self, document: Document, pictures: Pictures) -> None:
        self._styles = {style.styleId: style for style in document.styles.element.style_lst}
        numbering = [part for part in document.part.related_parts.values() if part.partname.endswith("/numbering.xml")]
        self._numbers = Numbers(numbering[0].element if numbering else None, self._styles)
        self.text = Text(self._styles)
        self._footnotes = self._read_footnotes(document)
        self._contents = contents(document.element.body)
        self._parts = document.part.related_parts
        self._notes = 0  # footnotes, so far
        self._heading = ""
        self._relations = document.part.rels
        self.entries = 0
        self.unread = 0
        self.pictures = pictures

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Paragraphs, items, headings and tables inside an element, in order."""
        for element in parent:
            if element.tag == qn("w:p"):
                if block := self._paragraph(element):
                    self._heading = block.text if block.kind == "heading" else self._heading
                    yield block
            elif element.tag == qn("w:altChunk"):
                yield from self._embedded(element)
            elif element.tag == qn("w:tbl") and not self._is_layout(element):
                yield Block("table", rows=self._rows(element))
            else:
                rows = table_rows(element) if element.tag == qn("w:tbl") else ()
                for inside in [element] if element.tag in _AROUND else [cell for row in rows for cell in cells(row)]:
                    yield from self.blocks(inside)
                continue
            for reference in element.iter(*_FOOTNOTES.values()):
                if text := self._footnotes.get((reference.tag, reference.get(qn("w:id")))):
                    self._notes += 1
                    yield Block("paragraph", f"Note {self._notes}: {text}")
            for id in self._shown(element):
                yield from self.pictures.related(self._relations, id, self._heading)

    def _embedded(self, chunk: Any) -> Sequence[Block]:
        """The blocks of a page that another program has put in the place of text."""
        part = self._parts.get(chunk.get(qn("r:id")))
        page = None if part is None else part.blob
        if page is not None and part.partname.ext in ("mht", "mhtml", "eml"):
            mail = email.message_from_bytes(page)
            page = next(
                (each.get_payload(decode=True) for each in mail.walk() if "html" in each.get_content_type()), None
            )
        elif part is None or "htm" not in part.partname.ext:
            page = None
        if not isinstance(page, bytes):
            self.unread += 1
            return ()
        from trag.ingest.parse.html import parse as parse_page

        return parse_page(page).blocks

    def _paragraph(self, paragraph: Any) -> Block | None:
        mark, depth = self._numbers.mark(paragraph)
        text = self.text.of(paragraph)
        styles = [self._styles[id_] for id_ in ancestry(value(paragraph, "w:pPr/w:pStyle"), self._styles)]
        names = [value(style, "w:name").lower() for style in styles]
        if paragraph in self._contents or any(name.startswith("toc ") for name in names):
            self.entries += bool(text)
            return None
        if not text:
            return None
        # 0 for the title, 1 to 9 for a heading by the name of its style or by its outline level.
        levels = [int(name[-1]) for name in names if _HEADING.fullmatch(name)]
        outlines = (value(element, "w:pPr/w:outlineLvl") for element in (paragraph, *styles))
        outline = next((int(outline) for outline in outlines if outline.isdecimal()), 9)
        level = 0 if "title" in names else levels[0] if levels else outline + 1
        if level <= 9:
            return Block("heading", f"{mark} {text}".strip().replace("\n", " "), level)
        if mark:
            return Block("item", f"{mark} {text}".replace("\n", " "), depth)
        if any(name.startswith("list ") for name in names):
            return Block("item", f"- {text}".replace("\n", " "), 1)
        titled = len(text) <= LONGEST and text[-1] not in ".,;:" and not belongs_to_table(text)
        if titled and self._is_bold(paragraph):
            return Block("heading", text.replace("\n", " "), _BOLD)
        return Block("paragraph", text)

    def _read_footnotes(self, document: Document) -> dict[tuple[str, str | None], str]:
        """The texts of footnotes and endnotes by the tag of what refers to them, and their id."""
        found: dict[tuple[str, str | None], str] = {}
        for part in document.part.related_parts.values():
            for kind, tag in _FOOTNOTES.items():
                if part.partname.endswith(f"/{kind}s.xml"):
                    for note in parse_xml(part.blob).iterfind(qn(f"w:{kind}")):
                        if note.get(qn("w:type")) is None:  # else it is the line that parts footnotes from the text
                            found[tag, note.get(qn("w:id"))] = " ".join(self.text.of(note).split())
        return found

    def _is_layout(self, table: Any) -> bool:
        """Whether a table only sets things side by side."""
        grid = [list(cells(row)) for row in table_rows(table)]
        holding = [[self._holds_more(cell) for cell in row] for row in grid]
        return is_layout([[self.text.of(cell) for cell in row] for row in grid], holding)

    def _holds_more(self, cell: Any) -> bool:
        """Whether a cell holds a table, or a heading and something beside it."""
        if next(cell.iter(qn("w:tbl")), None) is not None:
            return True
        filled = [paragraph for paragraph in cell.iter(qn("w:p")) if self.text.of(paragraph)]
        return len(filled) > 1 and any(map(self._is_heading, filled))

    def _is_heading(self, paragraph: Any) -> bool:
        styles = ancestry(value(paragraph, "w:pPr/w:pStyle"), self._styles)
        return any(_HEADING.fullmatch(value(self._styles[id_], "w:name").lower()) for id_ in styles)

    def _is_bold(self, paragraph: Any) -> bool:
        runs = [run for run in paragraph.iter(qn("w:r")) if self.text.of(run)]
        bolds = [run.find(f"{qn('w:rPr')}/{qn('w:b')}") for run in runs]
        return bool(runs) and all(
            bold is not None and bold.get(qn("w:val"), "1") not in ("0", "false") for bold in bolds
        )

    def _rows(self, table: Any) -> tuple[tuple[str, ...], ...]:
        """The cells of a table, merged ones filled in where they reach to, left out ones empty."""
        rows: list[list[str]] = []
        marked = 0
        for row in table_rows(table):
            said: list[str] = [""] * _count(row, "w:trPr/w:gridBefore", 0)
            for cell in cells(row):
                down, across = (cell.find(f"{qn('w:tcPr')}/{qn(name)}") for name in ("w:vMerge", "w:hMerge"))
                text = self.text.of(cell)
                if down is not None and down.get(qn("w:val")) != "restart":
                    text = rows[-1][len(said)] if rows and len(said) < len(rows[-1]) else ""
                elif across is not None and across.get(qn("w:val")) != "restart" and said:
                    text = said[-1]
                said += [text] * _count(cell, "w:tcPr/w:gridSpan", 1)
            said += [""] * _count(row, "w:trPr/w:gridAfter", 0)
            is_header = row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None
            marked += is_header and marked == len(rows)
            rows.append(said)
        first = next(table_rows(table), None)
        names = [] if first is None else [each for each in first.iter(qn("w:p")) if self.text.of(each)]
        titled = all(self._is_bold(each) or self._is_heading(each) for each in names)
        return with_header(rows, marked=marked or (len(rows) > 1 and bool(names) and titled))

    def _shown(self, element: Any) -> Iterator[str]:
        """The ids of the pictures that an element shows; "" for a chart or a diagram."""
        for child in element:
            if child.tag in _DRAWINGS:
                extent = child.find(qn("wp:extent"))
                sizes = (None, None) if extent is None else (int(extent.get("cx", 0)), int(extent.get("cy", 0)))
                if is_counted_in_office(child, *sizes):
                    yield from map(embedded, child.iter(*_SHOWN))
            elif child.tag == f"{_OLD}shape":
                old = dict(_OLD_SIZE.findall(child.get("style", "")))
                width, height = (float(old[side]) if side in old else None for side in ("width", "height"))
                if (picture := child.find(f"{_OLD}imagedata")) is not None and is_counted(width, height):
                    yield picture.get(qn("r:id"), "")
            elif child.tag != qn("w:object") and not self.text.is_left_out(child):
                yield from self._shown(child)


def _furniture(document: Document, blocks: Sequence[Block]) -> Counter[str]:
    """How many headers and footers have words that the text does not have."""
    text = " ".join(part for block in blocks for part in (block.text, *(cell for row in block.rows for cell in row)))
    found: Counter[str] = Counter()
    for part in document.part.related_parts.values():
        if kind := _FURNITURE.search(part.partname):
            lines = parse_xml(part.blob).iter(qn("w:p"))
            words = _LETTERS.findall(
                " ".join("".join(each.text or "" for each in line.iter(qn("w:t"))) for line in lines)
            )
            found[f"page {kind[1]}"] += any(word not in text for word in words)
    return found


def _count(element: Any, path: str, usual: int) -> int:
    """A number of columns."""
    said = value(element, path)
    return min(int(said), _WIDEST) if said.isdecimal() else usual
