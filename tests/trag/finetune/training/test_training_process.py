"""The process that trains: found again, never doubled, ended, and its last words passed on. It is a real process; what
it does instead of training is a few lines here."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.training.training_process import (
    Failed,
    Needed,
    Paused,
    Preparing,
    Step,
    encode,
    end,
    is_running,
    newest,
    problem,
    said,
    start,
    steps,
)

ROOT = Path(__file__).parents[4]
Module = Callable[[str], tuple[str, ...]]
TRAINS = """
import signal, sys, time
from trag.finetune.training.training_process import Paused, Step, encode
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
for step in range(1, 400):
    print(encode(Step(step, 400, 2.0 / step, None, 100.0, 40.0)), flush=True)
    if stopped:
        print(encode(Paused(step, 400)), flush=True)
        break
    time.sleep(0.05)
"""
FAILS = """
import sys
from trag.finetune.training.training_process import Failed, encode
print(encode(Failed("The loss is no number.", "Begin anew.")), flush=True)
sys.exit(1)
"""
BREAKS = "raise ValueError('a fault')"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Module:
    """Makes a module of these lines that a process can run."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def make(code: str) -> tuple[str, ...]:
        (tmp_path / "stand_in.py").write_text(code)
        return ("stand_in",)

    return make


def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    last = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < last
        time.sleep(0.02)


@pytest.mark.slow
def test_a_process_is_followed_never_doubled_and_ended_with_its_checkpoint(tmp_path: Path, module: Module) -> None:
    folder = tmp_path / "training"
    assert not is_running(folder)
    assert steps(said(folder)) == ()
    process = start(folder, module(TRAINS))
    until(lambda: steps(said(folder)))
    assert is_running(folder)
    with pytest.raises(TragError, match="being trained already"):
        start(folder, module(TRAINS))
    end(folder)
    assert process.wait(10) == 0
    assert not is_running(folder)
    *before, last = said(folder)
    assert isinstance(last, Paused)
    assert steps(before)[-1].step == last.step


@pytest.mark.slow
def test_a_process_outlives_a_killed_parent_and_is_found_by_the_next(tmp_path: Path, module: Module) -> None:
    module(TRAINS)
    folder = tmp_path / "training"
    code = "import sys, time; from pathlib import Path; from trag.finetune.training.training_process import start\n"
    code += "start(Path(sys.argv[1]), ('stand_in',)); print('begun', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
    ) as parent:
        assert parent.stdout.readline() == b"begun\n"
        parent.send_signal(signal.SIGKILL)
    until(lambda: len(steps(said(folder))) > 2)
    assert is_running(folder)
    end(folder)
    assert not is_running(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "message", "hint"),
    [(FAILS, "The loss is no number.", "Begin anew."), (BREAKS, "Training failed: ValueError: a fault", "errors.txt")],
    ids=["in its own words", "a fault"],
)
def test_why_it_ended_is_said(tmp_path: Path, module: Module, code: str, message: str, hint: str) -> None:
    process = start(tmp_path, module(code))
    found = problem(tmp_path, process.wait(20))
    assert found.message == message
    assert hint in found.hint
    assert ("SIGKILL" in problem(tmp_path, -9).message) is (code is BREAKS), "unless it had its own last words"


@pytest.mark.slow
def test_a_line_that_a_full_disk_left_half_does_not_spoil_the_next(tmp_path: Path, module: Module) -> None:
    (tmp_path / "progress.jsonl").write_text(encode(Preparing("loading")) + '\n["Step", {"st')
    start(tmp_path, module(FAILS)).wait(20)
    assert said(tmp_path) == (Preparing("loading"), Failed("The loss is no number.", "Begin anew."))


def test_of_a_step_that_was_done_again_the_last_counts_and_half_a_line_does_not(tmp_path: Path) -> None:
    records = (
        Preparing("loading"),
        Step(1, 3, 2.0, 1.5, 10.0, 9.0),
        Step(2, 3, 1.5, 1.5, 10.0, 5.0),
        Failed("a\nb", ""),
        Needed(1, 2, 3, 4, 5, 6),
        Step(2, 3, 1.4, 1.2, 10.0, 5.0),
    )
    (tmp_path / "progress.jsonl").write_text("\n".join(map(encode, records)) + '\n["Step", {"st')
    assert said(tmp_path) == records
    assert newest(tmp_path) == records[-1]
    assert newest(tmp_path / "nowhere") is None
    assert [(step.step, step.loss) for step in steps(records)] == [(1, 2.0), (2, 1.4)]
