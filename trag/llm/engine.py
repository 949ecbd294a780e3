"""llama.cpp on one GGUF file: reading the prompt, writing the answer, choosing one, weighing some. For the worker.

messages -> tokens -> read -> pieces of the answer -> usage

Knows nothing about processes. Only the worker and the training import it and its parts (tokenizer.py, context.py,
grammar.py), which are the only ones to use llama_cpp.
"""

from __future__ import annotations

import codecs
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

from prompts import Message, Task
from trag.errors import TragError
from trag.llm import llama_log
from trag.llm.context import Context, Logits
from trag.llm.grammar import Grammar
from trag.llm.model import Choice, Usage
from trag.llm.tokenizer import Tokenizer

_ALL_LAYERS = 0x7FFFFFFF
_PENALIZED = 64
"""The last tokens of an answer that a repetition penalty looks at, as llama.cpp has it."""

Logarithms = npt.NDArray[np.float64]


def gpu() -> bool:
    """Whether this build of llama.cpp can keep layers on a GPU."""
    return bool(llama_cpp.llama_supports_gpu_offload())


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
        llama_cpp.llama_backend_init()
        wanted = llama_cpp.llama_model_default_params()
        wanted.n_gpu_layers = _ALL_LAYERS if gpu_layers < 0 else gpu_layers
        llama_log.clear()
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
        self._contexts: dict[Task, Context] = {}
        self._context("answer")

    def read(
        self, messages: Sequence[Message], task: Task, cancelled: Callable[[], bool], alive: Callable[[], None]
    ) -> Usage:
        """Only reads, so that a prompt of this task that begins alike has less to read; ends early once `cancelled`.

        `alive` is called often. Raises TragError when the prompt leaves no room for an answer.
        """
        prompt = self.tokenizer.prompt(messages)
        self._room(prompt)
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
    ) -> Iterator[str | Usage]:
        """The answer in pieces, then its Usage; see LanguageModel.stream, and `read`. Greedy.

        The repetition penalty looks at the last 64 tokens of the answer and never at the prompt, so it keeps no name of
        the sources out of the answer. Where the grammar lets no token through, the answer ends. Raises TragError also
        for what is no grammar.
        """
        prompt = self.tokenizer.prompt(messages)
        most = min(max_tokens, self._room(prompt))
        held_to = Grammar(grammar, self.tokenizer.vocabulary) if grammar else None
        refused = self._first(messages, prompt, refusal) if refusal else -1
        context = self._context(task)
        evaluated = context.read(prompt, cancelled, alive)
        if cancelled():
            yield Usage(len(prompt), evaluated)
            return
        logits, odds = context.logits(), None
        if refused >= 0:
            odds, logits = _odds(logits, refused), logits.copy()
            logits[refused] += refusal_bias
        written: list[int] = []
        text = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            if repetition_penalty > 1.0:
                logits = _penalized(logits, written[-_PENALIZED:], repetition_penalty)
            token = held_to.best(logits) if held_to else int(logits.argmax())
            if token is None or self.tokenizer.is_end(token):
                break
            written.append(token)
            if piece := text.decode(self.tokenizer.piece(token)):
                yield piece
            if len(written) >= most or cancelled():
                break
            if held_to:
                held_to.accept(token)
            context.append([token])
            logits = context.logits()
        if rest := text.decode(b"", final=True):
            yield rest
        yield Usage(len(prompt), evaluated, len(written), odds)

    def choose(
        self,
        messages: Sequence[Message],
        options: Sequence[str],
        cancelled: Callable[[], bool],
        alive: Callable[[], None],
        *,
        task: Task = "other",
    ) -> Choice:
        """See LanguageModel.choose, and `read`: the options as a trie of tokens. Where they part, the likeliest of
        those that go on is taken; what all that are left have in common is read at once."""
        shared, found = self.tokenizer.followed(messages, options)
        # An option that another one begins with ends where that one goes on.
        rows = [(*row, self.tokenizer.end) for row in found]
        self._room([*shared, *max(rows, key=len)])
        left, place, read, weight, evaluated = list(dict.fromkeys(rows)), 0, 0, 0.0, 0
        context = self._context(task)
        if len(left) > 1:
            evaluated = context.read(shared, cancelled, alive)
        while len(left) > 1 and not cancelled():
            following = sorted({row[place] for row in left})
            if len(following) > 1:
                alive()
                context.append(left[0][read:place])
                read = place
                likely = logarithms(context.logits()[following])
                taken = int(likely.argmax())
                weight += float(likely[taken])
                left = [row for row in left if row[place] == following[taken]]
            place += 1
        usage = Usage(len(shared), evaluated, read)
        return Choice(rows.index(left[0]), weight, usage) if len(left) == 1 else Choice(-1, None, usage)

    def log_probabilities(
        self, messages: Sequence[Message], beginnings: Sequence[str], alive: Callable[[], None]
    ) -> tuple[float, ...]:
        """See Scoring; `alive` as in `read`."""
        shared, rows = self.tokenizer.followed(messages, beginnings)
        self._room([*shared, *max(rows, key=len)])
        context = self._context("other")
        context.read(shared, lambda: False, alive)
        first = logarithms(context.logits())
        return tuple(self._weight(context, shared, row, first, alive) for row in rows)

    def likely(self, messages: Sequence[Message]) -> Logarithms:
        """The natural logarithm of how likely each token begins the answer."""
        prompt = self.tokenizer.prompt(messages)
        self._room(prompt)
        context = self._context("other")
        context.read(prompt, lambda: False, lambda: None)
        return logarithms(context.logits())

    def _weight(
        self, context: Context, prompt: list[int], tokens: Sequence[int], first: Logarithms, alive: Callable[[], None]
    ) -> float:
        """The logarithm of how likely these tokens come after the prompt that is held, `first` being that of every
        token to come first."""
        if not tokens:
            return 0.0
        weight = float(first[tokens[0]])
        for token, logits in zip(tokens[1:], context.append_each(tokens[:-1]), strict=True):
            alive()
            weight += float(logarithms(logits)[token])
        if not context.rewind(len(prompt)):
            context.read(prompt, lambda: False, alive)
        return weight

    def _context(self, task: Task) -> Context:
        """That of one kind of prompt, made when it is first needed; where there is no room for it, in place of all
        others."""
        if task not in self._contexts:
            try:
                made = Context(self._model, self._adapter, self._size)
            except TragError:
                if not self._contexts:
                    raise
                for context in self._contexts.values():
                    context.close()
                self._contexts.clear()
                made = Context(self._model, self._adapter, self._size)
            self._contexts[task] = made
            self._opened.callback(made.close)
        return self._contexts[task]

    def _first(self, messages: Sequence[Message], prompt: Sequence[int], answer: str) -> int:
        """The token with which this answer begins."""
        shared, (row,) = self.tokenizer.followed(messages, [answer])
        return row[0] if len(shared) == len(prompt) else self.tokenizer.text(answer)[0]

    def _room(self, prompt: Sequence[int]) -> int:
        """Tokens that are left beside the prompt. Raises TragError when there are none."""
        room = self._size - len(prompt)
        if room < 1:
            raise TragError(
                f"The prompt has {len(prompt):,} tokens and the model's context {self._size:,}.",
                "Ask a shorter question, or set a larger TRAG_CONTEXT.",
            )
        return room


def _unloadable(file: str) -> TragError:
    return TragError(
        f"{file} cannot be loaded: {llama_log.reason() or 'llama.cpp does not say why'}.",
        "python -m trag doctor looks at the files.",
    )


def _odds(logits: Logits, token: int) -> float:
    """The natural logarithm of how much likelier this token comes next than any other."""
    others = np.delete(logits, token).astype(np.float64)
    most = others.max()
    return float(logits[token] - most - np.log(np.exp(others - most).sum()))


def _penalized(logits: Logits, tokens: Sequence[int], penalty: float) -> Logits:
    """Less likely what was written, once however often."""
    found = logits.copy()
    for token in set(tokens):
        found[token] *= 1 / penalty if found[token] > 0 else penalty
    return found
