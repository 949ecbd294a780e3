"""ROUGE precision against what rouge-score 0.1.2 gives: rouge1, rouge2, rougeLsum; a line a sentence, no stemming."""

import json
from pathlib import Path

import pytest

from trag.evaluate.briefs.rouge import Rouge, precision

SCORED = [
    json.loads(line) for line in Path(__file__).with_name("rouge_score.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("text", "evidence", "scores"), SCORED)
def test_as_rouge_score(text: list[str], evidence: list[str], scores: list[float]) -> None:
    found = precision(text, evidence)
    assert (found.r1, found.r2, found.rl) == pytest.approx(scores, abs=1e-6)


def test_letters_of_other_languages_count() -> None:
    assert precision(["Öffentliche Sitzung."], ["öffentliche sitzung"]) == Rouge(1.0, 1.0, 1.0)


def test_a_text_without_words_has_none_that_stand_in_the_evidence() -> None:
    assert precision([], ["a b"]) == precision(["..."], ["a b"]) == Rouge(0.0, 0.0, 0.0)
