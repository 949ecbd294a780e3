"""The governance manual as a Word file: contents, heading styles, real lists, tables with a header row.

Knows nothing of PDF.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_BREAK
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from examples import manual
from examples.manual import Block, Rich

LOOKS = (  # style, size, space before, space after, in points; colour
    ("Normal", 10.5, 0, 6, None),
    ("Title", 34, 190, 10, manual.DEEP),
    ("Subtitle", 13, 0, 18, manual.RIVER),
    ("Heading 1", 22, 0, 18, manual.DEEP),
    ("Heading 2", 16, 22, 8, manual.RIVER),
    ("Heading 3", 12, 16, 6, manual.DEEP),
    ("List Bullet", 10.5, 0, 6, None),
    ("List Number", 10.5, 0, 6, None),
    ("No Spacing", 9.5, 1, 2, None),
    ("TOC 1", 10.5, 9, 2, manual.DEEP),
    ("TOC 2", 10, 2, 0, manual.RIVER),
    ("TOC 3", 9.5, 0, 0, None),
)
TEXT_WIDTH_MM = 156
ROW_LOOK = "0420"  # the table style's header row, without its bold first column
TEMPLATE_BLUE = b"4F81BD"  # the accent of python-docx's own template, in its theme and its styles


def word(parts: Sequence[str]) -> bytes:
    """The parts as one Word file: the same bytes for the same parts."""
    document = Document()
    page = document.sections[0]
    page.page_width, page.page_height, page.left_margin, page.right_margin = Mm(210), Mm(297), Mm(27), Mm(27)
    for name in ("TOC 1", "TOC 2", "TOC 3"):
        document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH, builtin=True)
    for name, size, before, after, colour in LOOKS:
        style = document.styles[name]
        style.font.size, style.font.color.rgb = Pt(size), RGBColor.from_string(colour) if colour else None
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(after)
    document.styles["TOC 3"].paragraph_format.left_indent = Mm(5)
    document.styles["Heading 1"].paragraph_format.page_break_before = True
    about = document.core_properties
    about.title, about.subject = f"{manual.ORGANIZATION} {manual.TITLE}", manual.SUBTITLE
    about.author = about.last_modified_by = manual.ORGANIZATION
    about.created = about.modified = manual.IN_FORCE
    about.language, about.comments = "en-GB", ""

    document.add_paragraph(about.title, "Title")
    document.add_paragraph(manual.SUBTITLE, "Subtitle")
    document.add_paragraph(manual.FICTIONAL).add_run().add_break(WD_BREAK.PAGE)
    content = [block for part in parts for block in manual.blocks(part)]
    contents(document, [block for block in content if block.kind == "heading"])
    for block in content:
        add(document, block)
    page.different_first_page_header_footer = True
    foot = page.footer.paragraphs[0]
    foot.text = f"{about.title}, {manual.EDITION}, page "
    foot._p.append(parse_xml(f'<w:fldSimple {nsdecls("w")} w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>'))

    file = io.BytesIO()
    document.save(file)
    return settled(file.getvalue())


def contents(document: Any, headings: Sequence[Block]) -> None:
    """A field of contents, filled as far as can be without laying out pages; Word adds the page numbers on update."""
    for heading in headings:
        paragraph = document.add_paragraph(style=f"TOC {heading.level}")
        if heading is headings[0]:
            mark(paragraph, "begin")
            paragraph.add_run()._r.append(parse_xml(f'<w:instrText {nsdecls("w")}>TOC \\o "1-3" \\h</w:instrText>'))
            mark(paragraph, "separate")
        write(paragraph, heading.rows[0][0])
    mark(paragraph, "end")


def mark(paragraph: Any, end: str) -> None:
    character = OxmlElement("w:fldChar")
    character.set(qn("w:fldCharType"), end)
    paragraph.add_run()._r.append(character)


def add(document: Any, block: Block) -> None:
    match block.kind:
        case "heading":
            write(document.add_paragraph(style=f"Heading {block.level}"), block.rows[0][0])
        case "paragraph":
            write(document.add_paragraph(), block.rows[0][0])
        case "bullet_list":
            for (item,) in block.rows:
                write(document.add_paragraph(style="List Bullet"), item)
        case "ordered_list":
            number = numbered_from_one(document)
            for (item,) in block.rows:
                paragraph = document.add_paragraph(style="List Number")
                paragraph._p.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = number
                write(paragraph, item)
        case "table":
            add_table(document, block)


def add_table(document: Any, block: Block) -> None:
    """A table with a header row that repeats, kept on one page, its columns as wide as their text asks."""
    longest = [max(len(manual.plain(cell)) for cell in column) for column in zip(*block.rows, strict=True)]
    shares = [min(length, 45) + 10 for length in longest]
    table = document.add_table(0, len(shares), "Light List Accent 1")
    table._tbl.tblPr.find(qn("w:tblLook")).set(qn("w:val"), ROW_LOOK)
    table._tbl.tblPr.find(qn("w:tblLook")).set(qn("w:firstColumn"), "0")
    for row in block.rows:
        for cell, text, share in zip(table.add_row().cells, row, shares, strict=True):
            cell.width = Mm(TEXT_WIDTH_MM * share / sum(shares))
            cell.paragraphs[0].style = "No Spacing"
            cell.paragraphs[0].paragraph_format.keep_with_next = row is not block.rows[-1]
            write(cell.paragraphs[0], text)
    for column, share in zip(table.columns, shares, strict=True):
        column.width = Mm(TEXT_WIDTH_MM * share / sum(shares))
    table.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    document.add_paragraph().paragraph_format.space_after = Pt(0)


def write(paragraph: Any, text: Rich) -> None:
    for run, bold in text:
        paragraph.add_run(run).bold = bold or None


def numbered_from_one(document: Any) -> int:
    """The id of a numbering that starts again: every list of one style would else be counted on from the last."""
    numbering = document.part.numbering_part.element
    style = document.styles["List Number"].element.pPr.numPr.numId.val
    fresh = numbering.add_num(numbering.num_having_numId(style).abstractNumId.val)
    fresh.add_lvlOverride(0).add_startOverride(1)
    return int(fresh.numId)


def settled(file: bytes) -> bytes:
    """The zip with one date for all its members, and the template's blue in the colour of the house."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            member = zipfile.ZipInfo(name, manual.IN_FORCE.timetuple()[:6])
            content = source.read(name)
            if name.endswith(".xml"):
                content = content.replace(TEMPLATE_BLUE, manual.DEEP.encode())
            target.writestr(member, content, zipfile.ZIP_DEFLATED)
    return result.getvalue()
