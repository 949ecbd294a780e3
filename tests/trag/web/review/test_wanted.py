"""Queues and places in addresses."""

import pytest
from starlette.datastructures import QueryParams

from trag.web.review.wanted import Wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", Wanted()),
        ("choice=weak&document=a%20%26b.md&unit=u1&at=7", Wanted("weak", "a &b.md", "u1", at=7)),
        ("choice=sample&share=10&seed=3", Wanted("sample", share=10, seed=3)),
        ("choice=all&share=33&seed=-1&at=%D9%A3", Wanted()),
        ("at=99999999999", Wanted()),
    ],
)
def test_an_address_says_which_queue_and_where_in_it(query: str, wanted: Wanted) -> None:
    assert Wanted.read(QueryParams(query)) == wanted
    path, _, again = wanted.address("/review", last="1").partition("?")
    assert (path, Wanted.read(QueryParams(again)), QueryParams(again)["last"]) == ("/review", wanted, "1")


def test_another_queue_begins_at_its_beginning_and_no_place_is_before_the_first() -> None:
    wanted = Wanted("weak", "a.md", at=7)
    assert (wanted.of("newest"), wanted.placed(-3).at) == (Wanted("newest", "a.md"), 0)
    assert Wanted().address("/review") == "/review"
    assert Wanted(share=10).queue({"x"}).share == 0.1
