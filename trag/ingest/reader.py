"""Bytes -> Reading, in a child process of its own that a hostile file may kill.

Knows no format: `trag.ingest.parse` does, under the limits of `trag.sandbox`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

from trag.errors import TragError
from trag.ingest.blocks import Reading
from trag.sandbox import Limits, nobody, run, shown

__all__ = ["Limits", "nobody", "read", "read_file", "shown"]


def read_file(path: Path, limits: Limits) -> bytes:
    """The content of a file. Raises TragError when it cannot be read, or, before it is, when it is too large."""
    try:
        size = path.stat().st_size
        if size > limits.file_bytes:
            raise TragError(
                f"{shown(path.name)} has {size / 1e6:,.0f} MB; a document may have {limits.file_bytes / 1e6:,.0f} MB.",
                "Split it, or leave the pictures out.",
            )
        return path.read_bytes()
    except OSError as error:
        raise TragError(
            f"{shown(path.name)} cannot be read: {error.strerror}.", "Check that it is there and may be read."
        ) from error


def read(content: bytes, name: str, limits: Limits, watch: Callable[[], None] = nobody) -> Reading:
    """The blocks of a document. Raises TragError that names it and says what is wrong and what to do; what `watch`
    raises, which is called again and again, ends the child."""
    answer = run("trag.ingest.parse", [PurePath(name).suffix.lower()], content, name, limits, watch)
    try:
        return Reading.from_json(answer)
    except (ValueError, KeyError, TypeError) as error:
        raise TragError(f"{shown(name)} was read to something that is no text.", "Do not trust the file.") from error
