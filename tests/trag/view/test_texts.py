"""A passage in the text around it."""

import pytest

from store.passage import Passage
from trag.view import Piece, source, text

SENTENCE = "The Board meets in May."


def passage(
    id: str, words: str, *, kind: str = "section", section: str = "4 Finance", page: int | None = None
) -> Passage:
    return Passage(id, kind, "m.md", section, page, words, "When?" if kind == "qa" else "")


DOCUMENT = [
    passage("a", "It is the first."),
    passage("b", "Members are told. The agenda is sent to all of them."),
    passage("c", f"The agenda is sent to all of them. {SENTENCE}"),
    passage("d", f"{SENTENCE} Nobody else does.", section="5 Meetings"),
    passage("q", "The Board meets in May.", kind="qa"),
    passage("lost", "An answer.", kind="qa", section="6 Gone"),
]


def test_a_passage_is_shown_among_its_neighbours() -> None:
    shown = text(DOCUMENT, "c", ["The Board meets in May."], around=1)
    assert (shown.document, shown.section, shown.before, shown.after) == ("m.md", "4 Finance", 1, 0)
    assert [part.here for part in shown.parts] == [False, True, False]
    assert [part.section for part in shown.parts] == ["4 Finance", "4 Finance", "5 Meetings"]
    assert shown.parts[1].pieces == (
        Piece("The agenda is sent to all of them. ", "passage"),
        Piece("The Board meets in May.", "support"),
    )


@pytest.mark.parametrize("id", ["a", "b", "c", "d"])
def test_what_neighbours_in_a_section_repeat_is_told_once(id: str) -> None:
    shown = text(DOCUMENT, id)
    told = "".join(piece.text for part in shown.parts for piece in part.pieces)
    assert told.count("The agenda is sent to all of them.") == 1
    assert told.count(SENTENCE) == 2


@pytest.mark.parametrize(("id", "expected"), [("c", "c"), ("q", "c"), ("lost", "lost")])
def test_a_pair_leads_to_the_passage_it_was_made_from(id: str, expected: str) -> None:
    assert source(DOCUMENT, id).id == expected
    (here,) = [part for part in text(DOCUMENT, id).parts if part.here]
    assert "".join(piece.text for piece in here.pieces) == source(DOCUMENT, expected).text


def test_no_passage_is_made_up() -> None:
    with pytest.raises(KeyError):
        text(DOCUMENT, "z")
