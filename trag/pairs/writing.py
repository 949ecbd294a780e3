"""A passage -> pairs that a model writes about its sentences, in the paper's three ways, every one of them checked.

Varied types of question, a dialogue, and the manner of example questions by an expert (T-RAG, section 5.1). A grammar
holds the model to one pair a sentence at most, in their order. What it wrote is kept, so that work that was stopped
goes on where it was. Knows nothing about documents, or about which model it is.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import prompts
from store.files import write_atomic
from trag.ingest.pairing import distinct, unnumbered
from trag.ingest.pairs import DIRECT_TYPES, LONGEST, GeneratedPair
from trag.pairs.checks import bears_out, source
from trag.words import sentences

if TYPE_CHECKING:
    from prompts import Message
    from store.passage import Passage
    from trag.llm.model import LanguageModel

TOKENS = 1_200
"""Tokens that the model may write about a passage in one way."""
MOST_EXAMPLES = 20
"""Example questions that the model reads, fewer where they would leave too little of its context for the passage."""
TYPES = ("short answer", "yes no", "list", "definition", "summary", "fact check")
"""Types of questions that are asked for: all are searched."""


class Interrupted(Exception):
    """Raised when the work was to end within a passage: nothing of the call is kept."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One of the three ways of asking; `types` are what the model chooses among, one that is given goes unsaid."""

    types: tuple[str, ...]
    examples: tuple[str, ...] = ()

    def messages(self, path: str, text: str) -> tuple[Message, ...]:
        return prompts.pairs(path, text, examples=self.examples, dialogue=self.types == ("dialogue",))


def pairs_of(
    passage: Passage,
    model: LanguageModel,
    *,
    examples: Sequence[str] = (),
    folder: Path,
    interrupted: Callable[[], bool] = lambda: False,
) -> tuple[GeneratedPair, ...]:
    """The pairs that `model` writes about a passage, none that asks and answers what an earlier one does; the third way
    only where there are `examples`. `folder` keeps what it wrote.

    Raises Interrupted soon after `interrupted` says so, RequestRefused when the model's server refuses the passage, and
    TragError when the model cannot be reached.
    """
    numbered = [" ".join(sentence.split()) for sentence in sentences(passage.text)]
    path = unnumbered(passage.section)  # a section that moved to another number is not written about again
    text = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(numbered, 1))
    ways = [_Way(TYPES), _Way(("dialogue",)), *([_Way(TYPES, _fitting(examples, model))] if examples else [])]
    found: list[GeneratedPair] = []
    for way in ways:
        reply = _reply(way.messages(path, text), grammar(len(numbered), way.types), model, folder, interrupted)
        found += _checked(reply, way, passage, numbered)
    return distinct(found)


def grammar(count: int, types: Sequence[str]) -> str:
    """What the model may write, as GBNF: a line of JSON about each of `count` sentences at most, in their order. The
    type is said where there are several."""
    choices = " | ".join(f'"{each}"' for each in types)
    type_ = rf'"\"type\": \"" ({choices}) "\", "' if len(types) > 1 else ""
    pairs = [rf'p{number} ::= "{{\"sentence\": {number}, " rest' for number in range(1, count + 1)]
    return "\n".join(
        [
            f"root ::= {' '.join(f'p{number}?' for number in range(1, count + 1))}",
            *pairs,
            rf'rest ::= {type_} "\"question\": \"" question "\", \"answer\": \"" answer "\"}}\n"',
            r'question ::= [^"\\?\x00-\x1F]+ "?"',
            r'answer ::= [^"\\\x00-\x1F]+',
        ]
    )


def _fitting(examples: Sequence[str], model: LanguageModel) -> tuple[str, ...]:
    """The first of the examples, as many as take a third of the model's context, at least one."""
    count = min(len(examples), MOST_EXAMPLES)
    while count > 1 and model.count(_Way(TYPES, tuple(examples[:count])).messages("", "")) > model.context // 3:
        count -= 1
    return tuple(examples[:count])


def _reply(
    messages: Sequence[Message], grammar: str, model: LanguageModel, folder: Path, interrupted: Callable[[], bool]
) -> str:
    """What the model writes, or wrote when it was given the same."""
    told = "\0".join([str(model.identity), grammar, *(message.content for message in messages)])
    file = folder / f"{hashlib.sha256(told.encode()).hexdigest()}.json"
    if file.exists():
        return str(json.loads(file.read_text(encoding="utf-8")))
    stop = _Stop(interrupted)
    stream = model.stream(messages, max_tokens=min(TOKENS, model.context // 3), stop=stop, grammar=grammar)
    reply = "".join(part for part in stream if isinstance(part, str))
    if stop.is_set():
        raise Interrupted
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(file, json.dumps(reply).encode())
    return reply


class _Stop(threading.Event):
    """Is set, for good, once somebody looks while `wanted` says so: the model looks between two of its tokens."""

    def __init__(self, wanted: Callable[[], bool]) -> None:
        super().__init__()
        self._wanted = wanted

    def is_set(self) -> bool:
        """Whether what goes on is to end."""
        if not super().is_set() and self._wanted():
            self.set()
        return super().is_set()


def _checked(reply: str, way: _Way, passage: Passage, numbered: Sequence[str]) -> Iterator[GeneratedPair]:
    """The pairs of a reply that hold; a line that is broken off, or no such JSON, is none."""
    section = f"{passage.section}\n{passage.text}"
    for line in reply.splitlines():
        try:
            row = json.loads(line)
            place, question, answer = int(row["sentence"]), str(row["question"]), str(row["answer"])
            type_ = str(row["type"]) if len(way.types) > 1 else way.types[0]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        question, answer = question.strip(), answer.strip()
        if not (0 < place <= len(numbered) and type_ in way.types and question and len(question + answer) <= LONGEST):
            continue
        if type_ in DIRECT_TYPES and not question.endswith("?"):
            continue
        stands_on = source(answer, numbered, place - 1)
        if bears_out(answer, type_, source=stands_on, section=section):
            yield GeneratedPair(question, answer, type_, passage.section, passage.page, stands_on)
