"""A workbook without all of which nothing is read: one colour, rule or property that is not as it should be keeps
openpyxl from reading the rest."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from lxml import etree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
_STYLES = re.compile(r"xl/styles\.xml", re.IGNORECASE)
_OF_SHEETS = {f"{_MAIN}{name}" for name in ("cols", "sheetData", "mergeCells")}
_OF_FONTS = {f"{_MAIN}{name}" for name in ("b", "strike")}


def plain(content: bytes) -> bytes:
    """The same workbook with the cells of its sheets, their number formats, and which are bold or struck out.

    Raises SyntaxError for a part that is not XML.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if _SHEET.fullmatch(entry.filename):
                data = _with_cells_alone(data)
            elif _STYLES.fullmatch(entry.filename):
                data = _with_plain_styles(data)
            new.writestr(entry.filename, data)
    return file.getvalue()


def _tree(xml: bytes) -> Any:
    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True))


def _with_cells_alone(xml: bytes) -> bytes:
    root = _tree(xml)
    for part in root:
        if part.tag not in _OF_SHEETS:
            root.remove(part)
    return bytes(etree.tostring(root))


def _with_plain_styles(xml: bytes) -> bytes:
    old = _tree(xml)
    new = etree.Element(f"{_MAIN}styleSheet")
    formats = etree.SubElement(new, f"{_MAIN}numFmts")
    for each in old.iterfind(f"{_MAIN}numFmts/{_MAIN}numFmt"):
        if each.get("numFmtId", "").isdecimal() and each.get("formatCode"):
            formats.append(each)
    fonts = etree.SubElement(new, f"{_MAIN}fonts")
    for each in [*old.iterfind(f"{_MAIN}fonts/{_MAIN}font")] or [etree.Element("font")]:
        etree.SubElement(fonts, f"{_MAIN}font").extend([part for part in each if part.tag in _OF_FONTS])
    etree.SubElement(etree.SubElement(etree.SubElement(new, f"{_MAIN}fills"), f"{_MAIN}fill"), f"{_MAIN}patternFill")
    etree.SubElement(etree.SubElement(new, f"{_MAIN}borders"), f"{_MAIN}border")
    etree.SubElement(etree.SubElement(new, f"{_MAIN}cellStyleXfs"), f"{_MAIN}xf")
    styles = etree.SubElement(new, f"{_MAIN}cellXfs")
    for each in [*old.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf")] or [etree.Element("xf")]:
        said = {name: number for name in ("numFmtId", "fontId") if (number := each.get(name, "")).isdecimal()}
        if int(said.get("fontId", 0)) >= len(fonts):
            del said["fontId"]
        etree.SubElement(styles, f"{_MAIN}xf", said)
    return bytes(etree.tostring(new))
