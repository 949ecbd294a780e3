"""The governance manual as a PDF: cover, contents with page numbers, outline, links between sections, numbered pages.

The fonts are the Bitstream Vera that reportlab brings, embedded. They hold no Arabic or Japanese, so the bodies with
names in those scripts appear under their English names, and the contents page says so. Knows nothing of Word.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from reportlab.lib.colors import HexColor, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, Frame, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Table
from reportlab.platypus.tableofcontents import TableOfContents

from examples import manual
from examples.manual import Block, Rich

pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
pdfmetrics.registerFont(TTFont("Vera-Bold", "VeraBd.ttf"))
pdfmetrics.registerFontFamily("Vera", normal="Vera", bold="Vera-Bold", italic="Vera", boldItalic="Vera-Bold")

WIDTH, HEIGHT = A4
MARGIN = 27 * mm
TEXT_WIDTH = WIDTH - 2 * MARGIN
DEEP, RIVER, SAND, PALE = (HexColor(f"#{colour}") for colour in (manual.DEEP, manual.RIVER, manual.SAND, manual.PALE))
NOTE = (
    "In this edition the bodies whose names are written in Arabic or Japanese script appear under their English names. "
    f"The Word edition gives the names themselves. {manual.FICTIONAL}"
)

BODY = ParagraphStyle(
    "body",
    fontName="Vera",
    fontSize=9,
    leading=14,
    spaceBefore=7,
    textColor=HexColor("#20292B"),
    allowWidows=0,
    allowOrphans=0,
)
LEAD = ParagraphStyle("lead", BODY, keepWithNext=1)
ITEM = ParagraphStyle(
    "item",
    BODY,
    bulletFontName="Vera",
    bulletFontSize=9,
    leftIndent=17,
    bulletIndent=3,
    spaceBefore=3.5,
    bulletColor=RIVER,
)
CELL = ParagraphStyle("cell", BODY, fontSize=8, leading=11.5)
HEADER = ParagraphStyle("header", CELL, fontName="Vera-Bold", textColor=white)
BOLD = ParagraphStyle("bold", BODY, fontName="Vera-Bold", textColor=DEEP, keepWithNext=1)
HEADINGS = (
    ParagraphStyle("part", BOLD, fontSize=25, leading=32, spaceAfter=22),
    ParagraphStyle("chapter", BOLD, fontSize=16, leading=21, spaceBefore=28, textColor=RIVER),
    ParagraphStyle("section", BOLD, fontSize=11, leading=15, spaceBefore=20),
)
ENTRIES = [
    ParagraphStyle("part entry", BOLD, spaceBefore=12),
    ParagraphStyle("chapter entry", BOLD, fontSize=8.5, leading=12, spaceBefore=4, textColor=RIVER),
    ParagraphStyle("section entry", BODY, fontSize=8.5, leading=12, spaceBefore=0, leftIndent=12),
]
CONTENTS = [
    ("FONT", (0, 0), (-1, -1), "Vera"),
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("RIGHTPADDING", (0, 0), (-1, -1), 0),
    ("TOPPADDING", (0, 0), (-1, -1), 1),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
]
TABLE = [
    ("FONT", (0, 0), (-1, -1), "Vera"),
    ("BACKGROUND", (0, 0), (-1, 0), DEEP),
    ("ROWBACKGROUNDS", (0, 1), (-1, -1), [white, PALE]),
    ("LINEBELOW", (0, -1), (-1, -1), 0.8, DEEP),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("TOPPADDING", (0, 0), (-1, -1), 3.5),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 4.5),
]


def pdf(parts: Sequence[str]) -> bytes:
    """The parts as one PDF: the same bytes for the same parts. ValueError when the font can not draw a character."""
    file = io.BytesIO()
    document = Manual(
        file,
        pagesize=A4,
        invariant=1,
        initialFontName="Vera",
        lang="en-GB",
        displayDocTitle=1,
        title=f"{manual.ORGANIZATION} {manual.TITLE}",
        author=manual.ORGANIZATION,
        subject=manual.SUBTITLE,
    )
    frame = Frame(MARGIN, 22 * mm, TEXT_WIDTH, HEIGHT - 42 * mm, 0, 0, 0, 0)
    document.addPageTemplates(
        [PageTemplate("cover", frame, onPage=cover), PageTemplate("text", frame, onPageEnd=footer)]
    )
    document.multiBuild(list(story([list(manual.blocks(english_names(part))) for part in parts])))
    return file.getvalue()


class Heading(Paragraph):  # type: ignore[misc]
    """A heading that the contents and the outline list, with the number that links lead to."""

    def __init__(self, text: str, level: int) -> None:
        number, title = manual.part_title(text) if level == 0 else (text.split(" ", 1)[0], text)
        self.level, self.number, self.entry = level, number, title if level else f"{number}: {title}"
        above = "" if level else f'<font size="11" color="#{manual.SAND}">{number}</font><br/>'
        super().__init__(f'<a name="{number}"/>{above}{escape(title)}', HEADINGS[level])


class Manual(BaseDocTemplate):  # type: ignore[misc]
    """reportlab's document, which tells of each heading as it is placed."""

    def afterFlowable(self, flowable: object) -> None:  # noqa: N802 (the name is reportlab's)
        if isinstance(flowable, Heading):
            self.notify("TOCEntry", (flowable.level, escape(flowable.entry), self.page, flowable.number))
            self.canv.addOutlineEntry(flowable.entry, flowable.number, flowable.level, closed=flowable.level > 0)


