"""PDF: its pages read one by one, made into blocks, and notes on what in them is not read.

Pictures are not read, scripts are not run, forms and embedded files are not opened.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import Destination

from trag.errors import TragError
from trag.ingest.parse.characters import counted, listed
from trag.ingest.parse.pdf_blocks import blocks, folded
from trag.ingest.parse.pdf_content import PageContent, page_content, without_stamps
from trag.ingest.parse.pdf_graphics import Font
from trag.ingest.parse.pdf_lines import in_columns, without_contents, without_running_lines
from trag.ingest.parse.pdf_tables import page_lines
from trag.ingest.reading import Reading

PAGES = 5_000
"""Pages that a file may have."""

_TITLES = 5_000  # of an outline that are looked up
_MOST = 0.5
_LITTLE = 300
"""The share of a page from which on pictures are taken for a scan, where fewer characters than this stand beside them:
a stamp, a reference number, a running line."""
_DAMAGE = (
    PyPdfError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What pypdf raises for damaged files."""


def parse(content: bytes) -> Reading:
    """A PDF. Raises TragError when it is encrypted, damaged, has no page, or more than PAGES."""
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise TragError("is encrypted with a password.", "Save a copy without a password and ingest that.")
        count = len(reader.pages)
        if not 0 < count <= PAGES:
            raise TragError(f"has {count:,} pages; from 1 to {PAGES:,} are read.", "Split it into smaller files.")
        fonts: dict[int, Font] = {}
        drawn: list[PageContent | None] = []
        for page in reader.pages:
            try:
                drawn.append(page_content(page, fonts))
            except _DAMAGE:
                drawn.append(None)  # the others can be read all the same
    except DependencyError as error:
        raise TragError("is encrypted in a way that is not read.", "Save a copy without encryption.") from error
    except _DAMAGE as error:
        raise TragError(
            f"is a damaged PDF ({error}).", "Open it in a PDF viewer, print it to a new PDF and ingest that."
        ) from error
    shown = without_stamps([each or PageContent() for each in drawn])
    pages = [in_columns(page_lines(each, number)) for number, each in enumerate(shown, 1)]
    found = without_running_lines(pages)
    notes = (*_unread(drawn, {line.page for line in found}), *_unopened(reader))
    return Reading("PDF", blocks(without_contents(found), _outline(reader)), count, notes)


def _unread(drawn: Sequence[PageContent | None], with_text: set[int]) -> Iterator[str]:
    """What could not be read, page by page. `with_text` are the pages with text beside headers and footers."""
    numbered = [(number, page) for number, page in enumerate(drawn, 1) if page is not None]
    silent = [(number, page) for number, page in numbered if number not in with_text]
    lengths = {number: sum(len(fragment.text) for fragment in page.fragments) for number, page in numbered}
    # A picture with a few words printed over it; text that is not painted is what a machine has read of the picture.
    scans = [
        number
        for number, page in numbered
        if number in with_text
        and page.covered >= _MOST
        and lengths[number] < _LITTLE
        and all(fragment.painted for fragment in page.fragments)
    ]
    causes = (
        ("damaged, not read", [number for number, page in enumerate(drawn, 1) if page is None]),
        ("without text (scanned?)", [number for number, page in silent if page.pictures and not page.unread]),
        ("with little text beside a large picture, which is not read (scanned?)", scans),
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


def _unopened(reader: PdfReader) -> Iterator[str]:
    """What a PDF holds beside its pages."""
    root: Any = reader.root_object

    def held(key: str) -> dict[str, Any]:
        found = root[key].get_object() if key in root else {}
        return found if isinstance(found, dict) else {}

    try:
        names, fields = held("/Names"), held("/AcroForm").get("/Fields", ())
        if "/JavaScript" in names or held("/OpenAction").get("/S") in ("/JavaScript", "/Launch"):
            yield "scripts not run"
        if "/EmbeddedFiles" in names:
            yield "embedded files not read"
        if fields:
            yield f"{counted(len(fields), 'form field')} not read"
    except _DAMAGE:
        return  # the pages are read all the same


def _outline(reader: PdfReader) -> dict[int, dict[str, int]]:
    """The titles that the outline lists, by page, each with its depth; none where it is damaged."""
    titles: dict[int, dict[str, int]] = {}
    try:
        waiting: list[tuple[Any, int]] = [(entry, 0) for entry in reversed(reader.outline)]
        for _ in range(_TITLES):
            if not waiting:
                break
            entry, depth = waiting.pop()
            if isinstance(entry, Destination):
                page = reader.get_destination_page_number(entry)
                if page is not None and (title := folded(entry.title or "")):
                    titles.setdefault(page + 1, {}).setdefault(title, depth)
            else:
                waiting += [(each, depth + 1) for each in reversed(entry)]
    except _DAMAGE:
        return {}
    return titles
