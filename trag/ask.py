"""Answer one question from the organization's documents and its chart.

question -> standalone -> entities -> statements + passages -> prompt -> tokens -> verified answer -> saved record
                                   -> approved answer, where a reviewer has pinned one -------------> saved record

Knows the order of the steps, and nothing about Gradio, Chroma, spaCy or llama.cpp (T-RAG, figure 1 and algorithm 2).
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from store.passage import OPEN
from store.records import Records
from store.vectors import Vectors
from trag.approved import Pins
from trag.asking import Asking, Organization
from trag.embed import Embedder
from trag.errors import TragError
from trag.events import Answer, Event, Found, Waiting
from trag.follow_up import Turn
from trag.line import Line
from trag.llm import LanguageModel
from trag.llm.leases import Leases
from trag.record import AnswerRecord, ModelUsed
from trag.reranking import Reranker
from trag.reranking.likelihood import QueryLikelihood
from trag.settings import Settings
from trag.systems import SYSTEMS

LONGEST_QUESTION = 4_000
"""Characters a question may have."""
_JOINERS = "\u200c\u200d"
"""Marks that nobody sees, without which Persian and the Indic scripts are misspelt."""
_STRAY = re.compile(f"(?<![\u0600-\U0010ffff])[{_JOINERS}]+")
"""Joiners where nothing is joined: behind a Latin letter, a sign or a space they only hide what is written."""


@dataclass(slots=True)
class Assistant:
    """Everything that answering needs. `organization` and `model` may be replaced between questions; each question
    keeps those it began with, and holds its model by `leases`. `reranker` and `likelihood` are None where no texts are
    weighed, `records` where answers are given and not kept: an evaluation keeps its own."""

    organization: Organization
    vectors: Vectors
    embedder: Embedder
    model: LanguageModel
    records: Records | None
    line: Line
    settings: Settings
    reranker: Reranker | None = None
    likelihood: QueryLikelihood | None = None
    leases: Leases = field(default_factory=Leases)
    pins: Pins = field(default_factory=Pins)

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        system: str = "trag",
        conversation: str | None = None,
        stop: threading.Event | None = None,
        readers: Collection[str] | None = OPEN,
        asker: str = "",
    ) -> Iterator[Event]:
        """Waiting..., Found, Token..., perhaps Retry and Token..., and one Answer, which is saved before it is given.
        An approved answer is given at once: Found, Answer.

        `readers` holds the keys of whoever asks, None for who may read everything (see `trag.people.reading`); nothing
        else is searched, so that nothing else reaches the prompt. Without it only what everyone may read is. `asker` is
        the id of whose an answer outside of a conversation is, "" for nobody's.

        A model that dies, or a set `stop`, ends in an Answer with what was written and `interrupted`. Raises
        TragError for a question that is empty or too long, when the line is full, and when the model cannot be
        started.
        """
        stop = stop or threading.Event()
        asking = Asking(self, cleaned(question), SYSTEMS[system], conversation, stop, readers, asker)
        with self.leases.hold(asking.model):
            asking.understand(history)
            if given := asking.approved_answer():
                yield Found(asking.standalone, asking.entities(), given.statements, given.sources)
                yield Answer(asking.give(given))
            else:
                yield from self._in_line(asking)

    def _in_line(self, asking: Asking) -> Iterator[Event]:
        """The events of a question that the model answers, when its turn has come."""
        with self.line.place() as positions:
            for position in positions:
                yield Waiting(position)
            asking.gather()
            yield Found(asking.standalone, asking.entities(), asking.statements_used(), asking.sources())
            try:
                if asking.has_evidence():
                    yield from asking.reply(asking.prompt())
            except GeneratorExit:
                # Whoever listened is gone; what was written stays.
                if asking.draft:
                    asking.interrupted = "the reader left"
                    asking.save()
                raise
            yield Answer(asking.save())

    def answer(
        self,
        question: str,
        *,
        system: str = "trag",
        stop: threading.Event | None = None,
        readers: Collection[str] | None = OPEN,
    ) -> AnswerRecord:
        """The record of one question, for those who do not watch it being written. Raises what `ask` raises."""
        *_, last = self.ask(question, system=system, stop=stop, readers=readers)
        if not isinstance(last, Answer):
            raise RuntimeError(f"ask ended with {last}")
        return last.record

    def problem(self, question: str, reason: str) -> AnswerRecord:
        """The record of a question that could not be asked, and why. It is not saved."""
        model = self.model.identity
        used = ModelUsed(model.name, model.sha256, model.adapter)
        return AnswerRecord(uuid4().hex, question, question, "", "cannot_answer", used, interrupted=reason)


def cleaned(question: str) -> str:
    """The question as it shows: a space for each control character and whatever is no character, nothing for marks that
    nobody sees, but joiners where a script needs them, and no outer white space. Raises TragError when nothing is left,
    or too much."""
    text = _STRAY.sub("", "".join(map(_shown, question))).strip()
    if not text:
        raise TragError("The question is empty.", "Type a question about the organization or its documents.")
    if len(text) > LONGEST_QUESTION:
        raise TragError(
            f"The question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are read.",
            "Shorten it to what you want to know.",
        )
    return text


def _shown(character: str) -> str:
    if character in "\n\t" or character in _JOINERS:
        return character
    category = unicodedata.category(character)
    return "" if category == "Cf" else " " if category[0] == "C" else character
