"""python -m bench.scans [FILE.pdf] [--pages N]: how well and how fast scanned pages are read.

pages of a PDF with text -> drawn as a scanner gives them -> read by `trag.ingest.scans` -> share of characters that
stand in words which are right, in whatever order (a word with one wrong letter counts as all wrong), seconds a page

The pages are those with most text on them. `tilted` turns them by 1.5 degrees, `stained` adds grey noise, a shadow at
the spine and spots, `turned` puts them on their side.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
from PIL import Image

from trag.ingest.scans import read_scans

FILE = Path(__file__).parents[1] / "examples" / "larkmoor" / "exports" / "larkmoor-governance-manual.pdf"
_WORD = re.compile(r"\w+")
_DRAWN = {2: "-", 0xFFFE: "-"}  # a hyphen at the end of a line, as PDFium tells it
WAYS = ("150 dpi", "300 dpi", "150 dpi, tilted", "150 dpi, stained", "150 dpi, turned")


def drawn(page: pdfium.PdfPage, way: str) -> Image.Image:
    """A page as a grey picture, in one of WAYS."""
    dots = int(way.split()[0])
    picture = page.render(scale=dots / 72).to_pil().convert("L")
    if way.endswith("tilted"):
        picture = picture.rotate(-1.5, Image.Resampling.BICUBIC, fillcolor=255)
    if way.endswith("turned"):
        picture = picture.transpose(Image.Transpose.ROTATE_90)
    if way.endswith("stained"):
        chance = np.random.default_rng(7)
        pixels = np.asarray(picture, dtype=float)
        pixels = 235 - (255 - pixels) * 0.75 + chance.normal(0, 12, pixels.shape)
        pixels -= 60 * np.exp(-np.arange(pixels.shape[1]) / 40)
        for _ in range(40):
            y, x = (chance.integers(0, side - 8) for side in pixels.shape)
            pixels[y : y + chance.integers(2, 8), x : x + chance.integers(2, 8)] -= 90
        picture = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    return picture


def as_pdf(pictures: list[Image.Image], way: str) -> bytes:
    """A PDF whose pages are these pictures, as JPEG."""
    file = io.BytesIO()
    pictures[0].save(file, "PDF", save_all=True, append_images=pictures[1:], resolution=int(way.split()[0]), quality=80)
    return file.getvalue()


def measured(file: Path, count: int) -> Iterator[tuple[str, float, float, float]]:
    """For each of WAYS: the share of characters in right words, the least confidence of a page, seconds a page."""
    document = pdfium.PdfDocument(file)
    texts = {number: page.get_textpage().get_text_range() for number, page in enumerate(document)}
    fullest = sorted(texts, key=lambda number: -len(texts[number]))[:count]
    for way in WAYS:
        content = as_pdf([drawn(document[number], way) for number in fullest], way)
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            pages = read_scans(content, "scan.pdf", range(1, count + 1), Path(folder), lambda done, of: None)
            seconds = (time.monotonic() - start) / count
        right = length = 0
        for number, page in zip(fullest, pages, strict=True):
            told = Counter(_WORD.findall(texts[number].translate(_DRAWN)))
            seen = Counter(found for word in page.words for found in _WORD.findall(word.text))
            right += sum(len(word) * count for word, count in (told & seen).items())
            length += sum(len(word) * count for word, count in told.items())
        yield way, right / length, min(page.confidence for page in pages), seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("--pages", type=int, default=4)
    options = parser.parse_args()
    print("| pages | characters in right words | least confidence | seconds a page |\n|---|---|---|---|")
    for way, right, confidence, seconds in measured(options.file, options.pages):
        print(f"| {way} | {right:.2%} | {confidence:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
