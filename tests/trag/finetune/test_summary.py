"""How a candidate stands: its figures count only while what they were measured against is what answers."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from trag.finetune import gate
from trag.models.adapters import Against, Figure, Manifest, Measured, Standing, Verdict, standing

FIGURE = Figure("All questions", 40, 20, 30, 12, 2, 0.013)
NOW = Against("b" * 64, "shipped", "a" * 64)
RESULTS = Measured(
    datetime(2026, 11, 20, 20, tzinfo=UTC), "shipped", Verdict(True, ("Better: all.",), (FIGURE,)), "r", "a" * 64
)
CANDIDATE = Manifest(
    "20261120-0a0a0a0a", datetime(2026, 11, 20, tzinfo=UTC), "SmolLM2", "b" * 64, "c" * 64, "d" * 64, (), "ada", RESULTS
)
NOT_BETTER = replace(CANDIDATE, results=replace(RESULTS, verdict=replace(RESULTS.verdict, promote=False)))


@pytest.mark.parametrize(
    ("candidate", "now", "has", "said"),
    [
        (CANDIDATE, NOW, "earned", "earned its place: it was better than shipped"),
        (NOT_BETTER, NOW, "not earned", "do not say that it is better than shipped"),
        (replace(CANDIDATE, results=None), NOW, "unmeasured", "was not measured"),
        (CANDIDATE, replace(NOW, adapter="20261121-0b0b0b0b"), "outdated", "beside shipped as it was on 2026-11-20"),
        (CANDIDATE, replace(NOW, adapter_sha256="e" * 64), "outdated", "which is not what answers now"),
        (CANDIDATE, replace(NOW, base_sha256="e" * 64), "outdated", "measure it again"),
        (CANDIDATE, None, "outdated", "measure it again"),
        (replace(CANDIDATE, results=replace(RESULTS, against_sha256=None)), NOW, "outdated", "measure it again"),
        (CANDIDATE, replace(NOW, adapter=CANDIDATE.id), "outdated", "It answers now."),
    ],
    ids=[
        "better",
        "not better",
        "not measured",
        "another adapter",
        "another adapter of that name",
        "another model",
        "nothing answers",
        "not written down",
        "answers itself",
    ],
)
def test_a_candidate_has_earned_its_place_beside_what_it_was_measured_against(
    candidate: Manifest, now: Against | None, has: Standing, said: str
) -> None:
    assert standing(candidate, now) == has
    assert said in gate.standing_sentence(candidate, now)


def test_in_a_list_it_is_said_beside_what_it_was_measured() -> None:
    other = replace(NOW, adapter="20261121-0b0b0b0b")
    assert gate.standing_line(CANDIDATE, NOW) == "beside shipped: Better: all."
    assert gate.standing_line(CANDIDATE, other) == "beside shipped, which is not what answers now: Better: all."
    assert gate.standing_line(CANDIDATE, replace(NOW, adapter=CANDIDATE.id)) == "beside shipped: Better: all."
    assert gate.standing_line(replace(CANDIDATE, results=None), NOW) == "not measured"


def test_figures_are_a_table() -> None:
    assert gate.figure_table(RESULTS) == (
        "               Questions  Before      After       Gained  Lost  p",
        "All questions  40         20 (50.0%)  30 (75.0%)  12      2     0.013",
        "Better: all.",
    )
