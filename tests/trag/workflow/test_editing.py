"""Workflows changed by hand: numbers, references, `gives` and `open` stay right, whatever is changed."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from org.procedures.actions import LOGIC
from org.procedures.flows import Book
from tests.trag.workflow.conftest import by_chance
from trag.workflow import editing, structure
from trag.workflow.checking import check
from trag.workflow.editing import added, conditioned, filled, fitting, removed, replaced, settled, sources, started
from trag.workflow.record import Condition, Input, Open, Started, Workflow
from trag.workflow.scope import Scope
from trag.workflow.structure import Line


@pytest.fixture
def invoice(invoices: dict[str, Any], book: Book) -> Workflow:
    return settled(Workflow.of(invoices), book)


def made(book: Book, *lines: str) -> Workflow:
    """A workflow about supplier invoices of lines as a model writes them."""
    steps = tuple(Line(len(line) - len(line.lstrip()), line.strip()) for line in lines)
    return settled(structure.made(Started("record_created", "supplier_invoice"), steps, book), book)


def errors(workflow: Workflow, book: Book) -> list[str]:
    return [each.message for each in check(workflow.values(), book) if each.severity == "error"]


def known(workflow: Workflow, book: Book, number: int) -> set[str]:
    return {each.source for each in sources(workflow, book, number)}


def test_another_action_keeps_what_both_are_given_and_opens_what_nobody_gives_any_more(
    invoice: Workflow, book: Book
) -> None:
    assert replaced(invoice, book, 2, "find_head_of_unit") == invoice
    other = replaced(invoice, book, 3, "notify_person")
    assert [one.name for one in other.steps[2].inputs] == ["person"]
    assert other.steps[2].gives == book.actions["notify_person"].gives
    assert other.open == (Open(3, "message"),)
    without = replaced(invoice, book, 2, "log")
    assert {Open(2, "message"), Open(3, "person")} == {*without.open}
    assert not errors(without, book)


def test_what_is_taken_out_goes_with_what_is_in_it_and_references_follow_their_steps(
    invoice: Workflow, book: Book
) -> None:
    less = removed(invoice, book, 2)
    assert [step.name for step in less.steps] == ["IF", "ask_for_approval", "ELSE", "post_invoice", "notify_person"]
    assert [step.parent for step in less.steps] == [0, 1, 0, 3, 0]
    assert less.open == (Open(2, "person"),)
    more = added(invoice, book, 1, "log", inside=True)
    assert [(step.name, step.parent) for step in more.steps[:4]] == [
        *(("IF", 0), ("log", 1)),
        *(("find_head_of_unit", 1), ("ask_for_approval", 1)),
    ]
    assert {one.name: one.source for one in more.steps[3].inputs}["person"] == "3.person"
    assert [step.name for step in removed(invoice, book, 1).steps] == ["notify_person"], "an ELSE goes with its IF"
    ladder = made(book, "IF", " log", "ELSEIF", " log", "ELSE", " log", "log")
    assert [step.name for step in removed(ladder, book, 3).steps] == ["IF", "log", "ELSE", "log", "log"]
    assert [step.name for step in removed(ladder, book, 1).steps] == ["log"]


def test_a_step_is_put_behind_all_that_is_in_another(book: Book) -> None:
    nested = made(book, "IF", " FOREACH", "  log", "log")
    assert [(step.name, step.parent) for step in added(nested, book, 1, "END").steps][3:] == [("END", 0), ("log", 0)]
    assert added(nested, book, 3, "WAIT").steps[3].parent == 2
    assert added(nested, book, 0, "log").steps[0].name == "log"
    empty = Workflow(None, ())
    assert added(empty, book, 0, "log").open == (Open(1, "message"),)
    blocks = added(empty, book, 0, "PARALLEL")
    assert [(step.name, step.parent) for step in blocks.steps] == [
        *(("PARALLEL", 0), ("PARALLELBLOCK", 1)),
        ("PARALLELBLOCK", 1),
    ]
    assert fitting(nested, 1, inside=False)[:3] == ("IF", "ELSEIF", "ELSE")
    assert "ELSE" not in fitting(nested, 1, inside=True)
    assert fitting(blocks, 2, inside=False) == ("PARALLELBLOCK",)
    assert "PARALLELBLOCK" not in fitting(nested, 0, inside=False)


def test_inputs_and_conditions_are_filled_and_opened_again(invoice: Workflow, book: Book) -> None:
    opened = filled(invoice, book, 3, Input("person"))
    assert opened.open == (Open(3, "person"),)
    by_value = filled(opened, book, 3, Input("person", value="Ann Owl"))
    assert by_value.open == ()
    assert Input("person", value="Ann Owl") in by_value.steps[2].inputs
    assert filled(invoice, book, 3, Input("person", "5.posting")).open == (Open(3, "person"),), "of another branch"
    condition = Condition("record.amount", ">=", "100", "person")
    assert conditioned(invoice, book, 1, condition).steps[0].condition == condition
    of_claims = started(conditioned(invoice, book, 1, condition), book, Started("record_created", "lost_badge"))
    assert of_claims.steps[0].condition == replace(condition, left="", by="open")
    assert Open(6, "person") in of_claims.open
    assert not errors(of_claims, book)


def test_all_that_is_offered_can_be_known_and_all_that_can_be_known_is_offered(book: Book) -> None:
    """Held to the checker, which says the rules for itself."""
    for seed in range(10):
        workflow = made(book, *(" " * line.depth + line.name for line in by_chance(seed, book, 12)))
        for step in workflow.steps:
            offered = known(workflow, book, step.step)
            every = {f"{other.step}.{thing}" for other in workflow.steps for thing in (*other.gives, "item", "error")}
            takes = step.name in editing.CONDITIONAL
            need = Scope(workflow, book).needs(step)
            if not (takes or need):
                continue
            for source in sorted(every | offered):
                steps = [*workflow.values()["steps"]]
                given = {"condition": {"left": source, "op": "is empty", "right": "", "by": "person"}}
                steps[step.step - 1] |= given if takes else {"inputs": {need[0][0]: source}}
                said = check({**workflow.values(), "steps": steps, "open": []}, book)
                wrong = [each for each in said if each.severity == "error" and each.row == step.step]
                assert (not wrong) == (source in offered), (seed, step, source, wrong)


@pytest.mark.parametrize("seed", range(20))
def test_no_change_leaves_a_reference_or_something_open_that_is_wrong(book: Book, seed: int) -> None:
    chance = Random(seed)
    workflow = made(book, *(" " * line.depth + line.name for line in by_chance(seed, book, 12)))
    placed = {"WAIT", "END"}  # errors of place are the checker's to tell; none may be about what a step is given
    for _ in range(15):
        number = chance.randint(1, len(workflow.steps)) if workflow.steps else 0
        step = workflow.steps[number - 1] if number else None
        kind = chance.choice(("fill", "fill", "condition", "add", "replace", "remove"))
        name = chance.choice([*book.actions, *placed])
        if kind == "add" or step is None:
            inside = bool(step) and step.name in editing.HOLDING and chance.random() < 0.5
            workflow = added(workflow, book, number, name, inside=inside)
        elif kind == "remove":
            workflow = removed(workflow, book, number)
        elif kind == "replace" and step.name not in LOGIC:
            workflow = replaced(workflow, book, number, chance.choice([*book.actions]))
        elif kind == "fill" and (need := Scope(workflow, book).needs(step)) and (of := known(workflow, book, number)):
            workflow = filled(workflow, book, number, Input(chance.choice(need)[0], chance.choice(sorted(of))))
        elif kind == "condition" and step.name in editing.CONDITIONAL:
            left = chance.choice(sorted(known(workflow, book, number)))
            workflow = conditioned(workflow, book, number, Condition(left, "=", "x", "person"))
        assert settled(workflow, book) == workflow
        assert Workflow.of(workflow.values()) == workflow
        said = [each for each in check(workflow.values(), book) if workflow.steps]
        wrong = [each.message for each in said if each.severity == "error"]
        assert not [each for each in wrong if "refers" in each or "is of step" in each or "give" in each], wrong
        assert not [each for each in wrong if "input" in each or "open" in each or "field" in each], wrong
        asked = {(each.row, each.message) for each in said if each.message.startswith("Its input ")}
        assert len(asked) == len(workflow.open)
