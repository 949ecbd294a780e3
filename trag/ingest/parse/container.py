"""The ZIP container of Word, PowerPoint and Excel files, judged before a library opens it: what it would unpack to,
what its XML declares, and what in it is not read.

Nothing is ever unpacked to disk, so names inside it, whatever they are, are only looked up.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator, Set
from html import unescape
from urllib.parse import unquote

from trag.errors import TragError
from trag.ingest.parse.characters import counted

ENTRIES = 5_000
BYTES = 400_000_000
RATIO = 200
"""What a container may hold: entries, bytes unpacked, and bytes unpacked for each packed one in a large entry."""

ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    SyntaxError,
    OSError,
    NotImplementedError,
    RecursionError,
)
"""What the libraries raise for a file that they cannot read, beside errors of their own."""

_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Office writes no other; the rest unpack without a bound
_CHUNK = 1 << 20
_DECLARATION = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)", re.IGNORECASE)
_LONGEST_DECLARATION = 32
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\b[^>]*>")
_OUTSIDE = re.compile(rb"TargetMode\s*=\s*[\"']External")
_EMBEDDED = re.compile(rb"Type\s*=\s*[\"'][^\"']*/(?:package|oleObject)[\"']")
_HYPERLINK = re.compile(rb"Type\s*=\s*[\"'][^\"']*/hyperlink[\"']")
_TARGET = re.compile(rb"\bTarget\s*=\s*[\"']([^\"'#]+)")
_CLOSED_RELATION = re.compile(rb"<(?:\w+:)?Relationship\b[^>]*/>")
_TYPES = "[Content_Types].xml"
_MAIN_TYPES = (
    (
        rb"(?:openxmlformats-officedocument\.wordprocessingml\.template|ms-word\.\w+\.\w+)\.main\+xml",
        rb"openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ),
    (
        rb"(?:openxmlformats-officedocument\.presentationml\.(?:template|slideshow)|ms-powerpoint\.\w+\.\w+)\.main\+xml",
        rb"openxmlformats-officedocument.presentationml.presentation.main+xml",
    ),
)
"""The types of templates, slide shows and files with macros, which hold the same as a document or a presentation."""
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/")
_RENAMED = ((b"extendedProperties", b"extended-properties"), (b"customProperties", b"custom-properties"))
"""The namespaces of the strict form of the formats (ISO/IEC 29500-1), and those of its names that are spelt anew."""


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
    parts = {entry.filename for entry in entries}
    missing = sum(_is_missing(relation, place, parts) for place, relation in relations)
    macros = any(entry.filename.endswith("vbaProject.bin") for entry in entries)
    notes = (
        f"{counted(outside, 'link')} to content outside the file not followed" if outside else "",
        f"{counted(embedded, 'embedded file')} not read" if embedded else "",
        "macros not run" if macros else "",
        f"{counted(missing, 'part')} missing in the file" if missing else "",
    )
    return tuple(filter(None, notes))


def readable(content: bytes) -> bytes:
    """A container that was screened, as the libraries take it: in the transitional form of its format where it is in
    the strict one, a document where it is a template, a slide show or one with macros, and without the relations to
    parts that are not there."""
    with zipfile.ZipFile(io.BytesIO(content)) as old:
        names = set(old.namelist())
        read = {name: old.read(name) for name in names if name == _TYPES or name.endswith(".rels")}
        is_strict = any(map(_STRICT.search, read.values()))
        written = {name: _without_missing(data, name, names) for name, data in read.items()}
        for pattern, usual in _MAIN_TYPES:
            written[_TYPES] = re.sub(pattern, usual, written.get(_TYPES, b""))
        if not is_strict and all(written[name] == data for name, data in read.items()):
            return content
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as new:
            for entry in old.infolist():
                data = written[entry.filename] if entry.filename in read else old.read(entry)
                if is_strict and entry.filename.endswith((".xml", ".rels")):
                    data = _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/", data)
                    for strict, usual in _RENAMED:
                        data = data.replace(strict, usual)
                new.writestr(entry.filename, data)
    return file.getvalue()


def _without_missing(relations: bytes, place: str, names: Set[str]) -> bytes:
    return _CLOSED_RELATION.sub(
        lambda relation: b"" if _is_missing(relation[0], place, names) else relation[0], relations
    )


def _is_missing(relation: bytes, place: str, names: Set[str]) -> bool:
    """Whether a relation of the part whose relations stand at `place` leads to a part that is not there."""
    target = _TARGET.search(relation)
    if target is None or _OUTSIDE.search(relation):
        return False
    path = unquote(unescape(target[1].decode("utf-8", "replace")))
    return posixpath.normpath(posixpath.join("/", place.rpartition("_rels/")[0], path)).lstrip("/") not in names


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
