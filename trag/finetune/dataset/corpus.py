"""The dataset of the adapter that the project trains: written organizations, and charts made by rules.

    python -m trag.finetune.dataset.corpus FOLDER [--seed N] [--refused SHARE] [--charts N] [--only SLUG ...]

folders of organizations -> chart queries, answers from documents, condensed follow-ups -> Examples -> dataset folder.
Whole organizations are held out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from org.linking.entities import EntityFinder, Organization
from trag.errors import SHOWN, TragError
from trag.finetune.dataset import chart_queries, charts, condensing, documents, organizations, splitting
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.folders import SEED, write
from trag.finetune.dataset.organizations import Written
from trag.llm.opening import open_model
from trag.progress import Progress
from trag.settings import Settings

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel

CORPUS = Path(__file__).parents[3] / "examples" / "training"
CHARTS = 6
"""Charts made by rules, beside the own one of each organization; one in three is of people."""
_OWN, _MADE = 36, 24  # chart queries about the own chart, and about each of those, in either form
_NEAR_MISSES = 24  # questions of the documents, of one organization
_WRITTEN = 3  # times that what is hard to read is shown, in another order of its excerpts
_NO_QUESTIONS = 6  # messages to one organization that are none
_CONDENSED = 16  # follow-ups of one organization
_ABOUT = """Prompts as the assistant sends them, each with its right answer: chart queries, answers from excerpts of
documents, and follow-ups made to stand alone. Written organizations and charts made by rules, all fictional, under the
licence of this repository."""


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
    written = _read(folders, progress)
    made: list[Example] = []
    for number, one in enumerate(written):
        progress(one.slug, number, len(written))
        made += of_organization(one, Random(f"{seed} {one.slug}"), refused=refused, made_charts=made_charts)
    for turn in range(_WRITTEN):
        made += documents.written(Random(f"{seed} written {turn}"))
    made += condensing.written()
    progress("writing", len(written), len(written))
    held_out = splitting.held_out_sources(made, seed=seed)
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
    yield from documents.from_cases(slug, written.cases, written.passages, own, chance=chance, refused=refused)
    yield from documents.no_questions(slug, written.passages, chance=chance, number=_NO_QUESTIONS)
    yield from chart_queries.from_chart(slug, own, chance=chance, number=_OWN)
    asked = [case for case in written.cases if not (case.document or case.refuse)]
    about_documents = chance.sample(written.cases, len(written.cases))
    yield from chart_queries.from_cases(slug, asked, own, chance=chance)
    misses = chart_queries.from_cases(
        slug, (case for case in about_documents if case.document or case.refuse), own, chance=chance
    )
    yield from (example for _, example in zip(range(_NEAR_MISSES), misses, strict=False))
    for number in range(made_charts):
        people = number % 3 == 2
        chart = charts.of_people(chance) if people else charts.make(chance)
        other = Organization(chart.root.name, chart, EntityFinder(chart))
        yield from chart_queries.from_chart(slug, other, chance=chance, number=_MADE, people=people)
        yield from condensing.from_organization(slug, other, written.cases, chance=chance, number=2)
    yield from condensing.from_organization(slug, own, written.cases, chance=chance, number=_CONDENSED)


def _read(folders: Sequence[Path], progress: Progress) -> tuple[Written, ...]:
    written: list[Written] = []
    problems: list[str] = []
    for number, folder in enumerate(folders):
        progress(f"reading {folder.name}", number, len(folders))
        try:
            written.append(organizations.read(folder))
        except TragError as error:
            problems.append(error.message)
    if problems or not written:
        raise TragError(
            "\n".join(problems) or "There is no organization.", "examples/training/README.md says what is needed."
        )
    return tuple(written)


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
