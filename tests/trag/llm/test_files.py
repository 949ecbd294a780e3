import hashlib
import json
import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from trag.errors import TragError
from trag.llm import files

PREPARED = "SmolLM2-135M-Instruct.Q8_0.gguf"
MODEL = {
    "general.architecture": "llama",
    "general.type": "model",
    "llama.context_length": 64,
    "tokenizer.chat_template": "{{ messages }}",
}
WEIGHT = {"blk.0.attn_q.weight": np.zeros((6, 4))}  # 4 values in, 6 out


@pytest.mark.slow
def test_the_embedded_model_is_prepared_once_for_a_home(model_home: Path) -> None:
    before = (model_home / "models" / PREPARED).stat()
    found = files.find(model_home, "", "")
    assert found.model == model_home / "models" / PREPARED
    assert found.sha256 == hashlib.sha256(found.model.read_bytes()).hexdigest()
    assert found.trained_context == 8192
    assert found.model.stat() == before
    left = sorted(path.name for path in found.model.parent.iterdir())
    assert left == [PREPARED, f"{PREPARED}.json"]


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["a flipped byte", "a broken note", "no note"])
def test_a_prepared_model_that_is_not_as_it_was_written_is_made_again(
    model_home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, harm: str
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    model, note = models / PREPARED, models / f"{PREPARED}.json"
    content = (model_home / "models" / PREPARED).read_bytes()
    flipped = content[:90_000_000] + bytes([content[90_000_000] ^ 1]) + content[90_000_001:]
    model.write_bytes(flipped if harm == "a flipped byte" else content)
    if harm != "no note":
        kept = (model_home / "models" / note.name).read_text()
        note.write_text(kept[:20] if harm == "a broken note" else kept)
    with caplog.at_level(logging.WARNING):
        found = files.find(tmp_path, "", "")
    assert found.model.read_bytes() == content
    assert json.loads(note.read_text())["sha256"] == found.sha256
    assert ("made again" in caplog.text) == (harm != "no note")


def test_a_full_disk_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PREPARED_BYTES", 10**18)
    with pytest.raises(TragError, match="MB free and the prepared model needs") as refused:
        files.find(tmp_path, "", "")
    assert "TRAG_HOME" in refused.value.hint
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize("manifest", ["", '{"id": "2026', "[]", "{}"], ids=["empty", "cut short", "a list", "no base"])
def test_an_adapter_whose_base_is_not_written_down_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str
) -> None:
    for name in ("manifest.json", files.ADAPTER_FILE):
        (tmp_path / name).write_bytes((files.SHIPPED / name).read_bytes())
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    assert files.adapter_file("", "") == str(tmp_path / files.ADAPTER_FILE)
    (tmp_path / "manifest.json").write_text(manifest)
    assert files.adapter_file("", "") == ""


def test_a_home_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(TragError, match="cannot be written to"):
        files.find(tmp_path / "home", "", "")


@pytest.mark.parametrize("flip", [False, True], ids=["right", "one byte flipped"])
def test_a_sha256_beside_the_model_is_held_against_it(
    write_gguf: Callable[..., Path], tmp_path: Path, flip: bool
) -> None:
    path = write_gguf(tmp_path / "model.gguf", MODEL, WEIGHT)
    content = path.read_bytes()
    expected = hashlib.sha256(content).hexdigest()
    path.with_name("model.gguf.sha256").write_text(f"{expected}  published.gguf\n")
    if not flip:
        assert files.find(tmp_path, str(path), "").sha256 == expected
        return
    path.write_bytes(content[:-1] + b"\x7f")
    with pytest.raises(TragError, match=r"not the file that model\.gguf\.sha256 describes") as refused:
        files.find(tmp_path, str(path), "")
    assert "Copy the file again" in refused.value.hint


def test_a_model_that_changes_is_read_again(write_gguf: Callable[..., Path], tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "model.gguf", MODEL, WEIGHT)
    before = files.find(tmp_path, str(path), "").sha256
    with path.open("rb+") as file:
        file.seek(-1, 2)
        file.write(b"\x7f")
    assert files.find(tmp_path, str(path), "").sha256 != before


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        pytest.param({"general.type": "adapter"}, "is an adapter, not a model", id="adapter"),
        pytest.param({"split.count": 3}, "is one part of 3", id="part of a split model"),
        pytest.param({"general.architecture": ""}, "holds no model", id="no architecture"),
        pytest.param({"tokenizer.chat_template": ""}, "carries no chat template", id="no chat template"),
    ],
)
def test_a_gguf_that_cannot_answer_is_refused(
    write_gguf: Callable[..., Path], tmp_path: Path, metadata: dict[str, str | int], said: str
) -> None:
    path = write_gguf(tmp_path / "model.gguf", {**MODEL, **metadata}, WEIGHT)
    with pytest.raises(TragError, match=said) as refused:
        files.find(tmp_path, str(path), "")
    assert refused.value.hint


ADAPTER = {"general.type": "adapter", "adapter.type": "lora", "general.architecture": "llama"}


def _lora(weight: str = "blk.0.attn_q.weight", *, into: int = 4, out: int = 6, rank: int = 2) -> dict[str, np.ndarray]:
    return {f"{weight}.lora_a": np.zeros((rank, into)), f"{weight}.lora_b": np.zeros((out, rank))}


@pytest.mark.parametrize(
    ("metadata", "tensors", "said"),
    [
        pytest.param({}, _lora(), "", id="fits"),
        pytest.param({"general.type": "model"}, _lora(), "no LoRA adapter: its header says model", id="a model"),
        pytest.param({"general.architecture": "gemma"}, _lora(), "architecture is 'gemma'", id="architecture"),
        pytest.param({}, _lora(into=8), "is 8 x 2 and 2 x 6, the model's is 4 x 6", id="width"),
        pytest.param({}, _lora(out=9), "is 4 x 2 and 2 x 9, the model's is 4 x 6", id="height"),
        pytest.param({}, _lora("blk.7.attn_q.weight"), "has no weight 'blk.7.attn_q.weight'", id="deeper model"),
        pytest.param({}, {"blk.0.attn_q.weight.lora_a": np.zeros((2, 4))}, "4 x 2 and missing", id="half"),
        pytest.param({}, {}, "an adapter without weights", id="empty"),
    ],
)
def test_an_adapter_must_fit_the_model(
    write_gguf: Callable[..., Path],
    tmp_path: Path,
    metadata: dict[str, str],
    tensors: dict[str, np.ndarray],
    said: str,
) -> None:
    model = str(write_gguf(tmp_path / "model.gguf", MODEL, WEIGHT))
    adapter = write_gguf(tmp_path / "adapter.gguf", {**ADAPTER, **metadata}, tensors)
    if not said:
        assert files.find(tmp_path, model, str(adapter)).adapter == adapter
        return
    with pytest.raises(TragError, match=said) as refused:
        files.find(tmp_path, model, str(adapter))
    assert refused.value.hint
