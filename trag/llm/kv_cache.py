"""The KV cache of one kind of prompt: what of a prompt is held, what must be read, and what comes next, also in copies
that go on in different ways; and the errors of llama.cpp in its own words.

tokens -> read, but for the start that is held -> logits
"""

from __future__ import annotations

import ctypes
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

from trag.errors import OperatorError, TragError
from trag.machine import cores

BATCH = 512
"""Tokens that are read at a time."""
# Flash attention on the CPU reads 64 tokens or more by one path and fewer by another, which rounds differently; and
# weights are multiplied by 4 or 16 tokens at a time and by the odd rest one at a time, which does too. With no part of
# a prompt shorter than the one, and every part beginning at a multiple of the other, a prompt gives the same bits
# whatever was read before it and is still held.
_SHORTEST = 64
_ALIGNED = 16
ALIKE = 4
"""Tokens that a step reads, always: how a token is rounded depends on how many are read with it, not on which."""
_OUTPUTS = 64
"""After how many tokens of one batch the logits may be asked for: llama.cpp reserves memory for that many rows of the
whole vocabulary."""

_ERROR = 4  # GGML_LOG_LEVEL_ERROR
_lines: deque[str] = deque(maxlen=8)

Logits = npt.NDArray[np.float32]
Row = tuple[int, int, Sequence[int]]
"""A sequence, the place at which it goes on, and with which tokens."""
Step = tuple[int, int, int]
"""The same with one token."""


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _listen(level: int, text: bytes, _: ctypes.c_void_p) -> None:
    if level == _ERROR:
        _lines.append(text.decode("utf-8", "replace").strip())


llama_cpp.llama_log_set(_listen, ctypes.c_void_p(0))


def clear_errors() -> None:
    """Forget what was said so far."""
    _lines.clear()


def last_errors() -> str:
    """What was said since `clear_errors`, in one line, "" for nothing."""
    return "; ".join(dict.fromkeys(_lines)).rstrip(".")


def room(size: int, prompt: Sequence[int]) -> int:
    """Tokens that are left beside the prompt in a context of that size. Raises TragError when there are none."""
    if len(prompt) >= size:
        raise TragError(
            f"The prompt has {len(prompt):,} tokens and the model's context {size:,}.",
            "Ask a shorter question, or set a larger TRAG_CONTEXT.",
        )
    return size - len(prompt)


