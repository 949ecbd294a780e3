"""Templates filled from a real database: the truth is what its SQL gives, once, in the words that people say."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest

from store.source import Column, Source, Table, make
from trag.evaluate.grammar.questions import Dropped, Filled, cases, fill, holds, ways_to_say
from trag.evaluate.grammar.templates import Ready, Template, check

PERSON = Table("person", (Column("name"), Column("town"), Column("born", "DATE"), Column("photo", "ANY")))
ROWS = [
    ("Ann", "Tarn", "1990-02-01", 7),
    ("Bo", "Hale", None, b"\xff"),
    ("Cy", "Hale", "1990-02-01", 7),
    ("Cy", "Mere", "1991-05-05", 7),  # a namesake: where does Cy live?
    ("Dee of Ayr", "Ayr", "1980-01-31", 7),
    ("Eve", "", "1970-12-24", 7),
    ("x" * 200, "Tarn", "1990-02-02", 7),
]
LONG = "because " * 30


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    make(tmp_path / "p.db", (PERSON,), {"person": ROWS})
    with closing(Source(f"sqlite:///{tmp_path / 'p.db'}")) as opened:
        yield opened


def ready(source: Source, *wanted: str) -> tuple[Ready, ...]:
    templates = []
    for sql in wanted:
        column = sql.split("[")[1].split("]")[0]
        shorts = tuple(f"{number} [{column}]" for number in ("one", "two", "three"))
        templates.append(Template(sql, shorts, (f"{LONG}[{column}]",)))
    found, problems = check(templates, source.tables, source.dialect)
    assert not problems
    return found


def filled(source: Source, *wanted: str, bound: int = 9, seed: int = 1, texts: int = 2) -> Filled:
    return fill(ready(source, *wanted), source, seed=seed, bound=bound, texts=texts)


def test_only_fillings_with_one_answer_that_can_be_said_and_is_not_given_away_are_asked(source: Source) -> None:
    found = filled(source, "SELECT town FROM person WHERE name = '[person.name]'")
    assert {meaning.values: meaning.answer for meaning in found.meanings} == {("Ann",): "Tarn", ("Bo",): "Hale"}
    # Cy lives in two towns, the name of Dee gives hers away, nobody says 200 letters, and the town of Eve is empty.
    assert found.dropped == Dropped(no_answer=1, several=1, unsayable=1, given_away=1)


def test_a_day_is_asked_for_and_answered_in_words(source: Source) -> None:
    (meaning,) = filled(source, "SELECT name FROM person WHERE born = '[person.born]' AND town = 'Mere'").meanings
    assert (meaning.values, meaning.answer) == (("5 May 1991",), "Cy")
    (other,) = filled(source, "SELECT born FROM person WHERE name = '[person.name]' AND town = 'Tarn'").meanings
    assert "February 1, 1990" in other.gold[0]


def test_the_same_answer_twice_is_one_and_a_count_of_rows_is_an_answer(source: Source) -> None:
    assert len(filled(source, "SELECT photo FROM person WHERE name = '[person.name]' AND photo = 7").meanings) == 4
    counted = filled(source, "SELECT COUNT(*) FROM person WHERE town = '[person.town]'").meanings
    assert {meaning.values[0]: meaning.gold[0] for meaning in counted}["Hale"] == ("2", "two")


def test_a_value_that_nobody_says_is_no_answer(source: Source) -> None:
    found = filled(source, "SELECT photo FROM person WHERE town = '[person.town]' AND name = 'Bo'")
    assert (found.meanings, found.dropped.unsayable) == ((), 1)


def test_texts_are_filled_and_bound_and_become_cases_of_one_group(source: Source) -> None:
    (meaning,) = filled(source, "SELECT town FROM person WHERE name = '[person.name]' AND town = 'Tarn'").meanings
    assert len(meaning.short) == 2
    assert all(text.endswith(" Ann") for text in meaning.short)
    made = cases((meaning,))
    assert [(case.kind, case.group) for case in made] == [("short", "01-01")] * 2 + [("long", "01-01")]
    assert len({case.id for case in made}) == 3
    assert made[0].gold == (("Tarn",),)


def test_a_seed_draws_the_same_values_in_whatever_order_they_are_stored(source: Source, tmp_path: Path) -> None:
    sql = "SELECT born FROM person WHERE name = '[person.name]'"
    make(tmp_path / "turned.db", (PERSON,), {"person": ROWS[::-1]})
    with closing(Source(f"sqlite:///{tmp_path / 'turned.db'}")) as turned:
        assert filled(source, sql, bound=2) == filled(turned, sql, bound=2)
    drawn = {tuple(one.values[0] for one in filled(source, sql, bound=2, seed=seed).meanings) for seed in range(9)}
    assert len(drawn) > 1


def test_a_template_that_does_not_run_is_told_and_the_others_are_filled(source: Source) -> None:
    good, bad = ready(
        source,
        "SELECT town FROM person WHERE name = '[person.name]'",
        "SELECT SUM(town) FROM person JOIN person AS p ON p.name = person.name WHERE person.name = '[person.name]'",
    )
    missing = replace(bad.select, statement="SELECT missing FROM person", fillings="SELECT missing FROM person")
    broken = replace(bad, select=missing)
    found = fill((good, broken), source, seed=1, bound=3, texts=1)
    assert len(found.meanings) == 2
    assert "template 2" in found.problems[0]
    assert "no such column" in found.problems[0]


@pytest.mark.slow
def test_a_million_rows_are_sampled(tmp_path: Path) -> None:
    table = Table("n", (Column("label"), Column("value", "INTEGER")))
    make(tmp_path / "n.db", (table,), {"n": [(f"label {number}", number + 7) for number in range(1_000_000)]})
    with closing(Source(f"sqlite:///{tmp_path / 'n.db'}")) as many:
        template = Template("SELECT value FROM n WHERE label = '[n.label]'", ("v [n.label]",), (f"{LONG}[n.label]",))
        found, _ = check((template,), many.tables, many.dialect)
        assert len(fill(found, many, seed=1, bound=5, texts=1).meanings) == 5


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("  Quay \n Street ", ("Quay Street",)),
        (5, ("5", "five")),
        (50_000, ("50000", "50,000", "50 000")),
        (3.0, ("3", "three")),
        (Decimal("1250.50"), ("1250.5", "1,250.5", "1250.50", "1,250.50")),
        (-2.5, ("-2.5", "-2.50")),
        (3.14159, ("3.14159",)),
        (Decimal("40.00"), ("40", "40.00")),
        (time(9, 30), ("09:30",)),
        (datetime(2024, 3, 1, 9, 5), ("1 March 2024 09:05", "2024-03-01 09:05")),
        ("2024-02-30", ("2024-02-30",)),
    ],
    ids=str,
)
def test_a_value_is_said_in_each_of_its_forms(value: object, expected: tuple[str, ...]) -> None:
    assert ways_to_say(value) == expected


@pytest.mark.parametrize(
    "value", [date(2024, 3, 1), "2024-03-01", "2024-03-01 00:00:00", datetime(2024, 3, 1)], ids=str
)
def test_a_day_is_said_as_people_write_days(value: object) -> None:
    assert {"1 March 2024", "March 1, 2024", "2024-03-01", "01/03/2024"} <= set(ways_to_say(value))


@pytest.mark.parametrize(
    "value",
    [
        None, "", " - ", b"\xff", {"a": 1}, [1], True, float("nan"), float("inf"), UUID(int=1), timedelta(1), "x" * 121,
        "a\x00b", '{"nested": [1]}',
    ],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_what_nobody_says_has_no_form(value: object) -> None:
    assert ways_to_say(value) == ()


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("It is the  LEGAL\noffice.", "Legal Office", True),
        ("the illegal office", "legal office", False),
        ("C++ (2024)", "C++", True),
        ("15 days", "5", False),
        ("x", " ", False),
    ],
)
def test_words_are_held_whole_whatever_their_case(text: str, words: str, expected: bool) -> None:
    assert holds(text, words) is expected
