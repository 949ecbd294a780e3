"""The gate: figures and verdicts worked out by hand, and one candidate measured with the real model."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from org.reading.charts import load
from trag.errors import TragError
from trag.evaluate.cases import Case, CaseSets, write
from trag.evaluate.runs import Result
from trag.evaluate.scoring import Score
from trag.finetune import gate
from trag.finetune.candidates import Against, Figure
from trag.home import open_home
from trag.llm import files
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings

CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\nBar,Board,team\nPool,Board,team\n"


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
    assert gate.figures(answers("list", "++"), answers("list", "+"), {}) == (
        Figure("All questions", 1, 1, 1, 0, 0, 1.0),
        Figure("list", 1, 1, 1, 0, 0, 1.0),
        Figure("Answered where there is an answer", 1, 1, 1, 0, 0, 1.0),
    )


@pytest.mark.parametrize(
    ("kinds", "promote", "reason"),
    [
        pytest.param((("list", "-" * 6, "+" * 6, False),), True, "Better: all questions, 6 of 6", id="6 gained"),
        pytest.param((("list", "-" * 5, "+" * 5, False),), False, "Not better beyond chance", id="5 gained"),
        pytest.param((("list", "-" * 9 + "+", "+" * 8 + "--", False),), True, "(8 gained, 1 lost", id="8 to 1"),
        pytest.param((("list", "-" * 8 + "++", "+" * 8 + "--", False),), False, "p = 0.11", id="8 to 2"),
        pytest.param((("list", "+" * 9, "-" * 9, False),), False, "Worse beyond chance: all", id="worse"),
        pytest.param((("list", "+-", "+-", False),), False, "Not better beyond chance", id="the same"),
        pytest.param(
            (("list", "-" * 20, "+" * 20, False), ("count", "+" * 6, "-" * 6, False)),
            False,
            "Worse beyond chance: questions of the kind count, 0 of 6 where it was 6",
            id="one kind paid for it",
        ),
        pytest.param(
            (("list", "-" * 20, "+" * 20, False), ("count", "+" * 5, "-" * 5, False)),
            True,
            "Fewer, within chance: questions of the kind count, 0 of 5",
            id="a kind too small to say",
        ),
        pytest.param(
            (("list", "-" * 20 + "-" * 6, "+" * 20 + "r" * 6, False),),
            False,
            "Worse beyond chance: answered where there is an answer, 20 of 26 where it was 26",
            id="answerable ones refused that were wrong before",
        ),
        pytest.param(
            (("list", "-" * 20, "+" * 20, False), ("none", "r" * 6, "-" * 6, True)),
            False,
            "Worse beyond chance: refused where there is none, 0 of 6",
            id="no longer refuses",
        ),
        pytest.param(
            (("list", "-" * 20, "+" * 20, False), ("count", "+" * 6, "?" * 6, False)),
            False,
            "Worse beyond chance: could be judged, 20 of 26 where it was 26 (0 gained, 6 lost, p = 0.031)",
            id="right answers that became undecided",
        ),
        pytest.param(
            (("list", "-" * 20, "+" * 20, False), ("count", "?" * 6, "r" * 6, False)),
            False,
            "Worse beyond chance: answered where there is an answer, 20 of 26 where it was 26",
            id="undecided ones that are refused",
        ),
    ],
)
def test_the_verdict(kinds: tuple[tuple[str, str, str, bool], ...], promote: bool, reason: str) -> None:
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


# Measured


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
        home.activate_chart(load(CHART, "club.csv"), "club.csv", CHART, by="ada")
        made = home.candidates.add(
            make_adapter(tmp_path / "a.gguf"),
            base_name="SmolLM2",
            base_sha256=files.base_sha256(""),
            dataset_sha256="d" * 64,
            settings=(),
            by="ada",
            cases=write(held_out),
            learned=("who runs the pool",),
        )
        ours = [Case("bar", "Which unit is the Bar under?", "where", gold=(("Board",),))]
        CaseSets(home_folder / "cases").keep(
            [*ours, replace(ours[0], id="x", question="Who runs the Pool?")], "ours", by="ada"
        )
        alone = Against(files.base_sha256(""), "", "")
        assert gate.answering(home) == alone
        told: list[tuple[str, int, int]] = []
        measured = gate.measure(home, made.id, progress=lambda *step: told.append(step), most=4, general=general)
        assert measured is not None
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


def test_a_candidate_that_is_not_there_or_of_another_model_is_told_before_questions_are_chosen(tmp_path: Path) -> None:
    adapter = tmp_path / "a.gguf"
    adapter.write_bytes(b"adapter")
    with open_home(Settings(home=tmp_path / "home")) as home:
        other = home.candidates.add(
            adapter, base_name="Other", base_sha256="0" * 64, dataset_sha256="d" * 64, settings=(), by="ada"
        )
        for candidate, told in (("nonsense", "There is no adapter nonsense"), (other.id, "was trained on Other")):
            with pytest.raises(TragError, match=told):
                gate.measure(home, candidate, progress=lambda *step: None)


def test_without_questions_of_general_knowledge_nothing_is_measured(tmp_path: Path) -> None:
    adapter = tmp_path / "a.gguf"
    adapter.write_bytes(b"adapter")
    with open_home(Settings(home=tmp_path / "home")) as home:
        sha256 = files.base_sha256("")
        made = home.candidates.add(
            adapter, base_name="SmolLM2", base_sha256=sha256, dataset_sha256="d" * 64, settings=(), by="ada"
        )
        with pytest.raises(TragError, match="there is no file"):
            gate.measure(home, made.id, progress=lambda *step: None, general=tmp_path / "nothing")


def test_nothing_is_held_against_a_model_behind_an_address(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, model_url="http://127.0.0.1:9/v1", model_name="m")
    with open_home(settings) as home:
        assert gate.answering(home) is None
        with pytest.raises(TragError, match="no adapter can be put on that"):
            gate.measure(home, "20261120-0a0a0a0a", progress=lambda *step: None)
