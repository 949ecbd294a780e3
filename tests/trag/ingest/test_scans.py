from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.trag.ingest.conftest import Shelf
from trag import view
from trag.ingest.index import ingest
from trag.ingest.parse.pdf_page import Page
from trag.ingest.parse.pdf_scans import with_scan
from trag.ingest.parse.pdf_shapes import Picture
from trag.ingest.passages import sections
from trag.ingest.reading import read
from trag.ingest.scans import ScannedPage, ScannedWord, kept, kept_words, read_scans
from trag.sandbox import Limits

LINES = ("The harbour office opens at 7:30.", "Mooring costs EUR 14 a night.")


def drawn(*lines: str, turn: int = 0) -> Image.Image:
    """Lines as a scanner gives them, on a page turned by 90 degrees so many times."""
    picture = Image.new("L", (1240, 700), 250)
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(44)
    for row, line in enumerate(lines):
        pen.text((120, 120 + 110 * row), line, fill=20, font=font)
    return picture.rotate(90 * turn, expand=True)


def scanned(*pictures: Image.Image) -> bytes:
    file = io.BytesIO()
    pictures[0].save(file, "PDF", save_all=True, append_images=pictures[1:], resolution=150)
    return file.getvalue()


def text(page: ScannedPage) -> str:
    return " ".join(word.text for word in page.words)


def page(*words: ScannedWord, turn: int = 0, slope: float = 0.0, confidence: float = 0.9) -> ScannedPage:
    return ScannedPage(1, turn, slope, confidence, words)


def silent(done: int, count: int) -> None:
    pass


@pytest.mark.slow
def test_a_page_is_read_with_its_places_upright_or_turned_and_an_empty_one_is_not(tmp_path: Path) -> None:
    content = scanned(drawn(*LINES), drawn(*LINES, turn=1), drawn(), drawn(*LINES, turn=2))
    upright, turned, empty, over = read_scans(content, "tariff.pdf", [1, 2, 3, 4], tmp_path, silent)
    for page, turn in ((upright, 0), (turned, 1), (over, 2)):
        assert (text(page), page.turn, page.is_legible) == (" ".join(LINES), turn, True)
        first = page.words[0]
        assert (first.left, first.top) == (pytest.approx(120 / 1240, abs=0.01), pytest.approx(130 / 700, abs=0.04))
    assert (empty.words, empty.is_legible) == ((), False)


@pytest.mark.slow
def test_what_was_read_before_a_stop_is_kept_and_not_read_again(tmp_path: Path) -> None:
    content = scanned(*[drawn(f"Page {number}") for number in range(1, 7)])
    pages: list[int] = []

    def stop(done: int, count: int) -> None:
        pages.append(done)
        if done:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        read_scans(content, "pages.pdf", range(1, 7), tmp_path, stop)
    (file,) = tmp_path.iterdir()
    before = kept(file)
    assert [text(page) for page in before.values()] == ["Page 1", "Page 2", "Page 3", "Page 4"]
    found = read_scans(content, "pages.pdf", range(1, 7), tmp_path, lambda done, count: pages.append(done))
    assert pages == [0, 4, 4]
    assert [text(page) for page in found] == [f"Page {number}" for number in range(1, 7)]


@pytest.mark.slow
def test_a_page_that_cannot_be_drawn_costs_no_other(tmp_path: Path) -> None:
    content = scanned(drawn("Page 1"), drawn("Page 2"))
    (found,) = read_scans(content, "pages.pdf", [1, 9], tmp_path, silent)
    assert text(found) == "Page 1"


def test_a_document_of_which_nothing_could_be_read_has_no_sections() -> None:
    assert sections((), "tariff") == ()


@pytest.mark.slow
def test_a_damaged_file_leaves_its_pages_out(tmp_path: Path) -> None:
    assert read_scans(b"%PDF-1.4 nothing", "bad.pdf", [1], tmp_path, silent) == ()


def test_a_tilted_line_is_level_and_all_of_one_size_and_what_is_not_legible_leaves_the_page_as_it_was() -> None:
    scan = page(ScannedWord("falls", 0.1, 0.1, 0.2, 0.12), ScannedWord("down", 0.8, 0.1175, 0.9, 0.137), slope=0.0350)
    first, last = with_scan(Page(pictures=(Picture(),)), scan, 500, 1000).words
    assert (first.x, first.size, first.spaced, first.painted) == (50, 16, True, False)
    assert (last.y, last.size) == (pytest.approx(first.y, abs=6.0), 16)
    assert first.y == pytest.approx(1000 - 120 + 4 + 0.035 * 50)
    turned = with_scan(Page(), page(ScannedWord("寮", 0.1, 0.1, 0.2, 0.12), turn=1), 1000, 500).words
    assert [(word.x, word.spaced) for word in turned] == [(50, False)]
    stamped = Page(words=(first,), pictures=(Picture(),))
    assert with_scan(stamped, page(*scan.words, confidence=0.5), 500, 1000) == stamped


@pytest.mark.slow
def test_a_scanned_document_is_found_by_its_words_and_opens_at_them(shelf: Shelf, tmp_path: Path) -> None:
    content = scanned(drawn(*LINES), drawn())
    reading = read(content, "tariff.pdf", Limits())
    assert (reading.scanned, reading.blocks) == ((1, 2), ())
    (tmp_path / "tariff.pdf").write_bytes(content)
    (added,) = ingest([tmp_path / "tariff.pdf"], shelf.context)
    assert added.outcome == "indexed"
    assert added.notes == (
        "page 2 without words on the picture",
        "page 1 with text that a program has read off a scan, which may be wrong",
    )
    (passage,) = shelf.context.records.library.passages("tariff.pdf")
    assert all(line in passage.text for line in LINES)
    assert passage.page == 1
    sha256 = hashlib.sha256(content).hexdigest()
    scans = kept(kept_words(shelf.context.originals, sha256)).values()
    shown = view.page(content, "tariff.pdf", 1, passage.text, LINES[1:], scans=scans)
    assert shown.scanned
    assert [(box.left, box.top) for box in shown.support] == [
        (pytest.approx(120 / 1240, abs=0.02), pytest.approx(240 / 700, abs=0.04))
    ]
    shelf.forget("tariff.pdf")
    assert not list(shelf.context.originals.iterdir())


def test_a_page_comes_back_from_its_line_and_stays_on_the_page() -> None:
    page = ScannedPage(3, 1, -0.01, 0.93, (ScannedWord("Größe", 0.1, 0.2, 0.3, 0.25),))
    assert ScannedPage.from_json(page.to_json()) == page
    outside = json.loads(page.to_json()) | {"words": [["x", -2, 0.5, 9, 1e9]], "turn": 7}
    assert ScannedPage.from_json(json.dumps(outside)).words == (ScannedWord("x", 0.0, 0.5, 1.0, 1.0),)
    assert ScannedPage.from_json(json.dumps(outside)).turn == 3


def test_damaged_words_are_read_again(tmp_path: Path) -> None:
    file = kept_words(tmp_path, "0" * 64)
    assert kept(file) == {}
    file.write_text("{")
    assert kept(file) == {}
