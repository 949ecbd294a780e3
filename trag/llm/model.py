"""What a language model is asked and what it gives, wherever it runs; and the marks by which chat models tell turns
apart, which no text of people and documents may write. Importing it loads no heavy library.

messages -> pieces of text as they are written -> usage
"""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from prompts import Message, Task
from trag.errors import TragError

# A model takes "<|im_end|>" for the end of a turn, wherever it reads it. Which of its marks are tokens the file of a
# loaded model says; those that its template writes as plain text, and all those of a model behind an address, are here.
_KNOWN = (
    r"<\|[^<>|\n]{1,60}\|>|\[\|[^\[\]|\n]{1,60}\|\]",  # ChatML, Llama 3, Phi, Zephyr, Granite; EXAONE
    r"<｜[^<>｜\n]{1,60}｜>",  # DeepSeek
    r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|IMG)\]|\[gMASK\]",  # Mistral
    r"<</?SYS>>|</?s>",  # Llama 2
    r"</?(?:bos|eos|unk|pad|sop|eop|start_of_turn|end_of_turn|reserved_\d{1,4})>",  # Gemma, GLM, Baichuan
    r"</?(?:think|tool_call|tool_response|tools)>",  # Qwen
    r"^#{2,3} ?(?:System|User|Human|Assistant|Instruction|Input|Response) ?:",  # Alpaca, Vicuna
)


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model answers: a name for people, the sha256 of its GGUF file, what its adapter is called, and the sha256
    of that.

    All but the name are "" where there is none, or none that can be known.
    """

    name: str
    sha256: str = ""
    adapter: str = ""
    adapter_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer: of its prompt, of those the model had to read anew, and written.

    `refusal_odds` is the natural logarithm of the odds that the answer begins as the refusal does that was asked about,
    without the bias; None where none was, or where a server does not say.
    """

    prompt: int = 0
    evaluated: int = 0
    completion: int = 0
    refusal_odds: float | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """Each token drawn by how likely it is at a `temperature` above 0, of the likeliest that together have `top_p` (0
    to 1); the same `seed` draws the same."""

    temperature: float
    top_p: float
    seed: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options, and the natural logarithm of how likely it is among them."""

    index: int
    log_probability: float


MOST_CANDIDATES, MOST_BEAMS = 32, 31
"""The greatest k and width of a search."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way on: how its next token reads, how likely that token is (0 to 1), and the likeliest text from there,
    itself included, up to and with the first end.

    A token that is a part of a character reads as far as that character does. `ended` is also where the model would end
    its answer; then `text` has no end, and is "" where it would do so at once. `tokens` is how many of that text are
    known.
    """

    token: str
    probability: float
    text: str
    ended: bool
    tokens: int


class ModelDied(TragError):
    """The model's process ended, or had to be ended, before the answer was whole. The next question starts it again."""


class ModelAway(TragError):
    """The model cannot be asked for now, and nothing is written yet; what does without it goes on."""


class LanguageModel(Protocol):
    """What the pipeline needs of a model. All of it may be called from several threads."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    @property
    def context(self) -> int:
        """Tokens of prompt and answer together."""

    @property
    def slots(self) -> int:
        """How many answers it writes at once."""

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of the prompt that the model would read."""

    def count_text(self, text: str) -> int:
        """Tokens of a text by itself."""

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: threading.Event | None = None,
        task: Task = "other",
        grammar: str = "",
        refusal: str = "",
        refusal_bias: float = 0.0,
        repetition_penalty: float = 1.0,
        sampling: Sampling | None = None,
    ) -> Generator[str | Usage, None, None]:
        """The answer in pieces as it is written, and its Usage last. Where `messages` end with an answer, it goes on.

        `grammar` is GBNF with the rule `root`, "" for none; a server that knows no grammars writes freely. `refusal` is
        a text that the answer may be: Usage says how likely it begins so, and `refusal_bias` is added to that logit of
        the first token (a server knows no bias: the odds and a threshold are as good). A penalty is for what cannot be
        written without (T-RAG, section 5.4.2, has 1.1). Without `sampling` each token is the likeliest; what a grammar
        holds is always.
        A set `stop` ends it early, and so does closing the generator. Raises TragError when the prompt does not fit,
        the grammar is none or the model cannot be reached, ModelDied when the model ends in mid-answer.
        """

    def close(self) -> None:
        """Give back what it holds."""


@runtime_checkable
class Scoring(Protocol):
    """A model that also says how likely the answers are that it does not write. A local one does."""

    def log_probabilities(
        self, messages: Sequence[Message], beginnings: Sequence[str], *, task: Task = "other"
    ) -> tuple[float, ...]:
        """For each text, the natural logarithm of how likely the answer begins with it.

        Raises TragError when the prompt does not fit with the longest of them, ModelDied when the model ends meanwhile.
        """


class Search(Protocol):
    """One prompt and the text that was taken after it. Each method raises TragError when there is no room for what it
    reads, Cancelled once the search is stopped, and ModelDied when the model ends meanwhile; the next call reads anew
    what is lost. The same calls give the same results every time."""

    @property
    def usage(self) -> Usage:
        """Of all calls so far; all that was computed after the prompt counts as written."""

    def look_ahead(
        self, k: int, length: int, ends: Sequence[str], ways: Sequence[int] | None = None
    ) -> tuple[Candidate, ...]:
        """The k likeliest next tokens, the likeliest first, each with the greedy continuation, of at most `length`
        tokens with it, up to the first of `ends`. It takes k sequences of `length` tokens beside what is held.

        Where `ways` are given, by their places, only those are gone on with; of the others as much is told as is known
        since another call, which may be more than `length` tokens.
        """

    def weigh(self, options: Sequence[str]) -> tuple[float, ...]:
        """For each text, the natural logarithm of how likely it comes next, whatever comes after it."""

    def choose(self, options: Sequence[str], width: int = 1) -> tuple[Choice, ...]:
        """The likeliest of one or more options to come next, at most `width` of them and the best first, by a beam
        search over the trie of their tokens: greedy with the width 1, and exact where it is as many as there are
        options. Where they part, each way weighs what it does beside the others; what only one way has costs nothing.
        An option that another one begins with means that the answer ends there: where it goes on, give each with what
        follows it."""

    def take(self, text: str) -> None:
        """Go on with this text, as the model spells the whole of it."""


@runtime_checkable
class Searching(Protocol):
    """A model that can be asked for several ways on. A local one can, without its adapter, unless it has a running
    state in place of a cache."""

    def search(
        self, messages: Sequence[Message], *, stop: threading.Event | None = None
    ) -> AbstractContextManager[Search]:
        """The prompt is read by the first call and held while the block lasts. Others are answered in between; searches
        that take turns read their prompts each time."""


def text_of(stream: Iterable[str | Usage]) -> tuple[str, Usage]:
    """A whole answer, and its Usage, for those who do not watch it being written."""
    pieces: list[str] = []
    usage = Usage()
    for piece in stream:
        if isinstance(piece, Usage):
            usage = piece
        else:
            pieces.append(piece)
    return "".join(pieces), usage


def marks(own: Iterable[str] = ()) -> re.Pattern[str]:
    """What finds the known marks, and a model's `own` ones, the longest first."""
    longest = sorted(own, key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, longest), *_KNOWN]), re.MULTILINE)


KNOWN = marks()


def set_apart(text: str, found: re.Pattern[str] = KNOWN) -> str:
    """`text` in which no mark is one any more: "<|im_end|>" becomes "< |im_end|>"."""
    return found.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)
