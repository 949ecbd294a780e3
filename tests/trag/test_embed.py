"""The real MiniLM, and an Instructor of random weights in the real layout: no Instructor weights can be had offline."""

import json
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from trag import embed
from trag.embed import PASSAGE_INSTRUCTION, QUESTION_INSTRUCTION, Embedder, open_embedder
from trag.errors import TragError

pytestmark = pytest.mark.slow

TEXTS = [
    "The Ethics Office advises every unit on gifts and conflicts of interest.",
    "Contracts above 50,000 need the approval of the Procurement Committee.",
    "Parental leave is sixteen weeks. " * 20,
    "",
    "مرحبا بالعالم 😀",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder("")


@pytest.fixture(scope="module")
def instructor_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """T5 encoder, mean pooling, dense layer, normalization; tokens as T5 makes them, without white space at the end."""
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5EncoderModel

    folder = tmp_path_factory.mktemp("models") / "instructor-random"
    folder.mkdir()
    words = f"{QUESTION_INSTRUCTION} {PASSAGE_INSTRUCTION} {' '.join(TEXTS)}".lower().split()
    pieces = ["<pad>", "</s>", "<unk>", "▁", *sorted({f"▁{word}" for word in words}), *"abcdefghijklmnopqrstuvwxyz'.:"]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=2))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Strip(left=False, right=True)])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(1)
    T5EncoderModel(
        T5Config(vocab_size=len(pieces), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
    ).save_pretrained(folder)
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}
    layers = ["", "1_Pooling", "2_Dense", "3_Normalize"]
    for layer in layers:
        (folder / layer).mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    Dense(32, 24, bias=False, activation_function=torch.nn.Identity()).save(str(folder / "2_Dense"))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 512, "do_lower_case": False}))
    kinds = ["Transformer", "Pooling", "Dense", "Normalize"]
    modules = [
        {"idx": position, "name": str(position), "path": layer, "type": f"sentence_transformers.models.{kind}"}
        for position, (layer, kind) in enumerate(zip(layers, kinds, strict=True))
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


def by_instructor_embedding(folder: Path, instruction: str, texts: list[str]) -> np.ndarray:
    """The vectors by the InstructorEmbedding package's own tokenizing, forward pass and pooling.

    Its model class no longer loads, so an object that has what these three need stands in for it.
    """
    import torch
    from InstructorEmbedding.instructor import INSTRUCTOR_Pooling, INSTRUCTOR_Transformer
    from sentence_transformers.sentence_transformer.modules import Dense
    from transformers import AutoTokenizer, T5EncoderModel

    class Parts:
        do_lower_case, max_seq_length = False, 512
        tokenizer = AutoTokenizer.from_pretrained(folder)
        auto_model = T5EncoderModel.from_pretrained(folder).eval()
        tokenize = INSTRUCTOR_Transformer.tokenize
        forward = INSTRUCTOR_Transformer.forward

    parts = Parts()
    with torch.no_grad():
        pooled = INSTRUCTOR_Pooling(32)(parts.forward(parts.tokenize([[instruction, text] for text in texts])))
        dense = Dense.load(str(folder / "2_Dense"))(pooled)["sentence_embedding"]
        return np.asarray(torch.nn.functional.normalize(dense, dim=1))


def test_vectors_are_float32_of_unit_length_a_row_a_text(embedder: Embedder) -> None:
    for vectors in (embedder.embed_passages(TEXTS), embedder.embed_questions(TEXTS)):
        assert vectors.shape == (len(TEXTS), embedder.dimension) == (5, 384)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert embedder.embed_passages([]).shape == (0, 384)


def test_the_passage_that_answers_is_nearest(embedder: Embedder) -> None:
    nearness = embedder.embed_passages(TEXTS) @ embedder.embed_questions(["Who has to approve a large purchase?"])[0]
    assert int(np.argmax(nearness)) == 1, nearness


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    texts = [f"{TEXTS[position % 3]} {position}" for position in range(70)]
    together = embedder.embed_passages(texts)
    for position in (0, 1, 2, 69):
        assert np.allclose(together[position], embedder.embed_passages([texts[position]])[0], atol=1e-5)


def test_progress_counts_to_the_end(embedder: Embedder) -> None:
    seen: list[tuple[int, int]] = []
    embedder.embed_passages(["a passage"] * 70, lambda done, total: seen.append((done, total)))
    assert seen == [(32, 70), (64, 70), (70, 70)]


def test_a_question_gets_its_turn_during_an_ingest(embedder: Embedder) -> None:
    expected = embedder.embed_questions(["Who approves?"])
    begun, done = threading.Event(), []

    def progress(*_: int) -> None:
        begun.set()
        done.append(1)

    ingest = threading.Thread(target=embedder.embed_passages, args=([TEXTS[0]] * 384, progress))
    ingest.start()
    assert begun.wait(60)
    for _ in range(3):
        assert np.allclose(embedder.embed_questions(["Who approves?"]), expected, atol=1e-5)
    batches = len(done)
    ingest.join()
    assert batches < len(done) == 12, "the questions were answered after the ingest"


def test_the_identity_names_model_and_weights(embedder: Embedder) -> None:
    assert embedder.identity == "all-MiniLM-L6-v2@53aa51172d14"


@pytest.mark.parametrize("kind", ["question", "passage"])
def test_instructor_vectors_are_those_of_its_own_package(instructor_folder: Path, kind: str) -> None:
    opened = open_embedder(str(instructor_folder))
    embedded, instruction = {
        "question": (opened.embed_questions, QUESTION_INSTRUCTION),
        "passage": (opened.embed_passages, PASSAGE_INSTRUCTION),
    }[kind]
    texts = [TEXTS[0], TEXTS[1]]
    expected = by_instructor_embedding(instructor_folder, instruction, texts)
    assert opened.dimension == 24
    assert np.allclose(embedded(texts), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "readme", "instructed"),
    [("gtr-t5-base", "", False), ("instructor-base", "", True), ("embedder", "# hkunlp/instructor-large\n", True)],
)
def test_only_what_calls_itself_instructor_gets_instructions(
    instructor_folder: Path, tmp_path: Path, name: str, readme: str, instructed: bool
) -> None:
    folder = Path(shutil.copytree(instructor_folder, tmp_path / name))
    (folder / "README.md").write_text(readme)
    opened = open_embedder(str(folder))
    differs = not np.allclose(opened.embed_questions(TEXTS[:1]), opened.embed_passages(TEXTS[:1]), atol=1e-3)
    assert differs == instructed


