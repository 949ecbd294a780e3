"""From a finished training to a candidate: what is written down of it, and never for a model it was not trained on."""

import json
import shutil
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from tests.tiny_model import bare_home
from trag.errors import TragError
from trag.finetune import gate, stages
from trag.finetune.dataset.examples import Example, write
from trag.finetune.stages import carry_out, check, described, works_of
from trag.finetune.training import plan, training_process
from trag.finetune.training.plan import TrainingSettings
from trag.finetune.training.run import Trained, trained
from trag.finetune.work_folders import Work
from trag.home import Home
from trag.llm import files

TRAINED = Trained(
    "SmolLM2-135M-Instruct", files.base_sha256(""), "d" * 64, 16, 32, 1200, False, 2.0, 0.25, 4428, 0, 9000, 90.0
)


Make = Callable[..., Work]


@pytest.fixture
def make(tmp_path: Path, lessons: tuple[Example, ...], monkeypatch: pytest.MonkeyPatch) -> Make:
    """A fine-tune that is trained and not exported; the export is scripted."""
    monkeypatch.setattr(stages, "_export_to", lambda folder, target, *_: target.write_bytes(b"adapter"))
    works = works_of(bare_home(tmp_path))

    def made(**more: Any) -> Work:
        work = works.after(works.begin(by="ada", seed=3, settings={"epochs": 0.5}, **more), "export")
        works.training(work).mkdir()
        works.dataset(work).mkdir()
        (works.dataset(work) / "train.jsonl").write_bytes(write(lessons[:2]))
        keep(tmp_path, work, TRAINED)
        return work

    return made


@pytest.fixture
def work(make: Make) -> Work:
    return make()


def keep(home: Path, work: Work, found: Trained) -> None:
    values = {"kind": "k", "trained": asdict(found)}
    (home / "finetune" / work.id / "training" / "trained.json").write_text(json.dumps(values))


def export(home: Home, work: Work) -> Work:
    return carry_out(home, work, lambda _: None, threading.Event(), until="measure")


def test_a_candidate_knows_what_it_was_trained_on_and_what_the_adapter_had_learned_that_it_began_from(
    make: Make, tmp_path: Path
) -> None:
    home = bare_home(tmp_path)
    before = tmp_path / "before.gguf"
    before.write_bytes(b"before")
    work = make(adapter=before, known=("who leads Unit Z", "who leads Unit A"))
    made = home.candidates.get(export(home, work).candidate)
    assert (made.base_name, made.base_sha256) == (TRAINED.base_name, TRAINED.base_sha256)
    settings = dict(made.settings)
    assert (settings["begun from"], settings["passes"]) == ("before.gguf", "0.5")
    assert home.candidates.learned(made.id) == (
        "who leads Unit A", "How many members does Unit A have?", "who leads Unit Z",
    )  # fmt: skip


