"""PowerPoint presentations: each slide a page under its title, its shapes in reading order, then its notes and what was
read off its pictures.

Follows no link. Hidden slides and shapes, comments, and the date and footer of slides are left out; the notes of the
reading say where pictures are that could not be read.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import pptx
from lxml import etree
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.oxml.ns import qn

from trag.ingest.parse.characters import listed
from trag.ingest.parse.container import ERRORS, damaged, readable, screen
from trag.ingest.parse.marks import STATES, in_font, left_out, raised, settled
from trag.ingest.parse.picture_words import Pictures
from trag.ingest.parse.pictures import embedded, is_counted_in_office, unread
from trag.ingest.parse.tables import with_header
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

_WHAT = "PowerPoint presentation"
_TITLES = {PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE}
_FURNITURE = {PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER, PP_PLACEHOLDER.SLIDE_NUMBER}
_REPEATED = {PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER}
_BULLETED = {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY, PP_PLACEHOLDER.VERTICAL_OBJECT}
_LEVELS = {"title": 0, "secHead": 1}
"""Levels of the titles of slides by the type of their layout; the others stand below."""
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_ROW = 20  # parts of the height of a slide within which shapes stand side by side
_DEPTH = 20  # of groups within groups
_SYMBOL = re.compile("(?<![^\\W_])[\x80-\xff](?![^\\W_])|[\uf000-\uf0ff]")


def parse(content: bytes, scans: Sequence[ScannedPage] = ()) -> Reading:
    """A .pptx file; `scans` are what was read of its pictures. Raises TragError for a container that is damaged,
    unpacks to too much, or declares entities."""
    notes = list(screen(content, _WHAT))
    found: list[Block] = []
    silent: list[int] = []
    hidden: list[int] = []
    lost: Counter[str] = Counter()
    try:
        pictures = Pictures(content, "pptx", scans)
        presentation = pptx.Presentation(io.BytesIO(readable(content)))
        slides = list(presentation.slides)
        for number, slide in enumerate(slides, 1):
            if slide._element.get("show") in ("0", "false"):
                hidden.append(number)
                continue
            height = presentation.slide_height or 1
            blocks = list(_slide(slide, number, height))
            shown = filter(_is_picture, _visible(slide.shapes, height))
            counted = [shape for shape in shown if is_counted_in_office(shape._element, shape.width, shape.height)]
            words = [
                block
                for shape in counted
                for block in pictures.related(shape.part.rels, embedded(shape._element), number, number)
            ]
            if len(blocks) == 1 and not words and any(map(_is_picture, slide.shapes)):
                silent.append(number)
            lost["struck-out passage"] += _struck(slide)
            lost["footer"] += _footers(slide)
            found += [*blocks, *words]
    except (PythonPptxError, *ERRORS) as error:
        raise damaged(_WHAT, error) from error
    beside = [number for number in pictures.unread if number not in silent]
    notes += unread(len(beside), listed("slide", sorted(set(beside))))
    if silent:
        notes.append(f"{listed('slide', silent)} with a picture and no text but the title")
    if hidden:
        notes.append(f"hidden {listed('slide', hidden)} left out")
    scanned = tuple(pictures.wanted)
    return Reading("PowerPoint", settled(found), len(slides), (*notes, *left_out(lost)), scanned)


def _slide(slide: Any, number: int, height: int) -> Iterator[Block]:
    title = next((shape for shape in slide.placeholders if shape.placeholder_format.type in _TITLES), None)
    words = (
        " ".join(map(_line, title.text_frame.paragraphs)).strip() if title is not None and title.has_text_frame else ""
    )
    level = _LEVELS.get(slide.slide_layout._element.get("type", ""), 2)
    yield Block("heading", words or f"Slide {number}", level if words else 2, number)
    others = [shape for shape in slide.shapes if shape.shape_id != (title.shape_id if title else None)]
    for shape in _visible(others, height):
        if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
            continue
        if shape.has_text_frame:
            yield from _text(shape, number)
        elif getattr(shape, "has_table", False):
            yield Block("table", page=number, rows=with_header(_rows(shape.table), marked=shape.table.first_row))
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape.chart, number)
        else:
            yield from _diagram(shape, number)
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if frame is not None and (lines := list(filter(None, map(_line, frame.paragraphs)))):
        yield Block("paragraph", "Speaker notes: " + "\n".join(lines), page=number)


def _footers(slide: Any) -> int:
    """How many headers and footers of a slide and of its notes have words."""
    placeholders = [*slide.placeholders, *(slide.notes_slide.placeholders if slide.has_notes_slide else ())]
    return sum(
        shape.placeholder_format.type in _REPEATED and any(map(str.isalpha, shape.text_frame.text))
        for shape in placeholders
    )


def _visible(shapes: Any, height: int, depth: int = 0) -> Iterator[Any]:
    """The shapes that are not hidden in rows from the top, each row from the left; those of a group where it stands."""
    for shape in sorted(shapes, key=lambda shape: ((shape.top or 0) * _ROW // height, shape.left or 0)):
        if shape._element.xpath("./*/p:cNvPr[@hidden='1' or @hidden='true']"):
            continue
        if shape._element.tag != qn("p:grpSp"):  # the type of a shape without geometry is an error
            yield shape
        elif depth < _DEPTH:
            yield from _visible(shape.shapes, height, depth + 1)


def _is_picture(shape: Any) -> bool:
    return bool(shape._element.tag == qn("p:pic"))


def _text(shape: Any, number: int) -> Iterator[Block]:
    """The paragraphs of a shape: items where they have a bullet or a number, by themselves or by their placeholder."""
    bulleted = shape.is_placeholder and shape.placeholder_format.type in _BULLETED
    paragraphs = [paragraph for paragraph in shape.text_frame.paragraphs if _line(paragraph)]
    counts: dict[int, int] = {}
    for paragraph in paragraphs:
        properties = paragraph._p.pPr
        marks = set() if properties is None else {child.tag for child in properties}
        counts = {depth: count for depth, count in counts.items() if depth <= paragraph.level}
        if qn("a:buAutoNum") in marks:
            counts[paragraph.level] = counts.get(paragraph.level, 0) + 1
            yield Block("item", f"{counts[paragraph.level]}. {_line(paragraph)}", paragraph.level + 1, number)
        elif qn("a:buNone") not in marks and (qn("a:buChar") in marks or (bulleted and len(paragraphs) > 1)):
            yield Block("item", f"{_bullet(properties)} {_line(paragraph)}", paragraph.level + 1, number)
        else:
            yield Block("paragraph", _line(paragraph), page=number)


def _line(paragraph: Any) -> str:
    return " ".join("".join(map(_piece, paragraph._p)).split())


def _piece(element: Any) -> str:
    """The text of a run or a field; "" where it is struck out."""
    if element.tag not in (qn("a:r"), qn("a:fld")):
        return " " if element.tag == qn("a:br") else ""
    text, properties = element.findtext(qn("a:t")) or "", element.find(qn("a:rPr"))
    if properties is None:
        return text
    if _is_struck(element):
        return ""
    if (face := properties.find(qn("a:sym"))) is not None:
        text = _with_symbols(text, face.get("typeface", ""))
    if (face := properties.find(qn("a:latin"))) is not None:
        text = in_font(text, face.get("typeface", ""))
    baseline = properties.get("baseline", "0").removesuffix("%")
    return raised(text) if baseline.isdecimal() and int(baseline) else text


def _with_symbols(text: str, font: str) -> str:
    """Text in which the symbols are set in a font: signs that stand alone, since what else was typed in the same run is
    words."""
    if len(text.strip()) == 1:
        return in_font(text, font)
    return _SYMBOL.sub(lambda sign: in_font(sign[0], font), text)


def _is_struck(run: Any) -> bool:
    properties = run.find(qn("a:rPr"))
    return properties is not None and properties.get("strike", "noStrike") != "noStrike"


def _struck(slide: Any) -> int:
    """How many passages of a slide are struck out."""
    runs = (groupby(each.iterfind(qn("a:r")), _is_struck) for each in slide._element.iter(qn("a:p")))
    return sum(struck for paragraph in runs for struck, _ in paragraph)


def _bullet(properties: Any) -> str:
    """The mark of an item: a bullet says nothing, a tick or a cross does."""
    sign, font = (None if properties is None else properties.find(qn(name)) for name in ("a:buChar", "a:buFont"))
    shown = "" if sign is None else in_font(sign.get("char", ""), "" if font is None else font.get("typeface", ""))
    return f"- {shown}" if shown in STATES else "-"


def _rows(table: Any) -> list[list[str]]:
    """The cells of a table, merged ones in every place that they reach over."""
    cells = [list(row.cells) for row in table.rows]
    rows = [[" ".join(filter(None, map(_line, cell.text_frame.paragraphs))) for cell in row] for row in cells]
    for top, row in enumerate(cells):
        for left, cell in enumerate(row):
            if cell.is_merge_origin:
                for line in rows[top : top + cell.span_height]:
                    line[left : left + cell.span_width] = [rows[top][left]] * len(line[left : left + cell.span_width])
    return rows


def _chart(chart: Any, number: int) -> Iterator[Block]:
    """The figures behind a chart, a row a category, under its title and what else is written on it."""
    space = chart._element
    written = (_words(each.find(qn("c:tx"))) for each in space.iter(qn("c:title"), qn("c:dLbl")))
    title = ", ".join(filter(None, written))
    for plot in space.iterfind(f"{qn('c:chart')}/{qn('c:plotArea')}/*"):
        series = plot.findall(qn("c:ser"))
        if not series:
            continue
        first = (points for each in series for name in ("c:cat", "c:xVal") if (points := _points(each.find(qn(name)))))
        values = (next(each.iter(qn("c:val"), qn("c:yVal")), None) for each in series)
        columns = [next(first, {}), *map(_points, values)]
        places = sorted(set().union(*columns))
        header = ["", *(_words(each.find(qn("c:tx"))) for each in series)]
        rows = [[column.get(place, "") for column in columns] for place in places]
        if rows:
            yield Block("table", title, page=number, rows=with_header([header, *rows], marked=1))


def _points(data: Any) -> dict[int, str]:
    """The values that a chart keeps of one row or column of its sheet, by place; those of several levels together."""
    found: dict[int, str] = {}
    levels = [] if data is None else list(data.iter(qn("c:lvl"))) or [data]
    for level in levels:  # the innermost first
        points = {int(point.get("idx")): point.findtext(qn("c:v")) or "" for point in level.iter(qn("c:pt"))}
        if not found:
            found = {place: _figure(text) for place, text in points.items()}
            continue
        for place in found:
            if above := [at for at in points if at <= place]:
                found[place] = f"{points[max(above)]} {found[place]}"
    return found


def _figure(text: str) -> str:
    """A number as it is written, without what is stored of it beyond that."""
    try:
        return f"{float(text):.10g}"
    except ValueError:
        return " ".join(text.split())


def _words(text: Any) -> str:
    """What is written in an element of a chart, or kept of the cell that it refers to."""
    parts = [] if text is None else [part.text or "" for part in text.iter(qn("a:t"), qn("c:v"))]
    return " ".join("".join(parts).split())


def _diagram(shape: Any, number: int) -> Iterator[Block]:
    """The texts of a diagram (SmartArt), which are kept in a part of their own."""
    for reference in shape._element.iter(f"{{{_DIAGRAM}}}relIds"):
        part = shape.part.related_part(reference.get(qn("r:dm")))
        root = etree.fromstring(part.blob, etree.XMLParser(resolve_entities=False, no_network=True))
        for point in root.iter(f"{{{_DIAGRAM}}}t"):
            if text := re.sub(r"\s+", " ", "".join(point.itertext())).strip():
                yield Block("item", f"- {text}", 1, number)
