"""Workflows read from what models write, and held against gold by hand."""

import json
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest

from org.procedures.actions import Action, Table, Trigger
from org.procedures.flows import Book
from trag.evaluate.workflows.scores import Reading, distance, of_json, read, score, similarity

BOOK = Book.of(
    (
        Action("ask", "Ask", needs=(("record",),), gives=("decision",)),
        Action("post", "Post", needs=(("record",), ("decision", "stamp"))),
        Action("tell", "Tell"),
    ),
    (),
    (Table("invoice", "Invoices", fields=("amount",)), Table("ticket", "Tickets")),
    (Trigger("created", "Created", table=True), Trigger("daily", "Daily")),
)
GOLD = Reading("created", "invoice", ((0, "IF"), (1, "ask"), (0, "ELSE"), (1, "post"), (0, "tell")))
LINES = "created invoice\nIF\n ask\nELSE\n post\ntell"


@pytest.mark.parametrize(
    ("text", "trigger", "steps", "parsed"),
    [
        (LINES, "created invoice", GOLD.steps, True),
        ("-\ntell", "", ((0, "tell"),), True),
        ("daily\ntell\n", "daily", ((0, "tell"),), True),
        ("- \ntell", "", ((0, "tell"),), False),
        ("when an invoice comes\ntell", "", ((0, "tell"),), False),
        ("-\nIF\n  tell", "", ((0, "IF"), (1, "tell")), False),
        ("-\ntell them\npost", "", ((0, "post"),), False),
        ("-\ntell\n\npost", "", ((0, "tell"), (0, "post")), False),
        ("```\n-\ntell\n```", "", ((0, "tell"),), False),
        ("-\ntell()", "", ((0, "tell()"),), True),
        ("-", "", (), False),
        ("", "", (), False),
    ],
)
def test_lines_are_read_as_far_as_they_are_any(
    text: str, trigger: str, steps: tuple[tuple[int, str], ...], parsed: bool
) -> None:
    found = read(text, "lines")
    assert (f"{found.trigger} {found.table}".strip(), found.steps, found.parsed) == (trigger, steps, parsed)


def test_json_is_read_to_the_same() -> None:
    assert read(json.dumps(GOLD.core()), "json") == GOLD
    assert read(LINES, "lines") == GOLD
    assert of_json({"trigger": None, "steps": [{"name": "tell", "step": 1}]}) == Reading("", "", ((0, "tell"),))
    steps: list[Any] = [{"name": "IF", "step": 1}, {"name": "tell", "step": 2, "parent": 1}]
    for broken, kept in (
        ({"steps": []}, 0),
        ({"steps": "tell"}, 0),
        ({"trigger": "daily", "steps": steps}, 2),
        ({"trigger": {"type": 3}, "steps": steps}, 2),
        ({"trigger": {"type": "daily", "inputs": [1]}, "steps": steps}, 2),
        ({"steps": [*steps, {"name": "post", "step": 7}]}, 3),
        ({"steps": [*steps, {"name": "post", "step": 3, "parent": 9}]}, 3),
        ({"steps": [*steps, {"name": "post", "step": 3, "parent": [1]}]}, 3),
        ({"steps": [*steps, {"step": 3}, "x"]}, 2),
        ([], 0),
    ):
        found = of_json(broken)
        assert (found.parsed, len(found.steps)) == (False, kept), broken
    assert read('{"steps": [{"name": "te', "json") == Reading(parsed=False)


def test_every_measure_by_hand() -> None:
    right = score(GOLD, GOLD, BOOK, suggested=(("ask", "tell"), ("ticket",)))
    assert (right.trigger, right.bag, right.jaccard, right.exact, right.rules, right.dry) == (True, 1, 1, 1, 1, 1)
    assert (right.logic, right.false_logic, right.similarity) == (True, None, 1)
    assert (right.recall_steps, right.recall_tables) == (2 / 3, 0)

    written = read("created bill\nask\nask\nfly\ntell", "lines")
    found = score(written, GOLD, BOOK)
    # Of 4 and 5 steps ask and tell are common; 7 differ or are one of both.
    assert (found.bag, found.jaccard, found.bag_of_actions) == (4 / 9, 2 / 7, 4 / 7)
    assert (found.trigger, found.invented_steps, found.invented_table, found.invented_trigger) == (False, 1 / 4, 1, 0)
    assert (found.parsed, found.rules, found.exact, found.logic, found.dry) == (True, True, False, False, False)
    assert (found.recall_steps, found.recall_tables) == (None, None)

    for lines in ("-\nELSE\n tell", "daily invoice\ntell", "created\ntell", "-\nIF\ntell"):
        assert not score(read(lines, "lines"), GOLD, BOOK).rules, lines
    assert score(read("whenever that\n-\ntell", "lines"), GOLD, BOOK).rules is False, "of what cannot be read"
    assert score(read("whenever that\nfly", "lines"), GOLD, BOOK).rules, "names are another matter"

    plain = Reading("", "", ((0, "tell"),))
    false = score(read("-\nIF\n tell", "lines"), plain, BOOK)
    assert (false.logic, false.false_logic, false.bag, false.with_trigger) == (None, True, 2 / 3, False)
    empty = score(read("", "lines"), plain, BOOK)
    assert (empty.empty, empty.trigger, empty.bag, empty.invented_steps, empty.similarity) == (True, False, 0, None, 0)
    same_but_deeper = score(
        read("-\nIF\n tell\n tell", "lines"), Reading("", "", ((0, "IF"), (1, "tell"), (0, "tell"))), BOOK
    )
    assert (same_but_deeper.bag, same_but_deeper.exact, round(same_but_deeper.similarity, 9)) == (
        1,
        False,
        round(1 / 3, 9),
    )


