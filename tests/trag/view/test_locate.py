"""The words of a passage among the words of its page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trag.view.locate import align, find, words


def told(page: str, passage: str, supporting: list[tuple[int, int]] | None = None) -> str:
    """The page with brackets around the runs of words that are the passage's."""
    found = find(page, passage, supporting or [])
    chosen = found.support if supporting else found.passage
    runs: list[list[int]] = []
    for at in chosen:
        if runs and at == runs[-1][-1] + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    for run in reversed(runs):
        start, end = found.words[run[0]].start, found.words[run[-1]].end
        page = f"{page[:start]}[{page[start:end]}]{page[end:]}"
    return page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Board’s “ﬁnal” say", ["the", "board", "s", "final", "say"]),
        ("LMD 50,000.", ["lmd", "50", "000"]),
        ("Caf\u00e9, cafe\u0301", ["cafe", "cafe"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("理事会は２回", ["理", "事", "会", "は", "2", "回"]),
        ("", []),
    ],
)
def test_words_are_compared_by_letters_and_figures(text: str, expected: list[str]) -> None:
    assert [word.text for word in words(text)] == expected


@pytest.mark.parametrize(
    ("page", "passage", "expected"),
    [
        pytest.param(
            "4 Finance\nMoney is spent as the bud-\nget says. More is not\nspent at all.",
            "Money is spent as the budget says.",
            "4 Finance\n[Money is spent as the bud-\nget says]. More is not\nspent at all.",
            id="hyphenated",
        ),
        pytest.param(
            "The re-\nuse of funds is allowed. Nothing else is.",
            "The re-use of funds is allowed.",
            "[The re-\nuse of funds is allowed]. Nothing else is.",
            id="a hyphen that stays",
        ),
        pytest.param(
            "The chair signs the letter. The deputy signs the letter of the chair. The clerk signs.",
            "The deputy signs the letter of the chair.",
            "The chair signs the letter. [The deputy signs the letter of the chair]. The clerk signs.",
            id="among sentences like it",
        ),
        pytest.param(
            "Post Limit Remark\nDirector 50,000 LMD with Ada\nHead 10,000 LMD alone\nClerk 10,000 LMD alone",
            "Approval – Post: Clerk; Limit: 10,000 LMD; Remark: alone.",
            "[Post Limit Remark]\nDirector 50,000 LMD with Ada\nHead 10,000 LMD alone\n[Clerk 10,000 LMD alone]",
            id="a row and its header",
        ),
        pytest.param(
            "Members are elected for Trustees are appointed by\ntwo years by the staff. the Council for life.",
            "Members are elected for two years by the staff.",
            "[Members are elected for] Trustees are appointed by\n[two years by the staff]. the Council for life.",
            id="columns drawn line by line",
        ),
        pytest.param("The clerk signs.", "Nobody may enter the vault.", "The clerk signs.", id="not there"),
        pytest.param("", "Nobody may enter.", "", id="a page without words"),
        pytest.param("The clerk signs.", "", "The clerk signs.", id="a passage without words"),
    ],
)
def test_a_passage_is_found_as_its_page_has_it(page: str, passage: str, expected: str) -> None:
    assert told(page, passage) == expected


def test_the_words_that_bear_out_are_told_apart() -> None:
    page = "Rules. The Board meets in May and in June. It has a chair."
    passage = "The Board meets in May and in June."
    assert told(page, passage, [(10, 22)]) == "Rules. The Board [meets in May] and in June. It has a chair."


def test_what_stands_between_words_that_bear_out_does_not_bear_out_itself() -> None:
    row = "Trustees 14 days 7 working days"
    assert told(row, row, [(9, 16), (27, 31)]) == "Trustees [14 days] 7 working [days]"


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=60), st.data())
def test_each_place_holds_the_word_and_no_word_that_is_there_goes_without(page: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(page) - 1))
    end = data.draw(st.integers(start + 1, len(page)))
    places = align([*page[start:end], "elsewhere"], page)
    assert [page[place] if place is not None else None for place in places] == [*page[start:end], None]


@settings(deadline=None)
@given(st.permutations(range(6)))
def test_blocks_in_any_order_are_found_whole(order: list[int]) -> None:
    blocks = [[f"block{number}word{at}" for at in range(5)] for number in range(6)]
    page = [word for block in blocks for word in block]
    passage = [word for number in order for word in blocks[number]]
    assert [page[place] for place in align(passage, page) if place is not None] == passage


def test_a_page_of_one_word_takes_no_long_time() -> None:
    places = align(["word"] * 300, ["word"] * 5_000)
    assert None not in places
