"""The figures of the review desk, worked by hand."""

import pytest

from store.reviews import Agreement, Count
from trag.review import agreement
from trag.review.agreement import Row, kappa, rows, total, weeks


def test_a_row_counts_verdicts_that_hold_and_what_waits() -> None:
    found = rows(
        [
            Count("d1", "Correct", 6),
            Count("d1", "Correct-Verbose", 2),
            Count("d1", "Incorrect", 2),
            Count("d1", "open", 5),
            Count("d1", "disputed", 1),
            Count("d2", "second", 3),
            Count("d3", "Incorrect", 10),
        ]
    )
    assert found == (Row("d1", 6, 2, 2, 6), Row("d3", 0, 0, 10, 0), Row("d2", 0, 0, 0, 3))
    assert (found[0].judged, found[0].answers) == (10, 16)
    assert (found[0].right.share, found[0].wordy.share, found[2].right.share) == (0.8, 0.2, 0.0)
    assert total(found) == Row("", 6, 2, 12, 9)


def test_weeks_without_an_answer_keep_their_place_and_only_the_last_are_drawn() -> None:
    found = weeks([Row("2026-11-16", 1, 0, 0, 0), Row("2026-11-02", 0, 0, 0, 4)])
    assert [(row.value, row.answers) for row in found] == [("2026-11-02", 4), ("2026-11-09", 0), ("2026-11-16", 1)]
    found = weeks([Row("2026-11-16", 1, 0, 0, 0), Row("2020-01-06", 1, 0, 0, 0)])
    assert (len(found), found[0].value, found[-1].value) == (agreement.LONGEST, "2026-05-25", "2026-11-16")
    assert weeks([]) == ()


@pytest.mark.parametrize(
    ("agreements", "value", "word"),
    [
        # The textbook's 50 proposals: 0.7 agree, 0.5 would by chance, so kappa is 0.4.
        pytest.param((("C", "C", 20), ("C", "I", 5), ("I", "C", 10), ("I", "I", 15)), 0.4, "fair", id="half way"),
        pytest.param((("C", "C", 5), ("V", "V", 5), ("I", "I", 5)), 1.0, "almost perfect", id="always"),
        pytest.param((("C", "I", 5), ("I", "C", 5)), -1.0, "poor", id="never"),
        pytest.param((("C", "C", 5),), None, "", id="one verdict for all"),
        pytest.param((), None, "", id="nothing"),
    ],
)
def test_kappa_is_the_agreement_beyond_chance(
    agreements: tuple[tuple[str, str, int], ...], value: float | None, word: str
) -> None:
    names = {"C": "Correct", "V": "Correct-Verbose", "I": "Incorrect"}
    found = kappa(Agreement(names[first], names[second], number) for first, second, number in agreements)
    assert found.pairs == sum(number for *_, number in agreements)
    assert (found.value if value is None else pytest.approx(found.value)) == value
    assert found.word == word


def test_the_interval_of_kappa_is_cohens() -> None:
    given = (("Correct", "Correct", 20), ("Correct", "Incorrect", 5), ("Incorrect", "Correct", 10))
    found = kappa(Agreement(*each) for each in (*given, ("Incorrect", "Incorrect", 15)))
    # 1.96 * sqrt(0.7 * 0.3 / 50) / 0.5
    assert (found.low, found.high) == (pytest.approx(0.1460, abs=1e-4), pytest.approx(0.6540, abs=1e-4))
    assert found.table == ((20, 0, 5), (0, 0, 0), (10, 0, 15))
