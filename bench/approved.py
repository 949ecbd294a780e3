"""python -m bench.approved [--show]: who is given an approved answer, of those who ask its question and of those who
ask another one.

The questions of bench/askings, each group pinned, asked in other words, and beside it another question that is near;
then every two questions of an organization of examples/training and bench/organizations, written and made from its
chart, which are all different. Beside the rule of trag/approved.py what vectors alone would do. The questions from the
charts are drawn by chance, with a seed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np

from org.chart import Chart
from org.linking.entities import EntityFinder
from org.reading.charts import load
from trag.approved import NEAR, QuestionSignature, normalized, signature
from trag.embed import Embedder, open_embedder
from trag.evaluate import chart_cases

ROOT = Path(__file__).parent.parent
ORGANIZATIONS = (ROOT / "examples" / "training", ROOT / "bench" / "organizations")
MADE, SEED = 60, 1
"""Questions made from each chart."""


@dataclass(frozen=True, slots=True)
class Group:
    """One question in several wordings, and others that are near it."""

    organization: str
    same: tuple[str, ...]
    other: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One question pinned, another asked. `one`: they have one signature; `cosine` is of their vectors."""

    organization: str
    pinned: str
    asked: str
    one: bool
    cosine: float

    @property
    def given(self) -> bool:
        """Whether the answer is given."""
        return self.one and self.cosine >= NEAR


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print each wrong one, and each right one that is missed")
    options = parser.parse_args()
    embedder = open_embedder("")
    print("| questions asked again | the same, given | another, given | by vectors alone: the same | another |")
    print("|---|---|---|---|---|")
    for name in ("tuned", "held-out"):
        groups = read(ROOT / "bench" / "askings" / f"{name}.txt")
        right, wrong = pairs(groups, embedder)
        alone = [sum(pair.cosine >= NEAR for pair in some) for some in (right, wrong)]
        given = [sum(pair.given for pair in some) for some in (right, wrong)]
        print(f"| {name} | {given[0]} of {len(right)} | {given[1]} of {len(wrong):,} | {alone[0]} | {alone[1]} |")
        for pair in (*right, *wrong) if options.show else ():
            if pair.given is (pair in wrong):
                print(f"  {'wrong' if pair in wrong else 'missed'} {pair.cosine:.2f} {pair.pinned} | {pair.asked}")
    print("\n| every two questions of an organization | pairs | of one sense | given |\n|---|---|---|---|")
    for name, questions in (("written", written()), ("made from its chart", made())):
        alike = [pair for organization in questions.items() for pair in twins(*organization, embedder)]
        number = sum(len(some) * (len(some) - 1) // 2 for some in questions.values())
        print(f"| {name} | {number:,} | {len(alike)} | {sum(pair.given for pair in alike)} |")
        for pair in alike if options.show else ():
            print(f"  {pair.organization} {pair.cosine:.2f} {pair.pinned} | {pair.asked}")


def read(path: Path) -> tuple[Group, ...]:
    """The groups of a file."""
    groups: list[Group] = []
    organization = ""
    for block in re.sub(r"(?m)^#.*\n", "", path.read_text(encoding="utf-8")).split("\n\n"):
        lines = block.strip().splitlines()
        if lines and (heading := re.fullmatch(r"\[(.+)\]", lines[0])):
            organization = heading[1]
        elif lines:
            same = (lines[0], *(line[2:] for line in lines[1:] if line[0] == "="))
            groups.append(Group(organization, same, tuple(line[2:] for line in lines[1:] if line[0] == "!")))
    return tuple(groups)


def pairs(groups: Sequence[Group], embedder: Embedder) -> tuple[list[Pair], list[Pair]]:
    """Every two wordings of a question; and each of them with each other question: those near it, of the other groups,
    and of its organization."""
    others = {place: tuple(_others(place, groups)) for place in range(len(groups))}
    texts = sorted({text for place, group in enumerate(groups) for text in (*group.same, *others[place])})
    vectors = dict(zip(texts, embedder.embed_questions(texts), strict=True))

    def pair(organization: str, pinned: str, asked: str) -> Pair:
        same = meant(organization, pinned) == meant(organization, asked)
        return Pair(organization, pinned, asked, same, float(np.dot(vectors[pinned], vectors[asked])))

    right = [pair(group.organization, *two) for group in groups for two in combinations(group.same, 2)]
    wrong = [
        pair(group.organization, pinned, asked)
        for place, group in enumerate(groups)
        for pinned in group.same
        for asked in others[place]
    ]
    return right, wrong


def twins(organization: str, questions: Sequence[str], embedder: Embedder) -> Iterator[Pair]:
    """Two questions that are taken for one."""
    alike: dict[QuestionSignature, list[str]] = defaultdict(list)
    for question in questions:
        alike[meant(organization, question)].append(question)
    for some in alike.values():
        if len(some) > 1:
            vectors = embedder.embed_questions(some)
            for (one, first), (other, second) in combinations(zip(some, vectors, strict=True), 2):
                yield Pair(organization, one, other, True, float(np.dot(first, second)))


@cache
def written() -> dict[str, tuple[str, ...]]:
    """The questions of each organization."""
    return {
        folder.name: tuple(dict.fromkeys(json.loads(line)["question"] for line in lines.splitlines()))
        for folder in _folders()
        for lines in [(folder / "questions.jsonl").read_text(encoding="utf-8")]
    }


def made() -> dict[str, tuple[str, ...]]:
    """Questions about the chart of each organization, each about another fact."""
    return {
        folder.name: tuple(case.question for case in chart_cases.make(_chart(folder.name), seed=SEED, number=MADE))
        for folder in _folders()
    }


@cache
def meant(organization: str, question: str) -> QuestionSignature:
    """The sense of a question in an organization."""
    return signature(question, _finder(organization).find(question))


def _others(place: int, groups: Sequence[Group]) -> Iterator[str]:
    """What else is asked in the organization of a group, and is another question than its own."""
    group = groups[place]
    own = {normalized(text) for text in group.same}
    yield from group.other
    for other in groups:
        if other is not group and other.organization == group.organization:
            yield from other.same
    for question in written()[group.organization]:
        if normalized(question) not in own:
            yield question


def _folders() -> list[Path]:
    return [folder for place in ORGANIZATIONS for folder in sorted(place.iterdir()) if (folder / "chart.csv").exists()]


@cache
def _chart(organization: str) -> Chart:
    folder = next(folder for folder in _folders() if folder.name == organization)
    return load((folder / "chart.csv").read_bytes(), "chart.csv")


@cache
def _finder(organization: str) -> EntityFinder:
    return EntityFinder(_chart(organization))


if __name__ == "__main__":
    main()
