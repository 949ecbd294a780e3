"""The dataset of the adapter that the project trains: written organizations, and charts made by rules.

    python -m trag.finetune.dataset.corpus FOLDER [--seed N] [--refused SHARE] [--charts N] [--only SLUG ...]

folders of organizations -> chart queries, answers from documents, condensed follow-ups -> Examples -> dataset folder.
Whole organizations are held out.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from org.chart import ChartError
from org.linking.entities import EntityFinder, Organization
from org.reading.charts import load
from store.passage import Passage
from trag.errors import SHOWN, TragError
from trag.evaluate import cases
from trag.evaluate.cases import Case, names_section
from trag.evaluate.scoring.wording import says
from trag.finetune.dataset import chart_queries, charts, condensing, documents
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.folders import SEED, Card, held_out_sources, write
from trag.finetune.dataset.typos import plain
from trag.ingest.parse import parse
from trag.ingest.passages import Section, section_passages, sections
from trag.llm.opening import open_model
from trag.progress import Progress
from trag.settings import Settings

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel

CORPUS = Path(__file__).parents[3] / "examples" / "training"
CHARTS = 3
"""Charts made by rules, beside the own one of each organization; one in three is of people."""
_OWN, _MADE = 36, 24  # chart queries about the own chart, and about each of those, in either form
_NEAR_MISSES = 24  # questions of the documents, of one organization
_DRAWN = 2  # times that each question is shown, over other excerpts
_WRITTEN = 3  # times that what is hard to read is shown, in another order of its excerpts
_NO_QUESTIONS = 6  # messages to one organization that are none
_CONDENSED = 16  # follow-ups of one organization
_ABOUT = """Prompts as the assistant sends them, each with its right answer: chart queries, answers from excerpts of
documents, and follow-ups made to stand alone. Written organizations and charts made by rules, all fictional, under the
licence of this repository."""
CHART, DOCUMENTS, QUESTIONS = "chart.csv", "documents", "questions.jsonl"
LEAST_SECTIONS, LEAST_WORDS = 12, 1_100
LEAST_OF_KIND = {"document": 32, "unanswerable": 8, "simple": 5, "complex": 4}
LONG, LEAST_LONG = 28, 3
"""Words of a question that tells a situation first, and how many such there must be."""
SHORT, LEAST_SHORT = 6, 5
LONGEST_ANSWER = 45
"""Words."""
_README = "examples/training/README.md says what is needed."


@dataclass(frozen=True, slots=True)
class Written:
    """An organization as somebody wrote it, complete and sound."""

    slug: str
    folder: Path
    organization: Organization
    cases: tuple[Case, ...]
    passages: tuple[Passage, ...]


def read(folder: Path) -> Written:
    """The organization in a folder. Raises TragError with all that is wrong with it, from a part that cannot be read to
    an answer that its own gold does not take for right."""
    try:
        chart = load((folder / CHART).read_bytes(), CHART)
        asked = cases.read((folder / QUESTIONS).read_bytes(), QUESTIONS)
    except (ChartError, TragError, OSError) as error:
        raise TragError(f"{folder.name}: {error}", getattr(error, "hint", "")) from error
    organization = Organization(chart.root.name, chart, EntityFinder(chart))
    found = [
        (file.name, section)
        for file in sorted((folder / DOCUMENTS).iterdir())
        for section in sections(parse(file.read_bytes(), file.suffix).blocks, file.stem)
    ]
    problems = [*_problems_in_all(found, asked)]
    for case in asked:
        problems += [f"{case.id}: {problem}" for problem in _problems_of_case(case, found, organization)]
    if problems:
        raise TragError(f"{folder.name}: " + "\n".join(problems), _README)
    passages = [
        passage
        for document in dict.fromkeys(name for name, _ in found)
        for passage in section_passages(document, [section for name, section in found if name == document])
    ]
    return Written(folder.name, folder, organization, asked, tuple(passages))


def _problems_in_all(found: Sequence[tuple[str, Section]], asked: Sequence[Case]) -> Iterator[str]:
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


def _problems_of_case(case: Case, found: Sequence[tuple[str, Section]], organization: Organization) -> Iterator[str]:
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
        scored = chart_queries.scored(case, case.answer, organization)
    except TragError as error:
        yield error.message
    else:
        if scored.verdict not in chart_queries.RIGHT:
            yield f"its own answer is {scored.verdict or 'left open'}: {'; '.join(scored.reasons)}"


def make(
    folders: Sequence[Path],
    folder: Path,
    *,
    seed: int,
    model: LanguageModel,
    progress: Progress,
    refused: float = documents.REFUSED,
    made_charts: int = CHARTS,
) -> Card:
    """The dataset of these organizations in `folder`; of the answers from documents a share of `refused` are refusals.

    Raises TragError that lists everything that is wrong with the organizations, before any of them is worked on.
    """
    written, problems = list[Written](), list[str]()
    for number, each in enumerate(folders):
        progress(f"reading {each.name}", number, len(folders))
        try:
            written.append(read(each))
        except TragError as error:
            problems.append(error.message)
    if problems or not written:
        raise TragError("\n".join(problems) or "There is no organization.", _README)
    made: list[Example] = []
    for number, one in enumerate(written):
        progress(one.slug, number, len(written))
        made += of_organization(one, Random(f"{seed} {one.slug}"), refused=refused, made_charts=made_charts)
    for turn in range(_WRITTEN):
        made += documents.written(Random(f"{seed} written {turn}"))
    made += condensing.written()
    progress("writing", len(written), len(written))
    held_out = held_out_sources(made, seed=seed)
    cases = [
        replace(case, id=f"{one.slug}-{case.id}", group=f"{one.slug}-{case.group}" if case.group else "")
        for one in written
        if one.slug in held_out
        for case in one.cases
    ]
    return write(folder, made, cases, held_out, title="The project's dataset", about=_ABOUT, seed=seed, model=model)


def of_organization(written: Written, chance: Random, *, refused: float, made_charts: int) -> Iterator[Example]:
    """The examples of one organization, and of charts made by rules, which are its own for the split."""
    slug, own = written.slug, written.organization
    for _ in range(_DRAWN):
        for _, example in documents.examples(written.cases, written.passages, own, chance=chance, refused=refused):
            yield replace(example, source=slug)
    yield from documents.no_questions(slug, written.passages, chance=chance, number=_NO_QUESTIONS)
    yield from chart_queries.from_chart(slug, own, chance=chance, number=_OWN)
    asked = [case for case in written.cases if not (case.document or case.refuse)]
    about_documents = [
        case for case in chance.sample(written.cases, len(written.cases)) if case.document or case.refuse
    ]
    yield from chart_queries.from_cases(slug, asked, own, chance=chance)
    yield from islice(chart_queries.from_cases(slug, about_documents, own, chance=chance), _NEAR_MISSES)
    for number in range(made_charts):
        people = number % 3 == 2
        chart = charts.of_people(chance) if people else charts.make(chance)
        other = Organization(chart.root.name, chart, EntityFinder(chart))
        yield from chart_queries.from_chart(slug, other, chance=chance, number=_MADE, people=people)
        yield from condensing.from_organization(slug, other, written.cases, chance=chance, number=2)
    yield from condensing.from_organization(slug, own, written.cases, chance=chance, number=_CONDENSED)


def main(arguments: Sequence[str] | None = None) -> int:
    """The terminal's way in: 0 when the dataset is there, 1 when something is wrong with what it is made of."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(
        prog="python -m trag.finetune.dataset.corpus", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("folder", type=Path, help="where the dataset goes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--refused", type=float, default=documents.REFUSED, help="share of refusals")
    parser.add_argument("--charts", type=int, default=CHARTS, help="charts made by rules beside each organization")
    parser.add_argument("--only", nargs="+", metavar="SLUG", help="these organizations alone")
    chosen = parser.parse_args(arguments)
    known = {path.name: path for path in sorted(CORPUS.iterdir()) if path.is_dir()}
    if unknown := sorted(set(chosen.only or ()) - set(known)):
        parser.error(f"there is no organization {', '.join(unknown)} in {CORPUS}")
    wanted = [known[name] for name in chosen.only or known]
    model = open_model(Settings(home=chosen.folder))
    with closing(model), tqdm(unit="organization", file=sys.stderr, disable=None) as bar:

        def progress(step: str, done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.set_description(step)

        try:
            told = make(
                wanted,
                chosen.folder,
                seed=chosen.seed,
                model=model,
                progress=progress,
                refused=chosen.refused,
                made_charts=chosen.charts,
            )
        except SHOWN as error:
            sys.stderr.write(f"{error.message}\n{error.hint}\n")
            return 1
    sys.stdout.write(told.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
