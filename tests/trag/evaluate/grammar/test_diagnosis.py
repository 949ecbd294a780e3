"""One tiny audit worked out by hand: tags, contexts, the three accuracies, the modules at fault.

meaning  short                                long                              tag         owed to
g1       right                                right                             robust
g2       right, read a* b                     wrong, read a*                    non-robust  model (a* was enough)
g3       right, read c*                       wrong, read d                     non-robust  retrieval (c* not brought)
g4       wrong, read d                        wrong, read nothing               gap         database, both
g5       right, read e; wrong, read e f       right, read e                     non-robust  model (e was enough)

An asterisk: the evidence holds the truth. 11 texts, 6 short and 5 long; 6 are right, 4 short and 2 long."""

from fractions import Fraction

import pytest

from trag.evaluate.grammar import diagnosis
from trag.evaluate.grammar.diagnosis import (
    MODULES,
    Group,
    Outcome,
    at_fault,
    covered_meanings,
    diagnose,
    grouped,
    outcome_of,
    sufficient,
    tells,
)
from trag.evaluate.grammar.questions import Meaning
from trag.record import AnswerRecord, ModelUsed, Source


def outcome(group: str, form: str, *, right: bool, read: str = "") -> Outcome:
    names = read.split()
    holding = frozenset(name for name in names if name.endswith("*"))
    return Outcome(group, form, right, frozenset(names), holding)


OUTCOMES = (
    outcome("g1", "short", right=True),
    outcome("g1", "long", right=True),
    outcome("g2", "short", right=True, read="a* b"),
    outcome("g2", "long", right=False, read="a*"),
    outcome("g3", "short", right=True, read="c*"),
    outcome("g3", "long", right=False, read="d"),
    outcome("g4", "short", right=False, read="d"),
    outcome("g4", "long", right=False),
    outcome("g5", "short", right=True, read="e"),
    outcome("g5", "short", right=False, read="e f"),
    outcome("g5", "long", right=True, read="e"),
)
GROUPS = grouped(OUTCOMES)


def test_groups_are_tagged() -> None:
    assert [group.id for group in GROUPS] == ["g1", "g2", "g3", "g4", "g5"]
    assert [group.tag for group in GROUPS] == ["robust", "non-robust", "non-robust", "gap", "non-robust"]
    assert diagnosis.database_accuracy(GROUPS) == pytest.approx(float(1 - Fraction(2, 11)))


@pytest.mark.parametrize(
    ("way", "form", "compared", "expected"),
    [
        (diagnosis.baseline, "", False, Fraction(6, 11)),
        (diagnosis.baseline, "short", False, Fraction(4, 6)),
        (diagnosis.baseline, "long", False, Fraction(2, 5)),
        (diagnosis.baseline, "", True, Fraction(8, 11)),  # with g2 long and the second g5 short
        (diagnosis.gaps_removed, "", False, Fraction(6, 9)),
        (diagnosis.gaps_removed, "short", False, Fraction(4, 5)),
        (diagnosis.gaps_removed, "long", False, Fraction(2, 4)),
        (diagnosis.gaps_removed, "", True, Fraction(8, 9)),
        (diagnosis.gaps_removed, "short", True, Fraction(5, 5)),
        (diagnosis.gaps_removed, "long", True, Fraction(3, 4)),
        (diagnosis.balanced, "", False, (1 + Fraction(1, 2) + Fraction(1, 2) + 0 + Fraction(2, 3)) / 5),
        (diagnosis.balanced, "short", False, (1 + 1 + 1 + 0 + Fraction(1, 2)) / 5),
        (diagnosis.balanced, "long", False, Fraction(1 + 0 + 0 + 0 + 1, 5)),
        (diagnosis.balanced, "", True, (1 + 1 + Fraction(1, 2) + 0 + 1) / 5),
        (diagnosis.balanced, "long", True, Fraction(1 + 1 + 0 + 0 + 1, 5)),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_accuracies_are_those_worked_out_by_hand(way, form: str, compared: bool, expected: Fraction) -> None:  # type: ignore[no-untyped-def]
    assert way(GROUPS, form, compared=compared) == pytest.approx(float(expected))


def test_the_baseline_is_the_refined_accuracy_times_the_share_that_is_no_gap() -> None:  # equation 3
    refined, share = diagnosis.gaps_removed(GROUPS), diagnosis.database_accuracy(GROUPS)
    assert diagnosis.baseline(GROUPS) == pytest.approx((refined or 0) * (share or 0))


def test_balancing_counts_only_meanings_with_texts_in_every_form() -> None:
    lonely = grouped((*OUTCOMES, outcome("g6", "short", right=True), outcome("g6", "short", right=True)))
    assert diagnosis.balanced(lonely) == diagnosis.balanced(GROUPS)
    assert diagnosis.baseline(lonely) == pytest.approx(8 / 13)


def test_nothing_asked_has_no_accuracy() -> None:
    ways = (diagnosis.baseline, diagnosis.gaps_removed, diagnosis.balanced)
    assert [way(()) for way in ways] == [None, None, None]
    assert diagnosis.database_accuracy(()) is None
    assert diagnosis.gaps_removed(grouped((outcome("g", "short", right=False),))) is None
    assert diagnose(()).weak is None


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        (["a"], "a b", True),
        (["a"], "b", False),
        (["a", "c"], "c", True),
        (["a* b"], "b", False),  # b was there too, but a* held the truth
        (["a* b"], "a* z", True),
        (["a*"], "c*", True),  # a pair and its section may hold the same
        (["a"], "c*", True),
        (["a", "b*"], "a", False),
        ([""], "", False),
    ],
)
def test_a_context_is_sufficient_when_it_holds_the_truth_or_told_another(
    right: list[str], wrong: str, expected: bool
) -> None:
    failed = outcome("g", "long", right=False, read=wrong)
    group = Group("g", (*(outcome("g", "short", right=True, read=read) for read in right), failed))
    assert sufficient(failed, group) is expected


