"""What is shown of a source: a page as a picture with boxes on it, or text in pieces, each saying what it is.

Knows no format, no HTML, and nothing of how a passage is found on its page.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Mark = Literal["", "passage", "support"]
"""Whether a stretch of text is the passage, is of the words in it that bear the answer out, or stands beside it."""

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Box:
    """A place on a page as it is shown, in fractions of its width and height, from the left and from the top."""

    left: float
    top: float
    right: float
    bottom: float


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
    `text` is what the page says, for those who cannot see the picture.
    """

    number: int
    pages: int
    image: bytes
    width: int
    height: int
    passage: tuple[Box, ...]
    support: tuple[Box, ...]
    found: float
    before: bool
    after: bool
    text: tuple[Piece, ...]

    def to_json(self) -> str:
        """One line of ASCII, the image in base 64."""
        return json.dumps({**asdict(self), "image": base64.b64encode(self.image).decode()})

    @classmethod
    def from_json(cls, text: str) -> PageView:
        """The view that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else.

        Whoever wrote it may have been taken over by the file it read: nothing is believed that is not looked at.
        """
        values: dict[str, Any] = json.loads(text)
        image = base64.b64decode(values["image"], validate=True)
        width, height, number, pages = (int(values[key]) for key in ("width", "height", "number", "pages"))
        size = image[16:24]
        if not image.startswith(_SIGNATURE) or size != width.to_bytes(4, "big") + height.to_bytes(4, "big"):
            raise ValueError(f"no PNG of {width} x {height} pixels")
        return cls(
            number,
            pages,
            image,
            width,
            height,
            tuple(map(_box, values["passage"])),
            tuple(map(_box, values["support"])),
            _fraction(values["found"]),
            bool(values["before"]),
            bool(values["after"]),
            tuple(map(_piece, values["text"])),
        )


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


def _fraction(value: Any) -> float:
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{number} is no fraction")
    return number


def _box(values: dict[str, Any]) -> Box:
    return Box(*(_fraction(values[side]) for side in ("left", "top", "right", "bottom")))


def _piece(values: dict[str, Any]) -> Piece:
    if values["mark"] not in get_args(Mark):
        raise ValueError(f"{values['mark']!r} is no mark")
    return Piece(str(values["text"]), values["mark"])
