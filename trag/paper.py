"""What the paper's systems put before the model: path context of the units, pairs by MMR, sections (T-RAG, section 5).

question -> units, statements, passages -> one prompt.  For evaluations: the product has steps of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import prompts
from org import statements as chart_statements
from org.organization import Organization
from prompts import Message
from store.passage import Excerpt, Passage
from store.vectors import Vectors
from trag import cited
from trag.embed import Embedder
from trag.llm import LanguageModel
from trag.record import Entity, Source, StatementUsed
from trag.settings import Settings
from trag.systems import System

REPETITION_PENALTY = 1.1
"""With greedy decoding, how the paper's answers are written (T-RAG, section 5.4.2)."""
NEAR = 0.8
"""Cosine similarity from which a pair is so near the question that no section is needed beside the pairs."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The prompt, and the facts that entered it."""

    messages: tuple[Message, ...]
    entities: tuple[Entity, ...]
    statements: tuple[StatementUsed, ...]
    sources: tuple[Source, ...]


def gather(
    question: str,
    system: System,
    *,
    organization: Organization,
    vectors: Vectors,
    embedder: Embedder,
    model: LanguageModel,
    settings: Settings,
    readers: Collection[str] | None,
) -> Gathered:
    """What `system` puts before the model for a question, as much as fits. Raises PromptError when not even the
    question does."""
    chart, finder = organization.chart, organization.finder
    mentions = finder.find(question) if chart and finder and system.tree else ()
    statements = (
        chart_statements.describe(mentions, chart, budget=settings.statement_tokens, count=model.count_text)
        if chart
        else ()
    )
    passages = _passages(question, system, vectors, embedder, settings, readers)
    prompt = prompts.answer(
        question,
        [statement.text for statement in statements],
        [_as_read(passage) for passage in passages],
        organization=organization.name,
        count=model.count,
        room=model.context - settings.answer_tokens,
    )
    kept = [statements[place] for place in prompt.statements]
    excerpts = [Excerpt(passages[place], passages[place].text) for place in prompt.passages]
    return Gathered(
        prompt.messages,
        cited.entities(mentions, chart),
        tuple(StatementUsed(one.unit, one.text) for one in kept),
        cited.sources(kept, excerpts, chart),
    )


def _passages(
    question: str,
    system: System,
    vectors: Vectors,
    embedder: Embedder,
    settings: Settings,
    readers: Collection[str] | None,
) -> list[Passage]:
    pairs = settings.pairs if system.pairs is None else system.pairs
    sections = settings.sections if system.sections is None else system.sections
    if not pairs and not sections:
        return []
    vector = embedder.embed_questions([question])[0]
    found = list(vectors.search(vector, question, kinds=("qa",), k=pairs, readers=readers)) if pairs else []
    if sections and not any(passage.score >= NEAR for passage in found):
        found += vectors.search(vector, question, kinds=("section",), k=sections, readers=readers)
    return sorted(found, key=lambda passage: -passage.score)


def _as_read(passage: Passage) -> str:
    if passage.kind == "qa":
        return prompts.pair(passage.question, passage.text)
    return prompts.section(passage.section, passage.text)
