"""Which format a file has, judged by its bytes first and its name second, and its blocks as the parser of that format
reads them."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module

from trag.errors import TragError
from trag.ingest.parse import properties
from trag.ingest.parse.characters import clean, count_deceptive
from trag.ingest.parse.marks import items, left_out, plain
from trag.ingest.parse.tables import with_captions
from trag.ingest.reading import Block, Reading
from trag.ingest.scans import ScannedPage

FORMATS = {
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".txt", ".text"), "text"),
    **dict.fromkeys((".html", ".htm"), "html"),
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    ".pdf": "pdf",
    ".png": "png",
    **dict.fromkeys((".jpg", ".jpeg"), "jpeg"),
    **dict.fromkeys((".tif", ".tiff"), "tiff"),
}
"""The formats that can be read, by suffix."""
PICTURES = frozenset({"png", "jpeg", "tiff"})
"""Those of them that are pictures."""
PAGED = PICTURES | {"pdf"}
"""Those that are shown page by page."""
WITH_PICTURES = PAGED | {"docx", "pptx", "xlsx", "html"}
"""Those whose pictures are looked at for words."""

_PARSERS = {"csv": ("sheets", "parse_csv"), **dict.fromkeys(PICTURES, ("picture_words", "parse"))}
"""The module and the function that reads a format where they are not its own module's `parse`."""
_LONGEST_NOTE = 1_000

_NAMES = {
    "pdf": "a PDF",
    "docx": "a Word document (.docx)",
    "pptx": "a PowerPoint presentation (.pptx)",
    "xlsx": "an Excel workbook (.xlsx)",
    "png": "a PNG picture",
    "jpeg": "a JPEG picture",
    "tiff": "a TIFF picture",
}
_MAGIC = (
    (b"\x89PNG\r\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"{\\rtf", "a rich-text document (.rtf)"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a Windows program"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"GGUF\x03\x00", "a language model (GGUF)"),
    (b"%!PS", "a PostScript file"),
)
_OFFICE = (
    ("xl/workbook.bin", "a binary Excel workbook (.xlsb)"),
    ("word/document", "docx"),
    ("xl/workbook", "xlsx"),
    ("ppt/presentation", "pptx"),
    ("META-INF/manifest.xml", "an OpenDocument file"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rb"</?(?:p|div|h[1-6]|ul|ol|li|table|br|body|span)\b", re.IGNORECASE)


def load(suffix: str) -> None:
    """Loads what reads files of that suffix, where any does, with what it makes ready for its first one."""
    if suffix in FORMATS:
        read = _parser(FORMATS[suffix])
        with suppress(TragError):
            read(b"text")


def _parser(kind: str) -> Callable[..., Reading]:
    """What reads a format. It is imported only when that is there: parsers are slow to load and none needs another."""
    module, function = _PARSERS.get(kind, (kind, "parse"))
    reader: Callable[..., Reading] = getattr(import_module(f"trag.ingest.parse.{module}"), function)
    return reader


def parse(content: bytes, suffix: str, scans: Sequence[ScannedPage] = ()) -> Reading:
    """The blocks of a file of which only the bytes and the suffix (".pdf") are known, and what was read of its pages
    that are pictures.

    Raises TragError for a file that is empty, damaged, encrypted, not what its suffix says, or without any text and no
    picture.
    """
    kind = recognise(content, suffix)
    reader = _parser(kind)
    reading = reader(content, scans) if kind in WITH_PICTURES else reader(content)
    deceptive = 0
    lost: Counter[str] = Counter()
    blocks: list[Block] = []

    def shown(text: str) -> str:
        text, symbols, crossed = plain(text)
        lost["unknown symbol"] += symbols
        lost["struck-out passage"] += crossed
        return clean(text)

    for block in reading.blocks:
        deceptive += count_deceptive(block.text) + sum(count_deceptive(cell) for row in block.rows for cell in row)
        rows = tuple(tuple(map(shown, row)) for row in block.rows)
        block = replace(block, text=shown(block.text), rows=rows)
        if block.text or any(map(any, rows)):
            blocks += items(block)
    if not blocks and not reading.scanned and kind not in PICTURES:
        raise TragError(
            "holds no text.", " ".join(reading.notes) or "Check that it is the right file, and not a picture of one."
        )
    notes = (*reading.notes, *left_out(lost))
    notes = (*notes, f"{deceptive} invisible characters left out") if deceptive else notes
    # Names of sheets stand in notes: they are as much a stranger's as the rest.
    notes = tuple(clean(note).replace("\n", " ")[:_LONGEST_NOTE] for note in notes)
    typed = [block for block in blocks if not block.ocr]
    said = tuple(
        replace(one, words=clean(one.words), place=clean(one.place)[:_LONGEST_NOTE])
        for one in properties.stated(content, kind, typed)
    )
    title = properties.title(content, kind, typed)
    return replace(reading, blocks=with_captions(blocks), notes=notes, stated=said, title=title)


def recognise(content: bytes, suffix: str) -> str:
    """One of the values of FORMATS. Raises TragError that says what the file really looks like where it is another."""
    expected = FORMATS.get(suffix.lower())
    if expected is None:
        raise TragError(f"has the suffix '{suffix}', which is not read.", f"Formats read: {', '.join(FORMATS)}.")
    if not content.strip(b"\x00\t\n\r\x0c \xef\xbb\xbf\xff\xfe"):
        raise TragError("is empty.", "Check that it was saved or copied whole.")
    found = _looks_like(content)
    if found in ("html", "text"):
        if expected in _NAMES:
            raise TragError(
                f"is not {_NAMES[expected]}: it looks like plain text.", "Give it the suffix .txt, .md or .html."
            )
        if expected == "html" and not _TAG.search(content):
            return "text"
        return "html" if found == "html" else expected
    if found == expected:
        return expected
    hint = f"Give it the suffix .{found}." if found in _NAMES else f"Save it as one of: {', '.join(FORMATS)}."
    raise TragError(f"is named {suffix} but looks like {_NAMES.get(found, found)}.", hint)


def _looks_like(content: bytes) -> str:
    """A format, or words for what the bytes look like."""
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if content.startswith(b"PK\x03\x04"):
        try:
            names = zipfile.ZipFile(io.BytesIO(content)).namelist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise TragError(f"is a damaged ZIP container ({error}).", "Copy or download it again.") from error
        return next((kind for entry, kind in _OFFICE if any(name.startswith(entry) for name in names)), "a ZIP archive")
    if content.startswith(_OLE):
        # Word wraps an encrypted .docx in an old OLE container; its stream names are in UTF-16.
        if "EncryptedPackage".encode("utf-16-le") in content:
            raise TragError("is encrypted with a password.", "Save a copy without a password and ingest that.")
        return "an old Office file (.doc, .xls, .ppt)"
    for magic, words in _MAGIC:
        if content.startswith(magic):
            return words
    if _HTML.match(content[:4096]):
        return "html"
    sample = content[:8192]
    odd = sum(byte < 32 and byte not in b"\t\n\r\x0b\x0c\x1b" for byte in sample)
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")) or sample.count(0) > len(sample) // 4:
        # UTF-16 has a zero at every other byte of Latin text; data has zeros anywhere.
        odd = min(sample[::2].count(0), sample[1::2].count(0))
    return "text" if odd <= len(sample) // 50 else "data that is not text"
