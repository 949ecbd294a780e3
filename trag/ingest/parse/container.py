"""The ZIP container of Word, PowerPoint and Excel files, judged before a library opens it: what it would unpack to,
what its XML declares, and what in it is not read.

Nothing is ever unpacked to disk, so names inside it, whatever they are, are only looked up.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator

from trag.errors import TragError
from trag.ingest.parse.characters import counted

ENTRIES = 5_000
BYTES = 400_000_000
RATIO = 200
"""What a container may hold: entries, bytes unpacked, and bytes unpacked for each packed one in a large entry."""

_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Office writes no other; the rest unpack without a bound
_CHUNK = 1 << 20
_DECLARATION = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)", re.IGNORECASE)
_LONGEST_DECLARATION = 32
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\b[^>]*>")
_OUTSIDE = re.compile(rb"TargetMode\s*=\s*[\"']External")
_EMBEDDED = re.compile(rb"Type\s*=\s*[\"'][^\"']*/(?:package|oleObject)[\"']")
_HYPERLINK = re.compile(rb"Type\s*=\s*[\"'][^\"']*/hyperlink[\"']")


def screen(content: bytes, what: str) -> tuple[str, ...]:
    """Notes on what a container ("Word document") holds that is not read: macros, embedded files, content elsewhere.

    Raises TragError when it is damaged or encrypted, would unpack to too much, or declares XML entities.
    """
    try:
        container = zipfile.ZipFile(io.BytesIO(content))
        entries = container.infolist()
        size = sum(entry.file_size for entry in entries)
        swollen = any(
            entry.file_size > 10_000_000 and entry.file_size > RATIO * max(entry.compress_size, 1) for entry in entries
        )
        if len(entries) > ENTRIES or size > BYTES or swollen:
            raise TragError(
                f"unpacks to {size:,} bytes in {len(entries)} parts: it looks like a ZIP bomb.",
                f"At most {BYTES:,} bytes in {ENTRIES} parts are read, none packed more than {RATIO} to 1.",
            )
        if any(entry.compress_type not in _PACKED for entry in entries):
            raise TragError("is packed in a way that Office does not use.", "Save it again in its own program.")
        if any(entry.flag_bits & 1 for entry in entries):
            raise TragError("is encrypted with a password.", "Save a copy without a password and ingest that.")
        for entry in entries:
            if entry.filename.endswith((".xml", ".rels")) and any(map(_DECLARATION.search, _chunks(container, entry))):
                raise TragError(
                    f"declares XML entities, which no {what} needs.", "Do not open it; ask where it comes from."
                )
        relations = [
            (entry.filename, relation)
            for entry in entries
            if entry.filename.endswith(".rels")
            for relation in _RELATION.findall(container.read(entry))
        ]
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        raise damaged(what, error) from error
    outside = sum(bool(_OUTSIDE.search(relation)) and not _HYPERLINK.search(relation) for _, relation in relations)
    # What a chart is drawn from is read from the chart.
    embedded = sum(bool(_EMBEDDED.search(relation)) and "/charts/" not in place for place, relation in relations)
    macros = any(entry.filename.endswith("vbaProject.bin") for entry in entries)
    notes = (
        f"{counted(outside, 'link')} to content outside the file not followed" if outside else "",
        f"{counted(embedded, 'embedded file')} not read" if embedded else "",
        "macros not run" if macros else "",
    )
    return tuple(filter(None, notes))


def damaged(what: str, error: Exception) -> TragError:
    """The error for a file that its library cannot open."""
    return TragError(f"is a damaged {what} ({error}).", "Open it in its own program, save it again and ingest that.")


def _chunks(container: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """An entry piece by piece, each with the end of the one before it."""
    with container.open(entry) as stream:
        before = b""
        while chunk := stream.read(_CHUNK):
            yield before + chunk
            before = chunk[-_LONGEST_DECLARATION:]
