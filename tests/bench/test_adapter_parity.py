"""A training of the real embedded model, exported, says in llama.cpp what it says in PEFT."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiny_model import make_lessons, write_lessons
from trag.finetune.training import plan as plans
from trag.finetune.training.plan import Plan, TrainingSettings

ROOT = Path(__file__).parents[2]


def run(*words: str | Path) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", *map(str, words)], capture_output=True, text=True, cwd=ROOT, check=False, timeout=800
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_embedded_model_is_trained_exported_and_agrees(tmp_path: Path) -> None:
    folder, adapter = tmp_path / "training", tmp_path / "adapter.gguf"
    write_lessons(tmp_path, make_lessons())
    settings = TrainingSettings(
        rank=8, learning_rate=1e-3, epochs=1, accumulation=2, evaluations=1, held_out=2, longest=128, seed=3
    )
    plans.write(folder, Plan(tmp_path, settings=settings))
    run("trag.finetune.training", folder)
    run("trag.finetune.training.export", folder, adapter)
    said = run("bench.adapter_parity", folder, adapter, "--prompts", "8")
    assert " of 8; where it is clear: " in said
    assert float(said.split("apart, in nats: ")[1].split()[0]) < 0.02, said
    assert float(said.split("moves the base by ")[1].split()[0]) > 0.1, said
