"""The words of an answer as HTML."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from tests.pages import words
from trag.web.answer_text import Piece, html


def drawn(*pieces: Piece) -> BeautifulSoup:
    return BeautifulSoup(html(pieces, "a1"), "html.parser")


def test_a_list_is_drawn_as_one_and_each_number_stands_behind_what_it_bears_out() -> None:
    soup = drawn(Piece("Two:\n- **Bar**", True, 1), Piece("\n- Foo & Co", True, 2))
    assert [each.get_text() for each in soup.select("li")] == ["Bar1", "Foo & Co2"]
    assert words(soup, "strong") == "Bar"
    assert [cite["href"] for cite in soup.select(".cite")] == ["#source-a1-1", "#source-a1-2"]
    assert {tag["dir"] for tag in soup.select("p, ul, li")} == {"auto"}


def test_what_no_source_bears_out_is_underlined_line_by_line() -> None:
    soup = drawn(Piece("First.", True, 1), Piece("\n"), Piece("- one\n- two", False))
    assert [each.get_text() for each in soup.select("li .unsupported")] == [
        f"{one} (no source found)" for one in ("one", "two")
    ]


def test_a_table_keeps_its_cells_and_its_source() -> None:
    soup = drawn(Piece("| Day | Fee |\n|---|---|\n| Monday | 5 |", True, 3))
    assert [each.get_text() for each in soup.select("th, td")] == ["Day", "Fee", "Monday", "53"]
    assert words(soup, "td .cite") == "3"
    assert soup.select("table[tabindex='0']"), "a wide one is scrolled by keys too"


@pytest.mark.parametrize(
    "text", ["31. December 2026", "> 5 days", "# 12", "C:\\*", "a &amp; b", "[x](https://a.example)"]
)
def test_a_line_that_only_looks_like_markdown_stands_as_it_is(text: str) -> None:
    soup = drawn(Piece(text, True))
    assert soup.get_text() == text
    assert not soup.select("a, ol, h1, blockquote")


def test_marks_of_ours_in_what_somebody_wrote_draw_nothing() -> None:
    soup = drawn(Piece("a\ue000b\ue001c\ue002", True, 1))
    assert soup.get_text() == "abc1"
    assert not soup.select(".unsupported")
