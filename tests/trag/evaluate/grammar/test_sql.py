"""What may run, and every reason why a template may not."""

from contextlib import closing
from pathlib import Path

import pytest

from store.source import Column, Link, Source, Table, make
from trag.evaluate.grammar.sql import understand

UNIT = Table(
    "unit",
    (
        Column("id", is_key=True),
        *map(Column, ("name", "type", "parent_id", "head")),
        Column("photo", "BLOB"),
        Column("extra", "JSON"),
    ),
    (Link("parent_id", "unit", "id"),),
)
STAFF = Table("Project Staff", (Column("No", "INTEGER", is_key=True), Column("Full name"), Column("a.b")))
TABLES = (UNIT, STAFF)


def problems(sql: str, dialect: str = "sqlite") -> str:
    select, found = understand(sql, TABLES, dialect)
    assert (select is None) is bool(found)
    return "; ".join(found)


def test_a_template_gives_a_statement_with_bound_values_and_the_query_for_its_fillings() -> None:
    select, _ = understand(
        "select COUNT(*) from unit join unit as Up on Up.id = unit.parent_id "
        "where Up.name = '[unit.name]' and unit.type = \"[Unit.TYPE]\" and unit.head <> 'a:b'",
        TABLES,
        "sqlite",
    )
    assert select is not None
    assert [str(one) for one in select.placeholders] == ["[unit.name]", "[unit.type]"]
    assert select.counts
    assert select.statement == (
        'SELECT COUNT(*) FROM "unit" JOIN "unit" AS "Up" ON "Up"."id" = "unit"."parent_id" '
        'WHERE "Up"."name" = :value_0 AND "unit"."type" = :value_1 AND "unit"."head" <> \'a\\:b\''
    )
    assert select.fillings == (
        'SELECT DISTINCT "Up"."name", "unit"."type" FROM "unit" JOIN "unit" AS "Up" ON "Up"."id" = "unit"."parent_id" '
        'WHERE NOT "Up"."name" IS NULL AND NOT "unit"."type" IS NULL AND "unit"."head" <> \'a\\:b\''
    )


@pytest.mark.parametrize("head", ["a\\b", "C:\\d", "\\:e", "f\\\\g:", "h:i::j"])
def test_backslashes_and_colons_of_a_value_are_themselves(head: str, tmp_path: Path) -> None:
    select, _ = understand(f"SELECT type FROM unit WHERE name = '[unit.name]' AND head = '{head}'", TABLES, "sqlite")
    assert select is not None
    make(tmp_path / "units.db", TABLES, {"unit": [("1", "Bar", "team", None, head, None, None)]})
    with closing(Source(f"sqlite:///{tmp_path / 'units.db'}")) as source:
        assert source.rows(select.fillings, most=2) == (("Bar",),)
        assert source.rows(select.statement, {"value_0": "Bar"}, most=2) == (("team",),)


