"""What is wrong with a written organization, all of it at once."""

import json
import shutil
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.finetune.dataset import corpus
from trag.finetune.dataset.corpus import CORPUS

pytestmark = pytest.mark.slow


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "ardstat"
    shutil.copytree(CORPUS / "ardstat", folder)
    lines = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines[:6]] == [f"document-0{number}" for number in range(1, 7)]
    lines[0]["section"] = "Article 99"
    lines[1]["gold"] = [["the Prime Minister"]]
    lines[2] |= {"kind": "unanswerable", "polarity": "", "gold": []}
    lines[3]["answer"] = ""
    lines[4]["answer"] = "word " * 46
    lines[5]["question"] = f"hi, {lines[6]['question']}"
    lines[7]["kind"] = "rumour"
    lines[9]["gold"] = [["politic"]]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(TragError) as error:
        corpus.read(folder)
    told = error.value.message
    for expected in (
        'document-01: 0 sections "Article 99" in "statistics-ordinance.md", which has: ',
        "document-02: none of the Prime Minister stands in its section",
        "document-02: its own answer is Incorrect",
        'document-03: needs "refuse": true',
        "document-04: has no answer",
        "document-05: its answer has 46 words, more than 45",
        "is asked 2 times",
        "questions of the kinds rumour",
        "document-10: none of politic stands in its section",
    ):
        assert expected in told, told


def test_a_part_that_is_missing_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "half"
    shutil.copytree(CORPUS / "ardstat", folder, ignore=shutil.ignore_patterns("chart.csv"))
    with pytest.raises(TragError, match="half: "):
        corpus.read(folder)
