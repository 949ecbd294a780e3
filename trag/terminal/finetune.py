"""python -m trag finetune: make a dataset, train, export, measure, promote; each goes on where it was stopped.

Words -> stages -> lines.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.settings import Settings
from trag.terminal.console import acts_of, at_least_one, by

if TYPE_CHECKING:
    from collections.abc import Callable

    from trag.finetune.stages import StageProgress
    from trag.finetune.work_folders import Stage, Work
    from trag.home import Home
    from trag.models.adapters import Baseline, Manifest

_UNTIL: dict[str, Stage] = {"dataset": "train", "train": "export", "export": "measure", "all": "done"}
SHIPPED = "shipped"


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser(
        "finetune",
        help="fine-tune the model on this organization: dataset, training, measurement, promotion",
        description="Alone it does everything but promote: makes a dataset from what everyone may read (pairs that "
        "people gave, wrote or approved, made ones where those are few), the chart and the reviewers' labels, trains "
        "the adapter that answers now further on it (a new one where none answers), exports "
        "it, and measures it beside that one. What was stopped or killed goes on when the same words are given again.",
    )
    acts = acts_of(parser, "all", takes_words=False)
    how = argparse.ArgumentParser(add_help=False)
    how.add_argument("--seed", type=_seed, help="decides what is drawn and in which order (default: 1)")
    how.add_argument(
        "--set", action="append", type=_setting, metavar="NAME=NUMBER", help="a setting of the training: --set epochs=1"
    )
    how.add_argument(
        "--base", type=Path, metavar="FOLDER", help="a Hugging Face folder with the whole weights of the model in use"
    )
    how.add_argument("--four-bits", action="store_true", help="hold the weights in 4 bits (QLoRA), on a CUDA GPU")
    how.add_argument("--new", action="store_true", help="begin anew, though another one can be gone on with")
    measured = argparse.ArgumentParser(add_help=False)
    measured.add_argument(
        "--questions",
        type=at_least_one,
        metavar="N",
        help="questions of the organization that measure it, and as many of the sets on the page Quality; fewer than "
        "180 also shorten general knowledge (default: 180)",
    )
    for name, words in (
        ("all", "everything but the promotion; the word may be left out"),
        ("dataset", "as far as the dataset"),
        ("train", "as far as the training"),
        ("export", "as far as the file of the adapter"),
    ):
        acts.add_parser(name, help=words, parents=[how, measured]).set_defaults(job=_carry_out)
    estimate = acts.add_parser("estimate", help="tell how long it takes, and what memory, by a step", parents=[how])
    estimate.set_defaults(job=_estimate, questions=None)
    measure = acts.add_parser("measure", help="measure an adapter beside what answers now", parents=[measured])
    measure.add_argument("adapter", nargs="?", metavar="ADAPTER", help="(default: the newest)")
    measure.set_defaults(job=_measure)
    acts.add_parser("rollback", help="answer with the one before again").set_defaults(job=_adapters)
    for name, words in (
        ("promote", f"answer with an adapter from now on, or with the one that is {SHIPPED}"),
        ("remove", "remove an adapter, and what it learned from"),
        ("merge", "write the model with an adapter merged in to FILE, for other servers"),
    ):
        act = acts.add_parser(name, help=words)
        act.add_argument("adapter", metavar="ADAPTER")
        act.set_defaults(job=_merge if name == "merge" else _adapters)
        if name == "promote":
            act.add_argument("--anyway", action="store_true", help="though its figures do not say that it is better")
        if name == "merge":
            act.add_argument("file", type=Path, metavar="FILE")
    acts.add_parser("list", help="list the adapters and the promotions").set_defaults(job=_list)
    steps = acts.add_parser("steps", help="train the encoder that suggests steps, from the requests that ship")
    steps.add_argument(
        "--negatives",
        nargs="+",
        choices=("random", "bm25", "ance"),
        help="how those are drawn that a request is not about (default: all three)",
    )
    steps.set_defaults(job=_steps)


def _carry_out(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune import gate
    from trag.finetune.stages import carry_out
    from trag.home import open_home

    until = _UNTIL[options.act]
    with open_home(settings) as home, _stopping() as stop:
        work = _work(home, options)
        with _bar() as tell:
            work = carry_out(home, work, tell, stop, until=until)
        candidate = next((each for each in home.candidates.all() if each.id == work.candidate), None)
        now = gate.answering(home)
        folder = home.folder / "finetune" / work.id
    if not work.is_past(until):
        print(f"Stopped, and kept in {folder}. Go on: python -m trag finetune")
        return 1
    if candidate and (candidate.results or work.finished):
        _told(candidate, now)
    elif candidate:
        print(f"Exported: {candidate.id}. Measure it: python -m trag finetune measure {candidate.id}")
    elif work.candidate:
        print(f"Done: the adapter {work.candidate} that came of it is gone. Begin another: python -m trag finetune")
    else:
        print(f"Done: {options.act}, in {folder}. Go on: python -m trag finetune")
    return 0


def _work(home: Home, options: argparse.Namespace) -> Work:
    """The fine-tune to go on with, else a new one. Raises TragError for settings that an unfinished one does not
    have."""
    from trag.finetune.stages import begin, check, training, works_of
    from trag.finetune.training import training_process

    works, given = works_of(home), dict(options.set or ()) | ({"four_bits": 1.0} if options.four_bits else {})
    base = str(options.base.expanduser().absolute()) if options.base else ""
    check(given, base)
    unfinished = works.unfinished()
    if unfinished and options.new and training_process.is_running(training(home, unfinished)):
        raise TragError("A fine-tune is being trained already.", "Leave out --new to follow it.")
    if unfinished is None or options.new:
        seed = 1 if options.seed is None else options.seed
        return begin(home, by=by(), seed=seed, settings=given, questions=options.questions or 0, base=base)
    asked = {"settings": given, "base": base, "questions": options.questions, "seed": options.seed}
    kept = asdict(unfinished) | {"settings": dict(unfinished.settings)}
    if any(value and value != kept[name] for name, value in asked.items()):
        raise TragError(
            f"The fine-tune of {unfinished.begun:%Y-%m-%d %H:%M} UTC is not finished, and has settings of its own.",
            "Give the same words as then to go on with it, or the act alone; or add --new to begin another one.",
        )
    print(f"Going on with the fine-tune of {unfinished.begun:%Y-%m-%d %H:%M} UTC", file=sys.stderr)
    return unfinished


def _measure(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune import gate
    from trag.finetune.stages import measure
    from trag.home import open_home

    with open_home(settings) as home, _stopping() as stop:
        if options.adapter:
            id = options.adapter
        elif found := home.candidates.all():
            id = found[0].id
        else:
            raise TragError("There is no adapter to measure.", "Make one: python -m trag finetune")
        with _bar() as tell:
            measured = measure(home, id, tell, stop, most=options.questions or 0)
        candidate, now = home.candidates.get(id), gate.answering(home)
    if not measured:
        print(f"Stopped. Go on: python -m trag finetune measure {id}")
        return 1
    _told(candidate, now)
    return 0


def _adapters(settings: Settings, options: argparse.Namespace) -> int:
    """Promotes one, goes back to the one before, or removes one."""
    from trag.finetune.stages import remove
    from trag.home import open_home

    with open_home(settings) as home:
        if options.act == "remove":
            remove(home, options.adapter)
            print(f"Removed: {options.adapter}")
            return 0
        if options.act == "promote":
            _promote(home, options.adapter, anyway=options.anyway)
        else:
            home.roll_back(by=by())
        print(f"The adapter that answers: {home.adapter_name or 'none: the model alone'}")
    return 0


def _promote(home: Home, wanted: str, *, anyway: bool) -> None:
    from trag.finetune import gate
    from trag.models.adapters import candidate_status

    now = None if wanted == SHIPPED else gate.answering(home)
    known = wanted in (SHIPPED, now and now.adapter)
    if not known and candidate_status(found := home.candidates.get(wanted), now) != "earned":
        _told(found, now)
        if not anyway:
            raise TragError(
                f"{wanted} was not promoted: it is not measurably better than what answers now.",
                f"Measure it: python -m trag finetune measure {wanted}; or add --anyway.",
            )
    home.promote("" if wanted == SHIPPED else wanted, by=by())


def _merge(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune.stages import merge
    from trag.home import open_home

    with open_home(settings) as home, _stopping() as stop:
        home.candidates.get(options.adapter)
        if not merge(home, options.adapter, options.file, stop):
            print("Stopped.", file=sys.stderr)
            return 1
    print(f"{options.file} is the model with {options.adapter} merged in.")
    return 0


def _list(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune import gate
    from trag.home import open_home
    from trag.models.adapters import candidate_status

    with open_home(settings) as home:
        found, now, promotions = home.candidates.all(), gate.answering(home), home.records.promotions.all()
        try:
            answering, told = home.adapter_name, "none: the model alone"
        except TragError as error:
            answering, told = "", f"none can: {error.message}"
    print(f"The adapter that answers: {answering or told}")
    for each in found:
        mark = "*" if each.id == answering else "+" if candidate_status(each, now) == "earned" else " "
        told = gate.status_line(each, now)
        print(f"{mark} {each.id}  {each.made:%Y-%m-%d %H:%M} UTC by {each.by}  on {each.base_name}  {told}")
    for promotion in promotions:
        print(f"{promotion.at:%Y-%m-%d %H:%M} UTC  {promotion.adapter or SHIPPED}  by {promotion.by}")
    return 0


def _steps(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune.steps import pairs, training

    learned = training.learn(settings.home / "finetune" / "steps", tuple(options.negatives or pairs.WAYS))
    steps, tables, triggers = learned.found
    print(f"Found of what held-out requests are about: steps {steps:.1%}, tables {tables:.1%}, triggers {triggers:.1%}")
    print(f"Learned: {learned.file}")
    return 0


def _estimate(settings: Settings, options: argparse.Namespace) -> int:
    from trag.finetune.stages import carry_out, estimate
    from trag.home import open_home

    with open_home(settings) as home, _stopping() as stop:
        with _bar() as tell:
            work = carry_out(home, _work(home, options), tell, stop, until="train")
        found = estimate(home, work, stop) if work.is_past("train") else None
    if found is None:
        print("Stopped.", file=sys.stderr)
        return 1
    minutes, over = found.seconds / 60, found.too_long
    duration = f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
    left_out = f"{over:,} examples too long for `longest` are left out. " if over else ""
    print(
        f"{found.steps:,} steps, {found.tokens:,} tokens at {found.tokens_per_second:.0f} a second: about "
        f"{duration}. {left_out}It takes {found.memory / 10**9:.1f} GB of memory "
        f"({found.memory_free / 10**9:.1f} free) and {found.disk / 10**9:.1f} GB of disk."
    )
    print("Go on: python -m trag finetune")
    return 0


def _told(candidate: Manifest, now: Baseline | None) -> None:
    """What was measured of a candidate, how it stands beside what answers now, and how to promote it."""
    from trag.finetune import gate
    from trag.models.adapters import candidate_status

    if candidate.results:
        print(f"{candidate.id} beside {gate.measured_against(candidate.results)}")
        print(*gate.figure_table(candidate.results), sep="\n")
    print(gate.status_sentence(candidate, now))
    if now and now.adapter == candidate.id:
        return
    promote = f"python -m trag finetune promote {candidate.id}"
    earned = candidate_status(candidate, now) == "earned"
    print(f"Promote it: {promote}" if earned else f"To promote it all the same: {promote} --anyway")


@contextmanager
def _bar() -> Iterator[Callable[[StageProgress], None]]:
    from tqdm import tqdm

    from trag.terminal.console import progress_of

    with tqdm(file=sys.stderr, disable=None) as bar:
        progress = progress_of(bar)

        def tell(told: StageProgress) -> None:
            bar.set_postfix_str(f"loss {told.step.loss:.3f}" if told.step else "", refresh=False)
            progress(f"{told.stage} {told.doing}".strip(), told.done, told.total)

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


def _seed(text: str) -> int:
    from trag.finetune.work_folders import MOST_SEED

    if not text.isdecimal() or not 1 <= int(text) <= MOST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is not from 1 to {MOST_SEED}")
    return int(text)


def _setting(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=NUMBER") from error
