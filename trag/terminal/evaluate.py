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
from trag.terminal.console import Wrong, at_least_one, bar, show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trag.evaluate.cases import Case
    from trag.evaluate.runs import Result, Results, Run
    from trag.evaluate.tables import Table
    from trag.home import Home

_USAGE = """python -m trag evaluate CASES [--system SYSTEM ...] [--base] [--name NAME]
       python -m trag evaluate chart [--number N] [--seed N] [--system SYSTEM ...] [--base] [--name NAME]
       python -m trag evaluate --resume RUN
       python -m trag evaluate list
       python -m trag evaluate show RUN [--markdown | --csv | --json]
       python -m trag evaluate compare RUN[/SYSTEM] RUN[/SYSTEM]
       python -m trag evaluate judge RUN
       python -m trag evaluate remove RUN
       python -m trag evaluate needle CASES|chart [--number N] [--seed N] [--markdown | --csv | --json]
       python -m trag evaluate choice FILE ... [--by-words] [--dev FILE ... [--shots N]]
                                            [--markdown | --csv | --json]
       python -m trag evaluate flows FOLDER [--system SYSTEM ...] [--flows all relevant] [--half dev|test]
                                            [--number N] [--markdown]
       python -m trag evaluate flows FOLDER --beyond FILE [--markdown]
       python -m trag evaluate flows FOLDER --facts
       python -m trag evaluate workflows FILE ... [--system SYSTEM ...] [--form lines|json] [--k N]
                                            [--number N] [--markdown]
       python -m trag evaluate briefs [CHECKLISTS] [--number N] [--seed N] [--runs N] [--system SYSTEM ...] [--markdown]
                                --judge FOLDER
       python -m trag evaluate briefs --pairs FILE --system SYSTEM --system SYSTEM [--number N] [--seed N] [--markdown]
       python -m trag evaluate briefs FOLDER [--markdown]"""
_RUNNING = ("system", "base", "name", "number", "seed")
_CHOOSING = ("dev", "shots", "by_words")
_PLANNING = ("system", "flows", "half", "number", "markdown")
_DRAFTING = ("system", "form", "k", "number", "markdown")
_BRIEFING = ("system", "number", "seed", "runs", "pairs", "markdown")
_SHOWING = ("markdown", "csv", "json")
NUMBER, SEED = 100, 1
"""Of the cases made from a chart."""
SHOTS = 5
"""Examples before a multiple-choice question, as the makers of MMLU have it."""


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser], systems: Sequence[str]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "evaluate",
        usage=_USAGE,
        help="measure how right the answers are; show and compare the results",
        description="Puts the questions in CASES (JSON lines, see docs/operators.md), or questions made from the "
        "active chart, to one system or several, and keeps each answer with its score. What was interrupted goes on "
        "when the same words are given again. needle puts what answers each question at the top, in the middle and at "
        "the end of a prompt, among 2 and 10 unrelated sections; flows has FLAP's systems plan by the procedures "
        "in a folder (see bench/flows); workflows has systems write those of the requests in files of JSON lines "
        "(see bench/workflows); briefs has them write about units and topics of this home; choice puts "
        "multiple-choice questions (CSV files of MMLU's layout, or folders of them) to the model and, where an "
        "adapter is set, to its base. judge asks the model that is set for a verdict "
        "on the answers that the gold leaves open.",
    )
    parser.add_argument(
        "words", nargs="*", metavar="CASES|chart|list|show|compare|judge|remove|needle|choice|flows|workflows|briefs"
    )
    parser.add_argument("--system", nargs="+", action="extend", help=f"{', '.join(systems)} (default: trag)")
    parser.add_argument("--base", action="store_true", help="each system also without the adapter")
    parser.add_argument("--name", help="what to call the set of cases (default: the file's name)")
    parser.add_argument(
        "--number",
        type=at_least_one,
        help=f"cases to make from the chart (default: {NUMBER}); queries of each flow, requests of each file (all), "
        f"names that texts are written about ({brief_sets.NUMBER})",
    )
    parser.add_argument("--seed", type=int, help=f"another seed makes other cases (default: {SEED})")
    parser.add_argument(
        "--dev",
        nargs="+",
        metavar="FILE",
        help="files with examples that are put before each question (MMLU's dev files)",
    )
    parser.add_argument("--by-words", action="store_true", help="the answer whose words are likeliest, not its letter")
    parser.add_argument("--shots", type=at_least_one, metavar="N", help=f"examples of each subject (default: {SHOTS})")
    parser.add_argument("--resume", metavar="RUN", help="go on with an interrupted run")
    parser.add_argument("--flows", nargs="+", choices=("all", "relevant"), help="which of a domain a planner is shown")
    parser.add_argument("--half", choices=("dev", "test"), help="of the queries (default: both)")
    parser.add_argument("--facts", action="store_true", help="what a folder of flows holds, and what is wrong with it")
    parser.add_argument("--beyond", metavar="FILE", help="requests that are not one flow's, for trag alone")
    parser.add_argument("--form", choices=("lines", "json"), help="what plain prompting writes (default: lines)")
    parser.add_argument("--k", type=at_least_one, metavar="N", help="steps that are suggested to it (default: 15)")
    parser.add_argument("--runs", type=at_least_one, metavar="N", help="texts of each name by the paper's ways (1)")
    parser.add_argument("--judge", metavar="FOLDER", help="a CrossEncoder that learned natural language inference")
    parser.add_argument(
        "--pairs", metavar="FILE", help="where two systems' texts are laid before a reader, side by side"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="the tables as Markdown")
    form.add_argument("--csv", action="store_true", help="every answer with its score, for a spreadsheet")
    form.add_argument("--json", action="store_true", help="the run, its tables and every answer record")
    parser.set_defaults(job=partial(_evaluate, parser.error, systems))


