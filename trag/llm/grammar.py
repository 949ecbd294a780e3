"""What an answer may be, as a GBNF grammar of llama.cpp, asked token by token.

Knows the grammar and the vocabulary, and nothing about what is written.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llama_cpp
import numpy as np

from trag.errors import TragError
from trag.llm import llama_log
from trag.llm.context import Logits

_LIKELIEST = 256
"""How many tokens are tried before the whole vocabulary is: that takes about as long as to compute a token."""
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("share", np.float32)])
_SHOWN = 160


class Grammar:
    """Where in a grammar an answer has come to."""

    def __init__(self, text: str, vocabulary: Any) -> None:
        """`vocabulary` is llama.cpp's pointer. Raises TragError with where it ends to be one for what is no grammar."""
        llama_log.clear()
        with _printed() as printed:
            self._sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode("utf-8", "replace"), b"root")
        if not self._sampler:
            lines = "".join(printed).partition("error parsing grammar: ")[2].partition("\n")[0]
            raise TragError(
                f"The grammar of the answer cannot be read: {(lines or llama_log.reason() or 'it is empty')[:_SHOWN]}.",
                "Report this: it is a mistake of the program, not of the question.",
            )
        weakref.finalize(self, llama_cpp.llama_sampler_free, self._sampler)

    def best(self, logits: Logits) -> int | None:
        """The likeliest token that may come next, None where none may. The end of an answer is a token too."""
        likeliest = int(logits.argmax())
        if self._first(logits, np.array([likeliest])) is not None:
            return likeliest
        likely = (
            np.argpartition(logits, -_LIKELIEST)[-_LIKELIEST:] if len(logits) > _LIKELIEST else np.array([likeliest])
        )
        found = self._first(logits, likely)
        return self._first(logits, np.arange(len(logits))) if found is None else found

    def accept(self, token: int) -> None:
        """The answer goes on with this token, which `best` gave."""
        llama_cpp.llama_sampler_accept(self._sampler, token)

    def _first(self, logits: Logits, tokens: np.ndarray) -> int | None:
        """The likeliest of these tokens that the grammar lets through; of two alike, the one of the lower number."""
        candidates = np.zeros(len(tokens), _CANDIDATE)
        candidates["id"], candidates["logit"] = tokens, logits[tokens]
        of = candidates.ctypes.data_as(llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(of, len(tokens), -1, False)
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(array))
        left = candidates[np.isfinite(candidates["logit"])]
        if not len(left):
            return None
        best = left[left["logit"] == left["logit"].max()]
        return int(best["id"].min())


@contextmanager
def _printed() -> Iterator[list[str]]:
    """What llama.cpp prints meanwhile, which would hold the words of a question: it does not log why it refuses a
    grammar."""
    lines: list[str] = []
    kept = os.dup(2)
    try:
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 2)
            try:
                yield lines
            finally:
                os.dup2(kept, 2)
                file.seek(0)
                lines.append(file.read().decode("utf-8", "replace"))
    finally:
        os.close(kept)
