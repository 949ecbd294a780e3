"""The child processes of `trag.view.page`: each reads a PDF or a picture from its standard input, writes one of
its pages as JSON.

arguments: PAGE WIDTH LENGTH

After it come LENGTH bytes of JSON, the passage, its supporting words and the pages near by that were read off
pictures: a list of the processes on the machine shows arguments to everybody, and not everybody may read the document.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

from trag.ingest.scans import ScannedPage
from trag.sandbox import serve
from trag.view.locate import Word, find
from trag.view.picture import Picture, picture  # loads libraries, which `serve` would refuse
from trag.view.views import Box, Mark, PageView, Piece

_KEPT = "\n\u200c\u200d"
"""Line ends, and the joiners without which Persian and the Indic scripts are misspelt."""
_BESIDE = 1.2
"""How far apart words of one box may stand, in heights of the line: less than cells of a table do."""


def view(content: bytes, number: int, width: int, length: int) -> PageView:
    """The page of a number in a file that is followed by `length` bytes which say what is looked for on it."""
    size = len(content) - length
    passage, supporting, scans = json.loads(content[size:])
    pages = {page.number: page for page in map(ScannedPage.from_json, scans)}
    shown = picture(content, size, number, width, pages)
    found = find(shown.text, passage, supporting, before=shown.before, after=shown.after)
    return PageView(
        shown.number,
        shown.pages,
        shown.image,
        shown.width,
        shown.height,
        boxes(shown, [found.words[at] for at in found.passage]),
        boxes(shown, [found.words[at] for at in found.support]),
        found.share,
        found.before,
        found.after,
        tuple(piece for piece in _pieces(shown.text, found.words, {*found.passage}, {*found.support}) if piece.text),
        number in pages,
    )


def boxes(shown: Picture, words: Sequence[Word]) -> tuple[Box, ...]:
    """What is drawn around words of a page, in reading order: a box a line, or a cell of a table.

    A word that goes on in the next line gets two.
    """
    shape = shown.width / shown.height
    found: list[Box] = []
    for word in words:
        parts: list[Box] = []
        for place in filter(None, shown.places[word.start : word.end]):
            _add(parts, place, shape)
        for part in parts:
            _add(found, part, shape)
    return tuple(sorted(found, key=lambda box: (box.top, box.left)))


def _add(boxes: list[Box], box: Box, shape: float) -> None:
    """Adds a box, or makes the last one larger where both are of one line: about as high, with little between them."""
    if boxes:
        last = boxes[-1]
        low, high = sorted((last.bottom - last.top, box.bottom - box.top))
        level = min(last.bottom, box.bottom) - max(last.top, box.top)
        apart = max(last.left, box.left) - min(last.right, box.right)
        if level > 0.5 * low and apart * shape < _BESIDE * high:
            left, top = min(last.left, box.left), min(last.top, box.top)
            boxes[-1] = Box(left, top, max(last.right, box.right), max(last.bottom, box.bottom))
            return
    boxes.append(box)


def _pieces(text: str, words: Sequence[Word], passage: Collection[int], support: Collection[int]) -> Iterator[Piece]:
    """The text of a page, cut where the mark of its words changes; what stands between two is marked when both are."""
    start, end = 0, 0
    mark: Mark = ""
    for at, word in enumerate(words):
        of: Mark = "support" if at in support else "passage" if at in passage else ""
        if of != mark:
            yield Piece(_read(text[start:end]), mark)
            yield Piece(_read(text[end : word.start]), "passage" if mark and of else "")
            start, mark = word.start, of
        end = word.end
    yield Piece(_read(text[start:end]), mark)
    yield Piece(_read(text[end:]))


def _read(text: str) -> str:
    """Text without what is no character to be read, such as the control that PDFium gives for a hyphen at a line's end,
    and what turns text round."""
    return "".join(each for each in text if each.isprintable() or each in _KEPT)


if __name__ == "__main__":
    serve(lambda content, arguments: view(content, *map(int, arguments)).to_json())
