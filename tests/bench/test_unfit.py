"""What is counted of the parts of requests that no step fits."""

import pytest

from bench.unfit import judged, span_of

REQUEST = "ask the head for approval, then plant a tree in the yard, and tell me"
PART = "plant a tree in the yard,"


@pytest.mark.parametrize(
    ("parts", "found", "counted"),
    [
        ((), (), {"all": 1}),
        ((), ((0, 4),), {"all": 1, "false": 1}),
        ((PART,), (), {"all": 1, "to tell": 1}),
        ((PART,), ((6, 12),), {"all": 1, "to tell": 1, "told": 1}),
        ((PART,), ((8, 14),), {"all": 1, "to tell": 1, "told": 1}),
        ((PART,), ((0, 7),), {"all": 1, "to tell": 1, "false": 1}),
        ((PART,), ((6, 12), (0, 4)), {"all": 1, "to tell": 1, "told": 1, "false": 1}),
    ],
)
def test_a_part_is_told_where_half_of_it_lies_in_the_right_one(
    parts: tuple[str, ...], found: tuple[tuple[int, int], ...], counted: dict[str, int]
) -> None:
    told = judged({"request": REQUEST, "workflow": {"no_step_for": list(parts)}}, found)
    assert {each: told.count(each) for each in told} == counted


def test_a_part_is_found_by_its_words() -> None:
    assert span_of(REQUEST, PART) == (6, 12)