def test_other_weights_are_another_identity(instructor_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(instructor_folder, tmp_path / instructor_folder.name))
    weights = folder / "2_Dense" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    name, _, digits = open_embedder(str(folder)).identity.rpartition("@")
    assert name == "instructor-random"
    assert len(digits) == 12
    assert digits != open_embedder(str(instructor_folder)).identity.rpartition("@")[2]


def _as_bin(folder: Path, content: object = None) -> None:
    """Its weights in the older files of torch, as the published Instructor checkpoints have them."""
    import torch
    from safetensors.torch import load_file

    for path in (folder / "model.safetensors", folder / "2_Dense" / "model.safetensors"):
        torch.save(load_file(path) if content is None else content, path.with_name("pytorch_model.bin"))
        path.unlink()


def test_weights_in_older_files_give_the_same_vectors(instructor_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(instructor_folder, tmp_path / "instructor-older"))
    _as_bin(folder)
    expected = open_embedder(str(instructor_folder)).embed_questions(TEXTS[:2])
    assert np.allclose(open_embedder(str(folder)).embed_questions(TEXTS[:2]), expected, atol=1e-6)


class Touch:
    """Pickled, it makes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def test_a_program_hidden_in_older_files_is_not_run(instructor_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(instructor_folder, tmp_path / "instructor-hostile"))
    _as_bin(folder, {"shared.weight": Touch(tmp_path / "it ran")})
    with pytest.raises(TragError, match="cannot be loaded"):
        open_embedder(str(folder))
    assert not (tmp_path / "it ran").exists()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every address that is asked for or connected to; none is reached."""
    tried: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        tried.append(arguments)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tried


def test_a_folder_is_opened_without_the_network(no_network: list[object], instructor_folder: Path) -> None:
    open_embedder(str(instructor_folder)).embed_questions(["Who?"])
    open_embedder("").embed_questions(["Who?"])
    assert no_network == []


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["no-such-model", "hkunlp/instructor-large", "not//a: name", "/no/such/folder"])
def test_a_name_that_cannot_be_had_says_where_to_put_the_folder(name: str) -> None:
    with pytest.raises(TragError, match="no folder here, and it could not be fetched") as refused:
        open_embedder(name)
    assert "TRAG_EMBEDDER" in refused.value.hint


@pytest.mark.parametrize(
    "missing", ["modules.json", "model.safetensors", "a part"], ids=["list", "weights", "half of a file"]
)
def test_what_an_interrupted_download_left_is_fetched_to_the_end(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot, blobs = tmp_path / "snapshots" / ("a" * 40), tmp_path / "blobs"
    for folder in (snapshot, blobs):
        folder.mkdir(parents=True)
    for name in {"modules.json", "model.safetensors"} - {missing}:
        (snapshot / name).touch()
    if missing == "a part":
        (blobs / "b.incomplete").touch()
    local: list[bool] = []

    def download(repository: str, *, local_files_only: bool = False, **_: object) -> str:
        local.append(local_files_only)
        if not local_files_only:
            (snapshot / missing).touch()
            (blobs / "b.incomplete").unlink(missing_ok=True)
        return str(snapshot)

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    assert embed._from_hub("some/model") == snapshot
    assert local == [True, False]
    assert embed._from_hub("some/model") == snapshot
    assert local == [True, False, True], "what is whole is fetched once"


def _no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "2_Dense" / "model.safetensors").unlink()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        pytest.param(_no_weights, "no .safetensors and no .bin file", id="no weights"),
        pytest.param(lambda folder: (folder / "model.safetensors").write_bytes(b"{"), "cannot be loaded", id="damaged"),
        pytest.param(lambda folder: (folder / "config.json").unlink(), "cannot be loaded", id="no config"),
        pytest.param(lambda folder: (folder / "modules.json").write_text("["), "cannot be loaded", id="broken list"),
    ],
)
def test_a_folder_that_is_no_whole_model_is_refused(
    instructor_folder: Path, tmp_path: Path, harm: Callable[[Path], object], said: str
) -> None:
    folder = Path(shutil.copytree(instructor_folder, tmp_path / "instructor-harmed"))
    harm(folder)
    with pytest.raises(TragError, match=said) as refused:
        open_embedder(str(folder))
    assert str(folder) in refused.value.message


def test_an_embedded_model_that_is_not_the_published_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "_PUBLISHED", "0" * 64)
    with pytest.raises(TragError, match="is not the published one") as refused:
        open_embedder("")
    assert "pip install" in refused.value.hint
