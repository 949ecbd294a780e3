"""What somebody sees of the verdicts on an answer, and what they may say to it.

Two reviewers judge each on their own: whoever is yet to judge sees nobody else's verdict. Where they differ, an admin
or a third reviewer sees both and decides. Nobody judges an answer to a question of their own while somebody else may:
what they say of it where they asked is a flag. Knows nothing about requests or HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from store.records import Label
from store.reviewing import Review
from trag.people import CurrentUser

May = Literal["judge", "settle", "look", "asked"]
"""Give a verdict of one's own, or another one; decide, with the others' in sight; only look at them; or leave it to the
others, having asked the question oneself."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One's own verdict on an answer, None before there is one; those of others that one may see; what one may do."""

    mine: Label | None
    others: tuple[Label, ...]
    may: May


def sight(who: CurrentUser, review: Review, verdicts: Sequence[Label], *, alone: bool = False) -> Sight:
    """What `who` sees of an answer on which these verdicts count, and may do about it; `alone` says that nobody else
    may judge."""
    mine = next((each for each in verdicts if each.reviewer == who.person), None)
    others = tuple(each for each in verdicts if each.reviewer != who.person)
    if review.asker == who.person and not alone:
        return Sight(mine, others, "asked")
    if review.standing in ("open", "second"):
        return Sight(mine, others if mine else (), "judge")
    return Sight(mine, others, _may(who, review.standing == "disputed", mine, others))


def _may(who: CurrentUser, disputed: bool, mine: Label | None, others: Sequence[Label]) -> May:
    """Where a verdict holds, or two differ."""
    if mine and not others:
        return "judge"
    if who.may("admin") or (mine and mine.settles):
        return "settle"
    if disputed:
        return "judge" if mine else "settle"
    return "judge" if mine and not any(each.settles for each in others) else "look"
