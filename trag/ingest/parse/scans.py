"""The child processes of `trag.ingest.scans`: each reads the words off pictures, writes a line of JSON for each.

arguments: SUFFIX 3,4,7

RapidOCR runs PP-OCRv6, whose models come in its wheel: Latin, Greek, Chinese and Japanese letters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
from rapidocr import RapidOCR  # loads libraries, which `serve` would refuse

from trag.errors import TragError
from trag.ingest.parse.formats import FORMATS, PICTURES
from trag.ingest.parse.frames import BROKEN, flat, held, pixels
from trag.ingest.parse.pdf_shapes import shapes_of
from trag.ingest.scans import BESIDE, ScannedPage, ScannedWord
from trag.machine import cores
from trag.sandbox import serve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIDE = 2_000  # pixels of the longer side, about 170 a printed inch of A4; RapidOCR would make larger ones smaller
_FOUND = 960  # pixels of the longer side in which lines are looked for
_UPRIGHT = 1.5  # heights of a line's box in its widths from which on it runs up or down


def scan(content: bytes, suffix: str, numbers: Sequence[int]) -> Iterator[ScannedPage]:
    """The pictures of these numbers, from 1: pages of a PDF and pictures on them, frames of a picture, what another
    document holds. Raises TragError where a PDF or a page is damaged; another picture that is has no words."""
    read = RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": 0.0,
            "Global.use_cls": False,
            "Det.limit_type": "max",
            "Det.limit_side_len": _FOUND,
            "Rec.rec_batch_num": 1,  # lines together are padded to the longest, which takes longer
            "EngineConfig.onnxruntime.intra_op_num_threads": cores(),
        }
    )
    drawn = _pages(content, numbers) if FORMATS[suffix] == "pdf" else _pictures(content, FORMATS[suffix], numbers)
    for number, picture in zip(numbers, drawn, strict=True):
        yield ScannedPage(number, 0, 0.0, 0.0, ()) if picture is None else _upright(read, picture, number)


def _pages(content: bytes, numbers: Sequence[int]) -> Iterator[NDArray[np.uint8] | None]:
    try:
        document = pdfium.PdfDocument(content)
        for number in numbers:
            at, beside = number % BESIDE, number // BESIDE
            page = document[at - 1]
            if beside:
                yield _on_page(document, page, beside)
            else:
                yield page.render(scale=_SIDE / max(page.get_size()), may_draw_forms=False).to_numpy()
            page.close()
    except pdfium.PdfiumError as error:
        raise TragError("is a damaged PDF.", "Open it in a PDF viewer, print it to a new PDF.") from error


def _on_page(document: pdfium.PdfDocument, page: pdfium.PdfPage, number: int) -> NDArray[np.uint8] | None:
    """The picture of a number on a page, without what is drawn over it."""
    drawn, _ = shapes_of(page).pictures[number - 1]
    picture = pdfium.PdfImage(drawn, page=page, pdf=document)
    try:
        left, bottom, right, top = picture.get_bounds()
        scale = min(_SIDE, max(picture.get_px_size())) / max(right - left, top - bottom)
        picture.set_matrix(picture.get_matrix().scale(scale, scale))
        return flat(picture.get_bitmap(render=True, scale_to_original=False).to_pil())[..., ::-1]
    except (pdfium.PdfiumError, ZeroDivisionError):
        return None


def _pictures(content: bytes, kind: str, numbers: Sequence[int]) -> Iterator[NDArray[np.uint8] | None]:
    names, inside = held(content, kind) if kind not in PICTURES else ((), None)
    for number in numbers:
        try:
            picture = pixels(inside(names[number - 1]), 1, _SIDE) if inside else pixels(content, number, _SIDE)
            yield picture[..., ::-1]  # blue first, as OpenCV has it
        except BROKEN:
            yield None


def _upright(read: Any, pixels: NDArray[np.uint8], number: int) -> ScannedPage:
    """A page read as it stands, or turned, where that reads better."""
    page, stands = _read(read, pixels, number, 0)
    if page.words and page.is_legible and stands:
        return page
    turned = (_read(read, np.rot90(pixels, -turn), number, turn) for turn in (1, 2, 3)) if page.words else ()
    pages: list[tuple[ScannedPage, bool]] = [(page, stands), *turned]
    # Lines that run down are turned to be read, one by one: what tells is which way most of them run.
    best, _ = max(pages, key=lambda each: (each[1], each[0].confidence * sum(len(word.text) for word in each[0].words)))
    return best


def _read(read: Any, pixels: NDArray[np.uint8], number: int, turn: int) -> tuple[ScannedPage, bool]:
    """A page of pixels (height, width, 3), and whether most of its lines run from side to side."""
    height, width = pixels.shape[:2]
    found = read(np.ascontiguousarray(pixels), return_word_box=True)
    if not found.txts:
        return ScannedPage(number, turn, 0.0, 0.0, ()), True
    lines = [np.asarray(box, dtype=float) for box in found.boxes]  # (4, 2), from the top left corner clockwise
    lengths = [len(text) for text in found.txts]
    across = [math.dist(box[0], box[1]) * _UPRIGHT > math.dist(box[1], box[2]) for box in lines]
    falls = [(box[1][1] - box[0][1]) / max(1.0, box[1][0] - box[0][0]) for box in lines]
    words = [
        _word(text, np.asarray(box, dtype=float) / (width, height))
        for line in found.word_results
        for text, _, box in line
        if text.strip()
    ]
    return (
        ScannedPage(
            number,
            turn,
            median(fall for fall, length in zip(falls, lengths, strict=True) for _ in range(max(1, length))),
            float(np.average(found.scores, weights=[max(1, length) for length in lengths])),
            tuple(words),
        ),
        sum(length for length, is_across in zip(lengths, across, strict=True) if is_across) * 2 >= sum(lengths),
    )


def _word(text: str, box: NDArray[np.float64]) -> ScannedWord:
    """A word by its corners (4, 2) in fractions of the page; where its line is tilted, the height at its middle."""
    (left, right), middle = (box[:, 0].min(), box[:, 0].max()), box[:, 1].mean()
    half = (box[2:, 1].mean() - box[:2, 1].mean()) / 2
    return ScannedWord(text, *(round(float(side), 5) for side in (left, middle - half, right, middle + half)))


if __name__ == "__main__":
    serve(
        lambda content, arguments: "\n".join(
            page.to_json() for page in scan(content, arguments[0], [int(each) for each in arguments[1].split(",")])
        )
    )
