"""A written organization: a chart, documents, and questions with their right answers, in one folder.

folder -> Written, with everything that is wrong with it at once.  Knows nothing about contexts or models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from org.chart import Chart, ChartError
from org.linking.entities import EntityFinder, Organization
from org.reading.charts import load
from store.passage import Passage
from trag.errors import TragError
from trag.evaluate import cases
from trag.evaluate.cases import Case, names_section
from trag.evaluate.scoring.wording import says
from trag.finetune.dataset import gold
from trag.finetune.dataset.typed import plain
from trag.ingest.parse import parse
from trag.ingest.passages import section_passages
from trag.ingest.sections import Section, sections

CHART, DOCUMENTS, QUESTIONS = "chart.csv", "documents", "questions.jsonl"
LEAST_SECTIONS, LEAST_WORDS = 12, 1_100
LEAST_OF_KIND = {"document": 32, "unanswerable": 8, "simple": 5, "complex": 4}
LONG, LEAST_LONG = 28, 3
"""Words of a question that tells a situation first, and how many such there must be."""
SHORT, LEAST_SHORT = 6, 5
LONGEST_ANSWER = 45
"""Words."""


@dataclass(frozen=True, slots=True)
class Written:
    """An organization as somebody wrote it, complete and sound."""

    slug: str
    folder: Path
    organization: Organization
    cases: tuple[Case, ...]
    passages: tuple[Passage, ...]

    @property
    def chart(self) -> Chart:
        """Its chart; every written organization has one."""
        if self.organization.chart is None:
            raise ValueError(f"{self.slug} has no chart")
        return self.organization.chart


def read(folder: Path) -> Written:
    """The organization in a folder. Raises TragError with all that is wrong with it: a part that cannot be read, too
    few sections or questions, a section that is not there, gold that does not stand in its section, an answer that its
    own gold does not take for right."""
    try:
        chart = load((folder / CHART).read_bytes(), CHART)
        asked = cases.read((folder / QUESTIONS).read_bytes(), QUESTIONS)
    except (ChartError, TragError, OSError) as error:
        raise TragError(f"{folder.name}: {error}", getattr(error, "hint", "")) from error
    organization = Organization(chart.root.name, chart, EntityFinder(chart))
    found = _sections(folder / DOCUMENTS)
    problems = [*_in_all(found, asked)]
    for case in asked:
        problems += [f"{case.id}: {problem}" for problem in _of_case(case, found, organization)]
    if problems:
        raise TragError(f"{folder.name}: " + "\n".join(problems), "examples/training/README.md says what is needed.")
    passages = [one for name in dict.fromkeys(name for name, _ in found) for one in _passages(name, found)]
    return Written(folder.name, folder, organization, asked, tuple(passages))


def _passages(document: str, found: Sequence[tuple[str, Section]]) -> Sequence[Passage]:
    return section_passages(document, [section for name, section in found if name == document])


def _sections(folder: Path) -> Sequence[tuple[str, Section]]:
    """Every section with the name of its document."""
    return [
        (file.name, section)
        for file in sorted(folder.iterdir())
        for section in sections(parse(file.read_bytes(), file.suffix).blocks, file.stem)
    ]


def _in_all(found: Sequence[tuple[str, Section]], asked: Sequence[Case]) -> Iterator[str]:
    words = sum(len(section.text.split()) for _, section in found)
    if len(found) < LEAST_SECTIONS:
        yield f"{len(found)} sections, at least {LEAST_SECTIONS} are needed"
    if words < LEAST_WORDS:
        yield f"{words} words in its documents, at least {LEAST_WORDS} are needed"
    kinds = Counter(case.kind for case in asked)
    for kind, least in LEAST_OF_KIND.items():
        if kinds[kind] < least:
            yield f"{kinds[kind]} questions of the kind {kind}, at least {least} are needed"
    if unknown := sorted(set(kinds) - set(LEAST_OF_KIND)):
        yield f"questions of the kinds {', '.join(unknown)}; the kinds are {', '.join(LEAST_OF_KIND)}"
    lengths = [len(case.question.split()) for case in asked]
    if sum(length >= LONG for length in lengths) < LEAST_LONG:
        yield f"fewer than {LEAST_LONG} questions of {LONG} words and more"
    if sum(length <= SHORT for length in lengths) < LEAST_SHORT:
        yield f"fewer than {LEAST_SHORT} questions of at most {SHORT} words"
    for question, times in Counter(plain(case.question) for case in asked).items():
        if times > 1:
            yield f'"{question}" is asked {times} times'


def _of_case(case: Case, found: Sequence[tuple[str, Section]], organization: Organization) -> Iterator[str]:
    own = [section for document, section in found if names_section(case, document, section.path)]
    paths = {section.path for section in own}
    if case.kind in ("document", "unanswerable") and len(paths) != 1:
        known = [section.path for document, section in found if document == case.document]
        yield f'{len(paths)} sections "{case.section}" in "{case.document}", which has: {"; ".join(known) or "nothing"}'
        return
    if case.kind == "unanswerable":
        if not case.refuse:
            yield 'needs "refuse": true'
        return
    if not case.answer:
        yield "has no answer"
        return
    if len(case.answer.split()) > LONGEST_ANSWER:
        yield f"its answer has {len(case.answer.split())} words, more than {LONGEST_ANSWER}"
    if case.kind == "document" and not case.polarity:
        text = "\n".join(f"{section.path}\n{section.text}" for section in own)
        for item in case.gold:
            if not says(text, item):
                yield f"none of {', '.join(item)} stands in its section"
    try:
        scored = gold.scored(case, case.answer, organization)
    except TragError as error:
        yield error.message
    else:
        if scored.verdict not in gold.RIGHT:
            yield f"its own answer is {scored.verdict or 'left open'}: {'; '.join(scored.reasons)}"
