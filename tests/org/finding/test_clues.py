"""What speaks for and against a reading, and how it adds up."""

from __future__ import annotations

import pytest

from org.chart import load
from org.entities import EntityFinder
from org.finding import clues, weighing

CHART = load(
    b"name,parent,aliases\nHarbour Trust,,\nPayroll,Harbour Trust,\nAudit Committee,Harbour Trust,\n"
    b"Information Technology,Harbour Trust,IT\nNorth School,Harbour Trust,\nSouth School,Harbour Trust,\n"
    b"Library,North School,\nLibrary,South School,\n",
    "chart.csv",
)
FINDER = EntityFinder(CHART)


def clues_of(text: str, typed: str) -> set[str]:
    sentence, _, found = FINDER.read(text)
    sure = clues.anchors(sentence, found, FINDER.index)
    for reading in found:
        start, end = sentence.words[reading.first].start, sentence.words[reading.last - 1].end
        if text[start:end] == typed:
            return set(clues.clues(sentence, reading, sure, FINDER.index))
    raise AssertionError(f"{typed!r} is not read in {text!r}")


@pytest.mark.parametrize(
    ("text", "typed", "expected"),
    [
        ("ask payroll", "payroll", "typed lower"),
        ("Payroll told me", "Payroll", "typed title at start"),
        ("ask IT", "IT", "typed capitals acronym"),
        ("is it late", "it", "typed lower acronym"),
        ("which audit committees are there", "audit committees", "category 2"),
        ("phone of the library", "library", "shared given "),
        ("the payroll of us", "payroll", "article given 1"),
        ("is payroll under the audit committee", "payroll", "linked after place 1f"),
        ("and payroll then", "payroll", "rest common given 1"),
        ("ask for the audit comittee", "audit comittee", "put right given 2"),
        ("payroll's number", "payroll's", "owns given 1"),
        ("pay by payroll", "payroll", "before by"),
        ("payroll took my form", "payroll", "object my weak"),
    ],
)
def test_each_clue_is_seen_where_it_stands(text: str, typed: str, expected: str) -> None:
    assert expected in clues_of(text, typed), sorted(clues_of(text, typed))


def test_a_weight_counts_once_and_every_reading_has_the_one_of_always() -> None:
    known = weighing.weights()
    clue = next(clue for clue, weight in known.items() if weight > 0 and clue != weighing.ALWAYS)
    assert weighing.weigh([clue, clue, "no such clue"]) == pytest.approx(known[weighing.ALWAYS] + known[clue])


def test_every_weight_is_one_of_a_clue_that_is_still_given() -> None:
    """After a change of the clues the weights have to be learned again."""
    kinds = {clue.split(" ")[0] for clue in weighing.weights()} - {weighing.ALWAYS}
    texts = [
        "is payroll, the payroll office or the office of payroll under an audit comittee",
        "which libraries are at the north school: library, the trust's library or IT",
        "how big is the audit committee for a payroll run or school",
        "who in payroll decides on IT",
        "PAYROLL OR THE LIBRARY",
        "wo ist die library",
        "payroll",
        "and payroll",
        "which harbour trust is it",
        "which audit committees took my form",
    ]
    seen: set[str] = set()
    for text in texts:
        sentence, _, found = FINDER.read(text)
        sure = clues.anchors(sentence, found, FINDER.index)
        for reading in found:
            seen.update(clue.split(" ")[0] for clue in clues.clues(sentence, reading, sure, FINDER.index))
    assert kinds - seen <= {"nickname", "part", "lower"}
