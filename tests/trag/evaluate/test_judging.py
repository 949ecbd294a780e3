"""A model as judge: which answers it is asked about, what is taken for its verdict, and what is kept."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate.cases import Case, Some, sha256_of
from trag.evaluate.judging import Judged, judge, right, verdict
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.llm.model import ModelDied, ModelIdentity
from trag.llm.remote import RequestRefused
from trag.record import AnswerRecord, ModelUsed, Verdict
from trag.terminal.main import main

CASES = (
    Case("open", "Who signs?", "document", answer="The treasurer signs."),
    Case("decided", "Who pays?", "document", gold=(("the bursar",),)),
    Case("by hand", "Who reads?", "document"),
    Case("open too", "Who writes?", "document", gold=(("the clerk", "a clerk"),)),
)


def judged(results: Results, run: Run, *said: str | Exception, context: int = 4096) -> tuple[Judged, list[str]]:
    """What came of a judge that says this, and what it was asked."""
    model = Scripted(*said)
    model.identity, model.context = ModelIdentity("larger-model"), context
    found = judge(results, run, model, lambda done, total: None)
    return found, [messages[-1].content for messages in model.asked]


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(tmp_path / "results")


@pytest.fixture
def run(results: Results) -> Run:
    """A run of four answers: two that the gold leaves open, one that it decides, one that a person has decided."""
    started, model = datetime(2026, 1, 1, tzinfo=UTC), ModelUsed("small", "0" * 64, "")
    run = results.begin(Run("", "set", sha256_of(CASES), ("trag",), started, None, "f181fd0", model, "", 4), CASES)
    for case in CASES:
        record = AnswerRecord(case.id, case.question, case.question, f"An answer to {case.id}.", "answered", model)
        results.add(run, Result("trag", case, record, Score("Correct" if case.id == "decided" else None)))
    results.label(run, "trag", "by hand", "Incorrect", by="Ada")
    return results.finish(run)


def verdicts(results: Results, run: Run) -> dict[str, Verdict | None]:
    return {result.case.id: result.score.verdict for result in results.results(run.id)}


def test_it_is_asked_about_the_open_answers_alone_and_its_verdicts_are_kept_under_its_name(
    results: Results, run: Run
) -> None:
    found, asked = judged(results, run, "Correct-Verbose", "Incorrect.")
    assert found == Judged(2, 0)
    assert [*verdicts(results, run).values()] == ["Correct-Verbose", "Correct", "Incorrect", "Incorrect"]
    (first, *_) = results.results(run.id)
    assert first.score.reasons[-1] == "Correct-Verbose in the eyes of the model larger-model"
    assert [text for text in asked if "Ada" in text or "Who reads?" in text or "Who pays?" in text] == []
    assert all(part in asked[0] for part in ("Who signs?", "The treasurer signs.", "An answer to open."))


def test_what_it_said_without_a_verdict_leaves_the_answer_open_for_the_next_time(results: Results, run: Run) -> None:
    assert judged(results, run, "I would rather not say.", "Correct")[0] == Judged(1, 1)
    assert verdicts(results, run)["open"] is None
    found, asked = judged(results, run, "Incorrect")
    assert (found, len(asked)) == (Judged(1, 0), 1)


def test_what_it_cannot_be_asked_about_or_dies_of_stays_open_and_the_others_are_judged(
    results: Results, run: Run
) -> None:
    assert judged(results, run, "Correct", context=8) == (Judged(0, 2), [])
    refused = RequestRefused("http://models/v1 answered 400: too long")
    assert judged(results, run, refused, "Correct")[0] == Judged(1, 1)
    assert (verdicts(results, run)["open"], verdicts(results, run)["open too"]) == (None, "Correct")
    died = ModelDied("The model's process ended.", "It starts again.")
    assert judged(results, run, died, died, "Correct")[0] == Judged(0, 1)
    assert judged(results, run, died, "Incorrect")[0] == Judged(1, 0), "it died of something else"
    assert verdicts(results, run)["open"] == "Incorrect"


def test_a_judge_that_cannot_be_reached_is_told(results: Results, run: Run) -> None:
    with pytest.raises(TragError, match="cannot be reached"):
        judged(results, run, TragError("http://models/v1 cannot be reached."))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Correct", "Correct"),
        ("correct-verbose", "Correct-Verbose"),
        ("**Correct Verbose**, since it adds a date", "Correct-Verbose"),
        ("Verdict: Incorrect. A correct answer names the clerk.", "Incorrect"),
        ("Correct - Verbose", "Correct-Verbose"),
        ("**Incorrect** (it names no clerk)", "Incorrect"),
        ("It is incorrectly put", None),
        ("The answer is not correct.", None),
        ("Not correct", None),
        ("Partially correct", None),
        ("Correct? No.", None),
        ("Correct answers name the clerk", None),
        ("Correctly put", None),
        ("", None),
    ],
)
def test_a_verdict_counts_that_opens_what_was_said(said: str, meant: Verdict | None) -> None:
    assert verdict(said) == meant


def test_all_that_makes_an_answer_right_is_said() -> None:
    items, some = (("20 days", "twenty days"),), (Some(("Locks", "Dredging"), 1),)
    case = Case("a", "?", "list", "", items, ("30 days",), ("Tugs", "Pilots"), some, count=2, polarity="no")
    assert right(case) == (
        "It says: 20 days or twenty days. It names these and no others: Tugs, Pilots. It names at least 1 of: Locks, "
        "Dredging. The number is 2. The answer is no. It does not say: 30 days."
    )
    assert "must say so" in right(Case("b", "?", "unanswerable", refuse=True))


@pytest.mark.slow
def test_a_real_model_is_asked_by_the_terminal(
    results: Results, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path))
    monkeypatch.setenv("TRAG_ADAPTER", "none")
    assert main(["evaluate", "judge", run.id]) == 0
    told = capsys.readouterr().out
    kept = verdicts(results, run)
    assert (kept["decided"], kept["by hand"]) == ("Correct", "Incorrect")
    decided = [kept["open"], kept["open too"]].count(None)
    assert f"decided {2 - decided} answers that the gold left open" in told
