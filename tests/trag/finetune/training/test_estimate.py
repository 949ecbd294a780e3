"""What a training takes is known before it starts, and refused where it cannot fit."""

import json
import sys
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.training import estimate, run
from trag.finetune.training.layout import Shape
from trag.finetune.training.plan import FILE, Plan, write
from trag.finetune.training.training_process import Needed

EMBEDDED = Shape("llama", 30, 576, 1536, 9, 3, 64, 49152, True)
LLAMA = Shape("llama", 32, 4096, 11008, 32, 32, 128, 32000, False)


@pytest.mark.parametrize(
    ("shape", "rank", "longest", "packed", "gigabytes"),
    [
        (EMBEDDED, 16, 600, False, 1.7),
        (EMBEDDED, 16, 1200, False, 2.5),
        (LLAMA, 16, 1000, False, 25),
        (LLAMA, 64, 1000, True, 8.5),
    ],
    ids=["embedded, 600 tokens (measured)", "embedded, 1,200 tokens (measured)", "7B", "7B in 4 bits"],
)
def test_memory_is_estimated(shape: Shape, rank: int, longest: int, packed: bool, gigabytes: float) -> None:
    trained = estimate.adapter_weights(shape, rank, True)
    found = estimate.memory(shape, trained=trained, longest=longest, learned=60, weight_bytes=2, packed=packed)
    assert found / 1e9 == pytest.approx(gigabytes, rel=0.2)


def test_what_cannot_fit_is_refused() -> None:
    estimate.check(Needed(1, 2, 1, 2, 3, 0))
    with pytest.raises(TragError, match=r"needs about 25\.0 GB of memory, and 16\.0 GB are free"):
        estimate.check(Needed(25 * 10**9, 16 * 10**9, 1, 2, 3, 0))
    with pytest.raises(TragError, match=r"needs 3\.0 GB of disk, and 1\.0 GB are free"):
        estimate.check(Needed(1, 2, 3 * 10**9, 10**9, 3, 0))


@pytest.mark.slow
def test_time_is_measured_and_nothing_is_trained(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "training"
    write(folder, plan)
    monkeypatch.setattr(run, "yield_to_others", lambda: None)
    monkeypatch.setattr(sys, "argv", ["training", str(folder), "--estimate"])
    run.main()
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] == 6
    assert found["seconds"] == pytest.approx(found["tokens"] / found["tokens_per_second"])
    assert 0 < found["memory"] < found["memory_free"]
    assert (found["examples"], found["too_long"]) == (36, 0)
    assert [path.name for path in folder.iterdir()] == [FILE]
