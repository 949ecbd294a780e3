"""llama.cpp on one GGUF file: chat template, tokens, reading the prompt, writing the answer. For the worker process.

messages -> text of the prompt -> tokens -> read -> pieces of the answer -> usage, or how likely some beginnings are

Knows nothing about processes. Every use of llama_cpp is in this file.
"""

from __future__ import annotations

import codecs
import ctypes
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt
from jinja2 import TemplateError
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from prompts import Message
from trag.cores import cores
from trag.errors import TragError
from trag.llm import REPETITION_PENALTY, Usage
from trag.llm.marks import marks, set_apart

_BATCH = 512
# Flash attention on the CPU reads 64 tokens or more by one path and fewer by another, which rounds differently. With no
# part of a prompt shorter than this, a prompt gives the same bits whatever was read before it and is still held.
_SHORTEST = 64
_ERROR = 4  # GGML_LOG_LEVEL_ERROR
_TEMPLATE_HINT = "Use another chat model, or mend the template of this one."
# Of tokens that llama.cpp reads wherever a prompt spells them. User-defined ones may be mere words or rows of spaces:
# of these only those of the template count.
_READ = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
_MARKUP = _READ | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED

Logarithms = npt.NDArray[np.float64]

_said: deque[str] = deque(maxlen=8)
"""The last errors of llama.cpp."""


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _listen(level: int, text: bytes, _: ctypes.c_void_p) -> None:
    if level == _ERROR:
        _said.append(text.decode("utf-8", "replace").strip())


llama_cpp.llama_log_set(_listen, ctypes.c_void_p(0))


def gpu() -> bool:
    """Whether this build of llama.cpp can keep layers on a GPU."""
    return bool(llama_cpp.llama_supports_gpu_offload())


def prepare(source: str, target: str) -> None:
    """Write `source` to `target` with 8-bit weights (Q8_0). Raises TragError when llama.cpp cannot."""
    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0
    parameters.allow_requantize = True
    parameters.nthread = cores()
    _said.clear()
    if llama_cpp.llama_model_quantize(source.encode(), target.encode(), ctypes.byref(parameters)) != 0:
        raise TragError(
            f"No model with 8-bit weights can be written to {Path(target).parent}: {_reason()}.", "Is the disk full?"
        )


def logarithms(logits: npt.NDArray[np.floating[Any]]) -> Logarithms:
    """The natural logarithm of how likely each token is by the logits of a model, shape (vocabulary,)."""
    least = logits.astype(np.float64) - logits.max()
    return np.asarray(least - np.log(np.exp(least).sum()))


