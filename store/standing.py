"""When documents are valid, and how each stands in a period.

A document that nobody has said anything of is in force. What takes its place ends it: the day before that is valid, or
at all times where nobody knows since when.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, get_args

Status = Literal["draft", "in force", "superseded", "withdrawn"]
STATUSES: tuple[Status, ...] = get_args(Status)
State = Literal["in force", "draft", "superseded", "withdrawn", "not yet valid", "no longer valid"]
"""How a document stands in a period: its status, or what its days say."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a file says of its own validity: the field of `Validity`, the words as they stand and where, and what they
    were read to (2026-11-30), "" where somebody must be asked what they mean."""

    field: str
    words: str
    place: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Validity:
    """What is known of when a document is valid. `valid_to` is its last day, `review` the day by which somebody is to
    look at it again. Its owner is a unit of the chart by its id, or a person as they sign in or as a file names them;
    `language` is a tag (BCP 47). `found` is what its file says; `by` is who set the others, "" as the file has them."""

    status: Status = "in force"
    valid_from: date | None = None
    valid_to: date | None = None
    review: date | None = None
    unit: str = ""
    person: str = ""
    language: str = ""
    supersedes: tuple[str, ...] = ()
    found: tuple[Found, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Period:
    """Days of which both are meant, the first and the last."""

    first: date
    last: date

    @classmethod
    def of(cls, day: date) -> Period:
        return cls(day, day)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a document stands in a period, the first and the last day on which it is valid, None for no bound that is
    known, and the documents that take its place."""

    state: State = "in force"
    first: date | None = None
    last: date | None = None
    successors: tuple[str, ...] = ()


def standing(
    validity: Validity, successors: Mapping[str, Validity], period: Period, today: date | None = None
) -> Standing:
    """How a document stands in a period; `successors` are those that take its place, by name. It is in force where it
    was on one day at least. A superseded or withdrawn one was in force before only where its last day is known."""
    today = today or date.today()
    counted = {name: one for name, one in successors.items() if one.status in ("in force", "superseded")}
    starts = [one.valid_from for one in counted.values()]
    ends = [start - timedelta(days=1) for start in starts if start]
    # One that is to take its place one day, nobody knows when, does so now.
    unknown = any(start is None for start in starts)
    last = min(filter(None, [validity.valid_to, *ends]), default=None)
    replaced = any(start is None or start <= period.last for start in starts)

    def state() -> State:
        if validity.status == "draft":
            return "draft"
        if validity.valid_from and validity.valid_from > period.last:
            return "not yet valid"
        over: State = validity.status if validity.status != "in force" else "superseded" if replaced else "in force"
        if last and last < period.first:
            return "no longer valid" if over == "in force" else over
        if unknown or (validity.status != "in force" and (last is None or period.last >= today)):
            return over
        return "in force"

    return Standing(state(), validity.valid_from, last, tuple(sorted(counted)))


def problems(
    changes: Mapping[str, Validity], before: Mapping[str, Validity], documents: Collection[str]
) -> Iterator[tuple[str, str]]:
    """All that is wrong with changes to what was there before: the document, and what is wrong with it, in words."""
    after = {name: one.supersedes for name, one in {**before, **changes}.items()}
    for name, one in changes.items():
        if name not in documents:
            yield name, "There is no such document."
        if one.valid_from and one.valid_to and one.valid_to < one.valid_from:
            yield name, f"It is valid to {one.valid_to}, which is before it is valid from, {one.valid_from}."
        for other in one.supersedes:
            if other == name:
                yield name, "It supersedes itself."
            elif other not in documents:
                yield name, f"It supersedes {other}, and there is no such document."
            elif circle := _way(other, name, after):
                yield name, f"It supersedes {' > '.join(circle)}: a circle."


def _way(start: str, end: str, supersedes: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The documents from one to another by what each supersedes, () where there is no way."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        if at == end:
            return ways[at]
        for further in supersedes.get(at, ()):
            if further not in ways:
                ways[further] = (*ways[at], further)
                waiting.append(further)
    return ()
