"""What differs between two versions of a workflow, with steps that have other numbers."""

from typing import Any

from org.procedures.changes import Edit
from tests.automated import step, workflow
from trag.workflow.comparing import compare
from trag.workflow.record import Workflow


def test_steps_that_came_went_and_changed_are_told_and_a_new_number_is_no_change(invoices: dict[str, Any]) -> None:
    before = Workflow.of(invoices)
    later = {
        **invoices,
        "title": "Invoices",
        "steps": [{"name": "log", "step": 1, "inputs": {"message": {"value": "x"}}}],
    }
    for each in invoices["steps"]:
        moved = {**each, "step": each["step"] + 1} | ({"parent": each["parent"] + 1} if "parent" in each else {})
        later["steps"].append(moved)
    later["steps"][1]["condition"] = {**later["steps"][1]["condition"], "right": "9000"}
    later["steps"][3]["inputs"] = {"record": "trigger.record", "person": "3.person"}  # the same step, numbered anew
    del later["steps"][6]  # whoever sent it is told no more
    found = compare(before, Workflow.of(later))
    assert found.edits == (Edit("title", "Supplier invoices", "Invoices"),)
    assert [(each.what, each.step.name) for each in found.steps] == [
        ("added", "log"),
        ("changed", "IF"),
        ("same", "find_head_of_unit"),
        ("same", "ask_for_approval"),
        ("same", "ELSE"),
        ("same", "post_invoice"),
        ("removed", "notify_person"),
    ]
    assert found.steps[1].edits == (Edit("condition", "record.amount > 5000", "record.amount > 9000"),)


def test_the_same_is_no_change_and_against_nothing_all_is_added(invoices: dict[str, Any]) -> None:
    made = Workflow.of(invoices)
    assert not compare(made, made)
    assert {each.what for each in compare(None, made).steps} == {"added"}


def test_inputs_and_places_are_told() -> None:
    before = workflow(
        step("IF", 1, when="record.a = 1"), step("log", 2, 1, message="one"), step("log", 3, message="@record.a")
    )
    after = workflow(step("IF", 1, when="record.a = 1"), step("log", 2, 1, message="two"), step("log", 3, 1))
    first, second = compare(before, after).steps[1:]
    assert first.edits == (Edit("message", '"one"', '"two"'),)
    assert second.edits == (Edit("within step", "", "1"), Edit("message", "record.a", ""))
