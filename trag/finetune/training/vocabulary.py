"""The tokens of a model: those of a GGUF file by llama.cpp itself, those of a Hugging Face folder by its own tokenizer.

messages -> chat template -> tokens.  For the training process: it loads llama.cpp or transformers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
        if self._engine.end < 0:
            raise TragError(f"{model} does not say which token ends an answer.", "Use a GGUF file of a chat model.")

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """See Vocabulary."""
        return self._engine.tokens(messages)

    def text(self, text: str) -> list[int]:
        """See Vocabulary."""
        return self._engine.text_tokens(text)

    @property
    def end(self) -> int:
        """See Vocabulary."""
        return self._engine.end


class FolderVocabulary:
    """That of a Hugging Face folder. It keeps the rules of trag/llm/engine.py: no text can write a mark of the chat
    template, the start token comes once, and a template without a system turn gets its text with the first question.
    """

    def __init__(self, folder: Path) -> None:
        """Raises TragError when the folder has no tokenizer, no chat template or no token that ends an answer."""
        from transformers import AutoTokenizer

        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError) as error:
            raise TragError(
                f"{folder} has no tokenizer that can be read: {error}", "Copy the whole folder of the model."
            ) from error
        if not self._tokenizer.chat_template or self._tokenizer.eos_token_id is None:
            raise TragError(
                f"{folder} has no chat template, or no token that ends an answer.", "Use the chat version of the model."
            )
        marks = sorted(self._tokenizer.all_special_tokens, key=len, reverse=True)
        self._markup = re.compile("|".join(map(re.escape, marks)))
        start = self._tokenizer.bos_token or ""
        adds_start = self._tokenizer("").input_ids[:1] == [self._tokenizer.bos_token_id]
        self._start = start if adds_start else ""

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """See Vocabulary. Raises TragError when the chat template refuses the messages."""
        text = self._render([(message.role, self._markup.sub(_apart, message.content)) for message in messages])
        if not text.startswith(self._start):
            text = self._start + text
        return list(self._tokenizer(text, add_special_tokens=False).input_ids)

    def text(self, text: str) -> list[int]:
        """See Vocabulary."""
        apart = self._markup.sub(_apart, text)
        return list(self._tokenizer(apart, add_special_tokens=False).input_ids)

    @property
    def end(self) -> int:
        """See Vocabulary."""
        return int(self._tokenizer.eos_token_id)

    def _render(self, turns: Sequence[tuple[str, str]]) -> str:
        from jinja2 import TemplateError

        try:
            return self._fill(turns)
        except TemplateError as error:
            if len(turns) < 2 or turns[0][0] != "system":
                raise TragError(
                    f"The model's chat template refuses these messages: {error}.", "Use another chat model."
                ) from error
        (_, system), (role, first), *rest = turns
        return self._fill([(role, f"{system}\n\n{first}"), *rest])

    def _fill(self, turns: Sequence[tuple[str, str]]) -> str:
        messages = [{"role": role, "content": content} for role, content in turns]
        return str(self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def _apart(mark: re.Match[str]) -> str:
    return f"{mark[0][0]} {mark[0][1:]}"
