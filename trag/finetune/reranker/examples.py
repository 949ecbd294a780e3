"""What the reranker learns from: the questions of a fine-tune's dataset, each with the sentences of its context and
which of them answer it.

Example -> Listing.  Which sentence answers is told by the words of the right answer.  Knows nothing about how it is
learned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from prompts import CANNOT_ANSWER
from trag import quote
from trag.finetune.dataset.examples import Example
from trag.quote import Text
from trag.words import numbers, stems

_TELLING = 0.55
"""Share of the right answer's words that a text must hold to be taken for one that answers."""
_AS_GOOD, _NEARLY = 0.02, 0.7
"""How much less than the best text another may hold and answer too, and the share of it from which it might."""
_ASKED = 0.25
"""What the words of the question weigh against those of the answer."""
_SECTION = re.compile(r"- \[(?P<path>.*?)\] (?P<text>.*)", re.S)  # as `prompts.section` makes it
_PAIR = re.compile(r"- (?P<question>.*?\?) (?P<answer>.*)", re.S)  # as `prompts.pair` makes it
_POLARITY = re.compile(r"^(?:yes|no)\b[,.;: ]*", re.I)


@dataclass(frozen=True, slots=True)
class Listing:
    """A question with texts that may answer it: the places of those that do (none, for a question to refuse), and of
    those that might, from which nothing is learned."""

    question: str
    texts: tuple[Text, ...]
    answering: tuple[int, ...]
    unsure: tuple[int, ...] = ()

    @property
    def others(self) -> tuple[int, ...]:
        """The places of the texts that do not answer."""
        known = {*self.answering, *self.unsure}
        return tuple(place for place in range(len(self.texts)) if place not in known)


def listings(examples: Iterable[Example]) -> Iterator[Listing]:
    """The questions about documents, and those to refuse; without those whose answer no text holds by its words."""
    for example in examples:
        if not example.passages:
            continue
        texts = tuple(dict.fromkeys(text for passage in example.passages for text in _texts(passage)))
        for asked in example.asked:
            if asked.answer == CANNOT_ANSWER:
                yield Listing(asked.question, texts, ())
            elif asked.kind == "document" and (found := _answering(asked.question, asked.answer, texts)):
                yield Listing(asked.question, texts, *found)


def _texts(passage: str) -> Iterator[Text]:
    """The texts of a passage as the model reads it: one a sentence, of a pair mostly one."""
    if section := _SECTION.match(passage):
        yield from (Text(quote.ending(section["path"]), words) for words in quote.windows(section["text"]))
    elif pair := _PAIR.match(passage):
        yield from (Text(pair["question"], words) for words in quote.answers(pair["answer"]))


def _answering(question: str, answer: str, texts: Sequence[Text]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The places of the texts that hold the answer, and of those that nearly do; None where none holds enough."""
    told = _POLARITY.sub("", answer)
    wanted, asked = _words(told), stems(question)
    shares = []
    for text in texts:
        held = _words(text.words) | stems(text.heading)
        share = len(wanted & held) / len(wanted) if wanted else 0.0
        shares.append(share + (_ASKED if wanted else 1.0) * len(asked & held) / max(1, len(asked)))
    best = max(shares)
    if best < _TELLING:
        return None
    return (
        tuple(place for place, share in enumerate(shares) if share >= best - _AS_GOOD),
        tuple(place for place, share in enumerate(shares) if _NEARLY * best <= share < best - _AS_GOOD),
    )


def _words(text: str) -> set[str]:
    return set(stems(text)) | {f"= {number}" for number in numbers(text)}