class Context:
    """One sequence of tokens over a loaded model, and nobody else's: what other prompts do to theirs changes nothing
    here, to the last bit. It has the number 0; copies of it share what they have in common. For one thread at a
    time."""

    def __init__(self, model: Any, adapter: Any, size: int, *, sequences: int = 1, batch: int = BATCH) -> None:
        """`model` and `adapter` (None for none) are llama.cpp's pointers; `size` is in tokens, of all `sequences`
        together, of which `batch` are read at a time.

        Raises TragError when there is no memory for it.
        """
        wanted = llama_cpp.llama_context_default_params()
        wanted.n_ctx, wanted.n_batch, wanted.n_ubatch, wanted.n_outputs_max = size, batch, batch, _OUTPUTS
        # In one buffer for all a copy only marks cells. In one for each, copying a part ends the process.
        # One more is for what makes up a step.
        wanted.n_seq_max, wanted.kv_unified = sequences + (sequences > 1), sequences > 1
        self._spare = sequences
        wanted.n_threads = wanted.n_threads_batch = cores()
        wanted.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
        clear_errors()
        self._context = llama_cpp.llama_init_from_model(model, wanted)
        if not self._context:
            raise OperatorError(
                f"There is no room for {size:,} tokens of context: {last_errors() or 'out of memory'}.",
                "Set a smaller TRAG_CONTEXT, or take a smaller model.",
            )
        self.close = weakref.finalize(self, llama_cpp.llama_free, self._context)
        if adapter:
            adapters, scales = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(adapter), (ctypes.c_float * 1)(1.0)
            llama_cpp.llama_set_adapters_lora(self._context, adapters, 1, scales)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._tokens = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
        self.size, self._batch = size, batch
        self._held: list[int] = []
        self._end = 0

    def read(self, prompt: list[int], cancelled: Callable[[], bool], alive: Callable[[], None]) -> int:
        """Read the prompt, except the start that is held from the prompt before; returns how many tokens were read.

        `alive` is called often meanwhile. Only tokens of a prompt count as held: those of an answer were read one at a
        time, which rounds differently.
        """
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(self._held, prompt, strict=False))
        same = min(sum(1 for _ in alike), len(prompt) - _SHORTEST) // _ALIGNED * _ALIGNED
        start = self._end = same if same > 0 and self._forget(same) else 0
        if not start:
            llama_cpp.llama_memory_clear(self._memory, False)

        def abort(_: ctypes.c_void_p) -> bool:
            alive()
            return cancelled()

        # Asked between the operations of llama.cpp, some 500 times a batch, so that even a slow model stops at once.
        # While it writes that would cost 5%, and stopping between two tokens is soon enough.
        callback = llama_cpp.ggml_abort_callback(abort)
        llama_cpp.llama_set_abort_callback(self._context, callback, ctypes.c_void_p(0))
        try:
            while self._end < len(prompt) and not cancelled():
                end = min(self._end + self._batch, len(prompt))
                if 0 < len(prompt) - end < _SHORTEST:
                    end = (len(prompt) - _SHORTEST) // _ALIGNED * _ALIGNED
                if not self._read_on(prompt[self._end : end]):
                    break
        finally:
            llama_cpp.llama_set_abort_callback(self._context, llama_cpp.ggml_abort_callback(), ctypes.c_void_p(0))
            self._held = prompt[: self._end] if len(prompt) >= _SHORTEST else []
        return self._end - start

    def append(self, tokens: Sequence[int]) -> None:
        """Read on after what was read last, as a part of the answer."""
        for start in range(0, len(tokens), self._batch):
            self._read_on(tokens[start : start + self._batch])

    def append_each(self, tokens: Sequence[int]) -> Iterator[Logits]:
        """The same, with the logits after each of the tokens."""
        for start in range(0, len(tokens), _OUTPUTS):
            part = tokens[start : start + _OUTPUTS]
            self._read_on(part, every=True)
            yield from map(self.logits, range(len(part)))

    def copy(self, sequence: int, to: int, end: int = -1) -> None:
        """What one sequence holds, of its first `end` tokens, another holds too."""
        llama_cpp.llama_memory_seq_cp(self._memory, sequence, to, -1, end)

    def drop(self, sequence: int) -> None:
        """That sequence holds nothing any more."""
        llama_cpp.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def drop_copies(self) -> None:
        """All sequences but 0 hold nothing any more."""
        llama_cpp.llama_memory_seq_keep(self._memory, 0)

    def extend(self, rows: Sequence[Row]) -> list[Logits]:
        """Read on in several sequences at once; what comes next after each, until more is read.

        Raises TragError when there is no room for that; then nothing of the last batch was read.
        """
        logits = dict[int, Logits]()
        step = self._batch // max(1, len(rows))
        for begin in range(0, max((len(tokens) for *_, tokens in rows), default=0), step):
            parts = {
                number: (sequence, start + begin, tokens[begin : begin + step])
                for number, (sequence, start, tokens) in enumerate(rows)
                if len(tokens) > begin
            }
            self._decode([*parts.values()])
            ends = accumulate(len(tokens) for *_, tokens in parts.values())
            logits |= {number: self.logits(end - 1).copy() for number, end in zip(parts, ends, strict=True)}
        return [logits[number] for number in range(len(rows))]

    def step(self, tokens: Sequence[Step]) -> list[Logits]:
        """Read up to `ALIKE` tokens at once, of one sequence or of several, in a context that has several; what comes
        next after each. It is the same to the last bit whatever is read beside them, and whether those of a sequence
        are read in one step or in many.

        Raises TragError when there is no room for them; then none was read.
        """
        rows = [(sequence, place, (token,)) for sequence, place, token in tokens]
        rows += [(self._spare, place, tokens[0][2:]) for place in range(ALIKE - len(rows))]
        self._decode(rows)
        self.drop(self._spare)
        self._end += sum(not sequence for sequence, *_ in tokens)
        return [self.logits(number).copy() for number in range(len(tokens))]

    def rewind(self, end: int) -> bool:
        """Go back to the first `end` tokens. False for a recurrent model, which cannot: then nothing is held."""
        if self._end > end and not self._forget(end):
            llama_cpp.llama_memory_clear(self._memory, False)
            self._end, self._held = 0, []
            return False
        self._end, self._held = end, self._held[:end]
        return True

    @property
    def end(self) -> int:
        """How many tokens were read, of the prompt and of the answer."""
        return self._end

    def logits(self, place: int = -1) -> Logits:
        """What comes next after the token at that place of what was read last, shape (vocabulary,); until more is
        read."""
        row = llama_cpp.llama_get_logits_ith(self._context, place)
        return np.ctypeslib.as_array(row, shape=(self._tokens,))

    def _read_on(self, tokens: Sequence[int], *, every: bool = False) -> bool:
        """Sequence 0 goes on with these tokens, which are read at once; False when that was aborted."""
        done = self._decode([(0, self._end, tokens)], every=every)
        self._end += len(tokens) if done else 0
        return done

    def _decode(self, rows: Sequence[Row], *, every: bool = False) -> bool:
        """Reads tokens at once; False when that was aborted. The logits are those after the last token of each row, or
        after `every` one. Raises TragError when llama.cpp cannot."""
        size = sum(len(tokens) for *_, tokens in rows)
        batch = llama_cpp.llama_batch_init(size, 0, 1)
        clear_errors()
        try:
            batch.n_tokens, place = size, 0
            for sequence, start, tokens in rows:
                for position, token in enumerate(tokens, start):
                    batch.token[place], batch.pos[place], batch.logits[place] = token, position, every
                    batch.n_seq_id[place], batch.seq_id[place][0] = 1, sequence
                    place += 1
                batch.logits[place - 1] = True
            status = llama_cpp.llama_decode(self._context, batch)
        finally:
            llama_cpp.llama_batch_free(batch)
        if status == 1:
            raise TragError(
                f"The model's context of {self.size:,} tokens has no room for {size:,} more.",
                "Ask a shorter question, or set a larger TRAG_CONTEXT.",
            )
        if status not in (0, 2):
            reason = last_errors() or f"llama.cpp says {status}"
            raise OperatorError(
                f"The model cannot read on: {reason}.", "Ask again.", "The model cannot answer this now."
            )
        return bool(status == 0)

    def _forget(self, start: int) -> bool:
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, 0, start, -1))
