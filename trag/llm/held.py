"""A prompt and the beginning of an answer, held while a search asks about them: the ways on from there, how likely some
texts are, which of several comes next. Only the worker imports it.

prompt, text taken -> held -> copies that go on, and are dropped

What a step gives depends on the prompt and on what was taken, piece by piece, and on nothing else, to the last bit: all
rows of a step are computed until the last of them is done, since fewer at once would round differently.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from prompts import Message
from trag.llm.kv_cache import Context, Logits, Row, room
from trag.llm.model import MOST_BEAMS, MOST_CANDIDATES, Candidate, Choice, Usage
from trag.llm.tokenizer import Tokenizer
from trag.progress import Cancelled

SEQUENCES = 1 + max(MOST_CANDIDATES, 2 * MOST_BEAMS)
"""What is held and its copies; while beams fork there are those before and those after."""

Logarithms = npt.NDArray[np.float64]


def logarithms(logits: npt.NDArray[np.floating[Any]]) -> Logarithms:
    """The natural logarithm of how likely each token is by the logits of a model, shape (vocabulary,)."""
    least = logits.astype(np.float64) - logits.max()
    return np.asarray(least - np.log(np.exp(least).sum()))


def weight(context: Context, first: Logarithms, row: Sequence[int], alive: Callable[[], None]) -> float:
    """The natural logarithm of how likely these tokens come next, which are read on all but the last; `first` is of the
    first one."""
    total = float(first[row[0]]) if row else 0.0
    for token, logits in zip(row[1:], context.append_each(row[:-1]), strict=True):
        alive()
        total += float(logarithms(logits)[token])
    return total


@dataclass(frozen=True, slots=True)
class _Beam:
    """Options that begin alike, as tokens: how likely that is, in which sequence how many of their tokens were read,
    and what comes next."""

    weight: float
    rows: tuple[tuple[int, ...], ...]
    sequence: int
    read: int
    logits: Logits


class Held:
    """In sequence 0 of a context that nobody else uses."""

    def __init__(self, context: Context, tokenizer: Tokenizer) -> None:
        self.context = context
        self._tokenizer = tokenizer
        self._messages: Sequence[Message] = ()
        self._taken: tuple[str, ...] = ()
        self._pieces: list[list[int]] = []
        """The tokens after the prompt, and after each text taken."""
        self._tokens: list[int] = []
        self._intact = 0
        """How many of these were read as they are read at first."""

    def hold(
        self,
        messages: Sequence[Message],
        taken: tuple[str, ...],
        cancelled: Callable[[], bool],
        alive: Callable[[], None],
    ) -> None:
        """Read the prompt and the pieces of text taken after it, each on its own, but for those that are held. `alive`
        is called often from now on, and once `cancelled` every step raises Cancelled.

        Raises TragError when there is no room for them.
        """
        self._cancelled, self._alive, self._evaluated, self._computed = cancelled, alive, 0, 0
        if self._messages != messages or self._taken != taken[: len(self._taken)]:
            self._pieces.clear()
        while self._pieces and self._pieces[-1] != self._tokens[: self._intact][: len(self._pieces[-1])]:
            self._pieces.pop()
        if self._pieces:
            self._tokens = self._pieces[-1]
            self.context.rewind(len(self._tokens))
        else:
            self._answering = self._tokenizer.answering(messages)
            prompt = self._answering("")
            room(self.context.size, prompt)
            self._evaluated = self.context.read(prompt, cancelled, alive)
            self._check()
            self._messages, self._taken, self._pieces = messages, (), [prompt]
            self._tokens, self._intact, self._logits = prompt, len(prompt), self.context.logits().copy()
        for number in range(len(self._pieces), len(taken) + 1):
            tokens = self._answering("".join(taken[:number]))
            room(self.context.size, tokens)
            self._go(tokens)
            self._intact, self._taken = len(tokens), taken[:number]
            self._pieces.append(tokens)
            self._check()

    @property
    def usage(self) -> Usage:
        """Since `hold` was called. All that was computed beside the prompt counts as written."""
        return Usage(len(self._pieces[0]), self._evaluated, self._computed)

    def look_ahead(self, k: int, length: int, ends: Sequence[str]) -> tuple[Candidate, ...]:
        """See Search."""
        likely = logarithms(self._logits)
        best = np.argpartition(likely, -k)[-k:]
        written = [[int(token)] for token in best[np.lexsort((best, -likely[best]))]]
        with self._copies():
            for sequence in range(1, k + 1):
                self.context.copy(0, sequence)
            while not all(self._text(row, ends)[1] for row in written) and len(written[0]) < length:
                place = len(self._tokens) + len(written[0]) - 1
                rows = [(number, place, row[-1:]) for number, row in enumerate(written, 1)]
                for row, logits in zip(written, self._extend(rows), strict=True):
                    row.append(int(logits.argmax()))
        return tuple(
            Candidate(self._first(row), float(np.exp(likely[row[0]])), *self._text(row, ends)) for row in written
        )

    def weigh(self, options: Sequence[str]) -> tuple[float, ...]:
        """See Search."""
        rows = self._rows(options)
        first, weights = logarithms(self._logits), list[float]()
        for row in rows:
            with self._copies():
                self._check()
                weights.append(weight(self.context, first, row, self._alive))
                self._computed += max(0, len(row) - 1)
        return tuple(weights)

    def choose(self, options: Sequence[str], width: int) -> tuple[Choice, ...]:
        """See Search: the options as a trie of tokens. Where they part, the likeliest ways are gone on with; what all
        options of one way have in common is read at once."""
        # An option that another one begins with ends where that one goes on.
        rows = [(*row, self._tokenizer.end) for row in self._rows(options)]
        beams = [_Beam(0.0, tuple(dict.fromkeys(rows)), 0, 0, self._logits)]
        with self._copies():
            while any(len(beam.rows) > 1 for beam in beams):
                ways = sorted((way for beam in beams for way in _parted(beam)), key=lambda way: -way.weight)
                beams = self._read_on(ways[:width])
        return tuple(Choice(rows.index(beam.rows[0]), beam.weight) for beam in beams)

    def _read_on(self, beams: Sequence[_Beam]) -> list[_Beam]:
        """The same beams, read to where their options part; those of one option are left as they are."""
        before = {beam.sequence for beam in beams}
        free = iter(sorted({*range(1, SEQUENCES)} - before))
        ahead = list(beams)
        parts = {}
        for number, beam in enumerate(beams):
            if len(beam.rows) > 1:
                sequence, end = next(free), _shared(beam.rows)
                self.context.copy(beam.sequence, sequence)
                parts[number] = (sequence, len(self._tokens) + beam.read, beam.rows[0][beam.read : end])
                ahead[number] = replace(beam, sequence=sequence, read=end)
        for sequence in before - {0}:
            self.context.drop(sequence)
        for number, logits in zip(parts, self._extend([*parts.values()]), strict=True):
            ahead[number] = replace(ahead[number], logits=logits)
        return ahead

    def _rows(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text after those that all of them share with what is held. One may take the end of that
        into its first token, and then so much less is held."""
        text = "".join(self._taken)
        found = [self._answering(text + each) for each in texts]
        shared = min(_shared((self._tokens, tokens)) for tokens in found)
        if shared < len(self._tokens):
            self._go(self._tokens[:shared])
            self._intact = shared - 1  # the last one was read again, by itself
        return [tokens[shared:] for tokens in found]

    def _go(self, tokens: list[int]) -> None:
        """Hold these tokens, which begin as those that are held do."""
        if tokens != self._tokens:
            start = min(_shared((tokens, self._tokens)), len(tokens) - 1)
            self.context.rewind(start)
            self._tokens = tokens[:start]
            self.context.append(tokens[start:])
            self._computed += len(tokens) - start
            self._tokens, self._logits = tokens, self.context.logits().copy()

    def _extend(self, rows: Sequence[Row]) -> list[Logits]:
        self._check()
        self._alive()
        self._computed += sum(len(tokens) for *_, tokens in rows)
        return self.context.extend(rows)

    def _check(self) -> None:
        if self._cancelled():
            raise Cancelled

    @contextmanager
    def _copies(self) -> Iterator[None]:
        """Whatever is read meanwhile is dropped at the end."""
        try:
            yield
        finally:
            self.context.drop_copies()
            self.context.rewind(len(self._tokens))

    def _text(self, tokens: Sequence[int], ends: Sequence[str]) -> tuple[str, bool]:
        """What the tokens say, up to the first end, and whether there is one."""
        decoder, text = codecs.getincrementaldecoder("utf-8")("replace"), ""
        for token in tokens:
            if self._tokenizer.is_end(token):
                return text, True
            text += decoder.decode(self._tokenizer.piece(token))
            if found := [text.index(end) + len(end) for end in ends if end in text]:
                return text[: min(found)], True
        return text, False

    def _first(self, tokens: Sequence[int]) -> str:
        """What the first token says, with those after it that its last character needs."""
        texts = (self._text(tokens[:end], ())[0] for end in range(1, len(tokens) + 1))
        return next(filter(None, texts), "")


def _parted(beam: _Beam) -> Iterator[_Beam]:
    """A way for each token that may come next; the beam itself where it has one option."""
    if len(beam.rows) == 1:
        yield beam
        return
    ways: dict[int, list[tuple[int, ...]]] = {}
    for row in beam.rows:
        ways.setdefault(row[beam.read], []).append(row)
    following = sorted(ways)
    for token, likely in zip(following, logarithms(beam.logits[following]).tolist(), strict=True):
        yield replace(beam, weight=beam.weight + likely, rows=tuple(ways[token]))


def _shared(rows: Sequence[Sequence[int]]) -> int:
    """How many tokens all of them begin with alike."""
    return sum(1 for _ in takewhile(lambda column: len({*column}) == 1, zip(*rows, strict=False)))
