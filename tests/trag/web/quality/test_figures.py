"""The figures of the evaluations, and their answers: shares and intervals, trends, pairs of answers, filters."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.trag.web.quality.conftest import answered, kept
from trag.evaluate.cases import Case
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.paper_systems import SYSTEMS
from trag.web import quality
from trag.web.language import time_left
from trag.web.quality.answers import AnswerFilter, numbered, pairs
from trag.web.quality.figures import Figures, offered, shares, tone, trends

CASES = tuple(Case(f"q{number}", f"Question {number}?", "simple" if number % 2 else "list") for number in range(4))
RIGHT, VERBOSE, WRONG = Score("Correct"), Score("Correct-Verbose"), Score("Incorrect", ("lacks it",))
OPEN = Score(None)


def results(*scores: Score, system: str = "trag") -> tuple[Result, ...]:
    return tuple(answered(case, system, score) for case, score in zip(CASES, scores, strict=False))


def keep(store: Results, found: Sequence[Result], *, day: int, name: str = "Exam", whole: bool = True) -> Run:
    cases = tuple({each.case.id: each.case for each in found}.values()) if whole else CASES
    return kept(store, cases, found, day=day, name=name)


def test_a_share_counts_correct_and_verbose_and_leaves_out_what_is_open() -> None:
    found = shares((*results(RIGHT, VERBOSE, WRONG, OPEN), *results(OPEN, system="rag")))
    assert [(each.system, each.right, each.decided, each.undecided) for each in found] == [
        ("rag", 0, 0, 1),
        ("trag", 2, 3, 1),
    ]
    assert [each.value for each in found] == [None, pytest.approx(2 / 3)]
    assert (found[0].low, found[0].high) == (0.0, 1.0)


def test_the_figures_of_a_whole_run_are_read_once_until_somebody_judges(tmp_path: Path) -> None:
    store = Results(tmp_path)
    run = keep(store, results(RIGHT, OPEN), day=0)
    figures = Figures(store)
    before = figures.all()
    store.label(run, "trag", "q1", "Incorrect", by="ada")
    assert figures.all() == before
    figures.forget(run.id)
    assert [(share.right, share.decided) for share in figures.all()[0].shares] == [(1, 2)]


def test_what_grows_is_read_anew_and_what_is_damaged_is_told(tmp_path: Path) -> None:
    store = Results(tmp_path)
    run = keep(store, results(RIGHT), day=0, whole=False)
    damaged = keep(store, results(RIGHT), day=1)
    (tmp_path / damaged.id / "results.jsonl").write_text("{}\n")
    figures = Figures(store)
    assert [(each.answers, bool(each.problem)) for each in figures.all()] == [(0, True), (1, False)]
    store.add(run, results(RIGHT, WRONG)[1])
    assert figures.all()[1].answers == 2


def test_a_trend_is_of_the_same_questions_earliest_first_and_only_of_whole_runs(tmp_path: Path) -> None:
    store = Results(tmp_path)
    both = (*results(WRONG, WRONG), *results(RIGHT, WRONG, system="rag"))
    first = keep(store, both, day=0, name="Old name")
    keep(store, results(RIGHT), day=1, name="Another set")
    keep(store, results(RIGHT, RIGHT), day=2, whole=False)
    last = keep(store, results(RIGHT, RIGHT), day=3, name="New name")
    (trend,) = trends(Figures(store).all())
    assert (trend.name, [run.id for run in trend.runs]) == ("New name", [first.id, last.id])
    assert {series.system: [(point.at, point.share.value) for point in series.points] for series in trend.series} == {
        "rag": [(0, 0.5)],
        "trag": [(0, 0.0), (1, 1.0)],
    }


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (WRONG, RIGHT, "better"),
        (WRONG, VERBOSE, "better"),
        (VERBOSE, WRONG, "worse"),
        (RIGHT, VERBOSE, "same"),
        (WRONG, WRONG, "same"),
        (OPEN, RIGHT, "undecided"),
        (WRONG, OPEN, "undecided"),
    ],
    ids=lambda value: value.verdict if isinstance(value, Score) else value,
)
def test_a_pair_says_what_became_of_a_question(before: Score, after: Score, change: str) -> None:
    (pair,) = pairs(numbered(results(before)), numbered(results(after)))
    assert pair.change == change


def test_only_the_same_question_in_the_same_words_is_paired() -> None:
    later = results(RIGHT, RIGHT, RIGHT)
    reworded = replace(later[1], case=replace(later[1].case, question="Otherwise?"))
    found = pairs(numbered(results(RIGHT, RIGHT)), numbered((later[2], reworded, later[0])))
    assert [(pair.before.number, pair.after.number) for pair in found] == [(0, 2)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, [0, 1, 2, 3]),
        ({"verdict": "Incorrect"}, [2]),
        ({"verdict": "undecided"}, [3]),
        ({"verdict": "<b>"}, [0, 1, 2, 3]),
        ({"kind": "list"}, [0, 2]),
        ({"kind": "list", "verdict": "Correct"}, [0]),
        ({"system": "rag"}, []),
        ({"first": "-1"}, [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_answers_are_found_by_system_kind_and_verdict(query: dict[str, str], found: list[int]) -> None:
    wanted = AnswerFilter.read(query)
    all_ = results(RIGHT, VERBOSE, WRONG, OPEN)
    assert [number for number, each in enumerate(all_) if wanted.matches(each)] == found
    assert wanted.first == 0


@pytest.mark.parametrize(("adapter", "base"), [("", ""), ("a.gguf", "trag:base")], ids=["no adapter", "adapter"])
def test_the_base_model_is_offered_only_beside_an_adapter(adapter: str, base: str) -> None:
    systems = offered(adapter)
    assert (systems[0].name, systems[0].base) == ("trag", base)
    assert all(system.said.endswith(".") for system in systems)


def test_each_system_has_its_words_and_a_colour_and_a_sign_of_its_own() -> None:
    assert {each.name for each in offered("")} == set(SYSTEMS)
    tones = [tone(name) for name in SYSTEMS]
    assert sorted(tones) == [*range(1, len(SYSTEMS) + 1)]
    assert [tone(f"{name}:base") for name in SYSTEMS] == tones
    web = Path(quality.__file__).parents[1]
    colours = (web / "static" / "quality_plots.css").read_text(encoding="utf-8")
    signs = (web / "templates" / "quality" / "plots.html").read_text(encoding="utf-8")
    assert all(f".tone-{number} " in colours and f'id="sign-{number}"' in signs for number in tones)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "10 seconds"), (44, "40 seconds"), (100, "2 minutes"), (5_000, "83 minutes"), (9_000, "2 hours")],
)
def test_the_time_left_is_said_as_people_say_it(seconds: float, said: str) -> None:
    assert time_left(seconds) == said
