"""Answer one question from the organization's chart and its documents.

question -> condensed -> units linked -> approved answer, where a reviewer has pinned one ---------------> saved record
         -> chart query, where a unit or a type of unit is named: the model reads, the chart answers ----> saved record
         -> excerpts -> prompt -> tokens -> checked, written again once, or refused ---------------------> saved record
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

import prompts
from org.chart import Chart
from org.language import gettext, speaking
from org.linking.entities import Mention, Organization
from org.query.expression import ChartReply, Earlier
from org.query.sentences import Statement, placement
from prompts import CANNOT_ANSWER, NO_QUESTION, NOT_FOUND, Message
from store.language import ENGLISH, language
from store.passage import OPEN
from store.standing import Period
from trag import approved, asked_days, chart_query, conflicts, grounding, retrieve, translate, validity
from trag.answer_run import AnswerRun
from trag.approved import Pins
from trag.condense import Turn, standalone
from trag.embed import Embedder
from trag.errors import in_one_line, told
from trag.events import Answer, Event, Retry, Token, Waiting
from trag.grounding import Evidence
from trag.llm.model import LanguageModel, ModelAway, ModelDied, Usage
from trag.llm.queue import Leases, RequestQueue
from trag.progress import BY_READER, CancelToken
from trag.question import cleaned, spoken, visible
from trag.record import (
    AnswerRecord,
    CheckedSentence,
    Checks,
    ModelUsed,
    Source,
    StatementUsed,
    Tokens,
    entities_of,
    sources_of,
)
from trag.reranking.reranker import Reranker
from trag.settings import Settings
from trag.validity import Scope

if TYPE_CHECKING:
    import numpy as np

    from store.passage import Excerpt
    from store.records import Records
    from store.vectors import Vectors

NEAR = 5
"""Passages nearest to a question of which one is to have a validity, for the days that it asks for to be read."""
REFUSAL = 1.0
"""Where a refusal begins: it stands where its log-odds by the reader, less those of the best excerpt by the reranker,
are above minus this. On two organizations (47 right answers, 22 unanswerable questions; docs/RESULTS.md) it refuses 18
of the unanswerable, and 2 that it would have answered rightly."""
_PLACED = 3  # units of a question whose place is told beside the excerpts


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, and within which conversation. `readers` holds the keys of whoever asks, None for who may read
    everything; `owned` are the documents that they are the owner of; `language` is that of the question."""

    history: Sequence[Turn]
    conversation: str | None
    stop: threading.Event
    readers: Collection[str] | None
    asker: str
    owned: Collection[str] = ()
    language: str = "en"


Steps = Callable[["Assistant", AnswerRun, Asked], Iterator[Event]]
"""What is done in place of the product's own steps, when a question's turn has come."""


