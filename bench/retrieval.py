"""python -m bench.retrieval [FOLDER ...]: what a search finds, with sections, with pairs, with both.

hit@k by two measures: a passage of the right section is among those found, and those found hold all of the gold. One
table: several weights of MMR on sections, then what is searched and how many passages are taken, then the excerpts
that the assistant's reader is shown, without its own likelihoods, without the reranker too. FOLDER holds documents/
and questions.jsonl or development.jsonl, and may hold pairs.jsonl; without a folder, the organizations that parameters
are tuned on. The sample's development questions (examples/larkmoor) are for reporting, never for choosing.

With --sweep: one parameter of the search after the other, the rest as they are, on the same folders, on bench/housing
(three houses whose rules are alike but for their figures), and on all of these in one index. A cell says how many right
sections / golds are among three sections, then among the candidates that the reranker is given, and their mean
characters.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from bench.score import held
from store import index as search_index
from store.index import DIVERSITY
from store.passage import Passage
from trag import retrieve
from trag.evaluate import cases
from trag.evaluate.cases import Case
from trag.home import Home, open_home
from trag.ingest import index
from trag.retrieve import SHOWN
from trag.settings import Settings

ORGANIZATIONS = Path(__file__).parent / "organizations"
HOUSING = Path(__file__).parent / "housing"
DIVERSITIES = (0.0, 0.1, 0.2, 0.3, 0.5)

Search = Callable[[str, np.ndarray], Sequence[Passage]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweep", action="store_true", help="vary the parameters of the search")
    parser.add_argument("folders", type=Path, nargs="*", default=sorted(ORGANIZATIONS.iterdir()))
    options = parser.parse_args()
    if options.sweep:
        sweep([*options.folders, HOUSING])
        return
    counts: dict[str, list[int]] = {}
    for folder in options.folders:
        for row, found in measured(folder).items():
            counts[row] = [a + b for a, b in zip(counts.get(row, [0] * len(found)), found, strict=True)]
    print(
        "| searched | questions | right section | all of the gold | passages | characters |\n|---|---|---|---|---|---|"
    )
    for row, (asked, section, gold, number, characters) in counts.items():
        print(f"| {row} | {asked} | {section} | {gold} | {number / asked:.1f} | {characters / asked:,.0f} |")


def measured(folder: Path) -> dict[str, list[int]]:
    """For each way of searching: questions, right sections, golds, passages, characters of passages."""
    questions = questions_of(folder)
    result: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as home_folder, open_home(Settings(home=Path(home_folder))) as home:
        fill(home, [folder])
        for diversity in DIVERSITIES:
            found = searched(home, questions, ["section"], 3, diversity)
            result[f"sections, 3, diversity {diversity}"] = found
        result["sections, 6"] = searched(home, questions, ["section"], 6)
        result |= as_shown(home, questions, "excerpts of sections")
    by_hand = folder / "pairs.jsonl"
    if by_hand.exists():
        with tempfile.TemporaryDirectory() as home_folder, open_home(Settings(home=Path(home_folder))) as home:
            index.ingest([folder / "documents", by_hand], home.stock)
            result |= with_pairs(home, questions)
    return result


def with_pairs(home: Home, questions: Sequence[Case]) -> dict[str, list[int]]:
    """The ways of searching that use the pairs in a home."""
    result = {"pairs, 3": searched(home, questions, ["qa"], 3)}
    for k in (3, 4, 5, 6):
        result[f"sections and pairs, {k} in all"] = searched(home, questions, ["qa", "section"], k)
    return result | as_shown(home, questions, "excerpts of sections and pairs")


def as_shown(home: Home, questions: Sequence[Case], called: str) -> dict[str, list[int]]:
    """What the assistant's reader is shown, and what it would be without its own likelihoods, and the reranker."""
    assert home.reranker
    vectors, weigh = asked_by(home, questions), home.reranker.weigh
    ways: Mapping[str, tuple[retrieve.Weigh | None, retrieve.Likelihood | None]] = {
        "": (weigh, partial(retrieve.query_likelihood, home.model)),
        ", by the reranker alone": (weigh, None),
        ", not reranked": (None, None),
    }
    return {
        f"{called}, {SHOWN}{way}": scored(questions, vectors, partial(excerpts, home, *how))
        for way, how in ways.items()
    }


def excerpts(
    home: Home,
    weigh: retrieve.Weigh | None,
    likelihood: retrieve.Likelihood | None,
    question: str,
    vector: np.ndarray,
) -> Sequence[Passage]:
    """The passages of excerpts, cut to these."""
    found = retrieve.ranked(question, vector, home.vectors, readers=None, weigh=weigh, likelihood=likelihood)
    return [replace(one.passage, text=one.text) for one in retrieve.excerpts(found)]


