"""The scoring of the finder: sets are checked whole, and a mention is right once at most."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.finder.__main__ import Tally, read_set, score

CHART = """\
name,parent,aliases
Top,,
Finance Office,Top,
Health Office,Top,HO
Library,Health Office,
Library,Finance Office,
"""


def made(folder: Path, *questions: str) -> Path:
    (folder / "chart.csv").write_text(CHART, encoding="utf-8")
    lines = (json.dumps({"question": question}) for question in questions)
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_every_problem_of_a_set_is_told_at_once(tmp_path: Path) -> None:
    problems: list[str] = []
    read_set(made(tmp_path, "[[the lib=>Library]]", "[[x=>Nobody]]", "open [[mark", "a", "a"), problems)
    assert len(problems) == 4
    assert "names 2 units" in problems[0]
    assert "line 5" in problems[3]


def test_a_path_tells_units_of_one_name_apart(tmp_path: Path) -> None:
    problems: list[str] = []
    read = read_set(
        made(tmp_path, "[[lib=>Health Office > Library]]", "the [[lib=>Top > Finance Office > Library]]"), problems
    )
    assert read is not None
    assert not problems
    assert [len(question.marked[0].units) for question in read.questions] == [1, 1]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("where is the [[finance office=>Finance Office]]", Tally(1, 0, 1, 1, 1)),
        ("where is the [[finance office=>Health Office]]", Tally(1, 0, 1, 1, 0)),
        ("the finance office", Tally(1, 1, 0, 1, 0)),
        ("[[nothing=>Top]] at all", Tally(1, 0, 1, 0, 0)),
        ("[[HO=>Health Office]] and [[HO=>Health Office]]", Tally(1, 0, 2, 2, 2)),
    ],
)
def test_what_counts_as_right(tmp_path: Path, question: str, expected: Tally) -> None:
    read = read_set(made(tmp_path, question), [])
    assert read is not None
    assert score(read, print_wrong=False) == expected
