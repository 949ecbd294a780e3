"""One question on its way through the steps: what each of them found, until the answer is saved.

Each method is one step of `ask`; the order is ask's business. Knows nothing about Gradio, Chroma, spaCy or llama.cpp.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

import prompts
from org import statements as chart_statements
from org.chart import Chart
from org.entities import EntityFinder, Mention, TypeMention
from org.statements import Statement
from prompts import CANNOT_ANSWER, Message, Prompt
from store.passage import OPEN, Passage
from trag import approved, cited, quote, retrieve, verify
from trag.approved import Given
from trag.errors import in_one_line
from trag.events import Retry, Token
from trag.follow_up import Turn, standalone
from trag.llm import ModelDied, Usage
from trag.record import AnswerRecord, Checks, Entity, ModelUsed, Seconds, Source, StatementUsed, Status, Tokens
from trag.settle import Settled, Stand, refused, settle
from trag.stop import BY_READER, Stop
from trag.systems import System
from trag.verify import Evidence

if TYPE_CHECKING:
    import numpy as np

    from trag.ask import Assistant


@dataclass(frozen=True, slots=True)
class Organization:
    """The chart that people are answered from and the finder made from it; replaced as a whole by another chart."""

    name: str
    chart: Chart | None = None
    finder: EntityFinder | None = None

    @property
    def version(self) -> str:
        """The chart's version, "" without one."""
        return self.chart.version if self.chart else ""


