"""The queue of uploads, on SQLite and on PostgreSQL."""

from __future__ import annotations

from store.passage import OPEN
from store.records import Records


def test_jobs_are_taken_in_the_order_in_which_they_came(records: Records) -> None:
    jobs = records.jobs
    given = (("b.pdf", OPEN), ("a.pdf", frozenset({"hr", "legal"})))
    added = [jobs.add(name, name[0] * 64, "ada", audience) for name, audience in given]
    assert jobs.all() == tuple(added)
    taken = [jobs.take(), jobs.take(), jobs.take()]
    assert [job.name if job else "" for job in taken] == ["b.pdf", "a.pdf", ""]
    jobs.end(added[0].id, "failed", "It is damaged.", "Save it again.")
    actual = [(job.state, job.message, job.hint) for job in jobs.all()]
    assert actual == [("failed", "It is damaged.", "Save it again."), ("working", "", "")]


def test_what_was_worked_on_when_a_process_ended_waits_again(records: Records, migrated: str) -> None:
    for name in ("a", "b", "c"):
        records.jobs.add(name, "0" * 64, "")
    first, second = records.jobs.take(), records.jobs.take()
    assert first is not None
    assert second is not None
    records.jobs.end(second.id, "done", "indexed")
    again = Records(migrated)
    again.jobs.wait_again()
    assert [job.state for job in again.jobs.all()] == ["waiting", "done", "waiting"]
    again.jobs.wait_again(second.id)
    assert [(job.state, job.message) for job in again.jobs.all()][1] == ("waiting", "")
    again.jobs.end(first.id, "cancelled", "")
    again.jobs.forget_ended()
    assert [job.name for job in again.jobs.all()] == ["b", "c"]
    again.close()


def test_the_jobs_of_a_document_are_forgotten_by_its_name_and_by_its_content(records: Records) -> None:
    for name, sha256 in (("a", "1"), ("a", "2"), ("b", "1"), ("b", "2"), ("a", "3")):
        records.jobs.add(name, sha256 * 64, "")
    for job in records.jobs.all()[:4]:
        records.jobs.end(job.id, "failed", "")
    records.jobs.forget_document("a", "1" * 64)
    actual = [(job.name, job.sha256[0], job.state) for job in records.jobs.all()]
    assert actual == [("b", "2", "failed"), ("a", "3", "waiting")]
