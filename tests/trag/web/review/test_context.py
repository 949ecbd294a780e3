"""Queues and places in addresses."""

import pytest
from starlette.datastructures import QueryParams

from trag.web.review.context import QueuePlace


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("", QueuePlace()),
        ("choice=doubtful&document=a%20%26b.md&unit=u1&at=7", QueuePlace("doubtful", "a &b.md", "u1", at=7)),
        ("choice=sample&share=10&seed=3", QueuePlace("sample", share=10, seed=3)),
        ("choice=all&share=33&seed=-1&at=%D9%A3", QueuePlace()),
        ("at=99999999999", QueuePlace()),
    ],
)
def test_an_address_says_which_queue_and_where_in_it(query: str, place: QueuePlace) -> None:
    assert QueuePlace.read(QueryParams(query)) == place
    path, _, again = place.address("/review", last="1").partition("?")
    assert (path, QueuePlace.read(QueryParams(again)), QueryParams(again)["last"]) == ("/review", place, "1")


def test_another_queue_begins_at_its_beginning_and_no_place_is_before_the_first() -> None:
    place = QueuePlace("doubtful", "a.md", at=7)
    assert (place.of("newest"), place.placed(-3).at) == (QueuePlace("newest", "a.md"), 0)
    assert QueuePlace().address("/review") == "/review"
    assert QueuePlace(share=10).queue({"x"}).share == 0.1
