"""A question in English, by the model: how documents are found that are written in it, in whatever language one asks.

Encoder and reranker know English best. Only the search goes by this; the reader is asked in the asker's own words.
"""

from __future__ import annotations

import threading

import prompts
from trag.llm.model import LanguageModel, text_of

_TOKENS = 80


def in_english(question: str, model: LanguageModel, *, stop: threading.Event) -> str:
    """`question` in English, as it is where the model says nothing or does not end. Raises what `LanguageModel.stream`
    raises."""
    limit = max(_TOKENS, 2 * model.count_text(question))
    stream = model.stream(prompts.translate(question), max_tokens=limit, stop=stop, task="translate")
    written, usage = text_of(stream)
    line = written.strip().partition("\n")[0].strip()
    return line if line and usage.completion < limit and not stop.is_set() else question
