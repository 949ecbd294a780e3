"""What a candidate is measured by: questions that its training has not seen.

home, candidate -> cases of the dataset's held-out side, made from the chart, and of the sets that people keep on the
page Quality.  Knows nothing about answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from trag.errors import TragError
from trag.evaluate import cases as case_files
from trag.evaluate.cases import Case, CaseSets
from trag.finetune.dataset import examples, folders
from trag.finetune.dataset.typed import plain, slips
from trag.finetune.work import MOST_SEED, Works

if TYPE_CHECKING:
    from trag.home import Home

T = TypeVar("T")

SEED = MOST_SEED + 1
"""What the questions made from the chart are drawn by; training draws by no such seed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What both are asked. `sets` says in which set of the home a case stands, by the id of the case; `learned` counts
    the questions of those sets that the candidate was trained on, which neither is asked."""

    cases: tuple[Case, ...]
    sets: Mapping[str, str]
    learned: int


def choose(home: Home, candidate: str, most: int) -> Asked:
    """What is asked of both, each question once and none that the candidate was trained on: of the dataset's held-out
    side, made from the chart, and of the home's sets. Raises TragError when there are none, and when nobody can say
    what it was trained on."""
    from trag.evaluate.chart_cases import make

    learned, chart = _learned(home, candidate), home.organization.chart
    content = home.candidates.cases(candidate).read_bytes()
    held_out = case_files.read(content, "the dataset's questions") if content.strip() else ()
    chosen = spread(_without(held_out, learned), most - most // 3 if chart else most)
    wanted = most - len(chosen)
    made = make(chart, seed=SEED, number=2 * wanted) if chart else ()
    taken = learned | {plain(case.question) for case in chosen}
    fresh = _without(made, taken)[:wanted]
    taken |= {plain(case.question) for case in fresh}
    cases = [
        *(replace(case, id=f"dataset {case.id}") for case in chosen),
        *(replace(case, id=f"chart {case.id}") for case in fresh),
    ]
    kept = CaseSets(home.folder / "cases")
    of_sets = sorted(((each, kept.cases(each)) for each in kept.all()), key=lambda pair: len(pair[1]))
    sets, room = dict[str, str](), most
    for left, (each, whole) in zip(range(len(of_sets), 0, -1), of_sets, strict=True):  # the small ones leave room
        some = [replace(case, id=f"{each.id[:12]} {case.id}") for case in spread(_without(whole, taken), room // left)]
        taken |= {plain(case.question) for case in some}
        sets |= {case.id: each.name for case in some}
        cases += some
        room -= len(some)
    if not cases:
        raise TragError(
            "There is nothing to measure the adapter by: no question that it was not trained on.",
            "Activate a chart, upload a set of questions on the page Quality, or give documents with pairs and "
            "fine-tune again.",
        )
    known = sum(_is_in(case, learned) for _, whole in of_sets for case in whole)
    return Asked(tuple(cases), sets, known)


def spread(cases: Sequence[T], most: int) -> Sequence[T]:
    """At most so many, evenly from first to last."""
    return cases if len(cases) <= most else [cases[place * len(cases) // most] for place in range(most)]


def learned(home: Home, candidate: str) -> tuple[str, ...] | None:
    """The questions that a candidate was trained on, those of its dataset where it has none of its own; None where
    nobody can say."""
    asked = home.candidates.learned(candidate)
    if asked is not None:
        return asked
    works = Works(home.folder / "finetune")
    files = (works.dataset(work) / folders.TRAIN for work in works.all() if work.candidate == candidate)
    file = next((file for file in files if file.is_file()), None)
    return examples.questions(examples.read(file.read_bytes(), str(file))) if file else None


def _learned(home: Home, candidate: str) -> frozenset[str]:
    asked = learned(home, candidate)
    if asked is None:
        raise TragError(
            f"Nobody can say any more which questions {candidate} was trained on, so nothing can measure it.",
            "Fine-tune again.",
        )
    return frozenset(map(plain, asked))


def _without(cases: Iterable[Case], taken: Collection[str]) -> list[Case]:
    """Those whose question is not `taken`, nor taken with a slip of the fingers, each question once."""
    found = {plain(case.question): case for case in cases if not _is_in(case, taken)}
    return list(found.values())


def _is_in(case: Case, taken: Collection[str]) -> bool:
    return plain(case.question) in taken or any(slip in taken for slip in slips(case.question))
