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
from trag.finetune.training import training_process
from trag.finetune.training.training_process import Failed, Paused, Preparing, Step, encode

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
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[str, ...]]:
    """Makes a module of these lines that a process can run."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def make(code: str) -> tuple[str, ...]:
        (tmp_path / "stand_in.py").write_text(code)
        return ("stand_in",)

    return make


def until(true: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_a_process_is_followed_never_doubled_and_ended_with_its_checkpoint(
    tmp_path: Path, module: Callable[[str], tuple[str, ...]]
) -> None:
    folder = tmp_path / "training"
    assert not training_process.is_running(folder)
    assert training_process.steps(training_process.said(folder)) == ()
    process = training_process.start(folder, module(TRAINS))
    until(lambda: training_process.steps(training_process.said(folder)))
    assert training_process.is_running(folder)
    with pytest.raises(TragError, match="being trained already"):
        training_process.start(folder, module(TRAINS))
    training_process.end(folder)
    assert process.wait(10) == 0
    assert not training_process.is_running(folder)
    *steps, last = training_process.said(folder)
    assert isinstance(last, Paused)
    assert training_process.steps(steps)[-1].step == last.step


@pytest.mark.slow
def test_a_process_outlives_a_killed_parent_and_is_found_by_the_next(
    tmp_path: Path, module: Callable[[str], tuple[str, ...]]
) -> None:
    module(TRAINS)
    folder = tmp_path / "training"
    code = "import sys, time; from pathlib import Path; from trag.finetune import child\n"
    code += "training_process.start(Path(sys.argv[1]), ('stand_in',)); print('begun', flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[3]}"},
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"begun\n"
        parent.send_signal(signal.SIGKILL)
    until(lambda: len(training_process.steps(training_process.said(folder))) > 2)
    assert training_process.is_running(folder)
    training_process.end(folder)
    assert not training_process.is_running(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "said", "hint"),
    [(FAILS, "The loss is no number.", "Begin anew."), (BREAKS, "Training failed: ValueError: a fault", "errors.txt")],
    ids=["in its own words", "a fault"],
)
def test_why_it_ended_is_said(
    tmp_path: Path, module: Callable[[str], tuple[str, ...]], code: str, said: str, hint: str
) -> None:
    process = training_process.start(tmp_path, module(code))
    found = training_process.problem(tmp_path, process.wait(20))
    assert found.message == said
    assert hint in found.hint


@pytest.mark.slow
def test_a_line_that_a_full_disk_left_half_does_not_spoil_the_next(
    tmp_path: Path, module: Callable[[str], tuple[str, ...]]
) -> None:
    (tmp_path / "progress.jsonl").write_text(encode(Preparing("loading")) + '\n["Step", {"st')
    training_process.start(tmp_path, module(FAILS)).wait(20)
    assert training_process.said(tmp_path) == (Preparing("loading"), Failed("The loss is no number.", "Begin anew."))


def test_a_kill_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "errors.txt").write_text("")
    assert "SIGKILL" in training_process.problem(tmp_path, -9).message


def test_of_a_step_that_was_done_again_the_last_counts_and_half_a_line_does_not(tmp_path: Path) -> None:
    records = (
        Preparing("loading"),
        Step(1, 3, 2.0, 1.5, 10.0, 9.0),
        Step(2, 3, 1.5, 1.5, 10.0, 5.0),
        Failed("No.", ""),
        Step(2, 3, 1.4, 1.2, 10.0, 5.0),
    )
    (tmp_path / "progress.jsonl").write_text("\n".join(map(encode, records)) + '\n["Step", {"st')
    assert training_process.said(tmp_path) == records
    assert training_process.newest(tmp_path) == records[-1]
    assert training_process.newest(tmp_path / "nowhere") is None
    assert [(step.step, step.loss) for step in training_process.steps(records)] == [(1, 2.0), (2, 1.4)]