class Engine:
    """One loaded model. It writes one answer at a time; another thread may count meanwhile."""

    def __init__(self, model: str, adapter: str, context: int, gpu_layers: int, template: str = "") -> None:
        """Loads the files; `template` is the chat template where the model carries none.

        Raises TragError with llama.cpp's own reason when it cannot.
        """
        _said.clear()
        try:
            self._llama = llama_cpp.Llama(
                model,
                lora_path=adapter or None,
                n_ctx=context,
                n_batch=_BATCH,
                n_threads=cores(),
                n_threads_batch=cores(),
                n_gpu_layers=gpu_layers,
                flash_attn=True,
                verbose=False,
            )
        except (ValueError, RuntimeError, MemoryError, TemplateError, OSError) as error:
            raise TragError(
                f"{adapter or model} cannot be loaded: {_reason() or error}.",
                "python -m trag doctor looks at the files.",
            ) from error
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._llama.model)
        self._start = self._token_text(self._llama.token_bos())
        template = template or self._llama.metadata["tokenizer.chat_template"]
        self._template = Jinja2ChatFormatter(
            template, eos_token=self._token_text(self._llama.token_eos()), bos_token=self._start
        )
        self._markup = self._find_markup(template)
        self._context = context
        self._held: list[int] = []

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the prompt."""
        return len(self.tokens(messages))

    def count_text(self, text: str) -> int:
        """Tokens of a text by itself."""
        return len(self.text_tokens(text))

    def tokens(self, messages: Sequence[Message]) -> list[int]:
        """The prompt as the model reads it."""
        return self._tokenized(self._render(messages))

    def text_tokens(self, text: str) -> list[int]:
        """A text by itself as the model writes it."""
        return list(self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=False))

    @property
    def end(self) -> int:
        """The token with which the model ends an answer, -1 where its file names none."""
        turn = int(llama_cpp.llama_vocab_eot(self._vocabulary))
        return turn if turn >= 0 else int(llama_cpp.llama_vocab_eos(self._vocabulary))

    def write(
        self, messages: Sequence[Message], max_tokens: int, cancelled: Callable[[], bool], alive: Callable[[], None]
    ) -> Iterator[str | Usage]:
        """The answer in pieces, then its Usage; ends early once `cancelled`.

        `alive` is called often while the prompt is read. Greedy; the repetition penalty looks at the last 64 tokens of
        the answer (llama.cpp's default) and never at the prompt, so it keeps no name of the sources out of the answer.
        Raises TragError when the prompt leaves no room for an answer.
        """
        prompt = self.tokens(messages)
        room = self._room(prompt)
        evaluated = self._read(prompt, cancelled, alive)
        written = 0
        text = codecs.getincrementaldecoder("utf-8")("replace")
        if not cancelled():
            # The prompt is read, so this only samples; and it goes on to read what it has sampled.
            for token in self._llama.generate(prompt, temp=0.0, repeat_penalty=REPETITION_PENALTY):
                if llama_cpp.llama_vocab_is_eog(self._vocabulary, token):
                    break
                written += 1
                if piece := text.decode(self._piece(token)):
                    yield piece
                if written >= min(max_tokens, room) or cancelled():
                    break
            if rest := text.decode(b"", final=True):
                yield rest
        yield Usage(len(prompt), evaluated, written)

    def weigh(
        self, messages: Sequence[Message], beginnings: Sequence[str], alive: Callable[[], None]
    ) -> tuple[float, ...]:
        """See Weighing; `alive` as in `write`."""
        prompt = self._render(messages)
        rows = [self._tokenized(prompt + beginning) for beginning in beginnings]
        # A beginning may take the end of the prompt into its first token, and then that is no longer shared.
        alike = takewhile(lambda tokens: len(set(tokens)) == 1, zip(self._tokenized(prompt), *rows, strict=False))
        shared = [token for token, *_ in alike]
        self._room(max([shared, *rows], key=len))
        self._held = []  # read in other parts, the same prompt was seen to give weights that differ by 4%
        self._read(shared, lambda: False, alive)
        first = self._next()
        return tuple(self._weight(row[len(shared) :], first, alive) for row in rows)

    def likely(self, messages: Sequence[Message]) -> Logarithms:
        """The natural logarithm of how likely each token begins the answer."""
        prompt = self.tokens(messages)
        self._room(prompt)
        self._held = []  # read in other parts, it would be rounded differently
        self._read(prompt, lambda: False, lambda: None)
        return self._next()

    def _weight(self, tokens: Sequence[int], first: Logarithms, alive: Callable[[], None]) -> float:
        """The logarithm of how likely these tokens come after the prompt that is held, `first` being that of every
        token to come first."""
        weight, end = float(first[tokens[0]]) if tokens else 0.0, len(self._held)
        for start in range(0, len(tokens) - 1, _BATCH):
            alive()
            read = tokens[start : min(start + _BATCH, len(tokens) - 1)]
            for place, likely in enumerate(self._after(read, len(self._held) + start), start + 1):
                weight += float(likely[tokens[place]])
            end += len(read)
        memory = llama_cpp.llama_get_memory(self._llama.ctx)
        if end > len(self._held) and not llama_cpp.llama_memory_seq_rm(memory, 0, len(self._held), -1):
            prompt, self._held = self._held, []  # a recurrent model cannot go back
            self._read(prompt, lambda: False, alive)
        return weight

    def _after(self, tokens: Sequence[int], position: int) -> Iterator[Logarithms]:
        """Reads tokens from `position` on at once: after each of them, the logarithm of how likely each comes next."""
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        try:
            batch.n_tokens = len(tokens)
            for place, token in enumerate(tokens):
                batch.token[place], batch.pos[place], batch.logits[place] = token, position + place, True
                batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
            if llama_cpp.llama_decode(self._llama.ctx, batch) != 0:
                raise TragError(f"The model cannot read on: {_reason()}.", "Ask again.")
            for place in range(len(tokens)):
                yield self._next(place)
        finally:
            llama_cpp.llama_batch_free(batch)

    def _next(self, place: int = -1) -> Logarithms:
        """The natural logarithm of how likely each token comes next, after the token at that place of what was read
        last."""
        last = llama_cpp.llama_get_logits_ith(self._llama.ctx, place)
        return logarithms(np.ctypeslib.as_array(last, shape=(self._llama.n_vocab(),)))

    def _room(self, prompt: Sequence[int]) -> int:
        """Tokens that are left beside the prompt. Raises TragError when there are none, and for an empty prompt."""
        room = self._context - len(prompt)
        if room < 1:
            raise TragError(
                f"The prompt has {len(prompt):,} tokens and the model's context {self._context:,}.",
                "Ask a shorter question, or set a larger TRAG_CONTEXT.",
            )
        if not prompt:
            raise TragError("The model's chat template makes nothing of these messages.", _TEMPLATE_HINT)
        return room

    def _read(self, prompt: list[int], cancelled: Callable[[], bool], alive: Callable[[], None]) -> int:
        """Read the prompt, except the start that is held from the prompt before; returns how many tokens were read.

        Only tokens of a prompt count as held: those of an answer were read one at a time, which rounds differently.
        """
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._held, prompt, strict=False)))
        start = max(0, min(same, len(prompt) - _SHORTEST))
        memory = llama_cpp.llama_get_memory(self._llama.ctx)
        if not llama_cpp.llama_memory_seq_rm(memory, 0, start, -1):  # a recurrent model cannot go back
            llama_cpp.llama_memory_clear(memory, True)
            start = 0
        self._llama.n_tokens = end = start

        def abort(_: ctypes.c_void_p) -> bool:
            alive()
            return cancelled()

        # Asked between the operations of llama.cpp, some 500 times a batch, so that even a slow model stops at once.
        # While it writes that would cost 5%, and stopping between two tokens is soon enough.
        callback = llama_cpp.ggml_abort_callback(abort)
        llama_cpp.llama_set_abort_callback(self._llama.ctx, callback, ctypes.c_void_p(0))
        try:
            while end < len(prompt) and not cancelled():
                begin, end = end, min(end + _BATCH, len(prompt))
                if 0 < len(prompt) - end < _SHORTEST:
                    end = len(prompt) - _SHORTEST
                self._llama.eval(prompt[begin:end])
        except RuntimeError:
            if not cancelled():
                raise
        finally:
            llama_cpp.llama_set_abort_callback(self._llama.ctx, llama_cpp.ggml_abort_callback(), ctypes.c_void_p(0))
            self._held = prompt[: self._llama.n_tokens]
        return len(self._held) - start

    def _tokenized(self, text: str) -> list[int]:
        # The template writes the start token where it wants one; a second one would make the model answer worse.
        add_start = llama_cpp.llama_vocab_get_add_bos(self._vocabulary) and not text.startswith(self._start)
        return list(self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=add_start, special=True))

    def _render(self, messages: Sequence[Message]) -> str:
        """The prompt by the model's own chat template. What people and documents write cannot end or begin a turn."""
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
            raise TragError(f"The model's chat template refuses these messages: {error}.", _TEMPLATE_HINT) from error

    def _find_markup(self, template: str) -> re.Pattern[str]:
        """What a text must not be able to write: control tokens, those of the chat template, and marks that templates
        write as plain text."""
        own = []
        for token in range(self._llama.n_vocab()):
            attributes = llama_cpp.llama_vocab_get_attr(self._vocabulary, token)
            if not attributes & _MARKUP:
                continue
            text = self._token_text(token)
            if text.strip() and (attributes & _READ or text in template):
                own.append(text)
        return marks(own)

    def _token_text(self, token: int) -> str:
        text = llama_cpp.llama_vocab_get_text(self._vocabulary, token) if token >= 0 else b""
        return str(text.decode("utf-8", "replace"))

    def _piece(self, token: int) -> bytes:
        """The bytes a token stands for: possibly a part of a character."""
        size = 128
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = llama_cpp.llama_token_to_piece(self._vocabulary, token, buffer, size, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            size = -length


def _reason() -> str:
    return "; ".join(dict.fromkeys(_said)).rstrip(".")