def test_inputs_that_are_open_and_references_that_lead_nowhere_are_counted() -> None:
    def step(number: int, name: str, parent: int = 0, **more: Any) -> dict[str, Any]:
        return {"name": name, "step": number, **({"parent": parent} if parent else {}), **more}

    whole = GOLD.core() | {
        "steps": [
            step(1, "IF", condition={"left": "record.amount", "op": ">", "right": "5", "by": "person"}),
            step(2, "ask", 1, inputs={"record": "trigger.record"}),
            step(3, "ELSE"),
            step(4, "post", 3, inputs={"record": "record", "decision": "2.decision"}),
            step(5, "post", inputs={"record": "record.vat", "decision": {"value": "yes"}}),
            step(6, "FOREACH"),
            step(7, "post", 6, inputs={"record": "6.item.id", "stamp": "6.item"}),
            step(8, "post", inputs={"record": "6.item"}),
            step(9, "IF"),
            step(10, "tell", 9),
        ]
    }
    reading = of_json(whole)
    found = score(reading, GOLD, BOOK, whole=whole)
    # Open: what FOREACH goes through, the decision of step 8, the condition of step 9.
    assert (found.inputs, found.open) == (12, 3)
    # Nowhere: a step in another branch, a field that there is not, an item outside of its loop.
    assert (found.references, found.unresolved) == (8, 3)
    assert not found.dry
    parallel = {
        "steps": [
            step(1, "PARALLEL"),
            step(2, "PARALLELBLOCK", 1),
            step(3, "ask", 2),
            step(4, "PARALLELBLOCK", 1),
            step(5, "post", 4, inputs={"decision": "3.decision"}),
            step(6, "post", inputs={"decision": "3.decision"}),
            step(7, "DOUNTIL", condition={"left": "8.decision", "op": "=", "right": "yes", "by": "person"}),
            step(8, "ask", 7),
            step(9, "post", inputs={"decision": "8.decision"}),
            step(10, "tell", inputs={"x": "nine.decision", "y": "11.decision", "z": "8"}),
        ]
    }
    found = score(of_json(parallel), GOLD, BOOK, whole=parallel)
    assert (found.references, found.unresolved) == (7, 4)


Tree = tuple[tuple[str, Any], ...]


def by_definition(one: Tree, other: Tree) -> int:
    """The distance of two forests as its recursion says."""

    @cache
    def size(forest: Tree) -> int:
        return sum(1 + size(below) for _, below in forest)

    @cache
    def between(one: Tree, other: Tree) -> int:
        if not one or not other:
            return size(one) + size(other)
        (name, below), (its, under) = one[-1], other[-1]
        return min(
            between((*one[:-1], *below), other) + 1,
            between(one, (*other[:-1], *under)) + 1,
            between(one[:-1], other[:-1]) + between(below, under) + (name != its),
        )

    return between(one, other)


def forest(lines: Sequence[tuple[int, str]]) -> Tree:
    made: list[list[Any]] = [[]]
    for level, name in lines:
        del made[level + 1 :]
        node = (name, [])
        made[level].append(node)
        made.append(node[1])

    def fixed(nodes: list[Any]) -> Tree:
        return tuple((name, fixed(below)) for name, below in nodes)

    return fixed(made[0])


def test_the_distance_of_trees_is_that_of_its_definition() -> None:
    shapes = [
        levels
        for levels in product(range(4), repeat=4)
        if all(b <= a + 1 for a, b in zip((-1, *levels), levels, strict=False))
    ]
    named = [tuple(zip(levels, names, strict=True)) for levels in shapes for names in ("abca", "acbb")]
    named += [each[:count] for each in named[::5] for count in (0, 1, 3)]
    assert len(named) > 40
    for one in named:
        for other in named[::3]:
            assert distance(one, other) == by_definition(forest(one), forest(other)), (one, other)
    trees = [Reading("daily", "", ((0, "tell"),)), Reading("created", "invoice", ((0, "tell"),))]
    assert similarity(*trees) == 1 / 2
