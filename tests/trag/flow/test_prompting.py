"""What the model reads to plan, and the form of a unit."""

import pytest

from org.procedures.flows import Book
from trag.flow.prompting import OPENING, Unit, begun, messages, text, unit_of

WHY = "I look for cars."


def test_the_prompt_tells_actions_with_parameters_and_the_steps_of_the_flows_that_are_shown(book: Book) -> None:
    cars = book.procedures["cars"]
    asked, opened = messages("a car\nplease", book.actions.values(), [cars])
    for line in (
        "Order_() - places the order Needs: car or room. Gives: order.",
        "FindCar() - looks for cars Needs: nothing. Gives: car.",
        "Cars:\n1. Begin\n2. Offer cars\n3. Order\n4. End",
        "The customer writes: a car please",
    ):
        assert line in asked.content
    assert "Offer rooms" not in asked.content
    assert opened.content == "\n".join([*map(text, OPENING), "[thought]"])
    assert [unit_of(line) for line in opened.content.splitlines()] == [*OPENING, None]


def test_a_prompt_without_thoughts_has_none(book: Book) -> None:
    asked, opened = messages("a car please", book.actions.values(), book.procedures.values(), thoughts=False)
    assert "[thought]" not in asked.content + opened.content
    assert opened.content.endswith("Start()\n[API]")


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


@pytest.mark.parametrize("text", ["\n[thought] I look for cars. [API] FindCar()", "[thought] a(b) [API] b-c.d()"])
def test_what_begins_as_a_unit_does_is_no_other(text: str) -> None:
    whole = unit_of(text)
    assert whole
    for end in range(len(text)):
        found = begun(text[:end])
        assert found
        assert found.thought == ("" if text.rfind("[") >= end else whole.thought)
        assert whole.api.startswith(found.api)


@pytest.mark.parametrize(
    "text", ["Sure", "[thought] [", "[API", "[thought] a [thought", "[thought] a [API] b c", "[thought] a [API] b(c"]
)
def test_what_has_left_the_form_begins_no_unit(text: str) -> None:
    assert begun(text) is None
