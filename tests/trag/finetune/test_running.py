"""The one fine-tune of an app: what is told of it, that there is one only, and what a restart finds. What the stages do
is scripted here."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.tiny_model import bare_home, keep_adapter
from trag import background
from trag.background import JobStatus
from trag.errors import TragError
from trag.finetune import running
from trag.finetune.running import FineTune, Tuning
from trag.finetune.stages import OnProgress, StageProgress, works_of
from trag.finetune.training import training_process
from trag.finetune.training.training_process import Step, encode
from trag.finetune.work_folders import Stage, Work
from trag.home import Home

Make = Callable[..., FineTune]
STEP = Step(4, 10, 1.5, 1.4, 200.0, 90.0)


class Script:
    """What the stages do: each waits until it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.fails: Exception | None = None
        self.done: list[str] = []

    def carry_out(
        self, home: Home, work: Work, tell: OnProgress, stop: threading.Event, *, until: Stage = "done"
    ) -> Work:
        works = works_of(home)
        if work.stage == "dataset":
            tell(StageProgress("dataset", "contexts", 1, 4))
            work = works.after(work, "train")
        tell(StageProgress("train", "training", 4, 10, STEP))
        if self.fails:
            raise self.fails
        while not self.free.wait(0.01):
            if stop.is_set():
                return work
        self.done.append(work.id)
        return works.after(work, "done", candidate="20261120-0a0a0a0a")

    def measure(self, home: Home, candidate: str, tell: OnProgress, stop: threading.Event) -> bool:
        tell(StageProgress("measure", "trag", 1, 9))
        self.done.append(candidate)
        return True


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script()
    monkeypatch.setattr(running, "carry_out", script.carry_out)
    monkeypatch.setattr(running, "measure", script.measure)
    monkeypatch.setattr(background, "PACE", 0.01)
    return script


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[FineTune] = []

    def make(busy: Callable[[], bool] = lambda: False) -> FineTune:
        made.append(FineTune(bare_home(tmp_path), lambda: None, busy))
        return made[-1]

    yield make
    for each in made:
        each.close()


def wait(fine_tune: FineTune, true: Callable[[JobStatus[Tuning]], bool]) -> None:
    end = time.monotonic() + 10
    while fine_tune.now is None or not true(fine_tune.now):
        assert time.monotonic() < end, fine_tune.now
        time.sleep(0.01)


def until(fine_tune: FineTune, state: str) -> None:
    wait(fine_tune, lambda now: now.state == state)


def begin(fine_tune: FineTune) -> Work:
    return fine_tune.begin(by="ada", seed=1, settings={"epochs": 1.0})


def told(fine_tune: FineTune) -> None:
    wait(fine_tune, lambda now: now.about.told.step is not None)


def test_a_fine_tune_is_watched_to_its_end(make: Make, script: Script) -> None:
    fine_tune = make()
    assert fine_tune.now is None
    with pytest.raises(TragError, match='unknown key "speed"'):
        fine_tune.begin(by="ada", seed=1, settings={"speed": 1.0})
    assert not (fine_tune._home.folder / "finetune").exists()
    work = begin(fine_tune)
    told(fine_tune)
    assert (fine_tune.now.state, fine_tune.now.about.told.step, fine_tune.now.left) == ("running", STEP, 90.0)
    script.free.set()
    until(fine_tune, "done")
    assert (script.done, fine_tune.now.about.work.candidate) == ([work.id], "20261120-0a0a0a0a")
    fine_tune.dismiss()
    assert fine_tune.now is None


def test_a_second_one_is_refused_while_one_runs(make: Make, script: Script) -> None:
    fine_tune = make()
    begin(fine_tune)
    for act in (partial(begin, fine_tune), fine_tune.go_on, partial(fine_tune.measure, "20261120-0a0a0a0a", by="bob")):
        with pytest.raises(TragError, match="running already"):
            act()
    fine_tune.discard()
    assert fine_tune.now
    assert len(list((fine_tune._home.folder / "finetune").iterdir())) == 1


