"""HTML, and Markdown by way of the HTML that it stands for: what a reader of the page would read, without scripts,
menus and hidden parts. What a picture shows is not read, and the notes of the reading say where pictures are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement, PreformattedString

from trag.ingest.parse.characters import decode
from trag.ingest.parse.headings import LONGEST, promote
from trag.ingest.parse.pictures import among, is_counted, unread
from trag.ingest.parse.tables import belongs_to_table, transposed, with_header
from trag.ingest.reading import Block, Reading

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_DROPPED = "script, style, nav, template, noscript, iframe, object, button, select, input, [hidden], [role=navigation]"
_MENUS = ", ".join(
    f".{name}, #{name}" for name in ("toolbar", "topbar", "navbar", "breadcrumb", "breadcrumbs", "crumb")
)
"""What old pages have in place of <nav>, by class or id."""
_MAIN = ("main", "[role=main]", "#content, #main, #main-content")
_SEPARATORS = re.compile(r"[\s|·•»›>/]*")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_INLINE = re.compile(
    "a|abbr|b|bdi|bdo|br|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr"
)
_HEADING = re.compile("h[1-6]")
_SIDE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([\d.]+)px")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PIXEL = 0.75
"""Points."""
_BREAK = "\x00"
"""Stands for <br> until white space is collapsed; HTML text cannot hold it."""

_BOLD = 7
"""The level of a paragraph that is bold from end to end: a heading below <h6>."""

_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[^\S\n]*\n(?P<matter>.*?)\n\1[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>.*?)[\"']?\s*$", re.MULTILINE)


def parse(content: bytes) -> Reading:
    """A page, of which the main part is read where it names one."""
    declared = _CHARSET.search(content[:2048])
    text, notes = decode(content, declared[1].decode("ascii") if declared else "")
    found, pictures = _read(text)
    return Reading("HTML", found, notes=(*notes, *pictures))


def parse_markdown(content: bytes) -> Reading:
    """A Markdown file (CommonMark with tables). The title of its front matter, which site generators put on top, is the
    title of the document."""
    from markdown_it import MarkdownIt

    text, notes = decode(content)
    text = text.replace("\r\n", "\n")
    title = ""
    if matter := _FRONT_MATTER.match(text):
        found = _TITLE.search(matter["matter"])
        title = found["title"] if found else ""
        text = text[matter.end() :]
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    blocks, pictures = _read(rendered)
    if title and not any(block.kind == "heading" and block.text == title for block in blocks[:3]):
        blocks = (Block("heading", title, 0), *blocks)
    return Reading("Markdown", blocks, notes=(*notes, *pictures))


def _read(text: str) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """The blocks of HTML text, and notes on what in it is not read. Paragraphs worded like headings are promoted where
    no heading but a title is marked."""
    soup = BeautifulSoup(text.replace(_BREAK, ""), "lxml")
    for tag in [*soup.select(_DROPPED), *soup.find_all(style=_HIDDEN), *_menus(soup)]:
        tag.decompose()
    for tag in soup.select("body > header, body > footer, body > aside"):
        tag.decompose()
    body = soup.body
    if body is None:
        return (), ()
    main = next(filter(None, map(soup.select_one, _MAIN)), body)
    if main.name == "main" or 2 * len(main.get_text()) >= len(body.get_text()):
        body = main  # older pages call other parts so too
    _mark_questions(body)
    pictures = list(_pictures(body))
    for drawing in body.find_all("svg"):
        drawing.decompose()
    found = tuple(_blocks(body))
    marked = [block for block in found if block.kind == "heading" and block.level < _BOLD]
    return promote(found) if len(marked) < 2 else found, unread(len(pictures), among("section", pictures))


def _menus(soup: BeautifulSoup) -> list[Tag]:
    """The parts that are called menus, and above the first heading the lines that are."""
    first = soup.find(_HEADING)
    above = first.find_all_previous(["div", "p"]) if isinstance(first, Tag) else []
    menus = [tag for tag in soup.select(_MENUS) if tag.find(_HEADING) is None]
    for tag in above:
        if isinstance(tag, Tag) and _holds_inline(tag) and len(tag.find_all("a", href=True)) > 2:
            beside = "".join(text for text in tag.find_all(string=True) if text.find_parent("a") is None)
            menus += [tag] * (_SEPARATORS.fullmatch(beside) is not None)
    return menus


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


def _pictures(body: Tag) -> Iterator[str]:
    """The heading over each picture that is more than decoration, "" where none is above it."""
    heading = ""
    for tag in body.find_all(["img", "svg", _HEADING]):
        if tag.name not in ("img", "svg"):
            heading = _text([tag]).replace("\n", " ")
        elif tag.get("alt") != "" and tag.get("role") != "presentation":
            styled = dict(_SIDE.findall(str(tag.get("style", ""))))
            box = str(tag.get("viewbox", "")).replace(",", " ").split()[2:4] or ("", "")
            sides: list[float | None] = []  # in points, as far as the page says them
            for name, drawn in (("width", box[0]), ("height", box[-1])):
                said = (styled.get(name, ""), str(tag.get(name, "")).removesuffix("px"), drawn)
                sides.append(next((_PIXEL * float(one) for one in said if _NUMBER.fullmatch(one)), None))
            if is_counted(*sides):
                yield heading


def _blocks(parent: Tag, level: int = 0) -> Iterator[Block]:
    """The blocks under `parent`, in order; `level` is the depth of lists."""
    run: list[PageElement] = []
    for child in parent.children:
        if isinstance(child, PreformattedString):  # comments, declarations, processing instructions
            continue
        if not isinstance(child, Tag) or (_INLINE.fullmatch(child.name) and _holds_inline(child)):
            run.append(child)
            continue
        yield from _paragraph(run)
        run = []
        yield from _block(child, level)
    yield from _paragraph(run)


def _holds_inline(tag: Tag) -> bool:
    return all(_INLINE.fullmatch(each.name) for each in tag.find_all(True))


def _block(tag: Tag, level: int) -> Iterator[Block]:
    if _HEADING.fullmatch(tag.name):
        if text := _text([tag]).replace("\n", " "):
            yield Block("heading", text, int(tag.name[1]))
    elif tag.name == "p" and _holds_inline(tag):
        yield from _paragraph(list(tag.children))
    elif tag.name in ("ul", "ol", "menu"):
        yield from _list(tag, level + 1)
    elif tag.name == "dl":
        term = ""
        for child in tag.find_all(["dt", "dd"]):
            text = _text([child]).replace("\n", " ")
            if child.name == "dt":
                term = text
            elif text:
                yield Block("item", f"- {term}: {text}" if term else f"- {text}", level + 1)
    elif tag.name == "table":
        yield from _table(tag)
    elif tag.name == "pre":
        if text := tag.get_text().strip("\n"):
            yield Block("paragraph", text)
    elif tag.name == "summary":
        yield Block("heading", _text([tag]), _BOLD + 1)
    elif tag.name != "hr":
        yield from _blocks(tag, level)


def _text(nodes: Sequence[PageElement]) -> str:
    """The text of inline nodes on one line, but for the breaks that <br> asks for."""
    parts: list[str] = []
    for node in nodes:
        if isinstance(node, Tag):
            for line_break in [node] if node.name == "br" else node.find_all("br"):
                line_break.append(_BREAK)
            parts.append(node.get_text())
        elif not isinstance(node, PreformattedString):
            parts.append(str(node))
    lines = (" ".join(line.split()) for line in "".join(parts).split(_BREAK))
    return "\n".join(line for line in lines if line)


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
    if text := _text(nodes):
        yield Block("paragraph", text)


def _is_blank(node: PageElement) -> bool:
    return not str(node).strip()


def _breaks(node: PageElement) -> bool:
    return node.name == "br" if isinstance(node, Tag) else str(node).startswith("\n")


def _list(tag: Tag, level: int) -> Iterator[Block]:
    number = int(str(tag.get("start", ""))) if str(tag.get("start", "")).isdecimal() else 1
    for child in tag.find_all(["li", "ul", "ol"], recursive=False):
        if child.name != "li":  # not allowed there, and common
            yield from _list(child, level + 1)
            continue
        inside = list(_blocks(child, level))
        lead = list(takewhile(lambda block: block.kind == "paragraph" or block.level == _BOLD, inside))
        if lead:
            mark = f"{number}." if tag.name == "ol" else "-"
            yield Block("item", f"{mark} {' '.join(block.text for block in lead)}".replace("\n", " "), level)
        yield from inside[len(lead) :]
        number += 1


def _table(tag: Tag) -> Iterator[Block]:
    """A table, or its cells one after the other where it is only there for the layout."""
    if tag.find("table") or tag.select_one("h1, h2, h3, h4, h5, h6"):
        for cell in tag.find_all(["td", "th"]):
            if cell.find_parent("table") is tag:
                yield from _blocks(cell)
        return
    rows: list[tuple[str, ...]] = []
    spans: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, and the cell that fills them
    marked = 0
    beside = 0  # rows whose first cell alone is a header
    for row in tag.find_all("tr"):
        cells: list[str] = []
        tags = row.find_all(["td", "th"], recursive=False)
        for cell in tags:
            _fill(cells, spans)
            text = _text([cell])
            for _ in range(_span(cell, "colspan")):
                if (down := _span(cell, "rowspan")) > 1:
                    spans[len(cells)] = (down - 1, text)
                cells.append(text)
        _fill(cells, spans)
        heads = [cell.name == "th" for cell in tags]
        in_head = row.find_parent("thead") is not None
        marked += marked == len(rows) and bool(heads) and (in_head or (all(heads) and (len(heads) > 1 or not rows)))
        beside += heads[:1] == [True] and not any(heads[1:])
        rows.append(tuple(cells))
    if not marked and beside == len(rows) and max(map(len, rows), default=0) > 2:
        rows, marked = list(transposed(rows)), 1
    caption = tag.find("caption")
    yield Block("table", _text([caption]) if caption else "", rows=with_header(rows, marked=marked))


def _fill(cells: list[str], spans: dict[int, tuple[int, str]]) -> None:
    """Puts in the cells that reach down from the rows above."""
    while len(cells) in spans:
        left, text = spans.pop(len(cells))
        if left > 1:
            spans[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name, ""))
    return min(int(value), 100) if value.isdecimal() and int(value) else 1
