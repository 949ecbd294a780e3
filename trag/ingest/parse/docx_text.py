"""The text of a Word document that shows: formatting by styles and by itself, symbols, boxes, equations on one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from trag.ingest.parse.docx_numbers import ancestry, value
from trag.ingest.parse.marks import TICKED, UNTICKED, in_font, raised
from trag.ingest.parse.pictures import is_counted
from trag.ingest.parse.tables import as_lines

_RUNS = {qn("w:r"), qn("m:r")}
_TEXTS = {qn("w:t"), qn("m:t")}
_CHARACTERS = {qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"} | dict.fromkeys(
    (qn("w:tab"), qn("w:ptab")), "\t"
)
_DELETED = {qn("w:del"), qn("w:moveFrom")}
LEFT_OUT = (
    {qn(name) for name in ("w:pPr", "w:rPr", "w:sdtPr", "w:instrText", "w:delText")}
    | _DELETED
    | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
)
_WORD_2010 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_BEFORE = {"num": "", "den": "/", "sup": "^", "sub": "_", "lim": "_"}
"""What stands before a part of an equation that is drawn above or below its line."""
_SIMPLE = re.compile(r"[\w.,%]*|\([^()]*\)")
_PARTS = {qn(f"m:{name}"): name for name in (*_BEFORE, "deg", "rad", "d", "nary", "e", "mr")}
"""The names of the parts of equations by their tags."""
_SPACED = {qn(f"m:{name}") for name in ("e", "mr", "fName", "sup", "sub")}
_PROPERTIES = ("w:strike", "w:dstrike", "w:vanish", "w:vertAlign", "w:rFonts")
_FILE_NAME = re.compile(r"\S+\.\w{3,4}")
_POINT = 12_700  # of Office's units


@dataclass(frozen=True, slots=True)
class _Format:
    """How a run is set. `hidden` says why it does not show, "" where it does."""

    hidden: str
    raised: bool
    font: str


class Text:
    """Reads the text of elements of one document, whose styles are given by id."""

    def __init__(self, styles: Mapping[str, Any]) -> None:
        self._styles = styles
        self._styled: dict[str, dict[str, Any]] = {}

    def of(self, element: Any) -> str:
        """The text that shows: insertions with the rest, without what is deleted, struck out, hidden, or repeated for
        older Words. Tabs stay."""
        return "".join(self._pieces(element)).strip()

    def is_left_out(self, element: Any) -> bool:
        return element.tag in LEFT_OUT or (element.tag in _RUNS and bool(self._format(element).hidden))

    def count_left_out(self, body: Any) -> Counter[str]:
        """How many passages, of runs one after the other, do not show, by what is done to them."""
        found: Counter[str] = Counter()
        for paragraph in body.iter(qn("w:p")):
            runs = [run for run in paragraph.iter(qn("w:r")) if run.find(qn("w:t")) is not None or _is_deleted(run)]
            for hidden, passage in groupby(runs, self._why_hidden):
                words = "".join(text.text or "" for run in passage for text in run.iter(qn("w:t"), qn("w:delText")))
                found[hidden] += bool(hidden) and bool(words.strip())
        return found

    def _why_hidden(self, run: Any) -> str:
        return "deleted passage" if _is_deleted(run) else self._format(run).hidden

    def _pieces(self, element: Any) -> Iterator[str]:
        for child in element:
            if child.tag in _TEXTS:
                yield child.text or ""
            elif child.tag in _CHARACTERS:
                yield _CHARACTERS[child.tag]
            elif child.tag in _PARTS:
                yield _equation_part(child, self.of(child))
            elif child.tag in _RUNS:
                yield from self._run(child)
            elif child.tag == qn("w:sym"):
                character = chr(int(child.get(qn("w:char"), "20"), 16))
                yield in_font(character, child.get(qn("w:font"), ""))
            elif child.tag == qn("w:fldChar"):
                yield _form_field(child)
            elif child.tag == qn("wp:inline"):
                yield _alternative(child)
                yield from self._pieces(child)
            elif child.tag == qn("w:tbl"):  # in a cell
                yield f"\n{as_lines([[self.of(cell) for cell in cells(row)] for row in table_rows(child)])}\n"
            elif child.tag not in LEFT_OUT:
                if child.tag == qn("w:p"):  # of a cell or a text box
                    yield "\n"
                yield from self._pieces(child)

    def _run(self, run: Any) -> Iterator[str]:
        form = self._format(run)
        if not form.hidden:
            text = "".join(self._pieces(run))
            text = in_font(text, form.font) if form.font and run.find(qn("w:sym")) is None else text
            yield raised(text) if form.raised else text

    def _format(self, run: Any) -> _Format:
        found = self._set_by(value(run, "w:rPr/w:rStyle")) | _properties(run)
        paragraph = next(run.iterancestors(qn("w:p")), None)
        if paragraph is not None:
            found = self._set_by(value(paragraph, "w:pPr/w:pStyle")) | found
        hidden = "hidden passage" if _is_on(found.get("w:vanish")) else ""
        if _is_on(found.get("w:strike")) or _is_on(found.get("w:dstrike")):
            hidden = "struck-out passage"
        align, fonts = found.get("w:vertAlign"), found.get("w:rFonts")
        font = "" if fonts is None else fonts.get(qn("w:ascii"), "") or fonts.get(qn("w:hAnsi"), "")
        return _Format(hidden, align is not None and align.get(qn("w:val")) == "superscript", font)

    def _set_by(self, style: str) -> dict[str, Any]:
        """What a style and those it is based on say of runs."""
        if style not in self._styled:
            found: dict[str, Any] = {}
            for id_ in reversed(ancestry(style, self._styles)):
                found |= _properties(self._styles[id_])
            self._styled[style] = found
        return self._styled[style]


def _properties(element: Any) -> dict[str, Any]:
    own = element.find(qn("w:rPr"))
    found = {} if own is None else {name: own.find(qn(name)) for name in _PROPERTIES}
    return {name: each for name, each in found.items() if each is not None}


def _is_on(element: Any) -> bool:
    return element is not None and element.get(qn("w:val"), "1") not in ("0", "false", "off")


def _is_deleted(run: Any) -> bool:
    return any(above.tag in _DELETED or _is_deleted_row(above) for above in run.iterancestors())


def _is_deleted_row(element: Any) -> bool:
    return bool(element.tag == qn("w:tr") and element.find(f"{qn('w:trPr')}/{qn('w:del')}") is not None)


def table_rows(table: Any) -> Iterator[Any]:
    """The rows of a table, those in content controls too, without deleted ones."""
    return (row for row in _inside(table, qn("w:tr")) if not _is_deleted_row(row))


def cells(row: Any) -> Iterator[Any]:
    """The cells of a row, those in content controls too."""
    return _inside(row, qn("w:tc"))


_AROUND = {qn(name) for name in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins")}


def _inside(element: Any, tag: str) -> Iterator[Any]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _AROUND:
            yield from _inside(child, tag)


def write_boxes(body: Any) -> None:
    """Puts one sign for ticked, and one for not, in place of what the check boxes of a document show: Word's own cross
    in a box would else be read as a no."""
    for box in list(body.iter(f"{_WORD_2010}checkbox")):
        control = box.getparent().getparent()
        checked = box.find(f"{_WORD_2010}checked")
        ticked = checked is not None and checked.get(f"{_WORD_2010}val") in ("1", "true", "on")
        for run in list(control.iterfind(f"{qn('w:sdtContent')}//{qn('w:r')}"))[:1]:
            for other in list(run):
                run.remove(other)
            text = OxmlElement("w:t")
            text.text = TICKED if ticked else UNTICKED
            run.append(text)


def _form_field(character: Any) -> str:
    """What a field of an old form shows that is no text of the document: its box, or what is chosen."""
    if (box := character.find(f"{qn('w:ffData')}/{qn('w:checkBox')}")) is not None:
        state = box.find(qn("w:checked"))
        return TICKED if _is_on(box.find(qn("w:default")) if state is None else state) else UNTICKED
    if (choice := character.find(f"{qn('w:ffData')}/{qn('w:ddList')}")) is not None:
        entries = [entry.get(qn("w:val"), "") for entry in choice.iterfind(qn("w:listEntry"))]
        at = value(choice, "w:result") or value(choice, "w:default") or "0"
        return str(entries[int(at)]) if at.isdecimal() and int(at) < len(entries) else ""
    return ""


def _alternative(drawing: Any) -> str:
    """The words that stand for a picture in a line of text, or alone in a cell."""
    extent, names = drawing.find(qn("wp:extent")), drawing.find(qn("wp:docPr"))
    text = "" if names is None else " ".join((names.get("descr") or names.get("title") or "").split())
    if extent is None or not text or _FILE_NAME.fullmatch(text):
        return ""
    small = not is_counted(*(int(extent.get(side, 0)) / _POINT for side in ("cx", "cy")))
    cell = next(drawing.iterancestors(qn("w:tc")), None)
    alone = cell is not None and not "".join(text.text or "" for text in cell.iter(qn("w:t"))).strip()
    return text if small or alone else ""


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
