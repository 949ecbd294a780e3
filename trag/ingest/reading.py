"""What a file is read to, its blocks in reading order, and reading it in a child process of its own that a hostile file
may kill."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Literal

from trag.errors import TragError
from trag.ingest.scans import ScannedPage
from trag.json_lines import kept
from trag.sandbox import Limits, nobody, run, shown


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, one item of a list, or a table.

    `level` orders headings (0 is the document's title, a deeper heading has a larger one, gaps mean nothing) and
    counts the depth of an item from 1, whose text begins with its mark ("- ", "2. "). `rows` are a table's cells: the
    first row is the header, all empty where the table has none. `page` counts from 1, None where a format has no
    pages. `ocr`: a program has read it off a picture in the text.
    """

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str = ""
    level: int = 0
    page: int | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file says of its own validity: which field (one of `trag.validity_fields.FIELDS`), the words as they
    stand, and where they do."""

    field: str
    words: str
    place: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole file, read. `notes` say what a person should know of how it was read, such as pages without text;
    `scanned` are the pages, from 1, that are pictures and were not given as read, and pictures on others, by BESIDE of
    `trag.ingest.scans`; in an Office file or a page (HTML) pictures, by their order in it. `stated` is what it says of
    its own validity, and `title` what its format has as its title, "" where it does not stand on its first page too."""

    format: str
    blocks: tuple[Block, ...]
    pages: int | None = None
    notes: tuple[str, ...] = ()
    scanned: tuple[int, ...] = ()
    stated: tuple[Stated, ...] = ()
    title: str = ""

    def to_json(self) -> str:
        """One line of ASCII, so that no encoding can spoil it on its way."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Reading:
        """The reading that `to_json` wrote. Raises ValueError for anything else."""
        return kept(cls, text)


def read_file(path: Path, name: str, limits: Limits) -> bytes:
    """The content of the file `name` at an absolute path without links. Raises TragError when it cannot be read, is too
    large, or is reached by a link that somebody has put in its way meanwhile."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            opened, there = os.fstat(file.fileno()), path.lstat()
            content = file.read(limits.file_bytes + 1) if opened.st_size <= limits.file_bytes else b""
    except OSError as error:
        raise TragError(
            f"{shown(name)} cannot be read: {error.strerror}.", "Check that it is there and may be read."
        ) from error
    if os.path.realpath(path) != str(path) or not os.path.samestat(opened, there):
        raise TragError(f"{shown(name)} was replaced while it was looked at.", "Try again.")
    if (size := max(opened.st_size, len(content))) > limits.file_bytes:
        raise TragError(
            f"{shown(name)} has {size / 1e6:,.0f} MB; a document may have {limits.file_bytes / 1e6:,.0f} MB.",
            "Split it, or leave the pictures out.",
        )
    return content


def read(
    content: bytes, name: str, limits: Limits, watch: Callable[[], None] = nobody, scans: Sequence[ScannedPage] = ()
) -> Reading:
    """The blocks of a document; `scans` are what was read of its pages that are pictures, or of its pictures.

    Raises TragError that names it and says what is wrong and what to do; what `watch` raises, which is called again and
    again, ends the child.
    """
    given = "".join(f"{page.to_json()}\n" for page in scans).encode()
    arguments = [PurePath(name).suffix.lower(), str(len(given))]
    answer = run("trag.ingest.parse", arguments, content + given, name, limits, watch)
    try:
        return Reading.from_json(answer)
    except ValueError as error:
        raise TragError(f"{shown(name)} was read to something that is no text.", "Do not trust the file.") from error
