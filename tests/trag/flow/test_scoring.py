"""FLAP's heuristic, each term against values worked out by hand: a similarity is the cosine of two angles."""

from math import cos, radians

import pytest

from org.procedures.flows import Book
from trag.flow.prompting import OPENING, Unit
from trag.flow.scoring import FLAP, Encode, Heuristic, State, Weights, score

CARS, ROOMS, ORDER = "I look for cars.", "I look for rooms.", "I order it."
OPENED = [unit.api for unit in OPENING]


def similar(degrees: float) -> float:
    return cos(radians(degrees))


@pytest.fixture
def heuristic(book: Book, encode: Encode) -> Heuristic:
    return Heuristic(book, "a car please", encode, Weights())


def after(heuristic: Heuristic, *units: tuple[str, str]) -> State:
    state = heuristic.start(OPENED)
    for unit in units:
        state = heuristic.after(Unit(*unit), state)
    return state


@pytest.mark.parametrize(
    ("before", "thought", "alpha", "degrees"),
    [
        # The first free thought: the first open step of any procedure, and the one that the prompt was in.
        ((), CARS, 0.5, 10),
        ((), ROOMS, 0.5, 20),
        ((), "I begin.", 1, 5),
        # The step before it is begun in no procedure.
        ((), ORDER, 0, 5),
        # The step of the last thought, whatever API it called.
        (((CARS, "FindCar"),), CARS, 1, 10),
        # The next one of the procedure that is followed.
        (((CARS, "FindCar"),), ORDER, 0.5, 5),
        # Another procedure's.
        (((CARS, "FindCar"),), ROOMS, 0.1, 20),
        (((CARS, "FindCar"), (ORDER, "Order_")), ROOMS, 0.1, 20),
        # Begun and left.
        (((CARS, "FindCar"), (ORDER, "Order_")), CARS, 0, 10),
        # Who deviates follows the other from then on: the common step is the next of that.
        (((CARS, "FindCar"), (ROOMS, "FindRoom")), ORDER, 0.5, 5),
        (((CARS, "FindCar"), (ROOMS, "FindRoom"), (ORDER, "Order_")), ORDER, 1, 5),
    ],
)
def test_thought_to_step(
    heuristic: Heuristic, before: tuple[tuple[str, str], ...], thought: str, alpha: float, degrees: float
) -> None:
    state = after(heuristic, *before)
    assert heuristic.terms(Unit(thought, "FindCar"), state).step == pytest.approx(alpha * similar(degrees))


def test_where_the_prompt_has_called_nothing_the_first_step_is_open(heuristic: Heuristic) -> None:
    steps = [heuristic.terms(Unit(thought, "FindCar"), heuristic.start(())).step for thought in ("I begin.", CARS)]
    assert steps == pytest.approx([0.5 * similar(5), 0])


@pytest.mark.parametrize(
    ("before", "name", "expected"),
    [
        ((), "FindCar", 1),
        ((), "Order_", 0.1),  # nothing to order yet
        ((), "Start", 0),
        (((CARS, "FindCar"),), "FindCar", 0),
        (((CARS, "FindCar"),), "Order_", 1),  # one of two alternatives is enough
        (((CARS, "FindCar"),), "Finish", 0.1),
        ((), "FindBoat", 0.1 * similar(5)),  # by the name of FindCar
        (((CARS, "FindCar"),), "FindBoat", 0.1 * similar(5)),
        (((CARS, "FindBoat"),), "Order_", 0.1),  # what does not exist gives nothing
    ],
)
def test_api(heuristic: Heuristic, before: tuple[tuple[str, str], ...], name: str, expected: float) -> None:
    assert heuristic.terms(Unit(CARS, name), after(heuristic, *before)).api == pytest.approx(expected)


def test_thought_to_query_and_to_description(heuristic: Heuristic) -> None:
    state = heuristic.start(OPENED)
    assert heuristic.terms(Unit(CARS, "FindCar"), state).query == pytest.approx(similar(20))
    assert heuristic.terms(Unit(CARS, "FindRoom"), state).description == pytest.approx(similar(140))
    assert heuristic.terms(Unit(CARS, "FindBoat"), state).description == pytest.approx(similar(185))


@pytest.mark.parametrize("name", ["FindCar", "Order_", "FindBoat", "InitSystem"])
def test_a_unit_is_worth_something_within_what_its_beginning_may_be(book: Book, encode: Encode, name: str) -> None:
    for weights in FLAP.values():
        heuristic = Heuristic(book, "a car please", encode, weights)
        state = after(heuristic, (CARS, "FindCar"))
        for thought in (CARS, ROOMS, ORDER):
            (value,) = heuristic.values([Unit(thought, name)], state)
            for beginning in (Unit("", ""), *(Unit(thought, name[:end]) for end in range(len(name) + 1)), None):
                ((least, most),) = heuristic.bounds([beginning], state)
                assert least <= (value if beginning else 0) <= most


def test_no_api_makes_of_a_poor_thought_what_a_good_one_is(heuristic: Heuristic) -> None:
    state = after(heuristic, (CARS, "FindCar"))
    ((_, most),) = heuristic.bounds([Unit(ROOMS, "")], state)
    assert most < heuristic.values([Unit(ORDER, "Order_")], state)[0]


def test_the_versions_differ_in_terms_alone(book: Book, encode: Encode) -> None:
    """Structure and soft API are in all of them."""
    unit = Unit(CARS, "FindCar")
    step, query, description = 0.5 * similar(10), similar(20), similar(5)
    expected = {
        "flap.1": 1 + query + description,
        "flap.2": step + 1 + description,
        "flap.3": step + 1 + query,
        "flap.4": step + 1 + query + description,
    }
    for name, weights in FLAP.items():
        heuristic = Heuristic(book, "a car please", encode, weights)
        found = heuristic.values([unit, None], heuristic.start(OPENED))
        assert found == pytest.approx([expected[name], 0]), name


def test_score() -> None:
    assert score(0.5, 2, Weights()) == pytest.approx(0.3 * 0.5 + 0.7 * 2)
    assert score(0.5, 2, Weights(heuristic=0)) == 0.5
