"""What a training takes is known before it starts, and refused where it cannot fit."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.training import estimate
from trag.finetune.training.estimate import Needs
from trag.finetune.training.layout import Shape
from trag.finetune.training.plan import FILE, Plan, write

EMBEDDED = Shape("llama", 30, 576, 1536, 9, 3, 64, 49152, True)
LLAMA = Shape("llama", 32, 4096, 11008, 32, 32, 128, 32000, False)


@pytest.mark.parametrize(
    ("shape", "rank", "longest", "width", "packed", "gigabytes"),
    [
        (EMBEDDED, 16, 600, 2, False, 1.7),
        (EMBEDDED, 16, 1200, 2, False, 2.5),
        (LLAMA, 16, 1000, 2, False, 25),
        (LLAMA, 64, 1000, 2, True, 8.5),
    ],
    ids=["embedded, 600 tokens (measured)", "embedded, 1,200 tokens (measured)", "7B", "7B in 4 bits"],
)
def test_memory_is_estimated(shape: Shape, rank: int, longest: int, width: int, packed: bool, gigabytes: float) -> None:
    trained = estimate.adapter_weights(shape, rank, True)
    found = estimate.memory(shape, trained=trained, longest=longest, learned=60, weight_bytes=width, packed=packed)
    assert found / 1e9 == pytest.approx(gigabytes, rel=0.2)


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        (Needs(25 * 10**9, 16 * 10**9, 1, 2), "needs about 25.0 GB of memory, and 16.0 GB are free"),
        (Needs(1, 2, 3 * 10**9, 10**9), "needs 3.0 GB of disk, and 1.0 GB are free"),
    ],
    ids=["memory", "disk"],
)
def test_what_cannot_fit_is_refused(needs: Needs, said: str) -> None:
    with pytest.raises(TragError, match=said):
        estimate.check(needs)
    estimate.check(Needs(1, 2, 1, 2))


@pytest.mark.slow
def test_time_is_measured_and_nothing_is_trained(plan: Plan, tmp_path: Path) -> None:
    folder = tmp_path / "training"
    write(folder, plan)
    command = [sys.executable, "-m", "trag.finetune.training", str(folder), "--estimate"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[4])
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert found["steps"] == 6
    assert found["seconds"] == pytest.approx(found["tokens"] / found["tokens_per_second"])
    assert 0 < found["needs"]["memory"] < found["needs"]["memory_free"]
    assert [path.name for path in folder.iterdir()] == [FILE]
