"""The dataset of the adapter that ships: written organizations, each as the pipeline would serve it, and charts made by
rules.

    python -m trag.finetune.dataset.corpus FOLDER [--seed N] [--only SLUG ...]

folder of organizations -> a home each (ingest, index, finder) -> Examples -> dataset folder.  An organization that is
done is not done again by the same program, so that what was interrupted goes on; whole organizations are held out.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from org.chart import Chart
from org.entities import EntityFinder
from store.files import write_atomic
from store.passage import Passage
from trag.ask import Assistant
from trag.asking import Organization
from trag.errors import SHOWN, TragError
from trag.evaluate import chart_cases
from trag.evaluate.cases import Case
from trag.finetune.dataset import charts, examples, homes, organizations, particulars, splitting
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.contexts import gather
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.folders import SEED, write
from trag.finetune.dataset.from_chart import from_chart
from trag.finetune.dataset.from_documents import from_documents
from trag.finetune.dataset.organizations import Written
from trag.line import Line
from trag.llm import open_model
from trag.progress import Progress
from trag.settings import Settings

if TYPE_CHECKING:
    from trag.llm import LanguageModel

CORPUS = Path(__file__).parents[3] / "examples" / "training"
_OWN_CASES = 12  # made by rules from the organization's own chart
_CHARTS = 12  # made by rules, beside the passages of one organization
_OF_CHART = (1, 2, 2, 3)  # questions about each of them
_DRAWN = 24  # of which these are drawn, so that every kind comes
_PARTICULARS = (0, 1, 1, 2)
_OWN_WITH_DOCUMENTS, _WITH_DOCUMENTS = 0.7, 0.4  # of the contexts of its own chart, and of those made by rules
_ABOUT = """Contexts as the assistant sends them, each with questions and the right answers: what the shipped adapter
learned from. Written organizations and charts made by rules, all fictional, under the licence of this repository."""


def make(folders: Sequence[Path], folder: Path, *, seed: int, model: LanguageModel, progress: Progress) -> Card:
    """The dataset of these organizations in `folder`; what was made there of unchanged ones is taken as it is.

    Raises TragError that lists everything that is wrong with the organizations, before any of them is worked on.
    """
    written = _read(folders, progress)
    made: list[Example] = []
    for number, one in enumerate(written):
        progress(one.slug, number, len(written))
        made += _of_organization(one, folder / "organizations", seed, model)
    progress("writing", len(written), len(written))
    held_out = splitting.held_out_sources(made, seed=seed)
    cases = [
        replace(case, id=f"{one.slug}-{case.id}", group=f"{one.slug}-{case.group}" if case.group else "")
        for one in written
        if one.slug in held_out
        for case in one.cases
    ]
    return write(
        folder, made, cases, held_out, title="The shipped adapter's dataset", about=_ABOUT, seed=seed, model=model
    )


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


def _of_organization(written: Written, folder: Path, seed: int, model: LanguageModel) -> tuple[Example, ...]:
    """The examples of one organization, kept under what they were made of."""
    kept = folder / f"{written.slug}-{homes.made_of(written.folder, str(seed))}.jsonl"
    if kept.exists():
        return examples.read(kept.read_bytes(), kept.name)
    chance = Random(f"{seed} {written.slug}")
    with homes.filled(written) as home:
        line = Line(1, 1)
        # Without the reranker: it learned from these very organizations, so that with it their contexts would be easier
        # than those of an organization that it has not met.
        assistant = Assistant(written.organization, home.vectors, home.embedder, model, None, line, home.settings)
        passages = tuple(home.records.library.passages())
        made = tuple(_examples(written, assistant, passages, chance))
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(kept, examples.write(made))
    return made


def _examples(written: Written, assistant: Assistant, passages: Sequence[Passage], chance: Random) -> Iterator[Example]:
    about_documents = [case for case in written.cases if case.kind in ("document", "unanswerable")]
    yield from from_documents(
        written.organization.name,
        about_documents,
        passages,
        lambda _, question: gather(question, assistant),
        source=lambda _: written.slug,
        chance=chance,
    )
    about_chart = [case for case in written.cases if case.kind in ("simple", "complex")]
    about_chart += chart_cases.make(written.chart, seed=chance.randrange(10**6), number=_OWN_CASES)
    yield from from_chart(written.slug, about_chart, assistant, chance=chance, with_documents=_OWN_WITH_DOCUMENTS)
    for _ in range(_CHARTS):
        chart = charts.make(chance)
        other = replace(assistant, organization=Organization(chart.root.name, chart, EntityFinder(chart)))
        cases = _some_cases(chart, chance)
        yield from from_chart(written.slug, cases, other, chance=chance, with_documents=_WITH_DOCUMENTS)


def _some_cases(chart: Chart, chance: Random) -> list[Case]:
    drawn = chart_cases.make(chart, seed=chance.randrange(10**6), number=_DRAWN)
    some = chance.sample(drawn, min(len(drawn), chance.choice(_OF_CHART)))
    return [*some, *particulars.make(chart, chance=chance, number=chance.choice(_PARTICULARS))]


def main(arguments: Sequence[str] | None = None) -> int:
    """The terminal's way in: 0 when the dataset is there, 1 when something is wrong with what it is made of."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(
        prog="python -m trag.finetune.dataset.corpus", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("folder", type=Path, help="where the dataset goes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", nargs="+", metavar="SLUG", help="these organizations alone")
    chosen = parser.parse_args(arguments)
    for name, value in (("HF_HUB_OFFLINE", "1"), ("GOMP_SPINCOUNT", "1000")):  # as trag.cli sets them
        os.environ.setdefault(name, value)
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
            told = make(wanted, chosen.folder, seed=chosen.seed, model=model, progress=progress)
        except SHOWN as error:
            sys.stderr.write(f"{error.message}\n{error.hint}\n")
            return 1
    sys.stdout.write(told.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
