"""Which actions a step takes, where every likeness is known."""

import numpy as np
import pytest

from org.procedures.actions import Action
from org.procedures.flows import Procedure, Step
from org.procedures.graph import Graph
from trag.flow.binding import Likeness, bound

IDS = ("Block", "Lend", "Print", "Sign", "Shred")
ACTIONS = (
    Action("Block", "Block it", gives=("block",)),
    Action("Lend", "Lend one", gives=("loan",)),
    Action("Print", "Print it", needs=(("block", "scrap"),), gives=("badge",)),
    Action("Sign", "Sign for it", needs=(("badge",),), gives=("receipt",)),
    Action("Shred", "Shred it", needs=(("old",), ("receipt",)), gives=("scrap",)),
)
SPANS = ((0, 3), (3, 6), (0, 6))


def taken(
    *steps: tuple[dict[str, float], dict[tuple[int, int], dict[str, float]]], bind: tuple[str, ...] = ()
) -> dict[str, int]:
    """What is taken where the steps are as alike to the actions as is said, and else not at all."""

    def row(values: dict[str, float]) -> list[float]:
        return [values.get(id, -9.0) for id in IDS]

    alike = Likeness(
        IDS,
        np.array([row(whole) for whole, _ in steps]),
        tuple((SPANS, np.array([row(parts.get(span, {})) for span in SPANS])) for _, parts in steps),
    )
    procedure = Procedure("p", "P", steps=tuple(Step(f"Step {number}.", bind) for number in range(len(steps))))
    return bound(procedure, Graph(ACTIONS), alike)


def test_a_step_of_two_actions_is_cut_where_it_fits_best() -> None:
    step = ({"Block": 6, "Lend": 5}, {(0, 3): {"Block": 12, "Lend": 11}, (3, 6): {"Lend": 12}, (0, 6): {"Block": 15}})
    assert taken(step) == {"Block": 0, "Lend": 0}


@pytest.mark.parametrize("whole", [20.0, 3.0])
def test_a_step_that_no_stretch_names_takes_what_is_most_alike_to_all_of_it(whole: float) -> None:
    assert taken(({"Lend": whole}, {})) == {"Lend": 0}


def test_what_an_action_cannot_be_done_without_is_taken_at_the_step_whose_words_are_most_like_it_and_in_time() -> None:
    lend, last = ({"Lend": 9}, {(0, 3): {"Block": 5}}), ({"Sign": 9}, {(0, 6): {"Print": 4, "Block": 1}})
    assert taken(lend, last) == {"Lend": 0, "Block": 0, "Sign": 1, "Print": 1}
    hardly = ({"Lend": 9}, {(0, 3): {"Block": 3}})
    assert taken(hardly, last)["Block"] == 1, "with the one that needs it, where no step says it much more"
    late = ({"Shred": 9}, {(0, 6): {"Block": 7, "Print": 6}})
    assert taken(lend, last, late) == {"Lend": 0, "Block": 0, "Sign": 1, "Print": 1, "Shred": 2}


def test_what_is_named_beside_another_counts_only_where_all_that_it_needs_is_named_too() -> None:
    beside = {(0, 3): {"Lend": 12}, (3, 6): {"Sign": 11}}
    assert taken(({"Lend": 9}, beside)) == {"Lend": 0}
    assert {*taken(({"Lend": 9}, beside), ({"Print": 9}, {}), ({"Block": 9}, {}))} == {"Lend", "Sign", "Print", "Block"}


def test_what_an_admin_bound_stands_whatever_the_words_say() -> None:
    assert taken(({"Lend": 20}, {(0, 6): {"Lend": 20}}), bind=("Block",)) == {"Block": 0}
