"""HTML: what a reader of the page would read, without scripts, menus and hidden parts. What was read off a picture that
the page holds itself stands after the paragraph, list or table that shows it; no other is looked for, and the notes of
the reading say where those are that were not read. The words that stand for one in a line or a cell are read too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile
from typing import cast

from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement, PreformattedString

from trag.ingest.parse.characters import decode
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.html_furniture import drop_landmarks, main_part
from trag.ingest.parse.html_shown import HEADING, drop_fields, mend_tables, show
from trag.ingest.parse.marks import bulleted, left_out, numbered, raised, settled
from trag.ingest.parse.picture_words import Pictures
from trag.ingest.parse.pictures import among, is_counted, unread
from trag.ingest.parse.tables import as_lines, belongs_to_table, is_layout, transposed, with_header
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_INLINE = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|nobr|picture|q|rb|rp|rt|rtc"
    "|ruby|s|samp|small|source|span|strike|strong|sub|sup|time|tt|u|var|wbr|[a-z]+-[a-z-]+"
)
_SIDE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([\d.]+)px")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FILE_NAME = re.compile(r"\S+\.\w{3,4}")
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]*?((?:lower|upper)-\w+)", re.IGNORECASE)
_FORMS = {
    **dict.fromkeys(("a", "lower-alpha", "lower-latin"), "lowerLetter"),
    **dict.fromkeys(("A", "upper-alpha", "upper-latin"), "upperLetter"),
    **dict.fromkeys(("i", "lower-roman"), "lowerRoman"),
    **dict.fromkeys(("I", "upper-roman"), "upperRoman"),
}
_PIXEL = 0.75
"""Points."""
_BREAK = "\x00"
"""Stands for <br> until white space is collapsed; HTML text cannot hold it."""

_WORDS = " words"
"""The attribute that holds what was read off a picture; that of a page has no space in its name."""

_ALL, _WIDEST = 1_000, 100
"""Rows and columns that a cell reaches over at most."""
_BOLD = 7
"""The level of a paragraph that is bold from end to end: a heading below <h6>."""


def parse(content: bytes, scans: Sequence[ScannedPage] = ()) -> Reading:
    """A page, of which the main part is read where it names one; `scans` are what was read of its pictures."""
    declared = _CHARSET.search(content[:2048])
    text, notes = decode(content, declared[1].decode("ascii") if declared else "")
    pictures = Pictures(content, "html", scans)
    found, others = read_html(text, pictures)
    return Reading("HTML", found, notes=(*notes, *others), scanned=tuple(pictures.wanted))


def read_html(text: str, pictures: Pictures) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """The blocks of HTML text, and notes on what in it is not read. Paragraphs worded like headings are promoted where
    no heading but a title is marked."""
    soup = BeautifulSoup(text.replace(_BREAK, ""), "lxml")
    around = drop_landmarks(soup)
    lost = show(soup)
    body, beside = main_part(soup)
    if body is None:
        return (), ()
    lost["surrounding part"] = around + beside
    lost["form field"] = drop_fields(body)
    mend_tables(body)
    _mark_questions(body)
    for heading, picture in _pictures(body):
        picture.attrs[_WORDS] = pictures.blocks(str(picture.get("src", "")), heading)  # type: ignore[assignment]
    for drawing in body.find_all("svg"):
        drawing.decompose()
    found = settled(list(_blocks(body)))
    marked = [block for block in found if block.kind == "heading" and block.level < _BOLD]
    notes = (*unread(len(pictures.unread), among("section", pictures.unread)), *left_out(lost))
    return promote(found) if len(marked) < 2 else found, notes


def _mark_questions(body: Tag) -> None:
    """Marks as a heading each line that is bold alone on top of a paragraph, where most of these ask: beside them, "I
    lost my badge." asks too."""
    bold = []
    for tag in body.select("p > b:first-child, p > strong:first-child"):
        before, after = tag.previous_sibling, tag.next_sibling
        if (before is None or _is_blank(before)) and after is not None and _breaks(after):
            bold.append(tag)
    asking = sum(_text([tag]).endswith("?") for tag in bold)
    if asking > 1 and 2 * asking > len(bold):
        for tag in bold:
            tag["role"] = "heading"


