"""python -m trag evaluate: run an evaluation, list the runs, show one, compare two; needles and multiple choice.

Words -> a run or its tables -> lines.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal import brief_sets, flows, workflow_sets
from trag.terminal.console import Wrong, acts_of, at_least_one, bar, refuse_beside, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trag.evaluate.cases import Case
    from trag.evaluate.runs import Result, Results, Run
    from trag.evaluate.tables import Table
    from trag.home import Home

_CHART = "chart"
NUMBER, SEED = 100, 1
"""Of the cases made from a chart."""
SHOTS = 5
"""Examples before a multiple-choice question, as the makers of MMLU have it."""


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser], systems: Sequence[str]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "evaluate",
        help="measure how right the answers are; show and compare the results",
        description="`evaluate CASES` is `evaluate run CASES`. What was interrupted goes on when the same words are "
        "given again.",
    )
    acts = acts_of(parser, "run")
    asked = argparse.ArgumentParser(add_help=False)
    asked.add_argument(
        "--system",
        nargs="+",
        action="extend",
        choices=systems,
        metavar="SYSTEM",
        help=f"{', '.join(systems)} (default: trag)",
    )
    asked.add_argument("--base", action="store_true", help="each system also without the adapter")
    asked.add_argument("--name", help="what to call the set of cases (default: the file's name)")
    made = argparse.ArgumentParser(add_help=False)
    made.add_argument("--number", type=at_least_one, help=f"cases to make from the chart (default: {NUMBER})")
    made.add_argument("--seed", type=int, help=f"another seed makes other cases (default: {SEED})")
    form = argparse.ArgumentParser(add_help=False)
    forms = form.add_mutually_exclusive_group()
    forms.add_argument("--markdown", action="store_true", help="the tables as Markdown")
    forms.add_argument("--csv", action="store_true", help="every answer with its score, for a spreadsheet")
    forms.add_argument("--json", action="store_true", help="the run, its tables and every answer record")

    run = acts.add_parser("run", parents=[asked], help="put the questions in CASES to systems, and keep the answers")
    which = run.add_mutually_exclusive_group(required=True)
    which.add_argument("cases", nargs="?", metavar="CASES", help="JSON lines, see docs/operators.md")
    which.add_argument("--resume", metavar="RUN", help="go on with an interrupted run")
    run.set_defaults(job=partial(_run, run.error))
    chart = acts.add_parser("chart", parents=[asked, made], help="the same with questions made from the active chart")
    chart.set_defaults(job=partial(_run, chart.error), cases=_CHART, resume=None)
    acts.add_parser("list", help="list the runs, the newest first").set_defaults(job=_list)
    for name, words, job, parents in (
        ("show", "show a run", _show, [form]),
        ("judge", "ask the model that is set for a verdict on the answers that the gold leaves open", _judge, []),
        ("remove", "remove a run", _remove, []),
    ):
        act = acts.add_parser(name, help=words, parents=parents)
        act.add_argument("run", metavar="RUN")
        act.set_defaults(job=job)
    comparing = acts.add_parser("compare", help="compare two runs; RUN/SYSTEM names one system of a run")
    comparing.add_argument("runs", nargs=2, metavar="RUN")
    comparing.set_defaults(job=_compare)
    needle = acts.add_parser(
        "needle",
        parents=[made, form],
        help="put what answers each question at the top, in the middle and at the end of a prompt, among 2 and 10 "
        "unrelated sections",
    )
    needle.add_argument("cases", metavar="CASES|chart")
    needle.set_defaults(job=partial(_needle, needle.error))
    choice = acts.add_parser(
        "choice", parents=[form], help="put multiple-choice questions to the model and, under an adapter, to its base"
    )
    choice.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="CSV of MMLU's layout, or a folder of such files"
    )
    how = choice.add_mutually_exclusive_group()
    how.add_argument("--by-words", action="store_true", help="the answer whose words are likeliest, not its letter")
    how.add_argument(
        "--dev", nargs="+", type=Path, metavar="FILE", help="files with examples that are put before each question"
    )
    choice.add_argument("--shots", type=at_least_one, metavar="N", help=f"examples of each subject (default: {SHOTS})")
    choice.set_defaults(job=partial(_choice, choice.error))
    flows.add(acts)
    workflow_sets.add(acts)
    brief_sets.add(acts)


def _run(wrong: Wrong, settings: Settings, options: argparse.Namespace) -> None:
    """Begins a run, or goes on with one, with the time left on stderr; shows what came of it."""
    from trag.evaluate import running
    from trag.home import open_home

    if options.resume:
        refuse_beside(wrong, options, "--resume", "system", "base", "name")
    read = None if options.resume or options.cases == _CHART else _read(Path(options.cases))
    cases: Sequence[Case]
    systems: Sequence[str] = [*(options.system or ("trag",))]
    if options.base:
        systems = [*systems, *(f"{system}{running.BASE}" for system in systems)]
    with open_home(settings) as home:
        results = running.results_of(home)
        if options.resume:
            run, cases = results.run(options.resume), results.cases(options.resume)
            name, systems, resume = run.cases_name, run.systems, run.id
        else:
            cases, name = read or _made(home, options)
            earlier = running.earlier(home, cases, systems)
            resume = next((run.id for run in earlier if not run.finished), "")
            name = options.name or name
        told = f"{name}: {len(cases)} questions to {', '.join(systems)}"
        print(f"{told}, going on with run {resume}" if resume else told, file=sys.stderr)
        with bar() as progress:
            run = running.evaluate(home, cases, name, systems, resume=resume, progress=progress)
        _shown(run, results.results(run.id))


def _needle(wrong: Wrong, settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate import needle
    from trag.home import open_home

    if options.cases != _CHART:
        refuse_beside(wrong, options, options.cases, "number", "seed")
    read = None if options.cases == _CHART else _read(Path(options.cases))
    with open_home(settings) as home:
        cases, name = read or _made(home, options)
        found, left_out = needle.needles(home, cases)
        for one in left_out:
            print(f"left out: {one}", file=sys.stderr)
        with bar() as progress:
            run = needle.measure(home, found, name, progress=progress)
        results = needle.results_of(home).results(run.id)
    _told(run, results, needle.table(results), options)


def _choice(wrong: Wrong, settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate import multiple_choice
    from trag.home import open_home

    if options.shots and not options.dev:
        wrong("--shots goes with --dev")
    cases = multiple_choice.read(_contents(options.files))
    shown: multiple_choice.Examples = {}
    if options.dev:
        shown = multiple_choice.examples(_contents(options.dev), options.shots or SHOTS, [case.kind for case in cases])
    with open_home(settings) as home, bar() as progress:
        name = ", ".join(file.stem for file in options.files)
        run = multiple_choice.measure(home, cases, name, by_words=options.by_words, shown=shown, progress=progress)
        results = multiple_choice.results_of(home).results(run.id)
    _told(run, results, multiple_choice.accuracy(results), options)


def _told(run: Run, results: Sequence[Result], table: Table, options: argparse.Namespace) -> None:
    """A measurement that has one table, in the form that is wanted."""
    from trag.evaluate import tables

    if options.markdown:
        print(tables.markdown(table), end="")
    elif options.csv:
        print(tables.as_csv(tables.answers(results)), end="")
    elif options.json:
        print(tables.as_json([table]), end="")
    else:
        print(tables.heading(run))
        show(table)


def _made(home: Home, options: argparse.Namespace) -> tuple[Sequence[Case], str]:
    from trag.evaluate.chart_cases import make

    number, seed = options.number or NUMBER, SEED if options.seed is None else options.seed
    chart = home.organization.chart
    if chart is None:
        raise TragError("This home has no chart to make cases from.", "python -m trag chart activate FILE")
    cases = make(chart, seed=seed, number=number)
    return cases, f"chart, {len(cases)} cases, seed {seed}"


def _read(file: Path) -> tuple[Sequence[Case], str]:
    from trag.evaluate.cases import read

    try:
        return read(file.read_bytes(), file.name), file.stem
    except FileNotFoundError as error:
        hint = "Check the path; or `chart` makes questions from the active chart."
        raise TragError(f"There is no file {file}.", hint) from error
    except OSError as error:
        raise TragError(f"{file} cannot be read: {error.strerror}.", "It must be a file of JSON lines.") from error


def _contents(places: Sequence[Path]) -> list[tuple[str, bytes]]:
    """The files, with those that end in .csv of every folder among them."""
    files = [file for place in places for file in (sorted(place.glob("*.csv")) if place.is_dir() else [place])]
    try:
        return [(file.name, file.read_bytes()) for file in files]
    except OSError as error:
        raise TragError(f"{error.filename} cannot be read: {error.strerror}.", "Check the path.") from error


def _list(settings: Settings, options: argparse.Namespace) -> None:
    for run in _kept(settings).runs():
        state = "whole" if run.finished else "not finished"
        print(f"{run.id}  {run.commit}  {run.cases_name}: {', '.join(run.systems)} ({run.total} answers, {state})")


def _show(settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate import tables

    kept = _kept(settings)
    run, results = kept.run(options.run), kept.results(options.run)
    if options.markdown:
        print(tables.run_markdown(run, results), end="")
    elif options.csv:
        print(tables.run_csv(results), end="")
    elif options.json:
        print(tables.run_json(run, results), end="")
    else:
        _shown(run, results)


def _compare(settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate import tables
    from trag.evaluate.comparing import compare

    kept = _kept(settings)
    before, after = (_named(kept, words) for words in options.runs)
    # One system on each side is compared whatever it is called; else those that both sides have.
    pairs = (
        [(*before, *after)] if len(before) == len(after) == 1 else [(name, name) for name in before if name in after]
    )
    if not pairs:
        raise TragError(
            f"No system is in both runs: {', '.join(before)}; {', '.join(after)}.",
            "Name one on each side: python -m trag evaluate compare RUN/SYSTEM RUN/SYSTEM",
        )
    for old, new in pairs:
        print(f"{old} -> {new}")
        show(tables.changes(compare(before[old], after[new])))


def _judge(settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate.judging import judge
    from trag.evaluate.running import results_of
    from trag.home import open_home

    with open_home(settings) as home, bar() as progress:
        results, name = results_of(home), home.model.identity.name
        run = results.run(options.run)
        if run.model.sha256 and run.model.sha256 == home.model.identity.sha256:
            print(f"{name} judges answers of its own; another model would be less lenient.", file=sys.stderr)
        judged = judge(results, run, home.model, partial(progress, name))
        found = results.results(run.id)
    unread = f", and gave no verdict on {judged.unread}" if judged.unread else ""
    print(f"{name} decided {judged.decided} answers that the gold left open{unread}.")
    _shown(run, found)


def _remove(settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate.running import results_of
    from trag.home import open_home

    with open_home(settings) as home:
        results_of(home).remove(options.run)
    print(f"Removed: {options.run}")


def _kept(settings: Settings) -> Results:
    """The runs, to be read: also while another process owns the home and adds to them."""
    from trag.evaluate.runs import Results

    return Results(settings.home / "results")


def _named(kept: Results, words: str) -> dict[str, list[Result]]:
    """The answers that RUN or RUN/SYSTEM names, by system."""
    from trag.evaluate.tables import by_system

    run_id, _, system = words.partition("/")
    found = by_system(kept.results(kept.run(run_id).id))
    if system and system not in found:
        raise TragError(f"Run {run_id} has no answers of {system}.", f"It has those of: {', '.join(found) or 'none'}.")
    return {system: found[system]} if system else found


def _shown(run: Run, results: Sequence[Result]) -> None:
    from trag.evaluate import tables

    print(f"Run {run.id}: {tables.heading(run)}")
    if not run.finished:
        print(f"Not finished, {len(results)} of {run.total} answers: python -m trag evaluate --resume {run.id}")
    for table in tables.report(results):
        show(table)
