"""Example questions taken from what there is to ask about."""

from org.reading.charts import load
from store.passage import Passage
from trag.web.ask import examples

CHART = load(b"name,parent,type\nRoot,,x\nHall,Root,x\nA,Hall,x\nB,Hall,x\nC,Hall,x\nDeep,A,x\n", "chart.csv")
PAIRS = [Passage(str(n), "qa", "m.md", f"section {n // 2}", None, "x", f"Question {n}?") for n in range(12)]


def test_both_the_chart_and_the_documents_are_asked_about() -> None:
    found = examples(CHART, PAIRS)
    assert found[:2] == ("Where does Deep sit?", "What is directly under Hall?")
    assert len(found) == 4
    assert len(set(found)) == 4


def test_documents_alone_give_four_from_different_sections() -> None:
    assert examples(None, PAIRS) == ("Question 1?", "Question 3?", "Question 5?", "Question 7?")


def test_sections_and_long_questions_give_none() -> None:
    sections = [
        Passage("1", "section", "m.md", "s", None, "x"),
        Passage("2", "qa", "m.md", "s", None, "x", "long " * 40),
    ]
    assert examples(None, sections) == ()
    assert examples(None, []) == ()
    assert examples(load(b"name,parent,type\nAlone,,x\n", "c.csv"), []) == ()
