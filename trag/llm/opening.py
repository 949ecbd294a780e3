"""The language model that the settings name. Opening it loads no heavy library."""

from __future__ import annotations

from trag.llm.files import adapter_file
from trag.llm.local import LocalModel
from trag.llm.model import LanguageModel
from trag.llm.remote import RemoteModel
from trag.settings import Settings


def open_model(settings: Settings) -> LanguageModel:
    """The model that the settings name: the server at `model_url`, else the local GGUF file, else the embedded model;
    with the adapter that they name, else the one that ships where it was trained on that model.

    Raises TragError when the settings or the files are not right. A local model is loaded by the first call that needs
    it.
    """
    if settings.model_url:
        return RemoteModel(
            settings.model_url, name=settings.model_name, key=settings.model_key, context=settings.context
        )
    return LocalModel(
        settings.home,
        model=settings.model,
        adapter=adapter_file(settings.model, settings.adapter),
        context=settings.context,
        gpu_layers=settings.gpu_layers,
    )
