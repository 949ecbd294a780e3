"""Whether an answer stands on what the reader was shown: its numbers, its names, and how it places units.

answer, evidence, chart -> every sentence with the words that bear it out, and what speaks against it

Facts are compared as they are written, so that no rule of a language decides: a number or a name that stands neither in
the evidence nor in the question was invented, whatever the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from org.chart import Chart
from org.query.sentences import placement
from store.language import ENGLISH, language
from trag.lexical import numbers, sentences, stem, stems, words
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
    asked, spoken = language(question) or ENGLISH, [language(one.text, surely=True) or ENGLISH for one in evidence]
    held = [f"{question}\n{one.heading}\n{one.text}" for one in evidence]
    # Whether "1.500" is meant as it is written in the evidence or where one asks, nobody knows: either will do.
    known = [numbers(text) | numbers(text, tongue) for text, tongue in zip(held, spoken, strict=True)]
    # In German every noun has a capital letter, and so an ending: "sechs Monate" are "sechs Monaten".
    forms = [
        _stems(text, tongue) if tongue != ENGLISH else frozenset() for text, tongue in zip(held, spoken, strict=True)
    ]
    held = [text.casefold() for text in held]
    asks = {tongue: _facts(question, tongue) for tongue in spoken}
    for sentence in sentences(answer):
        names = _NAME.findall(sentence)
        figures = {tongue: numbers(sentence, tongue) for tongue in (ENGLISH, asked, *spoken)}
        missing: list[list[str]] = []
        for text, there, inflected, tongue in zip(held, known, forms, spoken, strict=True):
            unknown = [name for name in names if name.casefold() not in text]
            unknown = [name for name in unknown if not _stems(name, tongue) & inflected]
            fewest = min((figures[each] - there for each in (ENGLISH, asked, tongue)), key=len)
            missing.append(unknown + [f"{figure:,g}" for figure in sorted(fewest)])
        fitting = [(one, tongue) for one, tongue, unknown in zip(evidence, spoken, missing, strict=True) if not unknown]
        if fitting:
            checked.append(_attributed(sentence, fitting, asks))
        else:
            checked.append(CheckedSentence(sentence, False))
            least: list[str] = min(missing, key=len, default=[sentence])
            invented += least
    misplaced = tuple(_misplaced(answer, evidence, organization))
    said = [f"{one} stands in none of the excerpts" for one in dict.fromkeys(invented)]
    said += [f"{one.unit} is not under {one.claimed} but under {one.actual}" for one in misplaced]
    checks = Checks(sentences=tuple(checked), misplaced=misplaced, chart=organization.version)
    return Grounding(checks, "; ".join(said))


def _attributed(
    sentence: str, evidence: Sequence[tuple[Evidence, str]], asks: Mapping[str, frozenset[str | float]]
) -> CheckedSentence:
    """The sentence with the line of the evidence, each with its language, that has most in common with it, and then
    with what the question `asks`, by the language that it is compared in."""
    says = {tongue: _facts(sentence, tongue) for _, tongue in evidence}
    lines = [(one, line, tongue) for one, tongue in evidence for line in sentences(one.text)]

    def shared(line: str, tongue: str) -> tuple[int, int]:
        held = _facts(line, tongue)
        return len(held & says[tongue]), len(held & asks[tongue])

    best = max(lines, key=lambda one: shared(*one[1:]), default=None)
    return CheckedSentence(sentence, True, best[0].id, best[1]) if best else CheckedSentence(sentence, False)


def _stems(text: str, tongue: str) -> frozenset[str]:
    return frozenset(stem(word, tongue) for word in words(text))


def _facts(text: str, tongue: str) -> frozenset[str | float]:
    return stems(text, tongue) | numbers(text, tongue)


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
