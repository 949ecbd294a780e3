"""The answer record: everything that explains one answer, in one stable shape for the terminal, batches, the API and
the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Literal

from trag.json_lines import as_line, kept

if TYPE_CHECKING:
    from org.chart import Chart
    from org.linking.entities import Mention
    from org.query.sentences import Statement
    from store.passage import Excerpt
    from store.standing import Standing

Status = Literal["answered", "cannot_answer", "approved"]
Replaced = Literal["false", "chart"]
Verdict = Literal["Correct", "Correct-Verbose", "Incorrect"]
VERDICTS: tuple[Verdict, ...] = ("Correct", "Correct-Verbose", "Incorrect")
"""What a reader or reviewer says of an answer (T-RAG, section 6.1)."""
NEAREST = 3
"""How many passages whoever gets no answer is led to at most."""
LONGEST_REMARK = 4_000
"""Characters that a comment on an answer, or a corrected one, may have."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A unit that the question names: `matched` is `standalone[start:end]`. A shared name gives one Entity a unit."""

    unit: str
    name: str
    matched: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class StatementUsed:
    """A sentence about the chart that the answer gives or that entered the prompt, and the unit it is about."""

    unit: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceValidity:
    """How a source stood on the days that were asked for when the answer was given: "in force", "draft", "superseded",
    "withdrawn", "not yet valid" or "no longer valid"; the first and the last day on which it is valid (2026-11-30), ""
    for no bound that is known; the documents that take its place. Of a chart, the day on which it came into use.

    `asked` are the days, "2023-01-01/2023-12-31", "" where the question names none and today counts.
    """

    state: str
    valid_from: str = ""
    valid_to: str = ""
    successors: tuple[str, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Evidence that entered the prompt, or what the chart answered from. `kind` is qa, section, chart or approved;
    `score` is a cosine similarity, 1.0 for the chart; `validity` is None where nothing is known of it."""

    id: str
    kind: str
    document: str
    section: str
    page: int | None
    text: str
    score: float
    question: str = ""
    validity: SourceValidity | None = None


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of the answer, whether the sources bear it out, the id of the source that does, and the words there,
    exactly as they stand ("" for none)."""

    text: str
    supported: bool
    source: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another document in force may say something else: the ids of the source of the answer and of the other, the words
    of each, exactly as they stand, and what the other alone would have given as the answer."""

    source: str
    evidence: str
    other: str
    other_evidence: str
    other_answer: str


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A unit that the answer puts under `claimed`, while the chart has it under `actual` (names, not ids)."""

    unit: str
    claimed: str
    actual: str


@dataclass(frozen=True, slots=True)
class Checks:
    """What was checked. `chart` is the version checked against, "" without one; `replaced` is "chart" where the words
    are the chart's own and no model wrote them; `attempts` counts the answers that the model wrote."""

    sentences: tuple[CheckedSentence, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    unknown_units: tuple[str, ...] = ()
    replaced: Replaced = "false"
    attempts: int = 0
    chart: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token counts: of the prompt, of those the model had to read anew, of the answer; and how many sources did not
    fit."""

    prompt: int = 0
    evaluated: int = 0
    completion: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Seconds:
    """Wall-clock seconds of each step. `first_token` counts from the question, `generate` from the first token to the
    last."""

    condense: float = 0.0
    link: float = 0.0
    chart_query: float = 0.0
    retrieve: float = 0.0
    first_token: float = 0.0
    generate: float = 0.0
    verify: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelUsed:
    """Which model wrote the answer: its name, the sha256 of its GGUF, and the adapter's file name ("" without one). All
    are "" where a person did."""

    name: str
    sha256: str
    adapter: str


@dataclass(frozen=True, slots=True)
class Approval:
    """Who approved the answer, as they are called, the day (2026-11-30), and the question that it was approved for."""

    by: str
    at: str
    question: str


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One question and its answer, with all that it stands on."""

    id: str
    question: str
    standalone: str
    answer: str
    status: Status
    model: ModelUsed
    entities: tuple[Entity, ...] = ()
    chart_query: str = ""
    """How the question was read, as one expression over the chart, "" where it was not asked of the chart."""
    statements: tuple[StatementUsed, ...] = ()
    sources: tuple[Source, ...] = ()
    checks: Checks = Checks()
    tokens: Tokens = Tokens()
    seconds: Seconds = Seconds()
    interrupted: str = ""
    """Why the answer stops early ("stopped by the reader", "the model's process ended"), "" when it is whole."""
    approved: Approval | None = None
    """By whom and for which question, where the answer was not written anew but pinned by a reviewer."""
    conflicts: tuple[Conflict, ...] = ()
    """Where other documents in force may say something else, as far as it was seen."""
    odds: float | None = None
    """The log-odds, by the reranker, that the first passage answers: 0 is even, None where none was weighed."""
    refusal_odds: float | None = None
    """The log-odds, by the reader, that it refuses, before the reranker has its say; None where nobody told."""

    def to_json(self) -> str:
        """One line of JSON."""
        return as_line(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> AnswerRecord:
        """The record that `to_json` wrote, also by an older version that lacked newer fields. Raises ValueError for
        anything else."""
        # What stood in for an answer in the first version, for which nothing does any more.
        return kept(cls, text.replace('"replaced": "quotation"', '"replaced": "false"'))


def entities_of(mentions: Iterable[Mention], chart: Chart | None) -> tuple[Entity, ...]:
    """The units of `chart` that the question names; a shared name gives each of its units."""
    return tuple(
        Entity(unit, chart.unit(unit).name, mention.text, mention.start, mention.end)
        for mention in mentions
        for unit in mention.units
        if chart
    )


def sources_of(statements: Iterable[Statement], excerpts: Iterable[Excerpt], chart: Chart | None) -> tuple[Source, ...]:
    """Statements, numbered chart-1, chart-2, ..., then excerpts under the ids of their passages."""
    found: list[Source] = []
    for number, statement in enumerate(statements, 1):
        path = chart.path(statement.unit) if chart and statement.unit else ()
        document, section = chart_name(statement.version), " > ".join(unit.name for unit in path)
        found.append(Source(f"chart-{number}", "chart", document, section, None, statement.text, 1.0))
    for excerpt in excerpts:
        one = excerpt.passage
        score = round(one.score, 4)
        found.append(Source(one.id, one.kind, one.document, one.section, one.page, excerpt.text, score, one.question))
    return tuple(found)


def with_validity(
    sources: Iterable[Source], standings: Mapping[str, Standing], charts: Mapping[str, str], asked: str
) -> tuple[Source, ...]:
    """The sources with how their documents stand, by name, and since when charts are in use, by what they are called
    as a source."""

    def validity(source: Source) -> SourceValidity | None:
        if source.kind == "chart":
            since = charts.get(source.document)
            return SourceValidity("in force", since) if since else None
        one = standings.get(source.document)
        if one is None or (one.state == "in force" and one.first is one.last is None):
            return None
        first, last = (str(day or "") for day in (one.first, one.last))
        return SourceValidity(one.state, first, last, one.successors, asked)

    return tuple(replace(source, validity=validity(source)) for source in sources)


def standing_words(source: Source, *, successors: bool = True) -> str:
    """How a source stood, as its line says it: "superseded after 29 Feb 2024 by new.md"; "" where nothing is known.
    `successors`: with the names of what takes its place."""
    one = source.validity
    if one is None:
        return ""
    first, last = (f"{date.fromisoformat(day):%-d %b %Y}" if day else "" for day in (one.valid_from, one.valid_to))
    if source.kind == "chart":
        return f"chart of {date.fromisoformat(one.valid_from):%-d %B %Y}"
    if one.state == "draft":
        return "draft"
    if one.state == "not yet valid":
        return f"not yet valid: from {first} on"
    if one.state == "in force":
        words = [
            "in force then" if one.asked else "in force",
            f"from {first}" if first else "",
            f"to {last}" if last else "",
        ]
    else:
        words = [one.state, f"after {last}" if last else ""]
        words += (
            [f"by {', '.join(one.successors)}"] if successors and one.successors and one.state == "superseded" else []
        )
    return " ".join(filter(None, words))


def chart_name(version: str) -> str:
    """What a chart is called as a source."""
    return f"Organization chart {version}"


def first_of_sections(sources: Iterable[Source]) -> tuple[Source, ...]:
    """The first passage of each section of a document, in their order: where a reader who got no answer may look."""
    first: dict[tuple[str, str], Source] = {}
    for source in sources:
        if source.kind != "chart":
            first.setdefault((source.document, source.section), source)
    return tuple(first.values())