@pytest.mark.parametrize(
    ("sql", "dialect", "statement"),
    [
        (
            "SELECT head FROM UNIT WHERE Unit.Name = '[unit.name]'",
            "postgresql",
            'SELECT DISTINCT "head" FROM "unit" WHERE "unit"."name" = :value_0',
        ),
        (
            'SELECT "a.b" FROM [project staff] WHERE [full NAME] = [Project Staff.Full name]',
            "sqlite",
            'SELECT DISTINCT "a.b" FROM "Project Staff" WHERE "Full name" = :value_0',
        ),
        (
            "SELECT `Full name` FROM `Project Staff` WHERE `a.b` = '[Project Staff.a.b]'",
            "mysql",
            "SELECT DISTINCT `Full name` FROM `Project Staff` WHERE `a.b` = :value_0",
        ),
        (
            "SELECT head /*! INTO OUTFILE 'x' */ FROM unit WHERE name = '[unit.name]' -- done",
            "mysql",
            "SELECT DISTINCT `head` FROM `unit` WHERE `name` = :value_0",
        ),
        (
            "SELECT head FROM unit WHERE name = '[unit.name]'",
            "an unknown kind",
            'SELECT DISTINCT "head" FROM "unit" WHERE "name" = :value_0',
        ),
    ],
    ids=["postgresql folds names", "spaces", "mysql", "comments are left out", "unknown kind"],
)
def test_names_are_quoted_as_the_schema_writes_them(sql: str, dialect: str, statement: str) -> None:
    select, found = understand(sql, TABLES, dialect)
    assert select is not None, found
    assert select.statement == statement


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("DELETE FROM unit", "only SELECT is allowed, found DELETE"),
        ("PRAGMA table_info(unit)", "only SELECT"),
        ("SELECT head FROM unit WHERE name = '[unit.name]'; DROP TABLE unit", "2 statements"),
        ("", "0 statements"),
        ("WHERE ((", "cannot be read"),
        ("SELECT load_extension('x') FROM unit WHERE name = '[unit.name]'", "load_extension(): a function"),
        ("SELECT head FROM pg_ls_dir('/') WHERE name = '[unit.name]'", "a function"),
        ("SELECT head INTO x FROM unit WHERE name = '[unit.name]'", "SELECT INTO writes"),
        ("SELECT head FROM unit WHERE name = '[unit.name]' FOR UPDATE", "FOR UPDATE writes"),
        ("WITH x AS (DELETE FROM unit RETURNING head) SELECT head FROM x", "WITH"),
        ("SELECT head FROM unit WHERE name = '[unit.name]' UNION SELECT name FROM unit", "only SELECT"),
        ("SELECT head FROM unit WHERE name IN (SELECT name FROM unit)", "a query within a query"),
        ("SELECT head FROM unit WHERE name = '[unit.name]' ORDER BY head LIMIT 1", "ORDER BY would pick"),
        ("SELECT type, COUNT(*) FROM unit WHERE name = '[unit.name]' GROUP BY type", "GROUP BY"),
        ("SELECT COUNT(*), head FROM unit WHERE name = '[unit.name]'", "must stand alone"),
        ("SELECT * FROM unit WHERE name = '[unit.name]'", "by name instead of *"),
        ("SELECT head FROM other.unit WHERE name = '[unit.name]'", "no table"),
        ("SELECT head FROM unti WHERE name = '[unit.name]'", "did you mean 'unit'?"),
        ("SELECT haed FROM unit WHERE name = '[unit.name]'", "did you mean 'head'?"),
        ("SELECT head FROM unit", "no placeholder"),
        ("SELECT head FROM unit WHERE name = '[unit.nickname]'", "no placeholder '[table.column]' of this database"),
        ("SELECT head FROM unit WHERE name = '[unit.name] Office'", "no placeholder"),
        ("SELECT head FROM unit WHERE name LIKE '[unit.name]'", "Like is not among"),
        ("SELECT head FROM unit WHERE name = '[unit.name]' OR type = 'x'", "must stand in WHERE as"),
        ("SELECT head FROM unit WHERE name <> '[unit.name]'", "must stand in WHERE as"),
        ("SELECT head FROM unit WHERE name = '[unit.name]' AND type = '[unit.name]'", "appears twice"),
        ("SELECT name FROM unit WHERE name = '[unit.name]'", "both asked for and given"),
        ("SELECT parent_id FROM unit WHERE name = '[unit.name]'", "an identifier"),
        ("SELECT head FROM unit WHERE id = '[unit.id]'", "an identifier"),
        ("SELECT photo FROM unit WHERE name = '[unit.name]'", "(BLOB)"),
        ("SELECT extra FROM unit WHERE name = '[unit.name]'", "(JSON)"),
    ],
)
def test_what_breaks_the_criteria_is_refused_with_the_reason(sql: str, told: str) -> None:
    assert told in problems(sql)


def test_all_that_is_wrong_is_told_at_once() -> None:
    assert problems("SELECT id, photo FROM unit WHERE nam = '[unit.name]'").count(";") == 2
