"""python -m trag finetune: make a dataset, train, export, measure, promote; each goes on where it was stopped.

Words -> stages -> lines.  Knows nothing about how any stage is done. Each act imports what it needs, as in trag.cli.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

from trag.errors import TragError
from trag.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from trag.finetune.candidates import Candidates, Figure, Manifest
    from trag.finetune.stages import Told
    from trag.finetune.work import Stage, Work
    from trag.home import Home

_USAGE = """python -m trag finetune [--seed N] [--set NAME=NUMBER ...] [--questions N] [--new]
       python -m trag finetune dataset|train|export [--seed N] [--set NAME=NUMBER ...] [--new]
       python -m trag finetune estimate [--seed N] [--set NAME=NUMBER ...]
       python -m trag finetune measure [ADAPTER] [--questions N]
       python -m trag finetune promote ADAPTER|shipped
       python -m trag finetune merge ADAPTER FILE
       python -m trag finetune rollback
       python -m trag finetune list
       python -m trag finetune remove ADAPTER"""
_UNTIL: dict[str, Stage] = {"dataset": "train", "train": "export", "export": "measure", "": "done"}
SHIPPED = "shipped"


class _Wrong(Protocol):
    def __call__(self, message: str) -> NoReturn: ...


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "finetune",
        usage=_USAGE,
        help="fine-tune the model on this organization: dataset, training, measurement, promotion",
        description="Alone it does everything but promote: makes a dataset from the approved pairs, the chart and the "
        "reviewers' labels, trains an adapter on it, exports it, and measures it beside the one that answers now. What "
        "was stopped or killed goes on when the same words are given again.",
    )
    parser.add_argument("words", nargs="*", metavar="ACT")
    parser.add_argument("--seed", type=int, help="decides what is drawn and in which order (default: 1)")
    parser.add_argument(
        "--set", action="append", type=_setting, metavar="NAME=NUMBER", help="a setting of the training: --set epochs=1"
    )
    parser.add_argument("--questions", type=int, metavar="N", help="by how many it is measured (default: 180)")
    parser.add_argument("--new", action="store_true", help="begin anew, though another one can be gone on with")
    parser.set_defaults(job=partial(_finetune, parser.error))


def _finetune(wrong: _Wrong, settings: Settings, options: argparse.Namespace) -> int:
    act: Callable[[Settings, argparse.Namespace], int]
    match options.words:
        case [] | ["dataset"] | ["train"] | ["export"]:
            act = _carry_out
        case ["estimate"]:
            act = _estimate
        case ["measure"] | ["measure", _]:
            act = _measure
        case ["promote", _]:
            act = _promote
        case ["merge", _, _]:
            act = _merge
        case ["rollback"]:
            act = _roll_back
        case ["list"]:
            act = _list
        case ["remove", _]:
            act = _remove
        case _:
            wrong("give no word, or dataset, train, export, estimate, measure, promote, merge, rollback, list, remove")
    if (options.seed is not None or options.set or options.new) and act not in (_carry_out, _estimate):
        wrong(f"--seed, --set and --new do not go with {options.words[0]}")
    if options.questions is not None and (act not in (_carry_out, _measure) or options.questions < 1):
        wrong("--questions, 1 or more, goes with measuring")
    return act(settings, options)


def _carry_out(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune.stages import carry_out
    from trag.home import open_home

    until = _UNTIL["".join(options.words)]
    with open_home(settings) as home, _stopping() as stop:
        work = _work(home, options)
        with _bar() as tell:
            work = carry_out(home, work, tell, stop, until=until)
        candidate = home.candidates.get(work.candidate) if work.candidate else None
        folder = home.folder / "finetune" / work.id
    if not work.is_past(until):
        print(f"Stopped, and kept in {folder}. Go on: python -m trag finetune")
        return 1
    if candidate and candidate.results:
        _told(candidate)
    elif candidate:
        print(f"Exported: {candidate.id}. Measure it: python -m trag finetune measure {candidate.id}")
    else:
        print(f"Done: {' '.join(options.words)}, in {folder}. Go on: python -m trag finetune")
    return 0


def _work(home: Home, options: argparse.Namespace) -> Work:
    """The fine-tune to go on with, else a new one. Raises TragError for settings that an unfinished one does not
    have."""
    from trag.finetune import child
    from trag.finetune.stages import check, training, works_of

    works, given = works_of(home), dict(options.set or ())
    check(given)
    unfinished = works.unfinished()
    if unfinished and options.new and child.is_running(training(home, unfinished)):
        raise TragError("A fine-tune is being trained already.", "Leave out --new to follow it.")
    if unfinished is None or options.new:
        seed = 1 if options.seed is None else options.seed
        return works.begin(by=_by(), seed=seed, settings=given, questions=options.questions or 0)
    if given or options.questions or options.seed not in (None, unfinished.seed):
        raise TragError(
            f"The fine-tune of {unfinished.begun:%Y-%m-%d %H:%M} UTC is not finished, and has settings of its own.",
            "Leave out --seed, --set and --questions to go on with it, or add --new to begin another one.",
        )
    print(f"Going on with the fine-tune of {unfinished.begun:%Y-%m-%d %H:%M} UTC", file=sys.stderr)
    return unfinished


def _measure(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune import gate
    from trag.finetune.stages import Told
    from trag.home import open_home

    with open_home(settings) as home, _stopping() as stop:
        id = options.words[1] if len(options.words) > 1 else _newest(home.candidates)
        with _bar() as tell:
            measured = gate.measure(
                home,
                id,
                progress=lambda system, done, total: tell(Told("measure", system, done, total)),
                stop=stop,
                most=options.questions or gate.MOST,
            )
        candidate = home.candidates.get(id)
    if measured is None:
        print(f"Stopped. Go on: python -m trag finetune measure {id}")
        return 1
    _told(candidate)
    return 0


def _promote(settings: Settings, options: argparse.Namespace) -> int:
    from trag.home import open_home

    wanted = options.words[1]
    with open_home(settings) as home:
        if (
            wanted != SHIPPED
            and (found := home.candidates.get(wanted))
            and not (found.results and found.results.verdict.promote)
        ):
            _told(found) if found.results else print(f"{wanted} was not measured.", file=sys.stderr)
        home.promote("" if wanted == SHIPPED else wanted, by=_by())
        name = home.adapter_name or "none: the model alone"
    print(f"The adapter that answers: {name}")
    return 0


def _merge(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune.stages import merge
    from trag.home import open_home

    _, id, file = options.words
    with open_home(settings) as home:
        home.candidates.get(id)
        merge(home, id, Path(file))
    print(f"{file} is the model with {id} merged in.")
    return 0


def _roll_back(settings: Settings, options: argparse.Namespace) -> int:
    from trag.home import open_home

    with open_home(settings) as home:
        home.roll_back(by=_by())
        name = home.adapter_name or "none: the model alone"
    print(f"The adapter that answers: {name}")
    return 0


def _list(settings: Settings, options: argparse.Namespace) -> int:
    from trag.home import open_home

    with open_home(settings) as home:
        answering, found = home.adapter_name, home.candidates.all()
        promotions = home.records.promotions.all()
    print(f"The adapter that answers: {answering or 'none: the model alone'}")
    for each in found:
        told = "not measured" if each.results is None else each.results.verdict.reasons[0]
        earned = each.results is not None and each.results.verdict.promote
        mark = "*" if each.id == answering else "+" if earned else " "
        print(f"{mark} {each.id}  {each.made:%Y-%m-%d %H:%M} UTC by {each.by}  on {each.base_name}  {told}")
    for promotion in promotions:
        print(f"{promotion.at:%Y-%m-%d %H:%M} UTC  {promotion.adapter or SHIPPED}  by {promotion.by}")
    return 0


def _remove(settings: Settings, options: argparse.Namespace) -> int:
    from trag.home import open_home

    with open_home(settings) as home:
        if options.words[1] == home.adapter_name:
            raise TragError(f"{options.words[1]} answers now.", "Promote another one first, or roll back.")
        home.candidates.remove(options.words[1])
    print(f"Removed: {options.words[1]}")
    return 0


def _estimate(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune.stages import carry_out, estimate
    from trag.home import open_home

    with open_home(settings) as home, _stopping() as stop:
        with _bar() as tell:
            work = carry_out(home, _work(home, options), tell, stop, until="train")
        if not work.is_past("train"):
            return 1
        found = estimate(home, work)
    print(
        f"{found.steps:,} steps, {found.tokens:,} tokens at {found.tokens_per_second:.0f} a second: about "
        f"{found.seconds / 60:.0f} minutes. It takes {found.needs.memory / 10**9:.1f} GB of memory "
        f"({found.needs.memory_free / 10**9:.1f} free) and {found.needs.disk / 10**9:.1f} GB of disk."
    )
    print("Go on: python -m trag finetune")
    return 0


def _told(candidate: Manifest) -> None:
    """What was measured of a candidate, and how to promote it."""
    results = candidate.results
    if results is None:
        return
    verdict = results.verdict
    print(f"{candidate.id} beside {results.against or 'the model without an adapter'}")
    rows = [("", "Questions", "Before", "After", "Gained", "Lost", "p"), *map(_row, verdict.figures)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for reason in verdict.reasons:
        print(reason)
    print(
        f"It has {'' if verdict.promote else 'not '}earned its place. "
        f"{'Promote it' if verdict.promote else 'To promote it all the same'}: "
        f"python -m trag finetune promote {candidate.id}"
    )


def _row(figure: Figure) -> tuple[str, ...]:
    share = [f"{right} ({right / figure.questions:.1%})" for right in (figure.before, figure.after)]
    return figure.name, str(figure.questions), *share, str(figure.better), str(figure.worse), f"{figure.p:.3g}"


@contextmanager
def _bar() -> Iterator[Callable[[Told], None]]:
    from tqdm import tqdm

    with tqdm(desc="", file=sys.stderr, disable=None) as bar:

        def tell(told: Told) -> None:
            if bar.disable:
                return
            doing = f"{told.stage} {told.doing}".strip()
            if not bar.desc.startswith(doing):
                bar.reset()
                bar.initial = told.done  # the time left is told from what was done since
            bar.total, bar.n = told.total or None, told.done
            bar.set_description(f"{doing}, loss {told.step.loss:.3f}" if told.step else doing)

        yield tell


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set: what runs then ends where it can go on."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _newest(candidates: Candidates) -> str:
    found = candidates.all()
    if not found:
        raise TragError("There is no adapter to measure.", "Make one: python -m trag finetune")
    return found[0].id


def _setting(text: str) -> tuple[str, float]:
    name, equals, number = text.partition("=")
    try:
        return name, float(number) if equals else float("nan")
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=NUMBER") from error


def _by() -> str:
    """Who sits at the terminal, as records name them."""
    return f"{getuser()} (terminal)"
