"""What an organization may show of itself: what is refused in which words, and what is kept of it."""

import base64
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from PIL import Image

from org.linking.entities import Organization
from org.reading.charts import load
from trag import appearance
from trag.appearance import ACCENT, Appearance, contrast, current, in_the_dark, merged, save, style, tidied, wrong
from trag.errors import TragError
from trag.home import Home, open_home
from trag.settings import Settings


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path)) as home:
        yield home


def picture(kind: str, size: tuple[int, int] = (900, 300), mode: str = "RGB", **more: Any) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size, "#3366aa").save(file, kind, **more)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_logo_becomes_a_small_png_with_nothing_but_its_pixels(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at 52.5 N"
    made = base64.b64decode(appearance.logo_png(picture(kind, exif=exif)))
    image = Image.open(io.BytesIO(made))
    assert (image.format, image.size, dict(image.getexif())) == ("PNG", (480, 160), {})
    assert b"taken at" not in made


def test_a_logo_keeps_what_is_seen_through() -> None:
    made = appearance.logo_png(picture("PNG", (20, 20), "RGBA"))
    assert Image.open(io.BytesIO(base64.b64decode(made))).mode == "RGBA"


SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"x" * 50 * 2**20, "has 50.0 MiB, and may have 1"),
        (SVG, "An SVG is not taken"),
        (SVG.replace(b"<script>alert(2)</script>", b""), "An SVG is not taken"),
        (picture("GIF"), "is no PNG, JPEG or WebP"),
        (picture("PNG")[:200], "is no PNG, JPEG or WebP"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "is no PNG, JPEG or WebP"),
        (picture("PNG", (20_000, 20_000), "1"), "has too many pixels"),
    ],
)
def test_what_is_no_logo_is_refused_with_what_was_found(home: Home, content: bytes, told: str) -> None:
    with pytest.raises(TragError, match=told):
        save(home, Appearance(), logo=content, by="ada")
    assert current(home) == Appearance()


def test_all_that_is_wrong_is_said_at_once(home: Home) -> None:
    typed = Appearance(
        organization="x" * 101,
        accent="#ffcc00",
        welcome="y" * 1_001,
        examples=(*"1234567", "z" * 201),
        contact_at="javascript:alert(1)",
        days_kept=-1,
    )
    with pytest.raises(TragError) as caught:
        save(home, typed, logo=SVG, by="ada")
    for told in (
        "name of the organization has 101 characters, and may have 100",
        "#ffcc00 is too light",
        "contrast of 1.44, and 4.5 is needed",
        "welcome has 1,001 characters, and may have 1,000",
        "8 example questions, and 6 fit",
        "Example 8 has 201 characters",
        "“javascript:alert(1)” is no mail address",
        "has an address and no name",
        "0 (for ever) to 36,500 days, not -1",
        "An SVG is not taken",
    ):
        assert told in caught.value.message
    assert home.records.audit.count() == 0


@pytest.mark.parametrize("accent", ["red", "#12345", "#12345g", "#0e5f54; } body { display: none", "url(x)"])
def test_what_is_no_colour_is_none(accent: str) -> None:
    assert ["is no colour" in each for each in wrong(tidied(Appearance(accent=accent)))] == [True]


@pytest.mark.parametrize("accent", [ACCENT, "#000000", "#112299", "#8a6e00", "#a2272b"])
def test_letters_are_read_on_the_accent_and_in_it_by_day_and_by_night(accent: str) -> None:
    assert not [*wrong(Appearance(accent=accent))]
    assert contrast(accent, "#ffffff") >= contrast(accent, "#faf9f6") >= 4.5
    assert contrast(in_the_dark(accent), "#131716") >= 7
    assert in_the_dark(accent) in style(Appearance(accent=accent))


def test_contrast_is_as_the_guideline_has_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)  # the lightest grey that passes, as known


def test_the_darker_colour_that_is_told_is_taken() -> None:
    (told,) = wrong(Appearance(accent="#1f6feb"))
    (darker,) = (word for word in told.split() if word.startswith("#") and word != "#1f6feb")
    assert not [*wrong(Appearance(accent=darker))]


@pytest.mark.parametrize(
    ("at", "fits", "leads"),
    [
        ("desk@example.org", True, "mailto:desk@example.org"),
        ("https://example.org/help?of=trag", True, "https://example.org/help?of=trag"),
        ("a+b%c@example.org", True, "mailto:a%2Bb%25c@example.org"),
        ("desk@example.org?bcc=x@example.com", False, ""),
        ("desk@localhost", False, ""),
        ("javascript://example.org/%0aalert(1)", False, ""),
        ("https://ada:secret@example.org", False, ""),
        ("https:// example.org", False, ""),
        ("https://[", False, ""),
        ("Ask Ada", False, ""),
    ],
)
def test_a_contact_leads_to_mail_or_a_page_and_nowhere_else(at: str, fits: bool, leads: str) -> None:
    typed = Appearance(contact="Desk", contact_at=at)
    assert ([*wrong(typed)] == []) is fits
    if fits:
        assert appearance.contact_address(typed) == leads


def test_what_nobody_sees_is_not_kept_and_markup_is_text(home: Home) -> None:
    typed = Appearance(
        " Lark\u00a0moor ", " #AABBCC ", "One\r\n\r\n<b>two</b>  \r\n", (" Who  signs? ", "", "Who signs?")
    )
    now = tidied(typed)
    assert now == Appearance("Lark moor", "#aabbcc", "One\n\n<b>two</b>", ("Who signs?",))
    assert tidied(replace(typed, accent=ACCENT.upper())).accent == ""
    save(home, replace(typed, accent=""), by="ada")
    assert current(home).welcome == "One\n\n<b>two</b>"


def test_the_name_is_that_of_the_chart_unless_another_was_chosen(home: Home) -> None:
    assert current(home).organization == ""
    home.parts["organization"] = Organization("Club", load(b"name,parent\nClub,\nBar,Club\n", "chart.csv"))
    assert current(home).organization == "Club"
    saved = save(home, Appearance("The Club"), by="ada")
    assert current(home) == saved
    assert saved.organization == "The Club"


def test_a_chart_that_cannot_be_read_keeps_no_page_from_being_drawn(home: Home) -> None:
    home.records.chart_versions.activate("v1", "chart.csv", "6" * 64, by="ada")  # its file is gone
    with pytest.raises(TragError):
        home.organization  # noqa: B018
    assert current(home).organization == ""


def test_two_changes_of_one_version_are_put_together(home: Home) -> None:
    seen = save(home, Appearance("Club", welcome="Hello", examples=("Who?",)), by="ada")
    now = save(home, replace(seen, welcome="Good day", days_kept=30), by="bo")
    both = merged(replace(seen, welcome="Hi\r\nthere", contact="Desk"), seen, now)
    assert both == replace(now, welcome="Hi\nthere", contact="Desk")
    assert save(home, both, by="ada").version == 3
