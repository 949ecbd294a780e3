"""Pages that are pictures, and pictures in documents -> their words, read by RapidOCR in a child process and kept
beside the original.

pages without text, pictures -> the child, a few at a time -> <sha256>.words, one line of JSON each

What is read is kept at once: a document that is stopped or killed in the middle goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any

from store.files import write_atomic
from trag.errors import TragError
from trag.sandbox import Limits, nobody, run, shown

log = logging.getLogger(__name__)

LEGIBLE = 0.8
"""The confidence from which a page counts as read; `python -m bench.scans` shows what it parts."""
BESIDE = 10_000
"""A picture on a PDF page with text has the number of the page and so many times its own there, from 1."""
_TOGETHER = 4  # pages of one child, which takes a second to start
_LIMITS = Limits(memory_bytes=4 * 2**30, processor_seconds=240, seconds=480, open_files=256)


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word and its box, in fractions of the upright page's width and height from the left and from the top."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """What was read of a page, or of another picture by its number, from 1, in the order of its lines.

    `turn` is how often the page as it is shown was turned by 90 degrees clockwise to be upright, `slope` how far the
    lines fall to the right then (height over width, in points). `confidence` is the mean over its characters, 0 to 1.
    """

    number: int
    turn: int
    slope: float
    confidence: float
    words: tuple[ScannedWord, ...]

    @property
    def is_legible(self) -> bool:
        return self.confidence >= LEGIBLE

    def to_json(self) -> str:
        """One line of ASCII."""
        values = asdict(self)
        return json.dumps({**values, "words": [[*word.values()] for word in values["words"]]})

    @classmethod
    def from_json(cls, line: str) -> ScannedPage:
        """The page that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
        values: dict[str, Any] = json.loads(line)
        words = tuple(ScannedWord(str(text), *map(_fraction, box)) for text, *box in values["words"])
        turn, slope = int(values["turn"]) % 4, float(values["slope"])
        return cls(int(values["number"]), turn, slope, _fraction(values["confidence"]), words)


def read_scans(
    content: bytes,
    name: str,
    numbers: Sequence[int],
    folder: Path,
    told: Callable[[int, int], None],
    watch: Callable[[], None] = nobody,
) -> tuple[ScannedPage, ...]:
    """The pages or pictures of a document that its `Reading.scanned` names, read and kept in `folder`, where the
    originals are.

    Those that end their reader are left out. `told` is called with how many are read and how many there are. Raises
    StoreError when a page cannot be kept; what `watch` raises ends the work, and what was read is kept.
    """
    file = kept_words(folder, hashlib.sha256(content).hexdigest())
    pages = dict(kept(file))
    missing = [number for number in numbers if number not in pages]
    parts = deque(missing[start : start + _TOGETHER] for start in range(0, len(missing), _TOGETHER))
    suffix = PurePath(name).suffix.lower()
    while parts:
        part = parts.popleft()
        told(len(numbers) - sum(map(len, (part, *parts))), len(numbers))
        try:
            arguments = [suffix, ",".join(map(str, part))]
            answer = run("trag.ingest.parse.scans", arguments, content, name, _LIMITS, watch)
            pages |= {page.number: page for page in map(ScannedPage.from_json, answer.splitlines())}
        except (TragError, ValueError, KeyError, TypeError) as error:
            log.warning("pages %s of %s cannot be read: %s", part, shown(name), error)  # the reading notes them
            if len(part) > 1:
                parts.extendleft([[number] for number in reversed(part)])
            continue
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(file, "".join(f"{page.to_json()}\n" for page in pages.values()).encode())
    return tuple(pages[number] for number in numbers if number in pages)


def kept_words(folder: Path, sha256: str) -> Path:
    """The file of a document's words: its stem is that of the original, with which it goes."""
    return folder / f"{sha256}.words"


def kept(file: Path) -> Mapping[int, ScannedPage]:
    """The pages in a file by number, none where it is not there or damaged: then they are read again."""
    try:
        pages = map(ScannedPage.from_json, file.read_text(encoding="ascii").splitlines())
        return {page.number: page for page in pages}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _fraction(value: Any) -> float:
    return min(1.0, max(0.0, float(value)))
