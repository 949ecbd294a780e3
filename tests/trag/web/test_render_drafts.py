"""A question on its way as HTML: its place in line, how far its answer is, and why there is none."""

import pytest
from bs4 import BeautifulSoup, Tag

from trag.web import render
from trag.web.active_runs import Draft


def text(soup: BeautifulSoup | Tag, selector: str) -> str:
    return " ".join(" ".join(found.get_text(" ", strip=True).split()) for found in soup.select(selector))


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (Draft("Q?", waiting=2), "2nd in line"),
        (Draft("Q?"), "Looking it up"),
        (Draft("Q?", sources=1), "Reading 1 source"),
        (Draft("Q?", sources=3), "Reading 3 sources"),
        (Draft("Q?", sources=3, text="The"), "Being written, not yet checked"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_draft_says_how_far_it_is(state: Draft, said: str) -> None:
    assert text(BeautifulSoup(render.draft(state), "html.parser"), "[role=status]") == said


def test_a_withdrawn_draft_says_why() -> None:
    soup = BeautifulSoup(render.draft(Draft("Q?", sources=1, text="Now", retry="It is not under X.")), "html.parser")
    assert text(soup, ".reason") == "The first draft contradicted the chart and is being rewritten. It is not under X."
    assert text(soup, ".words") == "Now"


def test_a_failed_question_keeps_what_was_written_and_can_be_asked_again() -> None:
    state = Draft("Q?", sources=1, text="Half an", problem="The model died.", hint="Ask again.", over=True)
    soup = BeautifulSoup(render.draft(state), "html.parser")
    assert text(soup, ".words") == "Half an"
    assert text(soup, "[role=alert] p") == "The model died. Ask again."
    assert soup.select_one("button")["data-question"] == "Q?"  # type: ignore[index]


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (21, "21st"), (113, "113th")],
)
def test_places_are_counted_as_people_do(number: int, words: str) -> None:
    assert render.ordinal(number) == words
