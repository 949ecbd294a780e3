"""llama.cpp on one GGUF file: reading the prompt, writing the answer, under a grammar where there is one, weighing
some. Only the worker and the training import it; this, kv_cache.py and tokenizer.py alone use llama_cpp.

messages -> tokens -> read -> pieces of the answer -> usage
"""

from __future__ import annotations

import codecs
import ctypes
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Literal

import llama_cpp
import numpy as np

from prompts import PROSE, Message, Task
from trag.errors import OperatorError, TragError
from trag.llm.held import SEQUENCES, Held, Logarithms, logarithms, weight
from trag.llm.kv_cache import Context, Logits, clear_errors, last_errors, room
from trag.llm.model import Sampling, Usage
from trag.llm.tokenizer import Tokenizer

_LIKELIEST = 256
"""How many tokens are tried before the whole vocabulary is: that takes about as long as to compute a token."""
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("share", np.float32)])
_SHOWN = 160
_ALL_LAYERS = 0x7FFFFFFF
_PENALIZED = 64
"""The last tokens of an answer that a repetition penalty looks at, as llama.cpp has it."""

_SEARCH_BATCH = 128
"""Tokens that a search reads at a time: with 512 its context would take 58 MiB more, and read about as fast."""


def gpu() -> bool:
    """Whether this build of llama.cpp can keep layers on a GPU."""
    return bool(llama_cpp.llama_supports_gpu_offload())


def penalized(logits: Logits, tokens: Sequence[int], penalty: float) -> Logits:
    """Logits in which these tokens are less likely, once however often they stand there."""
    found = logits.copy()
    for token in set(tokens):
        found[token] *= 1 / penalty if found[token] > 0 else penalty
    return found


def drawn(logits: Logits, sampling: Sampling, chance: np.random.Generator) -> int:
    """A token drawn from the fewest that have `top_p` together (nucleus sampling, Holtzman and others 2020)."""
    shares = np.exp(logarithms(logits / sampling.temperature))
    likeliest = np.argsort(-shares, kind="stable")
    together = np.cumsum(shares[likeliest])
    nucleus = likeliest[: int(np.searchsorted(together, sampling.top_p)) + 1]
    return int(chance.choice(nucleus, p=shares[nucleus] / shares[nucleus].sum()))


