"""How a question about the chart is read, by what a model writes and how surely it would have left it to documents."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from org.linking.entities import EntityFinder
from org.reading.charts import load
from prompts import Message
from tests.scripted import Scripted
from trag import chart_query
from trag.llm.model import Usage

PEOPLE = load(
    b"Name,Reports_To,Title,Department\nMira Olsund,,Director,Executive\n"
    b"Tobin Hale,Mira Olsund,Head of Finance,Finance\n"
    b"Leo Quint,Tobin Hale,Accountant,Finance\n",
    "people.csv",
)


class Server(Scripted):
    """Writes an expression and tells by what odds it would rather have written documents(), as a server does."""

    def __init__(self, expression: str, odds: float | None) -> None:
        super().__init__("never asked")
        self.expression, self.odds = expression, odds
        self.read: list[str] = []

    def stream(self, messages: Sequence[Message], *, max_tokens: int, **_: Any) -> Generator[str | Usage, None, None]:
        self.read.append(messages[-1].content)
        yield self.expression
        yield Usage(10, 10, 5, self.odds)


def asked(question: str, model: Server) -> chart_query.ChartQuery:
    return chart_query.ask(question, EntityFinder(PEOPLE).find(question), PEOPLE, model, stop=threading.Event())


@pytest.mark.parametrize(("odds", "answered"), [(None, True), (-3.5, True), (-2.5, False), (2.0, False)])
def test_a_server_that_is_not_sure_leaves_a_question_that_names_a_unit_to_the_documents(
    odds: float | None, *, answered: bool
) -> None:
    query = asked("who is above Leo Quint?", Server("parent(u1)", odds))
    assert (query.expression, query.reply is not None) == ("parent(u1)" if answered else "documents()", answered)


@pytest.mark.parametrize(("odds", "answered"), [(-2.5, True), (0.5, False)])
def test_those_who_have_a_cell_in_common_are_asked_of_as_one_and_nothing_is_held_against_it(
    odds: float, *, answered: bool
) -> None:
    model = Server("children(u1)", odds)
    query = asked("who is in finance?", model)
    assert "u1 = Finance (department, 2 people)" in model.read[0]
    told = query.reply and query.reply.text
    assert told == ('2 are listed with "Finance" as Department: Tobin Hale and Leo Quint.' if answered else None)


def test_a_unit_that_is_named_comes_before_what_a_cell_says() -> None:
    model = Server("parent(u1)", -9.0)
    asked("is Leo Quint in finance?", model)
    assert "Finance (department" not in model.read[0]
    assert "u1 = Leo Quint (under Tobin Hale)" in model.read[0]
