"""Pages of PDFs as pictures with boxes, made by a child process."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DecodedStreamObject, DictionaryObject, FloatObject, NameObject, NumberObject

from tests.trag.ingest import made
from trag import sandbox
from trag.errors import TragError
from trag.sandbox import Limits
from trag.view import Box, PageView, page
from trag.view.__main__ import view

LINE = "Money is spent as the budget says."


def drawn(*pages: Sequence[tuple[float, float, str]], font: str = "Helvetica") -> bytes:
    """A PDF of pages, each a list of (x, y, text), y upwards in points, all in one font."""

    def draws(page: Sequence[tuple[float, float, str]]) -> Callable[[Any], None]:
        def draw(canvas: Any) -> None:
            canvas.setFont(font, 12)
            for place in page:
                canvas.drawString(*place)

        return draw

    return made.drawn(*map(draws, pages))


def changed(content: bytes, **entries: list[float] | int) -> bytes:
    """A PDF with entries of its first page set to other numbers."""

    def change(writer: PdfWriter) -> None:
        for key, value in entries.items():
            numbers = ArrayObject(map(FloatObject, value)) if isinstance(value, list) else NumberObject(value)
            writer.pages[0][NameObject(f"/{key}")] = numbers

    return made.changed(content, change)


def shown(content: bytes, passage: str = LINE, number: int = 1, width: int = 600) -> PageView:
    """The page as the child makes it, without the child."""
    asked = json.dumps([passage, [], []]).encode()
    return view(content + asked, number, width, len(asked))


def ink(seen: PageView) -> Box:
    """Where the page is not white, in fractions of it."""
    data = seen.image[seen.image.index(b"IDAT") + 4 : -16]
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(seen.height, 1 + 3 * seen.width)
    down, across = np.nonzero(rows[:, 1:].reshape(seen.height, seen.width, 3).min(axis=2) < 128)
    return Box(
        across.min() / seen.width,
        down.min() / seen.height,
        (across.max() + 1) / seen.width,
        (down.max() + 1) / seen.height,
    )


def test_a_page_comes_back_as_a_picture_with_the_place_of_the_passage() -> None:
    content = drawn([(72, 700, "First."), (72, 680, LINE)], [(72, 700, "Second.")])
    seen = page(content, "m.pdf", 1, LINE, ["The budget says how money is spent."])
    assert (seen.number, seen.pages, seen.width, seen.found) == (1, 2, 1200, 1.0)
    assert seen.image.startswith(b"\x89PNG")
    (box,) = seen.passage
    assert box.top == pytest.approx(1 - 692 / 842, abs=0.01)
    assert len(seen.support) == 1, seen.support
    assert seen.support[0].right - seen.support[0].left < box.right - box.left + 0.001
    assert "".join(piece.text for piece in seen.text) == f"First.\n{LINE}"
    assert {piece.mark for piece in seen.text} >= {"", "support"}
    assert PageView.from_json(seen.to_json()) == seen


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize(
    "edges",
    [
        pytest.param({}, id="whole"),
        pytest.param({"CropBox": [50, 500, 400, 800]}, id="cropped"),
        pytest.param({"MediaBox": [-200, 100, 700, 900]}, id="off the origin"),
    ],
)
def test_the_box_stands_around_the_ink(turn: int, edges: dict[str, list[float]]) -> None:
    seen = shown(changed(drawn([(100, 700, LINE)]), Rotate=turn, **edges))
    found = ink(seen)
    left, top = min(box.left for box in seen.passage), min(box.top for box in seen.passage)
    right, bottom = max(box.right for box in seen.passage), max(box.bottom for box in seen.passage)
    assert left - 0.01 < found.left < found.right < right + 0.01, (found, seen.passage)
    assert top - 0.01 < found.top < found.bottom < bottom + 0.01, (found, seen.passage)
    assert (right - left) * (bottom - top) < 3 * (found.right - found.left) * (found.bottom - found.top)


@pytest.mark.parametrize(
    ("lines", "passage", "boxes"),
    [
        pytest.param(
            [(72, 700, "The gov-"), (72, 685, "ernance of funds.")], "The governance of funds.", 2, id="hyphenated"
        ),
        pytest.param(
            [(72, 700, "Post"), (300, 700, "Limit"), (72, 680, "Head"), (300, 680, "9 LMD"), (72, 660, "Clerk")],
            "Limits – Post: Head; Limit: 9 LMD.",
            4,
            id="a row and its header",
        ),
        pytest.param(
            [
                (72, 700, "The Board meets in May"),
                (320, 700, "Another column tells"),
                (72, 685, "and again in June."),
                (320, 685, "of other affairs."),
            ],
            "The Board meets in May and again in June.",
            2,
            id="columns",
        ),
    ],
)
def test_each_line_and_each_cell_has_its_box(lines: list[tuple[float, float, str]], passage: str, boxes: int) -> None:
    seen = shown(drawn(lines), passage)
    assert len(seen.passage) == boxes, seen.passage


def test_ligatures_and_accents_are_found() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    font = next(Path("/usr/share/fonts").rglob("DejaVuSans.ttf"), None)
    if font is None:
        pytest.skip("needs the DejaVu fonts")
    pdfmetrics.registerFont(TTFont("DejaVu", str(font)))
    seen = shown(drawn([(72, 700, "The ﬁnal oﬃce, the cafe\u0301.")], font="DejaVu"), "The final office, the café.")
    assert seen.found == 1.0


def test_a_passage_that_goes_on_is_found_on_both_pages() -> None:
    passage = "The Board meets in May and in June, and always in the headquarters of the Foundation."
    content = drawn([(72, 700, passage[:48])], [(72, 700, passage[48:])], [(72, 700, "Nothing of it is here.")])
    first, second, third = (shown(content, passage, number) for number in (1, 2, 3))
    assert (first.before, first.after, second.before, second.after) == (False, True, True, False)
    assert first.passage
    assert second.passage
    assert (third.passage, third.found) == ((), 0.0)


def test_text_beside_the_page_is_not_told() -> None:
    seen = shown(drawn([(72, 700, LINE), (900, 700, "hidden words")]), "hidden words")
    assert "hidden" not in "".join(piece.text for piece in seen.text)
    assert seen.passage == ()


@pytest.mark.parametrize(
    "size", [(0.5, 14_400), (14_400, 14_400), (1e7, 1e7), (1, 1)], ids=["a thread", "200 inches", "miles", "a dot"]
)
def test_no_page_makes_a_large_picture(size: tuple[float, float]) -> None:
    seen = shown(changed(drawn([(10, 10, LINE)]), MediaBox=[0, 0, *size]), width=1_200)
    assert 0 < seen.width * seen.height <= 8_100_000
    assert max(seen.width, seen.height) <= 8_001


def test_pdfium_is_built_without_a_script_engine() -> None:
    from pypdfium2.version import PDFIUM_INFO

    assert not {"V8", "XFA"} & set(PDFIUM_INFO.flags)


def test_an_encrypted_file_that_opens_without_a_password_is_shown() -> None:
    assert shown(made.locked(drawn([(72, 700, LINE)]), "")).found == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "number", "said"),
    [
        pytest.param(made.locked, 1, "m.pdf is encrypted with a password.", id="encrypted"),
        pytest.param(lambda _: b"<html>", 1, "m.pdf is no page that can be shown.", id="no PDF"),
        pytest.param(lambda _: b"", 1, "m.pdf is no page that can be shown.", id="empty"),
        pytest.param(lambda content: content, 2, "m.pdf has 1 page, and no page 2.", id="a page beyond the last"),
        pytest.param(lambda content: content, 0, "m.pdf has 1 page, and no page 0.", id="no page"),
    ],
)
def test_what_cannot_be_shown_is_said(make: Callable[[bytes], bytes], number: int, said: str) -> None:
    with pytest.raises(TragError) as caught:
        page(make(drawn([(72, 700, LINE)])), "m.pdf", number, LINE)
    assert caught.value.message == said
    assert caught.value.hint


def nested(depth: int) -> bytes:
    """A PDF of one page that draws a form ten times, which draws another ten times, and so on."""
    writer = PdfWriter()
    blank = writer.add_blank_page(600, 800)
    inner = None
    for _ in range(depth):
        form = DecodedStreamObject()
        form.set_data(b"/F Do " * 10 if inner else b"0 0 600 800 re f")
        form[NameObject("/Type")], form[NameObject("/Subtype")] = NameObject("/XObject"), NameObject("/Form")
        form[NameObject("/BBox")] = ArrayObject(map(FloatObject, (0, 0, 600, 800)))
        forms = DictionaryObject({NameObject("/F"): inner} if inner else {})
        form[NameObject("/Resources")] = DictionaryObject({NameObject("/XObject"): forms})
        inner = writer._add_object(form)
    blank[NameObject("/Resources")] = DictionaryObject(
        {NameObject("/XObject"): DictionaryObject({NameObject("/F"): inner})}
    )
    drawing = DecodedStreamObject()
    drawing.set_data(b"/F Do")
    blank[NameObject("/Contents")] = writer._add_object(drawing)
    return made.saved(writer.write)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "said"),
    [
        pytest.param(Limits(processor_seconds=1), "m.pdf takes more than 1 seconds of computing", id="computing"),
        pytest.param(Limits(seconds=1), "m.pdf could not be read in 1 seconds", id="time"),
    ],
)
def test_a_page_over_the_limits_ends_the_child_alone(limits: Limits, said: str) -> None:
    with pytest.raises(TragError, match=said):
        page(nested(12), "m.pdf", 1, LINE, limits=limits)


def test_no_argument_of_the_child_says_what_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spy, seen = tmp_path / "spy", tmp_path / "seen"
    spy.write_text(f'#!/bin/sh\necho "$@" > {seen}\nexit 9\n')
    spy.chmod(0o755)
    monkeypatch.setattr(sandbox.sys, "executable", str(spy))
    sandbox.end_servers()
    with pytest.raises(TragError, match=r"m\.pdf could not be read"):
        page(drawn([(72, 700, LINE)]), "m.pdf", 1, LINE)
    sandbox.end_servers()
    assert "trag.view" in seen.read_text()
    assert "budget" not in seen.read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("image", "R0lGODlh"),
        ("width", 9),
        ("found", 2),
        ("found", float("nan")),
        ("passage", [{"left": -1, "top": 0, "right": 1, "bottom": 1}]),
        ("text", [{"text": "a", "mark": "<b>"}]),
        ("text", None),
    ],
)
def test_what_a_child_says_is_looked_at(key: str, value: object) -> None:
    told = json.loads(shown(drawn([(72, 700, LINE)])).to_json())
    with pytest.raises((ValueError, KeyError, TypeError)):
        PageView.from_json(json.dumps({**told, key: value}))
