"""Examples from the question-answer pairs of a home: those that people gave, wrote or approved, and made ones where
those are too few.

pairs, passages, assistant -> Examples of one side.  The pair itself is mostly left out of what is found for its
question: people ask in other words, and then its section must answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from store.library import Pair
from store.passage import Passage
from trag.ask import Assistant
from trag.evaluate.cases import Case
from trag.finetune.dataset.contexts import Context, gather
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.from_documents import from_documents
from trag.finetune.dataset.sides import Side

ENOUGH = 150
"""Pairs that somebody vouches for, from which no made one is needed beside them."""
LONGEST_ANSWER = 80
"""Words; a longer one is a section, not an answer."""
_LONGEST_MADE = 30  # words
_ITSELF = 0.15  # of the questions over a context that holds the pair itself


def worth_learning(pairs: Iterable[Pair], *, chance: Random) -> tuple[Pair, ...]:
    """The pairs that somebody vouches for, and as many others that are searched as make them enough. What waits for
    somebody to look is not learned from."""
    kept = [pair for pair in pairs if len(pair.answer.split()) <= LONGEST_ANSWER]
    vouched = list(filter(is_vouched_for, kept))
    made = [pair for pair in kept if pair.searched and not is_vouched_for(pair) and _is_answer(pair)]
    missing = min(len(made), max(0, ENOUGH - len(vouched)))
    return (*vouched, *chance.sample(made, missing))


def is_vouched_for(pair: Pair) -> bool:
    """Whether somebody wrote the pair, approved it, or gave it in a file."""
    return pair.state == "approved" or (pair.state == "made" and pair.origin == "given")


def from_pairs(
    pairs: Sequence[Pair], passages: Sequence[Passage], assistant: Assistant, side: Side, *, chance: Random
) -> Iterator[Example]:
    """Every pair of the side over some context of its passages. Held-out contexts have no statements: those of the
    chart would be on both sides."""
    own = [pair for pair in pairs if side.has(pair.passage)]
    by_id = {pair.id: pair for pair in own}

    def find(case: Case, question: str) -> Context:
        itself = by_id[case.id].passage.id if chance.random() >= _ITSELF else ""
        found = _both_kinds(question, assistant, side, without=itself)
        return replace(found, statements=(), about_chart=False) if side.held_out else found

    yield from from_documents(
        assistant.organization.name,
        [_case(pair) for pair in own],
        side.of(passages),
        find,
        source=lambda case: f"{case.document} > {case.section}",
        chance=chance,
    )


def _is_answer(pair: Pair) -> bool:
    """Whether a made pair answers shortly: rules make whole rows of tables and whole sections of others."""
    return pair.state == "made" and len(pair.answer.split()) <= _LONGEST_MADE and " – " not in pair.answer


def _case(pair: Pair) -> Case:
    gold = ((pair.source,),) if pair.source else ()
    return Case(
        pair.id, pair.question, "document", pair.answer, gold=gold, document=pair.document, section=pair.section
    )


def _both_kinds(question: str, assistant: Assistant, side: Side, *, without: str) -> Context:
    """What the pipeline finds, with the sections that it leaves away where a pair is as near as the pair itself is."""
    found = gather(question, assistant)
    passages = [passage for passage in found.passages if passage.id != without]
    if not any(passage.kind == "section" for passage in passages):
        passages += gather(question, assistant, system="rag").passages[: assistant.settings.sections]
    return replace(found, passages=side.of(dict.fromkeys(passages)))
