"""A measurement of its own kind, kept as runs are: answer by answer, going on where an earlier one like it stopped.

model, what is asked of whom -> a planned Run -> the Run with all its answers.  For one measurement of a home at a
time. Knows nothing about how an answer is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trag.evaluate.cases import Case
from trag.evaluate.planning import plan
from trag.evaluate.runs import Result, Results, Run, sha256_of

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel
    from trag.progress import Progress

Asked = Sequence[tuple[str, Case]]
"""Systems and what each is asked, in order."""


def planned(model: LanguageModel, asked: Asked, name: str, *, chart: str, depends: tuple[object, ...]) -> Run:
    """The run that would begin now with the model that answers. `depends` is what the answers depend on beside the
    cases, the model with its context, and the `chart`."""
    systems, evidence = [system for system, _ in asked], (model.context, *depends)
    sha256 = sha256_of(_cases(asked))
    return plan(model, name, sha256, systems, chart=chart, total=len(asked), evidence=evidence)


def carry_out(
    results: Results, planned: Run, asked: Asked, answer: Callable[[str, Case], Result], progress: Progress
) -> Run:
    """The planned run, whole. One like it that is kept is gone on with, and is returned as it is where it is whole
    already: the same model gives the same answers to the same questions from the same evidence.

    `progress` is told the system, the answers there are, and those there will be. What `answer` raises ends the run;
    what was answered stays.
    """
    run = next((run for run in results.runs() if _alike(run, planned)), None)
    run = run or results.begin(planned, _cases(asked))
    if run.finished:
        return run
    answered = {(result.system, result.case.id) for result in results.results(run.id)}
    for system, case in asked:
        if (system, case.id) not in answered:
            progress(system, len(answered), run.total)
            results.add(run, answer(system, case))
            answered.add((system, case.id))
    progress(run.systems[-1], len(answered), run.total)
    return results.finish(run)


def _alike(run: Run, planned: Run) -> bool:
    """Whether a run is what was planned: when it was and what its questions were called is all that may differ."""
    return planned == replace(
        run, id=planned.id, cases_name=planned.cases_name, started=planned.started, finished=planned.finished
    )


def _cases(asked: Asked) -> tuple[Case, ...]:
    return tuple(dict.fromkeys(case for _, case in asked))
