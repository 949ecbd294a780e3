"""Messages to tokens and tokens to text: a model's own chat template and vocabulary, by llama.cpp.

messages -> text of the prompt -> tokens;  tokens -> pieces of the answer

Nothing here computes: any thread may call it while an answer is written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import llama_cpp
from jinja2 import TemplateError
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from prompts import Message
from trag.errors import OperatorError, TragError
from trag.llm.model import marks, set_apart

_HINT = "Use another chat model, or mend the template of this one."
_HERE = "(the answer goes on here)"
"""Stands for the last answer while the template is filled in, to find where the template puts it."""
# Of tokens that llama.cpp reads wherever a prompt spells them. User-defined ones may be mere words or rows of spaces:
# of these only those of the template count.
_READ = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
_MARKUP = _READ | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED


class Tokenizer:
    """Of one loaded model."""

    def __init__(self, model: Any, template: str = "") -> None:
        """`model` is llama.cpp's pointer; `template` is the chat template where the model carries none.

        Raises TragError for a template that is none.
        """
        self.vocabulary = llama_cpp.llama_model_get_vocab(model)
        """llama.cpp's pointer, which lives as long as the model."""
        self.size = int(llama_cpp.llama_vocab_n_tokens(self.vocabulary))
        """How many tokens there are."""
        template = template or (llama_cpp.llama_model_chat_template(model, None) or b"").decode("utf-8", "replace")
        self._start = self._token_text(llama_cpp.llama_vocab_bos(self.vocabulary))
        end = self._token_text(llama_cpp.llama_vocab_eos(self.vocabulary))
        try:
            self._template = Jinja2ChatFormatter(template, eos_token=end, bos_token=self._start)
        except TemplateError as error:
            raise OperatorError(f"The model's chat template cannot be read: {error}.", _HINT) from error
        # What a text must not be able to write: control tokens, those of the chat template, and marks that templates
        # write as plain text.
        own: list[str] = []
        for token in range(self.size):
            attributes = llama_cpp.llama_vocab_get_attr(self.vocabulary, token)
            if attributes & _MARKUP and (text := self._token_text(token)).strip():
                own += [text] if attributes & _READ or text in template else []
        self._markup = marks(own)

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """The prompt as the model reads it; an answer that it ends with is gone on with. Raises TragError when the
        template makes nothing of the messages."""
        return self._tokenized(self.rendered(messages))

    def followed(self, messages: Sequence[Message], answers: Sequence[str]) -> tuple[list[int], list[list[int]]]:
        """The tokens that the prompt shares with each of these answers to it, and those that each has after them.

        An answer may take the end of the prompt into its first token, and then that is no longer shared.
        """
        prompt = self.rendered(messages)
        begun = self._begun(messages) or prompt
        shared = self._tokenized(prompt)
        rows = [self._tokenized(begun + answer) for answer in answers]
        for row in rows:
            differs = (place for place, pair in enumerate(zip(shared, row, strict=False)) if pair[0] != pair[1])
            shared = shared[: next(differs, min(len(shared), len(row)))]
        return shared, [row[len(shared) :] for row in rows]

    def answering(self, messages: Sequence[Message]) -> Callable[[str], list[int]]:
        """What gives the tokens of the prompt and how an answer to it begins. No such text can end its turn."""
        prompt = self.rendered(messages)
        left = self._cut(prompt)
        begun = self._cut(self._begun(messages) or prompt)

        def tokens(text: str) -> list[int]:
            # A space that the template writes before an answer is one that the model begins with where it is left to.
            head, before = left if not text or text[0].isspace() else begun
            text = before + set_apart(text, self._markup)
            return [*head, *self._tokens(text, start=False, special=True)] if head else self._tokenized(text)

        return tokens

    def _cut(self, prompt: str) -> tuple[list[int], str]:
        """The tokens of a prompt before its last mark, and the text from that on: no token reaches across a mark, so
        what comes after need not be read with all before it. Without such a mark no tokens, and the whole."""
        tokens = self._tokenized(prompt)
        for place in range(len(tokens) - 1, 0, -1):
            if llama_cpp.llama_vocab_get_attr(self.vocabulary, tokens[place]) & _READ:
                _, mark, rest = prompt.rpartition(self._token_text(tokens[place]))
                if mark and tokens[place:] == self._tokens(mark + rest, start=False, special=True):
                    return tokens[:place], mark + rest
                break
        return [], prompt

    def text(self, text: str) -> list[int]:
        """A text by itself as the model writes it."""
        return self._tokens(text, start=False, special=False)

    @cached_property
    def end(self) -> int:
        """The token with which the model ends an answer, -1 where neither its template nor its file names one."""
        # Of several tokens that end a text the file may well name another one than its template writes.
        around = self._around([Message("user", "?")])
        tokens = self._tokens(around[1], start=False, special=True) if around else []
        return next(filter(self.is_end, tokens), int(llama_cpp.llama_vocab_eos(self.vocabulary)))

    def is_end(self, token: int) -> bool:
        """Whether an answer ends with it."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocabulary, token))

    def piece(self, token: int) -> bytes:
        """The bytes a token stands for: possibly a part of a character."""
        size = 128
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = llama_cpp.llama_token_to_piece(self.vocabulary, token, buffer, size, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def rendered(self, messages: Sequence[Message]) -> str:
        """The prompt by the model's own chat template. What people and documents write cannot end or begin a turn."""
        if not messages or messages[-1].role != "assistant":
            return self._render(messages)
        begun = self._begun(messages[:-1])
        if begun is None:
            raise OperatorError("The model's chat template leaves out an answer that it should go on with.", _HINT)
        return begun + set_apart(messages[-1].content, self._markup)

    def _begun(self, messages: Sequence[Message]) -> str | None:
        """The prompt up to where the template puts the answer, None where it puts none. Some write more before it than
        they do where they leave it to the model, such as a space."""
        if messages and messages[-1].role == "assistant":
            return self.rendered(messages)
        around = self._around(messages)
        return around and around[0]

    def _around(self, messages: Sequence[Message]) -> tuple[str, str] | None:
        """What the template writes before and after the answer."""
        try:
            before, here, after = self._render([*messages, Message("assistant", _HERE)]).rpartition(_HERE)
        except TragError:  # it takes no answers
            return None
        return (before, after) if here else None

    def _render(self, messages: Sequence[Message]) -> str:
        turns = [(message.role, set_apart(message.content, self._markup)) for message in messages]
        try:
            return self._fill(turns)
        except TragError:
            if len(turns) < 2 or turns[0][0] != "system":
                raise
        # Some templates know no system turn; its text then opens the first question.
        (_, system), (role, first), *rest = turns
        return self._fill([(role, f"{system}\n\n{first}"), *rest])

    def _fill(self, turns: Sequence[tuple[str, str]]) -> str:
        messages: list[Any] = [{"role": role, "content": content} for role, content in turns]
        try:
            return str(self._template(messages=messages).prompt)
        except Exception as error:  # a template is a foreign program and may fail in any way
            raise OperatorError(f"The model's chat template refuses these messages: {error}.", _HINT) from error

    def _tokenized(self, prompt: str) -> list[int]:
        # The template writes the start token where it wants one; a second one would make the model answer worse.
        start = bool(llama_cpp.llama_vocab_get_add_bos(self.vocabulary)) and not prompt.startswith(self._start)
        tokens = self._tokens(prompt, start=start, special=True)
        if not tokens:
            raise OperatorError("The model's chat template makes nothing of these messages.", _HINT)
        return tokens

    def _tokens(self, text: str, *, start: bool, special: bool) -> list[int]:
        content = text.encode("utf-8", "replace")
        size = len(content) + 2  # mostly a byte or more for each token, and marks of the start and the end
        while True:
            tokens = (llama_cpp.llama_token * size)()
            number = llama_cpp.llama_tokenize(self.vocabulary, content, len(content), tokens, size, start, special)
            if number >= 0:
                return list(tokens[:number])
            size = -number

    def _token_text(self, token: int) -> str:
        text = llama_cpp.llama_vocab_get_text(self.vocabulary, token) if token >= 0 else b""
        return str(text.decode("utf-8", "replace"))
