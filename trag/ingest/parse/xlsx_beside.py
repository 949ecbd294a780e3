"""What lies beside the cells of an Excel sheet, in parts of its own: notes on cells, text boxes, pictures, and which
cells name the columns of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from zipfile import ZipFile

from lxml import etree
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries

from trag.ingest.parse.pictures import embedded, is_counted_in_office

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_MAIN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SIZE = f".//{_MAIN}xfrm/{{*}}ext"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_SECOND = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What stands a second time for programs that do not know the first."""
_THREADED = "tc="
"""How the author of a note begins that repeats a threaded comment for older programs."""


@dataclass(frozen=True, slots=True)
class Beside:
    """`remarks` are the notes by the (row, column) of their cell, from 1, and `names` the cells with the names of the
    columns of a table. `boxes` are the texts of shapes, each with the row that it begins beside, 0 for those above all
    others. `pictures` are the entries of the container that are shown, "" where one is elsewhere; `unread` counts what
    else there is."""

    remarks: dict[tuple[int, int], str]
    names: frozenset[tuple[int, int]]
    boxes: tuple[tuple[int, str], ...]
    pictures: tuple[str, ...]
    unread: tuple[tuple[str, int], ...]


def beside(archive: ZipFile, path: str) -> Beside:
    """What lies beside the cells of the sheet at `path`. Raises ValueError, KeyError or SyntaxError for a damaged
    part."""
    entries = set(archive.namelist())
    parts: dict[str, list[Any]] = {}
    boxes: list[tuple[int, str]] = []
    pictures: list[str] = []
    for each in _related(archive, path, entries):
        kind = each.Type.rpartition("/")[2]
        if each.target in entries and kind in ("comments", "threadedComment", "drawing", "table", "ctrlProp"):
            parts.setdefault(kind, []).append(_tree(archive.read(each.target)))
        if each.target in entries and kind == "drawing":
            files = {one.Id: one.target for one in _related(archive, each.target, entries)}
            shown = filter(_is_picture, parts[kind][-1].iter(f"{_DRAWING}pic"))
            pictures += [files.get(embedded(picture), "") for picture in shown]
    remarks: dict[tuple[int, int], str] = {}
    for part in parts.get("comments", ()):
        authors = [author.text or "" for author in part.iterfind(".//{*}author")]
        for note in part.iterfind(".//{*}comment"):
            author = authors[int(note.get("authorId", 0))] if authors else ""
            text = "".join(piece.text or "" for piece in note.iterfind(".//{*}t")).strip()
            text = " ".join(text.removeprefix(f"{author}:").split()).rstrip(".")
            if text and not author.startswith(_THREADED):
                remarks[coordinate_to_tuple(note.get("ref", ""))] = text
    names: set[tuple[int, int]] = set()
    for table in parts.get("table", ()):
        left, top, right, _ = range_boundaries(table.get("ref", ""))
        if table.get("headerRowCount", "1") != "0":
            names |= {(top, column) for column in range(left, right + 1)}
    unread: Counter[str] = Counter()
    unread["threaded comment"] = sum(
        1 for part in parts.get("threadedComment", ()) for _ in part.iterfind("{*}threadedComment")
    )
    unread["form control"] = len(parts.get("ctrlProp", ()))
    for drawing in parts.get("drawing", ()):
        boxes += _boxes(drawing)
        unread["diagram"] += sum(data.get("uri") == _DIAGRAM for data in drawing.iter(f"{_MAIN}graphicData"))
    boxes.sort(key=lambda box: box[0])
    return Beside(
        remarks, frozenset(names), tuple(boxes), tuple(pictures), tuple((what, n) for what, n in unread.items() if n)
    )


def _related(archive: ZipFile, path: str, entries: Collection[str]) -> Sequence[Any]:
    """What a part refers to."""
    return get_dependents(archive, get_rels_path(path)) if get_rels_path(path) in entries else ()


def _tree(content: bytes) -> Any:
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def _boxes(drawing: Any) -> Iterator[tuple[int, str]]:
    """The shapes that hold words, each with the row that its anchor begins in, from 0, or 0."""
    for shape in drawing.iter(f"{_DRAWING}sp"):
        if any(above.tag == _SECOND for above in shape.iterancestors()):
            continue
        lines = ("".join(text.text or "" for text in line.iter(f"{_MAIN}t")) for line in shape.iter(f"{_MAIN}p"))
        text = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
        anchor = next((above for above in shape.iterancestors() if above.tag.endswith("Anchor")), None)
        row = None if anchor is None else anchor.find(f"{_DRAWING}from/{_DRAWING}row")
        if text:
            yield int(row.text or 0) if row is not None else 0, text


def _is_picture(picture: Any) -> bool:
    # An anchor to one place has a size of its own; of one between two places the picture itself has it.
    anchor = picture.getparent()
    size = None if anchor is None else anchor.find(f"{_DRAWING}ext")
    size = picture.find(_SIZE) if size is None else size
    width, height = (int(size.get(side) or 0) or None if size is not None else None for side in ("cx", "cy"))
    return is_counted_in_office(picture, width, height)
