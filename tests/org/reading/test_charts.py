"""Which column is which, and what is odd in a cell."""

from __future__ import annotations

import pytest

from org.reading.cells import COLUMNS, clean, guard, is_formula, unguard
from org.reading.charts import MAX_NAME, Reading, Row, interpret
from org.reading.problems import Problem
from org.reading.table import read


def reading(content: str, choice: dict[str, str] | None = None, name: str = "chart.csv") -> Reading:
    return interpret(read(content.encode(), name), choice)


def test_header_in_any_order_and_case_with_further_columns() -> None:
    found = reading(' Parent ,Head,NAME,Aliases,Phone Nr,\n,Ann,Top,"A | B|a|", 12 ,\nTop,Bo,"Low, lower",,,\n')
    assert found.rows == (
        Row(2, "", "Top", "", "", ("A", "B", "a"), "", head="Ann", attributes=(("Phone Nr", "12"),)),
        Row(3, "", "Low, lower", "Top", "", (), "", head="Bo"),
    )
    assert found.problems == ()
    assert found.header == ("Parent", "Head", "NAME", "Aliases", "Phone Nr")
    assert found.columns == (("name", "NAME"), ("parent", "Parent"), ("aliases", "Aliases"), ("head", "Head"))
    assert found.samples == (("", "Ann", "Top", "A | B|a|", "12", ""), ("Top", "Bo", "Low, lower", "", "", ""))


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Unit,Reports to,Unit type", "name=Unit parent=Reports to type=Unit type"),
        ("Department name,Parent department,Acronym", "name=Department name parent=Parent department aliases=Acronym"),
        ("unit_id,orgUnit,parentId,E-Mail", "id=unit_id name=orgUnit parent=parentId email=E-Mail"),
        (
            "Name,Übergeordnete Einheit,Leiter,Kürzel",
            "name=Name parent=Übergeordnete Einheit aliases=Kürzel head=Leiter",
        ),
        ("Name,parent,E-mail,email", "name=Name parent=parent email=email"),
        ("Unité,Rattachement,Responsable", "name=Unité parent=Rattachement head=Responsable"),
        ("Nombre,Unidad superior,Jefe", "name=Nombre parent=Unidad superior head=Jefe"),
        ("الاسم,الجهة الأعلى,النوع", "name=الاسم parent=الجهة الأعلى type=النوع"),
        ("Название,Родитель,Код", "name=Название parent=Родитель code=Код"),
        ("部门,上级部门,负责人", "name=部门 parent=上级部门 head=负责人"),
    ],
    ids=["english", "departments", "ids", "german", "both", "french", "spanish", "arabic", "russian", "chinese"],
)
def test_well_known_words_are_read_with_a_warning_that_says_how(header: str, columns: str) -> None:
    found = reading(f"{header}\nTop\n")
    assert " ".join(f"{column}={text}" for column, text in found.columns) == columns
    told = [problem.message for problem in found.problems if "was read as" in problem.message]
    guessed = [f'The column "{text}" was read as {column}.' for column, text in found.columns if text.lower() != column]
    assert sorted(told) == sorted(guessed)


def test_a_choice_goes_before_names_and_words() -> None:
    content = "name,Short,Parent unit,Boss,type\nHealth Division,HD,Top,Ann,division\n"
    found = reading(content, {"name": "Short", "aliases": "name", "head": "boss", "type": ""})
    (row,) = found.rows
    assert (row.name, row.aliases, row.parent, row.head, row.type) == ("HD", ("Health Division",), "Top", "Ann", "")
    assert row.attributes == (("type (other)", "division"),)
    assert [problem.message for problem in found.problems] == ['The column "Parent unit" was read as parent.']


@pytest.mark.parametrize(
    ("content", "choice", "message"),
    [
        ("Bereich,Chefin\nTop,\n", None, "No column is called name and parent. Found: Bereich, Chefin"),
        ("name,boss\nA,\n", None, "No column is called parent. Found: name, boss"),
        ("name,parent,name\nA,,B\n", None, "Two columns are called name"),
        ("name,parent\nA,\n", {"parent": "Boss"}, 'No header is "Boss", which was chosen for parent. Found: name'),
        ("name,parent\nA,\n", {"mother": "parent"}, 'There is no column "mother"'),
    ],
    ids=["neither", "no parent", "twice", "chosen but not there", "unknown column"],
)
def test_what_cannot_be_told_still_shows_the_headers_and_samples(
    content: str, choice: dict[str, str] | None, message: str
) -> None:
    found = reading(content, choice)
    assert not found.rows
    assert any(message in problem.message for problem in found.problems), found.problems
    assert all(problem.row == 1 and problem.hint for problem in found.problems)
    assert found.header[:2] == tuple(content.split("\n")[0].split(",")[:2])
    assert found.samples


def test_a_title_may_stand_above_the_header() -> None:
    found = reading("Our chart,,\nas of May,,\nname,parent,type\nTop,,office\n")
    assert [(row.number, row.name) for row in found.rows] == [(4, "Top")]
    assert "found in row 3" in found.problems[0].message


def test_headers_that_are_empty_or_twice_are_told_apart() -> None:
    found = reading("name,parent,,Note,note\nTop,,x,y,z\n")
    assert found.rows[0].attributes == (("Column 3", "x"), ("Note", "y"), ("note (2)", "z"))