@pytest.mark.parametrize(
    ("read", "covered", "module"),
    [
        ("", (), "retrieval database"),
        ("d", ("g",), "retrieval"),
        ("a*", (), "language model"),
        ("a*", ("g",), "language model"),
    ],
)
def test_in_a_gap_group_what_was_there_to_be_read_decides(read: str, covered: tuple[str, ...], module: str) -> None:
    failed = outcome("g", "long", right=False, read=read)
    assert at_fault(failed, Group("g", (failed,)), covered) == module


def test_every_wrong_answer_is_owed_to_one_module() -> None:
    found = diagnose(GROUPS)
    assert [(fault.module, fault.wrong) for fault in found.faults] == [*zip(MODULES, (2, 1, 2), strict=True)]
    assert (found.asked, found.right, found.tags) == (11, 6, (("gap", 1), ("non-robust", 3), ("robust", 1)))
    assert [fault.wrong for fault in diagnose(GROUPS, {"g4"}).faults] == [0, 3, 2]


def test_the_diagnosis_names_the_module_with_the_figures_and_its_doubt() -> None:
    found = diagnose(GROUPS, {"g4"})
    assert found.weak == "retrieval"
    assert "The weak module is the retrieval: of 5 wrong answers 3 are owed to it" in found.words
    assert "take it as a hint" in found.words
    assert "Right are 55% of all; the retrieval database stands at 82%" in found.words
    assert "67% are right (short texts 80%, long texts 50%)" in found.words


def test_a_module_that_is_far_ahead_is_named_without_doubt_and_none_where_all_is_right() -> None:
    found = diagnose(grouped([outcome(f"g{number}", "long", right=False, read="a*") for number in range(9)]))
    assert found.weak == "language model"
    assert "hint" not in found.words
    found = diagnose(grouped((outcome("g1", "short", right=True),)))
    assert found.weak is None
    assert "No module is weak" in found.words


MEANING = Meaning("01-01", "SELECT ...", ("Legal Office",), "5", (("5", "five"),), ("a",), ("b",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The legal office has five people.", True),
        ("The Legal Office has 15 people.", False),
        ("The board has 5 people.", False),
    ],
)
def test_a_text_tells_when_it_holds_the_answer_and_what_it_answers(text: str, expected: bool) -> None:
    assert tells(text, MEANING) is expected
    both = Meaning("1", "", ("Ann",), "Tarn, 5", (("Tarn",), ("5",)), (), ())
    assert tells("Ann, Tarn, 5", both)
    assert not tells("Ann, Tarn", both), "every item of an answer must be held"


def source(id: str, text: str, *, kind: str = "section", section: str = "") -> Source:
    return Source(id, kind, "manual", section, None, text, 0.5)


def test_an_outcome_keeps_what_was_read_and_what_of_it_holds_the_truth() -> None:
    record = AnswerRecord(
        "1", "q", "q", "5", "answered", ModelUsed("m", "", ""),
        sources=(
            source("p1", "Five people.", section="Staff > Legal Office"),
            source("p2", "Nothing."),
            source("chart-1", "Legal Office has 5 units.", kind="chart", section="Club > Legal Office"),
        ),
    )  # fmt: skip
    found = outcome_of(MEANING, "short", record, right=False)
    assert found.context == {"p1", "p2", "chart Club > Legal Office"}
    assert found.holding == {"p1", "chart Club > Legal Office"}
    assert (found.group, found.form, found.right) == ("01-01", "short", False)


def test_meanings_are_covered_by_any_of_the_texts() -> None:
    other = Meaning("01-02", "", ("Board",), "7", (("7",),), (), ())
    assert covered_meanings((MEANING, other), iter(["nothing", "the LEGAL\n office: 5", "Board 8"])) == {"01-01"}
