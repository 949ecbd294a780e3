"""Cases put to systems, each answer scored and kept before the next is asked; what was interrupted resumes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from prompts import PromptError
from trag import paper_systems
from trag.ask import Assistant
from trag.errors import TragError, in_one_line
from trag.evaluate.cases import Case, sha256_of
from trag.evaluate.runs import Result, Results, Run, fingerprint, plan
from trag.evaluate.scoring import Score, score
from trag.llm.model import ModelDied
from trag.llm.queue import QueueFull, RequestQueue
from trag.llm.remote import RequestRefused
from trag.paper_systems import SYSTEMS
from trag.question import cleaned
from trag.record import AnswerRecord

if TYPE_CHECKING:
    from trag.home import Home
    from trag.llm.model import LanguageModel
    from trag.progress import Progress

BASE = ":base"
"""Behind the name of a system: the same without the adapter. The id of a candidate stands there for the same with that
one."""

_PAUSE = 1.0
"""Seconds until a full line is tried again."""

_one_at_a_time = threading.Lock()
_filled: set[tuple[Path, str]] = set()
"""The folder of the home and the id of the run that answers are being added to."""
T = TypeVar("T")
Tasks = Sequence[tuple[str, Case]]
"""Systems and what each is asked, in order."""


def results_of(home: Home) -> Results:
    """The evaluations that a home keeps."""
    return Results(home.folder / "results")


def is_filled(home: Home, run_id: str) -> bool:
    """Whether `evaluate` is adding answers to a run of a home, whoever began it."""
    return (home.folder, run_id) in _filled


def evaluate(
    home: Home,
    cases: Sequence[Case],
    cases_name: str,
    systems: Sequence[str],
    *,
    resume: str = "",
    progress: Progress,
    stop: threading.Event | None = None,
) -> Run:
    """The answers of every system to every case, all of the first system first. `resume` is the id of an earlier run
    that goes on where it was; a set `stop` ends this one so that it can.

    `progress` is told the system, the answers there are, and those there will be. The answers go nowhere but into the
    run. A question that cannot be asked, that the model's server refuses, or that ends the model twice, is Incorrect.
    Raises TragError for systems that cannot be run, when another evaluation is running, when the run to go on with was
    made by another model, chart or program, with other documents, settings or questions, when documents or settings
    change while it runs, and when the model cannot be reached; what was answered stays.
    """
    if not _one_at_a_time.acquire(blocking=False):
        raise TragError("An evaluation is running already.", "Wait until it has ended, or stop it.")
    try:
        assistant = replace(home.assistant, records=None)  # an adapter that is promoted meanwhile changes nothing here
        with home.leases.hold(assistant.model):
            planned = _plan(home, assistant.model, cases, cases_name, systems)
            results = results_of(home)
            run = _resumed(results.run(resume), planned) if resume else results.begin(planned, cases)
            if run.finished:
                return run
            _filled.add((home.folder, run.id))
            try:
                return _answer_all(home, assistant, results, run, cases, progress, stop or threading.Event())
            finally:
                _filled.discard((home.folder, run.id))
    finally:
        _one_at_a_time.release()


def earlier(home: Home, cases: Sequence[Case], systems: Sequence[str]) -> tuple[Run, ...]:
    """The runs of these cases and systems by the same program, model, chart and documents, the newest first:
    one that is not finished can be gone on with. Raises TragError for systems that cannot be run."""
    planned = _plan(home, home.model, cases, "", systems)
    return tuple(run for run in results_of(home).runs() if not _differences(run, planned))


def _plan(home: Home, model: LanguageModel, cases: Sequence[Case], cases_name: str, systems: Sequence[str]) -> Run:
    """The run that would begin now."""
    if unknown := [system for system in systems if system.partition(":")[0] not in SYSTEMS]:
        raise TragError(f"There is no system {', '.join(unknown)}.", f"The systems are: {', '.join(SYSTEMS)}.")
    if not systems or not cases:
        raise TragError("Nothing to evaluate: no system, or no question.", f"The systems are: {', '.join(SYSTEMS)}.")
    if not model.identity.adapter and (same := [system for system in systems if system.endswith(BASE)]):
        raise TragError(
            f"No adapter answers, so {', '.join(same)} would be the same without {BASE}.",
            f"Promote a fine-tuned adapter, or leave out {BASE}.",
        )
    for system in systems:
        if ":" in system and not system.endswith(BASE):
            home.check_candidate(system.partition(":")[2])
    chart, total = home.organization.version, len(cases) * len(set(systems))
    return plan(model, cases_name, sha256_of(cases), systems, chart=chart, total=total, evidence=_evidence(home))


def _evidence(home: Home) -> tuple[object, ...]:
    """All that can be found for a question, and the settings that decide what is given of it."""
    settings = home.settings
    given = (settings.context, settings.answer_tokens, settings.pairs, settings.sections, settings.threshold)
    ids = sorted(id for held in home.vectors.ids().values() for id in held)
    return (*given, settings.statement_tokens, home.embedder.identity, ids)


def _refuse_change(home: Home, run: Run) -> None:
    """Raises TragError when other things can be found now than when the run began: answers of both do not compare."""
    _resumed(run, replace(run, evidence=fingerprint(_evidence(home))))


def _resumed(run: Run, planned: Run) -> Run:
    if differences := _differences(run, planned):
        raise TragError(
            f"Run {run.id} cannot go on: it was made with {'; '.join(differences)}.",
            "Leave it as it is, and begin a new one.",
        )
    return run


def _differences(run: Run, planned: Run) -> list[str]:
    """What an earlier run was made with that is otherwise now."""
    compared = {
        "other questions": (run.cases_sha256, planned.cases_sha256),
        f"the systems {', '.join(run.systems)}": (run.systems, planned.systems),
        f"the model {run.model.name}": ((run.model.name, run.model.sha256), (planned.model.name, planned.model.sha256)),
        f"the adapter {run.model.adapter or 'none'}": (
            (run.model.adapter, run.adapter_sha256),
            (planned.model.adapter, planned.adapter_sha256),
        ),
        f"the chart {run.chart or 'none'}": (run.chart, planned.chart),
        "other documents or settings": (run.evidence, planned.evidence),
        f"the program {run.commit}": (run.commit, planned.commit),
    }
    return [what for what, (then, now) in compared.items() if then != now]


def _answer_all(
    home: Home,
    assistant: Assistant,
    results: Results,
    run: Run,
    cases: Sequence[Case],
    progress: Progress,
    stop: threading.Event,
) -> Run:
    answered = {(result.system, result.case.id) for result in results.results(run.id)}
    with ExitStack() as closing:
        others: dict[str, Assistant] = {}
        for system in run.systems:
            _, _, adapter = system.partition(":")
            _refuse_change(home, run)
            for case in cases:
                if (system, case.id) in answered:
                    continue
                progress(system, len(answered), run.total)
                if adapter and adapter not in others:
                    model = home.model_with(adapter)  # in a process beside the other
                    closing.callback(model.close)
                    line = RequestQueue(model.slots, assistant.settings.waiting)
                    others[adapter] = replace(assistant, model=model, line=line)
                result = answered_by(others[adapter] if adapter else assistant, system, case, stop)
                if result is None:
                    return run
                results.add(run, result)
                answered.add((system, case.id))
    progress(run.systems[-1], len(answered), run.total)
    _refuse_change(home, run)
    return results.finish(run)


def answered_by(assistant: Assistant, system: str, case: Case, stop: threading.Event) -> Result | None:
    """One answer and its score, None when `stop` came before it was whole."""
    record = _answer(assistant, system, case.question, stop)
    if record and record.interrupted and not stop.is_set():
        record = _answer(assistant, system, case.question, stop)  # the model died, perhaps of something else
    if record is None or (record.interrupted and stop.is_set()):
        return None
    if record.interrupted:
        return Result(system, case, record, Score("Incorrect", (record.interrupted,)))
    return Result(system, case, record, score(case, record, assistant.organization.chart))


def _answer(assistant: Assistant, system: str, question: str, stop: threading.Event) -> AnswerRecord | None:
    """The record of an answer, or of why there is none; None when `stop` came first. People go before when the line is
    full."""
    try:
        cleaned(question)
    except TragError as error:
        return assistant.problem(question, in_one_line(error))
    steps = paper_systems.steps(system.partition(":")[0])
    while not stop.is_set():
        try:
            return assistant.answer(question, steps=steps, stop=stop, readers=None)
        except (PromptError, RequestRefused) as error:
            return assistant.problem(question, in_one_line(error))
        except QueueFull:
            stop.wait(_PAUSE)
    return None


def measure_resumably(
    results: Results,
    model: LanguageModel,
    name: str,
    tasks: Tasks,
    answer: Callable[[str, Case], Result],
    *,
    chart: str = "",
    depends: tuple[object, ...],
    progress: Progress,
) -> Run:
    """The run of these tasks with the model that answers, whole. `depends` is what the answers depend on beside the
    cases, the model with its context, and the `chart`.

    One like it that is kept is gone on with, and is returned as it is where it is whole already: the same model gives
    the same answers to the same questions from the same evidence. `progress` is told the system, the answers there are,
    and those there will be. What `answer` raises ends the run; what was answered stays.
    """
    cases, systems = tuple(dict.fromkeys(case for _, case in tasks)), [system for system, _ in tasks]
    evidence = (model.context, *depends)
    planned = plan(model, name, sha256_of(cases), systems, chart=chart, total=len(tasks), evidence=evidence)
    free = ("id", "cases_name", "started", "finished")  # all in which a run like it may differ
    shared = {field: getattr(planned, field) for field in free}
    run = next((run for run in results.runs() if replace(run, **shared) == planned), None)
    run = run or results.begin(planned, cases)
    if run.finished:
        return run
    answered = {(result.system, result.case.id) for result in results.results(run.id)}
    for system, case in tasks:
        if (system, case.id) not in answered:
            progress(system, len(answered), run.total)
            results.add(run, answer(system, case))
            answered.add((system, case.id))
    progress(run.systems[-1], len(answered), run.total)
    return results.finish(run)


def retried(ask: Callable[[], T]) -> T:
    """What `ask` gives, asked once more when the model dies: it may have died of something else."""
    try:
        return ask()
    except ModelDied:
        return ask()
