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
        asked = json.loads(line)
        yield " ".join(re.findall(r"\w+", (asked.get("question") or asked["query"]).casefold()))


@pytest.mark.slow
def test_at_least_sixty_organizations_are_whole_and_their_answers_stand_in_them() -> None:
    assert len(FOLDERS) >= 60
    for folder in FOLDERS:
        written = corpus.read(folder)  # tells what is wrong with it
        assert len(written.cases) >= sum(corpus.LEAST_OF_KIND.values()), folder.name
        assert len(written.organization.chart or ()) >= 8, folder.name


def test_no_question_that_measures_is_learned_from() -> None:
    learned = {one for folder in FOLDERS for one in questions(folder / corpus.QUESTIONS)}
    files = (file for folder in MEASURES for file in folder.glob("*.jsonl") if file.name != "pairs.jsonl")
    measuring = {one for file in files for one in questions(file)}
    assert len(measuring) > 400
    # A question of a word or two ("core hours") is anybody's.
    assert [one for one in learned & measuring if len(one.split()) > 4] == []
