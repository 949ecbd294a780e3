"""The rates that verification is held to, on the smallest chart of the bench and the wordings kept aside."""

from __future__ import annotations

import pytest

from bench import answers, verification
from org.chart import load
from org.entities import EntityFinder


@pytest.mark.slow
def test_planted_errors_are_found_and_right_answers_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "EACH", 2)
    folder = verification.HERE / "organizations" / "kestrel"
    chart = load((folder / "chart.csv").read_bytes(), "chart.csv")
    finder = EntityFinder(chart)
    wordings = answers.read(verification.HERE / "wordings" / "held-out.txt")
    cases = [*answers.cases(chart, wordings), *answers.sentences_of(folder / "documents")]
    wrong = [case for case in cases if case.error]
    right = [case for case in cases if not case.error]
    missed = [case.answer for case in wrong if not verification.finding(case, chart, finder)]
    alarms = [case.answer for case in right if verification.finding(case, chart, finder)]
    assert len(missed) <= 0.03 * len(wrong), missed
    assert len(alarms) <= 0.01 * len(right), alarms
