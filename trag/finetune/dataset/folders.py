"""A dataset as a folder: what is learned from, what is held out, cases for the gate, and a card for people.

Examples, cases -> train.jsonl, held_out.jsonl, cases.jsonl, card.md.  Knows nothing about where they come from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from store.files import write_atomic
from trag.evaluate import cases as case_files
from trag.evaluate.cases import Case
from trag.finetune.dataset import card, examples, splitting
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.examples import Example

if TYPE_CHECKING:
    from trag.llm.model import LanguageModel

TRAIN, HELD_OUT, CASES, CARD = "train.jsonl", "held_out.jsonl", "cases.jsonl", "card.md"
SEED = 7


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
    """The four files of a dataset, the card last. `held_out` are sources. Raises TragError when there is too little to
    learn from."""
    train, aside = splitting.split(made, held_out)
    contents = {TRAIN: examples.write(train), HELD_OUT: examples.write(aside), CASES: case_files.write(cases)}
    examples.read(contents[TRAIN], TRAIN, least=examples.LEAST_TO_LEARN)
    examples.read(contents[HELD_OUT], HELD_OUT)
    told = card.describe(
        train,
        aside,
        title=title,
        about=about,
        seed=seed,
        cases=len(cases),
        sha256=sha256_of(contents[TRAIN], contents[HELD_OUT]),
        count=model.count,
        count_text=model.count_text,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomic(folder / name, content)
    write_atomic(folder / CARD, told.text().encode())
    return told
