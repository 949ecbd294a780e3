"""Pages of PDFs as they were drawn, kept so that turning back to one takes no time.

TRAG_HOME/cache/pages/<content hash of the document>/<hash of the page and what is marked on it>.json -> PageView
Bounded in size; what is kept of a document goes with it. Knows nothing about requests.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from store import StoreError, files
from trag import view
from trag.view import PageView

KEPT = 256_000_000
"""Bytes of pages that are kept."""
AT_ONCE = 2
"""Pages that are drawn at the same time."""

log = logging.getLogger(__name__)


class Drawn:
    """The pages kept in one folder. Any thread may call any method."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drawing = threading.BoundedSemaphore(AT_ONCE)
        self._clearing = threading.Lock()

    def page(
        self, original: Callable[[], bytes], sha256: str, name: str, number: int, passage: str, support: Sequence[str]
    ) -> PageView:
        """A page of a document with a passage on it, drawn when it is not there. `original` gives the document.

        Raises TragError when it cannot be drawn.
        """
        asked = json.dumps([number, passage, list(support)])
        path = self._folder / sha256 / f"{hashlib.sha256(asked.encode()).hexdigest()[:40]}.json"
        found = _read(path)
        if found is not None:
            return found
        with self._drawing:
            found = _read(path) or view.page(original(), name, number, passage, support)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            files.write_atomic(path, found.to_json().encode())
            self._make_room()
        except (OSError, StoreError) as error:
            log.warning("page %d cannot be kept: %s", number, error)  # it is shown all the same
        return found

    def keep_only(self, hashes: Collection[str]) -> None:
        """Forget the pages of every document but those with these content hashes."""
        with self._clearing:
            for folder in self._folder.glob("*"):
                if re.fullmatch(r"[0-9a-f]{64}", folder.name) and folder.name not in hashes:
                    shutil.rmtree(folder, ignore_errors=True)

    def _make_room(self) -> None:
        """Forget the pages that were looked at longest ago."""
        with self._clearing:
            pages = [(path, path.stat()) for path in self._folder.glob("*/*.json")]
            size = sum(stat.st_size for _, stat in pages)
            for path, stat in sorted(pages, key=lambda page: page[1].st_mtime):
                if size <= KEPT:
                    return
                path.unlink(missing_ok=True)
                size -= stat.st_size


def _read(path: Path) -> PageView | None:
    """A page that was kept, None when it was not, or is not whole."""
    try:
        found = PageView.from_json(path.read_text("utf-8"))
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found
