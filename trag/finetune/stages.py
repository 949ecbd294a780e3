"""A fine-tune from its beginning to its end: dataset, training, export, measurement, each begun where it was stopped.

home, Work -> a candidate that was measured
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from trag.errors import TragError
from trag.finetune import gate
from trag.finetune.dataset import examples, folders
from trag.finetune.gate import learned
from trag.finetune.training import initial_adapter, plan, training_process
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.finetune.training.run import Trained, trained
from trag.finetune.training.training_process import Estimate, Preparing, Step
from trag.finetune.work_folders import Stage, Work, Works
from trag.json_lines import kept
from trag.llm import files
from trag.models import adapters
from trag.progress import Cancelled

if TYPE_CHECKING:
    from trag.home import Home

_PACE = 0.3


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How far a stage is: `done` of `total`, in words what is being done, and of training the last step."""

    stage: Stage
    doing: str = ""
    done: int = 0
    total: int = 0
    step: Step | None = None


OnProgress = Callable[[StageProgress], None]


def works_of(home: Home) -> Works:
    """The fine-tunes that a home keeps."""
    return Works(home.folder / "finetune")


def training(home: Home, work: Work) -> Path:
    """The folder in which a fine-tune is trained."""
    return works_of(home).training(work)


def check(settings: Mapping[str, float], base: str = "") -> None:
    """Raises TragError for settings that no training can have, and for a `base` that is no folder."""
    plan.chosen(settings)
    if base and not Path(base).is_dir():
        raise TragError(
            f"{base} is no folder.", "Name the Hugging Face folder of the model in use; a GGUF file goes to TRAG_MODEL."
        )


def begin(home: Home, *, by: str, seed: int, settings: Mapping[str, float], questions: int = 0, base: str = "") -> Work:
    """A new fine-tune, of which nothing is done yet: it will go on from the adapter that answers now. Raises what
    `check` raises, and TragError when that adapter is gone or of another rank, and where a server answers."""
    check(settings, base)
    adapters.check_local(home.settings)
    adapter = Path(home.adapter) if home.adapter else None
    if adapter:
        initial_adapter.check_rank(adapter, int(settings.get("rank", 0)))
    return works_of(home).begin(
        by=by,
        seed=seed,
        settings=settings,
        questions=questions,
        base=base,
        adapter=adapter,
        known=(learned(home, home.adapter_name) or ()) if adapter else (),
    )


def settings_of(work: Work) -> TrainingSettings:
    """What a fine-tune is trained with: what was asked for, and what is not said as is usual from where it begins."""
    return plan.chosen({"seed": work.seed} | dict(work.settings), from_adapter=bool(work.adapter))


