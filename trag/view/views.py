"""What is shown of a source: a page of a PDF or a picture with boxes on it, or a passage in the text around it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, cycle, pairwise
from typing import Annotated, Literal

from annotated_types import Ge, Le

from store.passage import Passage
from trag.errors import TragError
from trag.ingest.scans import BESIDE, ScannedPage
from trag.json_lines import made
from trag.sandbox import Limits, run, shown
from trag.view.marks import supporting

Mark = Literal["", "passage", "support"]
"""Whether a stretch of text is the passage, is of the words in it that bear the answer out, or stands beside it."""

Fraction = Annotated[float, Ge(0), Le(1)]
LIMITS = Limits(memory_bytes=1_024 * 1024 * 1024, output_bytes=50_000_000, processor_seconds=20, seconds=40)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LONGEST = 5_000
"""Characters that are looked for of a passage, which has about 1,000."""
_SHORTEST = 20
"""Characters that count as repeated: fewer are the same by chance."""


@dataclass(frozen=True, slots=True)
class Box:
    """A place on a page as it is shown, in fractions of its width and height, from the left and from the top."""

    left: Fraction
    top: Fraction
    right: Fraction
    bottom: Fraction


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; pieces in a row make the whole of it."""

    text: str
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as it is shown: a PNG of `width` x `height` pixels, with the places of the passage on it.

    `number` counts from 1 up to `pages`. `passage` are boxes around the lines and cells where the passage stands,
    `support` around its words that bear the answer out, both from the top. `found` is the share of the passage's words
    that have a place here, 0 where there are no boxes; `before` and `after`: others stand on the page before or after.
    `text` is what the page says, for those who cannot see the picture; where the page is `scanned`, a program read it.
    """

    number: int
    pages: int
    image: bytes
    width: int
    height: int
    passage: tuple[Box, ...]
    support: tuple[Box, ...]
    found: Fraction
    before: bool
    after: bool
    text: tuple[Piece, ...]
    scanned: bool = False

    def to_json(self) -> str:
        """One line of ASCII, the image in base 64."""
        return json.dumps({**asdict(self), "image": base64.b64encode(self.image).decode()})

    @classmethod
    def from_json(cls, text: str) -> PageView:
        """The view that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else.

        Whoever wrote it may have been taken over by the file it read: nothing is believed that is not looked at.
        """
        values = json.loads(text)
        found = made(cls, values | {"image": base64.b64decode(values["image"], validate=True)})
        size = found.width.to_bytes(4, "big") + found.height.to_bytes(4, "big")
        if not found.image.startswith(_SIGNATURE) or found.image[16:24] != size:
            raise ValueError(f"no PNG of {found.width} x {found.height} pixels")
        return found


@dataclass(frozen=True, slots=True)
class Part:
    """A passage of a document as it is read: `section` is its path of headings, `here` says whether it is the one that
    was asked for. What it repeats of the part before it is left out."""

    section: str
    page: int | None
    here: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class TextView:
    """A passage in its surroundings, in reading order; `before` and `after` count the passages that are not shown."""

    document: str
    section: str
    parts: tuple[Part, ...]
    before: int
    after: int


class NoSuchPage(TragError):
    """A document has fewer `pages` than that."""

    def __init__(self, name: str, number: int, pages: int) -> None:
        has = f"{shown(name)} has {pages:,} page{'s' * (pages > 1)}"
        super().__init__(f"{has}, and no page {number:,}.", "Choose one of them.")
        self.pages = pages


def page(
    content: bytes,
    name: str,
    number: int,
    passage: str,
    support: Sequence[str] = (),
    *,
    scans: Iterable[ScannedPage] = (),
    width: int = 1_200,
    limits: Limits = LIMITS,
) -> PageView:
    """The page of a number, from 1, as a picture about `width` pixels wide, and where the passage stands on it.

    `support` are the sentences of the answer that the passage bears out; `name` is that of the file, for messages;
    `scans` are its pages that are pictures, and pictures on others, as they were read. Raises TragError for a file
    without pages, one that is encrypted, damaged or over the limits, NoSuchPage for a number that it does not have.
    """
    passage = passage[:_LONGEST]
    # On standard input, because arguments are seen by everybody on the machine.
    near = [scan.to_json() for scan in scans if abs(scan.number % BESIDE - number) <= 1]
    asked = json.dumps([passage, supporting(passage, support), near]).encode()
    answer = run("trag.view", [str(number), str(width), str(len(asked))], content + asked, name, limits)
    try:
        found = PageView.from_json(answer)
    except (ValueError, KeyError, TypeError) as error:
        raise TragError(f"{shown(name)} was drawn to something that is no page.", "Do not trust the file.") from error
    if found.number != number:
        raise NoSuchPage(name, number, found.pages)
    return found


def text(passages: Sequence[Passage], id: str, support: Sequence[str] = (), *, around: int = 3) -> TextView:
    """The passage of an id, or the one that a pair of that id was made from, with up to `around` before and after it.

    `passages` are those of its document, in order; `support` are the sentences of the answer that it bears out. Raises
    KeyError when none has the id.
    """
    of_text = [passage for passage in passages if passage.kind == "section"]
    here = source(passages, id)
    if here not in of_text:
        of_text = [here]
    at = of_text.index(here)
    first, last = max(0, at - around), min(len(of_text), at + around + 1)
    edges = [0, *chain.from_iterable(supporting(here.text, support)), len(here.text)]
    stretches = (here.text[start:end] for start, end in pairwise(edges))
    marks: Iterator[Mark] = cycle(("passage", "support"))
    marked = tuple(Piece(words, mark) for words, mark in zip(stretches, marks, strict=False) if words)
    parts = tuple(
        Part(
            each.section,
            each.page,
            each is here,
            marked if each is here else _beside(of_text, number, at),
        )
        for number, each in enumerate(of_text[first:last], first)
    )
    return TextView(here.document, here.section, parts, first, len(of_text) - last)


def source(passages: Sequence[Passage], id: str) -> Passage:
    """The passage of an id; for a pair, the passage of its section and page that shares most words with it, or the pair
    itself where its section is not there. Raises KeyError when none has the id."""
    found = next((passage for passage in passages if passage.id == id), None)
    if found is None:
        raise KeyError(id)
    if found.kind == "section":
        return found
    words = set(found.text.split())
    of_section = [each for each in passages if each.kind == "section" and each.section == found.section]
    return max(
        of_section, key=lambda each: (len(words & set(each.text.split())), each.page == found.page), default=found
    )


def _beside(passages: Sequence[Passage], at: int, here: int) -> tuple[Piece, ...]:
    """A neighbour's text, without what it repeats of the one before, and without what the passage repeats of it."""
    told = passages[at].text
    start = _repeated(passages[at - 1], passages[at]) if at > 0 else 0
    end = len(told) - (_repeated(passages[at], passages[here]) if at + 1 == here else 0)
    return (Piece(told[start:end]),) if start < end else ()


def _repeated(before: Passage, passage: Passage) -> int:
    """How many characters at the start of a passage are those at the end of the one before, in the same section."""
    longest = min(len(before.text), len(passage.text)) if before.section == passage.section else 0
    lengths = range(longest, _SHORTEST - 1, -1)
    return next((length for length in lengths if before.text.endswith(passage.text[:length])), 0)