@dataclass(slots=True)
class Assistant:
    """Everything that answering needs. `organization` and `model` may be replaced between questions; each question
    keeps those it began with, and holds its model by `leases`. `reranker` is None where no texts are weighed, `records`
    where answers are given and not kept: an evaluation keeps its own. `earlier` gives the charts that were in use
    before, as an expression over the chart takes them."""

    organization: Organization
    vectors: Vectors
    embedder: Embedder
    model: LanguageModel
    records: Records | None
    line: RequestQueue
    settings: Settings
    reranker: Reranker | None = None
    earlier: Earlier = tuple
    leases: Leases = field(default_factory=Leases)
    pins: Pins = field(default_factory=Pins)

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        steps: Steps | None = None,
        conversation: str | None = None,
        stop: threading.Event | None = None,
        readers: Collection[str] | None = OPEN,
        asker: str = "",
        owned: Collection[str] = (),
        page: str = "en",
    ) -> Iterator[Event]:
        """Waiting..., Found, Token..., perhaps Retry and Token..., and one Answer, which is saved before it is given.
        An approved answer is given at once: Found, Answer. `steps` are those of another system than the product.

        `readers` holds the keys of whoever asks, None for who may read everything (see `trag.people.permissions`);
        nothing else is searched, so that nothing else reaches the prompt. Without it only what everyone may read is.
        `asker` is the id of whose an answer outside of a conversation is, "" for nobody's; drafts among the documents
        of `owned`, the asker's own, are searched like what is no longer in force, those of others after all else.
        The answer is in the language of the question where it is one of `org.language`, else in that of the `page`.

        A model that dies, or a set `stop`, ends in an Answer with what was written and `interrupted`, and where the
        model was away from the beginning with what is found without it. Raises TragError for a question that is empty
        or too long, when the line is full, and when the model cannot be started.
        """
        here = replace(self)
        text = cleaned(question)
        asked = Asked(history, conversation, stop or threading.Event(), readers, asker, owned, spoken(text, page))
        with here.leases.hold(here.model):
            run = AnswerRun(here._record(text))
            if steps is None and not history and here._approved(run, asked):
                yield run.found()
                yield Answer(run.save(here.records, conversation, asker))
            else:
                yield from here._in_line(run, asked, steps)

    def _in_line(self, run: AnswerRun, asked: Asked, steps: Steps | None) -> Iterator[Event]:
        """The events of a question that the model answers, when its turn has come."""
        with self.line.place() as positions:
            for position in positions:
                yield Waiting(position)
            away = None
            try:
                yield from steps(self, run, asked) if steps else self._answer(run, asked)
            except (ModelDied, ModelAway) as error:
                away = error if isinstance(error, ModelAway) else None
                run.add(answer=run.draft, interrupted=in_one_line(told(error)))
                if steps is None and not run.record.sources and not asked.stop.is_set():
                    yield from self._without_model(run, asked)
            except GeneratorExit:
                # Whoever listened is gone; what was written stays.
                if run.draft:
                    run.add(answer=run.draft, interrupted="the reader left")
                    run.save(self.records, asked.conversation, asked.asker)
                raise
            if asked.stop.is_set():
                reason = asked.stop.reason if isinstance(asked.stop, CancelToken) else BY_READER
                run.add(answer=run.draft, status="answered" if run.draft else "cannot_answer", interrupted=reason)
            yield Answer(run.save(self.records, asked.conversation, asked.asker), away)

    def _answer(self, run: AnswerRun, asked: Asked) -> Iterator[Event]:
        """The steps of the product."""
        with run.timed("condense"):
            run.add(standalone=visible(standalone(run.record.question, asked.history, self.model, asked.stop)))
        if asked.history and self._approved(run, asked):
            yield run.found()
            return
        mentions: tuple[Mention, ...] = ()
        chart, finder = self.organization.chart, self.organization.finder
        if chart and finder:
            with run.timed("link"):
                mentions, types = finder.find(run.record.standalone), finder.find_types(run.record.standalone)
                run.add(entities=entities_of(mentions, chart))
            if chart_query.concerns(run.record.standalone, mentions, types, chart):
                with run.timed("chart_query"):
                    query = chart_query.ask(
                        run.record.standalone,
                        mentions,
                        chart,
                        self.model,
                        stop=asked.stop,
                        earlier=self.earlier,
                        language=asked.language,
                    )
                run.add(chart_query=query.expression)
                if query.reply and not asked.stop.is_set():
                    yield from self._from_chart(run, query.reply, chart, asked)
                    return
        if not asked.stop.is_set():
            yield from self._from_documents(run, asked, mentions)

    def _from_chart(self, run: AnswerRun, reply: ChartReply, chart: Chart, asked: Asked) -> Iterator[Event]:
        """The chart's own words: no model wrote them, and nothing is left to check."""
        sources = self._dated(sources_of(reply.statements, (), chart), asked)
        run.add(
            answer=reply.text,
            status="answered",
            statements=tuple(StatementUsed(one.unit, one.text) for one in reply.statements),
            sources=sources,
            checks=Checks(
                tuple(CheckedSentence(one.text, True, one.id, one.text) for one in sources),
                replaced="chart",
                chart=chart.version,
            ),
        )
        yield run.found()
        run.first_token()
        yield Token(reply.text)

    def _from_documents(self, run: AnswerRun, asked: Asked, mentions: Sequence[Mention]) -> Iterator[Event]:
        """The reader's words from a few excerpts, checked; one second try where something speaks against them, else the
        refusal."""
        chart, likelihood = self.organization.chart, partial(retrieve.query_likelihood, self.model)
        with run.timed("retrieve"):
            vector = self.embedder.embed_questions([run.record.standalone])[0]
            scope = self._scope(run.record.standalone, vector, asked)
            placed, lines = self._found(run.record.standalone, vector, asked, scope, mentions, likelihood)
            for wording in self._other_wordings(run.record, asked):
                if retrieve.best_odds(lines) > 0:
                    break
                vector = self.embedder.embed_questions([wording])[0]
                _, again = self._found(wording, vector, asked, scope, mentions, likelihood)
                if retrieve.best_odds(again) > 0:
                    lines = again
                    if wording == run.record.question:
                        run.add(standalone=wording)
            question = run.record.standalone
            found, context = retrieve.excerpts(lines), [one.text for one in placed]
            messages, excerpts = self._fitting(question, found, context)
        run.count(Tokens(dropped=len(found) - len(excerpts)))
        sources = self._dated(sources_of(placed, excerpts, chart), asked, scope)
        run.add(statements=tuple(StatementUsed(one.unit, one.text) for one in placed), sources=sources)
        yield run.found()
        if not excerpts:
            run.add(answer=_refusal(asked))
            return
        best = max(one.odds for one in excerpts) if self.reranker else 0.0
        bias = REFUSAL - best if self.reranker else 0.0
        run.add(odds=round(excerpts[0].odds, 2) if self.reranker else None)
        evidence = [Evidence(one.id, one.text, one.question or one.section) for one in sources]
        known = "\n".join([question, *(one.text for one in placed)])  # where the units sit that it names
        finding = ""
        for attempt in (1, 2):
            if attempt == 2:
                yield Retry(finding)
                messages = prompts.correction(messages, run.draft, finding)
                run.add(checks=Checks(attempts=attempt))
            yield from self.write(run, messages, asked, refusal_bias=bias)
            if asked.stop.is_set():
                break
            if _declines(run.draft):
                # A line that rather answers than not may need its neighbours to say so.
                around = retrieve.around(excerpts) if best > 0 else excerpts
                if around == excerpts or NO_QUESTION in run.draft:
                    break
                messages, excerpts = self._fitting(question, around, context)
                sources = self._dated(sources_of(placed, excerpts, chart), asked, scope)
                run.add(sources=sources)
                evidence = [Evidence(one.id, one.text, one.question or one.section) for one in sources]
                yield from self.write(run, messages, asked, refusal_bias=bias)
                if asked.stop.is_set() or _declines(run.draft):
                    break
            with run.timed("verify"):
                grounded = grounding.check(known, run.draft, evidence, self.organization)
            run.add(checks=replace(grounded.checks, attempts=attempt))
            finding = grounded.finding
            if not finding:
                run.add(answer=run.draft.strip(), status="answered")
                with run.timed("verify"):
                    self._compare(run, asked, scope, excerpts, lines)
                return
        run.add(answer=_refusal(asked), checks=replace(run.record.checks, sentences=(), misplaced=()))
        if NO_QUESTION in run.draft and best <= 0:  # what a line rather answers than not was a question
            with speaking(asked.language):
                greeting = gettext(
                    "I answer questions about {organization}, from its documents and its chart.",
                    organization=self.organization.name,
                )
            run.add(answer=greeting, sources=(), statements=())

    def _other_wordings(self, record: AnswerRecord, asked: Asked) -> Iterator[str]:
        """What a question is searched by where it finds nothing that rather answers: its own words, where they were
        made to stand alone ("How long is annual leave paid?" asks for what nobody wrote), and English ones, where there
        are documents in English and that is not what was spoken. The reader is asked in the asker's language all the
        same."""
        if self.reranker and record.question != record.standalone:
            yield record.question
        if self.reranker and language(record.question) not in ("", ENGLISH) and ENGLISH in self.vectors.languages():
            yield translate.in_english(record.standalone, self.model, stop=asked.stop)

    def _compare(
        self, run: AnswerRun, asked: Asked, scope: Scope, excerpts: Sequence[Excerpt], lines: Sequence[Excerpt]
    ) -> None:
        """Adds the other documents in force that may say something else than the answer."""
        by_id = {one.passage.id: one for one in excerpts}
        mine = next((by_id[one.source] for one in run.record.checks.sentences if one.source in by_id), None)
        if self.records is None or self.reranker is None or mine is None or mine.passage.document in scope.outside:
            return
        others = [one for one in lines if one.passage.document not in scope.outside]
        found = conflicts.compare(
            run.record.id,
            run.record.standalone,
            run.record.answer,
            mine,
            retrieve.elsewhere(others, mine.passage.document, conflicts.MOST),
            model=self.model,
            embed=self.embedder.embed_passages,
            records=self.records,
            stop=asked.stop,
        )
        known = {one.id for one in run.record.sources}
        more = [other for other, _ in found if other.passage.id not in known]
        sources = self._dated(sources_of((), more, self.organization.chart), asked, scope)
        run.add(sources=(*run.record.sources, *sources), conflicts=tuple(conflict for _, conflict in found))

    def _without_model(self, run: AnswerRun, asked: Asked) -> Iterator[Event]:
        """Where the named units sit and the nearest passages, for whom the model does not answer."""
        question, finder = run.record.standalone, self.organization.finder
        with run.timed("retrieve"):
            scope, vector = validity.scope(self.records), self.embedder.embed_questions([question])[0]
            placed, lines = self._found(question, vector, asked, scope, finder.find(question) if finder else ())
            found = retrieve.excerpts(lines)
        sources = self._dated(sources_of(placed, found, self.organization.chart), asked, scope)
        run.add(statements=tuple(StatementUsed(one.unit, one.text) for one in placed), sources=sources)
        yield run.found()

    def _found(
        self,
        question: str,
        vector: np.ndarray,
        asked: Asked,
        scope: Scope,
        mentions: Sequence[Mention],
        likelihood: retrieve.Likelihood | None = None,
    ) -> tuple[list[Statement], tuple[Excerpt, ...]]:
        """Where units sit that are named for certain (that the organization is at the top helps nobody); lines, the
        likeliest to answer first, of what is in force before all else."""
        weigh = self.reranker.weigh if self.reranker else None

        def search(without: Collection[str]) -> tuple[Excerpt, ...]:
            return retrieve.ranked(
                question,
                vector,
                self.vectors,
                readers=asked.readers,
                without=without,
                weigh=weigh,
                likelihood=likelihood,
            )

        owned = None if asked.readers is None else asked.owned
        found = retrieve.preferred(search, scope.left_out(owned=owned))
        if (chart := self.organization.chart) is None:
            return [], found
        units = dict.fromkeys(one.units[0] for one in mentions if len(one.units) == 1)
        with speaking(asked.language):
            return [placement(unit, chart) for unit in units if unit != chart.root.id][:_PLACED], found

    def _scope(self, question: str, vector: np.ndarray, asked: Asked) -> Scope:
        """What is in force on the days of a question. They are read where that matters: where one of the nearest
        passages is of a document that is not in force at all times."""
        today = validity.scope(self.records)
        if self.records is None or not self.records.validity.any():
            return today
        near = self.vectors.search(vector, question, kinds=("qa", "section"), k=NEAR, readers=asked.readers)
        names = {passage.document for passage in near}
        standings = self.records.validity.standings(names, today.period).values()
        if all(one.state == "in force" and one.first is one.last is None for one in standings):
            return today
        period = asked_days.ask(question, self.model, stop=asked.stop)
        return validity.scope(self.records, period) if period else today

    def _dated(self, sources: Sequence[Source], asked: Asked, scope: Scope | None = None) -> tuple[Source, ...]:
        """The sources with how they stand on the days that are asked for, today without a `scope`."""
        return validity.dated(sources, scope or Scope(Period.of(date.today())), self.records, asked.readers)

    def write(
        self,
        run: AnswerRun,
        messages: Sequence[Message],
        asked: Asked,
        *,
        refusal_bias: float = 0.0,
        repetition_penalty: float = 1.0,
    ) -> Iterator[Token]:
        """The model's words as they come, in place of any draft of `run` before. What may become a refusal is held back
        until it is more."""
        run.draft, shown = "", 0
        stream = self.model.stream(
            messages,
            max_tokens=self.settings.answer_tokens,
            stop=asked.stop,
            task="answer",
            refusal=NOT_FOUND,
            refusal_bias=refusal_bias,
            repetition_penalty=repetition_penalty,
        )
        with closing(stream) as pieces:
            for piece in pieces:
                if isinstance(piece, Usage):
                    run.count(Tokens(piece.prompt, piece.evaluated, piece.completion))
                    run.add(refusal_odds=None if piece.refusal_odds is None else round(piece.refusal_odds, 2))
                    run.written()
                    break
                run.write(visible(piece))
                begun = run.draft.lstrip()
                if not any(whole.startswith(begun) or begun.startswith(whole) for whole in (NOT_FOUND, NO_QUESTION)):
                    run.first_token()
                    yield Token(run.draft[shown:])
                    shown = len(run.draft)

    def _fitting(
        self, question: str, excerpts: Sequence[Excerpt], context: Sequence[str]
    ) -> tuple[tuple[Message, ...], tuple[Excerpt, ...]]:
        """The prompt with as many excerpts as fit, and those. Raises PromptError when not even the question does."""
        room = self.model.context - self.settings.answer_tokens
        for kept in range(len(excerpts), -1, -1):
            texts = [prompts.excerpt(one.passage.section, one.passage.question, one.text) for one in excerpts[:kept]]
            messages = prompts.document(question, texts, context if kept else ())
            if self.model.count(messages) <= room:
                return messages, tuple(excerpts[:kept])
        raise prompts.PromptError(
            f"The question takes {self.model.count_text(question):,} tokens and does not fit into the model's context.",
            "Ask a shorter question, or give the model a larger context (TRAG_CONTEXT).",
        )

    def _approved(self, run: AnswerRun, asked: Asked) -> bool:
        """Whether a reviewer has pinned an answer to this question that the asker may read, which the record then
        holds."""
        if self.records is None:
            return False
        finder = self.organization.finder
        with run.timed("retrieve"):
            given = approved.answer(
                run.record.standalone,
                self.records,
                self.pins,
                readers=asked.readers,
                finder=finder,
                embed=self.embedder.embed_questions,
            )
        if given is None:
            return False
        run.add(
            answer=given.text,
            status="approved",
            model=ModelUsed("", "", ""),
            entities=entities_of(finder.find(run.record.standalone) if finder else (), self.organization.chart),
            statements=given.statements,
            sources=self._dated(given.sources, asked),
            checks=given.checks,
            approved=given.approval,
        )
        return True

    def _record(self, question: str) -> AnswerRecord:
        model = self.model.identity
        return AnswerRecord(
            uuid4().hex,
            question,
            question,
            "",
            "cannot_answer",
            ModelUsed(model.name, model.sha256, model.adapter),
            checks=Checks(chart=self.organization.version),
        )

    def answer(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        steps: Steps | None = None,
        stop: threading.Event | None = None,
        readers: Collection[str] | None = OPEN,
    ) -> AnswerRecord:
        """The record of one question, for those who do not watch. Raises ModelAway, and what `ask` raises."""
        *_, last = self.ask(question, history=history, steps=steps, stop=stop, readers=readers)
        if not isinstance(last, Answer):
            raise RuntimeError(f"ask ended with {last}")
        if last.away:
            raise last.away
        return last.record

    def problem(self, question: str, reason: str) -> AnswerRecord:
        """The record of a question that could not be asked, and why. It is not saved."""
        return replace(self._record(question), interrupted=reason)


def _refusal(asked: Asked) -> str:
    with speaking(asked.language):
        return gettext(CANNOT_ANSWER)


def _declines(text: str) -> bool:
    """Whether the reader says that the excerpts answer nothing, or that nothing was asked."""
    return not text.strip() or any(words in text for words in (NOT_FOUND, NO_QUESTION, CANNOT_ANSWER))
