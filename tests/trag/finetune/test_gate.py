"""The gate: figures and verdicts worked out by hand, and one candidate measured with the real model."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from org.reading.charts import load
from prompts import Message
from tests.tiny_model import keep_adapter
from trag.errors import TragError
from trag.evaluate import chart_cases
from trag.evaluate.cases import Case, CaseSets, write
from trag.evaluate.runs import Result
from trag.evaluate.scoring import Score
from trag.finetune import gate
from trag.finetune.dataset import examples, folders, home_dataset
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typos import plain
from trag.finetune.gate import MOST, SEED, choose_questions, spread
from trag.finetune.work_folders import MOST_SEED, Works
from trag.home import Home, open_home
from trag.llm import files
from trag.models.adapters import (
    LEARNED,
    Baseline,
    CandidateStatus,
    Figure,
    Manifest,
    Measurement,
    Verdict,
    candidate_status,
)
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings

CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Board,team\nPool,Board,team\n"

LARKMOOR = (Path(__file__).parents[3] / "examples" / "larkmoor" / "chart.csv").read_bytes()


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "home").mkdir()
    shutil.copy(empty_database, tmp_path / "home")
    with open_home(Settings(home=tmp_path / "home")) as opened:
        yield opened


def answers(kind: str, marks: str, *, refuse: bool = False) -> list[Result]:
    """One answer a mark: + right, - wrong, r refused and wrong (right where only a refusal is), ? undecided."""
    found = []
    for number, mark in enumerate(marks):
        case = Case(f"{kind}-{number}", f"{kind} {number}?", kind, refuse=refuse)
        status = "cannot_answer" if mark == "r" else "answered"
        right = mark == "+" or (refuse and mark == "r")
        record = AnswerRecord("x", case.question, case.question, "A.", status, ModelUsed("m", "", ""))  # type: ignore[arg-type]
        verdict = None if mark == "?" else "Correct" if right else "Incorrect"
        found.append(Result("trag", case, record, Score(verdict)))  # type: ignore[arg-type]
    return found


def sides(*kinds: tuple[str, str, str, bool]) -> tuple[Figure, ...]:
    before = [one for kind, marks, _, refuse in kinds for one in answers(kind, marks, refuse=refuse)]
    after = [one for kind, _, marks, refuse in kinds for one in answers(kind, marks, refuse=refuse)]
    return gate.figures(before, after[::-1], {})


def test_figures_are_of_all_of_each_kind_and_of_refusals_both_ways() -> None:
    found = sides(("document", "++--r?", "+-++++", False), ("none", "r-r-", "rr--", True))
    assert found == (
        Figure("All questions", 9, 4, 6, 4, 2, pytest.approx(44 / 64)),  # 2 * (1 + 6 + 15) / 2**6
        Figure("document", 5, 2, 4, 3, 1, pytest.approx(10 / 16)),  # 2 * (1 + 4) / 2**4
        Figure("Answered where there is an answer", 6, 5, 6, 1, 0, 1.0),
        Figure("Refused where there is none", 4, 2, 2, 1, 1, 1.0),
        Figure("Could be judged", 10, 9, 10, 1, 0, 1.0),
    )


def test_each_set_of_the_home_is_a_figure_of_its_own() -> None:
    before, after = answers("list", "+--") + answers("count", "--"), answers("list", "+++") + answers("count", "-+")
    found = gate.figures(before, after, {"list-0": "Ours", "list-1": "Theirs", "count-1": "Ours"})
    assert found[3:5] == (Figure("Set Ours", 2, 1, 2, 1, 0, 1.0), Figure("Set Theirs", 1, 0, 1, 1, 0, 1.0))
    assert "fewer" not in gate.verdict(found).reasons[0]
    lost = gate.figures(after, before, {"list-0": "Ours", "list-1": "Theirs", "count-1": "Ours"})
    assert (
        "Fewer, within chance: set Ours, 1 of 2 where it was 2 (0 gained, 1 lost, p = 1)." in gate.verdict(lost).reasons
    )


def test_a_question_that_only_one_side_was_asked_does_not_count() -> None:
    found = gate.figures(answers("list", "++"), answers("list", "+"), {})
    assert found == tuple(Figure(name, 1, 1, 1, 0, 0, 1.0) for name in ("All questions", "list", gate.ANSWERED))


FEWER = ", 20 of 26 where it was 26"
ANSWERED = "Worse beyond chance: answered where there is an answer"
COUNT = "Worse beyond chance: questions of the kind count"
JUDGED = "Worse beyond chance: could be judged"
WON = ("list", "-" * 20, "+" * 20, False)


@pytest.mark.parametrize(
    ("kinds", "promote", "reason"),
    [
        ([("list", "-" * 6, "+" * 6, False)], True, "Better: all questions, 6 of 6"),
        ([("list", "-" * 5, "+" * 5, False)], False, "Not better beyond chance"),
        ([("list", "-" * 9 + "+", "+" * 8 + "--", False)], True, "(8 gained, 1 lost"),
        ([("list", "-" * 8 + "++", "+" * 8 + "--", False)], False, "p = 0.11"),
        ([("list", "+" * 9, "-" * 9, False)], False, "Worse beyond chance: all"),
        ([("list", "+-", "+-", False)], False, "Not better beyond chance"),
        ([WON, ("count", "+" * 6, "-" * 6, False)], False, f"{COUNT}, 0 of 6 where it was 6"),
        ([WON, ("count", "+" * 5, "-" * 5, False)], True, "Fewer, within chance: questions of the kind count, 0 of 5"),
        ([("list", "-" * 26, "+" * 20 + "r" * 6, False)], False, f"{ANSWERED}{FEWER}"),
        ([WON, ("none", "r" * 6, "-" * 6, True)], False, "Worse beyond chance: refused where there is none, 0 of 6"),
        ([WON, ("count", "+" * 6, "?" * 6, False)], False, f"{JUDGED}{FEWER} (0 gained, 6 lost, p = 0.031)"),
        ([WON, ("count", "?" * 6, "r" * 6, False)], False, f"{ANSWERED}{FEWER}"),
    ],
    ids=[
        "6 gained", "5 gained", "8 to 1", "8 to 2", "worse", "the same", "one kind paid for it",
        "a kind too small to say", "answerable ones refused that were wrong before", "no longer refuses",
        "right answers that became undecided", "undecided ones that are refused",
    ],
)  # fmt: skip
def test_the_verdict(kinds: list[tuple[str, str, str, bool]], promote: bool, reason: str) -> None:
    found = gate.verdict(sides(*kinds))
    assert found.promote is promote, found.reasons
    assert any(reason in each for each in found.reasons), found.reasons


def test_general_knowledge_that_is_lost_keeps_a_candidate_out() -> None:
    found = sides(("list", "-" * 20, "+" * 20, False))
    lost = Figure(gate.GENERAL, 200, 90, 70, 5, 25, 0.0003)
    assert gate.verdict(found).promote
    assert not gate.verdict((*found, lost)).promote
    told = gate.verdict(found, learned=7).reasons
    assert told[1:] == ("Not asked, as it was trained on them: 7 of the questions in the home's sets.",)
    assert gate.verdict(()).reasons == ("No question was judged on both sides, so nothing can be said.",)


@pytest.mark.slow
def test_a_candidate_is_measured_and_what_was_found_is_kept_with_it(
    tmp_path: Path, model_home: Path, make_adapter: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "nothing")
    home_folder = tmp_path / "home"
    home_folder.mkdir()
    (home_folder / "models").symlink_to(model_home / "models")
    general = tmp_path / "general"
    general.mkdir()
    (general / "sky.csv").write_text("Which of these is a star?,The Sun,The Moon,Mars,A cloud,A\n")
    held_out = (Case("pay", "Who pays for the Bar?", "document", gold=(("Board",),)),)
    with open_home(Settings(home=home_folder, answer_tokens=30)) as home:
        home.charts.activate(load(CHART, "club.csv"), [("club.csv", CHART)], by="ada")
        known = {"base_sha256": files.base_sha256(""), "cases": write(held_out), "learned": ("who runs the pool",)}
        made = keep_adapter(home.candidates, make_adapter(tmp_path / "a.gguf"), **known)
        ours = [Case("bar", "Which unit is the Bar under?", "where", gold=(("Board",),))]
        CaseSets(home_folder / "cases").keep(
            [*ours, replace(ours[0], id="x", question="Who runs the Pool?")], "ours", by="ada"
        )
        alone = Baseline(files.base_sha256(""), "", "")
        assert gate.answering(home) == alone
        told: list[tuple[str, int, int]] = []
        measured = gate.measure(home, made.id, progress=lambda *step: told.append(step), most=4, general=general)
        assert home.candidates.get(made.id).results == measured
        figures = {each.name: each for each in measured.verdict.figures}
        judged = figures.get(gate.JUDGED, figures[gate.ALL])
        assert judged.questions == 5
        if ours_told := figures.get("Set ours"):  # where what the small model said could be judged
            assert ours_told.questions == 1
        assert (
            "Not asked, as it was trained on them: 1 of the questions in the home's sets." in measured.verdict.reasons
        )
        assert (measured.against, measured.against_sha256) == ("", "")
        assert figures[gate.GENERAL].questions == 1
        assert all((each.better, each.worse) == (0, 0) for each in figures.values()), "this adapter changes nothing"
        assert not measured.verdict.promote
        assert {step for step, _, _ in told} == {"trag", f"trag:{made.id}", "choice-words", f"choice-words:{made.id}"}
        asked = len(told)
        again = gate.measure(home, made.id, progress=lambda *step: told.append(step), most=4, general=general)
        assert again == replace(measured, at=again.at if again else measured.at)
        assert len(told) == asked, "what was answered is not asked again"
        home.promote(made.id, by="ada")
        assert gate.answering(home) == replace(alone, adapter=made.id, adapter_sha256=made.adapter_sha256)
        with pytest.raises(TragError, match="cannot be held against itself"):
            gate.measure(home, made.id, progress=lambda *step: None)
        home.candidates.file(made.id).unlink()
        assert gate.answering(home) is None


def test_what_cannot_be_measured_is_told_before_questions_are_chosen(home: Home, tmp_path: Path) -> None:
    other = keep_adapter(home.candidates, base_name="Other")
    ours = keep_adapter(home.candidates, b"ours", base_sha256=files.base_sha256(""))
    for id, said in (
        ("nonsense", "There is no adapter nonsense"),
        (other.id, "was trained on Other"),
        (ours.id, "there is no file"),
    ):
        with pytest.raises(TragError, match=said):
            gate.measure(home, id, progress=lambda *step: None, general=tmp_path / "nothing")


def test_nothing_is_held_against_a_model_behind_an_address(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, model_url="http://127.0.0.1:9/v1", model_name="m")
    with open_home(settings) as home:
        assert gate.answering(home) is None
        with pytest.raises(TragError, match="no adapter can be put on that"):
            gate.measure(home, "20261120-0a0a0a0a", progress=lambda *step: None)


def test_some_of_a_row_are_spread_from_first_to_last() -> None:
    assert (spread(range(10), 3), spread(range(3), 9)) == ([0, 3, 6], range(3))


def candidate(home: Home, *learned: str, held_out: tuple[Case, ...] = ()) -> str:
    """The id of an adapter that was trained on these questions."""
    return keep_adapter(home.candidates, " ".join(learned).encode(), cases=write(held_out), learned=learned).id


def case(id: str, question: str) -> Case:
    return Case(id, question, "document", gold=(("nine",),))


@pytest.mark.slow
def test_chart_questions_are_none_of_those_that_training_draws_from(home: Home) -> None:
    chart = load(LARKMOOR, "chart.csv")
    home.charts.activate(chart, [("chart.csv", LARKMOOR)], by="ada")
    pool = [one.question for one in chart_cases.make(chart, seed=1, number=home_dataset._MOST)]
    asked = choose_questions(home, candidate(home, *pool), MOST)
    assert len(asked.cases) == MOST
    assert {plain(one.question) for one in asked.cases}.isdisjoint(map(plain, pool))
    assert {one.kind for one in asked.cases} == set(chart_cases.KINDS)
    # Even what no training has seen is left out when this one has.
    again = choose_questions(home, candidate(home, *(f"Please, {one.question.upper()}" for one in asked.cases)), MOST)
    assert {one.question for one in again.cases}.isdisjoint(one.question for one in asked.cases)
    assert SEED > MOST_SEED


def test_a_held_out_question_that_was_learned_in_other_words_of_typing_is_left_out(home: Home) -> None:
    held_out = (
        case("a", "When does the office open?"),
        case("b", "When does the shop open?"),
        case("c", "When does the library open?"),
    )
    learned = ("hi, when does the office open", "when does the librrary open")
    asked = choose_questions(home, candidate(home, *learned, held_out=held_out), MOST)
    assert [one.id for one in asked.cases] == ["dataset b"]


def test_sets_of_the_home_are_asked_without_what_was_learned(home: Home) -> None:
    sets = CaseSets(home.folder / "cases")
    first = sets.keep([case(str(n), f"When does shop {n} open?") for n in range(40)], "shops.jsonl", by="ada")
    second = sets.keep([case("x", "When does shop 3 open?"), case("y", "When is it shut?")], "few.jsonl", by="ada")
    asked = choose_questions(home, candidate(home, "when does shop 7 open", "When does shop 8 open?"), 12)
    assert (len(asked.cases), asked.learned) == (12, 2)
    assert [(one.id, asked.sets[one.id]) for one in asked.cases[:2]] == [
        (f"{second.id[:12]} x", "few"),
        (f"{second.id[:12]} y", "few"),
    ]
    of_first = [one for one in asked.cases if asked.sets[one.id] == "shops"]
    assert len(of_first) == 10, "the small set leaves its room to the large one"
    assert {one.id.split()[0] for one in of_first} == {first.id[:12]}
    assert not {f"When does shop {n} open?" for n in (3, 7, 8)} & {one.question for one in of_first}


def test_what_it_learned_is_read_off_its_dataset_where_it_was_not_kept_with_it(home: Home) -> None:
    CaseSets(home.folder / "cases").keep([case("a", "When is it open?"), case("b", "And shut?")], "set", by="ada")
    id = candidate(home, "x")
    (home.folder / "adapters" / id / LEARNED).unlink()
    with pytest.raises(TragError, match=f"which questions {id} was trained on"):
        choose_questions(home, id, 12)
    works = Works(home.folder / "finetune")
    work = works.after(works.begin(by="ada", seed=1, settings={}), "done", candidate=id)
    dataset = works.place(work) / "dataset"
    dataset.mkdir()
    learned = Example("a", "label", "when is it open", (Message("user", "when is it open"),), "Nine.")
    (dataset / folders.TRAIN).write_bytes(examples.write([learned]))
    assert [one.question for one in choose_questions(home, id, 12).cases] == ["And shut?"]


def test_nothing_to_ask_is_said(home: Home) -> None:
    with pytest.raises(TragError, match="nothing to measure the adapter by") as refused:
        choose_questions(home, candidate(home), MOST)
    assert "page Quality" in refused.value.hint


FIGURE = Figure("All questions", 40, 20, 30, 12, 2, 0.013)
NOW = Baseline("b" * 64, "shipped", "a" * 64)
RESULTS = Measurement(
    datetime(2026, 11, 20, 20, tzinfo=UTC), "shipped", Verdict(True, ("Better: all.",), (FIGURE,)), "r", "a" * 64
)
CANDIDATE = Manifest(
    "20261120-0a0a0a0a", datetime(2026, 11, 20, tzinfo=UTC), "SmolLM2", "b" * 64, "c" * 64, "d" * 64, (), "ada", RESULTS
)
NOT_BETTER = replace(CANDIDATE, results=replace(RESULTS, verdict=replace(RESULTS.verdict, promote=False)))


@pytest.mark.parametrize(
    ("candidate", "now", "has", "said"),
    [
        (CANDIDATE, NOW, "earned", "measurably better than shipped"),
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
        "better", "not better", "not measured", "another adapter", "another adapter of that name", "another model",
        "nothing answers", "not written down", "answers itself",
    ],
)  # fmt: skip
def test_a_candidate_has_earned_its_place_beside_what_it_was_measured_against(
    candidate: Manifest, now: Baseline | None, has: CandidateStatus, said: str
) -> None:
    assert candidate_status(candidate, now) == has
    assert said in gate.status_sentence(candidate, now)


def test_in_a_list_it_is_said_beside_what_it_was_measured() -> None:
    other = replace(NOW, adapter="20261121-0b0b0b0b")
    assert gate.status_line(CANDIDATE, NOW) == "beside shipped: Better: all."
    assert gate.status_line(CANDIDATE, other) == "beside shipped, which is not what answers now: Better: all."
    assert gate.status_line(CANDIDATE, replace(NOW, adapter=CANDIDATE.id)) == "beside shipped: Better: all."
    assert gate.status_line(replace(CANDIDATE, results=None), NOW) == "not measured"


def test_figures_are_a_table() -> None:
    assert gate.figure_table(RESULTS) == (
        "               Questions  Before      After       Gained  Lost  p",
        "All questions  40         20 (50.0%)  30 (75.0%)  12      2     0.013",
        "Better: all.",
    )
