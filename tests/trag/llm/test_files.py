import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from store import StoreError
from trag.errors import TragError
from trag.llm import files
from trag.models import catalogue
from trag.models.catalogue import CatalogueModel, Hub

MODEL = {
    "general.architecture": "llama",
    "general.type": "model",
    "llama.context_length": 64,
    "tokenizer.chat_template": "{{ messages }}",
}
WEIGHT = {"blk.0.attn_q.weight": np.zeros((6, 4))}  # 4 values in, 6 out


# Models of the catalogue


@pytest.fixture
def known(write_gguf: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CatalogueModel:
    """A small model in the place of the default, its file where the catalogue keeps it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    catalogue.folder().mkdir(parents=True)
    path = write_gguf(catalogue.folder() / "known.gguf", MODEL, WEIGHT)
    content = path.read_bytes()
    model = CatalogueModel(
        "known", path.name, len(content), hashlib.sha256(content).hexdigest(), "", "llama", (Hub("a/b", "c"),), ""
    )
    monkeypatch.setattr(catalogue, "DEFAULT", model)
    return model


def test_the_default_is_found_in_the_cache_of_the_user(known: CatalogueModel) -> None:
    found = files.find("", "")
    assert (found.model, found.sha256, found.trained_context) == (known.path, known.sha256, 64)
    assert (files.base_name(""), files.base_sha256("")) == ("known", known.sha256)
    assert (files.base_name("small"), files.base_sha256("small")) == (catalogue.SMALL.name, catalogue.SMALL.sha256)


def test_a_model_that_is_not_there_is_said_with_how_to_get_it(known: CatalogueModel) -> None:
    known.path.unlink()
    with pytest.raises(TragError, match="known is not on this machine") as refused:
        files.find("", "")
    for said in ("models get known", f"{known.size:,} bytes", known.sha256, str(known.path), "/a/b/resolve/c/"):
        assert said in refused.value.hint


@pytest.mark.parametrize(("end", "said"), [(b"", "bytes, not"), (b"\x7f", "its sha256 is")])
def test_a_file_that_is_not_the_published_one_is_refused_at_every_start(
    known: CatalogueModel, end: bytes, said: str
) -> None:
    files.find("", "")
    known.path.write_bytes(known.path.read_bytes()[:-1] + end)
    for _ in range(2):
        with pytest.raises(TragError, match=said) as refused:
            files.find("", "")
    assert "models get known" in refused.value.hint


def test_a_checked_file_is_read_once_and_again_when_it_changed(
    known: CatalogueModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Mock(side_effect=catalogue.digest)
    monkeypatch.setattr(catalogue, "digest", read)
    for _ in range(3):
        files.find("", "")
    assert read.call_count == 1
    before = known.path.stat()
    content = known.path.read_bytes()
    known.path.write_bytes(content[:-1] + b"\x7f")
    os.utime(known.path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a program that copies does
    with pytest.raises(TragError, match="its sha256 is"):
        files.find("", "")
    known.path.write_bytes(content)
    files.find("", "")
    assert read.call_count == 3


def test_a_note_that_is_damaged_is_written_anew_and_without_one_the_file_is_read(
    known: CatalogueModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.find("", "")
    (written,) = known.path.parent.glob("*.checked.json")
    whole = written.read_text()
    for note in ("", "{", "[]", '{"sha256": "a"}', '{"sha256": 1, "of": null}'):
        written.write_text(note)
        files.find("", "")
        assert written.read_text() == whole
    written.unlink()
    monkeypatch.setattr(catalogue, "write_atomic", Mock(side_effect=StoreError("read-only")))
    for _ in range(2):
        assert files.find("", "").model == known.path
    assert not written.exists()


@pytest.mark.parametrize(
    ("model", "free", "said", "hint"),
    [
        ("", 1_500_000_000, "takes 2.4 GB of memory, and 1.5 GB are free", "TRAG_MODEL=small, which takes 0."),
        ("small", 100_000_000, "and 0.1 GB are free", "TRAG_MODEL_URL"),
        ("", 4_000_000_000, "", ""),
        ("", None, "", ""),
        ("their.gguf", 1, "", ""),
    ],
)
def test_too_little_memory_is_said_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch, reader: CatalogueModel, model: str, free: int | None, said: str, hint: str
) -> None:
    monkeypatch.setattr(files, "free_memory", lambda: free)
    if not said:
        files.check_memory(model)
        return
    with pytest.raises(TragError, match=said) as refused:
        files.check_memory(model)
    assert hint in refused.value.hint


@pytest.mark.slow
@pytest.mark.reader
def test_the_real_default_is_the_published_file(reader: CatalogueModel) -> None:
    found = files.find("", "")
    assert files.sha256_of(found.model) == found.sha256 == reader.sha256
    assert (found.trained_context, found.template) == (32_768, None)
    assert files.read_header(found.model).text("general.architecture") == reader.architecture


# The adapter that ships


@pytest.mark.parametrize("manifest", ["", '{"id": "2026', "[]", "{}"], ids=["empty", "cut short", "a list", "no base"])
def test_an_adapter_whose_base_is_not_written_down_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str
) -> None:
    (tmp_path / files.ADAPTER_FILE).touch()
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    for model in ("", "small"):
        (tmp_path / "manifest.json").write_text(json.dumps({"base_sha256": files.base_sha256(model)}))
        assert files.adapter_file(model, "") == str(tmp_path / files.ADAPTER_FILE)
    (tmp_path / "manifest.json").write_text(manifest)
    assert files.adapter_file("", "") == ""


# The operator's own


def test_a_sha256_beside_the_model_is_held_against_it_each_time(
    write_gguf: Callable[..., Path], tmp_path: Path
) -> None:
    path = write_gguf(tmp_path / "model.gguf", MODEL, WEIGHT)
    content = path.read_bytes()
    expected = hashlib.sha256(content).hexdigest()
    path.with_name("model.gguf.sha256").write_text(f"{expected}  published.gguf\n")
    assert files.find(str(path), "").sha256 == expected
    path.write_bytes(content[:-1] + b"\x7f")
    with pytest.raises(TragError, match=r"not the file that model\.gguf\.sha256 describes") as refused:
        files.find(str(path), "")
    assert "Copy the file again" in refused.value.hint
    path.with_name("model.gguf.sha256").unlink()
    assert files.find(str(path), "").sha256 != expected


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"general.type": "adapter"}, "is an adapter, not a model"),
        ({"split.count": 3}, "is one part of 3"),
        ({"general.architecture": ""}, "holds no model"),
        ({"tokenizer.chat_template": ""}, "carries no chat template"),
    ],
    ids=["adapter", "part of a split model", "no architecture", "no chat template"],
)
def test_a_gguf_that_cannot_answer_is_refused(
    write_gguf: Callable[..., Path], tmp_path: Path, metadata: dict[str, str | int], said: str
) -> None:
    path = write_gguf(tmp_path / "model.gguf", {**MODEL, **metadata}, WEIGHT)
    with pytest.raises(TragError, match=said) as refused:
        files.find(str(path), "")
    assert refused.value.hint


ADAPTER = {"general.type": "adapter", "adapter.type": "lora", "general.architecture": "llama"}


def _lora(weight: str = "blk.0.attn_q.weight", *, into: int = 4, out: int = 6, rank: int = 2) -> dict[str, np.ndarray]:
    return {f"{weight}.lora_a": np.zeros((rank, into)), f"{weight}.lora_b": np.zeros((out, rank))}


@pytest.mark.parametrize(
    ("metadata", "tensors", "said"),
    [
        ({}, _lora(), ""),
        ({"general.type": "model"}, _lora(), "no LoRA adapter: its header says model"),
        ({"general.architecture": "gemma"}, _lora(), "architecture is 'gemma'"),
        ({}, _lora(into=8), "is 8 x 2 and 2 x 6, the model's is 4 x 6"),
        ({}, _lora(out=9), "is 4 x 2 and 2 x 9, the model's is 4 x 6"),
        ({}, _lora("blk.7.attn_q.weight"), "has no weight 'blk.7.attn_q.weight'"),
        ({}, {"blk.0.attn_q.weight.lora_a": np.zeros((2, 4))}, "4 x 2 and missing"),
        ({}, {}, "an adapter without weights"),
    ],
    ids=["fits", "a model", "architecture", "width", "height", "deeper model", "half", "empty"],
)
def test_an_adapter_must_fit_the_model(
    write_gguf: Callable[..., Path],
    tmp_path: Path,
    metadata: dict[str, str],
    tensors: Mapping[str, np.ndarray],
    said: str,
) -> None:
    model = str(write_gguf(tmp_path / "model.gguf", MODEL, WEIGHT))
    adapter = write_gguf(tmp_path / "adapter.gguf", {**ADAPTER, **metadata}, tensors)
    if not said:
        assert files.find(model, str(adapter)).adapter == adapter
        return
    with pytest.raises(TragError, match=said) as refused:
        files.find(model, str(adapter))
    assert refused.value.hint
