"""The base: a GGUF file or a folder of llama architecture, and nothing that cannot be trained."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from prompts import Message
from tests.tiny_model import write_gguf
from trag.errors import TragError
from trag.finetune.training import base as bases
from trag.finetune.training import layout
from trag.llm import files


def test_rows_turned_to_llama_cpp_and_back_are_the_same() -> None:
    rows = np.arange(2 * 8 * 3).reshape(16, 3)
    turned = layout.to_llama_cpp(rows, 2)
    # The first half of a head's rows and its second half take turns.
    assert turned[:8, 0].tolist() == [0, 12, 3, 15, 6, 18, 9, 21]
    assert (layout.from_llama_cpp(turned, 2) == rows).all()


@pytest.mark.parametrize(
    ("config", "weights", "said"),
    [
        (None, True, "no Hugging Face folder"),
        ("{", True, "no Hugging Face folder"),
        ('{"model_type": "gpt2"}', True, "its architecture is 'gpt2'"),
        ('{"model_type": "llama"}', False, "no weights as safetensors"),
    ],
    ids=["no config", "broken config", "another architecture", "no safetensors"],
)
def test_a_folder_that_cannot_be_trained_is_refused(
    tmp_path: Path, config: str | None, weights: bool, said: str
) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    (tmp_path / ("model.safetensors" if weights else "pytorch_model.bin")).write_bytes(b"")
    with pytest.raises(TragError, match=said):
        bases.find(str(tmp_path))


@pytest.mark.parametrize(
    ("architecture", "metadata", "tensors", "said"),
    [
        ("gpt2", {}, (), "its architecture is 'gpt2'"),
        ("llama", {"llama.expert_count": 8}, (), "llama with 8 experts"),
        ("llama", {"llama.rope.scaling.type": "yarn"}, (), "its positions are scaled"),
        ("llama", {}, ("rope_freqs.weight",), "its positions are scaled"),
        ("llama", {}, (), "does not say its llama.attention.head_count"),
    ],
    ids=["another architecture", "experts", "scaled positions", "scaled by factors", "sizes missing"],
)
def test_a_gguf_file_that_cannot_be_trained_is_refused(
    tmp_path: Path, architecture: str, metadata: Mapping[str, str | int], tensors: tuple[str, ...], said: str
) -> None:
    names = ("token_embd.weight", *tensors)
    path = write_gguf(
        tmp_path / "model.gguf",
        architecture,
        {"tokenizer.chat_template": "{{ messages }}", **metadata},
        {name: np.zeros((4, 8), np.float32) for name in names},
    )
    with pytest.raises(TragError, match=said):
        bases.find(str(path))


@pytest.mark.slow
def test_a_gguf_file_and_the_folder_it_came_from_are_one_model(either: Path, tmp_path: Path) -> None:
    import torch

    base = bases.find(str(either))
    model = bases.load(base, torch.float32)
    model.save_pretrained(tmp_path / "folder")
    folder = bases.find(str(tmp_path / "folder"))
    tokens = torch.tensor([[5, 900, 17, 4]])
    with torch.no_grad():
        assert torch.equal(bases.load(folder, torch.float32)(tokens).logits, model(tokens).logits)
    bases.check_twin(folder, base)
    assert bases.shape(folder) == bases.shape(base)
    assert (base.is_folder, folder.is_folder) == (False, True)
    assert base.sha256 != folder.sha256


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "held"),
    [({"blk.1.attn_k.weight": None}, 20), ({"blk.0.attn_q.bias": np.ones(64, np.float32)}, 22)],
    ids=["one less", "one more"],
)
def test_a_gguf_file_with_other_weights_than_its_shape_says_is_not_loaded(
    tiny: Path, tmp_path: Path, change: Mapping[str, np.ndarray | None], held: int
) -> None:
    import torch
    from gguf import GGUFReader

    read = GGUFReader(tiny)
    about = {key: field.contents() for key, field in read.fields.items() if key.startswith(("llama.", "tokenizer."))}
    tensors = {tensor.name: tensor.data for tensor in read.tensors} | change
    kept = {name: rows for name, rows in tensors.items() if rows is not None}
    path = write_gguf(tmp_path / "other.gguf", "llama", about, kept)
    with pytest.raises(TragError, match=f"holds {held} weights, and a model of its shape has 21"):
        bases.load(bases.find(str(path)), torch.float32)


@pytest.mark.slow
def test_a_folder_is_known_by_its_weights_however_a_file_packs_them(tiny: Path, tmp_path: Path) -> None:
    """A file whose layers are scaled as those of a trained model are, and folders of 16 bits."""
    import torch
    from gguf import GGUFReader

    scaled, chance = tmp_path / "scaled.gguf", np.random.default_rng(4)
    shutil.copyfile(tiny, scaled)
    for tensor in GGUFReader(scaled, "r+").tensors:
        if tensor.name.endswith("_norm.weight"):
            # As a model that was trained in 16 bits has them.
            drawn = torch.from_numpy(chance.uniform(0.05, 2, len(tensor.data)).astype(np.float32))
            tensor.data[:] = drawn.bfloat16().float().numpy()
    model = bases.load(bases.find(str(scaled)), torch.bfloat16)
    model.save_pretrained(tmp_path / "folder")
    folder = bases.find(str(tmp_path / "folder"))
    bases.check_twin(folder, bases.find(str(scaled)))
    with pytest.raises(TragError, match="does not hold the weights of tiny"):
        bases.check_twin(folder, bases.find(str(tiny)))
    model.model.layers[1].input_layernorm.weight[7] *= 1.02
    model.save_pretrained(tmp_path / "trained-on")
    with pytest.raises(TragError, match="does not hold the weights of scaled") as refused:
        bases.check_twin(bases.find(str(tmp_path / "trained-on")), bases.find(str(scaled)))
    assert "that the GGUF file was made from" in refused.value.hint


@pytest.mark.slow
def test_a_file_that_cannot_be_trained_on_may_still_be_what_a_folder_is_for(tiny: Path, tmp_path: Path) -> None:
    from gguf import GGUFReader

    read = GGUFReader(tiny)
    about = {key: field.contents() for key, field in read.fields.items() if key.startswith(("llama.", "tokenizer."))}
    tensors = {tensor.name: tensor.data for tensor in read.tensors} | {"rope_freqs.weight": np.ones(8, np.float32)}
    path = write_gguf(tmp_path / "scaled.gguf", "llama", about, tensors)
    with pytest.raises(TragError, match="its positions are scaled") as refused:
        bases.find(str(path))
    assert "finetune --base FOLDER" in refused.value.hint
    assert bases.shape(bases.find_file(str(path))) == bases.shape(bases.find(str(tiny)))


@pytest.mark.slow
def test_a_file_without_a_chat_template_is_asked_by_the_one_beside_it(tiny: Path, tmp_path: Path) -> None:
    key, bare = b"tokenizer.chat_template", tmp_path / "bare.gguf"
    bare.write_bytes(tiny.read_bytes().replace(key, b"tokenizer.chat_tempeast", 1))
    asked = (Message("system", "Answer shortly."), Message("user", "Who leads the Board?"))
    template = files.read_header(tiny).text(key.decode())
    bare.with_name("bare.gguf.jinja").write_text(template, encoding="utf-8")
    beside = bases.GgufVocabulary(bases.find(str(bare)))
    assert beside.prompt(asked) == bases.GgufVocabulary(bases.find(str(tiny))).prompt(asked)
