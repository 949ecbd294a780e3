"""Which adapter answers: that of the settings, else the promoted one of the home, else the one that ships.

settings, promoted candidate -> file.  Knows nothing about loading models, or why a candidate was promoted.
"""

from __future__ import annotations

from trag.errors import TragError
from trag.finetune.candidates import Candidates
from trag.llm import files
from trag.settings import Settings


def answering(settings: Settings, promoted: str, candidates: Candidates) -> str:
    """The file of the adapter that answers, "" for none; `promoted` is the id of a candidate, "" for the adapter that
    ships. Raises TragError when that candidate is gone."""
    if settings.model_url:
        return ""
    if promoted and not settings.adapter and not left_out(settings, promoted, candidates):
        return str(candidates.file(promoted))
    return files.adapter_file(settings.model, settings.adapter)


def left_out(settings: Settings, promoted: str, candidates: Candidates) -> str:
    """Why the promoted candidate does not answer, "" where it does or none is promoted. Raises TragError when it is
    gone."""
    if not promoted:
        return ""
    if name := fixed_by(settings):
        return f"The promoted adapter {promoted} does not answer: {name} says what does."
    made_for = candidates.get(promoted)
    if made_for.base_sha256 == files.base_sha256(settings.model):
        return ""
    return (
        f"The promoted adapter {promoted} does not answer: it was trained on {made_for.base_name}, and the model is "
        f"{files.base_name(settings.model)}."
    )


def fixed_by(settings: Settings) -> str:
    """The name of the setting that says what answers, whatever is promoted; "" for none."""
    return "TRAG_MODEL_URL" if settings.model_url else "TRAG_ADAPTER" if settings.adapter else ""


def check_local(settings: Settings) -> None:
    """Raises TragError where a server answers, which no adapter can be put on."""
    if settings.model_url:
        raise TragError(
            "TRAG_MODEL_URL says what answers, and no adapter can be put on that.",
            "Take TRAG_MODEL_URL out of the settings to make or measure one.",
        )


def check_open(settings: Settings) -> None:
    """Raises TragError where the settings say what answers, whatever is promoted."""
    if name := fixed_by(settings):
        raise TragError(
            f"{name} says what answers, so that promoting an adapter would change nothing.",
            f"Take {name} out of the settings first.",
        )


def fitting(id: str, settings: Settings, candidates: Candidates) -> str:
    """The file of a candidate; for the id "" that of the adapter that ships, "" where none does.

    Raises TragError when the candidate is gone, or was trained on another model.
    """
    if not id:
        return files.adapter_file(settings.model, "")
    made_for, base = candidates.get(id), files.base_sha256(settings.model)
    if made_for.base_sha256 != base:
        raise TragError(
            f"The adapter {id} was trained on {made_for.base_name} ({made_for.base_sha256[:12]}), and the model is "
            f"{files.base_name(settings.model)} ({base[:12]}).",
            "Set TRAG_MODEL to the model it was trained on, or fine-tune this one.",
        )
    return str(candidates.file(id))
