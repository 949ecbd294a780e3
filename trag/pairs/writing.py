"""Pairs that a model writes about the sections of documents, in the paper's three ways, each checked before it is kept.

Varied types of question, a dialogue, and the manner of example questions by an expert (T-RAG, section 5.1). A grammar
holds the model to one pair a sentence at most, in their order. Its replies are kept on disk, so that work that was
ended resumes where it was; documents are searched meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import prompts
from store.files import write_atomic
from trag.errors import in_one_line
from trag.ingest.pair_changes import keep_generated
from trag.ingest.pairing import distinct, given_sections, unnumbered
from trag.ingest.pairs import DIRECT_TYPES, LONGEST, GeneratedPair
from trag.lexical import negated, numbers, sentences
from trag.llm.remote import RequestRefused
from trag.progress import Cancelled

if TYPE_CHECKING:
    from prompts import Message
    from store.passage import Passage
    from trag.ingest.context import IngestContext
    from trag.llm.model import LanguageModel
    from trag.progress import Progress

log = logging.getLogger(__name__)

TOKENS = 1_200
"""Tokens that the model may write about a passage in one way."""
MOST_EXAMPLES = 20
"""Example questions that the model reads, fewer where they would leave too little of its context for the passage."""
TYPES = ("short answer", "yes no", "list", "definition", "summary", "fact check")
"""Types of questions that are asked for: all are searched."""
OPENING = frozenset({"yes no", "fact check"})
"""The types whose answers begin with a word of their own: "Yes", "No", "True"."""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")

WritePassage = Callable[["Passage"], Sequence[GeneratedPair]]
"""Writes the pairs of a passage; raises Cancelled where it is to wait or to end, and is called again after a pause."""


@dataclass(frozen=True, slots=True)
class Written:
    """How far the work came: `sections` of `total` are through, and their documents have `pairs` more than before."""

    sections: int
    total: int
    pairs: int

    @property
    def whole(self) -> bool:
        """Whether nothing is left."""
        return self.sections == self.total


def write(
    context: IngestContext,
    write_passage: WritePassage,
    *,
    pause: Callable[[], None] = lambda: None,
    by: str,
    progress: Progress,
) -> Written:
    """Writes pairs about every section that people gave none for.

    `pause` is called before each passage; it may wait, and ends the work by raising Cancelled. Whatever ends it, what
    was written of whole sections is kept. A section that the model's server refuses, such as one that is too long for
    it, keeps what it had and is asked about again another time. Raises TragError when all are refused, and when the
    model cannot be reached.
    """

    def resumed(passage: Passage) -> Sequence[GeneratedPair]:
        while True:
            pause()
            try:
                return write_passage(passage)
            except Cancelled:
                continue

    work = [(document, _sections(document.name, context)) for document in context.records.library.documents()]
    total = sum(len(sections) for _, sections in work)
    done = new = 0
    refused: list[RequestRefused] = []
    try:
        for document, sections in work:
            found: dict[str, list[GeneratedPair]] = {}
            try:
                for path, passages in sections.items():
                    progress("writing pairs", done, total)
                    try:
                        found[path] = [pair for passage in passages for pair in resumed(passage)]
                    except RequestRefused as error:
                        log.warning("no pairs are written about %r: %s", path, in_one_line(error))
                        refused.append(error)
                    done += 1
            finally:
                new += keep_generated(document, found, context, by=by)
    except Cancelled:
        return Written(done, total, new)
    if refused and len(refused) == total:  # it is not the sections that are at fault
        raise refused[0]
    return Written(done, total, new)


def _sections(document: str, context: IngestContext) -> dict[str, list[Passage]]:
    """The passages of each section that has no pairs of people's, by its path, in order."""
    library = context.records.library
    spared = given_sections(library.pairs(document))
    found: dict[str, list[Passage]] = {}
    for passage in library.passages(document):
        if passage.kind == "section" and passage.section not in spared:
            found.setdefault(passage.section, []).append(passage)
    return found


