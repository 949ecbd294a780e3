"""The language model, wherever it runs: in a process of its own here, or behind an OpenAI-compatible address.

messages -> pieces of text as they are written -> usage

Knows nothing about questions, charts or documents. Importing it loads no heavy library.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from prompts import Message
from trag.errors import TragError
from trag.settings import Settings

REPETITION_PENALTY = 1.1
"""With greedy decoding, how the answers are written (T-RAG, section 5.4.2)."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model answers: a name for people, the sha256 of its GGUF file, what its adapter is called, and the sha256
    of that.

    All but the name are "" where there is none, or none that can be known.
    """

    name: str
    sha256: str = ""
    adapter: str = ""
    adapter_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer: of its prompt, of those the model had to read anew, and written."""

    prompt: int = 0
    evaluated: int = 0
    completion: int = 0


class ModelDied(TragError):
    """The model's process ended, or had to be ended, before the answer was whole. The next question starts it again."""


class LanguageModel(Protocol):
    """What the pipeline needs of a model. All of it may be called from several threads."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    @property
    def context(self) -> int:
        """Tokens of prompt and answer together."""

    @property
    def slots(self) -> int:
        """How many answers it writes at once."""

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the prompt that the model would read."""

    def count_text(self, text: str) -> int:
        """Tokens of a text by itself."""

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, stop: threading.Event | None = None
    ) -> Generator[str | Usage, None, None]:
        """The answer in pieces as it is written, and its Usage last.

        A set `stop` ends it early, and so does closing the generator. Raises TragError when the prompt does not fit or
        the model cannot be reached, ModelDied when the model ends in mid-answer.
        """

    def close(self) -> None:
        """Give back what it holds."""


@runtime_checkable
class Weighing(Protocol):
    """A model that also says how likely the answers are that it does not write. A local one does."""

    def weigh(self, messages: Sequence[Message], beginnings: Sequence[str]) -> tuple[float, ...]:
        """For each text, the natural logarithm of how likely the answer begins with it.

        Raises TragError when the prompt does not fit with the longest of them, ModelDied when the model ends meanwhile.
        """


def open_model(settings: Settings) -> LanguageModel:
    """The model that the settings name: the server at `model_url`, else the local GGUF file, else the embedded model;
    with the adapter that they name, else the one that ships where it was trained on that model.

    Raises TragError when the settings or the files are not right. A local model is loaded by the first call that needs
    it.
    """
    if settings.model_url:
        from trag.llm.remote import RemoteModel

        return RemoteModel(
            settings.model_url, name=settings.model_name, key=settings.model_key, context=settings.context
        )
    from trag.llm.files import adapter_file
    from trag.llm.local import LocalModel

    return LocalModel(
        settings.home,
        model=settings.model,
        adapter=adapter_file(settings.model, settings.adapter),
        context=settings.context,
        gpu_layers=settings.gpu_layers,
    )
