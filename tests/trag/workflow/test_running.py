"""The interpreter against walks by hand, step by step, and what stops it.

A workflow stands here as its lines, with inputs and conditions behind the names. A walk is one word a step: its number,
the rounds it is in ("4.2" is step 4 in round 2), "+" or "-" for a condition that was met or not, "!" where it failed.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import sleep
from typing import Any

import pytest

from org.procedures.flows import Book
from tests.trag.workflow.conftest import INVOICES, ROOT, by_chance
from tests.trag.workflow.test_checking import GOOD
from trag.workflow.record import Condition, Input, Workflow, WorkflowStep
from trag.workflow.running import Run, Simulated, StepFailed, compare, run
from trag.workflow.structure import made

RECORDS = ROOT / "bench" / "workflows" / "records"
HIGH, LOW, CLAIM, BADGE = (
    json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("invoice-high", "invoice-low", "claim", "badge")
)


def workflow(text: str) -> Workflow:
    """A workflow from lines such as "  log message=record.amount" and "IF record.amount > 5000"."""
    path: list[int] = []
    steps = []
    for number, line in enumerate(text.strip("\n").split("\n"), 1):
        depth, (name, *words) = len(line) - len(line.lstrip()), line.split()
        path[depth:] = [number]
        condition = None
        if name in ("IF", "ELSEIF", "DOUNTIL") and words:
            left, op, right = (words[0], "is empty", "") if words[1:] == ["is", "empty"] else words
            condition = Condition(left, op, right, "person")
        inputs = tuple(Input(one, source) for one, source in (word.split("=") for word in words if condition is None))
        steps.append(WorkflowStep(name, number, path[depth - 1] if depth else 0, condition, inputs))
    return Workflow(None, tuple(steps))


def walk(found: Run) -> str:
    signs = {"met": "+", "not met": "-"}
    return " ".join(
        ".".join(map(str, (one.step, *one.rounds))) + ("!" if one.failed else signs.get(one.note, ""))
        for one in found.trace
    )


def given(values: Mapping[int, Sequence[object]], book: Book) -> Any:
    """What does the actions: each gives these values, one a call and the last again, and fails with an exception."""
    calls: dict[int, int] = defaultdict(int)

    def perform(step: WorkflowStep, inputs: Mapping[str, object]) -> Mapping[str, object]:
        of = values.get(step.step, ["done"])
        value = of[min(calls[step.step], len(of) - 1)]
        calls[step.step] += 1
        if isinstance(value, Exception):
            raise value
        action = book.actions.get(step.name)
        return dict.fromkeys(action.gives if action else (), value)

    return perform


ASKED = """
IF record.amount > 5000
 find_head_of_unit unit=record.unit
 ask_for_approval record=record person=2.person
 IF 3.decision = yes
  post_invoice record=record
 ELSE
  notify_person person=record.sender
  END
ELSEIF record.amount > 1000
 ask_for_approval record=record
ELSE
 post_invoice record=record
notify_person person=record.sender
"""
LOOPS = """
look_up_records
FOREACH items=1.records
 IF 2.item.amount >= 100
  FOREACH items=2.item.parts
   log message=4.item
 ELSE
  log message=2.item.what
log message=1.records
"""
OUT = """
TRY
 FOREACH items=record.receipts
  log message=2.item.what
CATCH
 log message=4.error
log
"""
TRIES = """
TRY
 ask_assistant
 TRY
  write_briefing topic=2.answer
 CATCH
  log message=5.error
 make_plan
CATCH
 notify_unit message=8.error
 IF 8.error contains disk
  END
log
"""
ROUNDS = """
PARALLEL
 PARALLELBLOCK
  ask_assistant
 PARALLELBLOCK
  DOUNTIL 6.decision = yes
   ask_for_approval record=record
   IF 6.decision = no
    WAIT
TRY
 FOREACH items=record.receipts
  TRY
   log message=10.item.amount
  CATCH
   update_record record=10.item
