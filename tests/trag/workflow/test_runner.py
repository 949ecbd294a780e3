"""Runs for real: what sets them off, with whose rights, how they wait, fail, end and are killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store import StoreError
from store.passage import OPEN
from store.workflow_runs import WorkflowRun
from tests.automated import BILLS, person, ran, step, use, workflow
from tests.planned import CHART
from trag.errors import TragError
from trag.home import Home, open_home
from trag.people import CurrentUser
from trag.people.permissions import readers
from trag.review.verdicts import put_label
from trag.settings import Settings
from trag.workflow import activation, runner
from trag.workflow.runner import IN_A_ROW, Runner
from trag.workflow.tasks import finish, notices_of

LOCAL = CurrentUser.local
FAILS = workflow(step("log", 1, message="@record.nothing"), trigger={"type": "manual"})


def test_each_trigger_sets_off_what_is_in_use_for_it(running: Home) -> None:
    for trigger in activation.TRIGGERS:
        inputs = {"inputs": {"name": "table", "value": "bill"}} if trigger.startswith("record") else {}
        use(running, workflow(step("log", 1, message=trigger), trigger={"type": trigger} | inputs), trigger)
    bill = running.records.registers.create("bill", {"amount": 1}, person="local", by="local")
    running.records.registers.update(bill.id, {"amount": 2}, person="local", by="local")
    running.charts.activate(CHART, [("chart.csv", b"")], by="local")
    running.records.library.put("a.md", "0" * 64, 1, (), by="local")
    answer = json.dumps({"question": "Why?", "answer": "So.", "status": "answered"})
    running.records.save_answer("a1", None, "Why?", "So.", answer, asker="local")
    put_label(running.records, "a1", "local", "Incorrect", "No.", asker=True)
    put_label(running.records, "a1", "local", "Correct", asker=True)  # no flag
    runner.run_now(running, LOCAL, "manual")
    Runner(running).work_off(datetime.now(UTC) + timedelta(weeks=1))
    runs = running.records.workflow_runs.page(most=20)
    assert sorted(each.trigger for each in runs) == sorted(activation.TRIGGERS)
    assert {each.state for each in runs} == {"done"}
    told = {each.trigger: json.loads(each.record_json) for each in runs}
    assert told["record_updated"] == {"@id": bill.id, "amount": 2}
    assert told["document_added"]["name"] == "a.md"
    assert told["chart_activated"]["version"] == CHART.version
    assert (told["answer_flagged"]["question"], told["answer_flagged"]["comment"]) == ("Why?", "No.")


def test_only_what_is_in_use_and_started_by_hand_is_run_by_hand(running: Home) -> None:
    use(running, workflow(step("log", 1, message="x"), trigger=BILLS))
    with pytest.raises(TragError, match="not started by hand"):
        runner.run_now(running, LOCAL, "w")
    with pytest.raises(TragError, match="not in use"):
        runner.run_now(running, LOCAL, "x")


@pytest.mark.parametrize(
    ("trigger", "moments"),
    [
        ("daily", [("2026-11-23 06:59", 0), ("2026-11-23 07:00", 1), ("2026-11-23 19:00", 1), ("2026-11-26 09:00", 2)]),
        (
            "weekly",
            [("2026-11-22 20:00", 0), ("2026-11-23 07:01", 1), ("2026-11-29 09:00", 1), ("2026-12-01 01:00", 2)],
        ),
    ],
)
def test_the_clock_sets_off_once_for_each_hour_that_came(
    running: Home, trigger: str, moments: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    at = datetime(2026, 11, 22, 12, tzinfo=UTC)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            return at

    for module in ("store.workflows", "store.workflow_runs"):
        monkeypatch.setattr(f"{module}.datetime", Clock)
    use(running, workflow(step("log", 1, message="x"), trigger={"type": trigger}))
    for moment, runs in moments:
        at = datetime.fromisoformat(f"{moment}+00:00")
        runner.schedule(running, at)
        runner.schedule(running, at)
        assert len(running.records.workflow_runs.page()) == runs, moment


def test_a_run_has_the_rights_that_its_activator_and_whoever_set_it_off_share(running: Home) -> None:
    ada, eva = person(running, "ada", "admin"), person(running, "eva", unit="bar")
    owl = person(running, "owl", unit="board")
    boss = person(running, "boss", "admin")

    def held(activator: str, by: str, cause: WorkflowRun | None = None) -> object:
        run = WorkflowRun.of("w", "v", activator, "manual", {}, person=by)
        running.records.workflow_runs.add(run)
        return runner.rights(running, replace(run, cause=cause.id if cause else ""))

    assert held(ada.person, boss.person) is None
    assert held(ada.person, eva.person) == readers(eva, CHART) == OPEN | {"c", "bar"}
    assert held(eva.person, ada.person) == OPEN | {"c", "bar"}, "whoever activated it may have become an employee"
    assert held(eva.person, owl.person) == OPEN | {"c"}
    assert held(ada.person, "") == held(ada.person, "somebody who is gone") == OPEN
    assert held("somebody who is gone", ada.person) is runner.NOBODY
    running.records.people.change(ada.person, by="test", state="disabled")
    assert held(ada.person, boss.person) is runner.NOBODY
    first = WorkflowRun.of("w", "v", boss.person, "manual", {}, person=eva.person)
    running.records.workflow_runs.add(first)
    assert held(boss.person, boss.person, first) == OPEN | {"c", "bar"}, "what set it off had no more"


def test_what_a_run_may_not_use_is_not_there_for_it(running: Home) -> None:
    ada, eva = person(running, "ada", "admin"), person(running, "eva", unit="bar")
    made = workflow(step("look_up_records", 1, table="vault", condition="gold > 0"), trigger=BILLS)
    use(running, made, by=ada)
    running.records.registers.create("vault", {"gold": 7}, by="ada")
    running.records.registers.create("bill", {"amount": 1}, person=eva.person, by=eva.name)
    run = ran(running)
    assert (run.state, run.message) == ("failed", 'There is no register "vault".')
    running.records.registers.create("bill", {"amount": 1}, person=ada.person, by=ada.name)
    run = ran(running)
    assert run.state == "done"
    assert '"gold": 7' in run.trace_json


def test_five_failures_in_a_row_switch_it_off_and_its_activator_is_told(running: Home) -> None:
    ada = person(running, "ada", "admin")
    use(running, FAILS, by=ada)
    for number in range(1, IN_A_ROW + 1):
        assert running.records.workflows.find("w").in_use, number  # type: ignore[union-attr]
        runner.run_now(running, ada, "w")
        assert ran(running).message == 'The record has no "nothing".'
    stored = running.records.workflows.find("w")
    assert stored
    assert stored.in_use is None
    assert (stored.last.by, stored.last.remark) == (runner.PROGRAM, "5 runs in a row failed.")
    assert notices_of(running, ada)[0].text == 'The workflow "Bills" was switched off: 5 runs in a row failed.'
    use(running, FAILS, by=ada)
    runner.run_now(running, ada, "w")
    ran(running)
    assert running.records.workflows.find("w").in_use, "it counts anew"  # type: ignore[union-attr]


def test_workflows_that_set_each_other_off_come_to_an_end(running: Home) -> None:
    receipts = {"type": "record_created", "inputs": {"name": "table", "value": "receipt"}}
    use(running, workflow(step("create_record", 1, table="receipt", fields="amount = 1"), trigger=BILLS), "a")
    use(running, workflow(step("create_record", 1, table="bill", fields="amount = 1"), trigger=receipts), "b")
    running.records.registers.create("bill", {"amount": 1}, person="local", by="local")
    last = ran(running)
    assert (last.state, last.depth) == ("refused", 6)
    assert [each.state for each in running.records.workflow_runs.page(most=99)] == ["refused", *["done"] * 5]


def test_a_run_waits_for_a_person_and_then_for_a_time_and_does_nothing_twice(running: Home) -> None:
    ada, bob = person(running, "ada", "admin"), person(running, "bob", unit="bar", shown="Head bar")
    other = person(running, "eva", unit="bees")
    made = workflow(
        step("create_record", 1, table="receipt", fields={"amount": 5}),
        step("count", 2, record="@trigger.record"),
        step("WAIT", 3, duration="P1D"),
        step("IF", 4, when="2.sum > 10"),
        step("notify_person", 5, 4, person="ada", message="@2.sum"),
        trigger=BILLS,
    )
    use(running, made, by=ada)
    running.records.registers.create("bill", {"amount": 1, "sender": "Eva"}, person=ada.person, by=ada.name)
    run = ran(running)
    assert (run.state, run.message) == ("waiting", "Waits for Bar.")
    (asked,) = notices_of(running, bob)
    assert asked.text == "Count the coins\nrecord: amount: 1\nsender: Eva"
    assert asked.gives == {"sum": (), "coin": ()}
    assert notices_of(running, other) == ()
    with pytest.raises(TragError, match="not asked of you"):
        finish(running, other, asked.id, {"sum": "1", "coin": "cent"})
    with pytest.raises(TragError, match="Nothing is filled in for coin"):
        finish(running, bob, asked.id, {"sum": "1", "coin": " "})
    finish(running, bob, asked.id, {"sum": "12", "coin": "cent", "gold": "all"})
    run = ran(running)
    assert run.state == "waiting"
    assert run.until
    assert run.message.startswith("Waits until ")
    assert ran(running).state == "waiting"
    Runner(running).work_off(datetime.now(UTC) + timedelta(hours=23))
    assert running.records.workflow_runs.find(run.id).state == "waiting"  # type: ignore[union-attr]
    with running.records.workflow_runs._engine.begin() as connection:  # a day goes by
        connection.exec_driver_sql("UPDATE workflow_effects SET begun = '2026-01-01 00:00:00' WHERE name = 'WAIT'")
    Runner(running).work_off(datetime.now(UTC) + timedelta(hours=25))
    run = running.records.workflow_runs.find(run.id)  # type: ignore[assignment]
    assert (run.state, run.message) == ("done", "")
    assert [each.text for each in notices_of(running, ada)] == ["12"]
    assert running.records.registers.count("receipt") == 1
    assert [each.name for each in running.records.workflow_runs.effects(run.id)] == [
        "create_record",
        "count",
        "WAIT",
        "notify_person",
    ]


def test_switching_off_ends_what_waits_and_takes_back_what_is_asked(running: Home) -> None:
    use(running, workflow(step("count", 1, record={"a": 1})))
    runner.run_now(running, LOCAL, "w")
    assert ran(running).state == "waiting"
    (asked,) = notices_of(running, LOCAL)
    activation.switch_off(running, LOCAL, "w")
    assert notices_of(running, LOCAL) == ()
    with pytest.raises(StoreError, match="no longer asked of you"):
        finish(running, LOCAL, asked.id, {"sum": "1", "coin": "cent"})
    assert ran(running).state == "stopped"


def test_a_run_goes_on_by_the_version_that_it_began_with(running: Home) -> None:
    use(running, workflow(step("count", 1, record={"a": 1}), step("log", 2, message="first")))
    runner.run_now(running, LOCAL, "w")
    ran(running)
    use(running, workflow(step("log", 1, message="second")))
    (asked,) = notices_of(running, LOCAL)
    finish(running, LOCAL, asked.id, {"sum": "1", "coin": "cent"})
    run = ran(running)
    assert run.state == "done"
    assert '"first"' in run.trace_json


def test_what_is_under_way_when_the_program_is_told_to_end_goes_on_after_it(running: Home) -> None:
    use(running, workflow(*(step("create_record", n, table="receipt", fields={"amount": n}) for n in (1, 2))))
    runner.run_now(running, LOCAL, "w")
    first = Runner(running)
    create = running.records.registers.create

    def told_to_end(*given: object, **more: object) -> object:
        first.close()
        return create(*given, **more)  # type: ignore[arg-type]

    running.records.registers.create = told_to_end  # type: ignore[method-assign]
    first.work_off()
    running.records.registers.create = create  # type: ignore[method-assign]
    assert running.records.workflow_runs.page()[0].state == "due"
    assert running.records.registers.count("receipt") == 1
    assert ran(running).state == "done"
    assert [each.fields["amount"] for each in running.records.registers.each("receipt")] == [1, 2]


def test_the_thread_runs_what_is_due_and_ends(running: Home) -> None:
    use(running, workflow(step("log", 1, message="x")))
    worker = Runner(running)
    worker.start()
    run = runner.run_now(running, LOCAL, "w")
    until = time.monotonic() + 30
    while running.records.workflow_runs.find(run.id).state != "done" and time.monotonic() < until:  # type: ignore[union-attr]
        time.sleep(0.05)
    worker.close()
    assert running.records.workflow_runs.find(run.id).state == "done"  # type: ignore[union-attr]


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.automated import furnish, ran, step, use, workflow
from trag.home import open_home
from trag.people import CurrentUser
from trag.settings import Settings
from trag.workflow import runner

with open_home(Settings(home=Path(sys.argv[1]), workflows=True)) as home:
    furnish(home)
    use(home, workflow(*(step("create_record", n, table="receipt", fields={"amount": n}) for n in (1, 2, 3))))
    runner.run_now(home, CurrentUser.local, "w")
    create, made = home.records.registers.create, []

    def killed(*given, **more):
        made.append(create(*given, **more))
        if len(made) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return made[-1]

    home.records.registers.create = killed
    ran(home)
"""


@pytest.mark.slow
def test_a_run_that_a_kill_broke_off_is_shown_as_that_and_not_repeated(tmp_path: Path) -> None:
    code = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "home")], cwd=Path(__file__).parents[3], check=False
    )
    assert code.returncode == -signal.SIGKILL
    with open_home(Settings(home=tmp_path / "home", workflows=True)) as home:
        run = ran(home)
        assert run.state == "broken off"
        assert "not done again by itself" in run.message
        first, second = home.records.workflow_runs.effects(run.id)
        assert first.outputs_json
        assert second.outputs_json is None, "its end is not known"
        assert home.records.registers.count("receipt") == 2
        Runner(home).work_off()
        assert home.records.registers.count("receipt") == 2
        assert home.records.audit.verify() is None