@pytest.mark.parametrize("why", ["it answers by now", "it is gone"])
def test_a_candidate_that_cannot_be_measured_any_more_leaves_nothing_to_be_done(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    home = bare_home(tmp_path)
    exported = export(home, work)
    if why == "it is gone":
        shutil.rmtree(tmp_path / "adapters" / exported.candidate)
    else:
        monkeypatch.setattr(home, "adapter_name", exported.candidate)
    assert carry_out(home, exported, lambda _: None, threading.Event()).finished
    assert works_of(home).unfinished() is None


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "stopped"])
def test_a_candidate_that_was_measured_by_itself_is_not_measured_again(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    monkeypatch.setattr(gate, "measure", lambda *_, **__: "measured" if whole else None)
    home = bare_home(tmp_path)
    exported = export(bare_home(tmp_path), work)
    stages.measure(home, "20261120-0a0a0a0a", lambda _: None, threading.Event())
    assert works_of(home).unfinished() == exported, "that was another one"
    assert stages.measure(home, exported.candidate, lambda _: None, threading.Event()) is whole
    assert works_of(home).unfinished() == (None if whole else exported)


def test_training_finds_a_model_that_was_named_from_here(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(folder: Path) -> None:
        raise TragError("Started.")

    monkeypatch.setattr(training_process, "start", start)
    monkeypatch.chdir(tmp_path)
    for model, found in (("model.gguf", str(tmp_path / "model.gguf")), ("", "")):
        home = bare_home(tmp_path, model)
        work = works_of(home).all()[0] if works_of(home).all() else make()
        with pytest.raises(TragError, match="Started"):
            carry_out(home, works_of(home).after(work, "train"), lambda _: None, threading.Event())
        order = plan.read(works_of(home).training(work))
        assert (order.base, order.model) == (found, found)


TIDY = """
import os, signal, sys, time
from pathlib import Path
place = Path(sys.argv[1])
signal.signal(signal.SIGTERM, signal.default_int_handler)
try:
    (place / "began").write_text("in a session of its own" if os.getsid(0) == os.getpid() else "")
    time.sleep(60)
finally:
    (place / "tidied up").touch()
"""


def test_what_runs_in_a_process_of_its_own_is_ended_by_us_and_not_by_a_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stand_in.py").write_text(TIDY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    began, stop = tmp_path / "began", threading.Event()

    def watch() -> None:
        end = time.monotonic() + 30
        while not (began.exists() and began.read_text()) and time.monotonic() < end:
            time.sleep(0.01)
        stop.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    # As in the background of a script, which has it ignored by all that it starts.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert stages.output_of(stop, "stand_in", str(tmp_path)) is None
    finally:
        signal.signal(signal.SIGINT, before)
    watcher.join()
    assert began.read_text() == "in a session of its own"
    assert (tmp_path / "tidied up").exists()


@pytest.mark.slow
def test_an_adapter_is_not_recorded_for_another_model(
    work: Work, tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bare_home(tmp_path, str(tiny))
    with pytest.raises(
        TragError, match=r"trained for SmolLM2-135M-Instruct \(b179c9523d0e\), and the model in use is t"
    ):
        export(home, work)
    assert home.candidates.all() == ()
    assert works_of(home).get(work.id) == work, "it can be gone on with"
    assert export(bare_home(tmp_path), work).candidate


def test_a_manifest_says_all_that_it_takes_to_train_so_again() -> None:
    settings = TrainingSettings(learning_rate=1e-3, warm_up=0.1, epochs=0.5, accumulation=4, longest=900, seed=7)
    found = replace(
        TRAINED, too_long=12, stopped_early=True, weights="llama 0a0a0a0a0a0a", four_bits=True, commit="c0de"
    )
    assert described(found, settings) == (
        ("weights", "llama 0a0a0a0a0a0a in 4 bits"),
        ("rank", "16"),
        ("adapted", "query and value"),
        ("alpha", "32"),
        ("learning rate", "0.001, after a warm-up of 10%"),
        ("passes", "0.5"),
        ("sequences to a step", "4"),
        ("steps", "1,200, ended early"),
        ("examples", "4,428, 12 longer ones left out"),
        ("longest", "900 tokens"),
        ("tokens", "9,000"),
        ("held-out loss", "2.000 before, 0.250 after"),
        ("minutes", "1.5"),
        ("seed", "7"),
        ("program", "c0de"),
    )
    plain = [name for name, _ in described(TRAINED, settings)]
    assert "weights" not in plain
    assert "program" not in plain


def test_what_an_earlier_program_kept_of_a_training_is_read(work: Work, tmp_path: Path) -> None:
    file = tmp_path / "finetune" / work.id / "training" / "trained.json"
    values = json.loads(file.read_text())
    for name in ("weights", "four_bits", "commit"):
        del values["trained"][name]
    file.write_text(json.dumps(values))
    assert trained(file.parent) == TRAINED


def test_a_base_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    for base in ("none", "model.gguf"):
        with pytest.raises(TragError, match="is no folder"):
            check({}, str(tmp_path / base))
    check({}, str(tmp_path))


@pytest.mark.slow
def test_what_ends_a_process_of_its_own_is_told_without_losing_its_hint_to_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text('import sys\nsys.stderr.write("A library warns.\\n")\n')
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for module, word in (("trag.finetune.training", "--estimate"), ("trag.finetune.training.export", "adapter.gguf")):
        with pytest.raises(TragError) as told:
            stages.output_of(threading.Event(), module, str(tmp_path), word)
        assert told.value.message.splitlines() == [
            "A library warns.",
            f"{tmp_path / plan.FILE} cannot be read: No such file or directory.",
        ]
        assert told.value.hint == "Name the folder of a training."
