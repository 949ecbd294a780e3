"""PDF: its pages read one by one, made into blocks, and notes on what in them is not read.

Pages that are pictures and pictures on other pages are read by `trag.ingest.scans`; scripts are not run, forms and
embedded files are not opened.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from math import prod

import pypdfium2 as pdfium  # type: ignore[import-untyped]
from pypdfium2 import raw

from trag.errors import TragError
from trag.ingest.parse.characters import counted, listed
from trag.ingest.parse.frames import PIXELS
from trag.ingest.parse.marks import left_out
from trag.ingest.parse.pdf_blocks import Titles, blocks, folded
from trag.ingest.parse.pdf_columns import page_lines, without_line_numbers
from trag.ingest.parse.pdf_lines import Cell, Line, without_contents, without_running_lines
from trag.ingest.parse.pdf_page import Page, read_page
from trag.ingest.parse.pdf_scans import with_scan
from trag.ingest.parse.pdf_shapes import Box, Picture
from trag.ingest.parse.pdf_tables import cells_of_page
from trag.ingest.parse.pictures import LEAST, MOST, SIDE, unread
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import BESIDE, ScannedPage

PAGES = 5_000
"""Pages that a file may have."""

_TITLES = 5_000  # of an outline that are looked up
_MOST = 0.5
_LITTLE = 300
"""The share of a page from which on pictures are taken for a scan, where fewer characters than this stand beside them:
a stamp, a reference number, a running line."""
_RUNNING = 3  # pages from which on a picture on them runs, as a letterhead does
_SCRIPT = re.compile(rb"/(?:JavaScript|Launch)\b")


def parse(content: bytes, scans: Sequence[ScannedPage] = ()) -> Reading:
    """A PDF; `scans` are what was read of its pages that are pictures, and of pictures on others. Raises TragError when
    it is encrypted, damaged, has no page, or more than PAGES."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        code = raw.FPDF_GetLastError()
        if code == raw.FPDF_ERR_PASSWORD:
            raise TragError(
                "is encrypted with a password.", "Save a copy without a password and ingest that."
            ) from error
        if code == raw.FPDF_ERR_SECURITY:
            raise TragError("is encrypted in a way that is not read.", "Save a copy without encryption.") from error
        raise TragError(
            f"is a damaged PDF ({error}).", "Open it in a PDF viewer, print it to a new PDF and ingest that."
        ) from error
    count = len(document)
    if not 0 < count <= PAGES:
        raise TragError(f"has {count:,} pages; from 1 to {PAGES:,} are read.", "Split it into smaller files.")
    drawn = [_page(document, at) for at in range(count)]
    sizes = [document.get_page_size(at) for at in range(count)]
    reading = of_pages("PDF", drawn, sizes, scans, _outline(document))
    return replace(reading, notes=(*reading.notes, *_unopened(document, content, drawn)))


def of_pages(
    form: str,
    drawn: Sequence[Page | None],
    sizes: Sequence[tuple[float, float]],
    scans: Sequence[ScannedPage],
    titles: Titles,
) -> Reading:
    """The pages of a document, None where one is damaged, with their widths and heights in points as they are shown;
    `scans` are what was read of those that are pictures, and of pictures on others, `titles` what its outline lists."""
    drawn, by_number = list(drawn), {scan.number: scan for scan in scans}
    for number, page in enumerate(drawn, 1):
        if page and (scan := by_number.get(number)):
            drawn[number - 1] = with_scan(page, scan, *sizes[number - 1])
    shown = without_stamps([each or Page() for each in drawn])
    cells = without_line_numbers([cells_of_page(page) for page in shown])
    lines = [page_lines(each, number) for number, each in enumerate(cells, 1)]
    found = without_running_lines(lines)
    if not found and not any(page.pictures for page in shown):  # then that is all there is
        found = [line for page in lines for line in page]
    with_text = {line.page for line in found}
    whole = {*_pictures(drawn, with_text), *_covered(drawn, with_text)}
    pictures = _beside(drawn, with_text - whole - by_number.keys())
    wanted = [n for n, (_, each) in pictures.items() if min(each.pixels) >= LEAST and prod(each.pixels) <= PIXELS]
    scanned = tuple(sorted({*whole, *wanted[:MOST]} - by_number.keys()))
    kept = list(without_contents(found))
    held = set(map(id, kept))
    entries = sum(id(line) not in held and any(map(str.isalpha, line.text)) for line in found)
    silent = []
    # From the lowest: each goes before those that stand below the same line.
    for number, (on, picture) in sorted(pictures.items(), key=lambda each: _height(each[1][1].box)):
        if (scan := by_number.get(number)) and scan.is_legible and (said := words(scan, picture.size, on)):
            _put(kept, on, picture.box, said)
        else:
            silent.append(on)
    notes = (
        *_unread(drawn, with_text, by_number),
        *unread(len(silent), listed("page", sorted({*silent}))),
        *left_out({"contents line": entries}),
    )
    return Reading(form, blocks(kept, titles), len(drawn), notes, scanned)


