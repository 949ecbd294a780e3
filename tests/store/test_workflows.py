"""Workflows in use, their runs, notices and registers, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from store import StoreError
from store.notices import Notice
from store.records import Records
from store.workflow_runs import DEEPEST, MOST_OF_ROOT, Effect, WorkflowRun
from store.workflows import StoredWorkflow, WorkflowChange, WorkflowState


def change(records: Records, version: str, state: WorkflowState, by: str = "ada", **more: str) -> StoredWorkflow:
    instead = more.pop("instead_of", None)
    made = WorkflowChange(
        "w", version, state, by, by, "Bills", "record_created", "bill", f'{{"v": "{version}"}}', **more
    )
    return records.workflows.put(made, instead_of=instead)


@pytest.fixture
def on(records: Records) -> Records:
    """Records in which what happens sets workflows off, one of them in use."""
    records.workflows.on = True
    change(records, "v1", "active")
    return records


def test_every_activation_is_a_row_and_what_waits_is_told_from_what_is_in_use(records: Records) -> None:
    assert records.workflows.find("w") is None
    sent = change(records, "v1", "sent", "eva")
    assert (sent.in_use, sent.waiting and sent.waiting.version) == (None, "v1")
    assert change(records, "v1", "active", instead_of="").waiting is None
    both = change(records, "v2", "sent", "eva")
    assert [each and each.version for each in (both.in_use, both.waiting)] == ["v1", "v2"]
    back = change(records, "v2", "returned", remark="Ask the board too.")
    assert back.waiting is None
    assert back.last.remark == "Ask the board too."
    assert change(records, "v2", "sent", "eva").waiting, "it may be sent again"
    change(records, "v2", "active", "bob", instead_of="v1")
    with pytest.raises(StoreError, match="in use meanwhile: v2"):
        change(records, "v1", "active", instead_of="v1")
    change(records, "v1", "active", "bob", instead_of="v2")
    off = change(records, "v1", "off", "bob")
    assert off.in_use is None
    assert [(each.version, each.by) for each in off.activations] == [("v1", "ada"), ("v2", "bob"), ("v1", "bob")]
    assert len(off.changes) == 8
    assert [each.at for each in off.changes] == sorted(each.at for each in off.changes)
    assert records.workflows.in_use() == ()
    what = [event.what for event in records.audit.all()]
    assert what.count("workflow activated") == 3
    assert {"workflow sent in", "workflow returned", "workflow switched off"} <= {*what}


def test_a_record_and_the_run_that_it_sets_off_are_there_together_or_not_at_all(on: Records) -> None:
    record = on.registers.create("bill", {"amount": 7}, person="p", by="eva")
    on.registers.create("receipt", {"amount": 7}, person="p", by="eva")  # of another register
    (run,) = on.workflow_runs.page(most=9)
    assert (run.state, run.person, run.activator, run.version) == ("due", "p", "ada", "v1")
    assert run.record_json == '{"@id": "bill/1", "amount": 7}'
    assert on.registers.find(record.id) == record
    on.registers.update(record.id, {"amount": 8}, by="eva")
    assert len(on.workflow_runs.page(most=9)) == 1, "it is set off by new ones alone"
    for _ in range(MOST_OF_ROOT - 1):
        on.workflow_runs.add(WorkflowRun.of("w", "v1", "ada", "manual", {}))
    chain = on.workflow_runs.find(run.id)
    for depth in range(2, DEEPEST + 2):
        on.registers.create("bill", {"amount": depth}, by="eva", cause=chain)
        chain = on.workflow_runs.page(most=1)[0]
        assert (chain.depth, chain.root) == (depth, run.id)
    assert chain.state == "refused"
    assert f"{DEEPEST} deep" in chain.message
    on.workflows.on = False
    on.registers.create("bill", {"amount": 9}, by="eva")
    assert on.workflow_runs.page(most=1)[0] == chain


@pytest.mark.slow
def test_one_run_sets_off_no_more_than_so_many_and_what_is_one_too_many_is_not_kept(on: Records) -> None:
    on.registers.create("bill", {}, by="eva")
    run = on.workflow_runs.take()
    assert run
    for number in range(MOST_OF_ROOT - 1):
        on.registers.create("bill", {"amount": number}, cause=run)
    with pytest.raises(StoreError, match="has set off 1,000 others"):
        on.registers.create("bill", {"amount": "one too many"}, cause=run)
    assert on.registers.count("bill") == MOST_OF_ROOT


def test_a_chart_and_a_document_set_off_with_whose_doing_it_is(on: Records) -> None:
    for trigger in ("chart_activated", "document_added"):
        on.workflows.put(WorkflowChange(trigger, "v", "active", "ada", "ada", "T", trigger, "", "{}"))
    on.chart_versions.activate("c1", "chart.csv", "0" * 64, by="anybody")
    on.procedure_versions.activate("p1", "book.json", "0" * 64, by="anybody")
    on.library.put("a.md", "1" * 64, 1, (), by="anybody")
    on.library.put("a.md", "2" * 64, 1, (), by="anybody")  # replaced
    runs = on.workflow_runs.page(most=9)
    assert [(each.trigger, each.person, each.by) for each in runs] == [
        ("document_added", "local", "anybody"),
        ("chart_activated", "local", "anybody"),
    ]


def test_a_run_waits_for_somebody_goes_on_and_is_kept_with_what_it_did(on: Records) -> None:
    on.registers.create("bill", {}, by="eva")
    run = on.workflow_runs.take()
    assert run
    assert on.workflow_runs.take() is None
    on.workflow_runs.begin_effect(run.id, Effect(0, 1, "ask", datetime.now(UTC)))
    asked = on.notices.add(Notice("Yes?", "p", run=run.id, gives={"decision": ("yes", "no")}, state="open"))
    on.workflow_runs.pause(run.id, "Waits for p.", "{}")
    found = on.workflow_runs.find(run.id)
    assert found
    assert (found.state, found.message) == ("waiting", "Waits for p.")
    assert on.notices.of("p", ()) == (asked,)
    assert on.notices.of("", ("q", "")) == ()
    with pytest.raises(StoreError, match="no longer asked of you"):
        on.notices.finish(asked.id, {"decision": "yes"}, person="q", units=("board",), by="q")
    on.notices.finish(asked.id, {"decision": "yes"}, person="p", units=(), by="p")
    with pytest.raises(StoreError, match="no longer asked of you"):
        on.notices.finish(asked.id, {"decision": "no"}, person="p", units=(), by="p")
    again = on.workflow_runs.take()
    assert again
    assert (again.id, again.begun) == (run.id, run.begun)
    answer = on.notices.asked(run.id, 0)
    assert answer
    assert answer.answer == {"decision": "yes"}
    on.workflow_runs.end_effect(run.id, 0, {"decision": "yes"})
    on.workflow_runs.end(run.id, "done", "", '{"trace": []}')
    on.workflow_runs.end(run.id, "failed", "too late", "")
    ended = on.workflow_runs.find(run.id)
    assert ended
    assert (ended.state, ended.trace_json) == ("done", '{"trace": []}')
    (effect,) = on.workflow_runs.effects(run.id)
    assert effect.outputs_json == '{"decision": "yes"}'
    what = [event.what for event in on.audit.all()]
    assert what.count("workflow run begun") == what.count("workflow run ended") == what.count("task done") == 1


def test_what_was_answered_before_the_run_came_to_wait_lets_it_go_on(on: Records) -> None:
    on.registers.create("bill", {}, by="eva")
    run = on.workflow_runs.take()
    assert run
    asked = on.notices.add(Notice("Done?", unit="bar", run=run.id, state="open"))
    on.notices.finish(asked.id, {}, person="p", units=("bar",), by="p")
    on.workflow_runs.pause(run.id, "Waits for Bar.", "{}")
    assert on.workflow_runs.take()
    on.workflow_runs.pause(run.id, "Waits.", "{}", datetime.now(UTC) + timedelta(hours=1))
    on.workflow_runs.due_again(datetime.now(UTC))
    assert on.workflow_runs.take() is None
    on.workflow_runs.due_again(datetime.now(UTC) + timedelta(hours=2))
    assert on.workflow_runs.take()


def test_what_was_running_is_broken_off_and_what_waits_is_stopped_with_its_workflow(on: Records) -> None:
    for _ in range(3):
        on.registers.create("bill", {}, by="eva")
    first, second = on.workflow_runs.take(), on.workflow_runs.take()
    assert first
    assert second
    on.notices.add(Notice("Yes?", "p", run=second.id, state="open"))
    on.workflow_runs.pause(second.id, "Waits for p.", "")
    on.workflow_runs.break_off()
    assert [each.state for each in on.workflow_runs.page(most=9)] == ["due", "waiting", "broken off"]
    change(on, "v1", "off")
    assert [each.state for each in on.workflow_runs.page(most=9)] == ["stopped", "stopped", "broken off"]
    assert on.notices.of("p", ()) == (), "nothing is asked any more"


def test_failures_are_counted_since_the_last_that_did_not_fail(on: Records) -> None:
    since = datetime.now(UTC) - timedelta(minutes=1)
    for state in ("failed", "done", "failed", "refused", "failed"):
        on.registers.create("bill", {}, by="eva")
        run = on.workflow_runs.take()
        assert run
        on.workflow_runs.end(run.id, state, "", "")  # type: ignore[arg-type]
    assert on.workflow_runs.failures_in_a_row("w", since) == 2
    assert on.workflow_runs.failures_in_a_row("w", datetime.now(UTC)) == 0


def test_records_are_found_changed_and_bounded(records: Records) -> None:
    made = [records.registers.create("bill", {"amount": number}, by="eva") for number in range(3)]
    assert [each.number for each in records.registers.newest("bill", 2)] == [made[2].number, made[1].number]
    new = records.registers.update(made[0].id, {"amount": 9, "paid": True}, by="bob")
    assert (new.fields, new.created_by, new.changed_by) == ({"amount": 9, "paid": True}, "eva", "bob")
    assert records.registers.update(made[0].id, {"amount": 9}, by="cyd").changed_by == "bob", "nothing changed"
    assert [each.fields["amount"] for each in records.registers.each("bill")] == [9, 1, 2]
    for id in ("bill/99", "receipt/1", "bill/x", "bill/", "1"):
        assert records.registers.find(id) is None
        with pytest.raises(StoreError, match="There is no record"):
            records.registers.update(id, {"amount": 1})
    with pytest.raises(StoreError, match="too large"):
        records.registers.create("bill", {"amount": "9" * 2**16})
    assert records.registers.count("bill") == 3


def test_old_runs_and_notices_are_forgotten_with_old_conversations(on: Records) -> None:
    on.registers.create("bill", {}, by="eva")
    run = on.workflow_runs.take()
    assert run
    on.workflow_runs.begin_effect(run.id, Effect(0, 1, "log", datetime.now(UTC)))
    on.notices.add(Notice("Told.", "p", run=run.id))
    on.workflow_runs.end(run.id, "done", "", "")
    on.forget_before(datetime.now(UTC) - timedelta(days=1), by="ada")
    assert on.workflow_runs.find(run.id)
    on.forget_before(datetime.now(UTC) + timedelta(seconds=1), by="ada")
    assert on.workflow_runs.find(run.id) is None
    assert on.workflow_runs.effects(run.id) == on.notices.of("p", ()) == ()