def english_names(markdown: str) -> str:
    """The text with each unit of the chart that the font can not draw under its first alias, once where both stand."""
    drawable = pdfmetrics.getFont("Vera").face.charToGlyph
    with (manual.LARKMOOR / "chart.csv").open(encoding="utf-8", newline="") as chart:
        for unit in csv.DictReader(chart):
            name, alias = unit["name"], unit["aliases"].split("|")[0]
            if any(ord(character) not in drawable for character in name):
                markdown = markdown.replace(f"{name} ({alias})", alias).replace(name, alias)
    missing = {character for character in markdown if ord(character) not in drawable} - {"\n"}
    if missing:
        raise ValueError(
            f"the font can not draw {''.join(sorted(missing))}, which stands outside the names of the chart"
        )
    return markdown


def story(parts: Sequence[Sequence[Block]]) -> Iterator[Any]:
    yield from (NextPageTemplate("text"), PageBreak(), Paragraph("Contents", HEADINGS[0]))
    yield TableOfContents(levelStyles=ENTRIES, dotsMinLevel=2, tableStyle=CONTENTS)
    yield Paragraph(NOTE, ParagraphStyle("note", CELL, spaceBefore=24, textColor=RIVER))
    for part in parts:
        yield PageBreak()
        for block, following in pairwise([*part, Block("paragraph", ())]):
            match block.kind:
                case "heading":
                    yield Heading(manual.plain(block.rows[0][0]), block.level - 1)
                case "paragraph":
                    leads = following.kind in ("bullet_list", "ordered_list", "table")
                    yield Paragraph(markup(block.rows[0][0]), LEAD if leads else BODY)
                case "table":
                    yield table(block.rows)
                case kind:
                    for number, (item,) in enumerate(block.rows, 1):
                        yield Paragraph(markup(item), ITEM, bulletText="•" if kind == "bullet_list" else f"{number}.")


def markup(text: Rich) -> str:
    """The runs as reportlab reads them, with a link wherever a section is named."""
    html = "".join(f"<b>{escape(run)}</b>" if bold else escape(run) for run, bold in text)
    link = rf'<a href="#\g<0>" color="#{manual.RIVER}">\g<0></a>'
    return re.sub(r"(?:(?<=section )|(?<=sections )|(?<=\.\d and ))\d+\.\d\b", link, html)


def table(rows: Sequence[Sequence[Rich]]) -> Table:
    cells = [[Paragraph(markup(cell), CELL if i else HEADER) for cell in row] for i, row in enumerate(rows)]
    return Table(cells, widths(rows), style=TABLE, splitByRow=0, spaceBefore=9, spaceAfter=10)


def widths(rows: Sequence[Sequence[Rich]]) -> list[float]:
    """Column widths in points that fill the page: each column holds its longest word, the rest goes where text is."""

    def measure(text: str) -> float:
        return float(pdfmetrics.stringWidth(text, "Vera-Bold", CELL.fontSize)) + 13

    columns = [[manual.plain(cell) for cell in column] for column in zip(*rows, strict=True)]
    least = [max(measure(word) for text in column for word in ["", *text.split()]) for column in columns]
    wish = [max(map(measure, column)) - low + 1 for column, low in zip(columns, least, strict=True)]
    return [low + (TEXT_WIDTH - sum(least)) * more / sum(wish) for low, more in zip(least, wish, strict=True)]


def cover(canvas: Any, _: BaseDocTemplate) -> None:
    canvas.setFillColor(DEEP)
    canvas.rect(0, 0, WIDTH, HEIGHT, stroke=0, fill=1)
    for wave, colour in enumerate(("#1B5563", "#24697A", "#3F8C99", "#7FB5BC")):
        path = canvas.beginPath()
        path.moveTo(0, 0)
        for x in range(0, int(WIDTH) + 6, 5):
            path.lineTo(x, 190 - 46 * wave + 13 * math.sin(x / 62 + 1.9 * wave))
        path.lineTo(WIDTH + 5, 0)
        canvas.setFillColor(HexColor(colour))
        canvas.drawPath(path, stroke=0, fill=1)
    for text, font, size, colour, below in (
        (manual.ORGANIZATION, "Vera-Bold", 14, SAND, 0),
        (manual.TITLE, "Vera-Bold", 36, white, 50),
        (manual.SUBTITLE, "Vera", 11, PALE, 86),
    ):
        canvas.setFont(font, size)
        canvas.setFillColor(colour)
        canvas.drawString(MARGIN, HEIGHT - 250 - below, text)


def footer(canvas: Any, _: BaseDocTemplate) -> None:
    canvas.setStrokeColor(SAND)
    canvas.line(MARGIN, 17 * mm, WIDTH - MARGIN, 17 * mm)
    canvas.setFont("Vera", 7.5)
    canvas.setFillColor(RIVER)
    canvas.drawString(MARGIN, 12.5 * mm, f"{manual.ORGANIZATION} {manual.TITLE}, {manual.EDITION}")
    canvas.drawRightString(WIDTH - MARGIN, 12.5 * mm, str(canvas.getPageNumber()))
