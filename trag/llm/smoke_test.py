"""A local model tried before anybody relies on it: loaded in its own process, asked one small thing, and timed.

Knows nothing about what the model is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from time import monotonic

from prompts import Message
from trag.errors import TragError
from trag.llm.local import LocalModel
from trag.llm.model import Usage

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
        raise TragError(
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
