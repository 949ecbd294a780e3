"""What was trained is what llama.cpp reads: the adapter, and a model with it merged in."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from bench.adapter_parity import compare
from prompts import Message
from store import StoreError
from store.files import UNFINISHED
from tests.tiny_model import write_gguf
from trag.errors import TragError
from trag.finetune.training import base as bases
from trag.finetune.training import export, layout, run
from trag.finetune.training import plan as plans
from trag.finetune.training.plan import Plan
from trag.llm import files
from trag.llm.engine import Engine
from trag.llm.files import find, read_header

ROOT = Path(__file__).parents[4]
MESSAGES = [[Message("user", f"Who leads unit {number}? Think of {number * 7} things.")] for number in range(6)]
INPUTS = {"q": 64, "k": 64, "v": 64, "o": 64, "gate": 64, "up": 64, "down": 96}
OUTPUTS = {"q": 64, "k": 32, "v": 32, "o": 64, "gate": 96, "up": 96, "down": 64}


def make_adapter(folder: Path, rank: int = 4, alpha: int = 12, more: Mapping[str, np.ndarray] | None = None) -> Path:
    """An adapter of random weights for the tiny model, as PEFT keeps it, large enough to change every answer."""
    chance, tensors = np.random.default_rng(2), dict(more or {})
    for layer in range(2):
        for name in INPUTS:
            part = "mlp" if name in ("gate", "up", "down") else "self_attn"
            module = f"base_model.model.model.layers.{layer}.{part}.{name}_proj"
            tensors[f"{module}.lora_A.weight"] = chance.standard_normal((rank, INPUTS[name])).astype(np.float32) / 8
            tensors[f"{module}.lora_B.weight"] = chance.standard_normal((OUTPUTS[name], rank)).astype(np.float32) / 8
    folder.mkdir()
    save_file(tensors, folder / "adapter_model.safetensors")
    config = {
        "peft_type": "LORA",
        "r": rank,
        "lora_alpha": alpha,
        "target_modules": [f"{name}_proj" for name in INPUTS],
        "task_type": "CAUSAL_LM",
    }
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.slow
def test_peft_and_llama_cpp_agree_with_the_exported_adapter(either: Path, tmp_path: Path) -> None:
    base, source, target = bases.find(str(either)), make_adapter(tmp_path / "peft"), tmp_path / "adapter.gguf"
    export.adapter(source, base, target)
    find(str(either), str(target))  # it passes what the assistant checks
    about = read_header(target)
    assert (about.text("general.type"), about.text("adapter.type")) == ("adapter", "lora")
    assert about.metadata["adapter.lora.alpha"] == 12.0
    assert len(about.tensors) == 2 * 2 * 7
    found = list(compare(base, source, either, target, MESSAGES))
    assert all(one.same for one in found if one.clear), found
    assert max(one.apart for one in found) < 0.001, found
    assert min(one.moved for one in found) > 0.1, found


@pytest.mark.slow
def test_what_is_trained_on_a_folder_is_for_the_file_that_was_made_of_it(
    plan: Plan, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    whole = bases.load(bases.find(str(tiny)), torch.float32)
    whole.save_pretrained(tmp_path / "folder")
    order = replace(plan, base=str(tmp_path / "folder"), model=str(tiny))
    training, target, merged = tmp_path / "training", tmp_path / "adapter.gguf", tmp_path / "merged.gguf"
    plans.write(training, order)
    run.train(training, order, lambda _: None, threading.Event())
    found, folder = run.trained(training), bases.find(order.base)
    assert (found.base_name, found.base_sha256) == ("tiny", bases.find(str(tiny)).sha256)
    assert found.weights == f"folder {folder.sha256[:12]}"

    def exported(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["export", str(training), *words])
        export.main()

    exported(str(target))
    exported(str(merged), "--merged")
    find(str(tiny), str(target))
    assert files.read_header(target).text("general.base_model.0.name") == "tiny"
    apart = list(compare(bases.find(str(tiny)), run.adapter(training), tiny, target, MESSAGES))
    assert max(one.apart for one in apart) < 0.001, apart
    assert min(one.moved for one in apart) > 0.01, apart

    values = json.loads((training / "trained.json").read_text())
    values["trained"]["base_sha256"] = "0" * 64
    (training / "trained.json").write_text(json.dumps(values))
    with pytest.raises(SystemExit, match="1"):
        exported(str(tmp_path / "other.gguf"))
    assert "is another model than the tiny" in capsys.readouterr().err
    assert not (tmp_path / "other.gguf").exists()


@pytest.mark.slow
@pytest.mark.parametrize("tensor", ["attn_q", "attn_k"])
def test_rows_in_the_order_of_peft_would_not_agree(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tensor: str
) -> None:
    """The comparison notices the mistake that is easily made."""
    base, source, target = bases.find(str(tiny)), make_adapter(tmp_path / "peft"), tmp_path / "adapter.gguf"
    right = layout.turned
    with monkeypatch.context() as wrong:
        wrong.setattr(layout, "turned", lambda name, *of: 0 if tensor in name else right(name, *of))
        export.adapter(source, base, target)
    assert max(one.apart for one in compare(base, source, tiny, target, MESSAGES)) > 0.005


@pytest.mark.slow
def test_a_merged_model_answers_as_the_base_with_its_adapter(either: Path, tmp_path: Path) -> None:
    base, source = bases.find(str(either)), make_adapter(tmp_path / "peft")
    adapter, merged = tmp_path / "adapter.gguf", tmp_path / "merged.gguf"
    export.adapter(source, base, adapter)
    export.merged(source, base, merged)
    together, whole, plain = (
        Engine(*files, 512, 0) for files in ((str(either), str(adapter)), (str(merged), ""), (str(either), ""))
    )
    far = moved = 0.0
    for messages in MESSAGES:
        assert whole.tokenizer.prompt(messages) == plain.tokenizer.prompt(messages)
        wanted, found, before = (np.exp(engine.likely(messages)) for engine in (together, whole, plain))
        far, moved = far + np.abs(wanted - found).sum(), moved + np.abs(wanted - before).sum()
    assert far < 0.02 * moved
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adapter.gguf", "merged.gguf", "peft"]


def test_a_merged_model_has_the_template_that_lay_beside_its_base(tmp_path: Path) -> None:
    bare, merged = tmp_path / "bare.gguf", tmp_path / "merged.gguf"
    sizes = {"block_count": 2, "embedding_length": 64, "feed_forward_length": 96, "attention.head_count": 4}
    about = {f"llama.{key}": size for key, size in (sizes | {"context_length": 512}).items()}
    write_gguf(bare, "llama", about, {"token_embd.weight": np.ones((32, 64), np.float32)})
    (tmp_path / "bare.gguf.jinja").write_text("{{ messages }}")
    export.merged(make_adapter(tmp_path / "peft"), bases.find(str(bare)), merged)
    assert files.read_header(merged).text("tokenizer.chat_template") == "{{ messages }}"
    assert not find(str(merged), "").template


@pytest.mark.parametrize("target", ["", "note.txt/merged.gguf", "/sys/merged.gguf"])
def test_a_target_that_cannot_be_written_is_said_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    (tmp_path / "note.txt").touch()
    place = tmp_path / target
    monkeypatch.setattr(sys, "argv", ["export", str(tmp_path / "no training"), str(place), "--merged"])
    with pytest.raises(SystemExit) as ended:
        export.main()
    assert ended.value.code == 1
    assert f"{place} cannot be written: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


STILL = """
import gguf, runpy, time
gguf.GGUFWriter.write_tensors_to_file = lambda self: time.sleep(60)
runpy.run_module("trag.finetune.training.export", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
def test_an_export_that_is_stopped_leaves_no_file(plan: Plan, tmp_path: Path) -> None:
    training, place = tmp_path / "training", tmp_path / "written"
    plans.write(training, plan)
    make_adapter(run.adapter(training))
    command = [sys.executable, "-c", STILL, training, place / "whole.gguf", "--merged"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        while process.poll() is None and not any(place.glob(f"*{UNFINISHED}")):
            time.sleep(0.01)
        process.terminate()
    assert process.returncode
    assert list(place.iterdir()) == []


@pytest.mark.slow
def test_an_adapter_of_other_modules_is_refused_and_leaves_no_file(tiny: Path, tmp_path: Path) -> None:
    base = bases.find(str(tiny))
    other = "base_model.model.model.embed_tokens"
    more = {
        f"{other}.lora_A.weight": np.ones((4, 8), np.float32),
        f"{other}.lora_B.weight": np.ones((8, 4), np.float32),
    }
    with pytest.raises(TragError, match=r"changes model\.embed_tokens"):
        export.adapter(make_adapter(tmp_path / "peft", more=more), base, tmp_path / "adapter.gguf")
    with pytest.raises(TragError, match="holds no adapter"):
        export.adapter(tmp_path, base, tmp_path / "adapter.gguf")
    assert [path.name for path in tmp_path.iterdir()] == ["peft"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (OSError("4096 requested and 128 written"), "No space is left"),
        (OSError(errno.EIO, os.strerror(errno.EIO)), "cannot be written: Input/output error"),
    ],
    ids=["numpy does not say why", "another fault"],
)
def test_a_disk_that_fills_up_or_fails_is_said(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError, said: str
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(export, "_finish", fail)
    base = bases.find(str(tiny))
    with pytest.raises((StoreError, TragError), match=said):
        export.adapter(make_adapter(tmp_path / "peft"), base, tmp_path / "adapter.gguf")
    assert [path.name for path in tmp_path.iterdir()] == ["peft"]
