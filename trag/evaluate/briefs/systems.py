"""The ways to write about a name: the paper's (Godbole and others 2024, sections 3.1 to 3.3, prompts in our own words)
and the product's.

name -> [search -> [outline -> questions -> second search]] -> text, with the evidence that entered its prompt
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

import prompts
from store.passage import Passage
from trag import retrieve
from trag.ask import Assistant
from trag.brief import writer
from trag.brief.record import BriefRecord
from trag.evaluate.briefs.sentences import sentences
from trag.llm.model import Sampling, text_of

RESULTS = 5
"""Passages that one search gives; the paper does not say how many."""
_SECOND = 3
"""Passages that the search for a question adds."""
_PARAGRAPHS, _QUESTIONS = 4, 4
_TOKENS = 320
_SAMPLING = partial(Sampling, 0.7, 0.9)
"""Nucleus sampling, as the paper has it; its parameters it does not say."""
_SKIP = "Not enough information. Skip this question."
_MARK = re.compile(r"^\s*(?:Paragraph \d+:|\d+[.)]|[-*•])\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Written:
    """One text: its sentences, for each the places in `evidence` that it cites (none where it cites nothing), the texts
    of the evidence, how many sentences are quotations, how many passages only the second search found, and seconds."""

    set: str
    name: str
    run: int
    sentences: tuple[str, ...]
    cited: tuple[tuple[int, ...], ...]
    evidence: tuple[str, ...]
    quotations: int = 0
    added: int = 0
    seconds: float = 0.0
    status: str = "written"


@dataclass(frozen=True, slots=True)
class Way:
    """How the paper's systems differ: passages of the first search (0 for none), whether an outline comes before the
    questions, whether these are searched for, and in which form what is found is shown."""

    results: int = RESULTS
    plan: bool = False
    outline: bool = True
    again: bool = True
    pairs: bool = False
    marks: bool = True


WAYS: Mapping[str, Way] = {
    "direct": Way(0),
    "one": Way(),
    "one2x": Way(2 * RESULTS),
    "plan-a": Way(plan=True),
    "plan-b": Way(plan=True, pairs=True),
    "plan-b-no-second-search": Way(plan=True, pairs=True, again=False),
    "plan-b-no-marks": Way(plan=True, pairs=True, marks=False),
    "plan-a-no-outline": Way(plan=True, outline=False),
}
"""Tables 1 and 2, and the ablations of tables 3 to 5."""
TRAG, QUOTES = "trag", "trag-quotes"
SYSTEMS = (*WAYS, TRAG, QUOTES)
CALLED = {
    "direct": "No Retrieval",
    "one": "One-Retrieval",
    "one2x": "One-Retrieval 2x",
    "plan-a": "Plan-based A",
    "plan-b": "Plan-based B",
    "plan-b-no-second-search": "Plan-based B without second search",
    "plan-b-no-marks": "Plan-based B without the unanswered",
    "plan-a-no-outline": "Plan-based A without outline",
    TRAG: "the product",
    QUOTES: "the product, quotations alone",
}


def write(assistant: Assistant, system: str, set: str, name: str, run: int) -> Written:
    """What a system writes about a name in one of several runs. Raises what the model raises."""
    began = monotonic()
    if system in (TRAG, QUOTES):
        told = writer.write(assistant, name, readers=None)
        records = (each for each in told if isinstance(each, BriefRecord))
        record = next(records)
        if system == TRAG:
            *_, record = (record, *records)
        return _of_record(record, set, run, monotonic() - began)
    text, evidence, added = _by_way(assistant, WAYS[system], name, run)
    said = sentences(text)
    return Written(set, name, run, said, ((),) * len(said), tuple(evidence), 0, added, monotonic() - began)


def _of_record(record: BriefRecord, set: str, run: int, seconds: float) -> Written:
    place = {one.id: number for number, one in enumerate(record.sources)}
    said = [one for part in record.parts for one in part.sentences]
    return Written(
        set,
        record.subject,
        run,
        tuple(one.text for one in said),
        tuple((place[one.source],) for one in said),
        tuple(_shown(one.section, one.text) for one in record.sources),
        sum(one.how == "quotation" for one in said),
        0,
        seconds,
        record.status,
    )


def _by_way(assistant: Assistant, way: Way, name: str, run: int) -> tuple[str, Sequence[str], int]:
    """The text, its evidence, and how many passages only the second search found."""
    ask = partial(_asked, assistant, run)
    first = _search(assistant, name, RESULTS)
    if not way.results:
        return ask("direct", subject=name), [_of(one) for one in first], 0
    found = _search(assistant, name, way.results)
    if not way.plan:
        return ask("snippets", subject=name, results=_listed(found)), [_of(one) for one in found], 0
    questions = _questions(ask, way, name, found)
    if way.pairs:
        pairs = [_answered(assistant, one, found, again=way.again) for one in questions]
        kept = [(question, passage) for question, passage in zip(questions, pairs, strict=True) if passage or way.marks]
        told = [f"Question: {one}\nAnswer: {passage.text if passage else _SKIP}" for one, passage in kept]
        evidence = [f"{one} {passage.text}" for one, passage in kept if passage]
        added = len({passage.id for _, passage in kept if passage} - {one.id for one in found})
        return ask("pairs", subject=name, pairs="\n\n".join(told)), evidence, added
    every = {one.id: one for one in found}
    for question in questions:
        every |= {one.id: one for one in _search(assistant, question, _SECOND)}
    shown = _fitting(assistant, list(every.values()))
    text = ask("snippets", subject=name, results=_listed(shown))
    return text, [_of(one) for one in shown], len(every) - len(found)


def _questions(ask: Callable[..., str], way: Way, name: str, found: Sequence[Passage]) -> list[str]:
    results = _listed(found)
    paragraphs = [f"a paragraph about {name}"]
    if way.outline:
        paragraphs = _lines(ask("outline", subject=name, results=results))[:_PARAGRAPHS]
    asked = (_lines(ask("asked", subject=name, results=results, paragraph=one))[:_QUESTIONS] for one in paragraphs)
    return list(dict.fromkeys(question for lines in asked for question in lines))


def _answered(assistant: Assistant, question: str, first: Sequence[Passage], *, again: bool) -> Passage | None:
    """The span that answers a question, as a passage of that text alone: the paper's B has a model choose it, here the
    reranker does; of what was found first, or by a search for it."""
    passages = _search(assistant, question, _SECOND) if again else first
    lines = [(passage, line) for passage in passages for line in retrieve.lines_of(passage)]
    if not lines or assistant.reranker is None:
        return None
    odds = assistant.reranker.weigh(question, [retrieve.headed(*one) for one in lines])
    passage, line = lines[int(odds.argmax())]
    if odds.max() <= 0:
        return None
    return Passage(passage.id, passage.kind, passage.document, passage.section, passage.page, line)


def _asked(assistant: Assistant, run: int, kind: Any, **values: str) -> str:
    stream = assistant.model.stream(prompts.brief(kind, **values), max_tokens=_TOKENS, sampling=_SAMPLING(run))
    return text_of(stream)[0].strip()


def _search(assistant: Assistant, text: str, most: int) -> list[Passage]:
    vector = assistant.embedder.embed_questions([text])[0]
    return list(assistant.vectors.search(vector, text, kinds=("section",), k=most, readers=None))


def _fitting(assistant: Assistant, passages: Sequence[Passage]) -> list[Passage]:
    """As many of the passages as fit beside the answer, the first ones first."""
    room = assistant.model.context - 2 * _TOKENS
    kept = list(passages)
    while len(kept) > 1 and assistant.model.count_text(_listed(kept)) > room:
        kept.pop()
    return kept


def _listed(passages: Sequence[Passage]) -> str:
    return "\n\n".join(_of(one) for one in passages)


def _of(passage: Passage) -> str:
    return _shown(passage.section, passage.text)


def _shown(section: str, text: str) -> str:
    return f"{section}: {text}" if section else text


def _lines(text: str) -> list[str]:
    return [line for line in (_MARK.sub("", each).strip() for each in text.splitlines()) if line]
