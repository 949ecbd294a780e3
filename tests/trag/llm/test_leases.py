"""Who closes a model that was given up, and when."""

from typing import cast

import pytest

from trag.llm.model import LanguageModel
from trag.llm.queue import Leases


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
