"""The bar at the terminal: the time left of what goes on, and of each step."""

from collections.abc import Iterator
from io import StringIO

import pytest
from tqdm import tqdm

from trag.terminal.console import progress_of


class Clock:
    """Seconds, as the test sets them."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def bar(clock: Clock) -> Iterator[tqdm]:
    with tqdm(file=StringIO(), unit="answer") as bar:
        bar._time = clock
        yield bar


def test_what_was_done_before_takes_no_time(bar: tqdm, clock: Clock) -> None:
    progress = progress_of(bar)
    progress("trag", 400, 500)
    clock.now = 10
    progress("trag", 410, 500)
    assert str(bar).startswith("trag: ")
    assert "410/500 [00:10<01:30,  1.00answer/s]" in str(bar)


def test_each_step_has_a_time_of_its_own(bar: tqdm, clock: Clock) -> None:
    progress = progress_of(bar)
    progress("filling templates", 0, 10)
    clock.now = 100
    progress("filling templates", 10, 10)
    progress("trag", 20, 60)
    clock.now = 110
    progress("trag", 40, 60)
    assert str(bar).startswith("trag: ")
    assert "40/60 [00:10<00:10,  2.00answer/s]" in str(bar)


def test_a_total_that_nobody_knows_is_left_out_and_a_bar_that_nobody_sees_is_left_alone(bar: tqdm) -> None:
    progress_of(bar)("beginning", 0, 0)
    assert str(bar) == "beginning: 0answer [00:00, ?answer/s]"
    with tqdm(file=StringIO(), disable=True) as hidden:
        progress_of(hidden)("trag", 4, 5)
        assert hidden.n == 0
