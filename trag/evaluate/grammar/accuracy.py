"""The accuracies of the paper: of the retrieval database, and of what is left when its gaps are taken out (GRAMMAR,
4.3, equations 1 to 3).

`compared` counts a wrong answer of a non-robust group as right when its context was sufficient: the model's error is
not held against retrieval. Every function gives None where there is nothing to divide by. Knows nothing about answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from trag.evaluate.grammar.contexts import sufficient
from trag.evaluate.grammar.groups import Group, Outcome


def of_database(groups: Sequence[Group]) -> float | None:
    """1 - gap examples / all examples (equation 1)."""
    gaps = sum(len(group.outcomes) for group in groups if group.tag == "gap")
    share = _share(gaps, sum(len(group.outcomes) for group in groups))
    return None if share is None else 1 - share


def baseline(groups: Sequence[Group], form: str = "", *, compared: bool = False) -> float | None:
    """Right of all; of one form where it is named."""
    counted = [_counted(group, form, compared) for group in groups]
    return _share(sum(right for right, _ in counted), sum(asked for _, asked in counted))


def gaps_removed(groups: Sequence[Group], form: str = "", *, compared: bool = False) -> float | None:
    """Right of all that are no gap examples (equation 2); the baseline is this times 1 - the share of gap examples
    (equation 3)."""
    return baseline([group for group in groups if group.tag != "gap"], form, compared=compared)


def balanced(groups: Sequence[Group], form: str = "", *, compared: bool = False) -> float | None:
    """The mean over meanings, so that each weighs the same however many texts it has.

    The paper makes equally many texts of every meaning; this is what that gives on average. Only meanings that have
    texts in every form are counted, so that the share of gap groups is the same in all forms.
    """
    forms = {outcome.form for group in groups for outcome in group.outcomes}
    whole = [group for group in groups if {outcome.form for outcome in group.outcomes} == forms]
    shares = [right / asked for right, asked in (_counted(group, form, compared) for group in whole) if asked]
    return _share(sum(shares), len(shares))


def _counted(group: Group, form: str, compared: bool) -> tuple[int, int]:
    """How many count as right, and how many there are."""
    asked = [outcome for outcome in group.outcomes if form in ("", outcome.form)]
    return sum(_counts_as_right(outcome, group, compared) for outcome in asked), len(asked)


def _counts_as_right(outcome: Outcome, group: Group, compared: bool) -> bool:
    return outcome.right or (compared and group.tag == "non-robust" and sufficient(outcome, group))


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
