"""The children of `bench.conformance`: the words that a file holds, found without the readers' code and libraries.

argument: SUFFIX

Every text node of the parts that a person sees, also what is hidden or struck out: what is missing from a reading is to
be looked at, and may well be left out for a reason.
"""

from __future__ import annotations

import io
import json
import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from lxml import etree, html
from pypdf import PdfReader

from trag.sandbox import serve

_PARTS = {
    ".docx": r"word/(document|footnotes|endnotes|header|footer)\d*\.xml",
    ".pptx": r"ppt/(slides|notesSlides|diagrams|charts)/(slide|notesSlide|data|chart)\d+\.xml",
}
_BREAKS = frozenset({"p", "tab", "br", "cr", "v", "pt", "tc"})
_FALLBACK = "Fallback"
_UNSEEN = "script|style|template|head|noscript|svg|iframe|object|textarea|select|option"
_MARKUP = re.compile(
    r"<!--.*?-->|</?[a-zA-Z][^<>]*>|\]\([^()\s]*|\]\[[^\[\]]*\]|^\[[^\]\n]+\]:.*$|\w+://\S+|&\w+;", re.S | re.M
)


def words(content: bytes, suffix: str) -> str:
    """The text of a file, words parted by white space."""
    if suffix in _PARTS:
        with zipfile.ZipFile(io.BytesIO(content)) as container:
            names = [name for name in container.namelist() if re.fullmatch(_PARTS[suffix], name)]
            return " ".join(" ".join(_runs(_tree(container.read(name)))) for name in names)
    if suffix == ".xlsx":
        return " ".join(_cells(content))
    if suffix == ".pdf":
        return " ".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    if suffix in (".html", ".htm"):
        return " ".join(_page(content))
    text = _decoded(content)
    return _MARKUP.sub(" ", text) if suffix in (".md", ".markdown") else text


def _tree(content: bytes) -> etree._Element:
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))


def _runs(root: etree._Element) -> Iterator[str]:
    """The text of runs, joined within a paragraph."""
    line = ""
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = etree.QName(element).localname if isinstance(element.tag, str) else ""
        inside = {etree.QName(each).localname for each in element.iterancestors()} if name in ("t", "v") else ()
        if event == "start" and name in ("t", "v") and _FALLBACK not in inside:
            line += element.text or ""
        if name in _BREAKS:
            yield line
            line = ""
    yield line


def _cells(content: bytes) -> Iterator[str]:
    """The text of cells that hold any, of all sheets."""
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        names = {name.lower(): name for name in container.namelist()}
        strings: list[str] = []
        if shared := names.get("xl/sharedstrings.xml"):
            strings = [_shown(each) for each in _tree(container.read(shared)).iterfind("{*}si")]
        for name in names.values():
            if posixpath.dirname(name).endswith("worksheets") and PurePosixPath(name).suffix == ".xml":
                for cell in _tree(container.read(name)).iter("{*}c"):
                    value, kind = cell.findtext("{*}v") or "", cell.get("t")
                    if kind == "s" and value.isdecimal() and int(value) < len(strings):
                        yield strings[int(value)]
                    elif kind in ("str", "inlineStr"):
                        yield value or "".join(cell.itertext("{*}t"))


def _shown(string: etree._Element) -> str:
    """A text without the syllables that say how its characters are read."""
    return "".join(text.text or "" for text in string.iter("{*}t") if not text.getparent().tag.endswith("}rPh"))


def _page(content: bytes) -> Iterator[str]:
    try:
        parser = html.HTMLParser(encoding="utf-8" if content.decode() else None)
    except UnicodeDecodeError:
        parser = html.HTMLParser()
    body = html.document_fromstring(content, parser=parser).find("body")
    names = {"re": "http://exslt.org/regular-expressions"}
    seen = f".//text()[not(ancestor::*[re:test(name(), '^({_UNSEEN})$')])]"
    for text in () if body is None else body.xpath(seen, namespaces=names):
        yield str(text)


def _decoded(content: bytes) -> str:
    for encoding in ("utf-16",) if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")


if __name__ == "__main__":
    serve(lambda content, arguments: json.dumps(words(content, arguments[0])))
