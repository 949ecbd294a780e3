"""A dataset as a folder: what is learned from, what is held out, cases for the gate, and a card for people.

Examples, cases -> train.jsonl, held_out.jsonl, cases.jsonl, card.md
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from store.files import write_atomic
from trag.errors import TragError
from trag.evaluate import cases as case_files
from trag.evaluate.cases import Case
from trag.finetune.dataset import examples
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typos import plain

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel

TRAIN, HELD_OUT, CASES, CARD = "train.jsonl", "held_out.jsonl", "cases.jsonl", "card.md"
SEED = 7
SHARE = 0.1
"""Of the examples, held out."""


@dataclass(frozen=True, slots=True)
class Card:
    """A dataset in figures; `tokens` is what one pass over the examples to learn from reads and writes."""

    title: str
    about: str
    seed: int
    sources: int
    train: int
    held_out: int
    cases: int
    kinds: Mapping[str, int]
    longest: int
    tokens: int
    sha256: str

    def text(self) -> str:
        """The card as Markdown."""
        total = self.train + self.held_out
        rows = [
            ("examples to learn from", f"{self.train:,}"),
            ("examples held out", f"{self.held_out:,}"),
            ("sources, whole ones on either side", f"{self.sources:,}"),
            ("cases for the gate, of the side held out", f"{self.cases:,}"),
            ("tokens of one pass, before what prompts share", f"{self.tokens:,}"),
            ("tokens of the longest example", f"{self.longest:,}"),
        ]
        table = "\n".join(f"| {name} | {figure} |" for name, figure in rows)
        kinds = "\n".join(
            f"| {kind} | {count:,} | {count / max(1, total):.1%} |"
            for kind, count in sorted(self.kinds.items(), key=lambda item: -item[1])
        )
        return (
            f"# {self.title}\n\n{self.about}\n\nSeed {self.seed}. sha256 {self.sha256}\n\n"
            f"| | |\n|---|---|\n{table}\n\n| kind of example | examples | share |\n|---|---|---|\n{kinds}\n"
        )


def held_out_sources(examples: Iterable[Example], *, seed: int) -> frozenset[str]:
    """The sources to hold out: drawn one by one until they have their share of the examples, never all."""
    numbers = Counter(example.source for example in examples)
    drawn: list[str] = []
    taken = 0
    for source in Random(seed).sample(sorted(numbers), len(numbers))[1:]:
        if taken >= SHARE * numbers.total():
            break
        drawn.append(source)
        taken += numbers[source]
    return frozenset(drawn)


def split(examples: Sequence[Example], held_out: Collection[str]) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The examples to learn from, none of which asks a held-out question, and the held-out ones; each once."""
    distinct = tuple(dict.fromkeys(examples))
    aside = tuple(example for example in distinct if example.source in held_out)
    asked = {plain(example.question) for example in aside}
    others = (example for example in distinct if example.source not in held_out)
    return tuple(example for example in others if plain(example.question) not in asked), aside


def read(folder: Path) -> tuple[tuple[Sequence[Example], Sequence[Example]], str]:
    """What is learned from and what is held out of the dataset in a folder, and its sha256. Raises TragError when it
    cannot be learned from."""
    try:
        learned, held_out = ((folder / name).read_bytes() for name in (TRAIN, HELD_OUT))
    except OSError as error:
        hint = "Make the dataset: python -m trag finetune dataset"
        raise TragError(f"{error.filename} cannot be read: {error.strerror}.", hint) from error
    sides = (
        examples.read(learned, str(folder / TRAIN), least=examples.LEAST_TO_LEARN),
        examples.read(held_out, str(folder / HELD_OUT)),
    )
    return sides, sha256_of(learned, held_out)


def sha256_of(train: bytes, held_out: bytes) -> str:
    """The hash by which a dataset is known: of what is learned from and what is held out."""
    return hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in (train, held_out))).hexdigest()


def write(
    folder: Path,
    made: Sequence[Example],
    cases: Sequence[Case],
    held_out: Collection[str],
    *,
    title: str,
    about: str,
    seed: int,
    model: LanguageModel,
) -> Card:
    """The four files of a dataset. `held_out` are sources. Raises TragError for too little to learn from."""
    train, aside = split(made, held_out)
    contents = {TRAIN: examples.write(train), HELD_OUT: examples.write(aside), CASES: case_files.write(cases)}
    examples.read(contents[TRAIN], TRAIN, least=examples.LEAST_TO_LEARN)
    examples.read(contents[HELD_OUT], HELD_OUT)
    both = [*train, *aside]
    sizes = [model.count(example.messages) + model.count_text(example.answer) + 1 for example in train]
    card = Card(
        title=title,
        about=about,
        seed=seed,
        sources=len({example.source for example in both}),
        train=len(train),
        held_out=len(aside),
        cases=len(cases),
        kinds=Counter(example.kind for example in both),
        longest=max(sizes),
        tokens=sum(sizes),
        sha256=sha256_of(contents[TRAIN], contents[HELD_OUT]),
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomic(folder / name, content)
    write_atomic(folder / CARD, card.text().encode())
    return card