def _pictures(body: Tag) -> Iterator[tuple[str, Tag]]:
    """Each picture that is more than decoration, with the heading over it, "" where none is above it."""
    heading = ""
    for tag in body.find_all(["img", "svg", HEADING]):
        if tag.name not in ("img", "svg"):
            heading = _text([tag]).replace("\n", " ")
        elif tag.get("alt") != "" and tag.get("role") != "presentation" and not _is_sign(tag):
            styled = dict(_SIDE.findall(str(tag.get("style", ""))))
            box = str(tag.get("viewbox", "")).replace(",", " ").split()[2:4] or ("", "")
            sides: list[float | None] = []  # in points, as far as the page says them
            for name, drawn in (("width", box[0]), ("height", box[-1])):
                said = (styled.get(name, ""), str(tag.get(name, "")).removesuffix("px"), drawn)
                sides.append(next((_PIXEL * float(one) for one in said if _NUMBER.fullmatch(one)), None))
            if is_counted(*sides):
                yield heading, tag


def _is_sign(picture: Tag) -> bool:
    """Whether a picture stands for a sign alone, such as an emoji."""
    words = str(picture.get("alt", ""))
    return bool(words) and not any(map(str.isalnum, words))


def _blocks(nodes: Iterable[PageElement], level: int = 0) -> Iterator[Block]:
    """The blocks of nodes, or of what a tag holds, in order; `level` is the depth of lists."""
    run: list[PageElement] = []
    for child in nodes:
        if isinstance(child, PreformattedString):  # comments, declarations, processing instructions
            continue
        if not isinstance(child, Tag) or (_INLINE.fullmatch(child.name) and _holds_inline(child)):
            run.append(child)
            continue
        yield from (*_paragraph(run), *_words(run))
        run = []
        yield from (*_block(child, level), *_words([child]))
    yield from (*_paragraph(run), *_words(run))


def _words(nodes: Sequence[PageElement]) -> Iterator[Block]:
    """What was read off the pictures in nodes; nothing the second time."""
    for node in nodes:
        for tag in (node, *node.find_all("img")) if isinstance(node, Tag) else ():
            yield from cast(Sequence[Block], tag.attrs.pop(_WORDS, ()))


def _holds_inline(tag: Tag) -> bool:
    return all(_INLINE.fullmatch(each.name) for each in tag.find_all(True))


def _block(tag: Tag, level: int) -> Iterator[Block]:
    if HEADING.fullmatch(tag.name):
        if text := _text([tag]).replace("\n", " "):
            yield Block("heading", text, int(tag.name[1]))
    elif tag.name == "p" and _holds_inline(tag):
        yield from _paragraph(list(tag.children))
    elif tag.name in ("ul", "ol", "menu"):
        yield from _list(tag, level + 1)
    elif tag.name == "dl":
        yield from _definitions(tag, level)
    elif tag.name == "table":
        yield from _table(tag)
    elif tag.name == "pre":
        if text := tag.get_text().strip("\n"):
            yield Block("paragraph", text)
    elif tag.name == "summary":
        yield Block("heading", _text([tag]), _BOLD + 1)
    elif tag.name != "hr":
        yield from _blocks(tag, level)


def _text(nodes: Sequence[PageElement], *, pictures: bool = True) -> str:
    """The text of nodes on one line, but for the breaks that <br> asks for and those between blocks; with the words
    that stand for pictures, or without."""
    lines = (" ".join(line.split()) for line in "".join(_pieces(nodes, pictures)).split(_BREAK))
    return "\n".join(line for line in lines if line)


