"""Accounts as they are made: names, the first admin, and people imported from a table."""

import pytest

from org.reading.charts import load
from store.records import Records
from trag.errors import TragError
from trag.people import CurrentUser
from trag.people.accounts import (
    LONGEST,
    MOST_IMPORTED,
    accepted,
    accepted_shown,
    first_link,
    make_admin,
    newcomers,
    read_people,
    unit_of,
)

PASSWORD = "violet kettle orbit"
CHART = load(
    b"id,name,parent,type\nclub,Club,,club\nboard,Board,club,board\nb1,Bar,club,team\nb2,Bar,board,team\n", "c.csv"
)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (" Ada  Lovelace ", "Ada Lovelace"),
        ("", "ada"),
        ("Root\u202etooR", "RoottooR"),
        ("R\u200boot\ufeff\u2066", "Root"),
        ("\u200b\u200e\u200d", "ada"),
        ("Ada\x00\x1b[31m", "Ada[31m"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\ud800b", "ab"),
    ],
    ids=["spaces", "none", "turned round", "invisible", "only invisible", "controls", "tags", "joiner", "surrogate"],
)
def test_a_name_is_shown_without_what_nobody_sees(typed: str, shown: str) -> None:
    assert accepted_shown(typed, "ada") == shown


def test_a_name_has_a_length_and_in_two_widths_is_one_name() -> None:
    assert accepted("ｒｏｏｔ") == "root"
    assert accepted_shown("x" * LONGEST, "ada")
    with pytest.raises(TragError, match="cannot be shown"):
        accepted_shown("x" * (LONGEST + 1), "ada")
    assert accepted("x" * LONGEST)
    for typed in ("", "x" * (LONGEST + 1)):
        with pytest.raises(TragError, match="name to sign in with"):
            accepted(typed)


@pytest.mark.parametrize(
    "typed", ["ro\u200bot", "root\u202e", "ro ot", "root\0", "<b>", "a/b", "../x", "'; --", "a\nb"]
)
def test_nobody_signs_in_under_a_name_that_looks_like_another(typed: str) -> None:
    with pytest.raises(TragError, match="name to sign in with"):
        accepted(typed)


@pytest.mark.usefixtures("quick")
def test_the_first_admin_is_made_once_by_a_link_that_a_newer_one_replaces(new_records: Records) -> None:
    records = new_records
    older, link = first_link(records), first_link(records)
    assert records.links.find(older) is None
    with pytest.raises(TragError, match="guessed soon"):
        make_admin(records, "root", "", "password", organization="", by="", link=link, first=True)
    mine = records.start_conversation(CurrentUser.local.person, "Who?")
    root = make_admin(records, "root", "", PASSWORD, organization="", by="", link=link, first=True)
    assert [each.id for each in records.conversations(root.id)] == [mine.id]
    assert (root.role, root.state) == ("admin", "active")
    assert first_link(records) == ""
    with pytest.raises(TragError, match="an admin already"):
        make_admin(records, "second", "", PASSWORD, organization="", by="", first=True)
    third = make_admin(records, "third", "", PASSWORD, organization="", by="terminal", first=False)
    assert records.conversations(third.id) == ()
    assert CurrentUser.of(root).may("reviewer")
    assert not CurrentUser("x", "x", "x", "employee").may("reviewer")


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
    (listed,) = read_people(content, CHART)
    ada = listed.newcomer
    assert (ada.name, ada.shown, ada.role, ada.unit, ada.state) == ("ada", "Ada L", "reviewer", "board", "active")


def test_only_a_name_is_needed() -> None:
    (listed,) = read_people(b"name\nada\n", None)
    ada = listed.newcomer
    assert (listed.row, ada.shown, ada.role, ada.unit) == (2, "ada", "employee", "")


def test_names_that_are_taken_are_told_with_their_rows_or_left_as_they_are() -> None:
    rows = "".join(f"p{number}\n" for number in range(60))
    listed = read_people(f"name\n{rows}ada\n\nbo\n".encode(), None)
    there = {f"p{number}" for number in range(60)} | {"bo"}
    with pytest.raises(TragError) as refused:
        newcomers(listed, there, leave=False)
    first = "; ".join(f"row {number + 2}: p{number}" for number in range(20))
    assert refused.value.message.endswith(f"taken: {first}; and 41 more.")
    with pytest.raises(TragError, match=r"row 64: bo\.$"):
        newcomers(listed, {"bo"}, leave=False)
    assert [each.name for each in newcomers(listed, there, leave=True)] == ["ada"]
    assert len(newcomers(listed, frozenset(), leave=False)) == 62


def test_everything_that_is_wrong_with_a_row_is_told_with_what_to_do() -> None:
    rows = f"name,shown,role,unit\nada,,,\na b,{'x' * 101},boss,Nowhere\nADA,,boss,\n".encode()
    with pytest.raises(TragError) as refused:
        read_people(rows, CHART)
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
        read_people("name\nFine\nﬁne\n".encode(), None)
    with pytest.raises(TragError, match=r"row 2: A name to sign in with is missing\.$"):
        read_people(b"name,role\n,admin\n", None)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"who,role\nada,admin\n", 'no column "name"'),
        (b"PK\x03\x04", "workbook"),
        (b"name\n" + b"".join(b"p%d\n" % n for n in range(MOST_IMPORTED + 1)), "too many for one file"),
        (b'name\n"ada\n', "cannot be read"),
        (b"name\n" + b"".join(b"x %d\n" % n for n in range(50)), "and 30 more"),
    ],
)
def test_what_is_no_list_of_people_is_told_in_words(content: bytes, told: str) -> None:
    with pytest.raises(TragError) as refused:
        read_people(content, CHART)
    assert told in refused.value.message + refused.value.hint


@pytest.mark.parametrize(("wanted", "unit"), [("", ""), ("b1", "b1"), ("Board", "board"), ("BOARD", "board")])
def test_a_unit_is_named_by_its_id_or_its_name(wanted: str, unit: str) -> None:
    assert unit_of(wanted, CHART) == unit


@pytest.mark.parametrize(
    ("wanted", "told"), [("Pub", "the chart has no unit 'Pub'"), ("Bar", "2 units of the chart are called 'Bar'")]
)
def test_a_unit_that_nobody_can_tell_is_told_with_its_row(wanted: str, told: str) -> None:
    with pytest.raises(TragError, match=f"row 3: {told}"):
        read_people(f"name,unit\nada,\nbo,{wanted}\n".encode(), CHART)
