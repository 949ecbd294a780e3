"""The gate: a candidate answers the same questions as the adapter that answers now, and is held against it.

candidate -> questions that its training has not seen -> answers of both -> figures -> Verdict -> words
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trag.errors import SHOWN, TragError
from trag.evaluate import cases as case_files
from trag.evaluate import multiple_choice, running
from trag.evaluate.cases import Case, CaseSets
from trag.evaluate.comparing import is_right, mcnemar
from trag.evaluate.runs import Result
from trag.finetune.dataset import examples, folders
from trag.finetune.dataset.typos import plain, slips
from trag.finetune.work_folders import MOST_SEED, Works
from trag.llm import files
from trag.models import adapters
from trag.models.adapters import Baseline, Figure, Manifest, Measurement, Verdict, candidate_status
from trag.progress import Cancelled

if TYPE_CHECKING:
    from trag.home import Home
    from trag.progress import Progress

SYSTEM = "trag"
"""What is measured: the whole of what people use."""
CHANCE = 0.05
"""A difference that chance alone would make more rarely than this is more than chance."""
MOST = 180
"""Questions of the organization at most, and as many again of the sets that it keeps."""
ALL, ANSWERED, REFUSED = "All questions", "Answered where there is an answer", "Refused where there is none"
JUDGED, SET = "Could be judged", "Set"
GENERAL = "General knowledge"
SEED = MOST_SEED + 1
"""What the questions made from the chart are drawn by; training draws by no such seed."""
T = TypeVar("T")

Pairs = Sequence[tuple[Result, Result]]
"""The answers to a question before and after."""


def answering(home: Home) -> Baseline | None:
    """What answers now, None where no local model can. Reads the model once for its sha256."""
    try:
        return None if home.settings.model_url else _answering(home)
    except SHOWN:
        return None


def _answering(home: Home) -> Baseline:
    """Raises TragError when the promoted adapter or the model is gone."""
    adapter = home.adapter
    sha256 = files.sha256_of(Path(adapter)) if adapter else ""
    return Baseline(files.base_sha256(home.settings.model), home.adapter_name, sha256)


def measure(
    home: Home,
    candidate: str,
    *,
    progress: Progress,
    stop: threading.Event | None = None,
    most: int = MOST,
    general: Path = multiple_choice.GENERAL,
) -> Measurement | None:
    """How a candidate answers beside the adapter that answers now, kept with the candidate; None when `stop` came
    first. The same call goes on where it was stopped.

    `most` is how many questions are asked, and how many of the home's sets; `general` is a folder of multiple-choice
    questions, the overfitting set (T-RAG, section 6.3). Raises TragError when there is no such candidate, or nothing to
    ask it, or it answers already or by then, and as `running.evaluate` does.
    """
    adapters.check_local(home.settings)
    home.check_candidate(candidate)
    against = _answering(home)
    if against.adapter == candidate:
        raise TragError(
            f"{candidate} is the adapter that answers, and cannot be held against itself.",
            "Promote another one to measure it beside that; or begin a new fine-tune (--new).",
        )
    known = multiple_choice.read([(file.name, file.read_bytes()) for file in sorted(general.glob("*.csv"))])
    asked = choose_questions(home, candidate, most)
    cases = asked.cases
    systems = (SYSTEM, f"{SYSTEM}:{candidate}")
    name, run = f"Gate of {candidate}", next(iter(running.earlier(home, cases, systems)), None)
    if run is None or not run.finished:
        resume = run.id if run else ""
        run = running.evaluate(home, cases, name, systems, resume=resume, progress=progress, stop=stop)
    if not run.finished or (stop and stop.is_set()):
        return None
    found = figures(*_sides(running.results_of(home).results(run.id)), asked.sets)
    some = known if most >= MOST else spread(known, most)

    def said(step: str, done: int, total: int) -> None:
        if stop and stop.is_set():
            raise Cancelled
        progress(step, done, total)

    try:
        made = multiple_choice.measure(home, some, name, by_words=True, candidate=candidate, shown={}, progress=said)
    except Cancelled:
        return None
    pairs = _paired(*_sides(multiple_choice.results_of(home).results(made.id)))
    found = (*found, figure(GENERAL, pairs, _right))
    if _answering(home) != against:
        raise TragError(f"What answers changed while {candidate} was measured.", "Measure it again.")
    found_out = verdict(found, learned=asked.learned)
    measured = Measurement(datetime.now(UTC), against.adapter, found_out, run.id, against.adapter_sha256)
    home.candidates.keep_results(candidate, measured)
    return measured


def figures(before: Sequence[Result], after: Sequence[Result], sets: Mapping[str, str]) -> tuple[Figure, ...]:
    """How each kind of question went, each set of the home (`sets` as in Questions), and refusals both ways. How many
    could be judged is a figure of its own unless all were, so that nobody gains by answers that nothing can be said of.

    An answer is right as in the paper: Correct or Correct-Verbose (T-RAG, section 6.1).
    """
    both = _paired(before, after)
    pairs = [pair for pair in both if all(map(_is_judged, pair))]
    answerable = [pair for pair in pairs if not pair[1].case.refuse]
    unanswerable = [pair for pair in pairs if pair[1].case.refuse]
    kinds = dict.fromkeys(pair[1].case.kind for pair in answerable)
    of_kinds = ([pair for pair in answerable if pair[1].case.kind == kind] for kind in kinds)
    names = {case: f"{SET} {name}" for case, name in sets.items()}
    of_sets = {name: [pair for pair in pairs if names.get(pair[1].case.id) == name] for name in names.values()}
    judged = figure(JUDGED, both, _is_judged)
    to_answer = [pair for pair in both if not pair[1].case.refuse]
    found = (
        figure(ALL, pairs, _right),
        *(figure(kind, of, _right) for kind, of in zip(kinds, of_kinds, strict=True)),
        *(figure(name, of, _right) for name, of in of_sets.items()),
        figure(ANSWERED, to_answer, lambda result: result.record.status != "cannot_answer"),
        figure(REFUSED, unanswerable, _right),
        *([judged] if min(judged.before, judged.after) < judged.questions else []),
    )
    return tuple(each for each in found if each.questions)


def figure(name: str, pairs: Pairs, good: Callable[[Result], bool]) -> Figure:
    """Of these questions, how many were `good` before and after, and which changed sides."""
    marks = [(good(before), good(after)) for before, after in pairs]
    better, worse = marks.count((False, True)), marks.count((True, False))
    before, after = sum(mark[0] for mark in marks), sum(mark[1] for mark in marks)
    return Figure(name, len(marks), before, after, better, worse, mcnemar(better, worse))


def verdict(figures: Sequence[Figure], *, learned: int = 0) -> Verdict:
    """A candidate has earned its place when all questions together are better, and no figure worse, beyond chance."""
    overall = next((each for each in figures if each.name == ALL), None)
    if overall is None:
        return Verdict(False, ("No question was judged on both sides, so nothing can be said.",), tuple(figures))
    better = overall.better > overall.worse and overall.p < CHANCE
    worse = [each for each in figures if each.worse > each.better and each.p < CHANCE]
    fewer = [each for each in figures if each.worse > each.better and each not in worse]
    reasons = [
        f"{'Better' if better else 'Not better beyond chance'}: {_figure_words(overall)}",
        *(f"Worse beyond chance: {_figure_words(each)}" for each in worse),
        *(f"Fewer, within chance: {_figure_words(each)}" for each in fewer if each is not overall),
    ]
    if learned:
        reasons.append(f"Not asked, as it was trained on them: {learned:,} of the questions in the home's sets.")
    return Verdict(better and not worse, tuple(reasons), tuple(figures))


def _figure_words(figure: Figure) -> str:
    whole = figure.name in (ALL, ANSWERED, REFUSED, JUDGED, GENERAL) or figure.name.startswith(f"{SET} ")
    name = f"{figure.name[0].lower()}{figure.name[1:]}" if whole else f"questions of the kind {figure.name}"
    p = "p < 0.001" if figure.p < 0.001 else f"p = {figure.p:.2g}"
    return (
        f"{name}, {figure.after} of {figure.questions} where it was {figure.before} "
        f"({figure.better} gained, {figure.worse} lost, {p})."
    )


def _right(result: Result) -> bool:
    return is_right(result.score)


def _is_judged(result: Result) -> bool:
    return result.score.verdict is not None


def _sides(results: Iterable[Result]) -> tuple[list[Result], list[Result]]:
    """The answers of the adapter that answers now, and those of the candidate."""
    kept = list(results)
    return [one for one in kept if ":" not in one.system], [one for one in kept if ":" in one.system]


def _paired(before: Sequence[Result], after: Sequence[Result]) -> list[tuple[Result, Result]]:
    """The answers to each question that both were asked."""
    earlier = {(result.case.id, result.case.question): result for result in before}
    found = ((earlier.get((result.case.id, result.case.question)), result) for result in after)
    return [(old, new) for old, new in found if old]


def figure_table(results: Measurement) -> tuple[str, ...]:
    """The figures as a table, a line each, and what is concluded from them."""
    rows = [("", "Questions", "Before", "After", "Gained", "Lost", "p")]
    for each in results.verdict.figures:
        before, after = (f"{right} ({right / each.questions:.1%})" for right in (each.before, each.after))
        rows.append((each.name, str(each.questions), before, after, str(each.better), str(each.worse), f"{each.p:.3g}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return (*table, *results.verdict.reasons)


def measured_against(results: Measurement) -> str:
    """What it was measured against, for people."""
    return results.against or "the model without an adapter"


def status_sentence(candidate: Manifest, now: Baseline | None) -> str:
    """How it stands beside what answers `now`, in a sentence."""
    has, results = candidate_status(candidate, now), candidate.results
    if now and now.adapter == candidate.id:
        return "It answers now."
    if results is None:
        return "It was not measured, so nobody knows whether it is better."
    beside = measured_against(results)
    if has == "outdated":
        return (
            f"It was measured beside {beside} as it was on {results.at:%Y-%m-%d}, which is not what answers now: "
            "measure it again."
        )
    if has == "earned":
        return f"It is measurably better than {beside}, and worse in nothing beyond chance."
    return f"It is not measurably better: its figures do not say that it is better than {beside}."


def status_line(candidate: Manifest, now: Baseline | None) -> str:
    """The same in a line of many."""
    results = candidate.results
    if results is None:
        return "not measured"
    gone = ", which is not what answers now" if candidate_status(candidate, now) == "outdated" else ""
    if now and now.adapter == candidate.id:
        gone = ""
    return f"beside {measured_against(results)}{gone}: {results.verdict.reasons[0]}"


@dataclass(frozen=True, slots=True)
class Questions:
    """What both are asked; `sets`: the set of a case by its id; `learned`: how many of those sets it was trained on."""

    cases: tuple[Case, ...]
    sets: Mapping[str, str]
    learned: int


def choose_questions(home: Home, candidate: str, most: int) -> Questions:
    """What is asked of both, each question once and none that the candidate was trained on: of the dataset's held-out
    side, made from the chart, and of the home's sets. Raises TragError when there are none, and when nobody can say
    what it was trained on."""
    from trag.evaluate.chart_cases import make

    seen, chart = learned(home, candidate), home.organization.chart
    if seen is None:
        raise TragError(
            f"Nobody can say any more which questions {candidate} was trained on, so nothing can measure it.",
            "Fine-tune again.",
        )
    known = frozenset(map(plain, seen))
    content = home.candidates.cases(candidate).read_bytes()
    held_out = case_files.read(content, "the dataset's questions") if content.strip() else ()
    chosen = spread(_without(held_out, known), most - most // 3 if chart else most)
    wanted = most - len(chosen)
    made = make(chart, seed=SEED, number=2 * wanted) if chart else ()
    taken = known | {plain(case.question) for case in chosen}
    fresh = _without(made, taken)[:wanted]
    taken |= {plain(case.question) for case in fresh}
    cases = [
        *(replace(case, id=f"dataset {case.id}") for case in chosen),
        *(replace(case, id=f"chart {case.id}") for case in fresh),
    ]
    kept = CaseSets(home.folder / "cases")
    of_sets = sorted(((each, kept.cases(each)) for each in kept.all()), key=lambda pair: len(pair[1]))
    sets, room = dict[str, str](), most
    for left, (each, whole) in zip(range(len(of_sets), 0, -1), of_sets, strict=True):  # the small ones leave room
        some = [replace(case, id=f"{each.id[:12]} {case.id}") for case in spread(_without(whole, taken), room // left)]
        taken |= {plain(case.question) for case in some}
        sets |= {case.id: each.name for case in some}
        cases += some
        room -= len(some)
    if not cases:
        raise TragError(
            "There is nothing to measure the adapter by: no question that it was not trained on.",
            "Activate a chart, upload a set of questions on the page Quality, or give documents with pairs and "
            "fine-tune again.",
        )
    left_out = sum(_is_in(case, known) for _, whole in of_sets for case in whole)
    return Questions(tuple(cases), sets, left_out)


def spread(cases: Sequence[T], most: int) -> Sequence[T]:
    """At most so many, evenly from first to last."""
    return cases if len(cases) <= most else [cases[place * len(cases) // most] for place in range(most)]


def learned(home: Home, candidate: str) -> tuple[str, ...] | None:
    """The questions that a candidate was trained on, None where nobody can say."""
    asked = home.candidates.learned(candidate)
    if asked is not None:
        return asked
    works = Works(home.folder / "finetune")
    files = (works.dataset(work) / folders.TRAIN for work in works.all() if work.candidate == candidate)
    file = next((file for file in files if file.is_file()), None)
    return examples.questions(examples.read(file.read_bytes(), str(file))) if file else None


def _without(cases: Iterable[Case], taken: Collection[str]) -> list[Case]:
    """Those whose question is not `taken`, nor taken with a slip of the fingers, each question once."""
    found = {plain(case.question): case for case in cases if not _is_in(case, taken)}
    return list(found.values())


def _is_in(case: Case, taken: Collection[str]) -> bool:
    return plain(case.question) in taken or any(slip in taken for slip in slips(case.question))