def _pieces(nodes: Sequence[PageElement], pictures: bool) -> Iterator[str]:
    for node in nodes:
        if not isinstance(node, Tag):
            yield "" if isinstance(node, PreformattedString) else str(node)
        elif node.name == "br":
            yield _BREAK
        elif node.name == "img":
            yield _alternative(node) if pictures else ""
        elif node.name == "sup":
            text = "".join(_pieces(list(node.children), pictures)).replace(_BREAK, " ")
            yield raised(text)
        elif node.name == "rt" and node.find_previous_sibling("rp") is None:
            yield f"({''.join(_pieces(list(node.children), pictures))})"
        elif node.name == "table":  # in a cell of another
            yield f"{_BREAK}{as_lines(_grid(node)[0]).replace(chr(10), _BREAK)}{_BREAK}"
        else:
            inside = _pieces(list(node.children), pictures)
            yield from inside if _INLINE.fullmatch(node.name) else (_BREAK, *inside, _BREAK)


def _alternative(picture: Tag) -> str:
    """The words that stand for a picture; a name of a file are none."""
    words = str(picture.get("alt", ""))
    silent = picture.get("role") in ("presentation", "none") or picture.get("aria-hidden") == "true"
    return "" if silent or _FILE_NAME.fullmatch(words.strip()) else words


def _paragraph(run: Sequence[PageElement]) -> Iterator[Block]:
    """A paragraph, or a heading where it is bold to the end of its first line, and what follows."""
    nodes = list(run)
    bold = list(
        takewhile(lambda node: node.name in ("b", "strong") if isinstance(node, Tag) else _is_blank(node), nodes)
    )
    title, rest = _text(bold), nodes[len(bold) :]
    told_apart = not rest or _breaks(rest[0])
    asks = any(isinstance(node, Tag) and node.get("role") == "heading" for node in bold)
    worded = title and len(title) <= LONGEST and (asks or title[-1] not in ".,;")
    if worded and told_apart and not belongs_to_table(title):
        yield Block("heading", title.replace("\n", " ").rstrip(":"), _BOLD)
        nodes = rest
    if text := _text(nodes, pictures=False) and _text(nodes):  # a picture alone is no text
        yield Block("paragraph", text)


def _is_blank(node: PageElement) -> bool:
    return not str(node).strip()


def _breaks(node: PageElement) -> bool:
    return node.name == "br" if isinstance(node, Tag) else str(node).startswith("\n")


def _list(tag: Tag, level: int) -> Iterator[Block]:
    number = int(str(tag.get("start", ""))) if str(tag.get("start", "")).isdecimal() else 1
    for child in tag.children:
        if not isinstance(child, Tag) or child.name != "li":  # not allowed there, and common
            yield from _blocks([child], level)
            continue
        number = int(str(child.get("value"))) if str(child.get("value", "")).isdecimal() else number
        inside = list(_blocks(child, level))
        said = takewhile(lambda block: not block.ocr, inside)
        lead = list(takewhile(lambda block: block.kind == "paragraph" or block.level == _BOLD, said))
        if lead and tag.find_parent(class_="footnotes") is not None:
            yield Block("paragraph", f"Note {number}: {' '.join(block.text for block in lead)}")
        elif lead:
            text = " ".join(block.text for block in lead).replace("\n", " ")
            yield Block("item", f"{_mark(tag, number)} {text}" if tag.name == "ol" else bulleted(text), level)
        yield from inside[len(lead) :]
        number += 1


def _mark(tag: Tag, number: int) -> str:
    """The number of an item as its list shows it."""
    styled = _LIST_STYLE.search(str(tag.get("style", "")))
    form = _FORMS.get(styled[1].lower() if styled else str(tag.get("type", "")), "decimal")
    return f"{numbered(number, form)}."


