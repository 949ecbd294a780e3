"""The stand-ins for the modules of the assistant: an able reader in place of the model, and the planted defects.

None of the readers is a language model. The faithful one knows more than a model does: which fact each question asks
for, and which sentence of the documents states what. Of the world it knows nothing: it answers by the words of a
sentence that stands in its prompt, and refuses when none does. So it makes no error of its own, and each wrong answer
has one known cause. The quoting one is told nothing, and errs in its own way.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bench.grammar.benchmark import Benchmark, Statement
from prompts import CANNOT_ANSWER, Message
from store.passage import Passage
from trag.embed import Embedder
from trag.evaluate.grammar.questions import cases
from trag.lexical import sentences
from trag.llm.model import ModelIdentity, Usage

CHARACTERS_A_TOKEN = 4
"""What a token is taken to be; the prompt is cut by it."""
CRIPPLED = 0.5
"""Share of the answers that the crippled reader spoils."""

_PASSAGE = re.compile(r"- (?:\[([^\]]*)\] )?(.*)")
"""A section or a pair as prompts/section.txt and prompts/pair.txt have it."""

Answer = Callable[[str, str], str]
"""question, prompt -> what is answered."""


class Reader:
    """A language model as the assistant knows it (`trag.llm.model.LanguageModel`), whose words come from `answer`."""

    identity = ModelIdentity("reader")
    context = 4096
    slots = 1

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def count(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt, by its length."""
        return sum(self.count_text(message.content) for message in messages)

    def count_text(self, text: str) -> int:
        """Tokens of a text, by its length."""
        return len(text) // CHARACTERS_A_TOKEN

    def stream(self, messages: Sequence[Message], **_: object) -> Generator[str | Usage, None, None]:
        """The answer in one piece."""
        prompt, _, question = messages[-1].content.rpartition("\n\nQuestion: ")
        yield self._answer(question, prompt)
        yield Usage()

    def close(self) -> None:
        """There is nothing to give back."""


def faithful(benchmark: Benchmark) -> Answer:
    """Says what a sentence in the prompt says about the fact that is asked for, else that it cannot answer."""
    asked = facts_asked(benchmark)
    stated: dict[str, list[Statement]] = defaultdict(list)
    for statement in benchmark.statements:
        stated[statement.fact].append(statement)

    def answer(question: str, prompt: str) -> str:
        return next((one.said for one in stated[asked[question]] if stands_in(one, prompt)), CANNOT_ANSWER)

    return answer


def crippled(benchmark: Benchmark) -> Answer:
    """The faithful reader, of whose answers a seeded share is lost, or is another value of the same column."""
    answer, asked = faithful(benchmark), facts_asked(benchmark)

    def spoiled(question: str, prompt: str) -> str:
        said = answer(question, prompt)
        drawn = int.from_bytes(hashlib.blake2b(question.encode(), digest_size=8).digest())
        if said == CANNOT_ANSWER or drawn % 1000 >= CRIPPLED * 1000:
            return said
        column = asked[question].partition(".")[2]
        others = [value for value in benchmark.values[column] if value.casefold() != said.casefold()]
        return CANNOT_ANSWER if drawn // 1000 % 2 else others[drawn // 2000 % len(others)]

    return spoiled


def quoting(embedder: Remembered) -> Answer:
    """Quotes the one sentence of the prompt that is nearest to the question, headings included: a weak model, since a
    near sentence is often the wrong one."""

    def answer(question: str, prompt: str) -> str:
        found = list(_sentences(prompt))
        if not found:
            return CANNOT_ANSWER
        nearness = embedder.embed_passages([f"{head}. {sentence}" for head, sentence in found])
        return found[int(np.argmax(nearness @ embedder.embed_questions([question])[0]))][1]

    return answer


def facts_asked(benchmark: Benchmark) -> Mapping[str, str]:
    """The fact that each question asks for."""
    return {case.question: benchmark.asked[case.group] for case in cases(benchmark.audit.meanings)}


def stands_in(statement: Statement, text: str) -> bool:
    """Whether a text holds the sentence of a statement, whatever the white space."""
    return " ".join(statement.sentence.split()) in " ".join(text.split())


class KeywordIndex:
    """A retriever that counts the words of a question that stand in a passage in exactly that form, and knows neither
    meaning nor which words matter (GRAMMAR, section 5.1). In place of `store.vectors.Vectors`."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = [(passage, _words(f"{one_line(passage)} {passage.text}")) for passage in passages]

    def search(
        self, vector: np.ndarray, question: str, *, kinds: Collection[str], k: int, **_: object
    ) -> tuple[Passage, ...]:
        """The `k` passages that share most words with the question; their score is the share of its words."""
        wanted = _words(question)
        found = [
            replace(passage, score=len(wanted & words) / len(wanted))
            for passage, words in self._passages
            if passage.kind in kinds
        ]
        return tuple(sorted(found, key=lambda passage: -passage.score)[:k])


class Remembered:
    """The assistant's embedder, which embeds nothing twice, and all questions at once: the same vectors, sooner."""

    def __init__(self, embedder: Embedder, questions: Sequence[str]) -> None:
        self._embedder = embedder
        self._vectors = dict(zip(questions, embedder.embed_questions(questions), strict=True))
        self._passages: dict[str, np.ndarray] = {}

    def embed_questions(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of questions, one row a text."""
        return np.stack([self._vectors[text] for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of passages, one row a text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._passages]
        self._passages.update(zip(new, self._embedder.embed_passages(new), strict=True))
        return np.stack([self._passages[text] for text in texts])


def one_line(passage: Passage) -> str:
    """What stands above the text of a passage: its headings, its question."""
    return f"{passage.section} {passage.question}"


def _sentences(prompt: str) -> Iterator[tuple[str, str]]:
    """The sentences of the passages in a prompt, each with what stands above it."""
    head = ""
    for line in prompt.splitlines():
        if opens := _PASSAGE.fullmatch(line):
            head, line = opens[1] or "", opens[2]
        yield from ((head, sentence) for sentence in sentences(line))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))
