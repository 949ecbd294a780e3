"""Pictures on the pages of a PDF that have text: their words stand where the picture does."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import NameObject, NumberObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.trag.ingest.conftest import Shelf
from tests.trag.ingest.made import changed, drawn
from tests.trag.ingest.test_pictures import read
from tests.trag.ingest.test_scans import LINES
from tests.trag.ingest.test_scans import drawn as board
from trag import view
from trag.ingest.parse import parse
from trag.ingest.passages import sections
from trag.ingest.scans import BESIDE, kept, kept_words, read_scans

LINE = "The committee meets every month in Oslo, at the harbour"


def shade(number: int, side: int = 200) -> ImageReader:
    return ImageReader(Image.new("L", (side, side), number))


def at(number: int, page: int = 1) -> int:
    return BESIDE * number + page


def told(content: bytes, *scans: Any) -> list[tuple[str, bool]]:
    return [(block.text, block.ocr) for block in parse(content, ".pdf", scans).blocks]


def quay(canvas: Canvas) -> None:
    """A picture between two lines, with a word printed over it, and one before a heading."""
    canvas.drawString(72, 760, "The board at the quay says:")
    canvas.drawImage(ImageReader(board(*LINES)), 72, 560, 300, 169)
    canvas.drawString(80, 640, "(new)")
    canvas.drawString(72, 520, "Boats of members are free.")
    canvas.drawImage(shade(90), 72, 400, 100, 100)
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(72, 360, "Keys")
    canvas.setFont("Helvetica", 12)
    canvas.drawString(72, 330, "They hang in the office.")


def test_words_stand_at_the_place_of_the_picture_and_say_that_they_were_read_off_it() -> None:
    content = drawn(quay)
    before = parse(content, ".pdf")
    assert (before.scanned, before.notes) == ((at(1), at(2)), ("2 pictures could not be read (page 1)",))
    reading = parse(
        content, ".pdf", [read(at(1), "Fees", "A night costs EUR 14."), read(at(2), "Fvvs", confidence=0.5)]
    )
    assert (reading.scanned, reading.notes) == ((), ("1 picture could not be read (page 1)",))
    assert [(block.text, block.kind, block.page, block.ocr) for block in reading.blocks] == [
        ("The board at the quay says:", "paragraph", 1, False),
        ("Fees", "paragraph", 1, True),
        ("A night costs EUR 14.", "paragraph", 1, True),
        ("(new)", "paragraph", 1, False),
        ("Boats of members are free.", "paragraph", 1, False),
        ("Keys", "heading", 1, False),
        ("They hang in the office.", "paragraph", 1, False),
    ]
    paths = [section.path for section in sections(reading.blocks, "quay")]
    assert paths == ["quay", "quay > Picture (read by OCR)", "quay", "Keys"]


@pytest.mark.slow
def test_what_a_picture_on_a_page_says_is_found_and_marked_where_it_stands(shelf: Shelf, tmp_path: Path) -> None:
    def turned(canvas: Canvas) -> None:
        """Sideways, clear, and black on white where it is painted at all."""
        canvas.drawString(72, 700, "The office is in the red house.")
        canvas.translate(400, 200)
        canvas.rotate(90)
        clear = Image.new("RGBA", (1240, 700))
        clear.paste((0, 0, 0, 255), mask=board("Keys are kept by the porter.").point(lambda value: 255 * (value < 128)))
        canvas.drawImage(ImageReader(clear), 0, 0, 400, 226, mask="auto")

    content = drawn(quay, turned)
    (tmp_path / "quay.pdf").write_bytes(content)
    (added,) = shelf.ingest(tmp_path / "quay.pdf")
    assert (added.outcome, added.notes) == ("indexed", ("1 picture could not be read (page 1)",))
    words = shelf.nearest("What does mooring cost a night?")
    assert all(line in words for line in LINES)
    assert "new" not in words
    scans = kept(kept_words(shelf.context.originals, hashlib.sha256(content).hexdigest())).values()
    shown = view.page(content, "quay.pdf", 1, words, LINES[1:], scans=scans)
    assert (shown.found, shown.scanned) == (1, False)
    (box,) = shown.support
    left, top = (72 + 300 * 120 / 1240) / 595, (842 - 729 + 169 * 240 / 700) / 842
    assert (box.left, box.top) == (pytest.approx(left, abs=0.01), pytest.approx(top, abs=0.01))
    shown = view.page(content, "quay.pdf", 2, "Keys are kept by the porter.", scans=scans)
    assert shown.found == 1
    left, bottom = (400 - 226 + 226 * 120 / 700) / 595, (842 - 200 - 400 * 120 / 1240) / 842
    assert min(box.left for box in shown.passage) == pytest.approx(left, abs=0.02)
    assert max(box.bottom for box in shown.passage) == pytest.approx(bottom, abs=0.02)


def test_a_picture_stands_in_its_column_and_two_from_the_left() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        for number in range(30):
            canvas.drawString(320, 700 - 12 * number, f"{LINE} {number + 30}")
            if not 8 < number < 21:
                canvas.drawString(60, 700 - 12 * number, f"{LINE} {number:02}")
        canvas.drawImage(shade(1), 60, 460, 90, 120)
        canvas.drawImage(shade(2), 180, 460, 90, 120)

    found = told(drawn(draw), read(at(1), "on the left"), read(at(2), "on the right"))
    assert [text for text, ocr in found if ocr] == ["on the left", "on the right"]
    at_left = found.index(("on the left", True))
    assert found[at_left - 1][0].endswith(" 08")
    assert found[at_left + 2][0].startswith(f"{LINE} 21")


def test_a_picture_at_the_top_of_a_page_leaves_the_paragraph_whole_that_goes_on_below() -> None:
    def first(canvas: Canvas) -> None:
        for number, line in enumerate(("Boats of members are free at every quay of the harbour,", "and the boats of")):
            canvas.drawString(72, 100 - 14 * number, line)

    def second(canvas: Canvas) -> None:
        canvas.drawImage(shade(1), 72, 600, 200, 200)
        canvas.drawString(72, 560, "their guests too.")
        canvas.drawString(72, 500, "Others pay.")

    *_, paragraph, picture, last = told(drawn(first, second), read(at(1, page=2), "Quay"))
    assert paragraph[0].endswith("their guests too.")
    assert [picture, last] == [("Quay", True), ("Others pay.", False)]


def test_what_runs_over_the_pages_comes_again_is_small_or_out_of_sight_is_not_read() -> None:
    def page(number: int, icon: bool = False) -> Any:
        def draw(canvas: Canvas) -> None:
            canvas.drawImage(shade(250), 400, 740, 150, 90)
            canvas.drawString(72, 700, ("Boats", "Keys", "Guests", "Fees")[number - 1])
            if number < 3:
                canvas.drawImage(shade(90), 72, 400, 200, 200)
            if icon:
                canvas.drawImage(shade(80), 72, 300, 70, 70)
                canvas.drawImage(shade(70), 72, -300, 200, 200)
                canvas.drawImage(shade(60, side=63), 72, 100, 100, 100)

        return draw

    content = drawn(*(page(number, icon=number == 3) for number in range(1, 5)))
    reading = parse(content, ".pdf")
    assert reading.scanned == (at(2),)
    assert reading.notes == ("2 pictures could not be read (pages 1, 3)",)
    assert [ocr for _, ocr in told(content, read(at(1), "ACME"), read(at(2), "Quay"))].count(True) == 1


def test_what_a_picture_says_of_validity_is_not_what_the_document_says() -> None:
    assert not parse(drawn(quay), ".pdf", [read(at(1), "Valid from: 1 March 2025", "Owner: Jan")]).stated


def test_what_a_machine_has_read_already_is_not_read_again() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, LINE)
        canvas.drawImage(shade(90), 72, 400, 200, 200)
        layer = canvas.beginText(80, 500)
        layer.setTextRenderMode(3)
        layer.textOut("Read by a machine.")
        canvas.drawText(layer)

    assert parse(drawn(draw), ".pdf").scanned == ()


@pytest.mark.slow
def test_so_many_pictures_are_looked_at_and_no_bomb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 800, LINE)
        for number in range(4):
            canvas.drawImage(shade(90, side=100 + number), 72, 600 - 150 * number, 100, 100)

    def change(writer: PdfWriter) -> None:
        for picture in writer.pages[0]["/Resources"]["/XObject"].values():
            bomb, damaged = (picture["/Width"] == side for side in (100, 101))
            for side in ("/Width", "/Height") if bomb else ():
                picture.get_object()[NameObject(side)] = NumberObject(60_000)
            if damaged:
                picture.get_object()[NameObject("/Filter")] = NameObject("/DCTDecode")

    monkeypatch.setattr("trag.ingest.parse.pdf.MOST", 2)
    content = changed(drawn(draw), change)
    reading = parse(content, ".pdf")
    assert [block.text for block in reading.blocks] == [LINE]
    assert (reading.scanned, reading.notes) == ((at(2), at(3)), ("4 pictures could not be read (page 1)",))
    scans = read_scans(content, "bomb.pdf", reading.scanned, tmp_path, lambda *_: None)
    assert [(scan.number, scan.words) for scan in scans] == [(at(2), ()), (at(3), ())]
    assert parse(content, ".pdf", scans).scanned == ()
