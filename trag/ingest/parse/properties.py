"""What a file says of its own title and validity where its format has a place for that: properties of Word files, the
information of a PDF, meta tags of a page, front matter of Markdown, a table of two columns, "Document control", and
lines of a title page with a name and a colon.

The names are those of the fields (`valid_from`, written "Valid from" or "valid-from" too), of Dublin Core and of the
formats themselves. Values are handed on as they stand: what they mean is read by `trag.ingest.validity`.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from trag.ingest.parse.characters import clean
from trag.ingest.reading import Block, Stated

_NAMES = {
    "status": ("status",),
    "owner": ("owner", "document owner"),
    "valid_from": ("valid from", "effective from", "effective date", "effective"),
    "valid_to": ("valid to", "valid until", "expires", "expiry date"),
    "review": ("review", "review date", "next review", "review by", "to be reviewed by"),
    "language": ("language", "lang"),
    "supersedes": ("supersedes", "replaces"),
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names}
"""How files call the fields; in English, as properties and front matter are. docs/operators.md lists them."""
_MARKS = re.compile(r"[\s_:-]+")
_DUBLIN_CORE = {"language": "language", "replaces": "supersedes"}
"""The DCMI Metadata Terms that say one of the fields."""
_FRONT_MATTER = re.compile(r"\A\ufeff?(---|\+\+\+)[^\S\n]*\r?\n(?P<matter>.*?)\r?\n\1[^\S\n]*(?:\r?\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"^(?P<name>[^\s:=#\[{][^:=\n]*?)\s*[:=]\s*(?P<value>.*?)\s*$", re.MULTILINE)
_LISTED = re.compile(r"^\s+-\s+(?P<value>.*?)\s*$")
_FIRST = 40
"""Blocks at the beginning of a document in which a table of its own data may stand."""
_LONGEST = 300
_MOST = 40
_WORD = re.compile(r"\w+")
_OF_OFFICE = "docProps/core.xml"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_PROPERTY = "{http://schemas.openxmlformats.org/officeDocument/2006/custom-properties}property"
_CORE = {
    "{http://purl.org/dc/elements/1.1/}language": "language",
    "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}contentStatus": "status",
}


def stated(content: bytes, kind: str, blocks: Sequence[Block]) -> tuple[Stated, ...]:
    """What a file of that kind (one of the values of FORMATS) says of its validity, in the order in which it is looked
    for; of a field said twice in one place the first."""
    found: dict[tuple[str, str], Stated] = {}
    of_format: dict[str, Callable[[bytes], Iterator[Stated]]] = {
        "markdown": _front_matter,
        "html": _meta,
        "pdf": _information,
        **dict.fromkeys(("docx", "pptx", "xlsx"), _office),
    }
    read = [
        *(of_format[kind](content) if kind in of_format else ()),
        *_tables(blocks[:_FIRST]),
        *_lines(_spoken(blocks[:_FIRST])),
    ]
    for one in read:
        value = " ".join(one.words.split())
        if value and len(value) <= _LONGEST:
            found.setdefault((one.field, one.place), Stated(one.field, value, one.place))
    return tuple(found.values())[:_MOST]


def title(content: bytes, kind: str, blocks: Sequence[Block]) -> str:
    """What the format of a file has as its title, where its first page begins a line with the same words, or is one of
    them: a program may have made it up, or left that of the file that this one was made of."""
    named = " ".join(_TITLES[kind](content).split()) if kind in _TITLES else ""
    words = _words(named)
    for first, block in enumerate(blocks[:_FIRST]):
        below = [word for each in blocks[first : first + 3] for word in _words(each.text)]
        if below[: len(words)] == words and (len(words) > 1 or words == _words(block.text)):
            return clean(named)
    return ""


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _title_of_page(content: bytes) -> str:
    from bs4 import BeautifulSoup

    found = BeautifulSoup(content[:1_000_000], "lxml").title
    return found.get_text() if found else ""


def _title_of_pdf(content: bytes) -> str:
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

    try:
        return str(pdfium.PdfDocument(content).get_metadata_value("Title"))
    except pdfium.PdfiumError:
        return ""  # reading it says so


def _title_of_office_file(content: bytes) -> str:
    return next(("".join(one.itertext()) for one in _part(content, _OF_OFFICE) if one.tag == _TITLE), "")


_TITLES: dict[str, Callable[[bytes], str]] = {
    "html": _title_of_page,
    "pdf": _title_of_pdf,
    **dict.fromkeys(("docx", "pptx", "xlsx"), _title_of_office_file),
}


def _field(name: str) -> str:
    """The field that a name is of, "" for none."""
    return _FIELDS.get(_MARKS.sub(" ", name.casefold()).strip(), "")


def _named(pairs: Iterable[tuple[str, str]], place: str) -> Iterator[Stated]:
    for name, value in pairs:
        if field := _field(name):
            yield Stated(field, value, place)


def _front_matter(content: bytes) -> Iterator[Stated]:
    matter = _FRONT_MATTER.match(content[:100_000].decode("utf-8", "replace"))
    if not matter:
        return
    lines = matter["matter"].splitlines()
    for number, line in enumerate(lines):
        if not (entry := _ENTRY.match(line)):
            continue
        values = [entry["value"]]
        if not entry["value"]:  # a list, an item a line
            items = map(_LISTED.match, lines[number + 1 : number + 1 + _MOST])
            values = []
            for item in items:
                if not item:
                    break
                values.append(item["value"])
        plain = "; ".join(value.strip("[]").strip("\"'") for value in values)
        yield from _named([(entry["name"], plain)], "front matter")


def _meta(content: bytes) -> Iterator[Stated]:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(content[:1_000_000], "lxml")
    root = soup.find("html")
    if root and isinstance(lang := root.get("lang"), str):
        yield Stated("language", lang, "<html lang>")
    for tag in soup.find_all("meta", limit=500):
        name, value = str(tag.get("name") or tag.get("property") or ""), str(tag.get("content") or "")
        scheme, _, term = name.casefold().rpartition(".")
        if scheme in ("dc", "dcterms"):
            name = _DUBLIN_CORE.get(term, "")
        yield from _named([(name, value)], "meta tag")


def _information(content: bytes) -> Iterator[Stated]:
    import pypdfium2 as pdfium
    from pypdfium2 import raw

    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError:
        return  # reading it says so
    # PDFium tells the value of a name, and not which names there are.
    spelled = {spelling for name in _FIELDS for spelling in _spellings(name)}
    yield from _named([(name, document.get_metadata_value(name)) for name in sorted(spelled)], "PDF properties")
    size = raw.FPDFCatalog_GetLanguage(document, None, 0)
    buffer = (raw.FPDF_WCHAR * (size // 2 + 1))()
    raw.FPDFCatalog_GetLanguage(document, buffer, size)
    yield Stated("language", bytes(buffer).decode("utf-16-le", "replace").rstrip("\0"), "PDF properties")
    with suppress(IndexError, pdfium.PdfiumError):  # without pages, or with a damaged one
        # Lines beneath each other are one paragraph among the blocks.
        yield from _lines(document[0].get_textpage().get_text_bounded().splitlines())


def _spellings(name: str) -> Iterator[str]:
    words = name.split()
    for joint in " -_":
        yield from (joint.join(words), joint.join(words).capitalize(), joint.join(word.capitalize() for word in words))


def _office(content: bytes) -> Iterator[Stated]:
    for one in _part(content, "docProps/custom.xml"):
        if one.tag == _PROPERTY:
            text = "".join(one.itertext()).strip()
            yield from _named([(str(one.get("name", "")), text.split("T00:00:00")[0])], "custom properties")
    for one in _part(content, _OF_OFFICE):
        if one.tag in _CORE:
            yield Stated(_CORE[str(one.tag)], "".join(one.itertext()).strip(), "properties")


def _part(content: bytes, name: str) -> Sequence[Any]:
    """The elements of a part of a container that was screened when its text was read."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        try:
            return list(etree.fromstring(container.read(name), parser))
        except (KeyError, etree.XMLSyntaxError):
            return ()


def _tables(blocks: Sequence[Block]) -> Iterator[Stated]:
    """A table of two fields or more whose rows are a name and a value each, or its turned form, one row under a header;
    named by the heading above it."""
    heading = ""
    for block in blocks:
        if block.kind == "heading":
            heading = block.text
        if block.kind != "table":
            continue
        rows = [row for row in block.rows if any(row)]
        pairs = [(row[0], row[1]) for row in rows if len(row) == 2]
        if len(rows) == 2 and len(rows[0]) > 2:
            pairs = list(zip(*rows, strict=False))
        said = [*_named(pairs, heading or "table")]
        if len({one.field for one in said}) > 1:
            yield from said


def _spoken(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        yield from block.text.splitlines() if block.kind != "table" else ()


def _lines(lines: Iterable[str]) -> Iterator[Stated]:
    """Those that are a name, a colon and a value, of two fields or more."""
    parts = (line.partition(":") for line in lines)
    said = [*_named([(name, value) for name, colon, value in parts if colon], "first page")]
    if len({one.field for one in said}) > 1:
        yield from said