@pytest.mark.parametrize(
    ("cells", "aliases", "told"),
    [
        ('"A;B"', ("A", "B"), ["The aliases were separated at each semicolon."]),
        ('"A;B|C"', ("A;B", "C"), []),
        ('"A;B|"', ("A;B",), []),
        ('"A, B; C"', ("A, B", "C"), ["The aliases were separated at each semicolon."]),
        ('"A, B"', ("A, B",), ["The aliases were not separated at commas, which names may have too."]),
        ('"A, B|"', ("A, B",), []),
    ],
    ids=["semicolons alone", "bars win", "one with a bar", "semicolons win", "a comma is part of a name", "for sure"],
)
def test_aliases_are_separated_by_bars_or_else_by_semicolons(
    cells: str, aliases: tuple[str, ...], told: list[str]
) -> None:
    found = reading(f"name,parent,aliases\nTop,,{cells}\n")
    assert found.rows[0].aliases == aliases
    assert [problem.message for problem in found.problems] == told


@pytest.mark.parametrize(
    ("line", "message", "name"),
    [
        ("=cmd(),", "The name would run as a formula in a spreadsheet: =cmd()", "=cmd()"),
        ('"\t=1+1",', "would run as a formula", "=1+1"),
        ('"\r@SUM(A1)",', "would run as a formula", "@SUM(A1)"),
        ("＝cmd(),", "would run as a formula", "＝cmd()"),
        ("+A1,", "would run as a formula", "+A1"),
        ("'-cmd,", "would run as a formula", "-cmd"),
        ("Lab\u200b One\u202e,", 'Invisible characters were removed in "Lab One"', "Lab One"),
        ("\u3164Lab\u2066,", "Invisible characters", "Lab"),
        ("Le\u200dgal,", 'Invisible characters were removed in "Legal"', "Legal"),
        ("Пра\u200cво\ufe0f,", "Invisible characters", "Право"),
        ("Legal\U000e0101,", "Invisible characters", "Legal"),
        ("Lab,,extra", "The row has 3 cells, the header 2", "Lab"),
        ("Lab <b>One</b>,", "looks like HTML", "Lab <b>One</b>"),
        ("R&amp;D,", "looks like HTML", "R&amp;D"),
        ("Lab,#N/A", "The parent is #N/A, which is a formula that failed", "Lab"),
        ("n" * (MAX_NAME + 1) + ",", "has 501 characters; 500 are the most", "n" * (MAX_NAME + 1)),
    ],
    ids=[
        "formula", "tab", "carriage return", "full width", "plus", "guarded", "invisible", "filler", "joiner",
        "joiner and selector", "selector", "ragged", "tag",
        "entity", "failed formula", "long",
    ],
)  # fmt: skip
def test_odd_cells_are_kept_and_reported(line: str, message: str, name: str) -> None:
    found = reading(f"name,parent\n{line}\n")
    assert found.rows[0].name == name
    assert [problem.row for problem in found.problems] == [2], found.problems
    assert message in found.problems[0].message


@pytest.mark.parametrize(
    "name",
    ["^(a+)+$", ".*", "-", "–", "R&D", "a < b", "בית ספר", "المكتب", "می‌خواهم", "O'Neill's 'office'", "#1 Lab", "3",
     "क्\u200dष", "ශ්\u200dරී", "葛\U000e0100城市", "Lab 👩\u200d💻", "Care ❤\ufe0f"],
)  # fmt: skip
def test_names_in_any_script_and_with_any_sign_are_no_problem(name: str) -> None:
    found = reading(f'name,parent\n"{name}",\n')
    assert (found.rows[0].name, found.problems) == (name, ())


@pytest.mark.parametrize(
    ("email", "is_odd"),
    [("a.b@c.example.org", False), ("", False), ("a@b", True), ("a@b.org; c@d.org", True), ("see web", True)],
)
def test_an_email_of_a_wrong_shape_is_a_warning(email: str, is_odd: bool) -> None:
    found = reading(f"name,parent,email\nTop,,{email}\n")
    assert found.rows[0].email == email
    assert [problem.severity for problem in found.problems] == ["warning"] * is_odd


def test_short_rows_are_told_once() -> None:
    found = reading("name,parent,type,head\nTop,,office,Ann\nA,Top\nB,Top,team\n")
    assert [row.name for row in found.rows] == ["Top", "A", "B"]
    message = "2 rows have fewer cells than the header (3, 4); the missing ones are empty."
    hint = "Check these rows, if one of their cells should not be empty."
    assert found.problems == (Problem(3, "warning", message, hint),)


@pytest.mark.parametrize("phone", ["+49 30 123-4", "-", "-5", "(030) 1", "+1.5"])
def test_numbers_and_dashes_are_no_formulas(phone: str) -> None:
    assert not is_formula(phone)


@pytest.mark.parametrize("cell", ["=1", "'=1", "''=1", "'", "'x", "\t=1", "＠x", "-", "x", "", "+1", "'\rx"])
def test_a_guard_comes_off_again(cell: str) -> None:
    assert unguard(guard(cell)) == cell
    assert guard(cell)[:1] not in tuple("=+-@＝＋－＠\t\r")


@pytest.mark.parametrize(
    "cell",
    [
        "A\u200d\u0301",
        "می\u200c\u200c\u200dخ",
        "A\ufe0e\ufe0f\u200dB",
        "e\u200b\u0301",
        "\u200c\u200b\u200c x",
        " \x00a\u2028b\ud800 ",
        "A\x85B",
        "\x1f",
    ],
)
def test_a_clean_cell_stays_as_it_is(cell: str) -> None:
    once = clean(cell)
    assert clean(once) == once
    assert once == once.strip()
    assert once.encode().decode() == once


def test_our_columns_are_each_a_word_of_their_own() -> None:
    found = reading(",".join(COLUMNS) + "\n" + ",".join(COLUMNS) + "\n")
    assert found.columns == tuple(zip(COLUMNS, COLUMNS, strict=True))
