"""python -m bench.quotations [FOLDER ...] [--learned FILE]: what the documents' own best words answer, without a model.

Each question about documents, and each that nothing answers, is searched for as the assistant does; the best text of
what is found is right when it holds all of the gold. Prints one line an organization, and what would be answered were
words given from each odds on. FOLDER holds documents/ and questions.jsonl; without one, the organizations that
parameters are tuned on. FILE is a reranker in place of the one that ships.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from bench.retrieval import ORGANIZATIONS, fill, ranked
from bench.score import held
from trag import quote
from trag.evaluate import cases
from trag.evaluate.scoring.wording import says_all
from trag.home import Home, open_home
from trag.reranking import Reranker
from trag.settings import Settings

FROM = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class Best:
    """What the best text of a question came to; `is_right` is None for one that nothing answers."""

    is_right: bool | None
    both: bool
    found: bool
    odds: float


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.quotations", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=sorted(ORGANIZATIONS.iterdir()))
    parser.add_argument("--learned", type=Path, help="weights as trag.finetune.reranker.training writes them")
    options = parser.parse_args()
    everything: list[Best] = []
    print("| organization | questions | found | the best text right | or the second | nothing answers |")
    print("|---|---|---|---|---|---|")
    for folder in options.folders:
        found = measured(folder, options.learned)
        print(line(folder.name, found), flush=True)
        everything += found
    print(line("all", everything))
    print("\n| from odds of | right | wrong | given where nothing answers |\n|---|---|---|---|")
    for least in FROM:
        given = [one.is_right for one in everything if one.odds >= least]
        print(f"| {least:g} | {given.count(True)} | {given.count(False)} | {given.count(None)} |")


def line(name: str, found: Sequence[Best]) -> str:
    """A line of the first table."""
    asked = [one for one in found if one.is_right is not None]
    counts = (len(asked), sum(one.found for one in asked), sum(one.is_right is True for one in asked))
    both = sum(one.both for one in asked)
    return f"| {name} | {' | '.join(map(str, counts))} | {both} | {len(found) - len(asked)} |"


def measured(folder: Path, learned: Path | None) -> list[Best]:
    """The best text for every question of an organization."""
    asked = cases.read((folder / "questions.jsonl").read_bytes(), folder.name)
    with tempfile.TemporaryDirectory() as home_folder, open_home(Settings(home=Path(home_folder))) as home:
        fill(home, [folder])
        if learned:
            home.parts["reranker"] = Reranker(learned)
        return [best(home, case) for case in asked if case.refuse or (case.kind == "document" and case.gold)]


def best(home: Home, case: cases.Case) -> Best:
    """The best text of what the assistant would find."""
    assert home.reranker
    assert home.likelihood
    vector = home.embedder.embed_questions([case.question])[0]
    passages = ranked(home)(case.question, vector)
    found = quote.best(
        case.question,
        passages,
        home.embedder.embed_passages,
        vector,
        home.reranker.weigh,
        likely=home.likelihood.weigh,
    )
    odds = max((one.odds or 0.0 for one in found[:1]), default=float("-inf"))
    if case.refuse:
        return Best(None, False, False, odds)
    said = [says_all(text, case.gold) for text in (*(one.text for one in found[:1]), *_both(found))]
    _, is_found = held(case, passages)
    return Best(any(said[:1]), any(said), is_found, odds)


def _both(found: Sequence[quote.Quoted]) -> list[str]:
    return ["\n".join(one.text for one in found)] if len(found) > 1 else []


if __name__ == "__main__":
    main()
