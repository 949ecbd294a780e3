"""People from a table: read, or every problem told at once."""

import pytest

from org.reading.charts import load
from trag.errors import TragError
from trag.people.user_import import MOST, read_roster, unit_of, without

CHART = load(
    b"id,name,parent,type\nclub,Club,,club\nboard,Board,club,board\nb1,Bar,club,team\nb2,Bar,board,team\n", "c.csv"
)


@pytest.mark.parametrize(
    "content",
    [
        b"name,shown,role,unit\nada,Ada L,reviewer,Board\n",
        "\ufeffName;Full name;Role;Department\r\nada;Ada L;Reviewer;board\r\n".encode(),
        "name\tshown\trole\tunit\nada\t Ada  L \tREVIEWER\tboard\n".encode("utf-16"),
        b"unit,role,display name,username,phone\nBoard,reviewer,Ada L,ada,1\n",
    ],
    ids=["commas", "semicolons", "tabs", "other headers"],
)
def test_a_table_is_read_however_it_was_saved(content: bytes) -> None:
    (listed,) = read_roster(content, CHART)
    ada = listed.newcomer
    assert (ada.name, ada.shown, ada.role, ada.unit, ada.state) == ("ada", "Ada L", "reviewer", "board", "active")


def test_only_a_name_is_needed() -> None:
    (listed,) = read_roster(b"name\nada\n", None)
    ada = listed.newcomer
    assert (listed.row, ada.shown, ada.role, ada.unit) == (2, "ada", "employee", "")


def test_names_that_are_taken_are_told_with_their_rows_or_left_as_they_are() -> None:
    rows = "".join(f"p{number}\n" for number in range(60))
    listed = read_roster(f"name\n{rows}ada\n\nbo\n".encode(), None)
    there = {f"p{number}" for number in range(60)} | {"bo"}
    with pytest.raises(TragError) as refused:
        without(listed, there, leave=False)
    first = "; ".join(f"row {number + 2}: p{number}" for number in range(20))
    assert refused.value.message.endswith(f"taken: {first}; and 41 more.")
    with pytest.raises(TragError, match=r"row 64: bo\.$"):
        without(listed, {"bo"}, leave=False)
    assert [each.name for each in without(listed, there, leave=True)] == ["ada"]
    assert len(without(listed, frozenset(), leave=False)) == 62


def test_every_problem_is_told_at_once() -> None:
    rows = "name,role,unit\nada,,\nbo,boss,\nADA,,\nc d,,\n,admin,\ney,,Pub\neff,,Bar\n"
    with pytest.raises(TragError) as refused:
        read_roster(rows.encode(), CHART)
    for told in (
        "row 3: 'boss' is no role",
        "row 4: ADA stands in row 2",
        "row 5: 'c d' cannot be a name",
        "row 6: A name to sign in with is missing",
        "row 7: the chart has no unit 'Pub'",
        "row 8: 2 units of the chart are called 'Bar'",
    ):
        assert told in refused.value.message


def test_everything_that_is_wrong_with_a_row_is_told_with_what_to_do() -> None:
    rows = f"name,shown,role,unit\nada,,,\na b,{'x' * 101},boss,Nowhere\nADA,,boss,\n".encode()
    with pytest.raises(TragError) as refused:
        read_roster(rows, CHART)
    assert refused.value.message == (
        "Nobody was added: row 3: 'a b' cannot be a name to sign in with; "
        f"row 3: {'x' * 100!r} cannot be shown as a name; "
        "row 3: 'boss' is no role, which are employee, reviewer, admin; row 3: the chart has no unit 'Nowhere'; "
        "row 4: 'boss' is no role, which are employee, reviewer, admin; row 4: ADA stands in row 2 already."
    )
    assert refused.value.hint == (
        "It may have 1 to 100 letters, digits and any of . _ - + @ ', and no spaces. It may have 100 characters. "
        "Correct the file and import it again."
    )


def test_two_spellings_that_are_one_name_here_are_told_and_a_sentence_ends_once() -> None:
    with pytest.raises(TragError, match=r"row 3: ﬁne stands in row 2 already\.$"):
        read_roster("name\nFine\nﬁne\n".encode(), None)
    with pytest.raises(TragError, match=r"row 2: A name to sign in with is missing\.$"):
        read_roster(b"name,role\n,admin\n", None)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"who,role\nada,admin\n", 'no column "name"'),
        (b"PK\x03\x04", "workbook"),
        (b"name\n" + b"".join(b"p%d\n" % n for n in range(MOST + 1)), "too many for one file"),
        (b'name\n"ada\n', "cannot be read"),
        (b"name\n" + b"".join(b"x %d\n" % n for n in range(50)), "and 30 more"),
    ],
)
def test_what_is_no_list_of_people_is_told_in_words(content: bytes, told: str) -> None:
    with pytest.raises(TragError) as refused:
        read_roster(content, CHART)
    assert told in refused.value.message + refused.value.hint


@pytest.mark.parametrize(("wanted", "unit"), [("", ""), ("b1", "b1"), ("Board", "board"), ("BOARD", "board")])
def test_a_unit_is_named_by_its_id_or_its_name(wanted: str, unit: str) -> None:
    assert unit_of(wanted, CHART) == unit
