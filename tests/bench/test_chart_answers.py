"""The rates that the chart's own answers are held to, on a small chart of the bench."""

from __future__ import annotations

from collections import Counter

import pytest

from bench import chart_answers
from bench.score import known
from bench.verification import HERE
from trag.evaluate.chart_cases import make


@pytest.mark.slow
def test_the_chart_answers_nearly_every_question_about_it_and_hardly_any_wrongly() -> None:
    organization = known(HERE / "organizations" / "kestrel" / "chart.csv")
    assert organization.chart is not None
    cases = make(organization.chart, seed=101, number=96)
    ended = Counter(chart_answers.ended(case, organization)[0] for case in cases)
    assert ended["wrong"] <= 0.02 * len(cases), ended
    assert ended["right"] >= 0.9 * len(cases), ended
