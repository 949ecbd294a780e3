"""python -m trag finetune as people run it: real dataset, real training that is killed and gone on with, real export,
real llama.cpp; measured, promoted, rolled back."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.tiny_model import ADAPTER, keep_adapter, write_gguf, write_model
from trag.finetune import gate, stages
from trag.finetune.dataset.typos import plain
from trag.finetune.training import training_process
from trag.finetune.work_folders import Works
from trag.home import open_home
from trag.llm import files
from trag.models.adapters import Candidates, Manifest
from trag.settings import Settings
from trag.terminal.main import main

ROOT = Path(__file__).parents[3]
SMALL = ("epochs=0.2", "accumulation=1", "held_out=2", "evaluations=2", "longest=1800", "checkpoint_seconds=0")


@pytest.fixture
def home(empty_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path))
    shutil.copy(empty_database, tmp_path)
    return tmp_path


def steps(home: Path) -> list[int]:
    """Every step that was told, in the order in which it was."""
    (folder,) = (home / "finetune").glob("*/training")
    return [record.step for record in training_process.said(folder) if isinstance(record, training_process.Step)]


def until(true: Callable[[], object], process: subprocess.Popen[str], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_fine_tune_is_killed_gone_on_with_measured_promoted_and_rolled_back(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = write_model(tmp_path / "tiny.gguf", "llama")
    monkeypatch.setenv("TRAG_MODEL", str(model))

    def run(*words: str) -> str:
        capsys.readouterr()
        assert main(list(words)) == 0
        return capsys.readouterr().out

    run("chart", "activate", str(ROOT / "examples" / "larkmoor" / "chart.csv"))
    options = [word for setting in SMALL for word in ("--set", setting)]
    command = [sys.executable, "-m", "trag", "finetune", *options, "--questions", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        until(lambda: [*(home / "finetune").glob("*/training/progress.jsonl")] and len(steps(home)) > 2, process, 900)
        (training,) = (home / "finetune").glob("*/training")
        process.kill()
    os.kill(int((training / "running.lock").read_text()), signal.SIGKILL)
    had = steps(home)
    assert Works(home / "finetune").unfinished()
    out = run("finetune")
    after = steps(home)[len(had) :]
    assert after[0] <= had[-1] + 1
    assert after[0] > 1, "it went on from a checkpoint"
    assert after == list(range(after[0], after[0] + len(after)))
    (candidate,) = Candidates(home / "adapters").all()
    assert candidate.results
    assert out.splitlines()[0] == f"{candidate.id} beside the model without an adapter"
    assert f"python -m trag finetune promote {candidate.id}" in out
    settings = dict(candidate.settings)
    assert settings["steps"] == str(after[-1])
    assert "begun from" not in settings
    assert candidate.base_sha256 == files.base_sha256(str(model))
    assert Works(home / "finetune").unfinished() is None
    learned, cases = Candidates(home / "adapters").learned(candidate.id), [*(home / "results").glob("*/cases.jsonl")]
    assert learned
    asked = [json.loads(line)["question"] for file in cases for line in file.read_text().splitlines()]
    assert len(asked) == 3
    assert {plain(question) for question in asked}.isdisjoint(map(plain, learned))
    card = next((home / "finetune").glob("*/dataset/card.md")).read_text()
    assert f"sha256 {candidate.dataset_sha256}" in card

    assert main(["finetune", "promote", candidate.id]) == 1, "3 questions say nothing beyond chance"
    said = capsys.readouterr()
    assert "All questions" in said.out
    assert "add --anyway" in said.err
    assert "The adapter that answers: none: the model alone" in run("finetune", "list")
    assert f"The adapter that answers: {candidate.id}" in run("finetune", "promote", candidate.id, "--anyway")
    told = [
        subprocess.run(
            [sys.executable, "-m", "trag", *words], capture_output=True, text=True, cwd=ROOT, check=True
        ).stdout
        for words in (["ask", "--json", "What is the Ethics Office under?"], ["doctor"])
    ]
    answer = json.loads(told[0])
    assert answer["model"]["adapter"] == candidate.id
    assert f"* {candidate.id}" in run("finetune", "list")
    assert f"adapter {candidate.id}" in told[1]
    assert candidate.id not in run("finetune", "rollback")


@pytest.mark.parametrize(
    ("words", "problem", "hint"),
    [
        ("promote 20261120-0a0a0a0a", "no adapter 20261120-0a0a0a0a; there are: none yet", "finetune list"),
        ("measure", "no adapter to measure", "python -m trag finetune"),
        ("rollback", "nothing to go back to", ""),
        ("remove x", "no adapter x", "finetune list"),
        ("--set speed=9", 'unknown key "speed"', "learning_rate"),
        ("--base /nowhere", "/nowhere is no folder", "TRAG_MODEL"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: str, problem: str, hint: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["finetune", *words.split()]) == 1
    err = capsys.readouterr().err
    assert problem in err
    assert hint in err
    assert not (home / "finetune").exists()


@pytest.mark.parametrize(
    "words",
    [
        "paint", "promote", "list --new", "promote x --questions 3", "--questions 0", "--set a=b", "--set rank",
        "--seed 0", "--seed 1000000001", "promote x --four-bits", "measure --anyway", "list --base .",
        "estimate --questions 3", "steps --negatives none", "dataset --negatives ance",
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_2(words: str, home: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["finetune", *words.split()])
    assert ended.value.code == 2


def add(home: Path, content: bytes = b"adapter") -> Manifest:
    return keep_adapter(Candidates(home / "adapters"), content, base_sha256=files.base_sha256(""))


def test_one_that_was_not_measured_is_promoted_only_on_a_word_of_its_own(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = add(home)
    assert main(["finetune", "promote", made.id]) == 1
    told = capsys.readouterr()
    assert "It was not measured" in told.out
    assert f"finetune promote {made.id} --anyway" in told.out
    assert f"{made.id} was not promoted" in told.err
    assert main(["finetune", "list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 2, "nothing was promoted"
    assert listed[1].endswith("not measured")


@pytest.mark.slow
def test_settings_are_those_a_fine_tune_was_begun_with(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Works(home / "finetune").begin(by="ada", seed=1, settings={"epochs": 1.0})
    assert main(["finetune", "--set", "epochs=2"]) == 1
    assert "is not finished, and has settings of its own" in capsys.readouterr().err
    assert main(["finetune", "--set", "epochs=1", "--seed", "1"]) == 1
    assert "Going on with the fine-tune" in capsys.readouterr().err, "the same words, and then there is no dataset"


def test_nothing_is_learned_where_a_server_answers(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_MODEL_URL", "http://127.0.0.1:9/v1")
    assert main(["finetune"]) == 1
    assert "no adapter can be put on that" in capsys.readouterr().err
    assert not (home / "finetune").exists()


def test_a_rank_other_than_that_of_the_adapter_is_refused_before_anything_is_done(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    halves = {"lora_a": np.zeros((16, 576), np.float32), "lora_b": np.zeros((576, 16), np.float32)}
    tensors = {f"blk.0.attn_q.weight.{half}": rows for half, rows in halves.items()}
    write_gguf(tmp_path / "adapter.gguf", "llama", ADAPTER | {"adapter.lora.alpha": 32.0}, tensors)
    monkeypatch.setenv("TRAG_ADAPTER", str(tmp_path / "adapter.gguf"))
    assert main(["finetune", "--set", "rank=7"]) == 1
    assert "of rank 16, not 7" in capsys.readouterr().err
    assert not (home / "finetune").exists()


def test_a_promoted_adapter_is_not_removed_though_another_answers_and_one_that_is_gone_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = add(home)
    with open_home(Settings(home=home)) as opened:
        opened.records.promotions.put(made.id, by="ada")
    with monkeypatch.context() as fixed:
        fixed.setenv("TRAG_ADAPTER", "none")
        assert main(["finetune", "remove", made.id]) == 1
    assert f"{made.id} is promoted" in capsys.readouterr().err
    shutil.rmtree(home / "adapters" / made.id)
    assert main(["finetune", "list"]) == 0
    assert f"none can: There is no adapter {made.id}" in capsys.readouterr().out


def exported(home: Path, candidate: str) -> Path:
    """The folder of a fine-tune that a candidate came of, with what it learned from."""
    works = Works(home / "finetune")
    work = works.after(works.begin(by="ada", seed=1, settings={}), "measure", candidate=candidate)
    works.dataset(work).mkdir()
    (works.dataset(work) / "train.jsonl").write_text("The code word is zanzibarite.")
    return works.place(work)


def test_a_fine_tune_has_nothing_left_to_do_once_its_adapter_is_measured_or_answers_or_is_gone(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, works = add(home), Works(home / "finetune")
    place = exported(home, made.id)
    with monkeypatch.context() as scripted:
        scripted.setattr(gate, "measure", lambda *_, **__: "measured")
        assert main(["finetune", "measure", made.id]) == 0
    assert works.unfinished() is None
    works.after(works.get(place.name), "measure")
    with open_home(Settings(home=home)) as opened:
        opened.records.promotions.put(made.id, by="ada")
    capsys.readouterr()
    assert main(["finetune"]) == 0
    assert capsys.readouterr().out == "It answers now.\n"
    assert works.unfinished() is None
    works.after(works.get(place.name), "measure", candidate="20261120-0a0a0a0a")
    assert main(["finetune"]) == 0
    assert "the adapter 20261120-0a0a0a0a that came of it is gone" in capsys.readouterr().out
    assert works.unfinished() is None


def test_an_adapter_is_removed_with_what_it_learned_from(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, other = add(home), add(home, b"another adapter")
    place = exported(home, made.id)
    assert main(["finetune", "remove", other.id]) == 0
    assert (place / "dataset" / "train.jsonl").exists(), "that came of another"
    assert main(["finetune", "remove", made.id]) == 0
    assert not place.exists()
    assert Candidates(home / "adapters").all() == ()


def test_a_merge_that_is_stopped_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stages, "merge", lambda *_: False)
    assert main(["finetune", "merge", add(home).id, "merged.gguf"]) == 1
    assert capsys.readouterr().err == "Stopped.\n"
