"""What is in force goes first: which documents a search leaves out, how the sources of an answer stand, and
which are to be reviewed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from store.standing import Period, Standing
from trag.record import Source, chart_name, with_validity

if TYPE_CHECKING:
    from store.records import Records
    from store.standing import Validity


@dataclass(frozen=True, slots=True)
class Scope:
    """The days that a question is about, today where `named` is False, and the documents that are not in force then, by
    name."""

    period: Period
    named: bool = False
    outside: Mapping[str, Standing] = field(default_factory=dict)

    def left_out(self, *, owned: Collection[str] | None) -> Sequence[Collection[str]]:
        """The documents that searches leave out, one search after the other: all that are not in force; the drafts of
        others than the asker; none. `owned` are the documents of the asker, None of an admin, to whom no draft is
        closed."""
        drafts = {name for name, one in self.outside.items() if one.state == "draft"}
        closed = set[str]() if owned is None else drafts.difference(owned)
        return self.outside.keys(), closed, ()


def scope(records: Records | None, asked: Period | None = None) -> Scope:
    """The days of a question that names some, or today, and what is not in force then."""
    period = asked or Period.of(date.today())
    return Scope(period, asked is not None, records.validity.outside(period) if records else {})


def dated(
    sources: Sequence[Source], scope: Scope, records: Records | None, readers: Collection[str] | None
) -> tuple[Source, ...]:
    """The sources of an answer with how they stand, and what takes their place of what the asker may read; `readers`
    holds the asker's keys, None for who may read everything."""
    if records is None:
        return tuple(sources)
    kinds = {source.kind for source in sources}
    names = {source.document for source in sources if source.kind != "chart"}
    standings = records.validity.standings(names, scope.period) if names else {}
    told = {name: _told(one, records, readers) for name, one in standings.items()}
    versions = records.chart_versions.all() if "chart" in kinds else ()
    charts = {chart_name(each.version): f"{each.activated:%Y-%m-%d}" for each in versions}
    asked = f"{scope.period.first}/{scope.period.last}" if scope.named else ""
    return with_validity(sources, told, charts, asked)


def _told(standing: Standing, records: Records, readers: Collection[str] | None) -> Standing:
    def is_open(name: str) -> bool:
        document = records.library.document(name)
        return document is not None and (readers is None or not document.audience.isdisjoint(readers))

    successors = tuple(name for name in standing.successors if is_open(name))
    return Standing(standing.state, standing.first, standing.last, successors)


def to_review(known: Mapping[str, Validity], day: date, names: Iterable[str] | None = None) -> tuple[str, ...]:
    """The documents whose review is over by a day, the longest first, of all or of these; those that are superseded or
    withdrawn need none."""
    among = known if names is None else names
    due = [
        (one.review, name)
        for name in among
        if (one := known.get(name)) and one.review and one.review < day and one.status in ("in force", "draft")
    ]
    return tuple(name for _, name in sorted(due))
