"""The pixels of pictures, in files of their own and inside documents; a TIFF may hold several, which are its pages."""

from __future__ import annotations

import base64
import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

import numpy as np
from PIL import Image, ImageOps

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIXELS = Image.MAX_IMAGE_PIXELS or 0
"""What a picture may have: nearly three pages of A3 at 400 dots an inch."""
TOO_LARGE = (Image.DecompressionBombWarning, Image.DecompressionBombError)
"""What is raised for a picture of more than PIXELS."""
BROKEN = (
    *(OSError, SyntaxError, ValueError, EOFError, TypeError, LookupError, AttributeError),
    *(struct.error, zlib.error, zipfile.BadZipFile, *TOO_LARGE),
)
"""What is raised for damaged pictures, and TOO_LARGE."""
_FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP")
_IN_PAGE = re.compile(rb"data:image/[a-zA-Z.+-]+;base64,[a-zA-Z0-9+/%=]+")


def count(content: bytes) -> int:
    """How many pictures a file holds. Raises BROKEN."""
    image = _opened(content, 1)
    # What else holds several moves, or keeps its thumbnail beside it.
    return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


def held(content: bytes, kind: str) -> tuple[Sequence[str], Callable[[str], bytes]]:
    """The pictures that a page (HTML) holds in its own text, by their addresses ("data:..."), or the entries of an
    Office container, by their names; and what gives their content, b"" for a damaged one."""
    container = None if kind == "html" else zipfile.ZipFile(io.BytesIO(content))

    def read(name: str) -> bytes:
        with suppress(*BROKEN):
            return container.read(name) if container else base64.b64decode(unquote_to_bytes(name.partition(",")[2]))
        return b""

    return container.namelist() if container else [*dict.fromkeys(map(bytes.decode, _IN_PAGE.findall(content)))], read


def size(content: bytes) -> tuple[int, int] | None:
    """The width and height of a picture in pixels, as it lies; None where it is damaged or too large."""
    try:
        return _opened(content, 1).size
    except BROKEN:
        return None


def pixels(content: bytes, number: int, side: int) -> NDArray[np.uint8]:
    """The picture of a number, from 1, upright and on white, in RGB (height, width, 3), the longer side at most `side`.
    Raises BROKEN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = _opened(content, number)
        if image.mode.startswith(("I", "F")):  # more than 8 bits, which Pillow would cut off
            values = np.asarray(image, np.float32)
            image = Image.fromarray((values * (255 / (values.max() or 1))).clip(0, 255).astype(np.uint8))
        if image.mode in ("1", "P"):
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
        image.thumbnail((side, side))
        with suppress(*BROKEN):  # no reason not to show it
            image = ImageOps.exif_transpose(image)
        return flat(image)


def flat(image: Image.Image) -> NDArray[np.uint8]:
    """The pixels of a picture on white, in RGB (height, width, 3)."""
    if image.has_transparency_data:
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))
    return np.asarray(image.convert("RGB"))


def _opened(content: bytes, number: int) -> Image.Image:
    """A picture before it is decoded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        image = Image.open(io.BytesIO(content), formats=_FORMATS)
        image.seek(number - 1)
        return image
