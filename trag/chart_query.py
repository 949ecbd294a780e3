"""A question about the chart read as one expression, which code then runs: the model reads, the chart answers.

question, units -> "count(children(u1, 'committee'))" -> the chart's own sentences, or nothing where it is for the
documents.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import prompts
from org.chart import Chart
from org.linking.entities import Mention, TypeMention
from org.query import expression, lists
from org.query.expression import ChartReply, Earlier
from org.query.grammar import QueryError, grammar
from trag.llm.model import LanguageModel, text_of

UNITS = 6
"""Units of a question that the model is shown."""
DOCUMENTS = 3.0
"""What is added to the logit of documents(): a question that names a unit is about the chart only where the reader is
sure. With the adapter that ships, of the questions of three organizations that name a unit (docs/RESULTS.md), 103 of
104 that are not about the chart are left to the documents, and 43 of 50 about it are answered rightly. Nothing is added
where it names a cell that several units have: the 24 questions of bench/people are all read rightly without."""
_DOCUMENTS = "documents()"
_TOKENS = 64


@dataclass(frozen=True, slots=True)
class ChartQuery:
    """How a question was read, and what the chart says to that: None where it says nothing, or is not asked."""

    expression: str
    reply: ChartReply | None


def concerns(question: str, mentions: Sequence[Mention], types: Sequence[TypeMention], chart: Chart) -> bool:
    """Whether the chart may have the answer: the question names a unit, a type of unit, or what a cell says."""
    return bool(mentions or types or lists.cells(question, chart))


def ask(
    question: str,
    mentions: Sequence[Mention],
    chart: Chart,
    model: LanguageModel,
    *,
    stop: threading.Event,
    earlier: Earlier = tuple,
    language: str = "en",
) -> ChartQuery:
    """The question as an expression over the units that `mentions` link, else over those that have a cell in common
    which it names (where they work, what they are), and the chart's answer, in `language`.

    An expression that does not run, names what is not there or finds nothing is no answer: the question is for the
    documents. `earlier` gives the charts before this one, the last first, each with the day of
    the change that ended it. Raises what `LanguageModel.stream` raises.
    """
    units = tuple(dict.fromkeys(unit for mention in mentions for unit in mention.units))[:UNITS]
    groups = () if units else tuple(one for one in lists.cells(question, chart) if one.units > 1)[:UNITS]
    given: tuple[str | lists.Cell, ...] = (*units, *groups)
    messages = prompts.chart_query(expression.described(given, chart), question)
    allowed = grammar(len(given), chart, question, earlier=bool(earlier()))
    bias = 0.0 if groups else DOCUMENTS
    stream = model.stream(
        messages,
        max_tokens=_TOKENS,
        stop=stop,
        task="chart_query",
        grammar=allowed,
        refusal=_DOCUMENTS,
        refusal_bias=bias,
    )
    written, usage = text_of(stream)
    if usage.refusal_odds is not None and usage.refusal_odds + bias > 0:
        written = _DOCUMENTS  # a server adds nothing to a logit, and tells the odds
    try:
        reply = expression.run(written, given, chart, earlier=earlier, language=language)
        return ChartQuery(written, reply)
    except QueryError:
        return ChartQuery(written, None)
