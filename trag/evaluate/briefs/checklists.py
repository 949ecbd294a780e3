"""How much of what there is to say a text tells: facts written by somebody who read the documents and no briefing.

file: a line each, {"subject", "facts", "sections"} -> Checklists; texts about their subjects, the judge -> table
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trag import json_lines
from trag.evaluate.briefs.ais import share
from trag.evaluate.briefs.judge import Judge
from trag.evaluate.briefs.measures import covered, words
from trag.evaluate.briefs.names import Name
from trag.evaluate.briefs.systems import CALLED, Written
from trag.evaluate.tables import Table
from trag.json_lines import Words

SET = "checklist"
_NOTE = (
    "The judge takes the text for the evidence of each fact, and is not validated yet: it tells systems apart, and no "
    "share is more than an estimate. Intervals: 95%, texts drawn with replacement."
)


@dataclass(frozen=True, slots=True)
class Checklist:
    """What a text about a subject may tell: a sentence each, and the section of each."""

    subject: Words
    facts: tuple[Words, ...]
    sections: tuple[Words, ...]

    @property
    def name(self) -> Name:
        """The subject as systems are given it."""
        return Name(SET, self.subject)


def read(file: Path) -> tuple[Checklist, ...]:
    """The checklists of a file. Raises TragError naming every bad line."""

    def wrong(one: Checklist) -> Iterator[str]:
        if len(one.facts) != len(one.sections) or not one.facts:
            yield "needs a section for each fact, and a fact"

    return json_lines.read(file, Checklist, "checklists", "bench/briefs/README.md has the form.", wrong)


def coverage(by_system: Mapping[str, Sequence[Written]], lists: Sequence[Checklist], judge: Judge) -> Table:
    """The share of the facts that each system tells, a text that refuses telling none."""
    facts = {one.subject: one.facts for one in lists}
    rows = []
    for system, texts in by_system.items():
        said = [" ".join(one.sentences) for one in texts]
        told = [
            sum(covered(text, facts[one.name], judge)) if text else 0 for one, text in zip(texts, said, strict=True)
        ]
        counts = [(right, len(facts[one.name])) for one, right in zip(texts, told, strict=True)]
        found = share(counts, lambda some: sum(right for right, _ in some) / sum(all for _, all in some))
        length = sum(map(words, said)) / len(said)
        interval = f"{100 * found.value:.1f} ({100 * found.low:.0f}-{100 * found.high:.0f})"
        shown = (str(len(texts)), f"{sum(told)} of {sum(all for _, all in counts)}", interval, f"{length:.0f}")
        rows.append((CALLED[system], *shown))
    return Table(
        "Facts of the checklists that are told", ("system", "texts", "facts", "%", "words"), tuple(rows), _NOTE
    )