def carry_out(home: Home, work: Work, tell: OnProgress, stop: threading.Event, *, until: Stage = "done") -> Work:
    """The fine-tune as far as `until`, or as far as it came when `stop` was set: then it can go on.

    Raises TragError for what ended a stage, which is done anew when it is carried out again; everything before stays. A
    candidate that answers by now, or is gone, is not measured any more.
    """
    works = works_of(home)

    def progress(doing: str, done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        tell(StageProgress("dataset", doing, done, total))

    with suppress(Cancelled):
        while not work.is_past(until) and not stop.is_set():
            tell(StageProgress(work.stage))
            if work.stage == "dataset":
                from trag.finetune.dataset.home_dataset import make

                make(home, works.dataset(work), seed=work.seed, progress=progress)
                work = works.after(work, "train")
            elif work.stage == "train":
                _train(works.training(work), _order(home, work), tell, stop)
                work = works.after(work, "export")
            elif work.stage == "export":
                work = works.after(work, "measure", candidate=_export(home, work, stop))
            else:
                is_gone = work.candidate not in (each.id for each in home.candidates.all())
                is_settled = is_gone or work.candidate == home.adapter_name
                if not is_settled and not measure(home, work.candidate, tell, stop, most=work.questions):
                    break
                work = works.after(work, "done")
    return work


def _order(home: Home, work: Work) -> Plan:
    model = home.settings.model  # as it is found from here: training runs in another folder
    model = str(Path(model).expanduser().absolute()) if model else ""
    works = works_of(home)
    adapter = str(works.beginning(work)) if work.adapter else ""
    return Plan(works.dataset(work), work.base or model, settings_of(work), model, adapter)


def _train(folder: Path, order: Plan, tell: OnProgress, stop: threading.Event) -> None:
    """Trains to the end; raises Cancelled when that was stopped. A process that trains there already is followed, and
    then another makes sure of the end."""
    process: subprocess.Popen[bytes] | None = None
    if not training_process.is_running(folder):
        plan.write(folder, order)
        process = training_process.start(folder)
    while (process.poll() is None) if process else training_process.is_running(folder):
        if stop.is_set():
            training_process.end(folder)
        _tell_step(folder, tell)
        sleep(_PACE)
    _tell_step(folder, tell)
    if process is None and not stop.is_set():
        _train(folder, order, tell, stop)
    elif process and process.returncode and not (stop.is_set() and process.returncode < 0):
        raise training_process.problem(folder, process.returncode)
    elif process is None or trained(folder) is None:
        raise Cancelled


def _tell_step(folder: Path, tell: OnProgress) -> None:
    last = training_process.newest(folder)
    if isinstance(last, Preparing):
        tell(StageProgress("train", last.doing))
    elif isinstance(last, Step):
        tell(StageProgress("train", "training", last.step, last.steps, last))


def _export(home: Home, work: Work, stop: threading.Event) -> str:
    """The id of the candidate. Raises TragError when another model is in use, Cancelled when `stop` came first."""
    works = works_of(home)
    dataset, folder = works.dataset(work), works.training(work)
    found, model = trained(folder), home.settings.model
    if found is None:
        raise TragError(f"{folder} holds no finished training.", "Go on with the fine-tune.")
    if found.base_sha256 != (sha256 := files.base_sha256(model)):
        raise TragError(
            f"This adapter was trained for {found.base_name} ({found.base_sha256[:12]}), and the model in use is "
            f"{files.base_name(model)} ({sha256[:12]}).",
            "Set TRAG_MODEL back to the model that it was trained for, and go on; or begin a new fine-tune.",
        )
    target = works.place(work) / files.ADAPTER_FILE
    if not _export_to(folder, target, stop):
        raise Cancelled
    cases, train = dataset / folders.CASES, dataset / folders.TRAIN
    asked = examples.questions(examples.read(train.read_bytes(), str(train)))
    candidate = home.candidates.add(
        target,
        base_name=found.base_name,
        base_sha256=found.base_sha256,
        dataset_sha256=found.dataset_sha256,
        settings=described(found, settings_of(work), work.adapter),
        by=work.by,
        cases=cases.read_bytes() if cases.exists() else b"",
        learned=tuple(dict.fromkeys((*asked, *works.known(work)))),
    )
    for checkpoint in folder.glob("*.safetensors"):  # nothing goes on from them any more
        checkpoint.unlink()
    return candidate.id


def described(found: Trained, settings: TrainingSettings, adapter: str = "") -> tuple[tuple[str, str], ...]:
    """What a manifest says of a training from `adapter` ("" for none): how to do it again, and how it went."""
    four_bits = " in 4 bits" if found.four_bits else ""
    return (
        *([("weights", f"{found.weights or found.base_name}{four_bits}")] if found.weights or four_bits else []),
        *([("begun from", adapter)] if adapter else []),
        ("rank", str(found.rank)),
        ("adapted", "all projections" if found.all_projections else "query and value"),
        ("alpha", str(found.alpha)),
        ("learning rate", f"{settings.learning_rate:g}, after a warm-up of {settings.warm_up:.0%}"),
        ("passes", f"{settings.epochs:g}"),
        ("sequences to a step", str(settings.accumulation)),
        ("steps", f"{found.steps:,}{', ended early' if found.stopped_early else ''}"),
        ("examples", f"{found.examples:,}{f', {found.too_long:,} longer ones left out' if found.too_long else ''}"),
        ("longest", f"{settings.longest:,} tokens"),
        ("tokens", f"{found.tokens:,}"),
        ("held-out loss", f"{found.loss_before:.3f} before, {found.loss_after:.3f} after"),
        ("minutes", f"{found.seconds / 60:.1f}"),
        ("seed", str(settings.seed)),
        *([("program", found.commit)] if found.commit else []),
    )


def estimate(home: Home, work: Work, stop: threading.Event) -> Estimate | None:
    """What training will take, measured in a process of its own; None when `stop` came first."""
    folder = works_of(home).place(work) / "estimate"
    plan.write(folder, _order(home, work))
    told = output_of(stop, "trag.finetune.training", str(folder), "--estimate")
    return kept(Estimate, told) if told else None


def merge(home: Home, candidate: str, target: Path, stop: threading.Event) -> bool:
    """Writes the whole model with a candidate merged in; False when `stop` came first."""
    works = works_of(home)
    work = next(iter(works.of(candidate)), None)
    if work is None or trained(works.training(work)) is None:
        raise TragError(f"The training of {candidate} is no longer kept.", "Fine-tune again.")
    return _export_to(works.training(work), target, stop, "--merged")


def _export_to(folder: Path, target: Path, stop: threading.Event, *more: str) -> bool:
    """Exports a finished training in a process of its own; False when `stop` came first."""
    words = (str(folder), str(target.absolute()), *more)
    return output_of(stop, "trag.finetune.training.export", *words) is not None


def output_of(stop: threading.Event, module: str, *words: str) -> str | None:
    """The output of `python -m MODULE WORDS...`, None when it was stopped. Raises TragError with its last words."""
    # In a session of its own: a Ctrl-C is for whoever started it, who ends it then.
    process = subprocess.Popen(
        [sys.executable, "-m", module, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
    said: str | None = None
    problem = ""
    with process:
        while said is None and not stop.is_set():
            with suppress(subprocess.TimeoutExpired):
                said, problem = process.communicate(timeout=_PACE)
        if said is None:
            process.terminate()  # not SIGINT: who starts the app in a script's background hands on that it is ignored
            said, problem = process.communicate()
    if process.returncode and stop.is_set():
        return None
    if process.returncode:
        message, _, hint = problem.removesuffix("\n").rpartition("\n")
        raise TragError(message or hint or f"{module} ended with status {process.returncode}.", hint if message else "")
    return said


def measure(home: Home, candidate: str, tell: OnProgress, stop: threading.Event, *, most: int = 0) -> bool:
    """Whether the candidate was measured to the end, by `most` questions (0: as usual); then its fine-tune is done."""

    def progress(system: str, done: int, total: int) -> None:
        tell(StageProgress("measure", system, done, total))

    if gate.measure(home, candidate, progress=progress, stop=stop, most=most or gate.MOST) is None:
        return False
    works = works_of(home)
    for work in works.of(candidate):
        works.after(work, "done")
    return True


def remove(home: Home, candidate: str) -> None:
    """Forgets a candidate and its fine-tune. Raises TragError when there is none, and while it is promoted."""
    if candidate == home.records.promotions.current():
        raise TragError(f"{candidate} is promoted.", "Promote another one first, or roll back.")
    works = works_of(home)
    for work in works.of(candidate):  # first: nobody could name them without it, wherever a kill comes
        works.remove(work)
    home.candidates.remove(candidate)