def _evaluate(  # noqa: C901  a table
    wrong: Wrong, systems: Sequence[str], settings: Settings, options: argparse.Namespace
) -> None:
    act: Callable[[Settings, argparse.Namespace], None]
    allowed: tuple[str, ...]
    match options.words:
        case ["list"]:
            act, allowed = _list, ()
        case ["show", _]:
            act, allowed = _show, _SHOWING
        case ["compare", _, _]:
            act, allowed = _compare, ()
        case ["judge", _]:
            act, allowed = _judge, ()
        case ["remove", _]:
            act, allowed = _remove, ()
        case ["list" | "show" | "compare" | "judge" | "remove", *_]:
            wrong("give list, show RUN, compare RUN RUN, judge RUN or remove RUN")
        case [] if options.resume:
            act, allowed = _run, ("resume",)
        case ["needle", what]:
            act, allowed = _needle, (*_SHOWING, *(("number", "seed") if what == "chart" else ()))
        case ["choice", _, *_]:
            act, allowed = _choice, (*_SHOWING, *(_CHOOSING if options.dev else ("dev", "by_words")))
        case ["flows", _]:
            act, allowed = (flows.facts, ("facts",)) if options.facts else (flows.plans, _PLANNING)
            allowed = ("beyond", "markdown") if options.beyond else allowed
        case ["workflows", _, *_]:
            act, allowed = workflow_sets.workflows, _DRAFTING
        case ["briefs"] if options.pairs:
            if len(options.system or ()) != 2:
                wrong("give --pairs two systems")
            act, allowed = brief_sets.counted if Path(options.pairs).exists() else brief_sets.briefs, _BRIEFING
        case ["briefs", name] if Path(name).is_dir():
            act, allowed = brief_sets.planted, ("markdown",)
        case ["briefs"] | ["briefs", _]:
            if not options.judge:
                wrong("give briefs a --judge")
            about = ("number", "seed") if len(options.words) == 1 else ()
            act, allowed = brief_sets.briefs, ("system", "runs", "markdown", "judge", *about)
        case ["needle" | "choice" | "flows" | "workflows" | "briefs", *_]:
            wrong(
                "give needle CASES, needle chart, choice FILE ..., flows FOLDER, workflows FILE ..., or briefs [FILE]"
            )
        case ["chart"]:
            act, allowed = _run, _RUNNING
        case [_]:
            act, allowed = _run, ("system", "base", "name")
        case _:
            wrong("give CASES or chart")
    _refuse_misplaced(wrong, options, allowed)
    _refuse_unknown(wrong, options, systems)
    act(settings, options)


def _refuse_unknown(wrong: Wrong, options: argparse.Namespace, systems: Sequence[str]) -> None:
    others = {"flows": flows.systems, "workflows": workflow_sets.systems, "briefs": brief_sets.systems}
    known = others[options.words[0]]() if options.words and options.words[0] in others else systems
    if unknown := [system for system in options.system or () if system not in known]:
        wrong(f"argument --system: invalid choice: {unknown[0]!r} (choose from {', '.join(known)})")


def _refuse_misplaced(wrong: Wrong, options: argparse.Namespace, allowed: Sequence[str]) -> None:
    given = (
        option
        for option in dict.fromkeys(
            (*_RUNNING, *_SHOWING, *_CHOOSING, *_PLANNING, *_DRAFTING, *_BRIEFING, "judge", "resume", "facts", "beyond")
        )
        if getattr(options, option) not in (None, False)
    )
    if misplaced := [f"--{option.replace('_', '-')}" for option in given if option not in allowed]:
        wrong(f"{', '.join(misplaced)} does not go with {' '.join(options.words) or '--resume'}")


def _run(settings: Settings, options: argparse.Namespace) -> None:
    """Begins a run, or goes on with one, with the time left on stderr; shows what came of it."""
    from trag.evaluate import running
    from trag.home import open_home

    read = None if options.resume or options.words == ["chart"] else _read(Path(*options.words))
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


def _needle(settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate import needle
    from trag.home import open_home

    what = options.words[1]
    read = None if what == "chart" else _read(Path(what))
    with open_home(settings) as home:
        cases, name = read or _made(home, options)
        found, left_out = needle.needles(home, cases)
        for one in left_out:
            print(f"left out: {one}", file=sys.stderr)
        with bar() as progress:
            run = needle.measure(home, found, name, progress=progress)
        results = needle.results_of(home).results(run.id)
    _told(run, results, needle.table(results), options)


def _choice(settings: Settings, options: argparse.Namespace) -> None:
    from trag.evaluate import multiple_choice
    from trag.home import open_home

    files = [Path(word) for word in options.words[1:]]
    cases = multiple_choice.read(_contents(files))
    shown: multiple_choice.Examples = {}
    if options.dev:
        dev = _contents([Path(word) for word in options.dev])
        shown = multiple_choice.examples(dev, options.shots or SHOTS, [case.kind for case in cases])
    with open_home(settings) as home, bar() as progress:
        name = ", ".join(file.stem for file in files)
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
    run, results = kept.run(options.words[1]), kept.results(options.words[1])
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
    before, after = (_named(kept, words) for words in options.words[1:])
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
        run = results.run(options.words[1])
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
        results_of(home).remove(options.words[1])
    print(f"Removed: {options.words[1]}")


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
