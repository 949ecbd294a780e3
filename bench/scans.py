"""python -m bench.scans [FILE.pdf] [--pages N]: how well and how fast scanned pages are read.

pages of a PDF with text -> drawn as a scanner gives them -> read by `trag.ingest.scans` -> share of characters that are
right (1 - edit distance over length, spaces left out, line by line in whatever order), seconds a page

The pages are those with most text on them. `tilted` turns them by 1.5 degrees, `stained` adds grey noise, a shadow at
the spine and spots, `turned` puts them on their side.
"""

from __future__ import annotations

import argparse
import io
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium  # type: ignore[import-untyped]
from PIL import Image
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from trag.ingest.scans import read_scans

FILE = Path(__file__).parents[1] / "examples" / "larkmoor" / "exports" / "larkmoor-governance-manual.pdf"
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


def plain(text: str) -> str:
    """A text without spaces, its hyphens at line ends as they are drawn."""
    return re.sub(r"[\s\x02\ufffe-]+", "", text)


def measured(file: Path, count: int) -> Iterator[tuple[str, float, float, float]]:
    """For each of WAYS: the share of characters that are right, the least confidence of a page, seconds a page."""
    document = pdfium.PdfDocument(file)
    texts = {number: page.get_textpage().get_text_range() for number, page in enumerate(document)}
    fullest = sorted(texts, key=lambda number: -len(texts[number]))[:count]
    for way in WAYS:
        content = as_pdf([drawn(document[number], way) for number in fullest], way)
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            pages = read_scans(content, "scan.pdf", range(1, count + 1), Path(folder), lambda done, of: None)
            seconds = (time.monotonic() - start) / count
        wrong = length = 0
        for number, page in zip(fullest, pages, strict=True):
            seen = plain("".join(word.text for word in page.words))
            for line in filter(None, map(plain, texts[number].splitlines())):
                place = fuzz.partial_ratio_alignment(line, seen)
                there = seen[place.dest_start : place.dest_end] if place and len(seen) >= len(line) else ""
                wrong += min(len(line), Levenshtein.distance(line, there))
                length += len(line)
        yield way, 1 - wrong / length, min(page.confidence for page in pages), seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=FILE)
    parser.add_argument("--pages", type=int, default=4)
    options = parser.parse_args()
    print("| pages | characters right | least confidence | seconds a page |\n|---|---|---|---|")
    for way, right, confidence, seconds in measured(options.file, options.pages):
        print(f"| {way} | {right:.2%} | {confidence:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
