"""Pictures as documents, and pictures in documents: what was read of them, and what is said of the others."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl.drawing.image import Image as sheet_picture
from PIL import Image
from pptx.util import Inches

from tests.trag.ingest.conftest import Shelf
from tests.trag.ingest.made import slides, word, workbook
from tests.trag.ingest.test_scans import LINES, drawn, scanned
from trag import view
from trag.errors import TragError
from trag.ingest.parse import parse
from trag.ingest.parse.frames import pixels
from trag.ingest.passages import sections
from trag.ingest.reading import Block
from trag.ingest.scans import ScannedPage, ScannedWord, kept, kept_words

SECOND = "From May on, visitors pay at the kiosk."

UNSURE = (
    "page 1 with words on a picture that are not legible enough (handwriting? a poor scan?): "
    "scan again more sharply, or type them in a document of their own"
)


def saved(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def blank(shade: int) -> bytes:
    return saved(Image.new("L", (300, 300), shade), dpi=(72, 72))


def bomb() -> bytes:
    """A PNG of 60,000 x 60,000 pixels in a few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1_000_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def read(number: int, *words: str, confidence: float = 0.95) -> ScannedPage:
    """Words one below the other."""
    boxes = (ScannedWord(text, 0.1, 0.1 + 0.2 * row, 0.8, 0.15 + 0.2 * row) for row, text in enumerate(words))
    return ScannedPage(number, 0, 0.0, confidence, tuple(boxes))


