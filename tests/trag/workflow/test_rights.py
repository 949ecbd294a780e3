"""What of a book of many audiences somebody may use, and that nothing else is named to them."""

import json
from itertools import combinations

import numpy as np
import pytest

from org.chart import Chart, Unit
from org.procedures.actions import Action, Source, Table, Trigger
from org.procedures.flows import Book, Procedure, Step
from trag.people.permissions import CurrentUser, Readers, readers
from trag.workflow.checking import check
from trag.workflow.rights import usable
from trag.workflow.suggesting import Suggester

UNITS = {"top": "", "a": "top", "b": "top", "a1": "a", "a2": "a", "b1": "b", "b2": "b", "b11": "b1"}
CHART = Chart(Unit(id, id.upper(), "unit", above or None) for id, above in UNITS.items())
AUDIENCES = [(), *((id.upper(),) for id in UNITS), *combinations(("A1", "b2", "B11", "gone"), 2)]
DOCUMENTS = {"": None, "open.md": None, "a.md": "a", "b1.md": "b1"}
"""Whose people may read each."""
BOOK = Book.of(
    (
        Action(f"act{number}.{document}", f"Act {number}", audience=audience, source=Source(document))
        for number, audience in enumerate(AUDIENCES)
        for document in DOCUMENTS
    ),
    [Procedure("p", "P", audience=("B2",), steps=(Step("Do"),), source=Source("open.md", "1 Secret"))],
    (Table(f"table{number}", f"Table {number}", audience=audience) for number, audience in enumerate(AUDIENCES)),
    [Trigger("daily", "Daily"), Trigger("act1.a.md", "An id that is an action's, too")],
)


def open_to(document: str, held: Readers) -> bool:
    unit = DOCUMENTS[document]
    return unit is None or held is None or unit in held


def expected(unit: str) -> set[str]:
    """By another way: a unit is a part of an audience when it is one of its units or below one."""

    def below(audience: tuple[str, ...]) -> bool:
        above, path = unit, set[str]()
        while above:
            path.add(above)
            above = UNITS[above]
        return not audience or any(name.lower() in path for name in audience)

    documents = {name for name, of in DOCUMENTS.items() if of is None or below((of,))}
    acts = {act.id for act in BOOK.actions.values() if below(act.audience) and act.source.document in documents}
    tables = {table.id for table in BOOK.tables.values() if below(table.audience)}
    return acts | tables | {"daily"}


@pytest.mark.parametrize("unit", UNITS)
def test_nothing_for_others_is_usable_suggested_or_told_of(unit: str) -> None:
    held = readers(CurrentUser("1", "p", "P", "employee", unit), CHART)
    found = usable(BOOK, CHART, held, open_to)
    assert found == expected(unit)
    suggested = Suggester(BOOK, lambda texts: np.ones((len(texts), 1), dtype=np.float32)).suggest("act", usable=found)
    assert {one.name for one in (*suggested.steps, *suggested.tables, *suggested.triggers)} <= found
    closed = {*BOOK.actions, *BOOK.tables} - found
    assert closed
    for id in closed:
        table = {"name": "table", "value": id}
        steps = [{"name": id, "step": 1}]
        for asked in ({"steps": steps}, {"trigger": {"type": "daily", "inputs": table}, "steps": [*steps]}):
            told = json.dumps([(one.message, one.hint) for one in check(asked, BOOK, usable=found)])
            assert not any(f'"{other}"' in told or f" {other} " in told for other in closed - {id})
            assert "There is no" in told


def test_who_is_in_no_unit_and_who_reads_everything() -> None:
    everything = {*BOOK.actions, *BOOK.tables, *BOOK.triggers}
    assert usable(BOOK, CHART, None, open_to) == everything
    stranger = usable(BOOK, CHART, readers(CurrentUser("1", "p", "P", "employee"), CHART), open_to)
    assert stranger == {"act0.", "act0.open.md", "table0", "daily"}
    assert usable(BOOK, None, frozenset({"everyone", "a"}), open_to) == stranger | {"act0.a.md"}


def test_an_action_of_a_closed_procedure_is_closed_with_it() -> None:
    act = Action("secret", "Secret", source=Source("open.md", "1 Secret"))
    book = Book.of([act], BOOK.procedures.values())
    assert usable(book, CHART, frozenset({"everyone", "b", "b2"}), open_to) == {"secret"}
    assert usable(book, CHART, frozenset({"everyone", "a"}), open_to) == frozenset()
