"""What the evidence had to do with the truth: of each answer's own context, and of all the texts there are.

Knows nothing about how evidence is found, or what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trag.evaluate.grammar.filling import Meaning
from trag.evaluate.grammar.groups import Outcome
from trag.evaluate.grammar.values import holds

if TYPE_CHECKING:
    from trag.record import AnswerRecord, Source


def outcome(meaning: Meaning, form: str, record: AnswerRecord, *, right: bool) -> Outcome:
    """What came of one text of a meaning, by the sources that entered its prompt."""
    named = [(_name(source), f"{source.section} {source.question} {source.text}") for source in record.sources]
    return Outcome(
        group=meaning.id,
        form=form,
        right=right,
        context=frozenset(name for name, _ in named),
        holding=frozenset(name for name, text in named if tells(text, meaning)),
    )


def covered(meanings: Sequence[Meaning], texts: Iterable[str]) -> frozenset[str]:
    """The ids of the meanings whose truth one of the texts holds. One text is in memory at a time."""
    waiting = {meaning.id: meaning for meaning in meanings}
    for text in texts:
        plain = " ".join(text.casefold().split())
        found = [
            meaning.id
            for meaning in waiting.values()
            if any(form.casefold() in plain for form in meaning.gold[0]) and tells(plain, meaning)
        ]
        for id in found:
            del waiting[id]
    return frozenset(meaning.id for meaning in meanings) - waiting.keys()


def tells(text: str, meaning: Meaning) -> bool:
    """Whether a text holds all of the answer, and something of what it is the answer to: a bare "5" stands in many."""
    return all(any(holds(text, form) for form in item) for item in meaning.gold) and any(
        holds(text, value) for value in meaning.values
    )


def _name(source: Source) -> str:
    """What a source is called in every answer: those from the chart are numbered anew for each question."""
    return f"chart {source.section}" if source.kind == "chart" else source.id