END
"""
PARTS = [
    {"what": "tools", "amount": 250, "parts": ["saw", "drill"]},
    {"what": "paper", "amount": 12},
    {"what": "desk", "amount": "100", "parts": []},
]
WALKS: list[tuple[str, Any, Mapping[int, Sequence[object]], str, str]] = [
    (ASKED, HIGH, {3: ["Yes"]}, "1+ 2 3 4+ 5 13", "done"),
    (ASKED, HIGH, {3: ["no"]}, "1+ 2 3 4- 6 7 8", "ended"),
    (ASKED, {**LOW, "amount": "1000.01"}, {}, "1- 9+ 10 13", "done"),
    (ASKED, LOW, {}, "1- 9- 11 12 13", "done"),
    (ASKED, {**LOW, "amount": 5000}, {12: [StepFailed("x")]}, "1- 9+ 10 13", "done"),
    (ASKED, {"amount": 1}, {12: [StepFailed("x")]}, "1- 9- 11 12!", "failed"),
    (LOOPS, {}, {1: [PARTS]}, "1 2 3.1+ 4.1 5.1.1 5.1.2 3.2- 6.2 7.2 3.3+ 4.3 8", "done"),
    (LOOPS, {}, {1: [[]]}, "1 2 8", "done"),
    (LOOPS, {}, {1: [PARTS[1:]], 7: [StepFailed("x")]}, "1 2 3.1- 6.1 7.1!", "failed"),
    (LOOPS, {}, {1: [7]}, "1 2!", "failed"),
    (OUT, CLAIM, {3: ["ok", StepFailed("full")]}, "1 2 3.1 3.2! 4 5 6", "done"),
    (OUT, BADGE, {}, "1 2! 4 5 6", "done"),
    (TRIES, {}, {}, "1 2 3 4 7 12", "done"),
    (TRIES, {}, {4: [StepFailed("no ink")]}, "1 2 3 4! 5 6 7 12", "done"),
    (TRIES, {}, {4: [StepFailed("no ink")], 6: [StepFailed("x")]}, "1 2 3 4! 5 6! 8 9 10- 12", "done"),
    (TRIES, {}, {2: [StepFailed("Printer jam")]}, "1 2! 8 9 10- 12", "done"),
    (TRIES, {}, {2: [StepFailed("Disk full")]}, "1 2! 8 9 10+ 11", "ended"),
    (
        ROUNDS,
        CLAIM,
        {6: ["no", "later", "yes"], 12: ["ok", StepFailed("x"), "ok"]},
        "1 2 3 4 5 6.1 7.1+ 8.1 5- 6.2 7.2- 5- 6.3 7.3- 5+ 9 10 11.1 12.1 11.2 12.2! 13.2 14.2 11.3 12.3 15",
        "ended",
    ),
]


def test_a_hundred_steps_and_more_go_as_they_were_walked_by_hand(book: Book) -> None:
    assert sum(len(steps.split()) for *_, steps, _ in WALKS) > 100
    for text, record, values, steps, status in WALKS:
        found = run(workflow(text), book, record, given(values, book))
        assert (walk(found), found.status) == (steps, status), text
        assert found.step == (found.trace[-1].step if status != "done" else 0)


def test_the_workflow_of_the_invoices_goes_both_ways(book: Book) -> None:
    invoices = Workflow.of(INVOICES)
    high, low = run(invoices, book, HIGH), run(invoices, book, LOW)
    assert (walk(high), walk(low), high.status) == ("1+ 2 3 6", "1- 4 5 6", "done")
    asked = high.trace[2]
    assert asked.inputs == {"record": HIGH, "person": "person of step 2"}
    assert asked.outputs == {"decision": "decision of step 3"}
    assert low.trace[-1].inputs == {"person": "Joao Pires", "message": "Your invoice was dealt with."}
    dotted = run(workflow("log message=record.site.name"), book, {"site": {"name": "no"}, "site.name": "Tunis"})
    assert dotted.trace[0].inputs == {"message": "Tunis"}
    assert json.loads(high.to_json())["trace"][0]["inputs"] == {"record.amount": 6200}


def test_dry_every_workflow_comes_to_its_end(book: Book) -> None:
    """What nobody knows counts as met, and a loop goes round once."""
    for seed in range(60):
        found = run(made(None, by_chance(seed, book), book), book)
        assert found.status == ("ended" if found.trace[-1].name == "END" else "done"), found
    found = run(Workflow.of(GOOD[1]), book)
    assert (walk(found), found.status) == ("1 2 3.1 4.1 7 8 9 10 11 12 13.1 14.1 12 15 16", "ended")
    assert (found.trace[3].inputs["record"], found.trace[-2].note) == (
        "one of the records of step 1",
        "nobody knows it yet: taken as met",
    )


@pytest.mark.parametrize(
    ("text", "record", "more", "step", "said"),
    [
        ("IF record.sum > 1\n log", HIGH, {}, 1, 'The record has no "sum".'),
        ("log message=record.sender.name", HIGH, {}, 1, 'The record has no "name".'),
        ("log message=2.answer\nask_assistant", HIGH, {}, 1, "2.answer is not there."),
        ("log message=x", HIGH, {}, 1, "x is not there."),
        ("IF record.supplier > 5\n log", HIGH, {}, 1, "Brightwater Paper and 5 cannot be compared."),
        ("FOREACH items=record.amount\n log", HIGH, {}, 1, "6200 is no list to go through."),
        ("DOUNTIL record.amount < 5\n log", HIGH, {}, 1, "Its condition was not met in 100 rounds."),
        ("log\nlog\nlog\nlog", HIGH, {"most_steps": 3}, 3, "More than 3 steps were run."),
        ("TRY\n log\nCATCH\n log", HIGH, {"most_steps": 2}, 2, "More than 2 steps were run."),
        ("log\nlog", HIGH, {"seconds": -1.0}, 1, "The run took too long."),
        ("log\nIF record.amount > 9999\n send_fax", HIGH, {}, 3, "There is no step send_fax."),
    ],
)
def test_what_ends_a_run_is_told_with_its_step(
    text: str, record: Any, more: Mapping[str, Any], step: int, said: str, book: Book
) -> None:
    found = run(workflow(text), book, record, **more)
    assert (found.status, found.step, found.message) == ("failed", step, said)


def test_a_step_that_takes_long_ends_the_run_and_so_do_a_hundred_rounds(book: Book) -> None:
    def slow(step: WorkflowStep, inputs: Mapping[str, object]) -> Mapping[str, object]:
        sleep(0.02)
        return {}

    rounds = run(workflow("DOUNTIL record.amount < 5\n log"), book, HIGH)
    assert sum(one.step == 2 for one in rounds.trace) == 100
    found = run(workflow("\n".join(["log"] * 60)), book, {}, slow, seconds=0.1)
    assert found.message == "The run took too long."
    assert len(found.trace) < 10


def test_what_is_open_is_said(book: Book) -> None:
    found = run(workflow("IF\n ask_for_approval person=record.sender"), book, HIGH)
    assert [one.note for one in found.trace] == ["open: taken as met", "open: record"]
    waits = run(
        replace(workflow("WAIT"), steps=(WorkflowStep("WAIT", 1, inputs=(Input("duration", value="PT1H"),)),)), book
    )
    assert (waits.trace[0].inputs, waits.trace[0].note) == ({"duration": "PT1H"}, "")


@pytest.mark.parametrize(
    ("left", "op", "right", "met"),
    [
        (6200, ">", "5000", True),
        ("6200.00", "=", "6200", True),
        (0.1, "=", "0.1", True),
        ("9", "<", "10", True),
        ("nan", "=", "nan", True),
        ("2026-11-27", "<", "2026-12-01", True),
        ("Open", "=", "open", True),
        ("open", "=", "Open", True),
        (True, "=", "true", True),
        (None, "=", "x", False),
        (None, "is empty", "", True),
        ([], "is empty", "", True),
        (0, "is empty", "", False),
        ("Rush order", "contains", "rush", True),
        (["a", "rush"], "contains", "Rush", True),
        (["a rush"], "contains", "rush", False),
        ("x", "!=", "y", True),
        (7, "!=", "7.0", False),
    ],
)
def test_conditions_compare_numbers_as_numbers_and_the_rest_as_texts(left: Any, op: str, right: str, met: bool) -> None:
    assert compare(left, Condition("record.x", op, right, "person")) is met


@pytest.mark.parametrize(("left", "right"), [("x", "5"), (5, "x"), (True, "5"), (None, "5"), ([1], "5"), ({}, "x")])
def test_what_has_no_order_is_not_compared(left: Any, right: str) -> None:
    with pytest.raises(StepFailed, match="cannot be compared"):
        compare(left, Condition("record.x", ">=", right, "person"))


def test_what_is_simulated_is_never_mistaken_for_a_value(book: Book) -> None:
    text = "ask_for_approval\nIF 1.decision.by = Nadia\n log message=1.decision.by"
    found = run(workflow(text), book, HIGH)
    assert (walk(found), found.trace[2].inputs) == ("1 2 3", {"message": "by of decision of step 1"})
    assert isinstance(found.trace[2].inputs["message"], Simulated)