def _definitions(tag: Tag, level: int) -> Iterator[Block]:
    """Terms with what they mean, an item each; a question is the heading of its answer."""
    term, is_told = "", False
    parts = (part.children if isinstance(part, Tag) and part.name == "div" else [part] for part in tag.children)
    for child in chain.from_iterable(parts):
        text = _text([child]).replace("\n", " ")
        if not isinstance(child, Tag) or child.name not in ("dt", "dd"):  # not allowed there
            yield from _blocks([child], level)
        elif child.name == "dt":
            term, is_told = text if is_told else ", ".join(filter(None, (term, text))), False
        elif text and term.endswith(("?", "？")):
            yield Block("heading", term, _BOLD + 1)
            yield from _blocks(child, level)
            is_told = True
        elif text:
            yield Block("item", f"- {term}: {text}" if term else f"- {text}", level + 1)
            is_told = True
    if term and not is_told:
        yield Block("item", f"- {term}", level + 1)


def _table(tag: Tag) -> Iterator[Block]:
    """A table, or its cells one after the other where it is only there for the layout."""
    parts = [row.find_all(["td", "th"], recursive=False) for row in _rows(tag)]
    holding = [[_holds_more(cell) for cell in row] for row in parts]
    if tag.get("role") in ("presentation", "none") or is_layout([list(map(_cell, row)) for row in parts], holding):
        for cell in (cell for row in parts for cell in row):
            yield from _blocks(cell)
        return
    caption = tag.find("caption", recursive=False)
    rows, marked = _grid(tag)
    yield Block("table", _text([caption]) if caption else "", rows=with_header(rows, marked=marked))


def _rows(table: Tag) -> list[Tag]:
    """The rows of a table, without those of tables in its cells."""
    return [row for row in table.find_all("tr") if row.find_parent("table") is table]


def _holds_more(cell: Tag) -> bool:
    """Whether a cell holds a table, or a heading and something beside it."""
    heading = cell.find(HEADING)
    return cell.find("table") is not None or (heading is not None and _text([heading]) != _cell(cell))


def _cell(cell: Tag) -> str:
    return _text(list(cell.children))


def _grid(tag: Tag) -> tuple[list[tuple[str, ...]], int]:
    """The cells of a table, merged ones filled in where they reach to, and how many of the first rows are marked as its
    header."""
    rows: list[tuple[str, ...]] = []
    spans: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, and the cell that fills them
    marked = 0
    beside = 0  # rows whose first cell alone is a header
    part = None
    for row in _rows(tag):
        if row.parent is not part:  # a cell reaches to the end of its part of the table
            part, spans = row.parent, {}
        cells: list[str] = []
        tags = row.find_all(["td", "th"], recursive=False)
        for cell in tags:
            _fill(cells, spans)
            text = _cell(cell)
            down = _span(cell, "rowspan")
            for _ in range(min(_span(cell, "colspan") or 1, _WIDEST)):
                if down != 1:
                    spans[len(cells)] = ((down or _ALL) - 1, text)
                cells.append(text)
        while any(column >= len(cells) for column in spans):
            if len(cells) not in spans:
                cells.append("")
            _fill(cells, spans)
        heads = [cell.name == "th" for cell in tags]
        in_head = row.find_parent("thead") is not None
        marked += marked == len(rows) and bool(heads) and (in_head or (all(heads) and (len(heads) > 1 or not rows)))
        beside += heads[:1] == [True] and not any(heads[1:])
        rows.append(tuple(cells))
    if not marked and beside == len(rows) and max(map(len, rows), default=0) > 2:
        return list(transposed(rows)), 1
    return rows, marked


def _fill(cells: list[str], spans: dict[int, tuple[int, str]]) -> None:
    """Puts in the cells that reach down from the rows above."""
    while len(cells) in spans:
        left, text = spans.pop(len(cells))
        if left > 1:
            spans[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: Tag, name: str) -> int:
    """How far a cell reaches; 0 is to the end."""
    value = str(cell.get(name, "")).strip()
    return min(int(value), _ALL) if value.isdecimal() else 1