def pages() -> dict[str, bytes]:
    """The lines as a file of each format."""
    sideways = Image.Exif()
    sideways[0x0112] = 6  # to be turned by 90 degrees clockwise
    scans = [drawn(*LINES).convert("1"), drawn(SECOND).convert("1")]
    return {
        "board.png": saved(drawn(*LINES)),
        "photo.jpeg": saved(drawn(*LINES, turn=1), "JPEG", exif=sideways),
        "scan.tif": saved(scans[0], "TIFF", save_all=True, append_images=scans[1:], compression="group4"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", pages())
def test_a_picture_is_found_by_its_words_and_opens_at_them(name: str, shelf: Shelf, tmp_path: Path) -> None:
    content = pages()[name]
    (tmp_path / name).write_bytes(content)
    (added,) = shelf.ingest(tmp_path / name)
    count = 2 if name == "scan.tif" else 1
    many = "pages 1-2" if count == 2 else "page 1"
    assert (added.outcome, added.pages) == ("indexed", count)
    assert added.notes == (f"{many} with text that a program has read off a scan, which may be wrong",)
    passages = [each for each in shelf.records.library.passages(name) if each.kind == "section"]
    assert [each.page for each in passages] == [1, 2][:count]
    assert all(line in passages[0].text for line in LINES)
    scans = kept(kept_words(shelf.context.originals, hashlib.sha256(content).hexdigest())).values()
    shown = view.page(content, name, 1, passages[0].text, LINES[1:], scans=scans)
    assert shown.scanned
    assert (shown.pages, shown.width > shown.height) == (count, True)
    assert [(box.left, box.top) for box in shown.support] == [
        (pytest.approx(120 / 1240, abs=0.02), pytest.approx(240 / 700, abs=0.04))
    ]
    with pytest.raises(view.NoSuchPage):
        view.page(content, name, count + 1, "", scans=scans)
    shelf.forget(name)
    assert not list(shelf.context.originals.iterdir())


def mooring(document: Any) -> None:
    """A picture with words among one without, a damaged one and a bomb, where somebody put them in later."""
    document.add_heading("Mooring", 1)
    document.add_paragraph("The board at the quay says:")
    document.add_picture(io.BytesIO(saved(drawn(*LINES))), width=4_000_000)
    document.add_paragraph("Boats of members are free.")
    document.add_heading("Photos", 1)
    document.add_paragraph("The harbour from the pier.")
    for shade in (90, 130, 170):
        document.add_picture(io.BytesIO(blank(shade)))
    for picture, other in zip(document.part.package.image_parts, (None, None, bomb(), blank(7)[:80]), strict=True):
        picture._blob = other or picture._blob


@pytest.mark.slow
def test_words_in_a_picture_of_a_word_document_are_found_and_the_others_cost_a_note(
    shelf: Shelf, tmp_path: Path
) -> None:
    (tmp_path / "harbour.docx").write_bytes(word(mooring))
    (added,) = shelf.ingest(tmp_path / "harbour.docx")
    assert (added.outcome, added.notes) == ("indexed", ("3 pictures could not be read (section Photos)",))
    found = {each.text: each.section for each in shelf.records.library.passages() if each.kind == "section"}
    (words,) = [text for text in found if "Mooring costs" in text]
    assert all(line in words for line in LINES)
    assert "Boats" not in words
    assert found[words] == "Mooring > Picture (read by OCR)"
    assert shelf.nearest("What does mooring cost a night?") == words
    shelf.forget("harbour.docx")
    assert not list(shelf.context.originals.iterdir())


@pytest.mark.slow
def test_a_photo_or_a_scrawl_among_documents_is_skipped_and_nothing_of_it_kept(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "photo.png").write_bytes(blank(90))
    scrawl = drawn(*LINES)
    scrawl.reduce(12).resize(scrawl.size).save(tmp_path / "given" / "scrawl.png")
    photo, scrawled = shelf.ingest(tmp_path / "given")
    assert (photo.outcome, photo.hint) == ("skipped", "page 1 without words on the picture")
    assert (scrawled.outcome, scrawled.hint) == ("skipped", UNSURE)
    assert not list(shelf.context.originals.glob("*"))


def test_pictures_of_word_stand_after_their_paragraph_once_and_not_as_headings() -> None:
    picture = saved(drawn(*LINES))

    def build(document: Any) -> None:
        for number in range(2):
            document.add_heading(f"Part {number}", 1)
            document.add_paragraph("Look here.").add_run().add_picture(io.BytesIO(picture), width=4_000_000)
            document.add_paragraph("And on.")

    content = word(build)
    before = parse(content, ".docx")
    assert before.notes == ("2 pictures could not be read (sections Part 0, Part 1)",)
    (number,) = before.scanned
    reading = parse(content, ".docx", [read(number, "Fees", "A night costs EUR 14."), read(999, "None of it.")])
    assert (reading.notes, reading.scanned) == ((), ())
    assert [(block.text, block.ocr) for block in reading.blocks] == [
        ("Part 0", False),
        ("Look here.", False),
        ("Fees", True),
        ("A night costs EUR 14.", True),
        ("And on.", False),
        ("Part 1", False),
        ("Look here.", False),
        ("And on.", False),
    ]
    assert [section.path for section in sections(reading.blocks, "fees")] == [
        "Part 0",
        "Part 0 > Picture (read by OCR)",
        "Part 0",
        "Part 1",
    ]
    unsure = parse(content, ".docx", [read(number, "Fees", confidence=0.5)])
    assert unsure.notes == before.notes
    assert not any(block.ocr for block in unsure.blocks)


def test_a_slide_that_is_a_picture_is_read() -> None:
    def build(presentation: Any) -> None:
        for number in range(2):
            slide = presentation.slides.add_slide(presentation.slide_layouts[5])
            slide.shapes.title.text = f"Fees {number}"
            slide.notes_slide.notes_text_frame.text = "Wait a moment." if number else ""
            slide.shapes.add_picture(io.BytesIO(saved(drawn(LINES[number]))), 0, 0, Inches(8))

    content = slides(build)
    before = parse(content, ".pptx")
    assert before.notes == (
        "1 picture could not be read (slide 2)",
        "slide 1 with a picture and no text but the title",
    )
    first, second = before.scanned
    reading = parse(content, ".pptx", [read(first, "A night costs EUR 14."), read(second, "The office opens.")])
    assert (reading.notes, reading.scanned) == ((), ())
    assert reading.blocks[1] == Block("paragraph", "A night costs EUR 14.", page=1, ocr=True)
    assert [(block.text, block.ocr) for block in reading.blocks if block.page == 2] == [
        ("Fees 1", False),
        ("Speaker notes: Wait a moment.", False),
        ("The office opens.", True),
    ]


def test_so_many_pictures_are_looked_at_and_no_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(document: Any) -> None:
        document.add_paragraph("Look at the boats.")
        for side in (200, 20, 210, 220):
            document.add_picture(io.BytesIO(saved(Image.new("L", (side, side)))), width=2_000_000)

    monkeypatch.setattr("trag.ingest.parse.picture_words.MOST", 2)
    content = word(build)
    reading = parse(content, ".docx")
    assert reading.notes == ("4 pictures could not be read",)
    first, second = reading.scanned
    assert second == first + 2
    again = parse(content, ".docx", [read(first, confidence=0), read(second, confidence=0)])
    assert (again.notes, again.scanned) == (reading.notes, ())


def tariff(book: Any) -> None:
    """A sheet with a picture of words, and one with photos, of which two are the same."""
    sheets = book.active, book.create_sheet("Photos")
    for sheet, contents in zip(sheets, ([saved(drawn(*LINES))], [blank(90), blank(90), blank(7)]), strict=True):
        sheet.append(("Boat", "EUR"))
        sheet.append(("Small", 14))
        for number, content in enumerate(contents):
            sheet.add_image(sheet_picture(io.BytesIO(content)), f"D{2 + 20 * number}")
    sheets[0].title = "Fees"


def page(*contents: bytes) -> bytes:
    """HTML that holds pictures: in a line, in an item, in a table, twice, and one that is elsewhere."""
    first, second, third = (f"data:image/png;base64,{b64encode(content).decode()}" for content in contents)
    return (
        f"<!doctype html><html><body><h1>Mooring</h1><p>See <img src='{first}'> at the quay.</p>"
        f"<ol><li>Ask. <img src='{second}'></li><li>Pay.</li></ol><h2>Fees</h2>"
        f"<table><tr><th>Boat<th>EUR<tr><td>Small<td>14 <img src='{third}'></table><p>Pay first.</p>"
        f"<img src='{first}'><img src='https://example.org/a.png'><img src='data:image/png;base64,x'></body></html>"
    ).encode()


def test_pictures_of_a_sheet_stand_below_its_cells() -> None:
    content = workbook(tariff)
    before = parse(content, ".xlsx")
    assert before.notes == ("4 pictures could not be read (sheets Fees, Photos)",)
    first = before.scanned[0]
    reading = parse(
        content, ".xlsx", [read(number, *["A night costs EUR 14."] * (number == first)) for number in before.scanned]
    )
    assert [(block.kind, block.text, block.ocr) for block in reading.blocks] == [
        ("heading", "Fees", False),
        ("table", "", False),
        ("paragraph", "A night costs EUR 14.", True),
        ("heading", "Photos", False),
        ("table", "", False),
    ]


def test_pictures_that_a_page_holds_stand_after_what_shows_them() -> None:
    content = page(blank(1), blank(2), blank(3))
    before = parse(content, ".html")
    assert (before.scanned, before.notes) == ((1, 2, 3), ("6 pictures could not be read (sections Mooring, Fees)",))
    scans = [read(1, "At the quay"), read(2, "At the desk"), read(3, "At the bank")]
    reading = parse(content, ".html", scans)
    assert (reading.scanned, reading.notes) == ((), ("2 pictures could not be read (section Fees)",))
    assert [(block.text or block.rows[1][1], block.ocr) for block in reading.blocks] == [
        ("Mooring", False),
        ("See at the quay.", False),
        ("At the quay", True),
        ("1. Ask.", False),
        ("At the desk", True),
        ("2. Pay.", False),
        ("Fees", False),
        ("14", False),
        ("At the bank", True),
        ("Pay first.", False),
    ]


@pytest.mark.slow
def test_words_in_a_sheet_and_in_a_page_are_read_and_the_others_cost_a_note(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "fees.xlsx").write_bytes(workbook(tariff))
    (tmp_path / "quay.html").write_bytes(page(saved(drawn(*LINES)), bomb(), blank(7)[:80]))
    sheet, quay = shelf.ingest(tmp_path / "fees.xlsx", tmp_path / "quay.html")
    assert sheet.notes == ("3 pictures could not be read (sheet Photos)",)
    assert quay.notes == ("4 pictures could not be read (sections Mooring, Fees)",)
    found = {each.section: each.text for each in shelf.records.library.passages() if each.kind == "section"}
    for path in ("Fees > Picture (read by OCR)", "Mooring > Picture (read by OCR)"):
        assert all(line in found[path] for line in LINES)


@pytest.mark.parametrize("content", [scanned(drawn()), saved(drawn())], ids=["PDF", "picture"])
def test_words_that_are_not_legible_are_told_from_none(content: bytes) -> None:
    suffix = ".pdf" if content.startswith(b"%PDF") else ".png"
    if suffix == ".png":
        assert parse(content, suffix, [read(1)]).notes == ("page 1 without words on the picture",)
    unsure = [read(1, "Deer Jan, tbe boat", confidence=0.6)]
    if suffix == ".png":
        reading = parse(content, suffix, unsure)
        assert (reading.blocks, reading.notes) == ((), (UNSURE,))
    else:
        with pytest.raises(TragError) as caught:
            parse(content, suffix, unsure)
        assert caught.value.hint == UNSURE


def test_a_damaged_page_of_a_tiff_is_named_and_the_others_read() -> None:
    frames = [drawn(line).convert("L") for line in LINES]
    whole = saved(frames[0], "TIFF", save_all=True, append_images=frames[1:], compression="tiff_lzw")
    assert parse(whole, ".tiff").scanned == (1, 2)
    with Image.open(io.BytesIO(whole)) as image:
        start = image.tag_v2[273][0]  # where its first strip lies
    reading = parse(whole[:start] + b"\xff" * 40 + whole[start + 40 :], ".tiff")
    assert (reading.scanned, reading.pages) == ((2,), 2)
    assert reading.notes == ("page 1 damaged, not read", "page 2 without text (scanned?)")


@pytest.mark.parametrize(
    ("content", "suffix", "said"),
    [
        pytest.param(bomb(), ".png", "has more than 89,478,485 pixels.", id="bomb"),
        pytest.param(saved(drawn())[:30], ".png", "is a damaged picture", id="damaged"),
        pytest.param(saved(drawn(), "JPEG"), ".png", "is named .png but looks like a JPEG picture.", id="JPEG"),
        pytest.param(saved(drawn(), "GIF"), ".png", "is named .png but looks like a GIF picture.", id="GIF"),
        pytest.param(b"just words", ".jpg", "is not a JPEG picture: it looks like plain text.", id="text"),
    ],
)
def test_what_is_no_picture_that_can_be_read_is_refused(content: bytes, suffix: str, said: str) -> None:
    with pytest.raises(TragError) as caught:
        parse(content, suffix)
    assert caught.value.message.startswith(said), caught.value.message
    assert caught.value.hint


def test_a_tiff_of_too_many_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trag.ingest.parse.picture_words.FRAMES", 1)
    content = saved(Image.new("1", (60, 60)), "TIFF", save_all=True, append_images=[Image.new("1", (60, 60))])
    with pytest.raises(TragError, match=r"has 2 pages; up to 1 are read\."):
        parse(content, ".tif")


def test_whatever_its_colours_a_picture_comes_dark_on_white() -> None:
    grey = Image.new("L", (90, 60), 255)
    grey.paste(0, (10, 10, 40, 50))
    clear = Image.new("RGBA", (90, 60))
    clear.paste((0, 0, 0, 255), (10, 10, 40, 50))
    palette = clear.quantize(4)
    deep = Image.fromarray(np.asarray(grey, np.uint16) * 257)
    assert (palette.mode, deep.mode, palette.has_transparency_data) == ("P", "I;16", True)
    for picture, form in (
        (grey, "PNG"),
        (clear, "PNG"),
        (palette, "PNG"),
        (deep, "PNG"),
        (grey.convert("1"), "TIFF"),
        (grey.convert("CMYK"), "JPEG"),
        (grey.convert("RGB"), "JPEG"),
    ):
        found = pixels(saved(picture, form), 1, 90)
        assert (found.shape, found[30, 25].max() < 20, found[30, 70].min() > 235) == ((60, 90, 3), True, True)
        assert pixels(saved(picture, form), 1, 45).shape == (30, 45, 3)