class Asking:
    """One question on its way: what each step found, until it is saved. `readers` holds the keys of whoever asks."""

    def __init__(
        self,
        assistant: Assistant,
        question: str,
        system: System,
        conversation: str | None,
        stop: threading.Event,
        readers: Collection[str] | None = OPEN,
        asker: str = "",
    ) -> None:
        self.assistant = assistant
        self.organization = assistant.organization
        self.chart = self.organization.chart if system.tree else None
        self.finder = self.organization.finder if system.tree else None
        self.model = assistant.model
        self.question = self.standalone = question
        self.system = system
        self.conversation = conversation
        self.stop = stop
        self.readers = readers
        self.asker = asker
        self.mentions: tuple[Mention, ...] = ()
        self.types: tuple[TypeMention, ...] = ()
        self.statements: tuple[Statement, ...] = ()
        self.passages: tuple[Passage, ...] = ()
        self.beside: frozenset[str] = frozenset()
        self.contradiction = ""
        self.at_fault: tuple[str, ...] = ()
        self.added: tuple[Statement, ...] = ()
        self.stated: Statement | None = None
        self.vector: np.ndarray | None = None
        self.weigh = quote.once(assistant.reranker.weigh) if assistant.reranker and system.repairs else None
        self.dropped = 0
        self.draft = ""
        self.attempts = 0
        self.checks = Checks(chart=self.organization.version)
        self.usage = Usage(0, 0, 0)
        self.interrupted = ""
        self.started = monotonic()
        self.seconds = Seconds()

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Adds the seconds that the block takes to those of `step`."""
        began = monotonic()
        try:
            yield
        finally:
            took = getattr(self.seconds, step) + monotonic() - began
            self.seconds = replace(self.seconds, **{step: took})

    def understand(self, history: Sequence[Turn]) -> None:
        """The question by itself, and the units and types of unit that it names."""
        with self.timed("follow_up"):
            self.standalone = standalone(self.question, history, self.organization.finder)
        if self.finder:
            with self.timed("entities"):
                self.mentions = self.finder.find(self.standalone)
                self.types = self.finder.find_types(self.standalone)

    def approved_answer(self) -> Given | None:
        """The answer that a reviewer pinned to this question, None where there is none that the asker may read."""
        records = self.assistant.records
        if records is None or not self.system.approved:
            return None
        with self.timed("retrieve"):
            return approved.answer(
                self.standalone,
                records,
                self.assistant.pins,
                readers=self.readers,
                finder=self.organization.finder,
                embed=self.assistant.embedder.embed_questions,
            )

    def gather(self) -> None:
        """Everything an answer could stand on: statements, passages, and the chart's and the documents' own best
        words."""
        assistant, settings = self.assistant, self.assistant.settings
        if self.chart:
            with self.timed("statements"):
                self.stated = chart_statements.answer(self.standalone, self.mentions, self.types, self.chart)
                self.statements = chart_statements.describe(
                    self.standalone,
                    self.mentions,
                    self.types,
                    self.chart,
                    budget=settings.statement_tokens,
                    count=self.model.count_text,
                )
        pairs = settings.pairs if self.system.pairs is None else self.system.pairs
        sections = settings.sections if self.system.sections is None else self.system.sections
        if pairs or sections:
            with self.timed("retrieve"):
                self.vector = assistant.embedder.embed_questions([self.standalone])[0]
                passages = retrieve.passages(
                    self.standalone,
                    self.vector,
                    assistant.vectors,
                    pairs=pairs,
                    sections=sections,
                    readers=self.readers,
                    weigh=partial(quote.strengths, self.standalone, weigh=self.weigh) if self.weigh else None,
                )
            self.take(passages)

    def take(self, passages: Sequence[Passage]) -> None:
        """The passages that an answer may stand on; those about other units than the ones asked about are `beside`."""
        self.passages = tuple(passages)
        if self.chart and self.finder:
            with self.timed("entities"):
                asked = verify.asked_about(self.standalone, self.mentions, self.chart)
                others = [one for one in self.passages if not verify.concerns(whole(one), asked, self.finder)]
                self.beside = frozenset(one.id for one in others) - self.answering(others)

    def answering(self, passages: Sequence[Passage]) -> frozenset[str]:
        """The ids of passages that answer so surely that they need not name the units that were asked about."""
        if self.weigh is None:
            return frozenset()
        odds = quote.strengths(self.standalone, passages, self.weigh)
        return frozenset(
            passage.id for passage, one in zip(passages, odds, strict=True) if one >= quote.SURE_OF_ANOTHER
        )

    def has_evidence(self) -> bool:
        """Whether it is worth asking the model: the chart says something, or some passage is near the question."""
        if not self.system.repairs or self.statements:
            return True
        return any(passage.score >= self.assistant.settings.threshold for passage in self.passages)

    def prompt(self) -> Prompt:
        """The prompt, and only the facts that entered it kept as sources."""
        settings = self.assistant.settings
        with self.timed("prompt"):
            prompt = prompts.answer(
                self.standalone,
                [statement.text for statement in self.statements],
                [as_read(passage) for passage in self.passages],
                organization=self.organization.name,
                about_chart=self.stated is not None,
                count=self.model.count,
                room=self.model.context - settings.answer_tokens,
            )
        self.statements = tuple(self.statements[position] for position in prompt.statements)
        self.passages = tuple(self.passages[position] for position in prompt.passages)
        self.dropped = prompt.dropped
        return prompt

    def reply(self, prompt: Prompt) -> Iterator[Token | Retry]:
        """The model's words as they come, and once more where the chart says otherwise and that is to be repaired."""
        yield from self.write(prompt.messages)
        if (finding := self.finding()) and (correction := self.correction(prompt, finding)):
            yield Retry(finding)
            yield from self.write(correction)
            self.finding()

    def write(self, messages: Sequence[Message]) -> Iterator[Token]:
        """The model's words as they come, in place of any draft before; an early end is noted in `interrupted`."""
        began = monotonic()
        self.draft, self.checks = "", Checks(chart=self.organization.version)
        self.attempts, self.usage = self.attempts + 1, Usage(prompt=self.model.count(messages))
        try:
            stream = self.model.stream(messages, max_tokens=self.assistant.settings.answer_tokens, stop=self.stop)
            with closing(stream) as pieces:
                for piece in pieces:
                    if isinstance(piece, Usage):
                        self.usage = piece
                        break
                    if not self.seconds.first_token:
                        self.seconds = replace(self.seconds, first_token=monotonic() - self.started)
                        began = monotonic()
                    self.draft += piece
                    yield Token(piece)
                    if "]" in piece and self.system.repairs and verify.recites(self.draft):
                        break  # it reads its prompt back: what follows would be more of the same
        except ModelDied as error:
            self.interrupted = in_one_line(error)
        if self.stop.is_set():
            self.interrupted = self.stop.reason if isinstance(self.stop, Stop) else BY_READER
        self.seconds = replace(self.seconds, generate=self.seconds.generate + monotonic() - began)

    def finding(self) -> str:
        """What the chart says against the draft, "" when there is nothing, or nothing is to be repaired."""
        with self.timed("verify"):
            reply = self.stated.text if self.stated and not refused(self.draft) else ""
            verdict = verify.examine(self.standalone, self.draft, self.evidence(), self.chart, self.finder, reply=reply)
            self.checks, self.contradiction, self.at_fault = verdict.checks, verdict.finding, verdict.units
        return self.contradiction if self.system.repairs and not self.interrupted else ""

    def correction(self, prompt: Prompt, finding: str) -> tuple[Message, ...]:
        """The messages that ask once more, with the draft and what is wrong with it; none when they would not fit."""
        messages = prompts.correction(prompt, self.draft, finding)
        room = self.model.context - self.assistant.settings.answer_tokens
        return messages if self.model.count(messages) <= room else ()

    def save(self) -> AnswerRecord:
        """The record of what stands as the answer, kept before anyone is shown it."""
        settled = self.settled()
        model = self.model.identity
        record = AnswerRecord(
            id=uuid4().hex,
            question=self.question,
            standalone=self.standalone,
            answer=settled.text,
            status=settled.status,
            model=ModelUsed(model.name, model.sha256, model.adapter),
            entities=self.entities(),
            statements=self.statements_used(),
            sources=self.sources(),
            checks=replace(settled.checks, attempts=self.attempts),
            tokens=Tokens(self.usage.prompt, self.usage.evaluated, self.usage.completion, self.dropped),
            seconds=replace(self.seconds, total=monotonic() - self.started),
            interrupted=self.interrupted,
        )
        return self.keep(record)

    def give(self, given: Given) -> AnswerRecord:
        """The record of an approved answer, kept before anyone is shown it. No model wrote it."""
        return self.keep(
            AnswerRecord(
                id=uuid4().hex,
                question=self.question,
                standalone=self.standalone,
                answer=given.text,
                status="approved",
                model=ModelUsed("", "", ""),
                entities=self.entities(),
                statements=given.statements,
                sources=given.sources,
                checks=given.checks,
                seconds=replace(self.seconds, total=monotonic() - self.started),
                approved=given.approval,
            )
        )

    def keep(self, record: AnswerRecord) -> AnswerRecord:
        """The record, which is on the disk by now where answers are kept."""
        if self.assistant.records:
            self.assistant.records.save_answer(
                record.id, self.conversation, record.question, record.answer, record.to_json(), asker=self.asker
            )
        return record

    def settled(self) -> Settled:
        """What stands as the answer."""
        if not self.attempts:
            return Settled(CANNOT_ANSWER, "cannot_answer", Checks(chart=self.organization.version))
        if self.interrupted or not self.system.repairs:
            status: Status = "cannot_answer" if refused(self.draft) else "answered"
            return Settled(self.draft, status, self.checks)
        chart, stated = self.in_chart([self.stated] if self.stated else [])
        places, placements = self.in_chart(self.placements())
        settled = settle(
            self.draft,
            self.checks,
            finding=self.contradiction,
            fitting=self.fits(),
            astray=self.strays(),
            chart=chart,
            quotation=self.quotation,
            places=places,
        )
        stands = ((chart, stated), (places, placements))
        self.added = next((added for stand, added in stands if stand and stand.text == settled.text), ())
        return settled

    def quotation(self) -> Stand | None:
        """The documents' own best words on the question."""
        passages = [passage for passage in self.passages if passage.id not in self.beside]
        if self.vector is None or not passages:
            return None
        with self.timed("verify"):
            assistant = self.assistant
            embed = assistant.embedder.embed_passages
            likely = assistant.likelihood.weigh if assistant.likelihood else None
            quoted = quote.best(
                self.standalone, passages, embed, self.vector, self.weigh, likely=likely, stands=self.stands
            )
            if not quoted:
                return None
            first = quoted[0]
            best = verify.borne_out(self.draft, [Evidence(first.source, first.text)])
            agrees = 2 * sum(sentence.supported for sentence in best) >= len(best) and (
                assistant.settings.able
                or not any(quote.leaves_out(self.standalone, self.draft, one.text) for one in quoted)
            )
            words = tuple((one.text, one.source) for one in quoted)
            return Stand(words, first.is_sure, first.is_doubtful, agrees)

    def stands(self, text: str) -> bool:
        """Whether words of the documents may be given as an answer: they refuse nothing, and put no unit where the
        chart does not have it."""
        if self.chart and self.finder and verify.misplaces(text, self.chart, self.finder):
            return False
        return CANNOT_ANSWER.lower() not in text.lower()

    def fits(self) -> bool:
        """Whether the draft is of the kind that was asked for, whatever it says."""
        return quote.holds(self.standalone, self.draft) and not verify.recites(self.draft) and not self.only_places()

    def strays(self) -> bool:
        """Whether what bears the draft out is about other units than those that were asked about."""
        return any(sentence.supported and sentence.source in self.beside for sentence in self.checks.sentences)

    def only_places(self) -> bool:
        """Whether all that is borne out of the draft is where units sit, though the question is no plain one about
        that.

        A small model that finds no answer likes to copy a statement about the unit that the question names.
        """
        if self.stated:
            return False
        used = {sentence.source for sentence in self.checks.sentences if sentence.supported}
        return bool(used) and used <= {
            f"chart-{number}" for number, one in enumerate(self.statements, 1) if not self.describes(one)
        }

    def describes(self, statement: Statement) -> bool:
        """Whether a statement says what the unit does, not only where it sits."""
        description = self.chart.unit(statement.unit).description if self.chart else ""
        return bool(description) and description.rstrip(".") in statement.text

    def placements(self) -> Sequence[Statement]:
        """The truth about the units that the answer is wrong about."""
        if self.chart is None:
            return ()
        return [statement for unit in self.at_fault for statement in chart_statements.corrections(unit, self.chart)]

    def in_chart(self, told: Sequence[Statement]) -> tuple[Stand | None, tuple[Statement, ...]]:
        """Words of the chart with their sources, None for no words, and those of them that the prompt does not hold."""
        if not told:
            return None, ()
        added = tuple(one for one in told if not any(_holds(other, one) for other in self.statements))
        statements = (*self.statements, *added)
        places = (next(place for place, other in enumerate(statements, 1) if _holds(other, one)) for one in told)
        return Stand(tuple((one.text, f"chart-{place}") for one, place in zip(told, places, strict=True))), added

    def evidence(self) -> tuple[Evidence, ...]:
        """What may bear out a sentence of the answer, under the ids of the sources."""
        return tuple(
            Evidence(source.id, f"{source.section}. {source.question} {source.text}") for source in self.sources()
        )

    def entities(self) -> tuple[Entity, ...]:
        """The units the question names, as the record keeps them."""
        return cited.entities(self.mentions, self.organization.chart)

    def statements_used(self) -> tuple[StatementUsed, ...]:
        """The statements, as the record keeps them."""
        return tuple(StatementUsed(statement.unit, statement.text) for statement in self.statements)

    def sources(self) -> tuple[Source, ...]:
        """Statements, then passages, as the record numbers them."""
        return cited.sources((*self.statements, *self.added), self.passages, self.organization.chart)


def _holds(statement: Statement, other: Statement) -> bool:
    """Whether a statement says of its unit all that another does."""
    return statement.unit == other.unit and other.text in statement.text


def as_read(passage: Passage) -> str:
    """A passage as the model reads it."""
    if passage.kind == "qa":
        return prompts.pair(passage.question, passage.text)
    return prompts.section(passage.section, passage.text)


def whole(passage: Passage) -> str:
    """All that tells what a passage is about."""
    return f"{passage.document}. {passage.section}. {passage.question} {passage.text}"
