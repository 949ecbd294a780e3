"""A training of the embedded model, exported, says in llama.cpp what it says in PEFT."""

import sys
import threading
from pathlib import Path

import pytest

from bench import adapter_parity
from tests.tiny_model import make_lessons, write_lessons
from trag.finetune.training import base as bases
from trag.finetune.training import export, plan, run
from trag.finetune.training.plan import Plan, TrainingSettings


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_embedded_model_is_trained_exported_and_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, adapter = tmp_path / "training", tmp_path / "adapter.gguf"
    write_lessons(tmp_path, make_lessons())
    settings = TrainingSettings(
        rank=8, learning_rate=1e-3, epochs=1, accumulation=2, evaluations=1, held_out=2, longest=128, seed=3
    )
    order = Plan(tmp_path, settings=settings)
    plan.write(folder, order)
    assert run.train(folder, order, lambda _: None, threading.Event())
    export.adapter(run.adapter(folder), bases.pair(order.base, order.model)[1], adapter)
    monkeypatch.setattr(sys, "argv", ["bench.adapter_parity", str(folder), str(adapter), "--prompts", "8"])
    with pytest.raises(SystemExit) as ended:
        adapter_parity.main()
    said = capsys.readouterr().out
    assert ended.value.code == 0, said
    assert " of 8; where it is clear: " in said
    apart, moved = (float(said.split(before)[1].split()[0]) for before in ("apart, in nats: ", "moves the base by "))
    assert apart < 0.02, said
    assert moved > 10 * apart, said
