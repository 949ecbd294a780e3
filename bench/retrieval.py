"""python -m bench.retrieval [FOLDER ...]: what a search finds, with sections, with pairs made by rules, with both.

hit@k by two measures: a passage of the right section is among those found, and those found hold all of the gold. One
table: several weights of MMR on sections, then what is searched and how many passages are taken. FOLDER holds
documents/ and questions.jsonl or development.jsonl, and may hold pairs.jsonl, made by hand; without one, the
organizations that parameters are tuned on. The sample's development questions (examples/larkmoor) are for reporting,
never for choosing.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from bench.score import holds, read
from store.ranking import DIVERSITY
from store.vectors import Passage
from trag import retrieve
from trag.home import Home, open_home
from trag.ingest.pairs import DIRECT_TYPES, pairs
from trag.ingest.passages import embedded_text, pair_passages, passage_id
from trag.ingest.reader import Limits
from trag.ingest.reader import read as read_document
from trag.ingest.sections import sections
from trag.pairs import by_rules
from trag.settings import Settings

ORGANIZATIONS = Path(__file__).parent / "organizations"
DIVERSITIES = (0.0, 0.1, 0.2, 0.3, 0.5)

Search = Callable[[str, np.ndarray], Sequence[Passage]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=sorted(ORGANIZATIONS.iterdir()))
    options = parser.parse_args()
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
    file = next(path for name in ("questions.jsonl", "development.jsonl") if (path := folder / name).exists())
    questions = [row for row in read(file) if row["kind"] == "document"]
    by_hand = folder / "pairs.jsonl"
    result: dict[str, list[int]] = {}
    with tempfile.TemporaryDirectory() as home_folder, open_home(Settings(home=Path(home_folder))) as home:
        home.ingest([folder / "documents"], replace=False, progress=lambda step, done, total: None)
        vectors = home.embedder.embed_questions([question["question"] for question in questions])

        def run(row: str, search: Search) -> None:
            result[row] = scored(questions, vectors, search)

        def searched(row: str, kinds: Sequence[str], k: int, diversity: float = DIVERSITY) -> None:
            run(
                row,
                lambda question, vector: home.vectors.search(vector, question, kinds=kinds, k=k, diversity=diversity),
            )

        for diversity in DIVERSITIES:
            searched(f"sections, 3, diversity {diversity}", ["section"], 3, diversity)
        searched("sections, 6", ["section"], 6)
        made = {"rules": by_rules_of(folder)} | ({"hand": by_hand_of(by_hand, home)} if by_hand.exists() else {})
        for maker, passages in made.items():
            home.vectors.add(passages, home.embedder.embed_passages([embedded_text(passage) for passage in passages]))
            searched(f"pairs by {maker}, 3", ["qa"], 3)
            for k in (3, 4, 5, 6):
                searched(f"sections and pairs by {maker}, {k} in all", ["qa", "section"], k)
            run(
                f"sections and pairs by {maker}, as asked",
                lambda question, vector: retrieve.passages(question, vector, home.vectors, pairs=3, sections=3),
            )
            for name in {passage.document for passage in passages}:
                remake(home, name)
    return result


def remake(home: Home, document: str) -> None:
    """Take the pairs of a document out again."""
    kept = [passage for passage in home.records.library.passages(document) if passage.kind == "section"]
    home.vectors.delete(document)
    home.vectors.add(kept, home.embedder.embed_passages([embedded_text(passage) for passage in kept]))


def by_rules_of(folder: Path) -> tuple[Passage, ...]:
    """The supported pairs that rules make from a folder's documents, as the index would hold them."""
    found: dict[str, Passage] = {}
    started, characters = time.monotonic(), 0
    for path in sorted((folder / "documents").iterdir()):
        title = path.stem.replace("_", " ").replace("-", " ")
        of_document = sections(read_document(path.read_bytes(), path.name, Limits()).blocks, title)
        characters += sum(len(section.text) for section in of_document)
        for pair in by_rules(of_document):
            if pair.supported and pair.type in DIRECT_TYPES:
                id_ = passage_id("qa", path.name, pair.section, pair.question, pair.answer)
                found[id_] = Passage(id_, "qa", path.name, pair.section, pair.page, pair.answer, pair.question)
    print(f"{folder.name}: {len(found)} pairs from {characters:,} characters in {time.monotonic() - started:.1f} s")
    return tuple(found.values())


def by_hand_of(file: Path, home: Home) -> tuple[Passage, ...]:
    """The pairs of a file, as the index would hold them."""
    given = pairs(file.read_bytes(), file.name)
    return tuple(
        passage
        for document in dict.fromkeys(pair.document for pair in given)
        for passage in pair_passages(
            document,
            [pair for pair in given if pair.document == document],
            [passage for passage in home.records.library.passages(document) if passage.kind == "section"],
        )[0]
    )


def scored(questions: Iterable[dict[str, Any]], vectors: np.ndarray, search: Search) -> list[int]:
    """Questions, right sections, golds, passages and characters found by one way of searching."""
    counts = [0] * 5
    for question, vector in zip(questions, vectors, strict=True):
        passages = search(question["question"], vector)
        heading = question["section"].split(" > ")[-1]
        text = " ".join(f"{passage.question} {passage.text}" for passage in passages)
        counts[0] += 1
        counts[1] += any(p.document == question["document"] and heading in p.section for p in passages)
        counts[2] += all(any(holds(text, form) for form in item) for item in question["gold"])
        counts[3] += len(passages)
        counts[4] += len(text)
    return counts


if __name__ == "__main__":
    main()
