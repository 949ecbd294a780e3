"""Files of templates, the criteria for texts, and templates by a model, which says many things beside."""

import pytest

from store.source import Column, Link, Table
from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate.grammar.templates import Template, check, generate, lines, read, statements, write

TABLES = (Table("unit", (Column("name"), Column("head"))),)
LONG = "I would like to know " + "very much " * 13 + "who leads [unit.name]"
FILE = f"""# a comment
sql: SELECT head FROM unit
  WHERE name = '[unit.name]'
short: head of [unit.name]
long: {LONG}

sql: SELECT name FROM unit WHERE head = '[unit.head]'
short: led by [unit.head]
"""


def test_a_file_is_read_with_lines_that_go_on_and_written_to_the_same() -> None:
    first, second = read(FILE.encode(), "x.txt")
    assert first == Template("SELECT head FROM unit WHERE name = '[unit.name]'", ("head of [unit.name]",), (LONG,))
    assert second.long == ()
    assert read(write((first, second)), "x.txt") == (first, second)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"short: x\nwhat: y\nsql:", ["line 1", "line 2", "line 3"]),
        (b"\n# nothing\n", ["holds no template"]),
        (b"\xff", ["no UTF-8"]),
    ],
    ids=["lines", "empty", "bytes"],
)
def test_all_bad_lines_of_a_file_are_told_at_once(content: bytes, told: list[str]) -> None:
    with pytest.raises(TragError) as refused:
        read(content, "x.txt")
    assert all(words in refused.value.message for words in told), refused.value.message


def test_a_good_template_is_ready_and_its_placeholders_are_written_as_the_schema_does() -> None:
    sql = "SELECT head FROM unit WHERE name = '[unit.name]'"
    ready, problems = check((Template(sql, ("head of '[Unit.Name]'",), (LONG,)),), TABLES, "sqlite")
    assert (problems, ready[0].template.short) == ((), ("head of [unit.name]",))


@pytest.mark.parametrize(
    ("short", "long", "told"),
    [
        (("who leads it",), (LONG,), "[unit.name] is missing"),
        (("[unit.name] and [unit.head]",), (LONG,), "[unit.head] is not in the SQL"),
        (("head " * 20 + "[unit.name]",), (LONG,), "at most 14 are short"),
        (("head of [unit.name]",), ("Who leads [unit.name]?",), "has 3 words, a long form has at least 30"),
        ((), (LONG,), "no short text"),
        (("head of [unit.name]",), (), "no long text"),
    ],
)
def test_texts_that_are_not_of_their_form_are_told(short: tuple[str, ...], long: tuple[str, ...], told: str) -> None:
    ready, problems = check(
        (Template("SELECT head FROM unit WHERE name = '[unit.name]'", short, long),), TABLES, "sqlite"
    )
    assert not ready
    assert any(told in problem for problem in problems), problems


LINKED = (
    Table("Client", (Column("Id", "INTEGER", is_key=True), Column("Name"), Column("Town"))),
    Table("Project", (Column("Name"), Column("ClientId", "INTEGER")), (Link("ClientId", "Client", "Id"),)),
)
ASKED = "Because I have to write " + "and write " * 15 + "to them, where is '[client.name]' seated?"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM b WHERE c = '[b.c]'\nSELECT d FROM b WHERE c = '[b.c]'",
        "Here you are:\n```sql\nSELECT a FROM b\nWHERE c = '[b.c]';\n\nSELECT d FROM b WHERE c = '[b.c]';\n```\nEnjoy.",
        "1. `SELECT a FROM b WHERE c = '[b.c]';`\n2. `SELECT d FROM b WHERE c = '[b.c]';`",
    ],
    ids=["plain", "fenced", "numbered"],
)
def test_sql_is_found_in_whatever_stands_around_it(text: str) -> None:
    assert list(statements(text)) == ["SELECT a FROM b WHERE c = '[b.c]'", "SELECT d FROM b WHERE c = '[b.c]'"]


def test_texts_are_found_without_numbers_labels_and_quotation_marks() -> None:
    said = 'Sure:\n1. town of [a.b]\n- "seat of [a.b]"\n**Query 3:** nothing\nShort: where is [a.b]\n'
    assert list(lines(said)) == ["town of [a.b]", "seat of [a.b]", "where is [a.b]"]


def test_what_keeps_to_the_criteria_is_kept_and_the_rest_is_told() -> None:
    model = Scripted(
        "SELECT Town FROM Client WHERE Name = '[Client.Name]';\n"
        "SELECT Id FROM Client WHERE Name = '[Client.Name]';\nDROP TABLE Client",
        "SELECT town FROM client WHERE name = '[client.name]'",  # the same again, for the other table
        "town of [Client.Name]\nwhere they sit\nseat of [client.name]",
        f"{ASKED}\nWhere is [Client.Name]?",
    )
    found = generate(LINKED, "sqlite", model, texts=2)
    (template,) = found.templates
    assert template.short == ("town of [Client.Name]", "seat of [Client.Name]")
    assert template.long == (ASKED.replace("'[client.name]'", "[Client.Name]"),)
    # The Id, and a long text of three words; what has no SELECT or placeholder is no template.
    assert len(found.reasons) == 2
    assert any("identifier" in reason for reason in found.reasons)


def test_the_model_sees_the_schema_with_what_a_table_is_linked_to() -> None:
    model = Scripted("", "")
    assert generate(LINKED, "sqlite", model, texts=2).templates == ()
    read = model.asked[0][-1].content
    assert "Client(Id INTEGER, Name TEXT, Town TEXT)" in read
    assert "Project.ClientId is a Client.Id" in read


def test_a_template_without_texts_in_both_forms_is_left_out() -> None:
    model = Scripted("SELECT Town FROM Client WHERE Name = '[Client.Name]'", "", "town of [Client.Name]", "no long one")
    found = generate(LINKED, "sqlite", model, texts=2)
    assert found.templates == ()
    assert "no text that can be used" in found.reasons[-1]
