"""Conditions as a scripted reader writes them: only what the workflow knows there, in the request's own words."""

import json
import re
import threading
from typing import Any

import pytest

from org.procedures.flows import Book
from tests.scripted import Scripted
from tests.trag.workflow.conftest import INVOICES
from tests.trag.workflow.test_running import workflow
from trag.progress import Cancelled
from trag.workflow.checking import check
from trag.workflow.conditions import conditions
from trag.workflow.record import Condition, Started, Workflow

REQUEST = INVOICES["request"]
OPEN = Condition()


class Reader(Scripted):
    """Keeps the grammars, too."""

    def __init__(self, *answers: str) -> None:
        super().__init__(*answers)
        self.grammars: list[str] = []

    def stream(self, *args: Any, grammar: str = "", **more: Any) -> Any:
        self.grammars.append(grammar)
        return super().stream(*args, **more)


def read(text: str, book: Book, *answers: str, request: str = REQUEST) -> tuple[Workflow, Reader]:
    reader = Reader(*answers)
    given = workflow(text)
    request = f"{request} 4,5 1.234.567" if request is REQUEST else request
    found = conditions(
        Workflow(Started("record_created", "supplier_invoice"), given.steps), book, request, reader, threading.Event()
    )
    assert [one.message for one in check(json.loads(found.to_json()), book) if one.severity == "error"] == []
    return found, reader


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"invoice above 5,000": record.amount > "5,000"', Condition("record.amount", ">", "5000", "model")),
        ('record.amount <= "4,5"', Condition("record.amount", "<=", "4.5", "model")),
        ('record.amount >= "1.234.567"', Condition("record.amount", ">=", "1234567", "model")),
        ('record.sender != "no"', Condition("record.sender", "!=", "no", "model")),
        ('record.sender = "the unit head"', Condition("record.sender", "=", "the unit head", "model")),
        ('record.sender contains "unit"', Condition("record.sender", "contains", "unit", "model")),
        ("record.sender is empty", Condition("record.sender", "is empty", "", "model")),
        ('"tell the sender": record.sender is empty', Condition("record.sender", "is empty", "", "model")),
        ("open", OPEN),
        # what a server that knows no grammar may write
        ('record.amount > "post"', OPEN),
        ('record.amount > "7,000"', OPEN),
        ('record.sender = "Nadia"', OPEN),
        ('record.secret = "x"', OPEN),
        ("4.decision is empty", OPEN),
        ('record.amount is empty "5"', OPEN),
        ("The amount is above 5,000.", OPEN),
        ("", OPEN),
    ],
)
def test_only_what_is_a_condition_becomes_one(written: str, expected: Condition, book: Book) -> None:
    found, _ = read("IF\n find_head_of_unit\nELSE\n ask_for_approval", book, written)
    assert found.steps[0].condition == expected


def test_the_reader_is_shown_and_may_name_what_is_known_there_alone(book: Book) -> None:
    text = "ask_for_approval\nIF\n ask_assistant\nELSEIF 1.decision = no\n log\nDOUNTIL\n write_briefing\nIF\n log"
    found, reader = read(text, book, '1.decision = "yes"', 'record.amount > "5,000"', "open")
    assert [step.condition for step in found.steps if step.name in ("IF", "ELSEIF", "DOUNTIL")] == [
        Condition("1.decision", "=", "yes", "model"),
        Condition("1.decision", "=", "no", "person"),  # what a person said stays, and is not asked for
        Condition("record.amount", ">", "5000", "model"),
        OPEN,
    ]
    values = [re.findall(r'"(\d\.\w+|record\.\w+)"', grammar) for grammar in reader.grammars]
    assert [[value for value in each if value[0] != "r"] for each in values] == [
        ["1.decision"],
        ["7.briefing", "1.decision"],
        ["7.briefing", "1.decision"],
    ]
    assert all("record.amount" in each for each in values)
    assert reader.asked[0][-1].content.splitlines()[1:4] == [
        f"1 {book.actions['ask_for_approval'].title}",
        "2 IF",
        f"3  {book.actions['ask_assistant'].title}",
    ]


def test_loops_that_nothing_is_known_of_are_asked_about(book: Book) -> None:
    text = "look_up_records\nFOREACH\n log\nFOREACH items=1.records\n log\nFOREACH\n log"
    found, reader = read(text, book, "1.records", "1.people")
    assert [[each.source for each in step.inputs] for step in found.steps if step.name == "FOREACH"] == [
        ["1.records"],
        ["1.records"],
        [],
    ]
    assert {(each.step, each.input) for each in found.open} >= {(6, "items")}
    assert not any("is empty" in grammar for grammar in reader.grammars)


def test_nothing_is_asked_where_nothing_is_known_and_a_stop_is_heard(book: Book) -> None:
    reader = Reader("open")
    assert conditions(workflow("IF\n log"), book, "x", reader).steps[0].condition == OPEN
    assert not reader.asked
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        conditions(workflow("ask_assistant\nIF\n log"), book, "x", reader, stop)


def test_words_of_scripts_without_spaces_may_be_quoted_too(book: Book) -> None:
    _, reader = read("IF\n log", book, "open", request='金額が5000を超える場合は "部長" に聞く')
    assert '"部" ("長")?' in reader.grammars[0]
    assert 'number ::= "\\"" ("5000")' in reader.grammars[0]
