"""The tokens of a model, by llama.cpp itself.

messages -> chat template -> tokens.  For the training process: it loads llama.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from prompts import Message
from trag.errors import TragError

_CONTEXT = 512  # nothing is read, so the smallest will do


class GgufVocabulary:
    """That of a GGUF file. llama.cpp makes the tokens, so they are those of the running assistant by construction."""

    def __init__(self, model: Path, template: str = "") -> None:
        """`template` is the chat template where the file carries none.

        Raises TragError when llama.cpp cannot load the file, or when it does not say how an answer ends.
        """
        from trag.llm.engine import Engine

        self._engine = Engine(str(model), "", _CONTEXT, 0, template)
        if self._engine.tokenizer.end < 0:
            raise TragError(f"{model} does not say which token ends an answer.", "Use a GGUF file of a chat model.")

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """See Vocabulary."""
        return self._engine.tokenizer.prompt(messages)

    def text(self, text: str) -> list[int]:
        """See Vocabulary."""
        return self._engine.tokenizer.text(text)

    @property
    def end(self) -> int:
        """See Vocabulary."""
        return self._engine.tokenizer.end
