"""Plans of books that are made by chance, looked at by the checker, which shares no code with what makes them."""

import random

import numpy as np
import pytest

from org.procedures.actions import Action
from org.procedures.flows import Book, Procedure, Step
from org.procedures.graph import Graph
from trag.flow import checking
from trag.flow.binding import Likeness, bound
from trag.flow.planning import calls
from trag.flow.record import Chosen, PlanChecks, PlannedStep, PlanRecord


def written(book: Book, id: str, made: list[tuple[str, str]], done: tuple[str, ...] = ()) -> PlanRecord:
    """The record of a plan: each action with the words of its step."""
    steps = tuple(PlannedStep(number, text, action, action) for number, (text, action) in enumerate(made, 1))
    return PlanRecord("p", "?", "planned", Chosen(id, id), steps, done=done)


def by_chance(chance: random.Random) -> tuple[Book, Likeness]:
    """A book with alternatives, several givers and things that the asker brings; and how alike all is, by chance."""
    things = [f"t{number}" for number in range(12)]
    actions = []
    for number in range(chance.randint(4, 16)):
        needs = tuple(
            tuple(chance.sample(things[: number + 1], min(number + 1, chance.choice((1, 1, 2))))) for _ in "ab"
        )
        actions.append(Action(f"a{number}", f"A {number}", "", needs, tuple(chance.sample(things[number % 11 :], 1))))
    ids = [action.id for action in actions]
    steps = [
        Step(f"Step {number}.", tuple(chance.sample(ids, 2)) if chance.random() < 0.3 else ())
        for number in range(chance.randint(1, 5))
    ]
    spans = ((0, 1), (1, 2), (0, 2))
    alike = Likeness(
        tuple(ids),
        np.array([[chance.uniform(-5, 15) for _ in ids] for _ in steps]),
        tuple((spans, np.array([[chance.uniform(-5, 15) for _ in ids] for _ in spans])) for _ in steps),
    )
    return Book.of(actions, [Procedure("p", "P", steps=tuple(steps))]), alike


def test_no_plan_of_any_book_invents_repeats_or_misplaces_an_action() -> None:
    chance, planned, done_before = random.Random(7), 0, 0
    for _ in range(400):
        book, alike = by_chance(chance)
        graph, procedure = Graph(book.actions.values()), book.procedures["p"]
        if book.actions.keys() - graph.reachable():
            continue  # such a book is refused
        takes = bound(procedure, graph, alike)
        assert {*takes} >= {id for step in procedure.steps for id in step.actions}
        made = [(procedure.steps[call.step].text, call.action) for call in calls(takes, graph)]
        assert checking.check(written(book, "p", made), book) == PlanChecks()
        assert {action for _, action in made} == {*takes}
        planned += 1
        done = tuple(action for _, action in made[: len(made) // 2])
        rest = [(procedure.steps[call.step].text, call.action) for call in calls(takes, graph, done)]
        assert checking.check(written(book, "p", rest, done), book) == PlanChecks()
        assert {*done} | {action for _, action in rest} == {*takes}
        done_before += bool(done and rest)
    assert planned > 100
    assert done_before > 50


CAR = Book.of(
    [
        Action("Find", "Find a car", "", (), ("car",)),
        Action("Rent", "Rent the car", "", (("car", "van"), ("licence",)), ("keys",)),
        Action("FindVan", "Find a van", "", (), ("van",)),
    ],
    [Procedure("rent", "Rent", steps=(Step("Find one."), Step("Rent it.")))],
)
RIGHT = [("Find one.", "Find"), ("Rent it.", "Rent")]


@pytest.mark.parametrize(
    ("made", "done", "expected"),
    [
        (RIGHT, (), PlanChecks()),
        (RIGHT[1:], ("FindVan",), PlanChecks()),
        (RIGHT[1:], (), PlanChecks(missing=("Rent: car or van",))),
        ([("Find one.", "Rent"), ("Find one.", "Find")], (), PlanChecks(missing=("Rent: car or van",))),
        ([*RIGHT, ("Rent it.", "Fly")], (), PlanChecks(unknown=("Fly",))),
        ([RIGHT[0], *RIGHT], (), PlanChecks(repeated=("Find",))),
        (RIGHT, ("Find",), PlanChecks(repeated=("Find",))),
        ([("Rent it.", "Find"), ("Find one.", "Rent")], (), PlanChecks(order=False)),
        ([("Fly off.", "Find"), RIGHT[1]], (), PlanChecks(order=False)),
    ],
    ids=[
        "right",
        "a van at hand",
        "too soon",
        "backwards",
        "invented",
        "twice",
        "again",
        "steps turned",
        "a step more",
    ],
)
def test_the_checker_finds_what_is_wrong(
    made: list[tuple[str, str]], done: tuple[str, ...], expected: PlanChecks
) -> None:
    found = checking.check(written(CAR, "rent", made, done), CAR)
    assert found == expected
    assert bool(found) == (expected == PlanChecks())


def test_a_record_is_read_as_it_was_written() -> None:
    record = written(CAR, "rent", RIGHT)
    assert PlanRecord.from_json(record.to_json()) == record
    assert '"kind": "plan"' in record.to_json() or '"kind":"plan"' in record.to_json()