class Engine:
    """One loaded model. It writes one answer at a time; another thread may count meanwhile."""

    def __init__(self, model: str, adapter: str, context: int, gpu_layers: int, template: str = "") -> None:
        """Loads the files; `template` is the chat template where the model carries none.

        Raises TragError with llama.cpp's own reason when it cannot.
        """
        llama_cpp.llama_backend_init()
        wanted = llama_cpp.llama_model_default_params()
        wanted.n_gpu_layers = _ALL_LAYERS if gpu_layers < 0 else gpu_layers
        clear_errors()
        self._model = llama_cpp.llama_model_load_from_file(model.encode(), wanted)
        if not self._model:
            raise _unloadable(model)
        self._opened = ExitStack()  # the model is freed after its contexts
        self._opened.callback(llama_cpp.llama_model_free, self._model)
        weakref.finalize(self, self._opened.close)
        self._adapter = llama_cpp.llama_adapter_lora_init(self._model, adapter.encode()) if adapter else None
        if adapter and not self._adapter:
            raise _unloadable(adapter)
        self.tokenizer = Tokenizer(self._model, template)
        self._size = context
        self._contexts: dict[Task | Literal["search"], Context] = {}
        self._held: Held | None = None
        self._context("answer")

    def read(
        self, messages: Sequence[Message], task: Task, cancelled: Callable[[], bool], alive: Callable[[], None]
    ) -> Usage:
        """Only reads, so that a prompt of this task that begins alike has less to read; ends early once `cancelled`.

        `alive` is called often. Raises TragError when the prompt leaves no room for an answer.
        """
        prompt = self.tokenizer.prompt(messages)
        room(self._size, prompt)
        return Usage(len(prompt), self._context(task).read(prompt, cancelled, alive))

    def write(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        cancelled: Callable[[], bool],
        alive: Callable[[], None],
        *,
        task: Task = "other",
        grammar: str = "",
        refusal: str = "",
        refusal_bias: float = 0.0,
        repetition_penalty: float = 1.0,
        sampling: Sampling | None = None,
    ) -> Iterator[str | Usage]:
        """The answer in pieces, then its Usage; see LanguageModel.stream, and `read`.

        The repetition penalty looks at the last 64 tokens of the answer and never at the prompt, so it keeps no name of
        the sources out of the answer. Where the grammar lets no token through, the answer ends. Raises TragError also
        for what is no grammar.
        """
        prompt = self.tokenizer.prompt(messages)
        most = min(max_tokens, room(self._size, prompt))
        held_to = Grammar(grammar, self.tokenizer.vocabulary) if grammar else None
        refused = -1  # the token with which the refusal begins
        if refusal:
            shared, (row,) = self.tokenizer.followed(messages, [refusal])
            refused = row[0] if len(shared) == len(prompt) else self.tokenizer.text(refusal)[0]
        context = self._context(task)
        evaluated = context.read(prompt, cancelled, alive)
        if cancelled():
            yield Usage(len(prompt), evaluated)
            return
        logits, odds = context.logits(), None
        if refused >= 0:
            others = np.delete(logits, refused).astype(np.float64)
            most_likely = others.max()
            odds = float(logits[refused] - most_likely - np.log(np.exp(others - most_likely).sum()))
            logits = logits.copy()
            logits[refused] += refusal_bias
        written: list[int] = []
        chance = np.random.default_rng(sampling.seed if sampling else None)
        text = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            if repetition_penalty > 1.0:
                logits = penalized(logits, written[-_PENALIZED:], repetition_penalty)
            if held_to:
                best = held_to.best(logits)
            else:
                best = drawn(logits, sampling, chance) if sampling else int(logits.argmax())
            if best is None or self.tokenizer.is_end(best):
                break
            written.append(best)
            if piece := text.decode(self.tokenizer.piece(best)):
                yield piece
            if len(written) >= most or cancelled():
                break
            if held_to:
                held_to.accept(best)
            context.append([best])
            logits = context.logits()
        if rest := text.decode(b"", final=True):
            yield rest
        yield Usage(len(prompt), evaluated, len(written), odds)

    def held(
        self,
        messages: Sequence[Message],
        taken: tuple[str, ...],
        cancelled: Callable[[], bool],
        alive: Callable[[], None],
    ) -> Held:
        """What a search asks about; see Held, and `read`.

        All searches share a context of their own over the same weights, without the adapter, made by the first: 165 MiB
        of the default model with 4,096 tokens. More sequences in the context of a task would take 16, but have its
        adapter, and each search would take the place of the prompts that it holds.
        """
        context = self._context("search")
        if self._held is None or self._held.context is not context:
            self._held = Held(context, self.tokenizer)
        self._held.hold(messages, taken, cancelled, alive)
        return self._held

    def log_probabilities(
        self,
        messages: Sequence[Message],
        beginnings: Sequence[str],
        alive: Callable[[], None],
        *,
        task: Task = "other",
    ) -> tuple[float, ...]:
        """See Scoring; `alive` as in `read`."""
        shared, rows = self.tokenizer.followed(messages, beginnings)
        room(self._size, [*shared, *max(rows, key=len)])
        context = self._context(task)
        context.read(shared, lambda: False, alive)
        first = logarithms(context.logits())
        weights = []
        for row in rows:
            weights.append(weight(context, first, row, alive))
            if row and not context.rewind(len(shared)):
                context.read(shared, lambda: False, alive)
        return tuple(weights)

    def likely(self, messages: Sequence[Message]) -> Logarithms:
        """The natural logarithm of how likely each token begins the answer."""
        prompt = self.tokenizer.prompt(messages)
        room(self._size, prompt)
        context = self._context("other")
        context.read(prompt, lambda: False, lambda: None)
        return logarithms(context.logits())

    def _context(self, task: Task | Literal["search"]) -> Context:
        """That of one kind of prompt, made when it is first needed; where there is no room for it, in place of all
        others."""
        if task not in self._contexts:
            make = partial(Context, self._model, None if task in PROSE else self._adapter, self._size)
            if task == "search":
                make = partial(Context, self._model, None, self._size, sequences=SEQUENCES, batch=_SEARCH_BATCH)
            try:
                made = make()
            except TragError:
                if not self._contexts:
                    raise
                for context in self._contexts.values():
                    context.close()
                self._contexts.clear()
                made = make()
            self._contexts[task] = made
            self._opened.callback(made.close)
        return self._contexts[task]


def _unloadable(file: str) -> TragError:
    return OperatorError(
        f"{file} cannot be loaded: {last_errors() or 'llama.cpp does not say why'}.",
        "python -m trag doctor looks at the files.",
    )


class Grammar:
    """What an answer may be, as a GBNF grammar of llama.cpp, asked token by token."""

    def __init__(self, text: str, vocabulary: Any) -> None:
        """`vocabulary` is llama.cpp's pointer. Raises TragError with where it ends to be one for what is no grammar."""
        clear_errors()
        with _printed() as printed:
            self._sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode("utf-8", "replace"), b"root")
        if not self._sampler:
            lines = "".join(printed).partition("error parsing grammar: ")[2].partition("\n")[0]
            raise OperatorError(
                f"The grammar of the answer cannot be read: {(lines or last_errors() or 'it is empty')[:_SHOWN]}.",
                "Report this: it is a mistake of the program, not of the question.",
                "The model cannot answer this now.",
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
