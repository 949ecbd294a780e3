"""A clock that is wrong, set back or on: what came last is still what counts, and nothing of it is lost."""

from datetime import UTC, datetime, timedelta, tzinfo
from itertools import cycle

import pytest

from store import audit, jobs, versions
from store.records import Records
from trag.review import verdicts
from trag.review.verdicts import put_label

JUMPS = cycle([timedelta(days=days) for days in (0, -400, 3, 9_000, -1)])


class Jumping(datetime):
    """A clock that is somewhere else each time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime(2026, 11, 27, tzinfo=UTC) + next(JUMPS)


def test_a_clock_that_jumps_loses_nothing_and_puts_nothing_out_of_order(
    records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (audit, jobs, versions, verdicts):
        monkeypatch.setattr(module, "datetime", Jumping)
    monkeypatch.setattr("store.records.datetime", Jumping)
    names = [f"upload {number}" for number in range(7)]
    for name in names:
        records.jobs.add(name, "0" * 64, "ada")
        records.save_answer(name, None, "q", "w", "{}")
        for verdict in ("Incorrect", "Correct"):
            put_label(records, name, "rita", verdict, "", "")
        records.chart_versions.activate(name, name, "0" * 64, by="ada")
        records.promotions.put(name, by="ada")
    assert [job.name for job in iter(records.jobs.take, None)] == names
    assert {label.verdict for label in records.labels()} == {"Correct"}
    active = records.chart_versions.active()
    assert active is not None
    assert (active.version, records.promotions.current()) == (names[-1], names[-1])
    written = [event.at for event in records.audit.all()]
    assert written != sorted(written), "the clock was set back"
    assert records.audit.verify() is None
