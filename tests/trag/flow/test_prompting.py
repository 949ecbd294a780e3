"""What the model reads to plan, and the form of a unit."""

import pytest

from org.procedures.flows import Book
from trag.flow.prompting import OPENING, Unit, messages, text, unit_of

WHY = "I look for cars."


def test_the_prompt_tells_actions_with_parameters_and_the_steps_of_the_flows_that_are_shown(book: Book) -> None:
    cars = book.procedures["cars"]
    asked, begun = messages("a car\nplease", book.actions.values(), [cars])
    for line in (
        "Order_() - places the order Needs: car or room. Gives: order.",
        "FindCar() - looks for cars Needs: nothing. Gives: car.",
        "Cars:\n1. Begin\n2. Offer cars\n3. Order\n4. End",
        "The customer writes: a car please",
    ):
        assert line in asked.content
    assert "Offer rooms" not in asked.content
    assert begun.content == "\n".join([*map(text, OPENING), "[thought]"])
    assert [unit_of(line) for line in begun.content.splitlines()] == [*OPENING, None]


def test_a_prompt_without_thoughts_has_none(book: Book) -> None:
    asked, begun = messages("a car please", book.actions.values(), book.procedures.values(), thoughts=False)
    assert "[thought]" not in asked.content + begun.content
    assert begun.content.endswith("Start()\n[API]")


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("\n[thought] I look for cars. [API] FindCar()", Unit(WHY, "FindCar")),
        ("[thought] a [API] b-c.d()", Unit("a", "b-c.d")),
        ("[thought] [API] FindCar()", None),
        ("[thought] I look for cars. [API] FindCar(city)", None),
        ("[thought] I look for cars. [API] FindCar", None),
        ("[thought] I look [thought] for cars. [API] FindCar()", None),
        ("I look for cars. [API] FindCar()", None),
        ("Sure! [thought] I look for cars. [API] FindCar()", None),
        ("[API] FindCar()", None),
    ],
)
def test_the_form_of_a_unit(text: str, unit: Unit | None) -> None:
    assert unit_of(text) == unit