@dataclass(frozen=True, slots=True)
class _Way:
    """One of the three ways of asking; `types` are what the model chooses among, a single one it need not name."""

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
    only where there are `examples`, as many as take a third of the model's context, at least one. `folder` keeps what
    it wrote.

    Raises Cancelled soon after `interrupted` says so, RequestRefused when the model's server refuses the passage, and
    TragError when the model cannot be reached.
    """
    numbered = [" ".join(sentence.split()) for sentence in sentences(passage.text)]
    path = unnumbered(passage.section)  # a section that moved to another number is not written about again
    text = "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(numbered, 1))
    ways = [_Way(TYPES), _Way(("dialogue",))]
    if examples:
        count = min(len(examples), MOST_EXAMPLES)
        while count > 1 and model.count(_Way(TYPES, tuple(examples[:count])).messages("", "")) > model.context // 3:
            count -= 1
        ways.append(_Way(TYPES, tuple(examples[:count])))
    found: list[GeneratedPair] = []
    for way in ways:
        reply = _reply(way.messages(path, text), grammar(len(numbered), way.types), model, folder, interrupted)
        found += _checked(reply, way, passage, numbered)
    return distinct(found)


def grammar(count: int, types: Sequence[str]) -> str:
    """What the model may write, as GBNF: a line of JSON about each of `count` sentences at most, in their order, with
    the type where there are several."""
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


def _reply(
    messages: Sequence[Message], grammar: str, model: LanguageModel, folder: Path, interrupted: Callable[[], bool]
) -> str:
    """What the model writes, or wrote when it was given the same."""
    key = "\0".join([str(model.identity), grammar, *(message.content for message in messages)])
    file = folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
    if file.exists():
        return str(json.loads(file.read_text(encoding="utf-8")))
    stop = _Stop(interrupted)
    stream = model.stream(messages, max_tokens=min(TOKENS, model.context // 3), stop=stop, grammar=grammar)
    reply = "".join(part for part in stream if isinstance(part, str))
    if stop.is_set():
        raise Cancelled
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(file, json.dumps(reply).encode())
    return reply


class _Stop(threading.Event):
    """Is set, for good, once the model looks while `interrupted` says so: it looks between two of its tokens."""

    def __init__(self, interrupted: Callable[[], bool]) -> None:
        super().__init__()
        self._interrupted = interrupted

    def is_set(self) -> bool:
        """Whether the reply is to end."""
        if not super().is_set() and self._interrupted():
            self.set()
        return super().is_set()


def _checked(reply: str, way: _Way, passage: Passage, numbered: Sequence[str]) -> Iterator[GeneratedPair]:
    """The pairs of a reply that hold; a line that is broken off, or no such JSON, is none."""
    section = f"{passage.section}\n{passage.text}"
    for line in reply.splitlines():
        try:
            row = json.loads(line)
            place, question, answer = int(row["sentence"]), str(row["question"]).strip(), str(row["answer"]).strip()
            type_ = str(row["type"]) if len(way.types) > 1 else way.types[0]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if not (0 < place <= len(numbered) and type_ in way.types and question and len(question + answer) <= LONGEST):
            continue
        if type_ in DIRECT_TYPES and not question.endswith("?"):
            continue
        stands_on = source(answer, numbered, place - 1)
        if is_grounded(answer, type_, source=stands_on, section=section):
            yield GeneratedPair(question, answer, type_, passage.section, passage.page, stands_on)


def source(answer: str, sentences: Sequence[str], named: int) -> str:
    """The one of `sentences` that has most words of `answer`: the one at the position that the model `named`, unless
    another has more. A small model writes about a sentence under the number of its neighbour now and then."""
    said = _words(answer)
    return max([sentences[named], *sentences], key=lambda sentence: len(said & _words(sentence)))


def is_grounded(answer: str, type: str, *, source: str, section: str) -> bool:
    """Whether every number and every word with a capital of `answer` stands in `section` (its headings and its text),
    and `source`, the sentence that it stands on, denies what it denies.

    Of the types in OPENING the first word is free, and must not be all that there is.
    """
    said = _WORD.findall(answer)[1 if type in OPENING else 0 :]
    held = _words(section)
    return (
        bool(said)
        and numbers(answer) <= numbers(section)
        and all(word.casefold() in held for word in said if word != word.lower())
        and negated(" ".join(said)) == negated(source)
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