def words(scan: ScannedPage, size: tuple[float, float], page: int | None) -> tuple[Block, ...]:
    """The blocks of a picture of this width and height, in any unit. Its headings are none of the document's."""
    width, height = (side * SIDE / (max(size) or 1) for side in size)
    found = of_pages("picture", [Page(pictures=(Picture(),))], [(width, height)], [replace(scan, number=1)], {}).blocks
    unheaded = (Block("paragraph", each.text) if each.kind == "heading" else each for each in found)
    return tuple(replace(each, page=page, ocr=True) for each in unheaded)


def _beside(drawn: Sequence[Page | None], numbers: Set[int]) -> dict[int, tuple[int, Picture]]:
    """The pictures on the pages of these numbers that may hold words, by their own numbers, each with its page: of the
    same picture the first, of one that runs over the pages and of what a machine has read already none."""
    places: dict[object, list[tuple[int, int, Picture]]] = {}
    for number, page in enumerate(drawn, 1):
        for at, picture in enumerate(page.pictures if page else (), 1):
            if any(picture.pixels):
                places.setdefault((picture.pixels, picture.sum), []).append((number, at, picture))
    read = {n for n, page in enumerate(drawn, 1) if page and not all(word.painted for word in page.words)}
    return {
        BESIDE * at + number: (number, picture)
        for same in places.values()
        if len({number for number, *_ in same}) < _RUNNING
        for number, at, picture in [each for each in same if each[0] in numbers - read][:1]
    }


def _put(lines: list[Line], number: int, box: Box, said: tuple[Block, ...]) -> None:
    """Puts the words of a picture among the lines of a document, after the last on its page that stands above its
    middle, in its own column where any does."""
    left, _, right, _ = box
    middle, _ = _height(box)
    above = [at for at, line in enumerate(lines) if line.page == number and line.y > middle]
    in_column = [at for at in above if lines[at].x < right and lines[at].end > left]
    at = (in_column or above or [sum(line.page < number for line in lines) - 1])[-1] + 1
    lines.insert(at, Line(number, middle, 0, False, [Cell(left, right, "")], right, said))


def _height(box: Box) -> tuple[float, float]:
    """The middle of a picture, and how far to the left it begins."""
    return (box[1] + box[3]) / 2, -box[0]


def _page(document: pdfium.PdfDocument, at: int) -> Page | None:
    """What is on a page, None where it is damaged: the others can be read all the same."""
    try:
        page = document[at]
        try:
            return read_page(page)
        finally:
            page.close()
    except pdfium.PdfiumError:
        return None


def without_stamps(pages: Sequence[Page]) -> list[Page]:
    """The pages without slanted text that comes again on most of them: DRAFT, CONFIDENTIAL."""
    on_pages = Counter(text for page in pages for text in {word.text for word in page.words if word.angle % 90})
    stamps = {text for text, count in on_pages.items() if count > 1 and 2 * count >= len(pages)}
    return [
        replace(page, words=tuple(word for word in page.words if not (word.angle % 90 and word.text in stamps)))
        for page in pages
    ]


