"""Word documents: headings by style, lists and tables in document order, numbers as Word counts them, equations on one
line.

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

from trag.ingest.parse.characters import counted
from trag.ingest.parse.container import damaged, screen
from trag.ingest.parse.docx_numbers import Numbers, ancestry, value
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.pictures import among, is_counted, is_counted_in_office, unread
from trag.ingest.parse.tables import belongs_to_table, with_header
from trag.ingest.reading import Block, Reading

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
_BEFORE = {"num": "", "den": "/", "sup": "^", "sub": "_", "lim": "_"}
"""What stands before a part of an equation that is drawn above or below its line."""
_SIMPLE = re.compile(r"[\w.,%]*|\([^()]*\)")
_PARTS = {qn(f"m:{name}"): name for name in (*_BEFORE, "deg", "rad", "d", "nary", "e", "mr")}
"""The names of the parts of equations by their tags."""
_SPACED = {qn(f"m:{name}") for name in ("e", "mr", "fName", "sup", "sub")}


def parse(content: bytes) -> Reading:
    """A .docx file. Raises TragError for a container that is damaged, unpacks to too much, or declares entities."""
    notes = screen(content, _WHAT)
    try:
        document = docx.Document(io.BytesIO(content))
        body = _Body(document)
        found = list(body.blocks(document.element.body))
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
        self._styles = {style.style_id: style.element for style in document.styles}
        numbering = [part for part in document.part.related_parts.values() if part.partname.endswith("/numbering.xml")]
        self._numbers = Numbers(numbering[0].element if numbering else None, self._styles)
        self._footnotes = _footnotes(document)
        self._notes = 0  # footnotes, so far
        self._heading = ""
        self.pictures: list[str] = []

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Paragraphs, items, headings and tables inside an element, in order."""
        for element in parent:
            if element.tag == qn("w:p"):
                if block := self._paragraph(element):
                    self._heading = block.text if block.kind == "heading" else self._heading
                    yield block
            elif element.tag == qn("w:tbl") and not _is_layout(element):
                yield Block("table", rows=_rows(element))
            else:
                cells = element.iterfind(f"{qn('w:tr')}/{qn('w:tc')}") if element.tag == qn("w:tbl") else ()
                for inside in [element] if element.tag in _AROUND else cells:
                    yield from self.blocks(inside)
                continue
            for reference in element.iter(*_FOOTNOTES.values()):
                if text := self._footnotes.get((reference.tag, reference.get(qn("w:id")))):
                    self._notes += 1
                    yield Block("paragraph", f"Note {self._notes}: {text}")
            self.pictures += [self._heading] * _pictures(element)

    def _paragraph(self, paragraph: Any) -> Block | None:
        mark, depth = self._numbers.mark(paragraph)
        text = _text(paragraph)
        styles = [self._styles[id_] for id_ in ancestry(value(paragraph, "w:pPr/w:pStyle"), self._styles)]
        names = [value(style, "w:name").lower() for style in styles]
        if not text or any(name.startswith("toc ") for name in names):
            return None
        # 0 for the title, 1 to 9 for a heading by the name of its style or by its outline level.
        levels = [int(name[-1]) for name in names if re.fullmatch(r"heading \d", name)]
        outlines = (value(element, "w:pPr/w:outlineLvl") for element in (paragraph, *styles))
        outline = next((int(outline) for outline in outlines if outline.isdecimal()), 9)
        level = 0 if "title" in names else levels[0] if levels else outline + 1
        if level <= 9:
            return Block("heading", f"{mark} {text}".strip().replace("\n", " "), level)
        if mark:
            return Block("item", f"{mark} {text}".replace("\n", " "), depth)
        if any(name.startswith("list ") for name in names):
            return Block("item", f"- {text}".replace("\n", " "), 1)
        if len(text) <= LONGEST and text[-1] not in ".,;:" and not belongs_to_table(text) and _is_bold(paragraph):
            return Block("heading", text.replace("\n", " "), _BOLD)
        return Block("paragraph", text)


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
        elif child.tag in _PARTS:
            yield _equation_part(child, _text(child))
        elif not _is_left_out(child):
            if child.tag == qn("w:p"):  # of a cell or a text box
                yield "\n"
            yield from _pieces(child)


def _equation_part(part: Any, text: str) -> str:
    """A part of an equation on one line, with the signs that are drawn with it: "(a+b)/2", "x^2", "√(y)"; `text` is
    what is in it, with theirs. Word stores the letters and draws what stands between them, without which 1/2 would be
    read as 12."""

    def sign(path: str, usual: str) -> str:
        found = part.find("/".join(map(qn, path.split("/"))))
        return usual if found is None else str(found.get(qn("m:val"), ""))

    match name := _PARTS[part.tag]:
        case "deg":
            return text and f"[{text}]"
        case "rad":
            return f"√{text}"
        case "nary":
            return sign("m:naryPr/m:chr", "∫") + text
        case "d":
            return sign("m:dPr/m:begChr", "(") + text + sign("m:dPr/m:endChr", ")")
        case "e" if part.getparent().tag == qn("m:rad"):
            return f"({text})"
        case "e" | "mr":
            before = part.getprevious()
            return f" {text}" if before is not None and before.tag in _SPACED else text
    return text and _BEFORE[name] + (text if _SIMPLE.fullmatch(text) else f"({text})")


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
            count += next(child.iter(*_SHOWN), None) is not None and is_counted_in_office(child, *sizes)
        elif child.tag == f"{_OLD}shape":
            old = dict(_OLD_SIZE.findall(child.get("style", "")))
            width, height = (float(old[side]) if side in old else None for side in ("width", "height"))
            count += child.find(f"{_OLD}imagedata") is not None and is_counted(width, height)
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
