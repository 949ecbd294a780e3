"""The language model that the settings name, opened; and a local one tried before anybody relies on it. Opening it
loads no heavy library."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from time import monotonic

from prompts import Message
from trag.errors import OperatorError
from trag.llm.files import adapter_file
from trag.llm.local import LocalModel
from trag.llm.model import LanguageModel, Usage
from trag.llm.remote import RemoteModel
from trag.llm.servers import ModelServers
from trag.settings import Settings


def open_model(settings: Settings) -> LanguageModel:
    """The model that the settings name: the servers at `model_url`, else the local GGUF file, else the embedded model;
    with the adapter that they name, else the one that ships where it was trained on that model.

    Raises TragError when the settings or the files are not right. A local model is loaded by the first call that needs
    it.
    """
    if settings.model_url:
        urls = dict.fromkeys(filter(None, map(str.strip, settings.model_url.split(","))))
        return ModelServers(
            [
                RemoteModel(url, name=settings.model_name, key=settings.model_key, context=settings.context)
                for url in urls or [""]
            ]
        )
    return LocalModel(
        settings.home,
        model=settings.model,
        adapter=adapter_file(settings.model, settings.adapter),
        context=settings.context,
        gpu_layers=settings.gpu_layers,
    )


_ASKED = (Message("user", "Name three colours of the rainbow, and one thing that has each of them."),)
_TOKENS = 24


@dataclass(frozen=True, slots=True)
class SmokeTest:
    """What a model did: seconds until it was loaded, tokens of an answer a second, and the answer."""

    load_seconds: float
    tokens_per_second: float
    text: str


def trial(model: LocalModel) -> SmokeTest:
    """Raises TragError when the model cannot be loaded, or computes what are no numbers; ModelDied when it dies."""
    began = monotonic()
    model.warm()
    loaded = monotonic()
    if not all(map(isfinite, model.log_probabilities(_ASKED, ("Red", "Blue")))):
        raise OperatorError(
            f"{model.identity.name} with {model.identity.adapter or 'no adapter'} computes no numbers.",
            "Its weights are damaged: copy or export it again.",
        )
    text, usage, first = "", Usage(), monotonic()
    for piece in model.stream(_ASKED, max_tokens=_TOKENS):
        if isinstance(piece, Usage):
            usage = piece
        else:
            first = first if text else monotonic()
            text += piece
    seconds = monotonic() - first
    return SmokeTest(loaded - began, max(0, usage.completion - 1) / seconds if seconds else 0.0, text)