def _pictures(drawn: Sequence[Page | None], with_text: set[int]) -> list[int]:
    """The pages that show pictures and no text."""
    numbered = enumerate(drawn, 1)
    return [
        number for number, page in numbered if page and number not in with_text and page.pictures and not page.unread
    ]


def _covered(drawn: Sequence[Page | None], with_text: set[int]) -> list[int]:
    """The pages that are a picture with a few words printed over it. Text that is not painted is what a machine has
    read of the picture."""
    return [
        number
        for number, page in enumerate(drawn, 1)
        if page
        and number in with_text
        and page.covered >= _MOST
        and sum(len(word.text) for word in page.words) < _LITTLE
        and all(word.painted for word in page.words)
    ]


def _unread(drawn: Sequence[Page | None], with_text: set[int], scans: Mapping[int, ScannedPage]) -> Iterator[str]:
    """What could not be read, page by page. `with_text` are the pages with text beside headers and footers, `scans`
    by number what was read of those that are pictures."""
    numbered = [(number, page) for number, page in enumerate(drawn, 1) if page is not None]
    silent = [(number, page) for number, page in numbered if number not in with_text]
    lengths = {number: sum(len(word.text) for word in page.words) for number, page in numbered}
    pictures, covered = _pictures(drawn, with_text), _covered(drawn, with_text)
    uncertain = [number for number in sorted((*pictures, *covered)) if number in scans and scans[number].words]
    layers = [
        number for number, page in numbered if number in with_text and not all(each.painted for each in page.words)
    ]
    causes = (
        ("damaged, not read", [number for number, page in enumerate(drawn, 1) if page is None]),
        ("without text (scanned?)", [number for number in pictures if number not in scans]),
        ("without words on the picture", [n for n in pictures if n in scans and not scans[n].words]),
        (
            "with words on a picture that are not legible enough (handwriting? a poor scan?): "
            "scan again more sharply, or type them in a document of their own",
            uncertain,
        ),
        (
            "with little text beside a large picture, which is not read (scanned?)",
            [number for number in covered if number not in scans],
        ),
        ("with text that a program has read off a scan, which may be wrong", layers),
        ("without text (blank?)", [number for number, page in silent if not page.pictures and not page.unread]),
        (
            "with text in fonts that do not say which characters they draw, not read",
            [n for n, page in numbered if page.unread > max(10, lengths[n] // 50) or page.unread > lengths[n]],
        ),
        ("with text that cannot be seen, left out", [number for number, page in numbered if page.hidden]),
    )
    for cause, numbers in causes:
        if numbers:
            yield f"{listed('page', numbers)} {cause}"


def _unopened(document: pdfium.PdfDocument, content: bytes, drawn: Sequence[Page | None]) -> Iterator[str]:
    """What a PDF holds beside its pages. PDFium lists the scripts that have a name; of others the bytes tell, where
    they are not packed."""
    if not raw.FPDF_DocumentHasValidCrossReferenceTable(document):
        yield "its list of objects is damaged: what it does not find is not read"
    if raw.FPDFDoc_GetJavaScriptActionCount(document) > 0 or _SCRIPT.search(content):
        yield "scripts not run"
    if document.count_attachments():
        yield "embedded files not read"
    if fields := sum(page.fields for page in drawn if page is not None):
        yield f"{counted(fields, 'form field')} not read"


def _outline(document: pdfium.PdfDocument) -> dict[int, dict[str, int]]:
    """The titles that the outline lists, by page, each with its depth."""
    titles: dict[int, dict[str, int]] = {}
    for entry in islice(document.get_toc(), _TITLES):
        place = entry.get_dest()
        page = place.get_index() if place is not None else None
        if page is not None and (title := folded(entry.get_title())):
            titles.setdefault(page + 1, {}).setdefault(title, entry.level)
    return titles
