"""What inputs are bound to: the nearest earlier gift, item or error of the name, else the trigger's record; never what
may not have been done, whatever the workflow, which the checker says that shares no code with it."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from org.procedures.actions import Action, Table, Trigger
from org.procedures.flows import Book
from tests.trag.workflow.conftest import INVOICES, by_chance
from trag.workflow.binding import bound
from trag.workflow.checking import check
from trag.workflow.record import Input, Open, Started, Workflow
from trag.workflow.structure import made, read

BOOK = Book.of(
    [
        Action("find_head", "Find the head", needs=(("unit",),), gives=("person",)),
        Action("ask", "Ask", needs=(("record",), ("person",)), gives=("decision",)),
        Action("note", "Note", needs=(("decision",), ("text",))),
        Action("post", "Post", needs=(("supplier_invoice",),), gives=("posting",)),
        Action("list_claims", "List claims", needs=(("period",),), gives=("travel_claims",)),
        Action("pay", "Pay a claim", needs=(("travel_claims", "travel_claim"),), gives=("amount",)),
        Action("tell", "Tell", needs=(("claimant",), ("amount",))),
        Action("retry", "Try again", needs=(("error",),)),
        Action("take", "Take an alarm", needs=(("monitoring_alert",),)),
        Action("export", "Export", needs=(("records",),), gives=("document",)),
        Action("raise", "Raise a ticket", needs=(("text",),), gives=("Ticket",)),
        Action("solve", "Solve a ticket", needs=(("ticket",),)),
        Action("count_people", "Count people", gives=("people",)),
    ],
    (),
    [
        Table("supplier_invoice", "Invoice", fields=("amount", "unit")),
        Table("travel_claim", "Claim", fields=("Claimant", "sum")),
        Table("monitoring_alert", "Alert"),
    ],
    [
        Trigger("record_created", "Created", table=True),
        Trigger("daily", "Daily"),
        Trigger("alert_raised", "Alert"),
        Trigger("Ticket.Logged", "Ticket"),
    ],
)


def inputs(lines: str) -> tuple[Workflow, dict[str, str]]:
    """A workflow of these lines, bound, and what each input is bound to, as "3.person"."""
    found = bound(made(*read(lines.strip("\n")), BOOK), BOOK)
    assert [one.message for one in check(json.loads(found.to_json()), BOOK) if one.severity == "error"] == []
    return found, {f"{step.step}.{each.name}": each.source for step in found.steps for each in step.inputs}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "record_created supplier_invoice\nfind_head\nask\nnote\npost",
            {
                **{"1.unit": "trigger.record.unit", "2.record": "trigger.record", "2.person": "1.person"},
                **{"3.decision": "2.decision", "4.supplier_invoice": "trigger.record"},
            },
        ),
        # a decision of another branch is none, nor one that may have been left out
        ("-\nIF\n ask\nELSE\n note\nnote", {}),
        ("-\nTRY\n ask\nCATCH\n retry\n note\nnote", {"4.error": "3.error"}),
        ("-\nPARALLEL\n PARALLELBLOCK\n  ask\n PARALLELBLOCK\n  note\nnote", {"6.decision": "3.decision"}),
        ("-\nDOUNTIL\n ask\nnote", {"3.decision": "2.decision"}),
        ("-\nnote\nask", {}),
        # the nearest of two
        ("-\nfind_head\nfind_head\nask", {"3.person": "2.person"}),
        (
            "daily\nlist_claims\nFOREACH\n pay\n tell\n ask\nexport\ntell",
            {
                **{"2.items": "1.travel_claims", "3.travel_claim": "2.item", "4.claimant": "2.item.Claimant"},
                **{"4.amount": "3.amount", "5.record": "2.item", "6.records": "1.travel_claims"},
            },
        ),
        # nobody says what is gone through: what the first action needs
        ("daily\nFOREACH\n post\n ask", {"2.supplier_invoice": "1.item", "3.record": "1.item"}),
        ("record_created supplier_invoice\nFOREACH\n post", {"2.supplier_invoice": "trigger.record"}),
        ("alert_raised\ntake\nask", {"1.monitoring_alert": "trigger.record", "2.record": "trigger.record"}),
        ("Ticket.Logged\nsolve\nraise\nsolve", {"1.ticket": "trigger.record", "3.ticket": "2.Ticket"}),
        ("daily\nask", {}),
        ("count_people\nWAIT", {}),
    ],
)
def test_each_need_has_the_nearest_of_its_name(lines: str, expected: Mapping[str, str]) -> None:
    assert inputs(lines if "\n" in lines and not lines.startswith("count") else f"-\n{lines}")[1] == expected


def test_what_is_left_is_open_and_what_was_given_stays() -> None:
    workflow, _ = inputs("daily\nlist_claims\nFOREACH\n pay\nWAIT")
    assert workflow.open == (Open(1, "period"), Open(4, "duration"))
    assert [step.gives for step in workflow.steps] == [("travel_claims",), (), ("amount",), ()]
    first = replace(workflow.steps[0], inputs=(Input("period", value="May"),))
    last = replace(workflow.steps[2], inputs=(Input("travel_claim", "1.travel_claims"),))
    again = bound(replace(workflow, steps=(first, workflow.steps[1], last, workflow.steps[3])), BOOK)
    assert again.open == (Open(4, "duration"),)
    assert (again.steps[0].inputs, again.steps[2].inputs) == (first.inputs, last.inputs)


def test_no_workflow_made_by_chance_has_an_error_and_the_one_by_hand_is_bound_again(book: Book) -> None:
    bare = Workflow.of(INVOICES)
    steps = tuple(replace(step, inputs=(), gives=()) for step in bare.steps)
    found = bound(replace(bare, steps=steps), book)
    assert [step.gives for step in found.steps] == [step.gives for step in bare.steps]
    assert found.steps[2].inputs == bare.steps[2].inputs
    for seed in range(60):
        for started in (None, Started("record_created", "supplier_invoice"), Started("daily")):
            made_so = replace(made(None, by_chance(seed, book), book), trigger=started)
            values = json.loads(bound(made_so, book).to_json())
            assert [one.message for one in check(values, book) if one.severity == "error"] == []
