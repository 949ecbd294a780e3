"""The checker: a malformed workflow is refused with all that is wrong and where; of what is open it only warns."""

import json
from dataclasses import replace
from typing import Any

import pytest

from org.procedures.flows import Book
from tests.trag.workflow.conftest import INVOICES, ROOT
from trag.workflow.checking import check
from trag.workflow.record import Choice, Suggestion, Workflow, WorkflowRecord

BROKEN = ROOT / "bench" / "workflows" / "broken"
CASES = [json.loads(line) for line in (BROKEN / "broken.jsonl").read_text(encoding="utf-8").splitlines()]
GOOD = [json.loads(line) for line in (BROKEN / "good.jsonl").read_text(encoding="utf-8").splitlines()]


def told(workflow: object, book: Book, **more: Any) -> list[str]:
    return [f"{one.severity} {one.row}: {one.message}" for one in check(workflow, book, **more)]


def test_all_that_is_wrong_with_80_workflows_is_told_with_its_step(book: Book) -> None:
    assert len(CASES) == 80
    for case in CASES:
        found = [problem for problem in check(case["workflow"], book) if problem.severity == "error"]
        left = [(problem.row, problem.message) for problem in found]
        for row, words in case["wrong"]:
            match = next((one for one in left if one[0] == row and words in one[1]), None)
            assert match, (case["id"], row, words, left)
            left.remove(match)
        assert not left, (case["id"], left)
        assert all(problem.hint and (problem.place == f"step {problem.row}") == bool(problem.row) for problem in found)


def test_good_ones_pass_and_read_back_as_they_were(book: Book) -> None:
    for values in (INVOICES, *GOOD):
        assert told(values, book) == []
        workflow = Workflow.of(values)
        assert workflow.values() == {**values}
        assert Workflow.of(json.loads(workflow.to_json())) == workflow
        assert told(workflow.core(), book)
        assert all(line.startswith("warning") for line in told(workflow.core(), book))
    record = WorkflowRecord(
        "1",
        "do it",
        "drafted",
        Workflow.of(INVOICES),
        (Suggestion("step", "log", 0.5, "do"),),
        (Choice(1, "log", ("END",)),),
        ("Nothing",),
        written="-\nlog",
    )
    assert WorkflowRecord.from_json(record.to_json()) == record
    assert WorkflowRecord.from_json(replace(record, workflow=None).to_json()).workflow is None


def test_what_is_open_is_warned_of(book: Book, invoices: dict[str, Any]) -> None:
    del invoices["steps"][2]["inputs"]["person"], invoices["steps"][0]["condition"]
    invoices["open"] = [{"step": 3, "input": "person"}]
    invoices["catalogue"] = "0" * 12
    assert told(invoices, book) == [
        f'warning 0: It was written for the catalogue "000000000000"; {book.version} is in use.',
        "warning 1: Its condition is open.",
        "warning 3: Its input person is open.",
    ]


def test_what_was_renamed_or_removed_since_is_told(book: Book, invoices: dict[str, Any]) -> None:
    asked, posted = book.actions["ask_for_approval"], book.actions["post_invoice"]
    table = book.tables["supplier_invoice"]
    others = [action for action in book.actions.values() if action not in (asked, posted)]
    now = Book.of(
        [*others, replace(asked, id="get_consent")],
        book.procedures.values(),
        [replace(table, id="invoices_in")],
        book.triggers.values(),
    )
    hints = {(one.row, one.message): one.hint for one in check(invoices, now, earlier=book) if one.severity == "error"}
    assert hints == {
        (0, 'The table "supplier_invoice" is no longer in the catalogue.'): "It seems to be invoices_in now.",
        (3, 'The step "ask_for_approval" is no longer in the catalogue.'): "It seems to be get_consent now.",
        (5, 'The step "post_invoice" is no longer in the catalogue.'): "Take another step, or take it out.",
    }


def test_of_what_the_asker_may_not_use_nobody_is_told_that_it_is_there(book: Book, invoices: dict[str, Any]) -> None:
    usable = {*book.actions, *book.tables} - {"post_invoice", "supplier_invoice"}
    closed = told(invoices, book, usable=usable)
    assert [line[:25] for line in closed] == ["error 0: There is no tabl", "error 5: There is no step"]
    invoices["steps"][4]["name"] = "post_invoic"
    near = next(one for one in check(invoices, book, usable=usable) if one.row == 5)
    assert "post_invoice" not in near.hint


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], {}, {"steps": None}, {"steps": [None, [], {"name": {}}, 1]}, INVOICES]
)
def test_no_value_makes_the_check_fail(value: Any, book: Book) -> None:
    """Also where any one part of a good workflow is something else."""
    check(value, book)
    if value is not INVOICES:
        assert told(value, book)
        return
    for path in _paths(INVOICES):
        for other in (None, 7, "x", True, [], [1], {"x": 1}, "99999999999.x", "0.x", "record", "trigger"):
            copy = json.loads(json.dumps(INVOICES))
            holder = copy
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = other
            check(copy, book)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, each in items for found in ((*path, key), *_paths(each, (*path, key)))]
