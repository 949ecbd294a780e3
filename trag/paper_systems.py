"""The paper's systems and ablations (T-RAG, tables 2 and 4): path context of the units, pairs by MMR, sections, one
prompt, the model as it is.

question -> units, statements, passages -> prompt -> tokens -> saved record.  For evaluations: the product has steps of
its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import prompts
from org.query import sentences as chart_statements
from prompts import CANNOT_ANSWER
from store.passage import Excerpt, Passage
from trag import grounding
from trag.answer_run import AnswerRun
from trag.events import Event
from trag.grounding import Evidence
from trag.record import StatementUsed, entities_of, sources_of

if TYPE_CHECKING:
    from trag.ask import Asked, Assistant, Steps

REPETITION_PENALTY = 1.1
"""With greedy decoding, how the paper's answers are written (T-RAG, section 5.4.2)."""
NEAR = 0.8
"""Cosine similarity from which a pair is so near the question that no section is needed beside the pairs."""


@dataclass(frozen=True, slots=True)
class System:
    """What a system of the paper puts into its prompt: the path context of units (`tree`), and how many pairs and
    sections, None for what the settings say."""

    tree: bool
    pairs: int | None = None
    sections: int | None = None


PRODUCT = "trag"
SYSTEMS: Mapping[str, System] = {
    PRODUCT: System(tree=True),
    "trag-unrepaired": System(tree=True),
    "trag-no-tree": System(tree=False),
    "rag": System(tree=False, pairs=0, sections=10),
    "finetuned": System(tree=False, pairs=0, sections=0),
    "finetuned-tree": System(tree=True, pairs=0, sections=0),
}
"""What an evaluation can ask. The product has steps of its own; the others show the model as it is."""


def steps(system: str) -> Steps | None:
    """The steps of one of SYSTEMS, None for those of the product."""
    return None if system == PRODUCT else partial(_steps, SYSTEMS[system])


def _steps(system: System, assistant: Assistant, run: AnswerRun, asked: Asked) -> Iterator[Event]:
    messages = _gather(system, assistant, run, asked)
    yield run.found()
    yield from assistant.write(run, messages, asked, repetition_penalty=REPETITION_PENALTY)
    text = run.draft.strip()
    evidence = [Evidence(one.id, one.text) for one in run.record.sources]
    with run.timed("verify"):
        checks = grounding.check(run.record.question, text, evidence, assistant.organization).checks
    refused = not text or CANNOT_ANSWER.lower() in text.lower()
    run.add(answer=text, status="cannot_answer" if refused else "answered", checks=replace(checks, attempts=1))


def _gather(system: System, assistant: Assistant, run: AnswerRun, asked: Asked) -> tuple[prompts.Message, ...]:
    """The prompt, with as much as fits; the record holds what entered it. Raises PromptError when not even the question
    fits."""
    question, model, settings = run.record.question, assistant.model, assistant.settings
    chart, finder = assistant.organization.chart, assistant.organization.finder
    mentions = finder.find(question) if chart and finder and system.tree else ()
    statements = (
        chart_statements.describe(mentions, chart, budget=settings.statement_tokens, count=model.count_text)
        if chart
        else ()
    )
    passages = _passages(system, assistant, question, asked)
    prompt = prompts.answer(
        question,
        [statement.text for statement in statements],
        [
            prompts.pair(one.question, one.text) if one.kind == "qa" else prompts.section(one.section, one.text)
            for one in passages
        ],
        organization=assistant.organization.name,
        count=model.count,
        room=model.context - settings.answer_tokens,
    )
    kept = statements[: prompt.statements]
    excerpts = [Excerpt(passage, passage.text) for passage in passages[: prompt.passages]]
    run.add(
        entities=entities_of(mentions, chart),
        statements=tuple(StatementUsed(one.unit, one.text) for one in kept),
        sources=sources_of(kept, excerpts, chart),
    )
    return prompt.messages


def _passages(system: System, assistant: Assistant, question: str, asked: Asked) -> list[Passage]:
    pairs = assistant.settings.pairs if system.pairs is None else system.pairs
    sections = assistant.settings.sections if system.sections is None else system.sections
    if not pairs and not sections:
        return []
    vector = assistant.embedder.embed_questions([question])[0]
    search = partial(assistant.vectors.search, vector, question, readers=asked.readers)
    passages = list(search(kinds=("qa",), k=pairs)) if pairs else []
    if sections and not any(passage.score >= NEAR for passage in passages):
        passages += search(kinds=("section",), k=sections)
    return sorted(passages, key=lambda passage: -passage.score)
