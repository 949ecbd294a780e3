"""The database made from a chart and documents, and the shipped templates over it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from org.chart import Chart
from org.reading.charts import load
from store.passage import Passage
from store.source import Source
from trag.errors import TragError
from trag.evaluate.grammar.organization import TABLES, build, shipped, texts
from trag.evaluate.grammar.questions import FORMS, Filled, cases, fill
from trag.evaluate.grammar.templates import check

CHART = """name,parent,type,aliases,head,email,code,floor
Harbour Club,,club,HC,,,,
Board,Harbour Club,board,Directors,Ada Lane,board@club.example,B1,2
Race Committee,Board,committee,The Racers,Bo Finch,race@club.example,R7,
Timing Team,Race Committee,team,,Cy Moss,,T3,
Junior Team,Race Committee,team,,,,,
Bar,Harbour Club,team,,,,,1
"""
TABLE = """Fees – Class: Adult; Yearly fee: 40 pounds.
Fees – Class: Child; Yearly fee: none.
An ordinary line: it is no table."""


@pytest.fixture(scope="module")
def chart() -> Chart:
    return load(CHART.encode(), "club.csv")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, chart: Chart) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("club")
    passage = Passage("1", "section", "rules.md", "Fees", None, TABLE)
    build(folder / "club.db", chart, (passage, passage))
    with closing(Source(f"sqlite:///{folder / 'club.db'}")) as source:
        ready, problems = check(shipped(), source.tables, source.dialect)
        assert not problems
        yield fill(ready, source, seed=1, bound=20, texts=3)


def answers(filled: Filled, sql: str) -> dict[tuple[str, ...], str]:
    """What is asked by the template whose SQL begins so."""
    return {meaning.values: meaning.answer for meaning in filled.meanings if meaning.sql.startswith(sql)}


def test_the_shipped_templates_keep_to_the_criteria_and_are_varied() -> None:
    templates = shipped()
    ready, problems = check(templates, TABLES, "sqlite")
    assert problems == ()
    assert len(ready) >= 20
    assert all(len(one.short) == len(one.long) == 3 for one in templates)
    said = [text for one in templates for text in (*one.short, *one.long)]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT top.name", "Timing Team: Board; Junior Team: Board; Race Committee: Harbour Club"),
        ("SELECT branch.name", "Race Committee: Board; Timing Team: Board; Junior Team: Board"),
        ("SELECT unit.name FROM alias", "HC: Harbour Club; Directors: Board; The Racers: Race Committee"),
        ("SELECT head FROM unit", "Board: Ada Lane; Race Committee: Bo Finch; Timing Team: Cy Moss"),
        (
            "SELECT above.email",
            "Race Committee: board@club.example; Timing Team: race@club.example; Junior Team: race@club.example",
        ),
        ("SELECT units_below", "Harbour Club: 5; Board: 3; Race Committee: 2"),
        ("SELECT COUNT(*) FROM unit WHERE type", "club: 1; board: 1; committee: 1; team: 3"),
        ("SELECT detail.value", "Board, floor: 2; Bar, floor: 1"),
        ("SELECT value FROM fact", "Fees, Class, Adult, Yearly fee: 40 pounds"),
    ],
    ids=lambda value: value if value.startswith("SELECT") else "",
)
def test_the_truth_is_that_of_the_chart_and_the_tables(filled: Filled, sql: str, expected: str) -> None:
    found = {f"{', '.join(values)}: {answer}" for values, answer in answers(filled, sql).items()}
    assert found == set(expected.split("; "))


def test_a_unit_that_is_not_the_only_one_is_not_asked_for(filled: Filled) -> None:
    found = answers(filled, "SELECT unit.name FROM unit JOIN unit AS above")
    assert ("Race Committee", "team") not in found  # two teams are under it
    assert found["Harbour Club", "team"] == "Bar"


def test_every_meaning_is_asked_equally_often_in_both_forms(filled: Filled) -> None:
    assert all(len(meaning.short) == len(meaning.long) == 3 for meaning in filled.meanings)
    made = cases(filled.meanings)
    assert {case.kind for case in made} == set(FORMS)
    assert not any("[" in case.question for case in made)


def test_the_texts_of_a_chart_hold_what_is_near_each_unit(chart: Chart) -> None:
    (found,) = [text for text in texts(chart) if text.startswith("Harbour Club ; Board ; Race Committee ; board")]
    assert all(word in found for word in ("Bo Finch", "Ada Lane", "R7", "Timing Team", "committee", "The Racers"))
    assert list(texts(None)) == []


def test_a_home_with_nothing_in_it_has_nothing_to_audit(tmp_path: Path) -> None:
    with pytest.raises(TragError, match="nothing to audit"):
        build(tmp_path / "none.db", None, ())