def test_a_stopped_one_goes_on_or_is_discarded(make: Make, script: Script, tmp_path: Path) -> None:
    fine_tune = make()
    begin(fine_tune)
    told(fine_tune)
    fine_tune.stop()
    until(fine_tune, "stopped")
    with pytest.raises(TragError, match="last fine-tune is not finished"):
        begin(fine_tune)
    fine_tune.go_on()
    until(fine_tune, "running")
    fine_tune.stop()
    until(fine_tune, "stopped")
    fine_tune.measure("20261120-0a0a0a0a", by="bob")
    until(fine_tune, "done")
    fine_tune.dismiss()
    assert fine_tune.now.state == "stopped", "it waits to be gone on with"
    fine_tune.discard()
    assert fine_tune.now is None
    assert list((tmp_path / "finetune").iterdir()) == []
    with pytest.raises(TragError, match="no fine-tune to go on with"):
        fine_tune.go_on()


def test_what_went_wrong_is_said_and_what_was_done_stays(make: Make, script: Script) -> None:
    script.fails = TragError("The loss is no number.", "Begin anew.")
    fine_tune = make()
    begin(fine_tune)
    until(fine_tune, "failed")
    assert (fine_tune.now.problem, fine_tune.now.hint) == ("The loss is no number.", "Begin anew.")
    assert fine_tune.now.about.work.stage == "train", "the dataset is made"
    script.fails, _ = None, script.free.set()
    fine_tune.go_on()
    until(fine_tune, "done")


def test_people_go_first_while_it_is_measured(make: Make, script: Script) -> None:
    asked = threading.Event()
    asked.set()
    fine_tune = make(asked.is_set)
    fine_tune.measure("20261120-0a0a0a0a", by="ada")
    until(fine_tune, "waiting")
    assert script.done == []
    asked.clear()
    until(fine_tune, "done")
    assert script.done == ["20261120-0a0a0a0a"]


def test_an_adapter_is_not_removed_while_it_is_measured_and_then_with_its_fine_tune(
    make: Make, script: Script, tmp_path: Path
) -> None:
    home = bare_home(tmp_path)
    works, candidates = works_of(home), home.candidates
    id = keep_adapter(candidates).id
    works.after(works.begin(by="ada", seed=1, settings={}), "measure", candidate=id)
    fine_tune = make(lambda: True)
    for act, end in ((partial(fine_tune.measure, id, by="bob"), "done"), (fine_tune.go_on, "stopped")):
        act()
        with pytest.raises(TragError, match=f"{id} is being measured"):
            fine_tune.remove(id)
        fine_tune.stop()
        until(fine_tune, end)
    fine_tune.remove(id)
    assert fine_tune.now is None
    assert (works.all(), candidates.all()) == ((), ())


def leave(home: Path) -> Path:
    """What an app that was killed while training leaves; the folder of the training."""
    works = works_of(bare_home(home))
    work = works.after(works.begin(by="ada", seed=1, settings={}), "train")
    folder = works.place(work) / "training"
    folder.mkdir()
    (folder / "progress.jsonl").write_text(encode(STEP) + "\n")
    return folder


def test_a_restart_says_that_one_was_interrupted(make: Make, script: Script, tmp_path: Path) -> None:
    leave(tmp_path)
    fine_tune = make()
    about = fine_tune.now.about
    assert (fine_tune.now.state, about.work.by, about.told.step) == ("interrupted", "ada", STEP)
    script.free.set()
    fine_tune.go_on()
    until(fine_tune, "done")


@pytest.mark.slow
def test_a_restart_follows_one_that_still_trains(
    make: Make, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = leave(tmp_path)
    (tmp_path / "stand_in.py").write_text("import time; time.sleep(60)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = training_process.start(folder, ("stand_in",))
    fine_tune = make()
    told(fine_tune)
    assert fine_tune.now.state == "running"
    process.kill()
    process.wait()
