"""Which verdict on an answer holds, and who may give one.

The review status of an answer is "open" (no reviewer has judged it), "second" (one has, and another is wanted),
"disputed" (two judged differently and nobody has settled it), or the verdict that holds. Two reviewers judge each on
their own: whoever is yet to judge sees nobody else's verdict. Where they differ, an admin or a third reviewer sees both
and decides. Nobody reviews an answer to a question of their own while somebody else may: what they say of it is a flag.
An approved answer is given no more once its verdict is another.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from store import StoreError
from store.reviews import Label, Places, Review
from trag.errors import later
from trag.record import VERDICTS

if TYPE_CHECKING:
    from store.records import Records, StoredAnswer
    from store.reviews import Reviewed, ReviewTransaction
    from trag.people import CurrentUser

NO_PLACES = Places()
UNDECIDED = ("open", "second", "disputed")
"""The review status of answers that have no verdict that holds."""
May = Literal["judge", "settle", "look", "asked"]
"""Give a verdict of one's own, or another one; decide, with the others' in sight; only look at them; or leave it to the
others, having asked the question oneself."""
_WITHDRAWN = {
    "open": later("its verdict was taken back"),
    "second": later("a second reviewer was asked for"),
    "disputed": later("two reviewers judged it differently"),
    "Correct": later("it was judged Correct"),
    "Correct-Verbose": later("it was judged Correct-Verbose"),
    "Incorrect": later("it was judged Incorrect"),
}
"""Why an approved answer is given no more whose verdict holds no more."""


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
    if review.review_status in ("open", "second"):
        return Sight(mine, others if mine else (), "judge")
    if mine and not others:
        may: May = "judge"
    elif who.may("admin") or (mine and mine.settles):
        may = "settle"
    elif review.review_status == "disputed":
        may = "judge" if mine else "settle"
    else:
        may = "judge" if mine and not any(each.settles for each in others) else "look"
    return Sight(mine, others, may)


def holding(review: Review, labels: Iterable[Label]) -> Label | None:
    """Of the labels on an answer that count, the one whose verdict holds; of several, the last that says what is
    right."""
    same = [label for label in labels if label.verdict == review.review_status]
    settled = [label for label in same if label.settles]
    telling = [label for label in same if label.corrected]
    return next(iter((settled or telling or same)[-1:]), None)


def held(records: Records) -> Iterator[tuple[Review, StoredAnswer, Label]]:
    """Every answer, plan and workflow whose verdict holds, with the label that it is of; the one judged first first."""
    by_answer: dict[str, list[Label]] = defaultdict(list)
    for label in records.labels():
        by_answer[label.answer].append(label)
    for id, labels in by_answer.items():
        review, stored = records.reviews.review(id), records.answer(id)
        if review and stored and review.review_status in VERDICTS and (found := holding(review, labels)):
            yield review, stored, found


def put_label(
    records: Records,
    answer: str,
    reviewer: str,
    verdict: str,
    comment: str = "",
    corrected: str = "",
    *,
    asker: bool = False,
    places: Places = NO_PLACES,
    settles: bool = False,
    instead_of: str | None = None,
    by: str = "",
    where: str = "",
) -> Label:
    """Keep a reviewer's verdict on an answer; an earlier one of the same reviewer stays as history.

    With `asker` it is a remark of who asked, and no review; while somebody else may judge, what one says of the answer
    to a question of one's own is kept as that, as the label that is returned says. With `settles` it holds though
    others judged otherwise. `instead_of` is the review status when it was decided that this reviewer may judge; None
    asks for no such check. `by` is what the log calls the reviewer, by their id otherwise. Raises StoreError for
    another verdict than the three, when the answer is gone, and when it stands otherwise by now.
    """
    if verdict not in VERDICTS:
        raise StoreError(f"{verdict!r} is no verdict.", f"Use one of {', '.join(VERDICTS)}.")
    with records.reviews.changing() as change:
        found = change.find(answer)  # so that of two at once each sees the other's
        if instead_of is not None and found.review_status != instead_of:
            raise StoreError("This answer stands otherwise by now, so nothing was kept.", "Look at it again.")
        now = datetime.now(UTC)
        change.add_label(
            Label(answer, reviewer, verdict, comment, corrected, now, asker, settles=settles, **asdict(places))
        )
        settle(change, answer)
        label = change.labels(answer)[-1]
        what = "remarked" if label.asker else "judged"
        change.note(by or reviewer, what, answer, where=where, result=verdict)
    if label.asker and verdict != "Correct":
        stored = records.answer(answer)
        told = {"id": answer, "question": stored.question if stored else "", "answer": found.answer}
        told |= {"verdict": verdict, "comment": comment}
        records.workflows.happened("answer_flagged", told, person=reviewer, by=by)
    return label


def take_back_label(records: Records, answer: str, reviewer: str, *, by: str = "", where: str = "") -> Label:
    """Forget a reviewer's last verdict on an answer, a slip of the finger; the one before it counts again.

    `by` as in `put_label`. Raises StoreError when there is none that counts.
    """
    with records.reviews.changing() as change:
        label = change.remove_last_label(answer, reviewer, since=change.find(answer).since)
        if label is None:
            raise StoreError("There is no verdict of yours to take back.", "It was taken back already.")
        settle(change, answer)
        change.note(by or reviewer, "verdict taken back", answer, where=where, result=label.verdict)
    return label


def ask_second(records: Records, answer: str, wanted: bool, *, by: str, where: str = "") -> None:
    """Want, or no longer want, two reviewers for an answer. Raises StoreError when it is gone."""
    with records.reviews.changing() as change:
        change.want_second(change.find(answer).number, wanted)
        settle(change, answer)
        change.note(by, "second review wanted" if wanted else "second review taken back", answer, where=where)


def reopen(change: ReviewTransaction, answer: str) -> None:
    """Let the verdicts on an answer so far no longer count. Raises StoreError when there is no such answer."""
    change.count_from_now(change.find(answer).number, answer)
    settle(change, answer)


def settle(change: ReviewTransaction, answer: str) -> None:
    """Bring an answer's review status in line with its labels, and what was approved in line with that.

    To be called before the transaction writes to the audit log.
    """
    before = change.find(answer)
    if before.asker and not change.alone(before.asker):
        change.make_remarks(answer, before.asker)
    labels = change.labels(answer)
    status = _review_status(change.counting(answer), before.second)
    flag = next((label.verdict for label in reversed(labels) if label.asker), "")
    # A verdict that settles was given with the others in sight, so it is no opinion of its own.
    opinions: dict[str, str] = {}
    for label in change.labels(answer, since=before.since):
        if not label.asker and not label.settles:
            opinions.setdefault(label.reviewer, label.verdict)
    first, second, *_ = *opinions.values(), "", ""
    change.set_status(before, status, flag, first, second)
    if status != before.review_status:
        _withdraw(change, answer, before, status)


def _review_status(counting: Sequence[Label], second: bool) -> str:
    settled = [label.verdict for label in counting if label.settles]
    verdicts = {label.verdict for label in counting}
    if settled:
        return settled[-1]
    if not verdicts:
        return "open"
    if len(verdicts) > 1:
        return "disputed"
    return "second" if second and len(counting) == 1 else verdicts.pop()


def _withdraw(change: ReviewTransaction, answer: str, before: Reviewed, status: str) -> None:
    """Give no more what is pinned of an answer, now that its review status is another; nor, where it is itself an
    approved one that was given and found wrong, the one that was given. That one's answer is reviewed again, since its
    verdict was on the same words."""
    given = None
    if status == "Incorrect" and before.status == "approved":
        record = json.loads(before.record_json)
        kind = record.get("kind", "answer")
        # A plan that was given may be what was left of a pinned one.
        given = (kind, (record.get("approved") or {}).get("question", ""), before.answer if kind == "answer" else "")
    pinned = change.pinned(answer, given)
    why = _WITHDRAWN[status]
    for each in pinned:
        change.unpin(each.id, why)
    for other in {each.answer for each in pinned} - {None, answer}:
        reopen(change, str(other))
    for each in pinned:
        change.note("the program", "approved answer returned", each.answer or each.id, result=why)
