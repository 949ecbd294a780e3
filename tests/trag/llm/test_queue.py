"""Who closes a model that was given up, and when."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import cast

import pytest

from trag.llm.model import LanguageModel
from trag.llm.queue import Leases, QueueFull, RequestQueue


def test_the_first_is_served_at_once() -> None:
    with RequestQueue(slots=1, waiting=1).place() as positions:
        assert list(positions) == []


def test_the_next_waits_and_is_served_when_the_first_leaves() -> None:
    line = RequestQueue(slots=1, waiting=5)
    with line.place() as first, line.place() as second:
        assert list(first) == []
        assert next(second) == 1
    with line.place() as third:
        assert list(third) == []


def test_people_move_up_in_the_order_they_came() -> None:
    line = RequestQueue(slots=1, waiting=5)
    served: list[int] = []
    entered = threading.Semaphore(0)

    def person(number: int) -> None:
        with line.place() as positions:
            entered.release()
            for _ in positions:
                pass
            served.append(number)

    threads = []
    with line.place() as positions:
        assert list(positions) == []
        for number in range(4):
            threads.append(threading.Thread(target=person, args=(number,)))
            threads[-1].start()
            assert entered.acquire(timeout=5)
        assert served == []
    for thread in threads:
        thread.join(timeout=5)
    assert served == [0, 1, 2, 3]


def test_one_who_gives_up_makes_room() -> None:
    line = RequestQueue(slots=1, waiting=2)
    with line.place(), line.place() as second:

        def positions() -> Iterator[int]:
            with line.place() as third:
                yield from third

        leaving = positions()
        assert next(second) == 1
        assert next(leaving) == 2
        leaving.close()
        with line.place() as fourth:
            assert next(fourth) == 2


@pytest.mark.parametrize(("waiting", "said"), [(1, "1 person is"), (2, "2 people are"), (0, "Nobody may wait")])
def test_past_the_bound_people_are_refused_with_the_number_that_wait(waiting: int, said: str) -> None:
    line = RequestQueue(slots=1, waiting=waiting)
    with ExitStack() as places:
        for _ in range(1 + waiting):
            places.enter_context(line.place())
        with pytest.raises(QueueFull, match=said), line.place():
            pass


class Counted:
    """A model that counts how often it was closed."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def model() -> Counted:
    return Counted()


def test_a_model_that_nobody_holds_is_closed_at_once(model: Counted) -> None:
    Leases().give_up(cast(LanguageModel, model))
    assert model.closed == 1


def test_a_model_that_is_held_is_closed_when_its_last_holder_is_done(model: Counted) -> None:
    leases, held = Leases(), cast(LanguageModel, model)
    with leases.hold(held):
        with leases.hold(held):
            leases.give_up(held)
        assert model.closed == 0
    assert model.closed == 1


def test_a_holder_that_comes_a_moment_too_late_closes_it_again(model: Counted) -> None:
    leases, held = Leases(), cast(LanguageModel, model)
    leases.give_up(held)
    with leases.hold(held):
        assert model.closed == 1
    assert model.closed == 2


def test_a_model_that_is_still_the_right_one_is_not_closed(model: Counted) -> None:
    leases, held = Leases(), cast(LanguageModel, model)
    for _ in range(2):
        with leases.hold(held):
            pass
    with pytest.raises(RuntimeError), leases.hold(held):
        raise RuntimeError
    assert model.closed == 0
