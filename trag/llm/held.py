"""A prompt and the beginning of an answer, held while a search asks about them: the ways on from there, how likely some
texts are, which of several comes next. Only the worker imports it.

prompt, text taken -> held -> copies that go on, and are dropped

What a step gives depends on the prompt and on what was taken, piece by piece, and on nothing else, to the last bit. A
look ahead keeps what it reads for those after it, and reads in steps that round alike, so that what is kept is what
would be read again.
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
from trag.llm.kv_cache import ALIKE, Context, Logits, Row, Step, room
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


@dataclass(slots=True)
class _Way:
    """The likeliest tokens from one next token on, itself included; how many of them were read, in which sequence."""

    tokens: list[int]
    read: int = 0
    sequence: int = 0


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
        self._ahead: list[tuple[int, Logits]] = []
        """Tokens that were read after them, with what comes next after each."""
        self._ways: dict[int, _Way] = {}
        """Ways on from what is held, by their first token, as far as they are known."""

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
        if self._pieces and self._pieces[-1] != self._tokens:
            self._tokens = self._pieces[-1]
            self._drop()
        elif not self._pieces:
            self._drop()
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

    def look_ahead(
        self, k: int, length: int, ends: Sequence[str], ways: Sequence[int] | None = None
    ) -> tuple[Candidate, ...]:
        """See Search."""
        likely = logarithms(self._logits)
        best = np.argpartition(likely, -k)[-k:]
        found = [
            self._ways.setdefault(token, _Way([token])) for token in best[np.lexsort((best, -likely[best]))].tolist()
        ]
        asked = range(k) if ways is None else ways
        self._go_on([found[place] for place in asked], length, ends)
        known = [way.tokens[: length if place in asked else None] for place, way in enumerate(found)]
        return tuple(
            Candidate(self._first(row), float(np.exp(likely[row[0]])), *self._text(row, ends), len(row))
            for row in known
        )

    def _go_on(self, ways: Sequence[_Way], length: int, ends: Sequence[str]) -> None:
        """Up to an end or that many tokens; the shortest first, so that most steps are full."""
        while going := [way for way in ways if len(way.tokens) < length and not self._text(way.tokens, ends)[1]]:
            steps = list[tuple[_Way, Step]]()
            for way in sorted(going, key=lambda way: len(way.tokens)):
                if not way.sequence and len(steps) < ALIKE:
                    way.sequence = 1 + max(other.sequence for other in self._ways.values())
                    self.context.copy(0, way.sequence, len(self._tokens))
                for token in way.tokens[way.read :][: ALIKE - len(steps)]:
                    steps.append((way, (way.sequence, len(self._tokens) + way.read, token)))
                    way.read += 1
            for (way, (_, place, _)), logits in zip(steps, self._stepped([step for _, step in steps]), strict=True):
                if place + 1 == len(self._tokens) + len(way.tokens):
                    way.tokens.append(int(logits.argmax()))

    def weigh(self, options: Sequence[str]) -> tuple[float, ...]:
        """See Search."""
        self._drop()
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
        self._drop()
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
        """Hold these tokens, which begin as those that are held do. Where one of the ways goes so, it is still known,
        and what of it is read beside them need not be read again."""
        if tokens == self._tokens:
            return
        start = min(_shared((tokens, self._tokens)), len(tokens) - 1)
        way = self._ways.get(tokens[-1]) if tokens[:-1] == self._tokens else None
        coming = way.tokens if way else tokens[start:]
        ahead = self._ahead if way and self._ahead and self._ahead[0][0] == tokens[-1] else []
        self._ways = {}
        self.context.drop_copies()
        if not ahead:
            self._drop()
            self._tokens = tokens[:start]
            self.context.rewind(start)
            for begin in range(start, len(tokens), ALIKE):
                part = coming[begin - start :][:ALIKE]
                steps = [(0, place, token) for place, token in enumerate(part, begin)]
                ahead += zip(part, self._stepped(steps), strict=True)
        self._ahead = ahead[len(tokens) - start :]
        self._tokens, self._logits = tokens, ahead[len(tokens) - start - 1][1]
        if way and len(way.tokens) > 1:
            self._ways = {way.tokens[1]: _Way(way.tokens[1:])}

    def _drop(self) -> None:
        """Hold nothing but what was taken."""
        self._ways, self._ahead = {}, []
        self.context.drop_copies()
        self.context.rewind(len(self._tokens))

    def _stepped(self, steps: Sequence[Step]) -> list[Logits]:
        try:
            self._check()
            self._alive()
            logits = self.context.step(steps)
        except BaseException:
            self._drop()
            raise
        self._computed += len(steps)
        return logits

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
