"""Who sees which verdicts, and may do what."""

from datetime import UTC, datetime

import pytest

from store.person import Role
from store.reviews import Label, Review
from trag.people import CurrentUser
from trag.review.verdicts import sight

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def lying(review_status: str) -> Review:
    return Review("a", "q", "w", NOW, "eve", "answered", "m", "", None, "", review_status, False)


def verdicts(said: str) -> tuple[Label, ...]:
    """ "rita tom!" is a verdict of rita's and one of tom's, which settles."""
    names = said.split()
    return tuple(Label("a", name.strip("!"), "Correct", "", "", NOW, settles=name.endswith("!")) for name in names)


@pytest.mark.parametrize(
    ("who", "review_status", "given", "others", "may"),
    [
        ("rita", "open", "", "", "judge"),
        ("rita", "second", "sam", "", "judge"),
        ("admin", "second", "sam", "", "judge"),
        ("sam", "second", "sam", "", "judge"),
        ("rita", "Correct", "rita", "", "judge"),
        ("admin", "Correct", "admin", "", "judge"),
        ("rita", "Correct", "rita sam", "sam", "judge"),
        ("tom", "Correct", "rita sam", "rita sam", "look"),
        ("admin", "Correct", "rita", "rita", "settle"),
        ("rita", "disputed", "rita sam", "sam", "judge"),
        ("tom", "disputed", "rita sam", "rita sam", "settle"),
        ("admin", "disputed", "admin sam", "sam", "settle"),
        ("rita", "Correct", "rita sam tom!", "sam tom", "look"),
        ("tom", "Correct", "rita sam tom!", "rita sam", "settle"),
    ],
)
def test_whoever_is_to_judge_sees_nobody_elses_verdict_and_a_third_decides(
    who: str, review_status: str, given: str, others: str, may: str
) -> None:
    caller = CurrentUser(who, who, who, "admin" if who == "admin" else "reviewer")
    found = sight(caller, lying(review_status), verdicts(given))
    assert (" ".join(each.reviewer for each in found.others), found.may) == (others, may)
    assert (found.mine is not None) == (who in given.replace("!", "").split())


@pytest.mark.parametrize("review_status", ["open", "second", "disputed", "Correct"])
@pytest.mark.parametrize("role", ["reviewer", "admin"])
def test_what_one_asked_oneself_is_left_to_the_others_while_there_are_any(role: Role, review_status: str) -> None:
    eve = CurrentUser("eve", "eve", "eve", role)
    found = sight(eve, lying(review_status), verdicts("rita"))
    assert ([each.reviewer for each in found.others], found.may) == (["rita"], "asked")
    assert sight(eve, lying("open"), (), alone=True).may == "judge"
