"""The gate: a candidate answers the same questions as the adapter that answers now, and is held against it.

candidate -> questions -> answers of both -> figures -> Verdict.  Knows nothing about how a candidate was trained, or
what becomes of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.evaluate import cases as case_files
from trag.evaluate import choice, running
from trag.evaluate.cases import Case
from trag.evaluate.comparing import is_right, mcnemar
from trag.evaluate.runs import Result
from trag.finetune.candidates import Figure, Measured, Verdict

if TYPE_CHECKING:
    from trag.home import Home
    from trag.ingest.upkeep import Progress

SYSTEM = "trag"
"""What is measured: the whole of what people use."""
CHANCE = 0.05
"""A difference that chance alone would make more rarely than this is more than chance."""
MOST, SEED = 180, 1
"""Questions of the organization at most, a third of them made from the chart, and what these are drawn by."""
ALL, ANSWERED, REFUSED = "All questions", "Answered where there is an answer", "Refused where there is none"
GENERAL = "General knowledge"
_GENERAL = Path(__file__).parents[2] / "bench" / "choice"

Pairs = Sequence[tuple[Result, Result]]
"""The answers to a question before and after."""


def measure(
    home: Home,
    candidate: str,
    *,
    progress: Progress,
    stop: threading.Event | None = None,
    most: int = MOST,
    general: Path = _GENERAL,
) -> Measured | None:
    """How a candidate answers beside the adapter that answers now, kept with the candidate; None when `stop` came
    first. The same call goes on where it was stopped.

    `most` is how many questions are asked; `general` is a folder of multiple-choice questions, the overfitting set
    (T-RAG, section 6.3), of which no more are asked where `most` is less than MOST. Raises TragError when there is
    nothing to ask, when the candidate answers already, and as `running.evaluate` does.
    """
    against = home.model.identity.adapter
    if against == candidate:
        raise TragError(f"{candidate} is the adapter that answers, and cannot be held against itself.", "")
    cases = questions(home, candidate, most)
    systems = (SYSTEM, f"{SYSTEM}:{candidate}")
    earlier = running.earlier(home, cases, systems)
    name = f"Gate of {candidate}"
    if earlier and earlier[0].finished:
        run = earlier[0]
    else:
        resume = earlier[0].id if earlier else ""
        run = running.evaluate(home, cases, name, systems, resume=resume, progress=progress, stop=stop)
    if not run.finished or (stop and stop.is_set()):
        return None
    found = figures(*_sides(running.results_of(home).results(run.id)))
    choice_run = ""
    if files := sorted(general.glob("*.csv")):
        known = choice.read([(file.name, file.read_bytes()) for file in files])
        asked = known if most >= MOST else _spread(known, most)
        told = _until(stop, progress)
        try:
            made = choice.measure(home, asked, name, by_words=True, candidate=candidate, shown={}, progress=told)
        except _StoppedError:
            return None
        choice_run = made.id
        pairs = _paired(*_sides(choice.results_of(home).results(made.id)))
        found = (*found, figure(GENERAL, pairs, _right))
    measured = Measured(datetime.now(UTC), against, verdict(found), run.id, choice_run)
    home.candidates.keep_results(candidate, measured)
    return measured


def questions(home: Home, candidate: str, most: int = MOST) -> tuple[Case, ...]:
    """What is asked of both: questions that the training has not seen, and some made from the chart. Raises TragError
    when there are none."""
    from trag.evaluate.chart_cases import make

    content, chart = home.candidates.cases(candidate).read_bytes(), home.organization.chart
    held_out = case_files.read(content, "the dataset's questions") if content.strip() else ()
    chosen = _spread(held_out, most - most // 3 if chart else most)
    made = make(chart, seed=SEED, number=most - len(chosen)) if chart else ()
    if not chosen and not made:
        raise TragError(
            "There is nothing to measure the adapter by: no question of the dataset, and no chart.",
            "Activate a chart, or give documents with pairs, and fine-tune again.",
        )
    taken = {case.question.casefold() for case in chosen}
    fresh = (case for case in made if case.question.casefold() not in taken)
    return (
        *(replace(case, id=f"dataset {case.id}") for case in chosen),
        *(replace(case, id=f"chart {case.id}") for case in fresh),
    )


def _spread(cases: Sequence[Case], most: int) -> Sequence[Case]:
    """At most so many, evenly from first to last."""
    return cases if len(cases) <= most else [cases[place * len(cases) // most] for place in range(most)]


def figures(before: Sequence[Result], after: Sequence[Result]) -> tuple[Figure, ...]:
    """How each kind of question went, and refusals both ways; only questions that were judged on both sides count.

    An answer is right as in the paper: Correct or Correct-Verbose (T-RAG, section 6.1).
    """
    pairs = _paired(before, after)
    answerable = [pair for pair in pairs if not pair[1].case.refuse]
    unanswerable = [pair for pair in pairs if pair[1].case.refuse]
    kinds = dict.fromkeys(pair[1].case.kind for pair in answerable)
    of_kinds = ([pair for pair in answerable if pair[1].case.kind == kind] for kind in kinds)
    found = (
        figure(ALL, pairs, _right),
        *(figure(kind, of, _right) for kind, of in zip(kinds, of_kinds, strict=True)),
        figure(ANSWERED, answerable, lambda result: result.record.status != "cannot_answer"),
        figure(REFUSED, unanswerable, _right),
    )
    return tuple(each for each in found if each.questions)


def figure(name: str, pairs: Pairs, good: Callable[[Result], bool]) -> Figure:
    """Of these questions, how many were `good` before and after, and which changed sides."""
    marks = [(good(before), good(after)) for before, after in pairs]
    better, worse = marks.count((False, True)), marks.count((True, False))
    before, after = sum(mark[0] for mark in marks), sum(mark[1] for mark in marks)
    return Figure(name, len(marks), before, after, better, worse, mcnemar(better, worse))


def verdict(figures: Sequence[Figure]) -> Verdict:
    """A candidate has earned its place when all questions together, the first figure, are better beyond chance, and no
    figure is worse beyond chance."""
    overall = next((each for each in figures if each.name == ALL), None)
    if overall is None:
        return Verdict(False, ("No question was judged on both sides, so nothing can be said.",), tuple(figures))
    better = overall.better > overall.worse and overall.p < CHANCE
    worse = [each for each in figures if each.worse > each.better and each.p < CHANCE]
    fewer = [each for each in figures if each.worse > each.better and each not in worse]
    reasons = [
        f"{'Better' if better else 'Not better beyond chance'}: {_told(overall)}",
        *(f"Worse beyond chance: {_told(each)}" for each in worse),
        *(f"Fewer, within chance: {_told(each)}" for each in fewer if each is not overall),
    ]
    return Verdict(better and not worse, tuple(reasons), tuple(figures))


class _StoppedError(Exception):
    """Raised out of a measurement that somebody stopped."""


def _until(stop: threading.Event | None, progress: Progress) -> Progress:
    """`progress`, that ends what tells it once `stop` is set."""

    def told(step: str, done: int, total: int) -> None:
        if stop and stop.is_set():
            raise _StoppedError
        progress(step, done, total)

    return told


def _told(figure: Figure) -> str:
    name = figure.name if figure.name in (ALL, ANSWERED, REFUSED, GENERAL) else f"questions of the kind {figure.name}"
    p = "p < 0.001" if figure.p < 0.001 else f"p = {figure.p:.2g}"
    return (
        f"{name[0].lower()}{name[1:]}, {figure.after} of {figure.questions} where it was {figure.before} "
        f"({figure.better} gained, {figure.worse} lost, {p})."
    )


def _right(result: Result) -> bool:
    return is_right(result.score)


def _sides(results: Iterable[Result]) -> tuple[list[Result], list[Result]]:
    """The answers of the adapter that answers now, and those of the candidate."""
    kept = list(results)
    return [one for one in kept if ":" not in one.system], [one for one in kept if ":" in one.system]


def _paired(before: Sequence[Result], after: Sequence[Result]) -> list[tuple[Result, Result]]:
    earlier = {(result.case.id, result.case.question): result for result in before}
    found = ((earlier.get((result.case.id, result.case.question)), result) for result in after)
    return [(old, new) for old, new in found if old and old.score.verdict and new.score.verdict]
