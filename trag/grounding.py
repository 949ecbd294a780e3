"""Whether an answer stands on what the reader was shown: its numbers, its names, and how it places units.

answer, evidence, chart -> every sentence with the words that bear it out, and what speaks against it

Facts are compared as they are written, so that no rule of a language decides: a number or a name that stands neither in
the evidence nor in the question was invented, whatever the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from org.chart import Chart
from org.query.sentences import placement
from trag.lexical import numbers, sentences, stems
from trag.record import CheckedSentence, Checks, Misplaced

if TYPE_CHECKING:
    from org.linking.entities import EntityFinder, Organization

_NAME = re.compile(r"(?<![.!?:;–—\-(\[\"“„«]\s)(?<![.!?:;–—\-(\[\"“„«])(?<!^)\b[^\W\d_]*[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я][\w'’-]*")
"""A word with a capital letter that does not begin a sentence or a part of one."""

Named = tuple[str, int, int]
"""A unit's id, and from where to where the text names it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that the answer may stand on, under the id of its source. It was shown under its `heading`, whose names
    and numbers an answer may say too."""

    id: str
    text: str
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Grounding:
    """What was found: for the record, and as a sentence for the model to mend its answer by, "" for nothing."""

    checks: Checks
    finding: str = ""


def check(question: str, answer: str, evidence: Sequence[Evidence], organization: Organization) -> Grounding:
    """Every sentence of `answer` with the evidence that bears it out, and what neither that nor the chart knows."""
    checked: list[CheckedSentence] = []
    invented: list[str] = []
    for sentence in sentences(answer):
        names, figures = _NAME.findall(sentence), numbers(sentence)
        missing: list[list[str]] = []
        for one in evidence:
            text = f"{question}\n{one.heading}\n{one.text}"
            held = text.casefold()
            unknown = [name for name in names if name.casefold() not in held]
            missing.append(unknown + [f"{figure:,g}" for figure in sorted(figures - numbers(text))])
        fitting = [one for one, unknown in zip(evidence, missing, strict=True) if not unknown]
        if fitting:
            checked.append(_attributed(question, sentence, fitting))
        else:
            checked.append(CheckedSentence(sentence, False))
            fewest: list[str] = min(missing, key=len, default=[sentence])
            invented += fewest
    misplaced = tuple(_misplaced(answer, evidence, organization))
    said = [f"{one} stands in none of the excerpts" for one in dict.fromkeys(invented)]
    said += [f"{one.unit} is not under {one.claimed} but under {one.actual}" for one in misplaced]
    checks = Checks(sentences=tuple(checked), misplaced=misplaced, chart=organization.version)
    return Grounding(checks, "; ".join(said))


def _attributed(question: str, sentence: str, evidence: Sequence[Evidence]) -> CheckedSentence:
    """The sentence with the line of the evidence that has most in common with it, and then with the question."""
    wanted, asked = stems(sentence) | numbers(sentence), stems(question) | numbers(question)
    lines = [(one, line) for one in evidence for line in sentences(one.text)]

    def shared(line: str) -> tuple[int, int]:
        held = stems(line) | numbers(line)
        return len(held & wanted), len(held & asked)

    best = max(lines, key=lambda one: shared(one[1]), default=None)
    return CheckedSentence(sentence, True, best[0].id, best[1]) if best else CheckedSentence(sentence, False)


def _misplaced(answer: str, evidence: Sequence[Evidence], organization: Organization) -> Iterator[Misplaced]:
    """Units that the answer puts where the chart does not have them (T-RAG, table 5: real units under a wrong parent).

    Two that one sentence names together are right where one is above the other, both are beside each other, or a line
    of the evidence names them together too, or has the very words: "A sends its report to B" says nothing about the
    chart, and "A of B" may be a title. In the chart's own words a document has no say: there the chart alone decides.
    """
    chart, finder = organization.chart, organization.finder
    if chart is None or finder is None:
        return
    lines = [line for one in evidence for line in sentences(one.text)]
    together = [{unit for unit, _, _ in _units(line, finder)} for line in lines]
    held = "\n".join(lines).casefold()
    for sentence in sentences(answer):
        named = _units(sentence, finder)
        claimed = {(one[0], two[0]) for one, two in pairwise(named) if _is_placed(sentence, one, two, chart, finder)}
        wrong = [(first, second) for first, second in sorted(claimed) if not chart.is_under(first, second)]
        said = {
            (min(one[0], two[0]), max(one[0], two[0]))
            for one, two in combinations(named, 2)
            if one[0] != two[0] and sentence[one[1] : two[2]].casefold() not in held
        }
        wrong += [
            (first, second)
            for first, second in sorted(said)
            if not claimed & {(first, second), (second, first)}
            and not any({first, second} <= some for some in together)
            and not (chart.is_under(first, second) or chart.is_under(second, first))
            and chart.unit(first).parent != chart.unit(second).parent
        ]
        for first, second in wrong:
            parent = chart.unit(first).parent
            yield Misplaced(
                chart.unit(first).name, chart.unit(second).name, chart.unit(parent).name if parent else "nothing"
            )


def _units(text: str, finder: EntityFinder) -> list[Named]:
    """The units that are named for certain."""
    return [(one.units[0], one.start, one.end) for one in finder.find(text) if len(one.units) == 1]


def _is_placed(sentence: str, first: Named, second: Named, chart: Chart, finder: EntityFinder) -> bool:
    """Whether between two units stands what the chart's own sentence on a unit has there, "is under", but for an
    article."""
    placed = placement((first if chart.unit(first[0]).parent else second)[0], chart).text
    own = _between(placed, *known[:2]) if len(known := _units(placed, finder)) > 1 else []
    said = _between(sentence, first, second)
    return min(len(own), len(said)) > 1 and all(map(str.__eq__, own, said)) and abs(len(own) - len(said)) <= 1


def _between(text: str, first: Named, second: Named) -> list[str]:
    return text[first[2] : second[1]].casefold().split()
