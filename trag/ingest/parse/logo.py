"""A picture of anyone -> the logo that every page shows: a small PNG, made anew in a child of `trag.sandbox` from its
pixels alone. `trag.appearance` is the parent.
"""

from __future__ import annotations

import base64
import io
import warnings

from PIL import Image, ImageOps

from trag.errors import TragError
from trag.ingest.parse.frames import BROKEN, TOO_LARGE
from trag.sandbox import serve

LARGEST = (640, 160)
"""Pixels that it may be wide and high: four times what the pages give it."""


def small_png(content: bytes) -> str:
    """The first frame of a PNG, JPEG or WebP, upright and no larger than LARGEST, as PNG in base64. Raises TragError
    for everything else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = ImageOps.exif_transpose(Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "WEBP")))
            image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    except TOO_LARGE as error:
        raise TragError("has too many pixels.", "Make it smaller: 640 pixels wide are shown at most.") from error
    except BROKEN as error:
        message = "is no PNG, JPEG or WebP picture that can be read."
        hint = "An SVG is not taken, since it may hold programs: export it as PNG, some 600 pixels wide."
        raise TragError(message, hint) from error
    image.thumbnail(LARGEST)
    png = io.BytesIO()
    image.save(png, "PNG", optimize=True)
    return base64.b64encode(png.getvalue()).decode()


if __name__ == "__main__":
    serve(lambda content, _: small_png(content))
