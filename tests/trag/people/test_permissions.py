"""What somebody may read, by their role and the place of their unit in the chart."""

from dataclasses import replace

import pytest

from org.chart import Chart
from org.reading.charts import load
from store.library import Document
from store.passage import EVERYONE, OPEN
from store.person import Role
from store.records import Records
from trag.errors import TragError
from trag.people import CurrentUser
from trag.people.permissions import audience_of, hidden, may_read, opened, readers

ROWS = """id,name,parent,type
c,Club,,club
b,Board,Club,board
r,Bar,Club,team
k,Kitchen,Bar,team
"""
CHART = load(ROWS.encode(), "chart.csv")
WITHOUT_BAR = load(b"id,name,parent,type\nc,Club,,club\nb,Board,Club,board\nk,Kitchen,Club,team\n", "chart.csv")
BAR, BOARD = frozenset({"r"}), frozenset({"b"})


def caller(unit: str = "", role: Role = "employee") -> CurrentUser:
    return CurrentUser("1", "anna", "Anna", role, unit)


@pytest.mark.parametrize(
    ("who", "chart", "held"),
    [
        (caller("k"), CHART, {EVERYONE, "c", "r", "k"}),
        (caller("r"), CHART, {EVERYONE, "c", "r"}),
        (caller("r", "reviewer"), CHART, {EVERYONE, "c", "r"}),
        (caller("c"), CHART, {EVERYONE, "c"}),
        (caller(), CHART, {EVERYONE}),
        (caller("gone"), CHART, {EVERYONE}),
        (caller("r"), WITHOUT_BAR, {EVERYONE}),
        (caller("k"), WITHOUT_BAR, {EVERYONE, "c", "k"}),
        (caller("k"), None, {EVERYONE}),
        (caller("k", "admin"), CHART, None),
        (caller(role="admin"), None, None),
        (CurrentUser.local, CHART, None),
    ],
    ids=[
        "a unit and all above it", "not those below", "a reviewer like an employee", "the root", "no unit",
        "a unit that never was", "a unit that is gone", "a unit that was moved", "no chart",
        "an admin", "an admin without a chart", "a home without accounts",
    ],
)  # fmt: skip
def test_who_holds_which_keys(who: CurrentUser, chart: Chart | None, held: set[str] | None) -> None:
    assert readers(who, chart) == held


@pytest.mark.parametrize(
    ("unit", "audience", "may"),
    [
        ("k", BAR, True),
        ("r", BAR, True),
        ("b", BAR, False),
        ("c", BAR, False),
        ("", BAR, False),
        ("", OPEN, True),
        ("b", BAR | BOARD, True),
        ("b", frozenset(), False),
        ("gone", frozenset({"gone"}), False),
    ],
    ids=[
        "below", "the unit", "beside", "above", "without a unit", "everyone", "one of two", "nobody",
        "a unit that is gone opens nothing",
    ],
)  # fmt: skip
def test_a_document_is_for_its_units_and_all_below(unit: str, audience: frozenset[str], may: bool) -> None:
    assert may_read(caller(unit), audience, CHART) is may
    assert may_read(caller(unit, "admin"), audience, CHART)


def test_documents_that_are_hidden_or_gone(records: Records) -> None:
    library = records.library
    for name, audience in (("all.md", OPEN), ("bar.md", BAR), ("board.md", BOARD)):
        library.put(name, "0" * 64, None, [], title="The Bar" if name == "bar.md" else "")
        library.set_audience(name, audience)
    documents: list[Document] = [each for each in library.documents() if each.name.endswith(".md")]
    cook, admin = caller("k"), caller(role="admin")
    assert hidden(cook, documents, CHART) == {"board.md"}
    assert hidden(cook, documents, WITHOUT_BAR) == {"bar.md", "board.md"}
    assert hidden(admin, documents, None) == frozenset()
    names = ["all.md", "bar.md", "board.md", "deleted.md"]
    assert opened(cook, names, library, CHART) == dict(zip(names, ("All", "The Bar", "", ""), strict=True))
    assert opened(admin, names, library, CHART) == {"all.md": "All", "bar.md": "The Bar", "board.md": "Board"}
    assert opened(replace(cook, unit=""), names[:1], library, None) == {"all.md": "All"}


def test_an_audience_is_of_units_by_id_or_name_and_of_everyone_where_none_is_said() -> None:
    assert audience_of([], CHART) == audience_of([], None) == OPEN
    assert audience_of(["r", "board", "r"], CHART) == {"r", "b"}
    assert audience_of(["r", "gone"], CHART, kept=frozenset({"gone"})) == {"r", "gone"}


def test_units_that_nobody_can_tell_are_all_named() -> None:
    twins = load(
        b"id,name,parent,type\nc,Club,,club\n1,Bar,Club,team\nd,Deck,Club,team\n2,Bar,Deck,team\n", "chart.csv"
    )
    with pytest.raises(TragError) as error:
        audience_of(["Bar", "Pool", "c", "Gym"], twins)
    assert all(unit in error.value.message for unit in ("unit Pool", "unit Gym", "units called Bar"))
    with pytest.raises(TragError, match="no unit r"):
        audience_of(["r"], None)
    with pytest.raises(TragError, match=f"no unit {EVERYONE}"):
        audience_of([EVERYONE], CHART, kept=OPEN)
    with pytest.raises(TragError, match="open it to all"):
        audience_of(["Club"], load(f"id,name,parent,type\n{EVERYONE},Club,,club\n".encode(), "chart.csv"))
