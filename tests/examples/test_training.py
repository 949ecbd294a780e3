"""The organizations that the shipped adapter learns from are sound, and keep clear of those that it is measured on."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from trag.finetune.dataset import corpus
from trag.finetune.dataset.corpus import CORPUS

ROOT = CORPUS.parents[1]
FOLDERS = sorted(path for path in CORPUS.iterdir() if path.is_dir())
MEASURES = (
    ROOT / "examples" / "larkmoor",
    *sorted((ROOT / "bench").glob("organizations/*")),
    *sorted((ROOT / "bench").glob("aside/*")),
)


def questions(file: Path) -> Iterator[str]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield " ".join(re.findall(r"\w+", json.loads(line)["question"].casefold()))


def test_there_are_at_least_sixty() -> None:
    assert len(FOLDERS) >= 60


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_organization_is_whole_and_its_answers_stand_in_it(folder: Path) -> None:
    written = corpus.read(folder)
    assert len(written.cases) >= sum(corpus.LEAST_OF_KIND.values())
    assert len(written.organization.chart or ()) >= 8


def test_no_question_that_measures_is_learned_from() -> None:
    learned = {one: folder.name for folder in FOLDERS for one in questions(folder / corpus.QUESTIONS)}
    measuring = {
        one: file
        for folder in MEASURES
        for file in folder.glob("*.jsonl")
        if file.name != "pairs.jsonl"
        for one in questions(file)
    }
    assert len(measuring) > 400
    # A question of a word or two ("core hours") is anybody's.
    both = {one for one in learned.keys() & measuring.keys() if len(one.split()) > 4}
    assert not both, [(one, learned[one], measuring[one].name) for one in both]
