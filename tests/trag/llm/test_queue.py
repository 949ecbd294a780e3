"""Who closes a model that was given up, and when."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import cast

import pytest

from trag.llm.model import LanguageModel
from trag.llm.queue import Leases, QueueFull, RequestQueue


def test_the_first_is_served_at_once_and_the_next_when_it_leaves() -> None:
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


def test_a_model_that_is_given_up_is_closed_when_nobody_holds_it_and_again_for_one_who_comes_too_late() -> None:
    leases, model = Leases(), Counted()
    held = cast(LanguageModel, model)
    with pytest.raises(RuntimeError), leases.hold(held):
        raise RuntimeError
    assert model.closed == 0, "it is still the right one"
    with leases.hold(held):
        with leases.hold(held):
            leases.give_up(held)
        assert model.closed == 0
    assert model.closed == 1, "its last holder is done"
    with leases.hold(held):
        assert model.closed == 1
    assert model.closed == 2
    unheld = Counted()
    leases.give_up(cast(LanguageModel, unheld))
    assert unheld.closed == 1, "at once"