def searched(
    home: Home, questions: Sequence[Case], kinds: Sequence[str], k: int, diversity: float = DIVERSITY
) -> list[int]:
    """What one search finds."""

    def search(question: str, vector: np.ndarray) -> Sequence[Passage]:
        return home.vectors.search(vector, question, kinds=kinds, k=k, diversity=diversity, readers=None)

    return scored(questions, asked_by(home, questions), search)


def asked_by(home: Home, questions: Sequence[Case]) -> np.ndarray:
    """The vectors of questions, shape (n, dimension)."""
    return home.embedder.embed_questions([case.question for case in questions])


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of every parameter of the search; the defaults are those in use."""

    fetch: int = 20
    constant: float = search_index._RANK
    agreement: float = search_index._AGREEMENT
    diversity: float = DIVERSITY
    candidates: int = retrieve.CANDIDATES


CHOICES = {
    "as it is": Choice(),
    **{f"fetch {fetch}": Choice(fetch=fetch) for fetch in (5, 10, 40, 80)},
    **{f"fusion constant {constant}": Choice(constant=constant) for constant in (5, 20, 120, 240)},
    **{f"agreement {agreement}": Choice(agreement=agreement) for agreement in (1, 2, 8)},
    **{f"MMR lambda {1 - diversity:.1f}": Choice(diversity=diversity) for diversity in (0.0, 0.1, 0.3, 0.5)},
    **{f"{number} candidates of each kind": Choice(candidates=number) for number in (3, 5, 20)},
}


def sweep(folders: Sequence[Path]) -> None:
    """Print how the search fares with each choice on each folder, and on all of them in one index."""
    cells: dict[str, list[str]] = {row: [] for row in ("questions", *CHOICES)}
    for some in [*([folder] for folder in folders), folders]:
        questions = [question for folder in some for question in questions_of(folder)]
        cells["questions"].append(str(len(questions)))
        with tempfile.TemporaryDirectory() as home_folder, open_home(Settings(home=Path(home_folder))) as home:
            fill(home, some)
            asked = asked_by(home, questions)
            for row, choice in CHOICES.items():
                with chosen(choice, home) as index:
                    alone = scored(questions, asked, partial(three_sections, index))
                    given = scored(questions, asked, partial(candidates, index, choice.candidates))
                    _, section, gold, _, characters = given
                told = f"{alone[1]} / {alone[2]}, {section} / {gold}"
                cells[row].append(f"{told} ({characters / len(questions):,.0f})")
    names = [*(folder.name for folder in folders), "all in one index"]
    print(f"| parameter | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for row, found in cells.items():
        print(f"| {row} | {' | '.join(found)} |")


@contextmanager
def chosen(choice: Choice, home: Home) -> Iterator[Any]:
    """The index of a home, searched with the parameters of a choice."""
    before = search_index._RANK, search_index._AGREEMENT
    search_index._RANK, search_index._AGREEMENT = choice.constant, choice.agreement  # type: ignore[assignment]
    try:
        yield SimpleNamespace(search=partial(home.vectors.search, fetch=choice.fetch, diversity=choice.diversity))
    finally:
        search_index._RANK, search_index._AGREEMENT = before


def three_sections(index: Any, question: str, vector: np.ndarray) -> Sequence[Passage]:
    """What is found where there are no pairs."""
    found: Sequence[Passage] = index.search(vector, question, kinds=["section"], k=3, readers=None)
    return found


def candidates(index: Any, number: int, question: str, vector: np.ndarray) -> Sequence[Passage]:
    """What the reranker is given: as many pairs and as many sections."""
    return [
        passage
        for kind in ("qa", "section")
        for passage in index.search(vector, question, kinds=[kind], k=number, readers=None)
    ]


def fill(home: Home, folders: Iterable[Path]) -> None:
    """Put the documents of folders in a home."""
    results = home.ingest([folder / "documents" for folder in folders], replace=False, progress=lambda *step: None)
    assert not any(result.failed for result in results), results


def questions_of(folder: Path) -> list[Case]:
    """A folder's questions about its documents."""
    file = next(path for name in ("questions.jsonl", "development.jsonl") if (path := folder / name).exists())
    return [case for case in cases.read(file.read_bytes(), str(file)) if case.kind == "document"]


def scored(questions: Iterable[Case], vectors: np.ndarray, search: Search) -> list[int]:
    """Questions, right sections, golds, passages and characters found by one way of searching."""
    counts = [0] * 5
    for case, vector in zip(questions, vectors, strict=True):
        passages = search(case.question, vector)
        counts[0] += 1
        for place, is_held in enumerate(held(case, passages), 1):
            counts[place] += is_held
        counts[3] += len(passages)
        counts[4] += sum(len(passage.question) + len(passage.text) for passage in passages)
    return counts


if __name__ == "__main__":
    main()
