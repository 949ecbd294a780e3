"""Files of templates, and the criteria for texts."""

import pytest

from store.source import Column, Table
from trag.errors import TragError
from trag.evaluate.grammar.templates import Template, check, read, write

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
